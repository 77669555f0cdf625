"""What a display says: expressions joined by relations, an interval, a case distinction."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from sympy import Expr, Symbol

from ..decide.defined import Condition
from ..frozen import FrozenValue


class TexError(ValueError):
    """The text could not be read, or could be read in two ways; the message is one line.

    Attributes
    ----------
    position
        Offset into the text that was read, in characters.
    """

    def __init__(self, message: str, position: int = 0):
        super().__init__(message)
        self.position = position


Relation = Literal["=", "<", "<=", ">", ">=", "!=", "in", "->"]


class Unread(FrozenValue):
    """A name at the left of the first ``=`` that is not known, or an empty left side.

    What an equation defines must be known to be the quantity: the comparison refuses an unknown
    name, and says how the directive declares it. An empty text is the left side of a row that
    begins with its relation and has no row before it.
    """

    text: str


class Vector(FrozenValue):
    """A vector with its indices, in canonical spelling: ``u_i`` is ``("u", ("i",))``."""

    name: str
    indices: tuple[str, ...] = ()


class Inner(FrozenValue):
    """The inner product of two vectors, once and not raised to a power; symmetric."""

    one: Vector
    other: Vector


class Called(FrozenValue):
    r"""A name with what it depends on, ``\alpha_{\min}(m, n, \tau)``, all of them symbols."""

    name: Expr
    arguments: tuple[Symbol, ...]


class Limit(FrozenValue):
    r"""``\lim_{symbol \to point} of``; ``side`` is ``+``, ``-``, or empty."""

    expression: Side
    symbol: Expr
    point: Expr
    side: str = ""


class Bounds(FrozenValue):
    """An interval, right of ``in``."""

    low: Expr
    high: Expr
    low_open: bool
    high_open: bool


#: One side of a relation. A case distinction is a SymPy Piecewise.
Side: TypeAlias = "Expr | Unread | Bounds | Inner | Called | Limit"


# --- what stands around a formula -----------------------------------------------------------
class Chain(FrozenValue):
    """A condition in known names: ``n >= 2``, ``0 < tau <= 1``, ``alpha in (1/n, 1]``."""

    sides: tuple[Expr | Bounds, ...]
    relations: tuple[Relation, ...]


class Kinds(FrozenValue):
    r"""What sort of number symbols are: ``m, n \in \mathbb{N}``, "integers", "positive".

    ``kind`` is ``integer``, ``natural``, ``real``, ``positive``, ``nonnegative``, ``negative``,
    ``positive integer`` or ``any``.
    """

    symbols: tuple[Expr, ...]
    kind: str


class Indices(FrozenValue):
    r"""A condition on indices of vectors: ``i \ne j``, ``i = 1, \dots, N``, ``all i``.

    ``relation`` is ``!=``, ``=`` or ``any``; for ``any`` the letters run over everything, from 1
    to ``size`` where that is said in known names. A letter may be a number: ``i \ne 1``.
    """

    letters: tuple[str, ...]
    relation: str
    size: Expr | None = None


class Among(FrozenValue):
    r"""Vectors out of a family, such as a class: ``u, v \in U_{i,j} \setminus \{w\}``."""

    vectors: tuple[Vector, ...]
    family: str
    without: tuple[Vector, ...] = ()


class Tends(FrozenValue):
    r"""A symbol that tends somewhere: "as ``\tau \to 0``"."""

    symbol: Expr
    point: Expr
    side: str = ""


class Clause(FrozenValue):
    """One condition beside a formula, with its text for messages and its place."""

    says: Chain | Kinds | Indices | Among | Tends
    text: str
    at: int = 0


class Statement(FrozenValue):
    """Sides joined by relations, as they stand: ``a = b <= c`` has three sides.

    A display of several rows is one statement: a row that starts with a relation goes on
    with the last side of the row before (``a &= b \\\\ &= c``). Rows that do not are further
    statements, in ``rest``.

    Attributes
    ----------
    clauses
        The conditions that stand beside it, every one of them; the comparison holds them
        against the domain. Of a display with several statements each has those of its own row,
        and those that end the display.
    joined
        Whether it is one of two statements that hold together or not at all.
    needs, bounds_need
        What its formulas needed for a value as they were written, before anything cancelled;
        and what the bounds of cases did.
    """

    sides: tuple[Side, ...]
    relations: tuple[Relation, ...] = ()
    rest: tuple[Statement, ...] = ()
    clauses: tuple[Clause, ...] = ()
    joined: bool = False
    needs: tuple[Condition, ...] = field(default=(), compare=False, repr=False)
    bounds_need: tuple[Condition, ...] = field(default=(), compare=False, repr=False)
