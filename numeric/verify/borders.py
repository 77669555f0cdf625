"""Where a structure starts or stops being optimal, by the sign of its certificate.

No search is needed: embeddings with the structure's inner products are written down, and the
duality certificate says of each value of the parameter whether they are a global minimum. The
place where that changes is found by bisection, from a bracket around the value that was derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan

import torch
from torch import Tensor

from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ..certificate import certify_bound
from ..embeddings import structured_embeddings
from ..problems import bind

# A bracket begins with this half width, relative to the value, and grows by this factor until
# the certificate differs at its two ends: a value that is wrong by less is not noticed, which
# is below what counts as agreement, and one that is wrong by more is found to be.
_FIRST, _GROWTH = 2e-10, 8.0
# Bisection ends at this width, relative to the value.
_WIDTH = 1e-12


def located(
    optimal: Callable[[float], bool], value: float, above: bool, low: float, high: float
) -> float:
    """The parameter nearest to ``value`` at which ``optimal`` starts (or stops) to hold.

    Parameters
    ----------
    optimal
        Whether the structure is optimal at a value of the parameter.
    value
        Where that is expected to change.
    above
        Whether it is expected to be optimal above.
    low, high
        Ends of the parameter's range, which may be infinite and are not reached.

    Returns
    -------
    float
        nan where there is no such change.
    """
    scale = max(1.0, abs(value))
    width = _FIRST * scale
    if value <= low or value >= high:  # at an excluded end, only one side is left
        inside = value + width if value <= low else value - width
        return value if optimal(inside) == (above == (value <= low)) else nan
    while width < 1e3 * scale:
        # Next to an end of the range, half of the way there.
        left = value - width if value - width > low else (low + value) / 2
        right = value + width if value + width < high else (high + value) / 2
        if (optimal(left), optimal(right)) == (not above, above):
            return _bisected(optimal, left, right, above)
        width *= _GROWTH
    return nan


def _bisected(optimal: Callable[[float], bool], left: float, right: float, above: bool) -> float:
    while right - left > _WIDTH * max(1.0, abs(left)):
        middle = (left + right) / 2
        if optimal(middle) == above:
            right = middle
        else:
            left = middle
    return (left + right) / 2


def is_optimal(
    problem: Problem, arrangement: Arrangement, inner: Mapping[str, float]
) -> Callable[[Mapping[str, float]], bool]:
    """Whether embeddings with these inner products are a global minimum, given parameters."""
    u = structured_embeddings(arrangement, inner)[None]

    def answer(values: Mapping[str, float]) -> bool:
        bound = bind(problem, {**arrangement.sizes, **values}, dtype=torch.float64, device="cpu")
        found = certify_bound(bound, u)
        # Inner products carry rounding errors, so entries are off by eps times the pulls and
        # their stiffness, and an eigenvalue by size times that: the worst seen is a quarter.
        floor = -5e-15 * float(bound.point(u).noise)
        return float(found.lambda_min) > floor

    return answer


def falls(
    problem: Problem,
    arrangement: Arrangement,
    inner: Mapping[str, float],
    along: Mapping[str, float],
) -> Callable[[Mapping[str, float]], bool]:
    """Whether the loss falls along a segment that goes through a structure, given parameters."""
    u = structured_embeddings(arrangement, inner)[None]
    change = torch.from_numpy(arrangement.gram({**along, "self": 0.0}))

    def answer(values: Mapping[str, float]) -> bool:
        bound = bind(problem, {**arrangement.sizes, **values}, dtype=torch.float64, device="cpu")
        gradient: Tensor = bound.value_and_gram_gradient(u)[1][0]
        return float((gradient * change).sum()) < 0

    return answer
