"""Convexity of the building blocks of the losses."""

from __future__ import annotations

from functools import cache

from sympy.polys.domains import QQ
from sympy.polys.rings import ring

from .evidence import Evidence, Grade, Holds, Outcome, Undecided


@cache
def log_sum_exp_is_convex(terms: int) -> Outcome:
    """Show v' H v >= 0 for the Hessian H of log sum c_i exp(z_i), c_i > 0.

    With e_i = c_i exp(z_i) > 0, E their sum and q = e/E, H is diag(q) - q q', and
    E^2 v' H v = E sum e_i v_i^2 - (sum e_i v_i)^2 = sum_{i<j} e_i e_j (v_i - v_j)^2,
    an identity of polynomials, which also shows where it vanishes: only along the
    constants.
    """
    _, *gens = ring([f"e{i}" for i in range(terms)] + [f"v{i}" for i in range(terms)], QQ)
    e, v = gens[:terms], gens[terms:]
    first = sum(e) * sum(a * b**2 for a, b in zip(e, v, strict=True))
    second = sum(a * b for a, b in zip(e, v, strict=True)) ** 2
    squares = sum(e[i] * e[j] * (v[i] - v[j]) ** 2 for i in range(terms) for j in range(i))
    if first - second - squares:
        return Undecided("the Hessian's form is not the sum of squares")
    return Holds(Evidence(Grade.EXACT, "the Hessian's form is a sum of squares, identically"))
