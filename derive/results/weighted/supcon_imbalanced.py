"""The optimum of SupCon on classes of unequal sizes.

Every class is a point, but the points are no simplex: the cosine of two classes depends on their
sizes. Two classes are opposite; where one class has another size than all the others there is an
equation for one cosine; else the optimum is found at numbers, with a certificate.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sympy import Expr, Integer, Symbol

from ...decide.domain import Domain, DomainError
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.blocks import state_certificate, state_reduction
from ...proof.derivation import Derivation
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity
from ...theorem.subject import Symmetric
from .._for_data import Data, ForData
from .._pure import least_loss
from ._of_sizes import SIZES, Sizes, about, checked, numbers, optima, seen
from ._one_apart import DOMAIN, MEANINGS, PROBLEM, OneApart

#: With sizes given only the temperature is left.
TEMPERATURE = DOMAIN.restricted([tau])


def build(proof: Derivation) -> dict[str, Quantity]:
    """One class of a size of its own, for all sizes."""
    found = OneApart(proof)
    return {
        "cosine_apart": Quantity(
            found.x,
            r"\cos(\mu_1, \mu_c)",
            "cosine of the points to which the first class and another collapse",
            measured=Reading(product("cross_class_1_2")),
        ),
        "cosine_among": Quantity(
            found.y,
            r"\cos(\mu_c, \mu_{c'})",
            "cosine of the points to which two other classes collapse",
            measured=Reading(product("cross_class_2")),
        ),
        "loss": least_loss(found.loss),
    }


def derive(data: Data, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """The optimum for given sizes at a temperature, or for one class of a size of its own.

    Raises
    ------
    DomainError
        If sizes are given without a temperature; one line.
    """
    if not data:
        return build(proof)
    if tau not in fixed:
        raise DomainError(
            "supcon-imbalanced: for given sizes the optimum is computed at a temperature: give tau"
        )
    sizes: Sizes = data["sizes"]
    found = optima(HARD_SUPCON, sizes, TEMPERATURE)
    state_reduction(found.reduced, TEMPERATURE, proof)
    state_certificate(found, Domain(TEMPERATURE.ranges, fixed), proof)
    samples = Quantity(Integer(sum(sizes)), "N", "number of samples")
    return {**numbers(found, sizes, fixed), "samples": samples}


KEYWORDS = "long-tailed"
RESULT = ForData(
    "supcon-imbalanced",
    title="The optimum of SupCon on classes of unequal sizes",
    source="vock2026unified, Theorem 3.13, and beyond it",
    with_data=(tau,),
    lists=(SIZES,),
    domain=DOMAIN,
    derive=derive,
    check=checked,
    about=partial(about, HARD_SUPCON, TEMPERATURE),
    subject=Symmetric(PROBLEM, structure=seen(PROBLEM.structure.size)),
    meanings=MEANINGS,
)
