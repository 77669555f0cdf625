"""Sums over indices at numbers: written out, each entry with a number of its own."""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from sympy import Expr, Indexed, IndexedBase, Pow, Rational, Sum, Symbol

Known = Mapping[Sum, Expr]


def has_entries(e: Expr) -> bool:
    return e.has(Indexed, Sum)


def with_entries(e: Expr, point: Mapping[Symbol, Expr], known: Known | None = None) -> Expr:
    """The expression at a point, without sums and entries.

    Entries have numbers between 0 and 1/10, and the last of those whose sum, or sum of squares, is
    known is what is left.
    """
    labels = {b.label for b in e.atoms(IndexedBase)}
    put = {s: v for s, v in point.items() if s not in labels}
    written_out = e.subs(put).doit()
    assert not written_out.has(Sum), e
    lasts = [_Last(total, value, put) for total, value in (known or {}).items()]
    entries = written_out.atoms(Indexed)
    return written_out.xreplace({s: _number(s, lasts) for s in entries})


class _Last:
    """Which entry of a row makes its sum what is known of it."""

    def __init__(self, total: Sum, value: Expr, put: Mapping[Symbol, Expr]):
        (self.entry,) = total.function.atoms(Indexed)
        ((index, low, high),) = total.limits
        assert low == 1
        self.power = total.function.exp if isinstance(total.function, Pow) else 1
        assert total.function == self.entry**self.power
        self.place = self.entry.indices.index(index)
        self.size, self.value = high.subs(put), value.subs(put)

    def number(self, entry: Indexed) -> Expr | None:
        if entry.base != self.entry.base or entry.indices[self.place] != self.size:
            return None
        others = []
        for k in range(1, int(self.size)):
            indices = list(entry.indices)
            indices[self.place] = k
            others.append(own_number(entry.base[tuple(indices)]) ** self.power)
        return (self.value - sum(others)) ** Rational(1, self.power)


def _number(entry: Indexed, lasts: list[_Last]) -> Expr:
    found = (last.number(entry) for last in lasts)
    return next((value for value in found if value is not None), own_number(entry))


def own_number(entry: Indexed) -> Expr:
    return Rational(crc32(str(entry).encode()) % 9973 + 1, 99740)
