"""That an expression increases or decreases with a symbol, by the sign of its derivative."""

from __future__ import annotations

from sympy import Expr, Symbol

from ..decide.calculus import derivative
from ..decide.decide import zero
from ..decide.domain import Domain
from ..decide.evidence import Outcome, Undecided
from ..decide.present import tidy
from .relations import gt, lt
from .statement import Relations, every


class Monotone(Relations):
    """``rate > 0`` (or ``< 0``): the rate is the derivative of ``expression`` in ``symbol``."""

    expression: Expr
    symbol: Symbol

    @classmethod
    def says(cls, expression: Expr, symbol: Symbol, domain: Domain, *, rises: bool) -> Monotone:
        """The statement that ``expression`` increases, or decreases, with a symbol."""
        rate = tidy(derivative(expression, symbol))
        return cls((gt if rises else lt)(rate, 0), domain, expression, symbol)

    def decide(self) -> Outcome:
        """Whether what is shown is the derivative, and has that sign."""
        if len(self.shown.args) != 2 or self.shown.args[1] != 0:
            return Undecided(f"{self.shown} is not about a sign")
        gap = self.shown.args[0] - derivative(self.expression, self.symbol)
        return every([zero(gap, self.domain), super().decide()])

    @property
    def monotone(self) -> tuple[Expr, Symbol]:
        """What increases or decreases, and with which symbol."""
        return self.expression, self.symbol
