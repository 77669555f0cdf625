"""A formula as it is written: in this order, with these signs, quotients and parentheses.

SymPy sorts, distributes and splits as it sees fit, so what is to be printed is a tree of its own.
:attr:`Node.meaning` leads back to SymPy: that is what is proved equal to the formula derived.

A sum has its signs in it, a product has what stands below the line beside what stands above, and
no product has a sign of its own: what is negative is a sum of one term.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from math import isfinite, prod

from sympy import (
    Abs,
    Add,
    Basic,
    Dummy,
    Expr,
    Integer,
    Limit,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    exp,
    log,
)

#: Weights of what there is to read. A product costs nothing: factors stand side by side.
SYMBOL, DIGIT, SIGN, LINE, CALL = 4, 1, 3, 2, 3
#: A second fraction in a sum costs one more. Of a sum in parentheses: if there are parameters in
#: it, if sizes and parameters are mixed in it, and for each pair of parentheses inside it. What
#: stands alone above or below a line has no parentheses.
HELD, MIXED, NESTED = 1, 3, 3

#: Symbols written before sizes in a product: weights and shares.
COEFFICIENTS = frozenset("alpha beta gamma delta epsilon lambda kappa rho w".split())

#: How tightly a node holds together: a sum needs parentheses in a product, that in a power.
SUM, PRODUCT, POWER, ATOM = range(4)


class Node:
    """Part of a formula; it is not changed once it is made."""

    tight: int = ATOM
    #: What it is made of.
    children: tuple[Node, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Equal are those that are written alike."""
        return type(self) is type(other) and isinstance(other, Node) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def key(self) -> str:
        """The text, by which nodes are sorted and compared."""
        return self.text(named)

    @cached_property
    def cost(self) -> int:
        """How much there is to read; see the weights below."""
        return self._own_cost() + sum(child.cost for child in self.children)

    def _own_cost(self) -> int:
        return 0

    @cached_property
    def kind(self) -> int:
        """What it is made of: 0 numbers, 1 coefficients, 2 sizes, 3 other parameters, 4 functions,
        5 exponentials; the last of them, but a coefficient with sizes is one still.
        """
        inner = [child.kind for child in self.children]
        kind = max(inner, default=4)
        return 1 if kind == 2 and 1 in inner else kind

    @cached_property
    def degree(self) -> int:
        """Degree of a term in its symbols, what stands below a line left out."""
        return 0

    @cached_property
    def meaning(self) -> Basic:
        """What is written, as SymPy has it."""
        return self._meaning()

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        """Symbols that are written."""
        return frozenset().union(*(child.symbols for child in self.children))

    def value_at(self, point: Mapping[str, float]) -> float | None:
        """A value in floats, if it has one; nothing that is proved rests on it."""
        try:
            value = self._value(point)
        except (LookupError, ArithmeticError, TypeError, ValueError):
            return None
        return value if isinstance(value, float) and isfinite(value) else None

    def _value(self, point: Mapping[str, float]) -> float:
        raise LookupError(self)

    @cached_property
    def depth(self) -> int:
        """Pairs of parentheses that there are, one inside the other, if this stands in some."""
        return 0

    # No abstract base class: looking up what a node is would take as long as all the rest.
    def text(self, name: Callable[[Symbol], str]) -> str:
        """As text that SymPy and :mod:`..decide.exact` read."""
        raise NotImplementedError

    def _meaning(self) -> Basic:
        raise NotImplementedError

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        """The same with its children changed."""
        return self


def named(symbol: Symbol) -> str:
    """The name of a symbol."""
    return str(symbol.name)


def parenthesised(node: Sum) -> int:
    """What the parentheses around a sum cost."""
    has_parameters = any(part.kind in (1, 3) for _, part in node.terms)
    inner = node.depth - 1
    return (HELD + NESTED * inner) * has_parameters + MIXED * node.is_mixed + NESTED * inner


def held(node: Node, tight: int, name: Callable[[Symbol], str]) -> str:
    """Text in parentheses, if the node does not hold together that tightly."""
    inside = node.key if name is named else node.text(name)
    return inside if node.tight >= tight else f"({inside})"


def joined(terms: Iterable[tuple[bool, str]], minus: str = "-") -> str:
    """Terms with their signs, minus before the first as it is written there."""
    (is_minus, first), *rest = terms
    signs = (f" {'-' if m else '+'} {part}" for m, part in rest)
    return (minus if is_minus else "") + first + "".join(signs)


class Number(Node):
    """A number that is not negative: an integer, or what SymPy has a name for."""

    kind = 0

    def __init__(self, value: Expr):
        self.value = value

    def _value(self, point: Mapping[str, float]) -> float:
        return float(self.value)

    def _own_cost(self) -> int:
        return DIGIT * len(self.key)

    def text(self, name: Callable[[Symbol], str]) -> str:
        return str(self.value.p if isinstance(self.value, Integer) else self.value)

    def _meaning(self) -> Basic:
        return self.value


class Name(Node):
    """A symbol."""

    def __init__(self, symbol: Symbol):
        self.symbol = symbol

    def _value(self, point: Mapping[str, float]) -> float:
        return point[self.symbol.name]

    def _own_cost(self) -> int:
        return SYMBOL

    @cached_property
    def kind(self) -> int:
        if self.symbol.is_integer:  # it counts something
            return 2
        return 1 if self.symbol.name in COEFFICIENTS else 3

    @cached_property
    def degree(self) -> int:
        return 1

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset({self.symbol})

    def text(self, name: Callable[[Symbol], str]) -> str:
        return name(self.symbol)

    def _meaning(self) -> Basic:
        return self.symbol


class Sum(Node):
    """Terms with their signs: ``(True, x)`` is minus x."""

    tight = SUM

    def __init__(self, terms: tuple[tuple[bool, Node], ...]):
        self.terms = terms
        self.children = tuple(node for _, node in terms)

    def _value(self, point: Mapping[str, float]) -> float:
        return sum(-n._value(point) if minus else n._value(point) for minus, n in self.terms)

    def _own_cost(self) -> int:
        lines = sum(isinstance(n, Product) and bool(n.below) for _, n in self.terms)
        more = max(lines - 1, 0)
        return SIGN * (len(self.terms) - 1 + self.terms[0][0]) + more

    @cached_property
    def depth(self) -> int:
        return 1 + max(node.depth for _, node in self.terms)

    @cached_property
    def is_mixed(self) -> bool:
        """Whether sizes and parameters are added."""
        kinds = {node.kind for _, node in self.terms}
        return 2 in kinds and bool(kinds & {1, 3})

    @cached_property
    def degree(self) -> int:
        return max(node.degree for _, node in self.terms)

    def text(self, name: Callable[[Symbol], str]) -> str:
        return joined((minus, held(node, PRODUCT, name)) for minus, node in self.terms)

    def _meaning(self) -> Basic:
        return Add(*(-node.meaning if minus else node.meaning for minus, node in self.terms))

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        return Sum(tuple((minus, change(node)) for minus, node in self.terms))


class Product(Node):
    """Factors above and below the line."""

    tight = PRODUCT

    def __init__(self, above: tuple[Node, ...], below: tuple[Node, ...] = ()):
        self.above, self.below = above, below
        self.children = (*above, *below)

    def _value(self, point: Mapping[str, float]) -> float:
        above, below = (prod(f._value(point) for f in side) for side in (self.above, self.below))
        return above / below

    def _own_cost(self) -> int:
        held = [
            part
            for side in (self.above, self.below)
            for f in side
            if isinstance(part := f.base if isinstance(f, Power) else f, Sum)
            and (len(side) > 1 or part is not f)
        ]
        return LINE * bool(self.below) + sum(map(parenthesised, held))

    @cached_property
    def depth(self) -> int:
        return max(f.depth for f in self.children)

    @cached_property
    def degree(self) -> int:
        return sum(f.degree for f in self.above)

    def text(self, name: Callable[[Symbol], str]) -> str:
        above, below = (
            "*".join(held(f, POWER, name) for f in side) for side in (self.above, self.below)
        )
        return over(above, below, len(self.below))

    def _meaning(self) -> Basic:
        return Mul(*(f.meaning for f in self.above), *(1 / f.meaning for f in self.below))

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        return Product(tuple(map(change, self.above)), tuple(map(change, self.below)))


def over(above: str, below: str, factors: int) -> str:
    """A quotient on one line, so many factors below."""
    if not factors:
        return above
    return f"{above or 1}/({below})" if factors > 1 else f"{above or 1}/{below}"


class Power(Node):
    """A power; a root is a call."""

    tight = POWER

    def __init__(self, base: Node, exponent: Node):
        self.base, self.exponent = self.children = base, exponent

    def _value(self, point: Mapping[str, float]) -> float:
        return float(self.base._value(point) ** self.exponent._value(point))

    @cached_property
    def degree(self) -> int:
        power = self.exponent.value if isinstance(self.exponent, Number) else None
        return self.base.degree * int(power) if power is not None and power.is_Integer else 0

    def text(self, name: Callable[[Symbol], str]) -> str:
        return f"{held(self.base, ATOM, name)}**{held(self.exponent, ATOM, name)}"

    def _meaning(self) -> Basic:
        return Pow(self.base.meaning, self.exponent.meaning)

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        return Power(change(self.base), change(self.exponent))


def _log(argument: Expr) -> Expr:
    """What SymPy does with logarithms takes long, and it does nothing with those of sums."""
    plain = (argument.is_Add or argument.is_Mul) and bool(argument.free_symbols)
    return log(argument, evaluate=not plain)


#: Functions that a formula may call, by their names in text.
FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": exp,
    "log": _log,
    "sqrt": lambda argument: Pow(argument, S.Half),
    "Abs": Abs,
    "Max": Max,
    "Min": Min,
}

_FLOATS: dict[str, Callable[..., float]] = {
    **{"exp": math.exp, "log": math.log, "sqrt": math.sqrt},
    **{"Abs": abs, "Max": max, "Min": min},
}


class Call(Node):
    """A function of something."""

    def __init__(self, function: str, arguments: tuple[Node, ...]):
        self.function, self.arguments = function, arguments
        self.children = arguments

    def _value(self, point: Mapping[str, float]) -> float:
        return _FLOATS[self.function](*(a._value(point) for a in self.arguments))

    @cached_property
    def kind(self) -> int:
        return 5 if self.function == "exp" else 4

    def _own_cost(self) -> int:
        return CALL

    def text(self, name: Callable[[Symbol], str]) -> str:
        return f"{self.function}({', '.join(held(a, SUM, name) for a in self.arguments)})"

    def _meaning(self) -> Basic:
        return FUNCTIONS[self.function](*(a.meaning for a in self.arguments))

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        return Call(self.function, tuple(map(change, self.arguments)))


class Limited(Node):
    """A limit of something."""

    def __init__(self, node: Node, symbol: Symbol, to: Expr):
        self.node, self.symbol, self.to = node, symbol, to
        self.children = (node,)

    def text(self, name: Callable[[Symbol], str]) -> str:
        return f"lim_{{{name(self.symbol)} -> {self.to}}} {self.node.text(name)}"

    def _meaning(self) -> Basic:
        return Limit(self.node.meaning, self.symbol, self.to)

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        return Limited(change(self.node), self.symbol, self.to)


class Other(Node):
    """What has no layout of its own, such as a case distinction: as SymPy writes it.

    ``parts`` are the formulas in it, each with how it is laid out.
    """

    def __init__(self, value: Basic, parts: tuple[tuple[Basic, Node], ...] = ()):
        self.value, self.parts = value, parts
        self.children = tuple(node for _, node in parts)

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(self.value.free_symbols)

    @cached_property
    def kind(self) -> int:
        return 4

    def _own_cost(self) -> int:
        return CALL

    def with_parts(self, name: Callable[[Node], str]) -> tuple[Basic, dict[Symbol, str]]:
        """The whole with a symbol for each part, and what these symbols are called."""
        put = {part: Dummy(f"part{k}", real=True) for k, (part, _) in enumerate(self.parts)}
        called = {put[part]: name(node) for part, node in self.parts}
        return self.value.xreplace(put), called

    def text(self, name: Callable[[Symbol], str]) -> str:
        shown, called = self.with_parts(lambda node: node.text(name))
        called |= {s: name(s) for s in shown.free_symbols if s not in called}
        return str(shown.xreplace({s: Symbol(text, real=True) for s, text in called.items()}))

    def _meaning(self) -> Basic:
        return self.value.xreplace({part: node.meaning for part, node in self.parts})

    def rebuilt(self, change: Callable[[Node], Node]) -> Node:
        return Other(self.value, tuple((part, change(node)) for part, node in self.parts))


ZERO, ONE = Number(S.Zero), Number(S.One)


@lru_cache(maxsize=1024)
def name_of(symbol: Symbol) -> Name:
    """A symbol, of which what is known is found out once."""
    return Name(symbol)


@lru_cache(maxsize=1024)
def number(value: int | Rational) -> Node:
    """A rational number of any sign."""
    exact = Rational(value)
    size = abs(exact)
    node: Node = Number(Integer(size.p))
    if size.q != 1:
        node = Product(() if size.p == 1 else (node,), (Number(Integer(size.q)),))
    return Sum(((True, node),)) if exact < 0 else node
