"""What a declaration of a loss must satisfy before anything is proved from it."""

from __future__ import annotations

from sympy import Expr

from ..frozen import FrozenValue


class Precondition(FrozenValue):
    """An expression that must be >= 0 (strict: > 0) on the domain of a problem.

    Attributes
    ----------
    expression
        In the parameters of the loss.
    strict
        Whether zero is not enough.
    says
        What it is, in words.
    """

    expression: Expr
    strict: bool
    says: str
