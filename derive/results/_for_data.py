"""Theorems for all data and for data that are given: distances, weights, sizes of classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sympy import Expr, Symbol

from ..decide.domain import Domain
from ..proof.derivation import Derivation
from ..theorem.at_numbers import AtNumbers
from ..theorem.quantity import Quantity

#: The domain of a statement without symbols.
NUMBERS = Domain({})
Data = Mapping[str, Any]
#: What is derived for data (none: what holds for all), at values of the parameters.
Derive = Callable[[Data, Mapping[Symbol, Expr], Derivation], dict[str, Quantity]]


class ForData(AtNumbers):
    """A theorem for all data; for data that are given it is derived at values of the parameters.

    Parameters
    ----------
    id
        As of any result.
    derive
        What is derived for data, at values of parameters.
    parameters, domain
        As of any result; with data, ``with_data`` are the parameters instead.
    check
        Refuses data, or makes of them what ``derive`` gets.
    about
        What the result for these data is about, as arguments of a result.
    data, at
        The data, and values of parameters.
    **described
        All else, as of any result.
    """

    def __init__(
        self,
        id: str,
        *,
        derive: Derive,
        domain: Domain,
        with_data: tuple[Symbol, ...],
        parameters: tuple[Symbol, ...] | None = None,
        check: Callable[[Data], Data] = dict,
        about: Callable[[Data], Data] | None = None,
        data: Data | None = None,
        at: Mapping[Symbol, Expr] | None = None,
        **described: Any,
    ):
        self._made = partial(
            type(self),
            id,
            derive=derive,
            parameters=parameters,
            domain=domain,
            with_data=with_data,
            check=check,
            about=about,
            **described,
        )
        self.data, self.fixed = dict(data or {}), dict(at or {})
        self.takes_oo = not data  # it is a formula, where values are put in later
        chosen = with_data if data else parameters or domain.symbols()
        super().__init__(
            id,
            parameters=chosen,
            domain=domain.restricted(chosen),
            build=lambda proof: derive(self.data, self.fixed, proof),
            read=lambda at=None, **data: self.remade(check(data), at or {}),
            **{**described, **(about(data) if about and data else {})},
        )

    def remade(self, data: Data, at: Mapping[Symbol, Expr]) -> ForData:
        """The same for other data, at these values."""
        made = self._made(data=data, at=at)
        made.inputs = dict(self.inputs)
        return made

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> ForData:
        """The same for the data at these values."""
        return self.remade(self.data, fixed)

    def found_at_numbers(self, name: str) -> bool:
        """Whether there are data."""
        return bool(self.data)

    def at_point(self, point: Mapping[Symbol, Expr]) -> AtNumbers:
        """The same where parameters have these values; without data they are put in later."""
        return super().at_point(point) if self.data else self
