"""A bound as a target: both sides in torch, and where the bound is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import torch
from sympy import Expr, Symbol
from torch import Tensor

from ...derive.decide.domain import Domain, Range
from ...derive.errors import Refusal
from ...derive.theorem.bounds import About, Bounds
from ...derive.theorem.result import Result
from ..band.expressions import Compiled, compile_expression, without_cancellation
from ..running.workers import Sent
from .readings import Lookup, float_readings, has

#: Below this, a side is not told from 0 in float64.
LEAST = 1e-200
#: What stands for a bound of 0.
NOTHING = 1e-250
#: A relative change of readings that is beyond their rounding.
LAST_DIGITS = 1e-12
#: Readings that are whole numbers.
COUNTS = ("n", "N", "b", "d")
#: By how much a rounded reading may lie outside a range that it attains the end of.
SLACK = 1e-9


class NoTarget(Refusal, ValueError):
    """It cannot be attacked; the message is one line."""


@dataclass(frozen=True, eq=False)
class Target(Sent):
    """A bound of a result.

    Attributes
    ----------
    id, name
        Of the result, and of the quantity.
    bound
        The bound.
    domain
        Where it is meant.
    constants
        Values of symbols in it that are no readings.
    """

    id: str
    name: str
    bound: Bounds
    domain: Domain
    constants: Mapping[Symbol, Expr] = field(default_factory=dict)

    @classmethod
    def from_result(
        cls, result: Result, name: str, constants: Mapping[str, object] | None = None
    ) -> Target:
        """The target that a quantity of a result is.

        Raises
        ------
        NoTarget
            If it is no bound, or needs a value that was not given.
        DomainError
            If a value is not accepted.
        """
        constants = constants or {}
        if name not in result.quantities:
            raise NoTarget(f"{result.id} has no {name}; its bounds are {_listed(result)}")
        quantity = result.quantities[name]
        if not isinstance(quantity, Bounds):
            raise NoTarget(
                f"{name} of {result.id} is not a bound; its bounds are {_listed(result)}"
            )
        known = {s.name for q in bounds_of(result).values() for s in q.readings}
        unknown = [k for k in constants if k not in known]
        if unknown:
            raise NoTarget(f"no bound of {result.id} has a parameter {unknown[0]}")
        read = [k for k in constants if has(quantity.about, k)]
        if read:
            raise NoTarget(f"{read[0]} is computed from the configuration and cannot be given")
        needed = quantity.expression.free_symbols
        point = {s: v for s, v in result.point(**constants).items() if s in needed}
        missing = [
            s.name for s in quantity.readings if s not in point and not has(quantity.about, s.name)
        ]
        if missing:
            many = " and ".join(missing)
            raise NoTarget(
                f"{name} of {result.id} depends on {many}, which no configuration determines: "
                f"give {' '.join(f'{k}=VALUE' for k in missing)}"
            )
        if not has(quantity.about, quantity.bounded):
            raise NoTarget(
                f"{name} of {result.id} bounds {quantity.bounded}, which no "
                f"configuration determines of the kind {quantity.about.name}"
            )
        return cls(result.id, name, quantity, quantity.domain or result.domain, point)

    @property
    def about(self) -> About:
        """The kind of configuration."""
        return self.bound.about

    @property
    def is_upper(self) -> bool:
        """Whether it bounds from above."""
        return self.bound.side == "upper"

    @cached_property
    def expression(self) -> Expr:
        """The bound with given values put in."""
        return self.bound.expression.xreplace(dict(self.constants))

    @cached_property
    def precise(self) -> Expr:
        """The same, in readings that keep their digits where it is all but 0."""
        return without_cancellation(self.expression)

    @cached_property
    def compiled(self) -> Compiled:
        """The bound in torch."""
        return compile_expression(self.expression)

    @cached_property
    def ranges(self) -> dict[str, tuple[Range, Compiled, Compiled]]:
        """Ranges of readings, which a configuration has to meet, and their ends."""
        found = {}
        for symbol, r in self.domain.ranges.items():
            if has(self.about, symbol.name) and symbol not in self.constants:
                ends = [e.xreplace(dict(self.constants)) for e in (r.low, r.high)]
                if all(has(self.about, s.name) for e in ends for s in e.free_symbols):
                    low, high = map(compile_expression, ends)
                    found[symbol.name] = (r, low, high)
        return found

    def sides(self, readings: Lookup, shift: float = 0.0) -> tuple[Tensor, Tensor]:
        """What should be at most the other, and that; the bound at readings shifted a little."""
        bounded = readings[self.bound.bounded]
        moved = {
            name: readings[name] * (1.0 if name in COUNTS else 1 + shift * (-1) ** k)
            for k, name in enumerate(self.compiled.names)
        }
        bound = self.compiled(moved)
        small, large = (bounded, bound) if self.is_upper else (bound, bounded)
        found: tuple[Tensor, Tensor] = torch.broadcast_tensors(small, large)  # type: ignore
        return found

    def score(self, vectors: Mapping[str, Tensor], tau: Tensor | None) -> Tensor:
        """Logarithm of the ratio, of many configurations; -inf where there is none.

        Where the bound as it is written loses its digits, so that a change of readings in the last
        ones changes it, the least favourable of its values counts.
        """
        readings = float_readings(self.about, vectors, tau)
        sides = self.sides(readings)
        inside = sides[0].isfinite() & sides[1].isfinite() & (sides[0] > LEAST)
        for name, (r, low, high) in self.ranges.items():
            value = readings[name].detach()
            least, most = low(readings).detach(), high(readings).detach()
            above = value > least if r.low_open else value >= least - SLACK
            below = value < most if r.high_open else value <= most + SLACK
            inside = inside & above & below
        value = _logarithm(*sides, inside)
        worst = value.detach()
        with torch.no_grad():
            for shift in (LAST_DIGITS, -LAST_DIGITS):
                shifted = _logarithm(*self.sides(readings, shift), inside)
                inside = inside & ~shifted.isnan()
                worst = torch.minimum(worst, shifted.nan_to_num(0.0))
        return torch.where(inside, value + (worst - value.detach()), -torch.inf)


def _logarithm(small: Tensor, large: Tensor, inside: Tensor) -> Tensor:
    """Of the ratio; 0 where there is none."""
    one = torch.ones_like(small)
    top = torch.where(inside, small, one).clamp_min(NOTHING)
    return top.log() - torch.where(inside, large, one).clamp_min(NOTHING).log()


def bounds_of(result: Result) -> dict[str, Bounds]:
    """The bounds among the quantities of a result."""
    return {name: q for name, q in result.quantities.items() if isinstance(q, Bounds)}


def _listed(result: Result) -> str:
    return ", ".join(bounds_of(result)) or "none"
