"""Parameters of a result as a table: where they may lie, a value inside, and what they are."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Symbol

from ..decide.domain import Domain, Range

Table = Mapping[Symbol, tuple[Range, object, str]]


def declared(table: Table) -> tuple[Domain, dict[Symbol, str]]:
    """The domain of the parameters, and their meanings."""
    ranges = {s: where for s, (where, _, _) in table.items()}
    witness = {s: inside for s, (_, inside, _) in table.items()}
    return Domain(ranges, witness), {s: meaning for s, (_, _, meaning) in table.items()}
