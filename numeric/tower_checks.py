"""What the cross-checks of results on towers share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import torch
from torch import Tensor

from ..derive.decide.domain import DomainError
from ..derive.decide.exact import exact
from ..derive.theorem.result import Result
from .certificate import certify_bound
from .checks import CLOSE, CLOSE_FLOAT32, CLOSE_GAP, CLOSE_LOSS, Check
from .inner_products import InnerProductProblem
from .optimise import TOLERANCE, Optimum

#: Largest temperature, weight and size of a bias between which thresholds are looked for.
RANGE = 60.0


@dataclass(frozen=True)
class Setup:
    """Sizes and options shared by the checks of one result; ``d`` is None where not given."""

    N: int
    d: int | None
    seeds: tuple[int, ...] = (0, 1)
    dtype: torch.dtype = torch.float64
    device: str = "auto"
    values: dict[str, Any] = field(default_factory=dict)
    tell: Callable[[str], None] = lambda _: None


def number(value: object) -> float:
    """An exact value as a float; ``oo`` is infinite."""
    found = exact(value)
    return float(found) if found.is_finite else inf


def value_in_range(r: Result, name: str, at: dict[str, Any]) -> float | None:
    """A threshold as a number; None where it does not exist or is out of range."""
    try:
        value = float(r.value(name, **at))
    except DomainError:
        return None
    return value if abs(value) < 0.9 * RANGE else None


def regimes(low: float | None, high: float | None, step: float) -> list[str]:
    """Below, between and above two thresholds, as far as there are two."""
    if low is None or high is None:
        return []
    inside = [(low + high) / 2] if high - low > 1e-9 else []
    return [f"{v:.6g}" for v in (low - step, *inside, high + step)]


def where_optimal_changes(
    problem: Callable[[float], InnerProductProblem],
    u: Tensor,
    low: float,
    high: float,
    *,
    starts: bool,
) -> float:
    """Parameter at which the certificate of embeddings ``u`` changes sign, by bisection.

    ``starts`` tells whether they are optimal from there on, or up to there.
    """

    def optimal(value: float) -> bool:
        bound = problem(value)
        point = bound.point(u[None])
        entries = point.slopes.abs() + bound.stiffness(point.slopes, point.memory).abs()
        # Inner products carry rounding errors, so entries are off by eps times their slopes
        # too, and an eigenvalue by size times that: the worst seen is a quarter of this.
        floor = -5e-15 * bound.size * float(bound.joint(entries).max())
        return float(certify_bound(bound, u[None]).lambda_min) > floor

    while high - low > 1e-12 * max(1.0, abs(low)):
        middle = (low + high) / 2
        low, high = (low, middle) if optimal(middle) == starts else (middle, high)
    return high


def flat_at(
    problem: InnerProductProblem,
    structure: Callable[[float], Tensor],
    x: float,
    length: float,
    negative: int,
    *,
    pushed: bool = False,
) -> set[str]:
    """Quantities that a gradient within the tolerance says nothing about.

    At t = b = 40, for one, the second derivative of l_n at the simplex is 1e-20: where the
    negatives are can hardly be felt, though the positives are held fast.

    Parameters
    ----------
    problem, structure
        The loss, and the embeddings at each position of the segment of this ``length``.
    x
        Position of the optimum.
    negative
        A vector that is in a negative pair with the first one.
    pushed
        Whether negatives are as low as they can be all along the segment, so that their push
        holds them.
    """
    u = structure(x)[None]
    point = problem.point(u)
    slack = TOLERANCE[torch.float64] * float(point.unit)
    # Along the segment inner products are affine in x. Vectors that are r from an end have
    # x = length r^2 there, and a gradient of 2 length r (h + h' length r^2) for the slope h
    # and its own h'; inside it is 2 length r h' for each unit that x is off.
    ends = [problem.products(structure(end)[None]) for end in (0.0, length)]
    change = (ends[1] - ends[0]) / length
    h = abs(float((point.slopes * change).sum()))
    rise = float((problem.turn(point.memory, change) * change).sum())
    share = x / length
    r = (share * (1 - share)) ** 0.5
    at_end = length * min(
        _ratio(slack, 2 * length * h) ** 2, _ratio(slack, 2 * length**2 * rise) ** (2 / 3)
    )
    off = min(at_end, _ratio(slack, 2 * length * r * rise))
    flat = {"positive", "positive_similarity"} if off > 0.1 * CLOSE else set()
    # Negatives, one by one, are off by the ratio to their curvature, and their mean, which
    # the sum of all vectors fixes, by the square of that.
    stiff = problem.joint(problem.stiffness(point.slopes, point.memory))
    curvature = 2 * problem.size * float(stiff[0, 0, negative])
    pull = 2 * problem.size * abs(float(problem.joint(point.slopes)[0, 0, negative]))
    held = max(curvature, pull if pushed else 0.0)
    if (flat and not pushed) or _ratio(slack, held) ** 2 > 0.01 * CLOSE:
        flat.add("negative")
    return flat


def checks_of(
    found: Optimum,
    predicted: Mapping[str, float],
    measured: Mapping[str, Tensor],
    *,
    where: str,
    setup: Setup,
    covered: bool,
    flat: Collection[str],
) -> list[Check]:
    """Compare what a search found, seed by seed, with what was derived.

    ``flat`` names what the loss hardly depends on there; it is shown, and not judged.
    """
    assert found.certificate is not None
    double = setup.dtype is torch.float64
    return [
        Check(
            f"{k} (too flat to tell)" if k in flat else k,
            f"{where}, seed {seed}",
            predicted[k],
            float(measured[k][i]),
            (CLOSE_LOSS if k == "loss" else CLOSE) if double else CLOSE_FLOAT32,
            float(found.certificate.gap[i]),
            found.stop[i].value,
            covered and k not in flat,
            CLOSE_GAP if double else CLOSE_FLOAT32,
        )
        for i, seed in enumerate(setup.seeds)
        for k in predicted
    ]


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else inf
