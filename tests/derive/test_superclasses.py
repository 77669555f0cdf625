"""Four levels against a minimiser over shares of explicit projections, with its own loss."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from brute_force import over_shares
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from losses_by_hand import Masked

R = results["superclass-threshold"]
LEVELS = ("views", "instances", "classes", "superclasses", "mean")
SIZES = [(2, 2, 2, 2), (3, 2, 2, 1), (2, 3, 2, 1), (2, 2, 3, 1)]


def projections(sizes: tuple[int, ...]) -> list[np.ndarray]:
    """From (M, m, n, p): on views, instances, classes, superclasses, constants."""
    size = int(np.prod(sizes))
    index = np.arange(size)
    chain = [np.eye(size)]
    for block in itertools.accumulate(reversed(sizes), lambda a, b: a * b):
        same = (index[:, None] // block == index[None, :] // block).astype(float)
        chain.append(same / same.sum(axis=1, keepdims=True))
    return [a - b for a, b in itertools.pairwise(chain)] + [chain[-1]]


def loss_of(sizes: tuple[int, ...], alpha: float, beta: float, tau: float) -> Masked:
    """One term per level, the anchor among its own views and in the one denominator."""
    size = int(np.prod(sizes))
    index = np.arange(size)
    _, m, n, p = sizes
    instance, label, above = (
        (index[:, None] // k == index[None, :] // k).astype(float) for k in (p, n * p, m * n * p)
    )
    everything = np.ones((size, size))
    return Masked(
        tau,
        (1 - alpha - beta, above - label, everything, False),
        (beta, label - instance, everything, False),
        (alpha, instance, everything, False),
    )


def best(sizes: tuple[int, ...], loss: Masked) -> dict[str, float]:
    """Shares of the trace at the optimum; the loss is convex in them."""
    spaces = [e / max(1.0, np.trace(e)) * len(e) for e in projections(sizes)]
    most = [float(np.trace(e) > 0.5) for e in spaces]

    def of_shares(shares: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = loss.value_and_gradient(np.tensordot(shares, spaces, 1))
        return value, np.array([(gradient * e).sum() for e in spaces])

    found = over_shares(of_shares, most, most, jac=True)
    return dict(zip(LEVELS, found.x, strict=True))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("alpha", "beta"), [(0.55, 0.1), (0.45, 0.35)])
def test_superclasses_collapse_where_it_is_warm(
    sizes: tuple[int, ...], alpha: float, beta: float
) -> None:
    at = dict(zip("Mmnp", sizes, strict=True), alpha=alpha, beta=beta)
    ends = {k: float(R.value(f"tau_{k}", **at)) for k in ("classes", "instances")}
    first = max(ends, key=lambda k: ends[k])
    # What leaves first is a question of weights alone.
    border = float(R.value("beta_first", **at))
    assert (first == "instances") is (beta <= border)
    warm = best(sizes, loss_of(sizes, alpha, beta, ends[first] * 1.05))
    assert warm["superclasses"] == pytest.approx(1, abs=1e-5)
    cold = best(sizes, loss_of(sizes, alpha, beta, ends[first] * 0.95))
    others = {k: v for k, v in cold.items() if k != "superclasses"}
    assert max(others, key=lambda k: others[k]) == first
    assert others[first] > 1e-3
    assert all(v < 1e-5 for k, v in others.items() if k != first)


@pytest.mark.parametrize("level", ["classes", "instances"])
def test_the_borders_in_weights_and_in_temperature_are_one(level: str) -> None:
    at = {"M": 3, "m": 2, "n": 4, "p": 2, "beta": "1/8", "tau": "1/3"}
    alpha = R.value(f"alpha_{level}", digits=40, **at)
    back = R.value(f"tau_{level}", digits=30, **{**at, "alpha": str(alpha)})
    # A weight of 40 digits, and a logarithm that loses few of them.
    assert abs(3 * back - 1) < 1e-25


@pytest.mark.parametrize(
    ("level", "alpha", "says"),
    [
        ("classes", "1/8", "classes of a superclass stay together"),
        ("instances", "1/5", "instances of a class stay together"),
    ],
)
def test_what_stays_at_every_temperature_has_no_border(level: str, alpha: str, says: str) -> None:
    at = {"M": 2, "m": 2, "n": 2, "p": 1, "alpha": alpha, "beta": "1/4"}
    with pytest.raises(DomainError, match=says):
        R.value(f"tau_{level}", **at)
    cold = best((2, 2, 2, 1), loss_of((2, 2, 2, 1), float(Fraction(alpha)), 0.25, 0.1))
    assert cold[level] == pytest.approx(0, abs=1e-5)


def test_nothing_is_first_where_nothing_leaves() -> None:
    """Both levels stay at every temperature, though beta is below the border in the weights."""
    sizes, alpha, beta = (2, 3, 2, 1), 0.0, 0.1
    for tau in (0.1, 0.2, 1.0):
        found = best(sizes, loss_of(sizes, alpha, beta, tau))
        assert found["superclasses"] == pytest.approx(1, abs=1e-5)
    at = dict(zip("Mmnp", sizes, strict=True), beta="1/10")
    for small in ("0", "1/6"):
        with pytest.raises(DomainError, match="both may stay together at every tau"):
            R.value("beta_first", **at, alpha=small)
    assert R.value("beta_first", **at, alpha="1/5") == pytest.approx(0.16)
