"""What no embeddings of a given dimension have a loss below, as quantities of a result."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from decimal import ROUND_FLOOR, Context, Decimal
from typing import NamedTuple

import mpmath
from sympy import Expr, Gt, Max, Piecewise, S, Symbol

from ..decide.domain import DomainError, at_least
from ..decide.evidence import Grade
from ..optimum.dimension import d
from ..optimum.uniform import least_on_sphere
from ..proof.derivation import Derivation
from .listed import Given
from .measure import AtMost
from .quantity import Quantity
from .result import Result

#: The quantity, and which of the bounds it is.
BOUND, WHICH = "loss_at_least", "loss_at_least_by"
UNIFORM = "uniform"
#: Digits of a bound; whoever shows fewer rounds it down (:meth:`Bound.below`).
DIGITS = 25
_SAID = (
    "lower bound on the loss of any embeddings in d dimensions: the larger of its value where they "
    "are uniform on the sphere and its minimum over all dimensions"
)


def with_bound(result: Result) -> Result:
    """The same with the parameter d and the best proved bound on the loss in d dimensions.

    Itself where the minimum of the loss is no quantity, or no bound is known for the loss.
    """
    problem = result.problem if not result.convention else None
    if problem is None or d in result.parameters or least_on_sphere(problem) is None:
        return result
    if "loss" not in result.quantities:
        return result
    made = copy(result)
    made.__dict__.pop("_built", None)
    made.parameters = (*result.parameters, d)
    made.domain = result.domain.with_range(d, at_least(1), S(3))
    made.meanings = {**result.meanings, d: "dimension of the embeddings"}

    def build(proof: Derivation) -> dict[str, Quantity]:
        proof.steps += result.derivation.steps
        uniform = least_on_sphere(problem, proof)
        assert uniform is not None
        own = {k: replace(q, rests_on=result.evidence_of(k)) for k, q in result.quantities.items()}
        return {**own, **_bounds(uniform, result.quantity("loss"))}

    made._build = build
    return made


class Bound(NamedTuple):
    """A bound, which of the two it is, and how that one is known."""

    value: mpmath.mpf
    which: str
    grade: Grade

    def below(self, digits: int) -> Decimal:
        """The value with fewer digits, not rounded up."""
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
    try:
        which = str(made.value(WHICH, DIGITS, **values))
    except DomainError:  # they are not told apart
        which = "both"
    known = made.evidence_of(BOUND) if which == UNIFORM else result.evidence_of("loss")
    return Bound(bound, which, known.grade)


def _bounds(uniform: Expr, loss: Quantity) -> dict[str, Quantity]:
    least = loss.expression
    is_larger = Gt(uniform, least, evaluate=False)
    which = Piecewise((Symbol(UNIFORM), is_larger), (Symbol("all_dimensions"), True))
    return {
        BOUND: Quantity(
            Max(uniform, least, evaluate=False),
            r"\mathcal{L}_{\ge}",
            _SAID,
            domain=loss.domain,
            measured=AtMost("loss"),
        ),
        WHICH: Quantity(
            which,
            r"\text{bound}",
            "which of the two is larger; 'uniform' is the bound of uniform-bound",
            domain=loss.domain,
        ),
    }
