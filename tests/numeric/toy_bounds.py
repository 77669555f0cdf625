"""A result made of bounds for the tests of the attack: true and sharp ones, and false ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cltheory.derive.decide.domain import POSITIVE, Domain, between
from cltheory.derive.theorem.bounds import About, Bounds
from cltheory.derive.theorem.quantity import Quantity
from cltheory.derive.theorem.result import Result
from sympy import Expr, Integer, Min, Rational, Symbol, sqrt

tau = Symbol("tau", positive=True)
epsilon = Symbol("epsilon", positive=True)
rho = Symbol("rho", real=True)
mu = Symbol("mu", nonnegative=True)
c = Symbol("c", positive=True)

DOMAIN = Domain(
    {tau: POSITIVE, epsilon: between(0, 1, "()"), rho: between(-1, 1), c: POSITIVE},
    {tau: Integer(1), epsilon: Rational(1, 2), rho: Integer(0), c: Integer(1)},
)


def bound(expression: Expr, side: str = "upper", **more: Any) -> Bounds:
    return Bounds(expression, "B", "a bound of the tests", side=side, **more)


def toy(bounds: Mapping[str, Quantity]) -> Result:
    """A result with these quantities."""
    return Result(
        "toy",
        title="Bounds of the tests",
        source="",
        parameters=(tau, epsilon, rho, c),
        domain=DOMAIN,
        build=lambda proof: bounds,
    )


UPPER = 2 * epsilon * (1 - rho) / tau**2
LOWER = (1 - rho) ** 2 / tau**2
IDENTITY = (epsilon**2 * (mu**2 - 1) + 2 * epsilon * (1 - rho)) / tau**2

TRUE = {
    "upper": bound(UPPER),
    "lower": bound(LOWER, "lower"),
    "identity_above": bound(IDENTITY),
    "identity_below": bound(IDENTITY, "lower"),
    "least": bound(Min(UPPER, 4 * epsilon**2 / tau**2)),
    "root": bound(sqrt(UPPER * 4 * epsilon**2 / tau**2)),
    "batch": bound(
        4 * Symbol("mean_epsilon_squared", positive=True) / tau**2,
        bounded="mean_squared_gradient",
        about=About.BATCH,
    ),
}
FALSE = {
    "softmax_error": bound(epsilon**2 / tau**2),
    "short": bound(Rational(99, 100) * UPPER),
    "high": bound(Rational(101, 100) * LOWER, "lower"),
    "barely": bound((1 - Rational(1, 10**9)) * UPPER),
    "no_temperature": bound(4 * epsilon**2),
    "negative": bound(UPPER - epsilon / tau**2),
}
ALL = toy(
    {
        **TRUE,
        **FALSE,
        "printed": bound(epsilon**2 / tau**2, printed=True),
        "constant": bound(c * epsilon**2 / tau**2),
        "number": Quantity(tau, "t", "no bound"),
    }
)
