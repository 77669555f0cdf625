"""The optimum of Soft SupCon, below its critical temperature, at it and beyond.

Up to the critical temperature the weights are met by points of one cosine, whatever the sizes of
the classes. Beyond it no points have this cosine: classes of one size stay at the simplex, while
for unequal sizes the optimum depends on them, and is found at numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sympy import Expr, Integer, Max, Rational, Symbol

from ...decide.domain import DomainError, between
from ...losses.labels import epsilon
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...structures.hierarchy import n
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._pure import least_loss
from ._labels import MEANINGS, C
from ._of_sizes import table
from ._soft import BEYOND, DOMAIN, PROBLEM, UNIQUE, Soft, entropy, in_weight
from ._soft_sizes import SOFT_SIZES, of_sizes

TITLE, SOURCE = "The optimum of Soft SupCon at every temperature", "vock2026unified, Corollary 3.9"


def build(proof: Derivation) -> dict[str, Quantity]:
    found = Soft(proof)
    critical, simplex = found.critical, found.simplex
    attained = DOMAIN.with_range(tau, between(0, critical.value, "(]", BEYOND), Rational(1, 2))
    beta = in_weight(found.beta)
    cosine = Max(beta, simplex.inner["cross_class"])
    return {
        "beta": Quantity(beta, r"\beta", "cosine of two classes that meets the weights", attained),
        "tau_critical": Quantity.of(critical, "tau_critical", r"\tau^*"),
        "cosine": Quantity(
            cosine,
            r"\cos(\mu_c, \mu_{c'})",
            "cosine of two classes, each of which is one point",
            # up to tau_critical one number may be added to all inner products
            measured=Reading(1 + product("cross_class") - product("same_class")),
        ),
        "loss": least_loss(found.reduced.value({**simplex.inner, "cross_class": cosine})),
        "entropic_bound": Quantity(
            entropy([(Integer(1), found.reduced)]),
            r"H(W)",
            "what no embedding is below; the least loss is this iff tau <= tau_critical",
        ),
        "shift": Quantity(
            in_weight(found.most),
            r"-c_{\min}",
            "so much may be taken from all inner products of two samples, where there are as many "
            "dimensions as samples less one; else the optimum is the only one",
            attained,
        ),
        "unique_up_to": Quantity(
            found.unique_up_to,
            r"q_{\max}",
            UNIQUE,
        ),
    }


def read(sizes: Any, at: Mapping[Symbol, Expr] | None = None) -> Result:
    """The optimum for classes of these sizes."""
    return of_sizes(RESULT.id, TITLE, SOURCE, sizes, at)


class Classes(Result):
    """The result; with a number of classes given it has a table of their cosines as well."""

    at_values = True

    def __init__(self, build: Callable[[Derivation], dict[str, Quantity]]):
        super().__init__(
            "soft-supcon",
            title=TITLE,
            source=SOURCE,
            parameters=(C, n, epsilon, tau),
            lists=(SOFT_SIZES,),
            domain=DOMAIN,
            build=build,
            read=read,
            subject=PROBLEM,
            meanings=MEANINGS,
        )

    def there(self, point: Mapping[Symbol, Expr]) -> Result:
        """The same with the cosines of so many classes, if that is a number."""
        classes = point.get(C)
        return self if classes is None or not classes.is_finite else _with_table(classes)

    def value(self, name: str, /, digits: int = 15, **values: Any) -> Any:
        """As of any result; cosines are of a number of classes.

        Raises
        ------
        DomainError
            If that, or another parameter that matters, is missing; one line.
        """
        if name != TABLE or SOFT_SIZES.name in values:
            return super().value(name, digits, **values)
        point = self.point(**values)
        made = self.there(point)
        if TABLE not in made.quantities:
            raise DomainError(f"{TABLE} are of a number of classes: give {C} or sizes")
        return made.number(name, made.at(name, point), point, digits)


TABLE = "cosines"


@lru_cache(maxsize=32)
def _with_table(classes: Expr) -> Result:
    """The result with the cosines of so many classes of one size."""

    def extended(proof: Derivation) -> dict[str, Quantity]:
        proof.steps += RESULT.derivation.steps
        cosine = RESULT.quantity("cosine").expression.xreplace({C: classes})
        each = Quantity(
            table((2,) * int(classes), lambda r: cosine),
            r"\cos(\mu_c, \mu_{c'})",
            "cosines of two classes, each of which is one point",
        )
        return {**RESULT.quantities, TABLE: each}

    return Classes(extended)


RESULT = Classes(build)
