r"""Statements as displayed formulas that fit a page, and that say what was decided.

A side that is too wide, or that repeats long parts, has letters for parts of it, and says below
what they are. What is shown is put together again from the letters before it is let out, and is
compared with what the layout proved equal to the statement. A condition that is compared with zero
may lack a factor that is proved to be positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf

from sympy import Basic, Eq, Piecewise, Symbol

from ...decide.domain import Domain
from ...errors import InternalError
from ...frozen import FrozenValue
from ...proof.relations import Iff
from .layout import throughout
from .lines import points, rows, stacked
from .signs import by_sign, cases_by_sign
from .statement import SIGNS, Line, lines
from .tex import Names, tex
from .tree import Call, Limited, Name, Node, Other, Product, Sum, named
from .width import width

#: Room in a line beside the number of a formula, in points; and what is written before a sign.
ROOM = 345.0
#: The same in one of two columns.
COLUMN = 200.0
SIGN = 22.0
NUMBER = 24.0
#: What a part that is repeated costs at least that gets a letter, and what letters save at least,
#: in a display and in a line of text, which is longer.
REPEATED, SAVED, SAVED_IN_TEXT = 20, 90, 30
#: What a part costs at least that gets a letter because nothing larger fits.
SMALL = 7
#: Names for parts: the first for sums of exponentials.
SUMS, LETTERS = (
    ("Z", "Z_1", "Z_2"),
    (*"ABCQSTWXY", *(f"{letter}_{k}" for k in "123456789" for letter in "ABC")),
)


class Shown(FrozenValue):
    """A formula as it is displayed.

    Attributes
    ----------
    rows
        LaTeX with an alignment mark before each sign.
    where
        What letters in it stand for, as LaTeX rows of their own.
    signs
        Whether a positive factor was left out of what is compared with zero.
    nodes
        The sides as they are written, letters and all; and what the letters are.
    """

    rows: tuple[str, ...]
    where: tuple[tuple[str, ...], ...] = ()
    signs: bool = False
    nodes: tuple[Node, ...] = ()
    letters: tuple[tuple[Symbol, Node], ...] = ()


def room_of(columns: int) -> float:
    """The width of a column of an article, in points."""
    return ROOM if columns == 1 else COLUMN


# --- a statement -----------------------------------------------------------------------------
def shown(
    statement: Basic,
    domain: Domain | None,
    name: Names,
    *,
    always: bool = False,
    room: float = ROOM - NUMBER,
    keep: dict[str, Symbol] | None = None,
) -> Shown:
    """A statement as rows that fit.

    Parameters
    ----------
    always
        Whether positive factors are left out of all that is compared with zero.
    keep
        Parts that have letters already, by their text; those of sums of exponentials are added.
    """
    changed = False
    if domain is not None:
        statement, changed = by_sign(statement, domain, always=always)
    found = _displayed(list(lines(statement, domain)), name, room, keep)
    if isinstance(statement, Iff) and len(found.rows) == 2:
        if sum(points(n, name) for n in found.nodes) + 3 * SIGN < room:
            found = replace(found, rows=(f"& {' '.join(found.rows).replace('&', '').strip()}",))
    return replace(found, signs=changed)


def expression(
    e: Basic, domain: Domain | None, name: Names, before: str, room: float = ROOM, sign: str = "="
) -> Shown:
    """``before = e`` as rows that fit, or with another sign."""
    left = Symbol(before)
    line = Line((Name(left), throughout(cases_by_sign(e, domain), domain)), (sign, sign))
    return _displayed([line], lambda s: before if s == left else name(s), room)


def of_node(node: Node, name: Names, room: float = ROOM) -> Shown:
    """A formula that is laid out, as rows that fit."""
    return _displayed([Line((node,))], name, room)


def _displayed(
    found: Sequence[Line], name: Names, room: float, keep: dict[str, Symbol] | None = None
) -> Shown:
    most = room / (4 if room < COLUMN else 2 if len(found) == 1 else 3)
    aligned = [_is_aligned(line, name, most) for line in found]
    left = max(map(partial(_before_sign, name=name), found, aligned), default=0.0)
    pool = Letters([side for line in found for side in line.sides], keep)
    pool.shorten(name, room - SIGN - max(left, 10), room - SIGN - 10)
    nodes = iter(pool.nodes)
    laid: list[str] = []
    for line, is_aligned in zip(found, aligned, strict=True):
        sides = tuple(next(nodes) for _ in line.sides)
        laid += _rows(replace(line, sides=sides), name, room - left, is_aligned=is_aligned)
    where = []
    for letter, node in pool.letters:
        line, room_there = Line((Name(letter), node), SIGNS[Eq]), room - width(name(letter))
        where.append(tuple(_rows(line, name, room_there, is_aligned=True)))
    return Shown(tuple(laid), tuple(where), False, tuple(pool.nodes), tuple(pool.letters))


def _is_aligned(line: Line, name: Names, most: float) -> bool:
    """Whether lines are aligned at the sign: what stands before it is a limit, or short."""
    if line.sign is None or len(line.sides) != 2:
        return False
    is_limit = any(isinstance(side, Limited) for side in line.sides)
    return is_limit or points(line.sides[0], name) <= most


def _before_sign(line: Line, is_aligned: bool, name: Names) -> float:
    """How wide is what stands before the alignment mark."""
    word = width(line.word[1]) + 10.0 if line.word else 0.0
    return word + (points(line.sides[0], name) if is_aligned else 0.0)


def _rows(line: Line, name: Names, room: float, *, is_aligned: bool) -> list[str]:
    """A line in rows, of which what comes after the alignment mark has this room."""
    word = f"{line.word[1]}\\quad " if line.word else ""
    sides = [tex(s, name) for s in line.sides]
    if line.sign is None or len(line.sides) != 2:
        beside = sum(points(s, name) + 24 for s in line.sides[1:])
        first, *more = rows(line.sides[0], name, room - beside)
        found = [f"{word}& {first}", *(rf"&\quad {{}} {row}" for row in more)]
        found[-1] = r" \qquad ".join([found[-1], *sides[1:]])
        return found
    left, right = line.sides
    sign = line.sign[1]
    if is_aligned and sides[0].endswith((r" \le", r" \ge")):  # the symbol of a bound says so
        sides[0], sign = sides[0].rsplit(" ", 1)
    if is_aligned:
        first, *more = rows(right, name, room - SIGN)
        return [f"{word}{sides[0]} &{sign} {first}", *(rf"&\quad {{}} {row}" for row in more)]
    # The long side goes first.
    end = SIGN + points(right, name)
    is_short = end < 60 + SIGN
    first, *more = rows(left, name, room - end if is_short else room)
    found = [f"{word}& {first}", *(rf"&\quad {{}} {row}" for row in more)]
    if (is_short or not more) and width(found[-1]) + end <= room:
        found[-1] += f" {sign} {sides[1]}"
        return found
    first, *more = rows(right, name, room - 30)
    return [*found, rf"&\quad {sign} {first}", *(rf"&\qquad {{}} {row}" for row in more)]


# --- letters for parts -------------------------------------------------------------------------
class Letters:
    """Formulas, of which parts get letters: what is repeated, and what does not fit.

    Parameters
    ----------
    keep
        Parts that have letters already, by their text; those of sums of exponentials are added.
    """

    def __init__(self, nodes: Sequence[Node], keep: dict[str, Symbol] | None = None):
        self.nodes = list(nodes)
        self.letters: list[tuple[Symbol, Node]] = []
        self.keep = {} if keep is None else keep
        self._before = list(nodes)
        self._known: dict[Symbol, Node] = {}
        taken = {s.name for node in nodes for s in node.symbols}
        taken |= {s.name for s in self.keep.values()}
        self._sums = [s for s in SUMS if s not in taken]
        self._free = [s for s in LETTERS if s not in taken]

    def shorten(self, name: Names = named, room: float = inf, own: float = inf) -> Letters:
        """Give letters to what is known by one, what is repeated, and what is too wide.

        ``own`` is the room that the line of a letter has, which no long left side takes from it.
        """
        written = {name(s) for node in self.nodes for s in node.symbols}  # another name, perhaps
        self._free = [letter for letter in self._free if letter not in written]
        for node in self.nodes:
            for part in parts(node):
                if part.key in self.keep:
                    self._put(part, self.keep[part.key])
        while self._free and (repeated := self._repeated(room)) is not None:
            self._name(repeated)
        while self._free and (wide := self._too_wide(name, room, own)) is not None:
            self._name(wide)
        # What is shown, with the letters put back, is what was laid out.
        for node, before in zip(self.nodes, self._before, strict=True):
            if put_back(node, self._known).key != before.key:
                raise InternalError(f"{before.key} is not what is shown")
        return self

    def _put(self, part: Node, letter: Symbol) -> None:
        self._known[letter] = part
        called = Name(letter)
        self.nodes = [renamed(node, part.key, called) for node in self.nodes]
        self.letters = [(s, renamed(n, part.key, called)) for s, n in self.letters]

    def _name(self, part: Node) -> None:
        is_sum = isinstance(part, Sum) and all(is_exponential(t) for _, t in part.terms)
        free = self._sums if is_sum and self._sums else self._free
        letter = Symbol(free.pop(0), positive=True)
        if is_sum and letter.name in SUMS:
            self.keep[part.key] = letter
        self._put(part, letter)
        self.letters.append((letter, part))

    def _all(self) -> Iterator[Node]:
        yield from self.nodes
        yield from (node for _, node in self.letters)

    def _repeated(self, room: float) -> Node | None:
        seen: dict[str, tuple[Node, int]] = {}
        for node in self._all():
            for part in parts(node):
                if isinstance(part, (Sum, Call)) and part.cost >= REPEATED:
                    seen[part.key] = part, seen.get(part.key, (part, 0))[1] + 1
        saving, key = max(
            (((count - 1) * part.cost, key) for key, (part, count) in seen.items()),
            default=(0, ""),
        )
        least = SAVED if room < inf else SAVED_IN_TEXT
        return seen[key][0] if saving >= least else None

    def _too_wide(self, name: Names, room: float, own: float) -> Node | None:
        """The widest part that fits of a term that does not; a small one where no other does.

        Where none fits, the narrowest. A case distinction in a formula is not set there.
        """
        beyond: list[Node] = []
        sides = [(node, room) for node in self.nodes] + [(node, own) for _, node in self.letters]
        for node, most in sides if room < inf else ():
            for part in parts(node):
                if isinstance(part, Other) and isinstance(part.value, Piecewise):
                    return part
            for wide in (t for t in terms(node) if width(stacked(tex(t, name), most)) > most):
                large = [p for p in parts(wide) if isinstance(p, (Sum, Product, Call, Other))]
                large = [p for p in large if p.cost >= SMALL and points(p, name) > 40]
                fitting = [p for p in large if all(points(t, name) <= own for t in terms(p))]
                usual = [p for p in fitting if p.cost >= 20 and points(p, name) > 60]
                usual = [p for p in usual if not isinstance(p, Other)]
                if fitting:
                    return max(usual or fitting, key=lambda part: points(part, name))
                beyond += large
        return min(beyond, key=lambda part: points(part, name), default=None)


def put_back(node: Node, known: dict[Symbol, Node]) -> Node:
    """A node with letters replaced by what they stand for."""
    for _ in known:
        for letter, part in known.items():
            node = renamed(node, letter.name, part)
    return node


def terms(node: Node) -> Sequence[Node]:
    """What rows may be broken between."""
    return [t for _, t in node.terms] if isinstance(node, Sum) else [node]


def parts(node: Node) -> Iterator[Node]:
    """All that a node is made of, without itself."""
    for child in node.children:
        yield child
        yield from parts(child)
    if isinstance(node, Product):  # what stands below a line, if it is several factors
        for side in (node.above, node.below):
            if len(side) > 1 and node.below:
                yield Product(side)


def renamed(node: Node, key: str, name: Node) -> Node:
    """A node with a letter for a part."""
    change: Callable[[Node], Node] = lambda child: renamed(child, key, name)  # noqa: E731
    if node.key == key:
        return name
    if isinstance(node, Product):
        sides = [
            (name,)
            if node.below and len(side) > 1 and Product(side).key == key
            else flat(map(change, side))
            for side in (node.above, node.below)
        ]
        return Product(sides[0], sides[1])
    return node.rebuilt(change)


def flat(factors: Iterable[Node]) -> tuple[Node, ...]:
    """Factors, those of a product among them."""
    found: list[Node] = []
    for f in factors:
        found += f.above if isinstance(f, Product) and not f.below else (f,)
    return tuple(found)


def is_exponential(node: Node) -> bool:
    """Whether a term is an exponential, perhaps times a number."""
    if isinstance(node, Product):
        return not node.below and any(map(is_exponential, node.above))
    return isinstance(node, Call) and node.function == "exp"
