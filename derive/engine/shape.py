"""Convexity and monotonicity of scalar functions on [-1, 1]: exactly, or by intervals."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, S, Symbol

from ..symbols import c
from .ball import non_negative
from .calculus import derivative
from .decide import positive
from .domain import Domain, between
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, weakest


def convex_and_monotone(parts: Iterable[tuple[Expr, int]], domain: Domain) -> Outcome:
    """Whether each function of ``c`` is convex, and rises (1) or falls (-1), on [-1, 1].

    Neither needs to be strict. The first that fails is returned, with the point.
    """
    inside = domain.with_range(c, between(-1, 1), 0)
    found = [Evidence(Grade.EXACT, "second derivatives are proved >= 0 on [-1, 1]")]
    for function, direction in parts:
        slope = derivative(function, c)
        falls = "decreasing" if direction < 0 else "increasing"
        for part, says in ((derivative(slope, c), "convex"), (direction * slope, falls)):
            outcome = positive(part, inside, strict=False)
            if not isinstance(outcome, (Holds, Refuted)):
                outcome = non_negative(part, c, -S.One, S.One)
            if isinstance(outcome, Refuted):
                return Refuted(outcome.witness, f"{_in_x(function)} is not {says} {_at(outcome)}")
            if not isinstance(outcome, Holds):
                return outcome
            found.append(outcome.evidence)
    return Holds(weakest(found))


def _in_x(function: Expr) -> Expr:
    return function.xreplace({c: Symbol("x")})


def _at(outcome: Refuted) -> str:
    names = {"c": "x"}
    found = (f"{names.get(k, k)} = {v}" for k, v in outcome.witness.items())
    return "at " + ", ".join(found) if outcome.witness else "anywhere"
