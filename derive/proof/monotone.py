"""That an expression increases or decreases with a symbol, by the sign of its derivative."""

from __future__ import annotations

from sympy import Expr, Symbol

from ..dataclass import dataclass
from ..decide.calculus import derivative
from ..decide.decide import zero
from ..decide.domain import Domain
from ..decide.evidence import Outcome, Undecided
from ..decide.present import tidy
from .relations import gt, lt
from .statement import Relations, every


@dataclass(frozen=True, eq=False)
class Monotone(Relations):
    """``rate > 0`` (or ``< 0``), where the rate is the derivative of ``of`` in ``symbol``."""

    of: Expr
    symbol: Symbol

    @classmethod
    def says(cls, of: Expr, symbol: Symbol, domain: Domain, *, rises: bool) -> Monotone:
        """The statement that ``of`` increases, or decreases, with a symbol of the domain."""
        rate = tidy(derivative(of, symbol))
        return cls((gt if rises else lt)(rate, 0), domain, of, symbol)

    def decide(self) -> Outcome:
        """Whether what is shown is the derivative, and has that sign."""
        if len(self.shown.args) != 2 or self.shown.args[1] != 0:
            return Undecided(f"{self.shown} is not about a sign")
        gap = self.shown.args[0] - derivative(self.of, self.symbol)
        return every([zero(gap, self.domain), super().decide()])

    @property
    def monotone(self) -> tuple[Expr, Symbol]:
        """What increases or decreases, and with which symbol."""
        return self.of, self.symbol
