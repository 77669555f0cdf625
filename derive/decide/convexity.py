"""Convexity of the building blocks of the losses."""

from __future__ import annotations

from functools import cache

from sympy import Symbol

from .evidence import Evidence, Grade, Holds, Outcome, Undecided
from .polynomial import Ring


@cache
def log_sum_exp_is_convex(terms: int) -> Outcome:
    """Show v' H v >= 0 for the Hessian H of log sum c_i exp(z_i), c_i > 0.

    With e_i = c_i exp(z_i) > 0, E their sum and q = e/E, H is diag(q) - q q', and
    E^2 v' H v = E sum e_i v_i^2 - (sum e_i v_i)^2 = sum_{i<j} e_i e_j (v_i - v_j)^2,
    an identity of polynomials, which also shows where it vanishes: only along the
    constants.
    """
    ring = Ring(Symbol(f"{letter}{i}") for letter in "ev" for i in range(terms))
    e, v, none = ring.gens[:terms], ring.gens[terms:], ring.zero
    first = sum(e, none) * sum((a * b**2 for a, b in zip(e, v, strict=True)), none)
    second = sum((a * b for a, b in zip(e, v, strict=True)), none) ** 2
    pairs = ((i, j) for i in range(terms) for j in range(i))
    squares = sum((e[i] * e[j] * (v[i] - v[j]) ** 2 for i, j in pairs), none)
    if first - second - squares:
        return Undecided("the Hessian's form is not the sum of squares")
    return Holds(Evidence(Grade.EXACT, "the Hessian's form is a sum of squares, identically"))
