"""A result at one set of sizes, and all checks of it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ...derive.structures.configuration import Configuration
from ...derive.theorem.measure import Border
from ...derive.theorem.result import Result
from ..problems import parameter_names
from ..problems.reduced import InvariantLoss
from . import explicit, kinked
from .at_optimum import at_optimum
from .borders import beside, located_border
from .checks import Check, Run
from .points import base_values, regimes

#: So many dimensions are always given to vectors of several kinds, if they are as many.
_ROOM = 64


@dataclass(frozen=True)
class Case:
    """A result at one set of sizes.

    Attributes
    ----------
    result, whole, made
        What is checked: a result without the loss that was given, and the loss.
    arrangement, sizes
        The sizes, as numbers and as they were given.
    given
        Values of parameters that were given.
    run
        How searches are run.
    thorough
        Whether every parameter is varied, or the one with the most regimes alone.
    """

    result: Result
    whole: Result
    made: Mapping[str, Any]
    arrangement: Arrangement
    sizes: Mapping[str, Any]
    given: Mapping[str, Any]
    run: Run
    thorough: bool

    def checks(self) -> list[Check]:
        """Vectors written down where there is no loss; else borders first, then optima."""
        if self.result.problem is None:
            return list(explicit.checks(self))
        if not self.loss.smooth:
            return kinked.checks(self)
        found = [x for name, border in self.borders for x in located_border(self, name, border)]
        points = self._points()
        wide = self._rank(points)
        for point in points:
            try:
                found += at_optimum(self, point, wide)
            except (DomainError, StepFailed):
                if point == self.base:
                    raise
        return found

    @property
    def problem(self) -> Problem:
        """What a result about a loss is about."""
        assert self.result.problem is not None
        return self.result.problem

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

    def known(self, result: Result, point: Mapping[str, Any]) -> dict[str, Any]:
        """Values of what a result takes, at a point and these sizes."""
        names = {s.name for s in result.parameters}
        return {k: v for k, v in {**self.sizes, **point}.items() if k in names}

    # --- predictions ---------------------------------------------------------------------------
    def predictions(self, point: Mapping[str, Any]) -> list[Result]:
        """Results that say something of the optimum there: it, or those of the same loss."""
        at = self.known(self.result, point)
        if self.made:  # hypotheses may hold for these values only
            return [self.whole.given(at=at, **self.made)]
        there = self.result.there(self.result.point(**at))
        return [there] if _reads(there) else self._of_the_same_loss

    @cached_property
    def _of_the_same_loss(self) -> list[Result]:
        # Those that may be asked for any loss are checked by themselves.
        about = [r for r in results.values() if r.problem is not None and not r.texts]
        loss = self.problem.loss
        return [r for r in about if r.problem and r.problem.loss is loss and _reads(r)]

    def where(self, values: Mapping[str, Any], fixed: Mapping[Symbol, Expr] = {}) -> str:
        """A point in words, with what the result says of these sizes in particular."""
        shown = [f"{k}={v}" for k, v in {**self.sizes, **values}.items()]
        return ", ".join([*shown, *(f"{s} = {e}" for s, e in fixed.items())]) + self._why

    @cached_property
    def _why(self) -> str:
        """Why there are no borders at these sizes, where the result says so."""
        ranges = self.problem.domain.ranges
        point = {s: exact(self.sizes[s.name]) for s in ranges if s.name in self.sizes}
        for name, _ in self.borders:
            domain = self.result.quantity(name).domain
            for s, r in domain.ranges.items() if domain is not None else ():
                if s in point and r.why and not Domain.of_ranges({s: r}).contains(point):
                    return f" ({r.why})"
        return ""

    @cached_property
    def borders(self) -> list[tuple[str, Border]]:
        """The borders that the result derived, by name; vectors are for sizes that are fixed."""
        try:
            measures = self.result.measures()
        except (DomainError, StepFailed):  # it holds for some values only
            measures = {}
        found = [(name, m) for name, m in measures.items() if isinstance(m, Border)]
        return [(name, m) for name, m in found if m.parameter.name in self.symbols]

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
            if border.fixed and {border.parameter.name, *(s.name for s in border.fixed)} <= {*free}:
                found += beside(self, name, border)
        return list({tuple(p.items()): p for p in found}.values())

    def _rank(self, points: Sequence[Mapping[str, Any]]) -> int:
        """Dimensions of all eigenspaces that are occupied somewhere."""
        names: set[str] = set()
        if self.result.segment is not None:
            segment = self.result.segment()
            names |= {segment.low, segment.high}
        for point in points:
            at = {k: float(exact(point[k])) for k in self.loss.parameters}
            names.update(*self.loss.least(**at).faces())
        found = sum(k for e, k in self.arrangement.dimensions.items() if e in names)
        if isinstance(self.problem.structure, Configuration):
            # Where optima are many, vectors that fill all dimensions may rest above them.
            return max(found, min(self.arrangement.size, _ROOM))
        return found


def _reads(result: Result) -> bool:
    return any(not isinstance(m, Border) for m in result.measures().values())
