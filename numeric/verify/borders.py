"""Where a structure starts or stops being optimal, by the sign of its certificate.

No search is needed: embeddings with the structure's inner products are written down, and the
duality certificate says of each value of the parameter whether they are a global minimum. The
place where that changes is found by bisection, from a bracket around the value that was derived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import nan
from typing import Any

import torch
from sympy import Expr

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.theorem.measure import Border
from ...derive.theorem.number import as_float
from ...derive.theorem.result import Result
from ..problems import bind
from ..problems.embeddings import structured_embeddings
from ..search.certificate import certify_bound
from .case import Case
from .checks import CLOSE_THRESHOLD, Check
from .points import elsewhere, sides

#: Largest parameter at which thresholds are looked for.
RANGE = 54.0
# A bracket begins with this half width, relative to the value, and grows by this factor until
# the certificate differs at its two ends: a value that is wrong by less is not noticed, which
# is below what counts as agreement, and one that is wrong by more is found to be.
_FIRST, _GROWTH = 2e-10, 8.0
# Bisection ends at this width, relative to the value.
_WIDTH = 1e-12

#: The values of a parameter on one side of a threshold.
_SIDE = {">": "beyond which", ">=": "from which on", "<": "below which", "<=": "up to which"}


def located_border(case: Case, name: str, border: Border) -> Iterator[Check]:
    """A border that was derived, against where the certificate changes sign."""
    found = _value_of(case, name, border)
    if found is None:
        return
    value, others = found
    numbers = {k: float(exact(v)) for k, v in {**case.sizes, **others}.items()}
    holds = _holds(case, border, numbers)
    bounds = case.problem.domain.ranges[border.parameter]
    low, high = (_number(e, numbers) for e in (bounds.low, bounds.high))
    measured = located(holds, value, border.above, low, high)
    threshold = case.result.quantity(name).threshold
    says = "where another structure becomes optimal"
    if threshold is not None:
        says = f"{_SIDE[threshold.bound[1]]} {threshold.criterion.says}"
    where = case.where(others, border.fixed)
    yield Check(f"{name}, {says}", where, value, measured, CLOSE_THRESHOLD)


def beside(case: Case, name: str, border: Border) -> Iterator[dict[str, Any]]:
    """Points on both sides of a border, with all that is fixed there."""
    found = _value_of(case, name, border)
    if found is not None:
        for value in sides(found[0], case.problem.domain.ranges[border.parameter]):
            at = {**case.base, border.parameter.name: value}
            yield at | {s.name: str(_put_in(e, at)) for s, e in border.fixed.items()}


def _value_of(case: Case, name: str, border: Border) -> tuple[float, dict[str, Any]] | None:
    """Where a border is, with what else is fixed; None where there is none within range."""
    bound = {border.parameter.name, *(s.name for s in border.fixed)}
    others = {k: v for k, v in case.base.items() if k not in bound}
    free = [case.symbols[k] for k in others if k not in case.fixed]
    for tried in [others, *elsewhere(free, case.problem.domain, others)]:
        try:
            # As a formula, also where another way would be taken at numbers.
            value = as_float(Result.value(case.result, name, **case.known(case.result, tried)))
        except DomainError:
            continue
        if abs(value) < RANGE:
            return value, tried
    return None


def _holds(case: Case, border: Border, numbers: Mapping[str, float]) -> Callable[[float], bool]:
    """Whether the structure is a global minimum at a value of the parameter.

    Of one inside a segment: whether the loss falls along the segment.
    """
    arrangement = case.arrangement
    inner, along = (
        {r: _number(e, numbers) for r, e in part.items()} for part in (border.inner, border.along)
    )
    u = structured_embeddings(arrangement, inner)[None]
    change = torch.from_numpy(arrangement.gram({**along, "self": 0.0})) if along else None

    def holds(at: float) -> bool:
        known = {**numbers, border.parameter.name: at}
        known |= {s.name: _number(e, known) for s, e in border.fixed.items()}
        values = {**arrangement.sizes, **{k: known[k] for k in case.loss.parameters}}
        bound = bind(case.problem, values, dtype=torch.float64, device="cpu")
        if change is not None:
            return float((bound.value_and_gram_gradient(u)[1][0] * change).sum()) < 0
        # Inner products carry rounding errors, so entries are off by eps times the pulls and
        # their stiffness, and an eigenvalue by size times that: the worst seen is a quarter.
        return float(certify_bound(bound, u).lambda_min) > -5e-15 * float(bound.point(u).noise)

    return holds


def located(
    holds: Callable[[float], bool], value: float, above: bool, low: float, high: float
) -> float:
    """The parameter nearest to ``value`` at which ``holds`` changes; nan where it does not.

    ``above``: whether it is expected to hold above. ``low`` and ``high`` are the ends of the
    parameter's range, which may be infinite and are not reached.
    """
    scale = max(1.0, abs(value))
    width = _FIRST * scale
    if value <= low or value >= high:  # at an excluded end, only one side is left
        inside = low + width if value <= low else high - width
        return value if holds(inside) == (above == (value <= low)) else nan
    while width < 1e3 * scale:
        # Next to an end of the range, half of the way there.
        left = value - width if value - width > low else (low + value) / 2
        right = value + width if value + width < high else (high + value) / 2
        if (holds(left), holds(right)) == (not above, above):
            while right - left > _WIDTH * max(1.0, abs(left)):
                middle = (left + right) / 2
                left, right = (left, middle) if holds(middle) == above else (middle, right)
            return (left + right) / 2
        width *= _GROWTH
    return nan


def _put_in(expression: Expr, values: Mapping[str, Any]) -> Expr:
    return expression.xreplace({s: exact(values[s.name]) for s in expression.free_symbols})


def _number(expression: Expr, values: Mapping[str, Any]) -> float:
    return float(_put_in(expression, values))
