"""What no embeddings of a given dimension have a loss below, as quantities of a result."""

from __future__ import annotations

from copy import copy

import mpmath
from sympy import Expr, Gt, Max, Piecewise, S, Symbol

from ..decide.domain import DomainError, at_least
from ..optimum.dimension import d
from ..optimum.uniform import least_on_sphere
from ..proof.derivation import Derivation
from ..proof.sphere import TWO_SETS, WITHOUT_ANCHOR
from .listed import Given
from .measure import AtMost
from .quantity import Quantity
from .result import Result

#: The quantity, and which of the bounds it is.
BOUND, WHICH = "loss_at_least", "loss_at_least_by"
DIGITS = 15
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
        is_new = any(s.says.lemma in (TWO_SETS, WITHOUT_ANCHOR) for s in proof.steps)
        return {**result.quantities, **_bounds(uniform, result.quantity("loss"), is_new)}

    made._build = build
    return made


def bound_at(result: Result, **values: Given) -> tuple[mpmath.mpf, str] | None:
    """The bound for numbers of all parameters, d among them, and which it is, if there is one.

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
        return bound, str(made.value(WHICH, DIGITS, **values))
    except DomainError:  # they are not told apart
        return bound, "both"


def _bounds(uniform: Expr, loss: Quantity, is_new: bool) -> dict[str, Quantity]:
    least = loss.expression
    is_larger = Gt(uniform, least, evaluate=False)
    which = Piecewise((Symbol("uniform"), is_larger), (Symbol("all_dimensions"), True))
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
            "which of the two is larger; 'uniform' is the bound of uniform-bound"
            + ", by a lemma proved in words and not yet published" * is_new,
            domain=loss.domain,
        ),
    }
