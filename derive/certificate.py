r"""Replays a certificate of optimality in ball arithmetic; it searches nothing and solves nothing.

    python certificate.py FILE.json

Nothing here is imported from the rest of the package: all this needs is the file and Arb's balls.
A loss L that is convex in the Gram matrix G lies above its tangent. With A its gradient in G, any
numbers y_i and S = A - diag(y), every Gram matrix H of unit vectors, in any dimension, has

.. math:: L(H) - L(G) \ge \langle A, H - G\rangle
          \ge -N \epsilon - \big(\langle A, G\rangle - \textstyle\sum_i y_i\big)

wherever S + epsilon 1 is positive semidefinite, since diag H = 1. Proved here, each with error
bounds: G is the Gram matrix of unit vectors; L is convex; the S of the file is A - diag(y) up to
``radius``, entry by entry; S + shift 1 has a Cholesky factor, so epsilon = shift + N radius does.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

FORMAT = "cltheory certificate 1"
LARGEST = 2000
NUMBER = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*|(\.[0-9]+)?(e[-+]?[0-9]{1,3})?)")
#: Bits of all arithmetic; and into how many parts a box is cut to show a second derivative >= 0.
BITS, HALVINGS = 256, 12
#: How far inner products may be moved towards the identity.
LITTLE = 1e-6


class Refused(ValueError):
    """The file is not a certificate, or does not prove what it claims; one line."""


class Proved(NamedTuple):
    """The loss of the point as a ball, and a bound on its distance from the least loss."""

    loss: Any
    gap: Any


class Jet:
    """A function of one variable at a ball: value, first and second derivative."""

    def __init__(self, value: Any, first: Any = 0, second: Any = 0):
        self.parts = (arb(value), arb(first), arb(second))

    def __add__(self, other: Jet) -> Jet:
        return Jet(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __mul__(self, other: Jet) -> Jet:
        (a, da, dda), (b, db, ddb) = self.parts, other.parts
        return Jet(a * b, da * b + a * db, dda * b + 2 * da * db + a * ddb)

    def through(self, f: Callable[[Any], tuple[Any, Any, Any]]) -> Jet:
        """The chain rule, for f and its two derivatives."""
        x, dx, ddx = self.parts
        y, dy, ddy = f(x)
        return Jet(y, dy * dx, ddy * dx * dx + dy * ddx)


FUNCTIONS: dict[str, Callable[[Any], tuple[Any, Any, Any]]] = {
    "exp": lambda x: (x.exp(), x.exp(), x.exp()),
    "log": lambda x: (x.log(), 1 / x, -1 / x**2),
    # log(1 + exp(x)): its second derivative, a difference of near numbers otherwise, is a product.
    "softplus": lambda x: (
        (1 + x.exp()).log(),
        1 / (1 + (-x).exp()),
        1 / ((1 + x.exp()) * (1 + (-x).exp())),
    ),
    "sqrt": lambda x: (x.sqrt(), 1 / (2 * x.sqrt()), -1 / (4 * x * x.sqrt())),
}


def kink(x: Any) -> tuple[Any, Any, Any]:
    """max(0, x) and its derivatives, on one side of its kink."""
    if x > 0:
        return x, arb(1), arb(0)
    if x < 0:
        return arb(0), arb(0), arb(0)
    raise Refused("an inner product may be where max(0, .) has its kink, and no side is given")


def number(text: Any) -> Any:
    """A rational as it is written, ``"3/40"`` or ``"0.075"``, as a ball."""
    if not isinstance(text, str) or len(text) > 2000 or not NUMBER.fullmatch(text):
        raise Refused(f"{str(text)[:40]!r} is not an exact number")
    q = Fraction(text)
    return arb(fmpq(q.numerator, q.denominator))


def parsed(text: str) -> ast.expr:
    """The tree of an expression, which is never run."""
    if not isinstance(text, str) or len(text) > 2000:
        raise Refused("an expression is a short text")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise Refused(f"{text[:40]!r}: {error}") from None


def evaluated(text: str, x: Any = None) -> Jet:
    """An expression in ``c`` (at the ball x): numbers, + - * / **, FUNCTIONS and max(0, .)."""

    def walk(node: ast.AST) -> Jet:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return Jet(number(str(value)))
            case ast.Name(id="c") if x is not None:
                return Jet(x, 1)
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return Jet(-1) * walk(a)
            case ast.BinOp(left=a, op=ast.Add(), right=b):
                return walk(a) + walk(b)
            case ast.BinOp(left=a, op=ast.Sub(), right=b):
                return walk(a) + Jet(-1) * walk(b)
            case ast.BinOp(left=a, op=ast.Mult(), right=b):
                return walk(a) * walk(b)
            case ast.BinOp(left=a, op=ast.Div(), right=b):
                return walk(a) * walk(b).through(lambda v: (1 / v, -1 / v**2, 2 / v**3))
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(k))) if 0 <= k < 64:
                base, power = walk(a), Jet(1)
                for _ in range(k):
                    power = power * base
                return power
            case ast.Call(func=ast.Name(id=name), args=[a], keywords=[]) if name in FUNCTIONS:
                return walk(a).through(FUNCTIONS[name])
            case ast.Call(func=ast.Name(id="max"), args=[ast.Constant(value=0), a], keywords=[]):
                return walk(a).through(kink)
        known = ", ".join([*FUNCTIONS, "max(0, .)"])
        raise Refused(f"{text[:40]!r} is not made of numbers, c, + - * / ** and {known}")

    try:
        return walk(parsed(text))
    except (RecursionError, ValueError) as error:
        raise error if isinstance(error, Refused) else Refused(f"{text[:40]!r}: {error}") from None


def listed(what: str, value: Any, length: int | None = None) -> list[Any]:
    """A list; of as many entries as there are points, neither less nor more."""
    if not isinstance(value, list) or len(value) != (len(value) if length is None else length):
        raise Refused(f"{what} is not a list" + ("" if length is None else f" of {length}"))
    return value


def relations(axes: list[Any], pattern: dict[str, str]) -> list[list[str]]:
    """The relation of every ordered pair of points, by which of their indices agree.

    Where there are several orbits each has its axes, and keys begin with the number of the orbit:
    ``0 =/`` inside the first, and ``0 1`` from a point of the first to one of the second.
    """
    several = isinstance(axes, list) and axes != [] and all(isinstance(own, list) for own in axes)
    orbits = axes if several else [axes]
    if not all(type(k) is int and k > 0 for own in orbits for k in listed("axes", own)):
        raise Refused("the axes are not sizes")
    if (size := sum(prod(own) for own in orbits)) > LARGEST:
        more = "" if size <= 10**9 else "more than "
        raise Refused(f"{more}{min(size, 10**9)} points; a certificate has from 1 to {LARGEST}")
    points = [(a, x) for a, own in enumerate(orbits) for x in product(*(range(k) for k in own))]

    def key(a: int, x: Iterable[int], b: int, y: Iterable[int]) -> str:
        same = "".join("=" if s == t else "/" for s, t in zip(x, y, strict=True)) if a == b else b
        return f"{a} {same}" if several else str(same)

    return [[pattern[key(*i, *j)] for j in points] for i in points]


def well_formed(loss: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The declaration of a loss, if it is one: a name that is not known would drop a part of it."""
    known = set(names)
    for term in listed("terms", loss["terms"]):
        if loss["kind"] == "pairwise":
            used = [term["relation"]]
        else:
            used = [*term["positives"], *listed("a denominator", term["denominator"])]
            if not isinstance(term["own_positive"], bool):
                raise Refused("own_positive must be true or false")
        if not known.issuperset(used):
            raise Refused(f"unknown relation {str(next(u for u in used if u not in known))!r}")
    return loss


def of_rows(rows: list[list[Any]]) -> list[list[Any]]:
    """Gram matrix of vectors, scaled to unit length."""
    u = [[number(x) for x in row] for row in rows]
    length = [dot(a, a).sqrt() for a in u]
    if not all(size > 0 for size in length):
        raise Refused("a vector is zero")
    return [[dot(a, b) / (s * t) if a is not b else arb(1) for b, t in zip(u, length, strict=True)]
            for a, s in zip(u, length, strict=True)]  # fmt: skip


def of_inner(inner: dict[str, Any], shift: Any, pair: list[list[str]]) -> list[list[Any]]:
    """Gram matrix with an inner product per relation, moved a little towards the identity."""
    if not 0 <= shift <= LITTLE:
        raise Refused("the shift of a point is not small: it would be another point")
    moved = {name: number(value) / (1 + shift) for name, value in inner.items()}
    moved["self"] = arb(1)
    if any(row[i] != "self" or row.count("self") > 1 for i, row in enumerate(pair)):
        raise Refused("'self' is the relation of a point with itself, and of no other pair")
    both = {(r, pair[j][i]) for i, row in enumerate(pair) for j, r in enumerate(row)}
    if any(r != s and inner[r] != inner[s] for r, s in both):
        raise Refused("the two directions of a relation have different inner products")
    has_cholesky([[moved[r] for r in row] for row in pair], "the matrix of inner products")
    return [[moved[r] for r in row] for row in pair]


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def gram(point: dict[str, Any], pair: list[list[str]]) -> list[list[Any]]:
    """The Gram matrix of a point: ones on the diagonal, and proved to be one."""
    if "embeddings" in point:
        return of_rows(listed("embeddings", point["embeddings"], len(pair)))
    return of_inner(point["inner"], number(point["shift"]), pair)


def sum_of_products(a: list[list[Any]], b: list[list[Any]]) -> Any:
    """<A, B>."""
    return sum((dot(p, q) for p, q in zip(a, b, strict=True)), arb(0))


def shifted(matrix: list[list[Any]], shift: Any) -> list[list[Any]]:
    """M + shift 1."""
    return [[x + shift if i == j else x for j, x in enumerate(r)] for i, r in enumerate(matrix)]


def has_cholesky(matrix: list[list[Any]], what: str) -> None:
    """Show that a symmetric matrix is positive definite: the pivots of L D L' are positive."""
    rows: list[list[Any]] = []
    pivots: list[Any] = []
    for i, row in enumerate(matrix):
        scaled: list[Any] = []  # L_ij d_j
        for j in range(i):
            scaled.append(row[j] - dot(scaled, rows[j][:j]))
        rows.append([s / d for s, d in zip(scaled, pivots, strict=True)])
        pivots.append(row[i] - dot(scaled, rows[i]))
        if not pivots[i] > 0:
            raise Refused(f"{what} is not proved positive: pivot {i} is {pivots[i].str(5)}")


def inside_kinks(function: str) -> str:
    """Of max(0, a) and its square a, which is to be convex for them to be; or the function."""
    match parsed(function):
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2)) | base:
            pass
    match base:
        case ast.Call(func=ast.Name(id="max"), args=[ast.Constant(value=0), a], keywords=[]):
            return inside_kinks(ast.unparse(a))
    return function


def beneath(loss: Any, sides: Any, g: list[list[Any]], pair: list[list[str]]) -> tuple[Any, Any]:
    """The loss with s f for a max(0, f), and how much less it is; at a kink its gradient is one.

    It is nowhere above the loss for 0 <= s <= 1, and ``sides`` has these s, or null, by term.
    """
    terms, less = [], arb(0)
    for term, side in zip(loss["terms"], listed("sides", sides, len(loss["terms"])), strict=True):
        if side is None:
            terms.append(term)
            continue
        s, inside = number(side), inside_kinks(term["function"])
        if not 0 <= s <= 1 or ast.unparse(parsed(term["function"])) != f"max(0, {inside})":
            raise Refused(f"{term['function'][:40]!r} has no kink with the side {side}")
        for i, row in enumerate(pair):
            for f in (
                evaluated(inside, g[i][j]) for j, r in enumerate(row) if r == term["relation"]
            ):
                at = f.parts[0]
                over = (1 - s) * at if at > 0 else -s * at if at < 0 else arb(0, abs(at).upper())
                less += evaluated(term["weight"]).parts[0] / len(g) * over
        terms.append(term | {"function": f"{Fraction(side)} * ({inside})"})
    return loss | {"terms": terms}, less


def is_convex(function: str) -> bool:
    """Whether the second derivative is shown to be >= 0 on [-1, 1], box by box."""
    function, boxes = inside_kinks(function), [(Fraction(-1), Fraction(1), 0)]
    while boxes:
        low, high, depth = boxes.pop()
        ball = arb(number(str((low + high) / 2)), number(str((high - low) / 2)))
        if evaluated(function, ball).parts[2] >= 0:
            continue
        if depth == HALVINGS:
            return False
        middle = (low + high) / 2
        boxes += [(low, middle, depth + 1), (middle, high, depth + 1)]
    return True


def softmax(loss: dict[str, Any], g: list[list[Any]], pair: list[list[str]]) -> tuple[Any, Any]:
    """Value and gradient of sums of -w g/tau + k log sum exp(g/tau), mean over anchors."""
    tau, size = evaluated(loss["temperature"]).parts[0], len(g)
    if not tau > 0:
        raise Refused("the temperature is not positive")
    value, a = arb(0), [[arb(0)] * size for _ in g]
    for term in loss["terms"]:
        weight = evaluated(term["coefficient"]).parts[0]
        if not weight >= 0:
            raise Refused("a coefficient is negative: the loss need not be convex")
        shares = {r: evaluated(k).parts[0] for r, k in term["positives"].items()}
        for i, row in enumerate(pair):
            e = [(x / tau).exp() for x in g[i]]
            inside = [j for j, r in enumerate(row) if r in term["denominator"]]
            common = sum((e[j] for j in inside), arb(0))
            positives = [(j, weight * shares[r] / size) for j, r in enumerate(row) if r in shares]
            joint = arb(0)  # what all positives with the same denominator push with
            for j, k in positives:
                if not k >= 0:
                    raise Refused("a weight of a positive is negative")
                total = common + e[j] if term["own_positive"] else common
                value += k * (total.log() - g[i][j] / tau)
                a[i][j] += k * ((e[j] / total if term["own_positive"] else 0) - 1) / tau
                joint += k / total
            for j in inside:
                a[i][j] += joint * e[j] / tau
    return value, a


def pairwise(loss: dict[str, Any], g: list[list[Any]], pair: list[list[str]]) -> tuple[Any, Any]:
    """Value and gradient of sums of w f(g) over the pairs of a relation, mean over points."""
    size = len(g)
    value, a = arb(0), [[arb(0)] * size for _ in g]
    for term in loss["terms"]:
        weight = evaluated(term["weight"]).parts[0] / size
        if not weight >= 0 or not is_convex(term["function"]):
            raise Refused(f"{term['function'][:40]!r} is not proved convex on [-1, 1]")
        for i, row in enumerate(pair):
            for j, r in enumerate(row):
                if r == term["relation"]:
                    at, slope, _ = evaluated(term["function"], g[i][j]).parts
                    value += weight * at
                    a[i][j] += weight * slope
    return value, a


def gradient(loss: dict[str, Any], g: Any, pair: list[list[str]]) -> tuple[Any, Any]:
    """Value of the loss and its symmetric gradient in the Gram matrix."""
    value, slope = {"softmax": softmax, "pairwise": pairwise}[loss["kind"]](loss, g, pair)
    size = range(len(g))
    return value, [[(slope[i][j] + slope[j][i]) / 2 for j in size] for i in size]


def replay(file: dict[str, Any]) -> Proved:
    """Check a certificate, and give what it proves.

    Raises
    ------
    Refused
        If anything is missing, malformed or not proved.
    """
    if not isinstance(file, dict) or file.get("format") != FORMAT:
        raise Refused(f"not a file of the format {FORMAT!r}")
    before, ctx.prec = ctx.prec, BITS
    try:
        pair = relations(file["axes"], file["pattern"])
        size, g = len(pair), gram(file["point"], pair)
        loss, less = well_formed(file["loss"], file["pattern"].values()), arb(0)
        if "sides" in file:
            loss, less = beneath(loss, file["sides"], g, pair)
        value, a = gradient(loss, g, pair)
        y = [number(v) for v in listed("y", file["y"], size)]
        s = [[number(v) for v in listed("S", row, size)] for row in listed("S", file["S"], size)]
        radius, shift = number(file["radius"]), number(file["shift"])
        for i, j in product(range(size), repeat=2):
            wanted = a[i][j] - (y[i] if i == j else 0)
            if not abs(s[i][j] - wanted) <= radius:
                raise Refused(f"S is not the gradient minus diag(y) at ({i}, {j})")
        has_cholesky(shifted(s, shift), "S + shift")
        loose = sum_of_products(a, g) - sum(y, arb(0))
        gap = size * (shift + size * radius) + loose
        value, gap = value + less, gap + less  # of the loss, not of what is beneath it
        claimed, off = number(file["claim"]["gap"]), abs(value - number(file["claim"]["loss"]))
        if not off <= claimed:
            raise Refused(f"the loss is {value.str(20)}, not {file['claim']['loss']}")
        if not gap + off <= claimed:  # the loss that is claimed, not only that of the point
            raise Refused(f"the gap proved is {(gap + off).str(5)}, not {file['claim']['gap']}")
        return Proved(value, gap)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, Refused):
            raise
        missing = isinstance(error, KeyError)
        what = f"{error} is missing or not known" if missing else f"malformed ({error})"
        raise Refused(f"not a certificate: {what}") from None
    finally:
        ctx.prec = before


def from_json(text: str) -> Any:
    """JSON, in which no key stands twice: what a reader sees is what is replayed."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise Refused("a key stands twice")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once)


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as opened:
            found = replay(from_json(opened.read()))
    except (Refused, OSError, ValueError, IndexError, RecursionError) as error:
        sys.exit(f"refused: {error}")
    print(f"loss {found.loss.str(20)}, above the least by at most {found.gap.str(5)}")
    print("of the loss as the file writes it out; its title and parameters were not compared")
