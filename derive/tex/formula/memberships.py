r"""Conditions of the form ``x \in set``: sorts of numbers, intervals, ranges of indices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sympy import Expr, Integer

from ...language.spelling import Unit
from ...language.statement import Among, Bounds, Chain, Indices, Kinds, Relation, TexError
from ...language.tokens import show
from ...language.vocabulary import DOTS
from .grammar import Grammar
from .names import Piece
from .pieces import enclosed, split
from .sides import vector

_NUMBERS = {"\\mathbb{N}": "natural", "\\mathbb{Z}": "integer", "\\mathbb{R}": "real"}
#: Sub- and superscripts of sets of numbers, by the sort that they make of a set.
_SIGNED = {
    "+": "positive", ">0": "positive", "++": "positive", "\\ge0": "nonnegative",
    "<0": "negative", "-": "negative",
}  # fmt: skip
#: What a set with a script says of its members.
_KINDS: dict[tuple[str, str], tuple[str, ...]] = {
    **{(kind, ""): (kind,) for kind in _NUMBERS.values()},
    **{("real", script): (f"{sign} real",) for script, sign in _SIGNED.items()},
    **{
        (kind, script): ("positive integer",) if sign == "positive" else ("integer", sign)
        for kind in ("natural", "integer")
        for script, sign in _SIGNED.items()
    },
    ("natural", "*"): ("positive integer",),
    ("natural", "0"): ("integer", "nonnegative"),
}
_FROM = re.compile(r"(>|\\ge)([0-9]{1,6})")
_FAMILY = re.compile(r"[A-Z]|\\mathcal\{[A-Z]\}|\\[A-Z][a-z]+")


class Memberships:
    """Reads what it says that names are in a set."""

    def __init__(self, grammar: Grammar):
        self.grammar = grammar

    def says(
        self, names: Sequence[Piece], relation: Unit, right: Sequence[Piece]
    ) -> Iterator[Chain | Kinds | Indices | Among]:
        """What follows for the names.

        Raises
        ------
        TexError
            If the set is not known.
        """
        right, without = _difference(right)
        head = right[0][0] if right else relation
        known = [n for n in names if n[1] is not None]
        if head.text in _NUMBERS and len(right) == 1 and right[0][1] is None:
            yield from self._numbers(names, head, without)
        elif known and len(known) < len(names):
            raise TexError("symbols and indices in one set", relation.at)
        elif not enclosed(right):
            yield self._among(names, right, without, relation)
        elif head.text == "[" and not any(u.kind == "comma" for u, _ in right):
            yield from self._run(names, self.size(right[1:-1]), without, relation)
        elif head.text == "\\{":
            yield from self._listed(names, right[1:-1], without, relation)
        elif without:
            raise TexError("an interval without points is not read", relation.at)
        else:
            symbols = self.symbols(names)
            bounds = self.grammar.condition([names[0], (relation, None), *right]).sides[-1]
            assert isinstance(bounds, Bounds)
            yield from (Chain((symbol, bounds), ("in",)) for symbol in symbols)

    def excluded(self, names: Sequence[Piece], right: Sequence[Piece]) -> Iterator[Chain]:
        r"""What ``N \notin \{2, 3\}`` says: it is none of these."""
        if not enclosed(right) or right[0][0].text != "\\{":
            raise TexError("\\notin is accepted only before a list in braces", right[0][0].at)
        for part in split(right[1:-1], lambda piece: piece[0].kind == "comma"):
            for symbol in self.symbols(names):
                yield Chain((symbol, self.grammar.expression(part)), ("!=",))

    def unknown(self, name: Piece) -> TexError:
        """The error for a name that is neither known nor an index."""
        return TexError(f"the name {show(name[0].full)} in a condition is not known", name[0].at)

    @staticmethod
    def is_vector(piece: Piece) -> bool:
        """Whether a piece may be a vector: an unknown small letter with its indices."""
        return piece[1] is None and vector(piece[0]) is not None

    def size(self, pieces: Sequence[Piece]) -> Expr | None:
        """How far indices run; None for a name that is not known."""
        if len(pieces) == 1 and pieces[0][1] is None and pieces[0][0].kind == "name":
            return None
        return self.grammar.expression(pieces)

    # -- numbers --------------------------------------------------------------------------

    def _numbers(
        self, names: Sequence[Piece], head: Unit, without: Sequence[Piece]
    ) -> Iterator[Chain | Kinds]:
        symbols, kind = self.symbols(names), _NUMBERS[head.text]
        script = (head.sub + head.sup).replace("{", "").replace("}", "").replace(" ", "")
        script = "+" if script == "+*" else script
        kinds = _KINDS.get((kind, script))
        at_least = None if kinds else _FROM.fullmatch(script)
        if without:
            raise TexError("a set of numbers without others is not read", head.at)
        if at_least is not None:
            kinds = ("real" if kind == "real" else "integer",)
        if kinds is None or head.primes or (head.sub and head.sup and script != "+"):
            raise TexError(f"the set {show(head.full)} is not known", head.at)
        yield from (Kinds(symbols, one) for one in kinds)
        if at_least is not None:
            sign: Relation = ">" if at_least[1] == ">" else ">="
            yield from (Chain((s, Integer(at_least[2])), (sign,)) for s in symbols)

    def symbols(self, names: Sequence[Piece]) -> tuple[Expr, ...]:
        """What names stand for.

        Raises
        ------
        TexError
            If one of them is not known.
        """
        for name in names:
            if name[1] is None or name[0].power is not None:
                raise self.unknown(name)
        return tuple(meaning for _, meaning in names if meaning is not None)

    # -- ranges of indices ------------------------------------------------------------------

    def _run(
        self,
        names: Sequence[Piece],
        size: Expr | None,
        without: Sequence[Piece],
        relation: Unit,
    ) -> Iterator[Chain | Kinds | Indices]:
        """From 1 to a size."""
        if names[0][1] is not None:
            raise TexError("a set that is not known", relation.at)
        letters = tuple(self._letter(n) for n in names)
        yield Indices(letters, "any", size)
        if without:
            if len(without) != 1 or (without[0][0].kind != "number" and without[0][1] is not None):
                raise TexError(
                    "write a set without one of its members as \\setminus \\{i\\}", relation.at
                )
            for letter in letters:
                yield Indices((letter, without[0][0].full), "!=")

    def _letter(self, name: Piece) -> str:
        unit, meaning = name
        if meaning is not None or unit.kind != "name" or unit.sub or unit.sup:
            raise self.unknown(name)
        return unit.full

    def _listed(
        self,
        names: Sequence[Piece],
        inside: Sequence[Piece],
        without: Sequence[Piece],
        relation: Unit,
    ) -> Iterator[Chain | Kinds | Indices]:
        r"""Read ``\{1, \dots, N\}`` and ``\{2, 3, \dots\}``."""
        parts = split(inside, lambda piece: piece[0].kind == "comma")
        dots = [k for k, p in enumerate(parts) if [u.text for u, _ in p] in [[d] for d in DOTS]]
        first = [u.full for p in parts[: dots[0]] for u, _ in p] if dots else []
        counts = all(f.isdigit() for f in first) and bool(first)
        if not counts or [int(f) - int(first[0]) for f in first] != [*range(len(first))]:
            raise TexError("write a set as \\{1, \\dots, N\\}", relation.at)
        rest = parts[dots[0] + 1 :]
        if not rest or not any(rest):
            if names[0][1] is None or without:
                raise TexError("a set that is not known", relation.at)
            yield Kinds(self.symbols(names), "integer")
            for s in self.symbols(names):
                yield Chain((s, Integer(first[0])), (">=",))
        elif len(rest) == 1 and first[0] == "1":
            yield from self._run(names, self.size(rest[0]), without, relation)
        else:
            raise TexError("write a set as \\{1, \\dots, N\\}", relation.at)

    # -- families of vectors ------------------------------------------------------------------

    def _among(
        self,
        names: Sequence[Piece],
        right: Sequence[Piece],
        without: Sequence[Piece],
        relation: Unit,
    ) -> Among:
        at = right[0][0].at if right else relation.at
        found = [vector(u) if meaning is None else None for u, meaning in names]
        vectors = tuple(v for v in found if v is not None)
        family = len(right) == 1 and right[0][1] is None and _FAMILY.fullmatch(right[0][0].text)
        if not family or len(vectors) < len(names):
            text = right[0][0].full if right else ""
            raise TexError(f"the set {show(text)} is not known", at)
        gone = [vector(u) if meaning is None else None for u, meaning in without]
        if None in gone:
            raise TexError(
                "write a set without one of its members as \\setminus \\{u\\}", relation.at
            )
        return Among(vectors, right[0][0].full, tuple(v for v in gone if v is not None))


def _difference(right: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    r"""A set, and the elements that ``\setminus \{..\}`` takes from it."""
    parts = split(right, lambda piece: piece[0].text in ("\\setminus", "\\backslash"))
    if len(parts) == 1:
        return list(right), []
    gone = parts[1]
    if len(parts) > 2 or not enclosed(gone) or gone[0][0].text != "\\{" or len(gone) != 3:
        raise TexError(
            "write a set without one of its members as \\setminus \\{i\\}", right[0][0].at
        )
    return parts[0], gone[1:-1]
