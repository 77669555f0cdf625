r"""Statements as displayed formulas that fit a page, and that say what was decided.

A side that is too wide, or that repeats long parts, has letters for parts of it, and says below
what they are. What is shown is put together again from the letters before it is let out, and is
compared with what the layout proved equal to the statement. A condition that is compared with zero
may lack a factor that is proved to be positive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sympy import Basic, Eq, Piecewise, S, Symbol

from ...decide.domain import Domain
from ...errors import InternalError
from ...proof.relations import Iff
from .layout import layout
from .lines import points, rows
from .signs import by_sign
from .statement import SIGNS, Limited, Line, lines
from .tex import Names, spoken, tex
from .tree import Call, Name, Node, Product, Sum

#: Room in a line beside the number of a formula, in points; and what is written before a sign.
ROOM = 345.0
SIGN = 22.0
NUMBER = 24.0
#: What the letters for a part that is repeated save at least, and what such a part costs.
SAVED, REPEATED = 90, 30
#: Names for parts: the first for sums of exponentials.
SUMS, LETTERS = ("Z", "Z_1", "Z_2"), ("A", "B", "C", "Q", "S", "T", "W", "X", "Y")


@dataclass(frozen=True)
class Shown:
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
    found = list(lines(statement, domain))
    one_row = isinstance(statement, Iff) and len(found) == 2
    pool = _Pool([_node(side) for line in found for side in line.sides], name, keep)
    pool.shorten(room - SIGN - 10)
    nodes = iter(pool.nodes)
    laid: list[str] = []
    for line in found:
        sides = tuple(_with(side, next(nodes)) for side in line.sides)
        laid += _rows(replace(line, sides=sides), name, room)
    if (chained := _chain(found, pool.nodes, name, room)) is not None:
        laid = [chained]
    if one_row and len(laid) == 2 and sum(points(n, name) for n in pool.nodes) + 3 * SIGN < room:
        laid = [f"& {' '.join(laid).replace('&', '').strip()}"]
    where = _where(pool, name, room)
    return Shown(tuple(laid), where, changed, tuple(pool.nodes), tuple(pool.letters))


def expression(
    e: Basic, domain: Domain | None, name: Names, before: str, room: float = ROOM, sign: str = "="
) -> Shown:
    """``before = e`` as rows that fit."""
    width = 6.0 * len(re.sub(r"\\[A-Za-z]+|[{}^_ ]", "x", before).replace("xx", "x"))
    if isinstance(e, Piecewise):
        return _cases(e, domain, name, before)
    pool = _Pool([layout(e, domain)], name, None)
    pool.shorten(room - SIGN - width - 10)
    (node,) = pool.nodes
    first, *more = rows(node, name, room - SIGN - width)
    found = (f"{before} &{sign} {first}", *(rf"&\quad {{}} {row}" for row in more))
    where = _where(pool, name, room)
    return Shown(found, where, False, (node,), tuple(pool.letters))


def of_node(node: Node, name: Names, room: float = ROOM) -> Shown:
    """A formula that is laid out, as rows that fit."""
    pool = _Pool([node], name, None)
    pool.shorten(room - 10)
    first, *more = rows(pool.nodes[0], name, room)
    return Shown(
        (f"& {first}", *(rf"&\quad {{}} {r}" for r in more)),
        _where(pool, name, room),
        False,
        tuple(pool.nodes),
        tuple(pool.letters),
    )


def _where(pool: _Pool, name: Names, room: float) -> tuple[tuple[str, ...], ...]:
    """What the letters are, as rows."""
    return tuple(
        tuple(_rows(Line((Name(letter), node), SIGNS[Eq]), name, room))
        for letter, node in pool.letters
    )


def _cases(e: Piecewise, domain: Domain | None, name: Names, before: str) -> Shown:
    """A case distinction, its conditions up to positive factors."""
    parts: list[str] = []
    where: list[tuple[str, ...]] = []
    for value, condition in e.args:
        is_word = value.is_Symbol and len(value.name) > 2
        said = spoken(value.name) if is_word else tex(layout(value, domain), name)
        if condition is S.true:
            parts.append(rf"{said} & \text{{otherwise}}")
            continue
        inside = shown(condition, domain, name, always=True, room=ROOM - 110)
        rows_of = [row.replace("&", "") for row in inside.rows]
        parts.append(rf"{said} & \text{{if }} " + r" \\ & \quad ".join(rows_of))
        where += inside.where
    body = r" \\ ".join(parts)
    return Shown((rf"{before} &= \begin{{cases}} {body} \end{{cases}}",), tuple(where))


def _node(side: Node | Limited) -> Node:
    return side.of if isinstance(side, Limited) else side


def _with(side: Node | Limited, node: Node) -> Node | Limited:
    return replace(side, of=node) if isinstance(side, Limited) else node


def _rows(line: Line, name: Names, room: float) -> list[str]:
    word = f"{line.word[1]}\\quad " if line.word else ""
    sides = [s.tex(name) if isinstance(s, Limited) else tex(s, name) for s in line.sides]
    if line.sign is None or len(line.sides) != 2:
        beside = sum(points(_node(s), name) + 24 for s in line.sides[1:])
        first, *more = rows(_node(line.sides[0]), name, room - beside)
        found = [f"{word}& {first}", *(rf"&\quad {{}} {row}" for row in more)]
        found[-1] = r" \qquad ".join([found[-1], *sides[1:]])
        return found
    left, right = line.sides
    taken = points(_node(left), name) + (36.0 if isinstance(left, Limited) else 0.0)
    sign = line.sign[1]
    before = 26.0 if word else 0.0
    if isinstance(right, Limited):
        return [f"{word}{sides[0]} &{sign} {sides[1]}"]
    if isinstance(left, Node) and taken > (room - before) / 2:  # the long side goes first
        end = SIGN + points(right, name)
        first, *more = rows(left, name, room - before - end if points(right, name) < 60 else room)
        tail = f" {sign} {sides[1]}"
        if more and points(right, name) < 60:
            more[-1] += tail
            return [f"{word}& {first}", *(rf"&\quad {{}} {r}" for r in more)]
        if more:
            return [f"{word}& {first}", *(rf"&\quad {{}} {r}" for r in more), rf"&\quad {tail}"]
        if taken + points(right, name) + SIGN <= room - before:
            return [f"{word}& {first}{tail}"]
        first_right, *more_right = rows(right, name, room - 30)
        return [
            f"{word}& {first}",
            rf"&\quad {sign} {first_right}",
            *(rf"&\qquad {{}} {r}" for r in more_right),
        ]
    first, *more = rows(right, name, room - taken - SIGN - before)
    return [f"{word}{sides[0]} &{sign} {first}", *(rf"&\quad {{}} {row}" for row in more)]


def _chain(found: Sequence[Line], nodes: Sequence[Node], name: Names, room: float) -> str | None:
    """``a < b < c`` for ``a < b`` and ``b < c``, if that fits."""
    if len(found) != 2 or any(line.sign is None or line.word for line in found) or len(nodes) != 4:
        return None
    signs = [line.sign[1] for line in found if line.sign is not None]
    if nodes[1].key != nodes[2].key or not set(signs) <= {"<", r"\le"}:
        return None
    first, middle, _, last = nodes
    if sum(points(n, name) for n in (first, middle, last)) + 2 * SIGN > room:
        return None
    shown_as = [tex(n, name) for n in (first, middle, last)]
    return f"& {shown_as[0]} {signs[0]} {shown_as[1]} {signs[1]} {shown_as[2]}"


# --- letters for parts -------------------------------------------------------------------------
class _Pool:
    """The sides of a statement, in which parts get letters until each of them fits."""

    def __init__(self, nodes: Sequence[Node], name: Names, keep: dict[str, Symbol] | None):
        self.nodes, self.name = list(nodes), name
        self.letters: list[tuple[Symbol, Node]] = []
        self.keep = {} if keep is None else keep
        self._before = list(nodes)
        self._known: dict[Symbol, Node] = {}
        taken = {s.name for node in nodes for s in node.symbols}
        taken |= {s.name for s in self.keep.values()}
        self._sums = [s for s in SUMS if s not in taken]
        self._free = [s for s in LETTERS if s not in taken]

    def shorten(self, room: float) -> None:
        """Give letters to what is known by one, what is repeated, and what is too wide."""
        for node in self.nodes:
            for part in parts(node):
                if part.key in self.keep:
                    self._put(part, self.keep[part.key])
        while self._free and (repeated := self._repeated()) is not None:
            self._name(repeated)
        while self._free and (wide := self._too_wide(room)) is not None:
            self._name(wide)
        self._check()

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

    def _repeated(self) -> Node | None:
        seen: dict[str, tuple[Node, int]] = {}
        for node in self._all():
            for part in parts(node):
                if isinstance(part, (Sum, Call)) and part.cost >= REPEATED:
                    seen[part.key] = part, seen.get(part.key, (part, 0))[1] + 1
        saving, key = max(
            (((count - 1) * part.cost, key) for key, (part, count) in seen.items()),
            default=(0, ""),
        )
        return seen[key][0] if saving >= SAVED else None

    def _too_wide(self, room: float) -> Node | None:
        """The part of the widest side that does not fit whose letter saves most."""
        for node in self._all():
            wide = [t for t in terms(node) if points(t, self.name) > room]
            if not wide:
                continue
            found = [
                (points(part, self.name), part)
                for part in parts(wide[0])
                if isinstance(part, (Sum, Product, Call)) and part.cost >= 20
            ]
            fitting = [
                (width, part)
                for width, part in found
                if all(points(t, self.name) <= room for t in terms(part)) and width > 60
            ]
            if fitting:
                return max(fitting, key=lambda at: at[0])[1]
        return None

    def _check(self) -> None:
        """What is shown, with the letters put back, is what was laid out."""
        for node, before in zip(self.nodes, self._before, strict=True):
            if put_back(node, self._known).key != before.key:
                raise InternalError(f"{before.key} is not what is shown")


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
