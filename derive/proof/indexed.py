"""Equations between sums over indices, which hold for any number of terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from sympy import Basic, Eq, Expr, Sum

from ..decide.evidence import Outcome, Undecided
from ..decide.sums import equal
from .statement import Statement, each, every


class SumsEqual(Statement):
    """Equations that hold for every number of terms.

    Attributes
    ----------
    known
        What sums over one index are given to be, such as that of shares: 1. The title of the step
        has to say so.
    """

    known: Mapping[Sum, Expr] = field(default_factory=dict)

    def decide(self) -> Outcome:
        """Whether each of them is proved."""
        equations = list(each(self.shown))
        if not equations or not all(type(e) is Eq for e in equations):
            return Undecided(f"{self.shown} is no equation")
        if {s.name for s in self.names} & {s.name for s in self.domain.ranges}:
            return Undecided("a name is written like a symbol of the domain")
        if captured := self._captured(equations):
            return Undecided(f"{captured} is an index in what a name stands for, and of a sum")
        names = dict(self.names)
        return every(
            equal(e.args[0].xreplace(names), e.args[1].xreplace(names), self.domain, self.known)
            for e in equations
        )

    def _captured(self, equations: Iterable[Basic]) -> set[Basic]:
        """Symbols that are free in what a name stands for, and that a sum around it would bind."""
        bound = {i for e in equations for s in e.atoms(Sum) for i, *_ in s.limits}
        return {
            free
            for name, e in self.names.items()
            for free in e.free_symbols & bound - name.free_symbols
        }
