"""Random pairwise losses, and their least value over invariant Gram matrices by brute force.

Nothing here uses the engine. A loss is text; it is evaluated by walking Python's own syntax
tree with mpmath or floats. A Gram matrix of two towers of N items that is invariant under
relabelling is given by the shares of its trace on four eigenspaces, so the inner products
(of a positive pair, of a negative pair) fill a quadrilateral.
"""

from __future__ import annotations

import ast
import math
import operator
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mpmath import mp

#: Digits for comparing values at neighbouring points.
DIGITS = 320
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def evaluate(text: str, names: dict[str, Any], lib: Any) -> Any:
    """The value of an expression; ``lib`` is mp or math."""
    number = mp.mpf if lib is mp else float
    functions: dict[str, Callable[..., Any]] = {
        "exp": lib.exp,
        "log": lib.log,
        "sqrt": lib.sqrt,
        "max": max,
        "min": min,
        "abs": abs,
        "relu": lambda v: max(number(0), v),
        "cosh": lib.cosh,
        "tanh": lib.tanh,
        "softplus": lambda v: lib.log(1 + lib.exp(v)) if v < 0 else v + lib.log(1 + lib.exp(-v)),
        "sigmoid": lambda v: 1 / (1 + lib.exp(-v)),
    }

    def walk(node: ast.AST) -> Any:
        if isinstance(node, ast.Constant):
            return number(str(node.value))  # 0.3 means 3/10
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](walk(node.operand))
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return functions[node.func.id](*map(walk, node.args))

    return walk(ast.parse(text.replace("^", "**"), mode="eval").body)


@dataclass(frozen=True)
class Problem:
    """Weighted terms (text in x, weight) of positives and of negatives, and numbers."""

    positive: tuple[tuple[str, str], ...]
    negative: tuple[tuple[str, str], ...]
    N: int
    kind: str = ""
    values: dict[str, str] = field(default_factory=dict)

    def total(self, terms: tuple[tuple[str, str], ...], at: Any, lib: Any) -> Any:
        """The weighted sum of terms at an inner product."""
        number = mp.mpf if lib is mp else float
        names = {k: evaluate(v, {}, lib) for k, v in self.values.items()}
        names["N"] = number(self.N)
        return sum(
            evaluate(weight, names, lib) * evaluate(text, {**names, "x": at}, lib)
            for text, weight in terms
        )

    def at(self, x: Any, lib: Any) -> Any:
        """The least loss among Gram matrices whose positive inner product is 1 - x.

        The negative one then lies between two sides of the quadrilateral with corners
        (1, -1/(N-1)), (-1, -1), (1, 1) and (-1, 1/(N-1)); the least of a convex function
        between them is at an end or at its own least point.
        """
        n = self.N
        share = x / 2
        low = (1 - share) * (-1) / (n - 1) - share
        high = (1 - share) + share / (n - 1)
        least = min(max(self.least_negative, low), high) if self.least_negative > low else low
        return self.total(self.positive, 1 - x, lib) + (n - 1) * self.total(
            self.negative, least, lib
        )

    @cached_property
    def least_negative(self) -> float:
        """Where the function of negatives is least on [-1, 1]."""
        values = [(self.total(self.negative, k / 50 - 1, math), k) for k in range(101)]
        return min(values)[1] / 50 - 1

    def least(self) -> float:
        """The least loss, by golden sections in floats."""
        a, b, ratio = 0.0, 2.0, (math.sqrt(5) - 1) / 2
        f = lambda x: self.at(x, math)  # noqa: E731
        p, q = b - ratio * (b - a), a + ratio * (b - a)
        fp, fq = f(p), f(q)
        for _ in range(70):
            if fp <= fq:
                b, q, fq = q, p, fp
                p = b - ratio * (b - a)
                fp = f(p)
            else:
                a, p, fp = p, q, fq
                q = a + ratio * (b - a)
                fq = f(q)
        return min(f(0.0), f(2.0), fp, fq)


# --- generator: convex increasing functions of z on [-1, 1], by construction ---------------
def rational(chance: random.Random, low: float, high: float) -> str:
    """A short fraction in [low, high]."""
    below = chance.choice([1, 2, 3, 4, 5, 8])
    above = chance.randint(math.ceil(low * below), math.floor(high * below))
    return f"({above}/{below})" if below > 1 else f"({above})"


def odd_number(chance: random.Random) -> str:
    """A number in (-1, 1), rational or not."""
    return chance.choice(
        ["0", "1/2", "-1/3", "sqrt(2)/2", "-sqrt(3)/3", "exp(-1)", "-log(2)", "1/7", "-4/5", "0.3"]
    )


def rate(chance: random.Random) -> str:
    return chance.choice(["1", "2", "1/2", "5", "10", "1/10", "50", "200", "7/3"])


def smooth(z: str, chance: random.Random) -> str:
    """A smooth convex increasing function of z."""
    k = rational(chance, 1.2, 4)
    return chance.choice(
        [
            f"({z})",
            f"exp({rate(chance)}*({z}))",
            f"softplus({rate(chance)}*({z}) + {odd_number(chance)})",
            f"({z} + {k})^2",
            f"({z} + {k})^3",
            f"-log({k} - ({z}))",
            f"1/({k} - ({z}))",
            f"log(2 + exp({rate(chance)}*({z})))",
            f"cosh(({z}) + 1)",
            f"exp(({z})/3)*exp(({z})/2)",
        ]
    )


def rooted(z: str, chance: random.Random) -> str:
    """One with a root, perhaps infinitely steep at z = 1."""
    return chance.choice(
        [
            f"-sqrt(1 - ({z}))",
            f"-sqrt({rational(chance, 1.2, 4)} - ({z}))",
            f"(1 + ({z}))^(3/2)",
            f"(2 - ({z}))^(-1/2)",
            f"-(1 - ({z}))^(1/3)",
            f"sqrt(1 + (({z}) + 1)^2)",
            f"-sqrt(2 - 2*({z}))",
        ]
    )


def kinked(z: str, chance: random.Random) -> str:
    """A piecewise linear one."""
    a, b = odd_number(chance), odd_number(chance)
    k = rational(chance, 1, 4)
    return chance.choice(
        [
            f"max(0, ({z}) - {a})",
            f"relu({k}*({z}) + {a})",
            f"max(({z}) - {a}, {k}*(({z}) - {b}))",
            f"max(0, max(1 + ({z}), 2 + 3*({z})))",
            f"-min(-({z}), {a} - {k}*({z}))",
            f"abs(({z}) + 1)",
            f"max(0, ({z}) - {a}) + max(0, ({z}) - {b})/3",
            f"(({z}) + abs(({z}) - {a}))",
            f"max(max({a}, ({z})), max(2*({z}), {b}))",
        ]
    )


def curved(z: str, chance: random.Random) -> str:
    """One with kinks between curved pieces."""
    a = odd_number(chance)
    inner = smooth(z, chance)
    return chance.choice(
        [
            f"max(0, ({z}) - {a})^2",
            f"max(0, ({z}) - {a})^{chance.choice(['3', '(3/2)'])}",
            f"max({inner}, {a})",
            f"max(exp({z}), 1)",
            f"max(0, 1 - sqrt(2 - 2*({z})))^2",
            f"exp(max({z}, {a}))",
            f"softplus({rate(chance)}*max({z}, {a}))",
            f"max(0, exp({z}) - exp({a}))^2",
            f"max(({z}), {a}) + {inner}",
            f"exp(2*({z})) + {kinked(z, chance)}",
            f"max(0, -sqrt(1 - ({z})) + 1/2)",
            f"max(-sqrt(2 - 2*({z})), ({z}) - 2)",
        ]
    )


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "smooth": smooth,
    "rooted": rooted,
    "kinked": kinked,
    "curved": curved,
}


def sizes(chance: random.Random) -> int:
    return chance.choice([2, 3, 4, 5, 6, 8, 10, 13, 50, 1000, 10**6])


def scaled(text: str, chance: random.Random) -> str:
    """Times a positive number, small or large."""
    return f"{chance.choice(['1', '3', '1/5', '1/100', '40'])}*({text})"


def random_problem(seed: int) -> Problem:
    """A problem whose loss is convex and monotone in the right way, by construction."""
    chance = random.Random(seed)
    kinds = list(KINDS)
    kind_p, kind_n = chance.choice(kinds), chance.choice(kinds)
    lp = scaled(KINDS[kind_p]("-x", chance), chance)
    ln = scaled(KINDS[kind_n]("x", chance), chance)
    if chance.random() < 0.3:
        lp += " + " + KINDS[chance.choice(kinds)]("-x", chance)
    if chance.random() < 0.3:
        ln += " + " + KINDS[chance.choice(kinds)]("x", chance)
    return Problem(((lp, "1"),), ((ln, "1"),), sizes(chance), f"{kind_p}/{kind_n}")


def random_terms(seed: int) -> Problem:
    """The same with repeated terms of a relation, and weights, some of which depend on N."""
    chance = random.Random(seed)

    def terms(z: str) -> tuple[tuple[str, str], ...]:
        found = []
        for _ in range(chance.randint(1, 3)):
            kind = chance.choice(list(KINDS))
            weight = chance.choice(["1", "3", "1/2", "0", "1/(N-1)", "7/5"])
            found.append((KINDS[kind](z, chance), weight))
        return tuple(found)

    return Problem(terms("-x"), terms("x"), sizes(chance), "terms")


def random_family(seed: int) -> Problem:
    """A loss with a temperature and a bias, whose numbers are put in at the end."""
    chance = random.Random(seed)

    def one(z: str, sign: str) -> str:
        return chance.choice(
            [
                f"softplus(t*({z}) {sign} b)",
                f"exp(t*({z}))",
                f"t*max(0, 1/4 + ({z}))^2",
                f"exp(t*({z})) + max(0, ({z}) - 1/3)",
                f"({z}) + t*max(0, ({z}) - 1/2)",
                f"t*({z})",
            ]
        )

    values = {
        "t": chance.choice(["1/10", "1", "2", "sqrt(3)", "10", "200"]),
        "b": chance.choice(["0", "1/2", "-1", "3", "-10", "log(2)"]),
    }
    return Problem(
        ((one("-x", "+"), "1"),), ((one("x", "-"), "1"),), sizes(chance), "family", values
    )


#: Not convex, or the wrong way round: a function of z that must be refused.
WRONG = (
    "-({z})",
    "-exp({z})",
    "-(({z}) + 2)^2",
    "log(2 + ({z}))",
    "sqrt(1 + ({z}))",
    "tanh({z})",
    "sigmoid(3*({z}))",
    "({z})^2",
    "({z})^3",
    "abs({z})",
    "min(({z}), 1/3)",
    "min(exp({z}), 2)",
    "({z}) - max(0, ({z}) - 1/2)/2",
    "exp({z}) - 2*max(0, ({z}) - 1/5)",
    "max(0, ({z})^2 - 1/2)",
    "max(({z}), -({z}))^3",
    "exp(-2*({z})) + ({z})",
    "({z}) + 2*max(0, ({z}))^(1/2)",
    "sqrt({z})",
    "log(1 - ({z}))",
    "1/({z})",
    "-log(1/2 - ({z}))",
    "-1/(({z}) + 1)",
    "softplus(8*({z}))*sigmoid(8*({z}))^2",
    "max(0, 1 + ({z}))*max(0, 1/2 - ({z}))",
)


def wrong_problem(seed: int) -> Problem:
    """A good loss with something wrong added to one of its two functions."""
    chance = random.Random(seed)
    good = random_problem(seed)
    z = chance.choice(["x", "-x"])
    wrong = ((chance.choice(WRONG).format(z=z), "1"),)
    if z == "x":
        return Problem(good.positive, wrong, good.N, "wrong")
    return Problem(wrong, good.negative, good.N, "wrong")
