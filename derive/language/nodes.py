"""What printed statements consist of, as typed frozen nodes that can be spelled and changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from ..frozen import FrozenValue


class Node(FrozenValue):
    """A part of a statement; as text it is plain, for reports."""

    spelled: ClassVar[str] = ""  #: with a place for each field
    at: int = field(default=0, kw_only=True, compare=False, repr=False)  #: in the source

    def __str__(self) -> str:
        return self.spelled.format(*(getattr(self, f.name) for f in fields(self)[1:]))

    def places(self) -> Iterator[tuple[Node, Callable[[Node], Node]]]:
        """Each part, with what makes the node where another stands in its place."""
        for f in fields(self):
            held = getattr(self, f.name)
            if isinstance(held, Node):
                yield held, self._putting(f.name, lambda new: new)
            for k, one in enumerate(held if isinstance(held, tuple) else ()):
                label, part = one if isinstance(one, tuple) else (None, one)
                if isinstance(part, Node):
                    yield part, self._putting(f.name, _exchanged(held, k, label))

    def _putting(self, field: str, held: Callable[[Node], Any]) -> Callable[[Node], Node]:
        return lambda new: replace(self, **{field: held(new)})

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that it uses."""
        own = {self.base} if isinstance(self, Name) else set[str]()
        return frozenset(own.union(*(part.names for part, _ in self.places())))


def _exchanged(held: Sequence[Any], k: int, label: str | None) -> Callable[[Node], Any]:
    """Parts, which may have a sign or a letter before them, with another one at a place."""
    return lambda new: (*held[:k], new if label is None else (label, new), *held[k + 1 :])


# --- numbers and names -----------------------------------------------------------------------
class Number(Node):
    """A number as it is printed."""

    value: Fraction
    spelled = "{}"


class Word(Node):
    """A constant, or an index that is a word or a sign."""

    text: str
    spelled = "{}"


class Subset(Node):
    """A set that stands as an index, under the name by which it is defined."""

    text: str
    members: Node
    spelled = "{}"


class Name(Node):
    """A letter with indices and a mark above it."""

    base: str
    subs: tuple[Any, ...] = ()
    mark: str = ""

    @property
    def full(self) -> str:
        """The name with its indices: ``l_p``."""
        return self.base + "".join(f"_{indexed(s)}" for s in self.subs)

    def __str__(self) -> str:
        subs = ",".join(map(str, self.subs))
        return f"{self.base}{'_' + subs if subs else ''}{'^' + self.mark if self.mark else ''}"


class Call(Name):
    """A function with its arguments, or a loss without any."""

    arguments: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return f"{super().__str__()}({', '.join(map(str, self.arguments))})"


def indexed(sub: Node) -> str:
    """How an index is written in the name of what has it."""
    return sub.base if isinstance(sub, Name) else str(sub)


ONE, INFINITY, PI, EULER = Number(Fraction(1)), Word("oo"), Word("pi"), Word("e")


# --- expressions -------------------------------------------------------------------------------
class Sum(Node):
    """Terms with their signs."""

    terms: tuple[tuple[str, Node], ...]

    def __str__(self) -> str:
        text = " ".join(f"{sign} {term}" for sign, term in self.terms)
        return f"({text.removeprefix('+ ')})"


class Product(Node):
    """Factors, each with ``*`` or ``/`` before it."""

    factors: tuple[tuple[str, Node], ...]

    def __str__(self) -> str:
        text = " ".join(f"{sign} {factor}" for sign, factor in self.factors)
        return text.removeprefix("* ").removeprefix("/ ")


class Quotient(Node):
    """A fraction."""

    above: Node
    below: Node
    spelled = "({})/({})"


class Power(Node):
    """A power."""

    base: Node
    exponent: Node
    spelled = "({})^({})"


_APPLIED = {"abs": "|{}|", "T": "{}^T"}


class Applied(Node):
    """A function of one thing that everybody knows: of a number, a vector, a set."""

    function: str
    argument: Node

    def __str__(self) -> str:
        return _APPLIED.get(self.function, f"{self.function}({{}})").format(self.argument)


class Indicator(Node):
    """1 where a relation holds, else 0."""

    relation: Node
    spelled = "[{}]"


class Cosine(Node):
    """The cosine of two vectors."""

    one: Node
    other: Node
    spelled = "cos({}, {})"


class Bound(Node):
    """Names with what they run over, and which of them differ."""

    over: tuple[tuple[str, Node], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        text = ", ".join(f"{name} in {where}" for name, where in self.over)
        return text + "".join(f", {a} != {b}" for a, b in self.apart)


class Big(Node):
    """A sum, product, maximum or minimum over something."""

    what: str
    bound: Bound
    body: Node
    spelled = "{}[{}] {}"


class Extremum(Node):
    """The least or the largest of some numbers."""

    what: str
    values: tuple[Node, ...]

    def __str__(self) -> str:
        return f"{self.what}({', '.join(map(str, self.values))})"


class Cases(Node):
    """Values, each where its condition holds; the last one otherwise, if it has none."""

    values: tuple[Node, ...]
    conditions: tuple[Node, ...]

    def __str__(self) -> str:
        pairs = zip(self.values, self.conditions, strict=False)
        rest = [str(v) for v in self.values[len(self.conditions) :]]
        return "; ".join([*(f"{value} if {condition}" for value, condition in pairs), *rest])


class Limit(Node):
    """A limit in a letter."""

    letter: str
    end: Node
    body: Node
    spelled = "lim[{} -> {}] {}"


class Derivative(Node):
    """A derivative in a letter."""

    letter: str
    order: int
    body: Node

    def __str__(self) -> str:
        times = f"^{self.order}" if self.order > 1 else ""
        return f"d{times}/d{self.letter}{times} {self.body}"


class At(Node):
    """An expression where letters have certain values."""

    body: Node
    values: tuple[tuple[str, Node], ...]

    def __str__(self) -> str:
        return f"{self.body} at {', '.join(f'{name} = {where}' for name, where in self.values)}"


# --- sets --------------------------------------------------------------------------------------
class Range(Node):
    """Whole numbers from one to another; ``free`` if only a name that is not bound outside runs
    over them."""

    low: Node
    high: Node
    free: bool = False
    spelled = "{}..{}"


class Combined(Node):
    """A union or a difference of two sets."""

    one: Node
    operation: str
    other: Node
    spelled = "{} {} {}"


class Members(Node):
    """A set by its members."""

    members: tuple[Node, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.members)) + "}"


class Interval(Node):
    """An interval, of which a number may wrongly be said to be equal."""

    low: Node
    high: Node
    low_open: bool
    high_open: bool

    def __str__(self) -> str:
        return f"{'[('[self.low_open]}{self.low}, {self.high}{'])'[self.high_open]}"


# --- statements ----------------------------------------------------------------------------------
class Chain(Node):
    """Sides joined by relations."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]

    def __str__(self) -> str:
        pairs = zip(self.relations, self.sides[1:], strict=True)
        return str(self.sides[0]) + "".join(f" {relation} {side}" for relation, side in pairs)


class Within(Node):
    """A number that lies in an interval."""

    side: Node
    low: Node
    high: Node
    low_open: bool
    high_open: bool

    def __str__(self) -> str:
        return f"{self.side} in {Interval(self.low, self.high, self.low_open, self.high_open)}"


class ForAll(Node):
    """A relation for all of some."""

    bound: Bound
    relation: Node
    spelled = "({1} for all {0})"


class Exists(Node):
    """A statement with constants that exist."""

    constants: tuple[str, ...]
    statement: Node

    def __str__(self) -> str:
        return f"exists {', '.join(self.constants)}: {self.statement}"


class And(Node):
    """Statements that hold together."""

    parts: tuple[Node, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.parts))


class Connected(Node):
    """Two statements with ``iff`` or ``implies`` between them."""

    one: Node
    how: str
    other: Node
    spelled = "{} {} {}"
