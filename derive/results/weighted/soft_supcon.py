"""The optimum of Soft SupCon, below its critical temperature, at it and beyond.

Up to the critical temperature the weights are met by points of one cosine, whatever the sizes of
the classes. Beyond it no points have this cosine: classes of one size stay at the simplex, while
for unequal sizes the optimum depends on them, and is found at numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sympy import Expr, Integer, Max, Rational, Symbol

from ...decide.domain import DomainError, between
from ...losses.labels import SOFT_SUPCON, epsilon
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...structures.hierarchy import n
from ...theorem.at_numbers import AtNumbers
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._for_data import Data, ForData
from .._pure import least_loss
from ._labels import MEANINGS, C
from ._of_sizes import about, table
from ._soft import (
    BEYOND,
    DOMAIN,
    PROBLEM,
    Soft,
    beta_met,
    entropic_bound,
    entropy,
    in_weight,
    unique_up_to,
)
from ._soft_sizes import PARAMETERS, SOFT_SIZES, checked, for_sizes

TABLE = "cosines"
TWO_CLASSES = r"\cos(\mu_c, \mu_{c'})"


def derive(data: Data, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """The optimum for given sizes, or for C classes of n, with a table if C is a number."""
    if data:
        return for_sizes(data["sizes"], fixed, proof)
    if C not in fixed:
        return build(proof)
    proof.steps += RESULT.derivation.steps
    cosine = RESULT.quantity("cosine").expression.xreplace(dict(fixed))
    rows = table((2,) * int(fixed[C]), lambda r: cosine)
    cosines = Quantity(rows, TWO_CLASSES, "cosines of the points to which the classes collapse")
    return {**RESULT.quantities, TABLE: cosines}


def build(proof: Derivation) -> dict[str, Quantity]:
    found = Soft(proof)
    critical, simplex = found.critical, found.simplex
    attained = DOMAIN.with_range(tau, between(0, critical.value, "(]", BEYOND), Rational(1, 2))
    beta = beta_met(in_weight(found.beta), attained)
    cosine = Max(beta.expression, simplex.inner["cross_class"])
    return {
        "beta": beta,
        "tau_critical": Quantity.of(critical, "tau_critical", r"\tau^*"),
        "cosine": Quantity(
            cosine,
            TWO_CLASSES,
            "cosine of the points to which two classes collapse",
            # up to tau_critical one number may be added to all inner products
            measured=Reading(1 + product("cross_class") - product("same_class")),
        ),
        "loss": least_loss(found.reduced.value({**simplex.inner, "cross_class": cosine})),
        "entropic_bound": entropic_bound(entropy([(Integer(1), found.reduced)])),
        "shift": Quantity(
            in_weight(found.most),
            r"-c_{\min}",
            "largest number that can be subtracted from all inner products of two samples, if the "
            "dimension is the number of samples minus one or more; else the optimum is unique",
            attained,
        ),
        "unique_up_to": unique_up_to(found.unique_up_to),
    }


MOST_CLASSES = 300  #: rows of a table; one of so many takes a minute


class Classes(ForData):
    """The result; for a given number of classes it has a table of their cosines as well."""

    def there(self, point: Mapping[Symbol, Expr]) -> AtNumbers:
        """The same with the cosines of so many classes, if that is a number, and not too large."""
        if self.data or C not in point or not point[C] <= MOST_CLASSES:
            return super().there(point)
        return self.made_at({C: point[C]})

    def value(self, name: str, /, digits: int = 15, **values: Any) -> Any:
        """As of any result; cosines are of a number of classes.

        Raises
        ------
        DomainError
            If that, or another parameter that matters, is missing; one line.
        """
        if self.data or SOFT_SIZES.name in values:
            return super().value(name, digits, **values)
        if name != TABLE:  # a formula: no table of as many rows as there are classes
            return Result.value(self, name, digits, **values)
        if TABLE not in self.there(self.point(**values)).quantities:
            raise DomainError(
                f"{TABLE} needs the number of classes, at most {MOST_CLASSES}: add {C} or sizes"
            )
        return super().value(name, digits, **values)


RESULT = Classes(
    "soft-supcon",
    title="The optimum of Soft SupCon at every temperature",
    source="vock2026unified, Corollary 3.9",
    parameters=(C, n, epsilon, tau),
    with_data=(epsilon, tau),
    lists=(SOFT_SIZES,),
    domain=DOMAIN,
    derive=derive,
    check=checked,
    about=partial(about, SOFT_SUPCON, PARAMETERS),
    subject=PROBLEM,
    meanings=MEANINGS,
)
