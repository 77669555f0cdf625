"""A segment of Gram matrices: all eigenvalues but two are zero, and those share the trace."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sympy import Dummy, Expr, Symbol

from ..decide.calculus import derivative
from ..decide.present import affine, solve_linear, tidy
from ..frozen import Frozen
from ..structures.scheme import Scheme

#: Position on a Gram segment.
x = Symbol("x", nonnegative=True)
delta = Symbol("delta", nonnegative=True)
DELTA = {delta: "position on the segment, as its definition has it"}


class Occupied(NamedTuple):
    """Dimensions that are occupied at the start of a segment, inside it, and at its far end."""

    start: Expr
    inside: Expr
    end: Expr


class Segment(Frozen):
    """Gram matrices with the active eigenvalues zero, one parameter x from 0 to ``length``.

    ``inner`` gives the inner products along it; x = 0 where the ``low`` eigenvalue
    vanishes and x = length where ``high`` does.
    """

    scheme: Scheme
    active: tuple[str, ...]
    low: str
    high: str
    inner: Mapping[str, Expr]
    length: Expr
    coordinate: str
    x: Symbol = x

    def ranks(self) -> Occupied:
        """Ranks of the Gram matrices: ``low`` vanishes at the start, ``high`` at the far end."""
        low, high = (self.scheme.eigenspace(e).dimension for e in (self.low, self.high))
        return Occupied(tidy(high), tidy(low + high), tidy(low))

    def eigenvalues(self) -> dict[str, Expr]:
        """Eigenvalues of the Gram matrix along the segment."""
        return self.scheme.eigenvalues(self.inner)


@lru_cache(maxsize=64)
def cut_segment(scheme: Scheme, active: tuple[str, ...], low: str, coordinate: str) -> Segment:
    """Solve lambda_e = 0 for the active eigenspaces; x is how far ``coordinate`` fell.

    Raises
    ------
    ValueError
        If the active eigenvalues leave more or less than a segment.
    """
    free = [e.name for e in scheme.eigenspaces if e.name not in active]
    if len(free) != 2 or low not in free:
        raise ValueError(f"{active} leaves {free}, which is not a segment with end {low}")
    high = next(e for e in free if e != low)
    # The table is orthogonal, so entries follow from eigenvalues: those of low and high
    # share the trace, dim(low) * t + dim(high) * rest = size, and t runs along the segment.
    t = Dummy("t")
    dims = {e.name: e.dimension for e in scheme.eigenspaces}
    rest = (scheme.size - dims[low] * t) / dims[high]
    entries = {
        r.name: (
            dims[low] * t * scheme.table[low][r.name]
            + dims[high] * rest * scheme.table[high][r.name]
        )
        / (scheme.size * r.count)
        for r in scheme.relations
    }
    # x is how far the coordinate's inner product has fallen from its value at t = 0.
    pace = tidy(derivative(entries[coordinate], t))
    if pace == 0:
        raise ValueError(f"{coordinate} does not move when {low} and {high} share the trace")
    t_of_x = -x / pace
    inner = {r: affine(e.xreplace({t: t_of_x}), x) for r, e in entries.items()}
    length = tidy(solve_linear(rest.xreplace({t: t_of_x}), x))
    return Segment(scheme, active, low, high, inner, length, coordinate)
