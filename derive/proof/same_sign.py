"""Two inequalities that hold together, as they are the same up to positive factors."""

from __future__ import annotations

from sympy import Basic, Expr, Ge, S

from ..decide.decide import all_zero, positive
from ..decide.evidence import Outcome, Refuted, Undecided
from .relations import Iff, put_in
from .statement import Statement, every


class SameSign(Statement):
    """``one >= other`` iff ``condition >= 0``: their gap times a factor is the condition times one.

    Attributes
    ----------
    over
        The factor of the condition, which has to be positive.
    clearing
        The factor of the gap, which has to be positive too.
    """

    over: Expr
    clearing: Expr = S.One

    @property
    def real(self) -> Basic:
        """The equivalence, with what the names stand for."""
        return put_in(self.shown, self.names)

    def decide(self) -> Outcome:
        """Whether the factors are positive, and the two agree."""
        if not isinstance(self.shown, Iff) or len(self.shown.args) != 2:
            return Undecided(f"{self.shown} is not an equivalence")
        compared, relation = self.shown.args
        if any(type(one) is not Ge for one in self.shown.args) or relation.args[1] != 0:
            return Refuted(note="both sides say that something is not negative")
        if unknown := compared.free_symbols - self.names.keys():
            return Undecided(f"{', '.join(map(str, unknown))} is not known")
        one, other = (side.xreplace(dict(self.names)) for side in compared.args)
        gap = self.clearing * (one - other) - self.over * relation.args[0]
        factors = [positive(factor, self.domain) for factor in (self.over, self.clearing)]
        return every([all_zero([gap], self.domain), *factors])
