"""Convexity of the building blocks of the losses."""

from __future__ import annotations

from sympy import Matrix, Symbol, exp, log, oo, symbols

from .decide import zero
from .domain import Domain, Range
from .evidence import Evidence, Grade, Holds, Outcome


def log_sum_exp_is_convex(terms: int) -> Outcome:
    """Show v' H v >= 0 for the Hessian H of log sum c_i exp(z_i), c_i > 0.

    With probabilities q_i, v' H v = sum_{i<j} q_i q_j (v_i - v_j)^2, which also
    shows where it vanishes: only along the constants.
    """
    z = symbols(f"z:{terms}", real=True)
    c = symbols(f"c:{terms}", positive=True)
    v = symbols(f"v:{terms}", real=True)
    parts = [ci * exp(zi) for ci, zi in zip(c, z, strict=True)]
    total = sum(parts)
    # H is diag(q) - q q'; its quadratic form, brought over total^2, against the squares.
    form = total * sum(e * u**2 for e, u in zip(parts, v, strict=True)) - (
        sum(e * u for e, u in zip(parts, v, strict=True)) ** 2
    )
    squares = sum(parts[i] * parts[j] * (v[i] - v[j]) ** 2 for i in range(terms) for j in range(i))
    anywhere = Domain(
        {s: Range(-oo) for s in (*z, *v)} | {s: Range() for s in c},
        dict.fromkeys((*z, *v, *c), 1),
    )
    outcome = zero(form - squares, anywhere)
    if isinstance(outcome, Holds):
        return Holds(Evidence(Grade.EXACT, "the Hessian's form is a sum of squares, identically"))
    return outcome


def hessian_of_log_sum_exp(terms: int) -> tuple[Matrix, tuple[Symbol, ...]]:
    """The Hessian itself, for tests that compare it with the form used in the proof."""
    z = symbols(f"z:{terms}", real=True)
    f = log(sum(exp(zi) for zi in z))
    return Matrix(terms, terms, lambda i, j: f.diff(z[i], z[j])), z
