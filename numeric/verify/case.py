"""A result at one set of sizes: what is given, and what is predicted there."""

from __future__ import annotations

from collections.abc import Mapping
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
from ..problems.reduced import InvariantLoss
from .checks import Run
from .points import base_values


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
    fixed: Mapping[str, Any]
    run: Run
    thorough: bool

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
        return base_values(list(self.symbols.values()), self.problem.domain, self.fixed)

    def known(self, result: Result, point: Mapping[str, Any]) -> dict[str, Any]:
        """Values of what a result takes, at a point and these sizes."""
        names = {s.name for s in result.parameters}
        return {k: v for k, v in {**self.sizes, **point}.items() if k in names}

    # --- predictions ---------------------------------------------------------------------------
    def predictions(self, point: Mapping[str, Any]) -> list[Result]:
        """Results that say something of the optimum there: it, or those of the same loss."""
        at = self.known(self.result, point)
        if self.made:  # hypotheses may hold for these values only
            return [self.whole.with_inputs(at=at, **self.made)]
        at_values = self.result.at_point(self.result.point(**at))
        return [at_values] if _reads(at_values) else self._of_the_same_loss

    @cached_property
    def _of_the_same_loss(self) -> list[Result]:
        family = (results[id] for id in results.family(self.result.id))
        # Those that may be asked for any loss are checked by themselves.
        about = [r for r in family if r.problem is not None and not r.texts]
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


def _reads(result: Result) -> bool:
    return any(not isinstance(m, Border) for m in result.measures().values())
