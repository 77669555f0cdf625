"""Statements laid out: relations, what holds iff something else does, limits, lists of these."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import And, Basic, Contains, Eq, Ge, Gt, Le, Limit, Lt, Ne, Tuple

from ...decide.domain import Domain
from ...frozen import FrozenValue
from ...proof.relations import Iff
from .layout import throughout
from .signs import by_sign
from .tree import Limited, Node, named

#: Signs as text and as LaTeX.
SIGNS: dict[type, tuple[str, str]] = {
    **{Eq: ("=", "="), Ne: ("!=", r"\ne"), Lt: ("<", "<"), Gt: (">", ">")},
    **{Le: ("<=", r"\le"), Ge: (">=", r"\ge"), Contains: ("in", r"\in")},
}
IFF, AND = ("iff", r"\iff"), ("and", r"\text{and}")


class Line(FrozenValue):
    """Two sides with a sign between them, or things side by side; before them perhaps a word."""

    sides: tuple[Node, ...]
    sign: tuple[str, str] | None = None
    word: tuple[str, str] | None = None


def lines(statement: Basic, domain: Domain | None) -> Iterator[Line]:
    """A statement line by line."""
    if isinstance(statement, Iff):
        first, second = statement.args
        yield from lines(first, domain)
        for k, line in enumerate(lines(second, domain)):
            yield Line(line.sides, line.sign, IFF if k == 0 else AND)
    elif isinstance(statement, (Tuple, And)):
        if isinstance(statement, Tuple) and not any(map(_is_statement, statement.args)):
            yield Line(tuple(_side(a, domain) for a in statement.args))
            return
        for part in statement.args:
            yield from lines(part, domain)
    elif type(statement) in SIGNS:
        sides = tuple(_side(a, domain) for a in statement.args)
        yield Line(sides, SIGNS[type(statement)])
    else:
        yield Line((_side(statement, domain),))


def _is_statement(part: Basic) -> bool:
    return isinstance(part, (Tuple, Iff, And)) or type(part) in SIGNS


def _side(side: Basic, domain: Domain | None) -> Node:
    if isinstance(side, Limit):
        of, symbol, to, _ = side.args
        return Limited(throughout(of, domain), symbol, to)
    return throughout(side, domain)


# --- what need not be said ---------------------------------------------------------------------
def is_evident(relation: Basic, domain: Domain | None) -> bool:
    """Whether a relation says nothing: of numbers, of one and the same, or of a positive symbol."""
    if type(relation) not in (Eq, Gt, Ge, Lt, Le):
        return False
    left, right = relation.args
    if left == right or not relation.free_symbols:
        return True
    known = domain.ranges if domain is not None else {}
    if right == 0 and type(relation) in (Gt, Ge) and left in known:
        r = known[left]
        return bool(r.low.is_number and (r.low > 0 or (r.low == 0 and r.low_open)))
    return False


def without_evident(statement: Basic, domain: Domain | None) -> Basic | None:
    """A list of relations without those that say nothing; None if nothing is left."""
    if isinstance(statement, Tuple):
        left = [p for part in statement.args if (p := without_evident(part, domain)) is not None]
        return Tuple(*left) if left else None
    if isinstance(statement, Iff) and is_evident(statement.args[1], domain):
        first, second = statement.args
        return first if second.doit() == True else statement  # noqa: E712
    return None if is_evident(statement, domain) else statement


# --- text ------------------------------------------------------------------------------------
def text_lines(statement: Basic, domain: Domain | None) -> list[str]:
    """A statement in plain text, line by line, without what says nothing."""
    found = []
    told = without_evident(statement, domain)
    if told is not None and domain is not None:
        told = by_sign(told, domain)[0]
    for line in lines(told, domain) if told is not None else ():
        sides = [s.text(named) for s in line.sides]
        joined = (f" {line.sign[0]} " if line.sign else "  ").join(sides)
        found.append(f"{line.word[0]} {joined}" if line.word else joined)
    return found


# --- LaTeX -------------------------------------------------------------------------------------
def aligned(rows_of: list[str]) -> str:
    """One row as it is; several, aligned."""
    if not rows_of:
        return ""
    if len(rows_of) == 1:
        before, _, after = rows_of[0].partition("&")  # a case distinction has others inside
        return before + after.lstrip()
    return r"\begin{aligned}" + r" \\ ".join(rows_of) + r"\end{aligned}"
