"""Derivatives of the elementary expressions used here.

SymPy's own ``diff`` asks every subexpression for its assumptions, which costs more
than all the proofs together; the rules needed are few.
"""

from __future__ import annotations

from sympy import Add, Expr, S, Symbol, exp, log

from .product import over, power, times


def derivative(expression: Expr, symbol: Symbol) -> Expr:
    """d expression / d symbol, by the rules for sums, products, powers, exp and log."""
    return Derivatives(symbol)(expression)


class Derivatives:
    """Derivatives in one symbol; what several expressions share is done once."""

    def __init__(self, symbol: Symbol):
        self.known: dict[Expr, Expr] = {symbol: S.One}
        self.symbol = symbol

    def __call__(self, e: Expr) -> Expr:
        found = self.known.get(e)
        if found is None:
            found = self.known[e] = self._rule(e)
        return found

    def _rule(self, e: Expr) -> Expr:
        if not e.args:
            return S.Zero
        if e.is_Add:
            return Add(*(self(a) for a in e.args))
        if e.is_Mul:
            parts = []
            for i, a in enumerate(e.args):
                slope = self(a)
                if slope is not S.Zero:
                    parts.append(times(*e.args[:i], slope, *e.args[i + 1 :]))
            return Add(*parts)
        if isinstance(e, (exp, log)):
            slope = self(e.args[0])
            if slope is S.Zero:
                return slope
            return times(slope, e) if isinstance(e, exp) else over(slope, e.args[0])
        if e.is_Pow and self(e.exp) is S.Zero:
            slope = self(e.base)
            return slope if slope is S.Zero else times(e.exp, power(e.base, e.exp - 1), slope)
        return e.diff(self.symbol) if self.symbol in e.free_symbols else S.Zero
