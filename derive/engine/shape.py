"""Convexity and monotonicity of scalar functions on [-1, 1], exactly where it can be."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr

from ..symbols import c
from .calculus import derivative
from .decide import positive
from .domain import Domain, between
from .evidence import Evidence, Grade, Holds, Outcome


def convex_and_monotone(parts: Iterable[tuple[Expr, int]], domain: Domain) -> Outcome:
    """Whether each function of ``c`` is convex, and rises (1) or falls (-1), on [-1, 1].

    Neither needs to be strict. The first that is not proved is returned.
    """
    inside = domain.with_range(c, between(-1, 1), 0)
    for function, direction in parts:
        slope = derivative(function, c)
        for part in (derivative(slope, c), direction * slope):
            outcome = positive(part, inside, strict=False)
            if not isinstance(outcome, Holds):
                return outcome
    return Holds(Evidence(Grade.EXACT, "second derivatives are proved >= 0 on [-1, 1]"))
