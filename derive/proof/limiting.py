"""Limits as steps of a derivation."""

from __future__ import annotations

from sympy import Eq, Expr, Limit, Symbol

from ..decide.domain import Domain
from ..decide.evidence import Outcome, Undecided
from ..decide.limits.limit import is_limit, limit
from .derivation import Derivation
from .relations import eq
from .statement import Statement


class LimitIs(Statement):
    """``Limit(name, symbol, point) = value``; ``names`` says what the name stands for."""

    def decide(self) -> Outcome:
        """Whether the limit of what the name stands for is proved to be the value."""
        shown = self.shown
        if type(shown) is not Eq or not isinstance(shown.args[0], Limit):
            return Undecided(f"{shown} is not about a limit")
        of, symbol, point, _ = shown.args[0].args
        if of not in self.names or of.name in {s.name for s in self.domain.ranges}:
            return Undecided(f"{of} is not known")
        if shown.args[0] != Limit(of, symbol, point):
            return Undecided("limits are taken from above, and at oo")
        return is_limit(self.names[of], symbol, point, shown.args[1], self.domain)

    @property
    def limit(self) -> tuple[Expr, Symbol, Expr, Expr]:
        """What converges, with which symbol, to which point, and its limit."""
        of, symbol, point, _ = self.shown.args[0].args
        return self.names[of], symbol, point, self.shown.args[1]


def take_limit(
    name: str, expression: Expr, symbol: Symbol, point: Expr, domain: Domain, proof: Derivation
) -> Expr:
    """Take a limit as a step of a derivation."""
    value = limit(expression, symbol, point, domain)
    called = Symbol(name)
    proof.add(
        f"Limit of {name} as {symbol} -> {point}",
        LimitIs(eq(Limit(called, symbol, point), value), domain, names={called: expression}),
        "the leading terms on the scale of exponentials, powers and logarithms give "
        "this limit, which is checked numerically far out",
    )
    return value
