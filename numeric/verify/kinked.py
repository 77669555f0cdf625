"""Checks of a loss with kinks, where Newton's method has no second derivative to go by.

Its least value over all invariant Gram matrices is found from values alone; see
:mod:`.invariant`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, lambdify

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.losses.pairwise import PairwiseLoss, c
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.measure import LOSS, Reading, product
from .checks import CLOSE, CLOSE_LOSS, Check
from .invariant import InvariantOptimum, least_invariant
from .readings import is_readable, read

if TYPE_CHECKING:
    from .of_loss import OfLoss


def checks(of: OfLoss) -> list[Check]:
    """Compare what was derived with the least loss, kinks or not.

    Where several positions are optimal, the prediction is meant to be the one nearest to the
    start of the segment, and a reading that says so the last one; without such a reading it
    claims to be the only one.
    """
    found = least(of.problem, of.arrangement, of.base)
    (result,) = of.predictions(of.base)
    known = {k: v for k, v in {**of.sizes, **of.base}.items() if k in _names(result)}
    predicted = {}
    for name, measure in result.measures().items():
        if isinstance(measure, Reading) and measure.through is None:
            predicted[name] = (float(result.value(name, **known)), measure)
    return compared(found, predicted, of.arrangement, of.where(of.base))


def _names(result: Any) -> set[str]:
    return {s.name for s in result.parameters}


def compared(
    found: InvariantOptimum,
    predicted: Mapping[str, tuple[float, Reading]],
    arrangement: Arrangement,
    where: str,
) -> list[Check]:
    """A check for every reading, and one that there is no other optimum than those derived."""
    first, second = (product(r).name for r in found.relations)
    numbers = {LOSS.name: found.loss, first: found.first, second: found.second}
    last = {**numbers, first: found.first_last}
    sizes = {k: float(v) for k, v in arrangement.sizes.items()}
    result = []

    def check(name: str, value: float, measured: float, close: float) -> None:
        result.append(
            Check(name, where, value, measured, close, stop="over invariant Gram matrices")
        )

    for name, (value, measure) in predicted.items():
        if is_readable(measure.of, numbers):
            measured = read(measure.of, last if measure.last else numbers, sizes)
            close = CLOSE_LOSS if measure.of.has(LOSS) else CLOSE
            check(name, value, float(measured[0]), close)
    if not any(measure.last for _, measure in predicted.values()):
        own = next(v for v, m in predicted.values() if m.of == product(found.relations[0]))
        check(f"{found.relations[0]}, that of every optimum", own, found.first_last, CLOSE)
    return result


def least(
    problem: Problem, arrangement: Arrangement, values: Mapping[str, Any]
) -> InvariantOptimum:
    """The least loss of a pairwise loss that feels at most two relations.

    Raises
    ------
    DomainError
        If it feels more of them.
    """
    assert isinstance(problem.loss, PairwiseLoss)
    put_in = {
        s: exact(values[s.name]) if s.name in values else Integer(arrangement.sizes[s.name])
        for k in problem.loss.terms
        for s in (k.function.free_symbols | k.weight.free_symbols) - {c}
    }
    felt = list(dict.fromkeys(k.relation for k in problem.loss.terms))
    felt = [r for r in felt if arrangement.counts[r]]
    if len(felt) != 2:
        raise DomainError(
            "a loss with kinks is checked where it feels two relations, not "
            f"{', '.join(felt) or 'none'}"
        )

    def function(relation: str) -> Callable[[Any], Any]:
        terms: list[Expr] = [
            arrangement.counts[relation] * (k.weight * k.function).xreplace(put_in)
            for k in problem.loss.terms
            if k.relation == relation
        ]
        compiled: Callable[[Any], Any] = lambdify([c], Add(*terms), "mpmath")
        return compiled

    corners = [
        (
            Fraction(row[felt[0]], arrangement.counts[felt[0]]),
            Fraction(row[felt[1]], arrangement.counts[felt[1]]),
        )
        for row in arrangement.table.values()
    ]
    first, second = felt
    return least_invariant(function(first), function(second), corners, relations=(first, second))
