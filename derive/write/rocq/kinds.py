"""Which of the losses that the library knows a declared one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Symbol

from ...problems.batches import BatchProblem
from ...problems.problem import Problem
from .batches import BatchSoftmax
from .declared import Declared
from .functions import Functions
from .sigmoid import Sigmoid
from .softmax import OwnSoftmax, Softmax
from .terms import NotWritten

KINDS = (Softmax, OwnSoftmax, Sigmoid, Functions)


def read(
    called: str,
    problem: Problem,
    inner: Mapping[str, Expr],
    at: Mapping[Symbol, Expr] | None = None,
    sides: Sequence[str | None] = (),
) -> Declared:
    """The loss of a problem as one that the library knows.

    Raises
    ------
    NotWritten
        If it is none of them.
    """
    reasons = []
    for kind in (BatchSoftmax,) if isinstance(problem, BatchProblem) else KINDS:
        try:
            return kind(called, problem, inner, at or {}, sides)
        except NotWritten as why:
            reasons.append(str(why))
    raise NotWritten("; ".join(dict.fromkeys(reasons)))
