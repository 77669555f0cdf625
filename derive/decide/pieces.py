"""A function with jumps, cut where its branches change over."""

from __future__ import annotations

from itertools import combinations, pairwise

from sympy import Expr, Max, Piecewise, S, Symbol

from ..frozen import Frozen
from .calculus import derivative
from .interval import NoSign, in_order, sign
from .present import affine


class Piece(Frozen):
    """A smooth function and the interval on which it applies."""

    low: Expr
    high: Expr
    smooth: Expr


def pieces_of_slope(h: Expr, x: Symbol, low: Expr, high: Expr) -> list[Piece]:
    """Cut [low, high] where a number of branches change over.

    ``h`` has no other symbols. Its conditions and the differences of sides of its maxima are
    affine in ``x``, so that between their zeros they have the sign that they have in the middle.

    Raises
    ------
    NoSign
        If one is not affine.
    """
    changes = [c.lhs - c.rhs for p in h.atoms(Piecewise) for _, c in p.args if c.has(x)]
    changes += [one - other for m in h.atoms(Max) for one, other in combinations(m.args, 2)]
    points = {low, high}
    for change in (c.expand() for c in changes):
        rate = derivative(change, x)
        if x in rate.free_symbols:
            raise NoSign(f"it is not found where {change} changes sign")
        if rate != 0:
            at = -change.xreplace({x: S.Zero}) / rate
            if sign(at - low) > 0 and sign(high - at) > 0:
                points.add(at)
    ends = pairwise(in_order(points))
    return [Piece(a, b, _branch(h, x, (a + b) / 2)) for a, b in ends]


def _branch(h: Expr, x: Symbol, at: Expr) -> Expr:
    """The smooth expression that applies around a point."""
    rules: dict[Expr, Expr] = {}
    for p in h.atoms(Piecewise):
        rules[p] = next(e for e, c in p.args if c.xreplace({x: at}) == True)  # noqa: E712
    for m in h.atoms(Max):
        largest = m.args[0]
        for side in m.args[1:]:
            if sign((side - largest).xreplace({x: at})) > 0:
                largest = side
        rules[m] = largest
    smooth = h.xreplace(rules).xreplace(rules)
    # Only what is affine is brought into a form that can be solved: the rest stays as it is.
    if x in derivative(smooth, x).free_symbols and not smooth.is_polynomial(x):
        return smooth
    expanded = smooth.expand()
    return smooth if x in derivative(expanded, x).free_symbols else affine(expanded, x)
