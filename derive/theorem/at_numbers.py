"""Results of which some quantities are found where all parameters are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Symbol

from ..decide.domain import DomainError
from .result import Result


class AtNumbers(Result):
    """A result for which values are put in before anything is derived.

    A subclass sets ``fixed``, and says how it is made for other values and what is found at
    numbers only.
    """

    at_values = True
    #: Whether a parameter may go to infinity.
    takes_oo: bool = False
    #: values that are put in
    fixed: dict[Symbol, Expr]

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> AtNumbers:
        """The same with these values put in."""
        raise NotImplementedError

    def found_at_numbers(self, name: str) -> bool:
        """Whether a quantity is there when all parameters are given, and perhaps not before."""
        raise NotImplementedError

    def point(self, **values: object) -> dict[Symbol, Expr]:
        """As of any result; values are finite where they are put in first.

        Raises
        ------
        DomainError
            If one is not, or not accepted; one line.
        """
        point = super().point(**values)
        for s, value in point.items():
            if not (value.is_finite or self.takes_oo):
                raise DomainError(
                    f"{self.id} needs numerical values: give a finite {s}, not {value}"
                )
        return point

    def at_point(self, point: Mapping[Symbol, Expr]) -> AtNumbers:
        """The same where parameters have these values."""
        fixed = {**self.fixed, **point}
        return self if fixed == self.fixed else self.made_at(fixed)

    def value(self, name: str, /, digits: int = 15, **values: Any) -> Any:
        """As of any result; where there is no formula all parameters are needed.

        Raises
        ------
        DomainError
            If one is missing, or what is found is not decided; one line.
        """
        given = {k: values.pop(k) for k in (*self.texts, *self.lists) if k in values}
        if given:
            return self.with_inputs(**given).value(name, digits, **values)
        point = {**self.fixed, **self.point(**values)}
        made = self.at_point(point)
        left = [s.name for s in self.parameters if s not in made.fixed]
        if left and name not in made.quantities and self.found_at_numbers(name):
            raise DomainError(f"{name} is found for numerical values: give {', '.join(left)}")
        if name not in made.quantities and name in self.quantities:  # a formula, for all values
            made = self
        return made.number(name, made.at(name, point), point, digits)
