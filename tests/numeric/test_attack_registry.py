"""A short attack on every bound of the registry: none that is proved is violated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cltheory.derive.results import results
from cltheory.derive.theorem.result import Result
from cltheory.numeric.attack import attack, bounds_of
from sympy import Expr, Rational

#: Values of numbers that no configuration tells.
GIVEN = {"c": "1/2"}
QUICK: dict[str, Any] = {"n": (6,), "d": (2,), "seeds": (0,), "starts": 6, "steps": 8}
LONG: dict[str, Any] = {"n": (3, 8), "d": (1, 3), "seeds": (1,), "starts": 12, "steps": 60}


def broken(id: str, **options: Any) -> dict[str, str]:
    """The bounds that are proved and yet violated, with a configuration of each."""
    found = {}
    for name, bound in bounds_of(results[id]).items():
        given = {k: v for k, v in GIVEN.items() if k in map(str, bound.readings)}
        done = attack(id, name, constants=given, **options)
        assert done.record is not None, f"{name}: nothing was found"
        if done.is_violated and not bound.printed:
            found[name] = str(done.smallest)
    return found


@pytest.mark.sample(3)
@pytest.mark.parametrize("id", results.family("spectral-band"))
def test_no_bound_is_violated_at_first_sight(id: str) -> None:
    assert broken(id, **QUICK) == {}


@pytest.mark.slow
@pytest.mark.parametrize("id", results.family("spectral-band"))
def test_no_bound_is_violated(id: str) -> None:
    assert broken(id, **LONG) == {}


def test_what_is_printed_and_false_is_broken() -> None:
    for name in ("curvature_printed", "remainder_printed", "remainder_printed_inf"):
        done = attack("softmax-smoothness", name, **{**QUICK, "n": (4,)})
        assert done.is_violated and done.target.bound.printed


def slow(name: str, change: Any) -> Any:
    return pytest.param(name, change, marks=pytest.mark.slow, id=name)


def corrupted(name: str, expression: Expr, id: str = "spectral-band") -> Any:
    """The result of one bound of the band, with another expression."""
    band = results[id]
    bound = band.quantities[name]
    return Result(
        "corrupted",
        title="A bound of the band, changed",
        source="",
        parameters=band.parameters,
        domain=band.domain,
        build=lambda proof: {name: replace(bound, expression=expression)},
    )


@pytest.mark.parametrize(
    "name, change",
    [
        # As sharp as before where all negatives coincide, and false elsewhere.
        ("upper_similarity", lambda e, s: e - s["epsilon"] ** 2 * s["softmax_variance"] / 20),
        ("upper_participation", lambda e, s: e.xreplace({s["sigma"]: s["sigma"] ** 2})),
        ("upper_mean", lambda e, s: e.xreplace({s["participation"]: s["participation"] ** 2})),
        ("lower_plane", lambda e, s: e.xreplace({s["similarity"]: -s["similarity"]})),
        ("fluctuation_most", lambda e, s: e * (1 - s["sigma"] / 100)),
        slow("linear_most", lambda e, s: e * Rational(99, 100)),
        slow("mu_most", lambda e, s: e * s["sigma"] ** Rational(1, 10)),
        slow("lower", lambda e, s: e * Rational(101, 100)),
        slow("batch_upper", lambda e, s: e * Rational(9, 10)),
        slow("sigma_most", lambda e, s: e * Rational(99, 100)),
    ],
)
def test_a_bound_of_the_band_that_was_changed_is_broken(name: str, change: Any) -> None:
    bound = results["spectral-band"].quantities[name]
    symbols = {s.name: s for s in results["spectral-band"].parameters}
    false = corrupted(name, change(bound.expression, symbols))
    done = attack(false, name, n=(6,), d=(2,), seeds=(0,), starts=12, steps=25)
    assert done.is_violated


@pytest.mark.parametrize(
    "name, change",
    [
        ("upper_projected", lambda e, s: e.xreplace({s["n"]: s["n"] - 1})),
        slow("upper_projected_spectrum", lambda e, s: e * Rational(99, 100)),
    ],
)
def test_a_bound_by_the_projected_spectrum_that_was_changed_is_broken(
    name: str, change: Any
) -> None:
    result = results["projected-spectrum"]
    symbols = {s.name: s for s in result.parameters}
    expression = change(result.quantities[name].expression, symbols)
    false = corrupted(name, expression, result.id)
    assert attack(false, name, n=(6,), d=(3,), seeds=(0,), starts=12, steps=25).is_violated
