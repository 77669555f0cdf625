"""The optimum of Soft SupCon, below its critical temperature, at it and beyond.

Up to the critical temperature the weights are met by points of one cosine, whatever the sizes of
the classes. Beyond it no points have this cosine: classes of one size stay at the simplex, while
for unequal sizes the optimum depends on them, and is found at numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sympy import Expr, Integer, Max, Rational, Symbol

from ...decide.domain import between
from ...losses.labels import SOFT_SUPCON, epsilon
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...structures.hierarchy import n
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity
from .._for_data import Data, ForData
from .._pure import least_loss
from ._labels import MEANINGS, C
from ._of_sizes import about
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


def derive(data: Data, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """The optimum for given sizes, or for C classes of n."""
    return for_sizes(data["sizes"], fixed, proof) if data else build(proof)


def build(proof: Derivation) -> dict[str, Quantity]:
    found = Soft(proof)
    critical, simplex = found.critical, found.simplex
    attained = DOMAIN.with_range(tau, between(0, critical.value, "(]", BEYOND), Rational(1, 2))
    beta = beta_met(in_weight(found.beta), attained)
    cosine = Max(beta.expression, simplex.inner["cross_class"])
    return {
        "beta": beta,
        "tau_critical": Quantity.from_threshold(critical, "tau_critical", r"\tau^*"),
        "cosine": Quantity(
            cosine,
            r"\cos(\mu_c, \mu_{c'})",
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


RESULT = ForData(
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
