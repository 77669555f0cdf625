"""What no embeddings of a given dimension have a loss below, as quantities of a result."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from decimal import ROUND_FLOOR, Context, Decimal
from typing import NamedTuple

import mpmath
from sympy import And, Expr, Gt, Le, Max, Piecewise, S, Symbol, true
from sympy.logic.boolalg import Boolean

from ..decide.domain import DomainError, at_least
from ..decide.evidence import Grade
from ..optimum.dimension import Dimension, d
from ..optimum.uniform import least_on_sphere
from ..proof.derivation import Derivation
from .listed import Given
from .measure import AtMost
from .quantity import Quantity
from .result import Result

#: The quantity, and which of the bounds it is.
BOUND, WHICH = "loss_at_least", "loss_at_least_by"
UNIFORM = "uniform"
#: What the minimum of a loss over all embeddings is called.
MINIMA = ("loss", "least_loss")
#: Digits of a bound; whoever shows fewer rounds it down (:meth:`Bound.below`).
DIGITS = 25
_WORD = (
    "which bound that is: 'uniform' is that of uniform-bound, 'all_dimensions' the minimum over "
    "all dimensions"
)
ALL = "all_dimensions"
_SAID = (
    "lower bound on the loss of any embeddings in d dimensions: the larger of its value where they "
    "are uniform on the sphere and its minimum over all dimensions"
)
_ALONE = (
    "lower bound on the loss of any embeddings in d dimensions: its minimum over all dimensions; "
    "no better bound is derived for this loss"
)


def with_bound(result: Result) -> Result:
    """The same with the parameter d and the best proved bound on the loss in d dimensions.

    Itself where the minimum of the loss is no quantity, or d is a parameter already.
    """
    minimum = next((k for k in MINIMA if k in result.quantities), None)
    if result.convention or d in result.parameters or minimum is None:
        return result
    problem = result.problem
    made = copy(result)
    made.__dict__.pop("_built", None)
    made.parameters = (*result.parameters, d)
    made.domain = result.domain.with_range(d, at_least(1), S(3))
    made.meanings = {**result.meanings, d: "dimension of the embeddings"}

    def build(proof: Derivation) -> dict[str, Quantity]:
        proof.steps += result.derivation.steps
        known = problem is not None and least_on_sphere(problem) is not None
        uniform = least_on_sphere(problem, proof) if problem is not None and known else None
        own = {k: replace(q, rests_on=result.evidence_of(k)) for k, q in result.quantities.items()}
        return {**own, **_bounds(uniform, result, minimum)}

    made._build = build
    return made


class Bound(NamedTuple):
    """A bound, which of the two it is, and how that one is known."""

    value: mpmath.mpf
    which: str
    grade: Grade

    def below(self, digits: int) -> Decimal:
        """The value with fewer digits, rounded down; its own 25 digits are the nearest ones."""
        fewer = Context(prec=digits, rounding=ROUND_FLOOR)
        return fewer.create_decimal(mpmath.nstr(self.value, DIGITS))


def bound_at(result: Result, **values: Given) -> Bound | None:
    """The bound for numbers of all parameters, d among them, if there is one.

    Raises
    ------
    DomainError
        If the minimum of the loss has no value there.
    """
    made = with_bound(result)
    if made is result:
        return None
    bound = made.value(BOUND, DIGITS, **values)
    word = made.quantity(WHICH).expression
    try:
        which = str(word if word.is_Symbol else made.value(WHICH, DIGITS, **values))
    except DomainError:  # they are not told apart
        which = "both"
    minimum = next(k for k in MINIMA if k in result.quantities)
    known = made.evidence_of(BOUND) if which == UNIFORM else result.evidence_of(minimum)
    return Bound(bound, which, known.grade)


def _cases(result: Result, minimum: str) -> list[tuple[Expr, Boolean]]:
    """The minimum of the loss over all dimensions, where two quantities may share it."""
    loss, below = result.quantity(minimum), result.quantities.get("loss_below")
    last = [(loss.expression, true)]
    if below is None or below.domain is None:
        return last
    ((parameter, inside),) = below.domain.ranges.items() - result.domain.ranges.items()
    return [(below.expression, Le(parameter, inside.high, evaluate=False)), *last]


def _bounds(uniform: Expr | None, result: Result, minimum: str) -> dict[str, Quantity]:
    cases, loss = _cases(result, minimum), result.quantity(minimum)
    domain = loss.domain if len(cases) == 1 else result.domain
    values, words = cases, [(Symbol(ALL), true)]
    if uniform is not None:
        values = [(Max(uniform, e, evaluate=False), where) for e, where in cases]
        words = [
            (word, And(where, which, evaluate=False))
            for e, where in cases
            for word, which in (
                (Symbol(UNIFORM), Gt(uniform, e, evaluate=False)),
                (Symbol(ALL), true),
            )
        ]
    bound = Quantity(
        Piecewise(*values),
        r"\mathcal{L}_{\ge}",
        _ALONE if uniform is None else _SAID,
        domain,
        measured=AtMost(minimum),
        room=Dimension(S.One, True) if uniform is None else None,
        rests_on=result.evidence_of(minimum) if uniform is None else None,
    )
    word = replace(
        bound, expression=Piecewise(*words), symbol=r"\text{bound}", meaning=_WORD, measured=None
    )
    return {BOUND: bound, WHICH: word}
