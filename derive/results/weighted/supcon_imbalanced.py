"""The optimum of SupCon on classes of unequal sizes.

Every class is a point, but the points are no simplex: the cosine of two classes depends on their
sizes. Two classes are opposite; where one class has another size than all the others there is an
equation for one cosine; else the optimum is found at numbers, with a certificate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from ...decide.domain import POSITIVE, Domain
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.blocks import ReducedOnOrbits, state_certificate, state_reduction
from ...proof.derivation import Derivation
from ...structures.classes import classes_of_sizes, n1, n2
from ...structures.hierarchy import n
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import least_loss
from . import supcon_balanced
from ._labels import C
from ._laws import laws
from ._of_sizes import SIZES, Imbalanced, Sizes, checked, cosines, numbers, optima, seen
from ._one_apart import DOMAIN, MEANINGS, PROBLEM, OneApart, Opposite, state_points

TITLE = "The optimum of SupCon on classes of unequal sizes"
SOURCE = "vock2026unified, Theorem 3.13, and beyond it"
#: With sizes given only the temperature is left.
TEMPERATURE = Domain({tau: POSITIVE}, {tau: Rational(1, 2)})


def build(proof: Derivation) -> dict[str, Quantity]:
    """One class of a size of its own, for all sizes."""
    found = OneApart(proof)
    return {
        "cosine_apart": Quantity(
            found.x,
            r"\cos(\mu_1, \mu_c)",
            "cosine of the first class and another; each class is one point",
            measured=Reading(product("cross_class_1_2")),
        ),
        "cosine_among": Quantity(
            found.y,
            r"\cos(\mu_c, \mu_{c'})",
            "cosine of two of the others",
            measured=Reading(product("cross_class_2")),
        ),
        "loss": least_loss(found.loss),
    }


def of_sizes(sizes: Sizes, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """What is derived for given sizes: at a temperature, or for all where there is a formula."""
    samples = Quantity(Integer(sum(sizes)), "N", "number of samples")
    if tau not in fixed:
        return {**for_all_temperatures(sizes, proof), **laws(sizes, proof), "samples": samples}
    found = optima(HARD_SUPCON, sizes, TEMPERATURE)
    state_reduction(found.reduced, TEMPERATURE, proof)
    state_certificate(found, Domain(TEMPERATURE.ranges, fixed), proof)
    return {**numbers(found, sizes, fixed), **laws(sizes, proof), "samples": samples}


def for_all_temperatures(sizes: Sizes, proof: Derivation) -> dict[str, Quantity]:
    """The optimum as formulas, if two classes or all but one have one size; else no quantity."""
    counts = Counter(sizes)
    common = max(counts, key=lambda size: (counts[size], size))
    values: dict[Symbol, Expr] = {C: Integer(len(sizes)), n2: Integer(common)}
    if counts[common] == len(sizes):
        balanced = supcon_balanced.build(proof)
        values[n] = values.pop(n2)
        return _of_two(sizes, balanced["cosine"].expression, balanced["loss"].expression, values)
    if len(sizes) == 2:
        two = Opposite(proof)
        return _of_two(sizes, two.cosine, two.loss, {n1: Integer(sizes[0]), n2: Integer(sizes[1])})
    if counts[common] == len(sizes) - 1:
        values[n1] = Integer(sum(sizes) - common * (len(sizes) - 1))
        found = build(proof)
        among, apart = (found[name].expression for name in ("cosine_among", "cosine_apart"))
        return {
            "cosines": cosines(
                sizes,
                lambda r: (among if r == f"cross_class_{common}" else apart).xreplace(values),
            ),
            "loss": least_loss(found["loss"].expression.xreplace(values)),
        }
    reduced = ReducedOnOrbits(HARD_SUPCON, classes_of_sizes(sizes, None))
    state_reduction(reduced, TEMPERATURE, proof)
    state_points(reduced, TEMPERATURE, proof)
    return {}


def _of_two(
    sizes: Sizes, cosine: Expr, loss: Expr, values: Mapping[Symbol, Expr]
) -> dict[str, Quantity]:
    """Where all classes have one cosine."""
    at = dict(values)
    return {
        "cosines": cosines(sizes, lambda r: cosine.xreplace(at)),
        "loss": least_loss(loss.xreplace(at)),
    }


def read(sizes: Any, at: Mapping[Symbol, Expr] | None = None) -> Result:
    """The result for classes of these sizes."""
    return Imbalanced(
        RESULT.id,
        title=TITLE,
        source=SOURCE,
        loss=HARD_SUPCON,
        domain=TEMPERATURE,
        sizes=checked(sizes),
        derive=of_sizes,
        at=at,
    )


RESULT = Result(
    "supcon-imbalanced",
    title=TITLE,
    source=SOURCE,
    parameters=(C, n1, n2, tau),
    lists=(SIZES,),
    domain=DOMAIN,
    build=build,
    read=read,
    subject=Symmetric(PROBLEM, structure=seen(PROBLEM.structure.size)),
    meanings=MEANINGS,
)
