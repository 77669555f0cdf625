"""Checks of a result about a loss: its borders, and its optima in every regime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, Symbol

from ...derive.decide.domain import Domain, DomainError
from ...derive.decide.exact import exact
from ...derive.problems.problem import Problem
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.measure import Border
from ...derive.theorem.result import Result
from ..problems import parameter_names
from ..reduced import InvariantLoss
from . import borders
from .at_optimum import at_optimum
from .checks import CLOSE_THRESHOLD, Check, Run
from .points import base_values, elsewhere, regimes, sides

#: Largest parameter at which thresholds are looked for.
RANGE = 54.0


@dataclass(frozen=True)
class OfLoss:
    """A result at one set of sizes.

    Attributes
    ----------
    result, problem
        What is checked, and what it is about.
    arrangement, sizes
        The sizes, as numbers and as they were given.
    given
        Values of parameters that were given.
    whole, made
        The result before a loss was given, and the loss.
    run
        How searches are run.
    thorough
        Whether every parameter is varied, or the one with the most regimes alone.
    """

    result: Result
    problem: Problem
    arrangement: Arrangement
    sizes: Mapping[str, Any]
    given: Mapping[str, Any]
    whole: Result
    made: Mapping[str, Any]
    run: Run
    thorough: bool = True

    @cached_property
    def loss(self) -> InvariantLoss:
        """The loss over invariant Gram matrices, where an optimum is found by another route."""
        return InvariantLoss(self.problem, self.arrangement)

    @cached_property
    def symbols(self) -> dict[str, Symbol]:
        """Parameters of the loss, sizes apart."""
        names = parameter_names(self.problem)
        return {s.name: s for s in self.problem.domain.ranges if s.name in names}

    @cached_property
    def base(self) -> dict[str, Any]:
        """Values of the parameters where they are not varied."""
        return base_values(list(self.symbols.values()), self.problem.domain, self.given)

    def checks(self) -> list[Check]:
        """Borders first, then optima."""
        found = [check for name, border in self.borders for check in self._located(name, border)]
        points = self._points()
        wide = self._rank(points)
        for point in points:
            try:
                found += at_optimum(self, point, wide)
            except (DomainError, StepFailed):
                if point == self.base:
                    raise
        return found

    # --- predictions ---------------------------------------------------------------------------
    def predictions(self, point: Mapping[str, Any]) -> list[Result]:
        """Results that say something of the optimum there: it, or those of the same loss."""
        names = {s.name for s in self.result.parameters}
        at = {k: v for k, v in {**self.sizes, **point}.items() if k in names}
        if self.made:  # hypotheses may hold for these values only
            return [self.whole.given(at=at, **self.made)]
        there = self.result.there(self.result.point(**at))
        if _reads(there):
            return [there]
        return self._of_the_same_loss

    @cached_property
    def _of_the_same_loss(self) -> list[Result]:
        # Those that may be asked for any loss are checked by themselves.
        found = [r for r in results.values() if _is_about(r, self.problem) and not r.texts]
        return [r for r in found if _reads(r)]

    def where(self, values: Mapping[str, Any], fixed: Mapping[Symbol, Expr] = {}) -> str:
        """A point in words, with what the result says of these sizes in particular."""
        shown = [f"{k}={v}" for k, v in {**self.sizes, **values}.items()]
        return ", ".join([*shown, *(f"{s} = {e}" for s, e in fixed.items())]) + self._why

    @cached_property
    def _why(self) -> str:
        """Why there are no borders at these sizes, where the result says so."""
        point = {s: exact(self.sizes[s.name]) for s in self._domain_of_sizes()}
        for name, _ in self.borders:
            domain = self.result.quantity(name).domain
            for s, r in domain.ranges.items() if domain is not None else ():
                if s in point and r.why and not Domain.of_ranges({s: r}).contains(point):
                    return f" ({r.why})"
        return ""

    def _domain_of_sizes(self) -> list[Symbol]:
        return [s for s in self.problem.domain.ranges if s.name in self.sizes]

    # --- borders -------------------------------------------------------------------------------
    @cached_property
    def borders(self) -> list[tuple[str, Border]]:
        """The borders that the result derived, by name; vectors are for sizes that are fixed."""
        try:
            measures = self.result.measures()
        except (DomainError, StepFailed):  # it holds for some values only
            measures = {}
        found = [(name, m) for name, m in measures.items() if isinstance(m, Border)]
        return [(name, m) for name, m in found if m.parameter.name in self.symbols]

    def _value_of(self, name: str, border: Border) -> tuple[float, dict[str, Any]] | None:
        """Where a border is, with what else is fixed; None where there is none within range."""
        bound = {border.parameter.name, *(s.name for s in border.fixed)}
        names = {s.name for s in self.result.parameters}
        others = {k: v for k, v in self.base.items() if k not in bound}
        free = [self.symbols[k] for k in others if k not in self.given]
        for tried in [others, *elsewhere(free, self.problem.domain, others)]:
            known = {k: v for k, v in {**self.sizes, **tried}.items() if k in names}
            try:
                # As a formula, also where another way would be taken at numbers.
                value = float(Result.value(self.result, name, **known))
            except DomainError:
                continue
            if abs(value) < RANGE:
                return value, tried
        return None

    def _located(self, name: str, border: Border) -> Iterator[Check]:
        found = self._value_of(name, border)
        if found is None:
            return
        value, others = found
        numbers = {k: float(exact(v)) for k, v in {**self.sizes, **others}.items()}

        def values(at: float) -> dict[str, float]:
            known = {**numbers, border.parameter.name: at}
            known |= {s.name: _number(e, known) for s, e in border.fixed.items()}
            return {k: known[k] for k in self.loss.parameters}

        inner, along = (
            {r: _number(e, numbers) for r, e in of.items()} for of in (border.inner, border.along)
        )
        if along:
            test = borders.falls(self.problem, self.arrangement, inner, along)
        else:
            test = borders.is_optimal(self.problem, self.arrangement, inner)
        bounds = self.problem.domain.ranges[border.parameter]
        low, high = (_number(e, numbers) for e in (bounds.low, bounds.high))
        measured = borders.located(lambda at: test(values(at)), value, border.above, low, high)
        what = f"{name}, where {self._says(name)}"
        yield Check(what, self.where(others, border.fixed), value, measured, CLOSE_THRESHOLD)

    def _says(self, name: str) -> str:
        threshold = self.result.quantity(name).threshold
        if threshold is None:
            return "another structure becomes optimal"
        starts = threshold.bound[1] in (">", ">=")
        return f"it {'starts' if starts else 'stops'} that {threshold.criterion.says}"

    # --- points --------------------------------------------------------------------------------
    def _points(self) -> list[dict[str, Any]]:
        """Parameters at which embeddings are optimised; each is varied unless it was given."""
        free = [k for k in self.symbols if k not in self.given]
        if not free:
            return [self.base]
        domain = self.problem.domain
        varied = [
            [{**self.base, k: v} for v in regimes(self.loss, self.symbols[k], domain, self.base)]
            for k in free
        ]
        if not self.thorough:
            return max(varied, key=len)
        found = [point for points in varied for point in points]
        for name, border in self.borders:
            # Only where something else is fixed: the others are among the regimes.
            if {border.parameter.name, *(s.name for s in border.fixed)} <= set(free):
                found += self._beside(name, border) if border.fixed else ()
        return list({tuple(p.items()): p for p in found}.values())

    def _beside(self, name: str, border: Border) -> Iterator[dict[str, Any]]:
        found = self._value_of(name, border)
        if found is None:
            return
        for value in sides(found[0], self.problem.domain.ranges[border.parameter]):
            at = {**self.base, border.parameter.name: value}
            yield at | {s.name: str(_put_in(e, at)) for s, e in border.fixed.items()}

    def _rank(self, points: Sequence[Mapping[str, Any]]) -> int:
        """Dimensions of all eigenspaces that are occupied somewhere."""
        names: set[str] = set()
        if self.result.segment is not None:
            segment = self.result.segment()
            names |= {segment.low, segment.high}
        for point in points:
            at = {k: float(exact(point[k])) for k in self.loss.parameters}
            names.update(*self.loss.least(**at).faces())
        return sum(k for e, k in self.arrangement.dimensions.items() if e in names)


def _reads(result: Result) -> bool:
    return any(not isinstance(m, Border) for m in result.measures().values())


def _is_about(result: Result, problem: Problem) -> bool:
    return result.problem is not None and result.problem.loss is problem.loss


def _put_in(expression: Expr, values: Mapping[str, Any]) -> Expr:
    return expression.xreplace({s: exact(values[s.name]) for s in expression.free_symbols})


def _number(expression: Expr, values: Mapping[str, Any]) -> float:
    return float(_put_in(expression, values))
