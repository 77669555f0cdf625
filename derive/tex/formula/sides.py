r"""A side of a relation that is no formula: a name that is defined, an inner product, a limit.

``\alpha_{\min}(m, n, \tau)`` is the name with what it depends on. ``u_i^\top v_j`` is an inner
product of two vectors, with all their indices, since which two is what an equation says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sympy import Expr, Symbol, oo, pi

from ...language.items import Items, flat
from ...language.spelling import Unit, joined, spelling
from ...language.statement import Called, Inner, Limit, Side, Tends, TexError, Unread, Vector
from ...language.tokens import show
from ...language.vocabulary import OTHER_FUNCTIONS
from .names import Piece
from .pieces import at_top, depths, enclosed, sides, split, stripped, words

Parse = Callable[[Sequence[Piece]], Expr]

MAX_LIMITS = 4
CONSTANTS: Mapping[str, Expr] = {"\\pi": pi, "\\infty": oo}
_TRANSPOSED = re.compile(
    r"(?:\^\{)?(?P<index>.*?)(?P<mark>\\top|\\intercal|\\mathsf\{?T\}?|\\mathrm\{T\}|T)\}?\Z"
)
_PLAIN_NAME = re.compile(r"(\\(hat|tilde|bar|vec)\{\w\})|[a-z]")


class Sides:
    """Reads single sides of what stands in ``items``.

    ``pieces`` cuts those in a script, ``parse`` is the grammar of formulas, ``part`` that of
    their parts.
    """

    def __init__(
        self, items: Items, pieces: Callable[[Items], list[Piece]], parse: Parse, part: Parse
    ):
        self.items, self.pieces = items, pieces
        self.parse, self.part = parse, part

    def special(self, pieces: Sequence[Piece], defined: bool, equation: bool = True) -> Side | None:
        """What a side is if it is no formula; None if it is one.

        ``defined`` is whether it stands left of the first equality, where a name may be that
        is not known; ``equation`` whether there are only equalities.
        """
        if not pieces:
            return None
        if pieces[0][0].kind == "limit":
            return self._limit(pieces, defined)
        inner = self._inner(pieces, defined) if equation else None
        if inner is not None:
            return inner
        name = self._function(pieces)
        return self._unknown(pieces) if name is None and defined else name

    # -- limits -------------------------------------------------------------------------

    def _limit(self, pieces: Sequence[Piece], defined: bool) -> Limit:
        head = pieces[0][0]
        if head.index is None or head.sup or head.primes:
            raise TexError("a limit needs what tends below it: \\lim_{\\tau \\to 0}", head.at)
        told = self.tends(self.pieces(head.index), head.at)
        of = stripped(pieces[1:])
        if not of:
            raise TexError("a limit of nothing", head.at)
        if sum(u.kind == "limit" for u, _ in of) >= MAX_LIMITS:
            raise TexError(f"more than {MAX_LIMITS} limits in one another", head.at)
        loose = [k for k in at_top(of, "operator") if of[k][0].text in "+-"]
        if loose:
            raise TexError(
                "two readings: (lim a) + b, or lim (a + b)? write brackets", of[loose[0]][0].at
            )
        inside: Side | None = self.special(of, defined)
        return Limit(
            self.part(of) if inside is None else inside, told.symbol, told.point, told.side
        )

    def tends(self, pieces: Sequence[Piece], at: int) -> Tends:
        r"""Read ``\tau \to 0^+``.

        Raises
        ------
        TexError
            If it is not one known symbol that tends to one point.
        """
        (left, *rest), relations = sides(stripped(pieces))
        if len(rest) != 1 or relations[0].text != "->" or relations[0].parts:
            raise TexError("what tends is written as \\tau \\to 0", at)
        left, right, side = stripped(left), stripped(rest[0]), relations[0].sup
        if len(left) != 1 or not isinstance(left[0][1], Symbol) or left[0][0].power is not None:
            raise TexError("what tends must be one known symbol", left[0][0].at if left else at)
        if not right:
            raise TexError("an arrow without a point", at)
        last, meaning = right[-1]
        if last.sup in ("+", "-") and (last.kind == "number" or meaning is not None):
            if side:
                raise TexError("a side is given twice", last.at)
            side, plain = last.sup, Unit(last.kind, last.text, last.at)
            right = [*right[:-1], (plain, meaning)]
        return Tends(left[0][1], self.parse(right), side)

    # -- inner products -----------------------------------------------------------------

    def _inner(self, pieces: Sequence[Piece], defined: bool) -> Inner | None:
        units = [u for u, _ in pieces]
        if any(meaning is not None for _, meaning in pieces):
            return None
        if units[0].text == "\\langle" and units[-1].kind == "close":
            if units[-1].text != "\\rangle" or any(d == 0 for d in depths(pieces)[1:-1]):
                return None
            if units[-1].full != units[-1].text:
                raise TexError("a power of an inner product is not read", units[-1].at)
            parts = split(pieces[1:-1], lambda piece: piece[0].kind == "comma")
            inside = [[p for p in part if p[0].kind != "quad"] for part in parts]
            if [len(part) for part in inside] == [1, 1]:
                one, other = (vector(part[0][0]) for part in inside)
                if one is not None and other is not None:
                    return Inner(one, other)
            raise TexError("an inner product must have two vectors", units[0].at)
        if len(units) == 3 and units[1].text == "*" and not self._is_cross(units[1]):
            one, other = vector(units[0]), vector(units[2])
            # Without indices only where an unknown name may stand: it may as well be a misprint.
            if one and other and (defined or (one.indices and other.indices)):
                return Inner(one, other)
            return None
        first, rest = _vector_in_front(units)
        if first is None:
            return None
        second, rest = _vector_in_front(rest, transposed=False)
        if second is None or rest:
            raise TexError(
                "an inner product must have two vectors and no power, and stand alone on its side",
                units[0].at,
            )
        return Inner(first, second)

    def _is_cross(self, unit: Unit) -> bool:
        """Whether a product is written as that of vectors which is no inner one."""
        tokens = flat(self.items)
        return any(t.at == unit.at and t.text == "\\times" for t in tokens)

    # -- names --------------------------------------------------------------------------

    def _function(self, pieces: Sequence[Piece]) -> Called | None:
        r"""A known name with names in brackets: ``\alpha_{\min}(m, n, \tau)`` is the name.

        With one name in the brackets it may be a product, unless the name has a script.
        """
        head, meaning = pieces[0]
        if meaning is None or head.power is not None or not enclosed(pieces[1:]):
            return None
        if pieces[1][0].text != "(" or meaning.is_nonnegative:  # a parameter, and no quantity
            return None
        inside = list(pieces[2:-1])
        arguments, marks = inside[::2], inside[1::2]
        subscript = "_{" in head.text
        listed = len(inside) % 2 == 1 and all(
            u.kind in ("comma", "semicolon") for u, m in marks if m is None
        )
        starred = "^{" in head.text and isinstance(meaning, Symbol) and len(inside) == 1
        listed_marks = listed and any(m is None for _, m in marks)
        if not (subscript or starred or listed_marks):
            return None
        of = [m for u, m in arguments if isinstance(m, Symbol) and u.power is None]
        known = listed and len(of) == len(arguments) and len(set(of)) == len(of)
        if starred and not (subscript or known):
            return None
        if not known or any(m is not None for _, m in marks):
            raise TexError(
                "two readings: a function of the arguments in brackets, or a product? write "
                f"\\cdot, or only {head.text}",
                pieces[1][0].at,
            )
        return Called(meaning, tuple(of))

    def _unknown(self, pieces: Sequence[Piece]) -> Unread | None:
        """An unknown name, with its arguments if it has some; a norm counts as a name."""
        head, meaning = pieces[0]
        if _is_norm(pieces):
            return self._unread(pieces)
        constant = head.stem == "e" or head.stem in CONSTANTS
        if meaning is not None or head.kind not in ("name", "word") or constant:
            return None
        if len(pieces) > 1:
            if (words(pieces[0]) or head.stem.lstrip("\\")) in OTHER_FUNCTIONS:
                raise TexError(f"the function {show(head.full)} is not read", head.at)
            depth = depths(pieces)
            whole = pieces[1][0].text in ("(", "[") and pieces[-1][0].kind == "close"
            if not whole or any(d == 0 for d in depth[2:-1]):
                return None
        return self._unread(pieces)

    def _unread(self, pieces: Sequence[Piece]) -> Unread:
        return Unread(joined(self._spelled(u) for u, _ in pieces))

    def _spelled(self, unit: Unit) -> str:
        """Spell a unit with its arguments, as well as it goes."""
        if not unit.parts or unit.kind == "name":
            return unit.full
        try:
            return unit.text + "".join(f"{{{spelling(p)}}}" for p in unit.parts)
        except TexError:
            return unit.text + "{...}"


def _is_norm(pieces: Sequence[Piece]) -> bool:
    units = [u for u, _ in pieces]
    if units[0].text == "\\|" and units[-1].text == "\\|":
        return sum(u.kind == "bar" for u in units) == 2 < len(units)
    if units[0].text != "\\lVert" or units[-1].kind != "close":
        return False
    return len(units) > 2 and all(d > 0 for d in depths(pieces)[1:-1])


def _split_indices(text: str) -> tuple[str, ...]:
    """``i,j`` and ``ij`` are two indices; ``i^{+}`` is one."""
    if not text:
        return ()
    if "," in text and "{" not in text:
        return tuple(text.split(","))
    return tuple(text) if text.isalpha() else (text,)


def vector(unit: Unit, sup: str | None = None) -> Vector | None:
    """A letter with indices as a vector; ``sup`` is its superscript without a transposition."""
    if unit.kind != "name" or not _PLAIN_NAME.fullmatch(unit.text):
        return None
    above = unit.sup if sup is None else sup
    if above.isdigit() or above == "\\?":
        return None
    primes = ("\\prime" * unit.primes,) if unit.primes else ()
    return Vector(unit.text, (*_split_indices(unit.sub), *primes, *_split_indices(above)))


def _vector_in_front(
    units: Sequence[Unit], transposed: bool = True
) -> tuple[Vector | None, Sequence[Unit]]:
    """The vector that units begin with, and what is left: ``u_i^\\top`` or ``(u_i^k)^\\top``."""
    if not units:
        return None, units
    bracket = units[0].text == "(" and len(units) > 2 and units[2].text == ")"
    letter, last = (units[1], units[2]) if bracket else (units[0], units[0])
    rest = units[3:] if bracket else units[1:]
    if not transposed:
        fine = not bracket or last.full == last.text
        return (vector(letter) if fine else None), rest
    found = _TRANSPOSED.fullmatch(last.sup) if last.sup else None
    if found is None or (bracket and found["index"]):
        return None, units
    return vector(letter, None if bracket else found["index"]), rest
