"""The optimum of SupCon on classes of unequal sizes.

Every class is a point, but the points are no simplex: the cosine of two classes depends on their
sizes. Two classes are opposite; where one class has another size than all the others there is an
equation for one cosine; else the optimum is found at numbers, with a certificate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from sympy import Expr, Integer, Symbol

from ...decide.domain import Domain
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.blocks import ReducedOnOrbits, state_certificate, state_reduction
from ...proof.derivation import Derivation
from ...structures.classes import classes_of_sizes, n1, n2
from ...structures.hierarchy import n
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity
from ...theorem.subject import Symmetric
from .._for_data import Data, ForData
from .._pure import least_loss
from . import supcon_balanced
from ._labels import C
from ._laws import laws
from ._of_sizes import SIZES, Sizes, about, checked, cosines, numbers, optima, seen
from ._one_apart import DOMAIN, MEANINGS, PROBLEM, OneApart, Opposite, state_points

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
    """What is derived for given sizes: at a temperature, or for all where there is a formula."""
    if not data:
        return build(proof)
    sizes: Sizes = data["sizes"]
    if tau in fixed:
        found = optima(HARD_SUPCON, sizes, TEMPERATURE)
        state_reduction(found.reduced, TEMPERATURE, proof)
        state_certificate(found, Domain(TEMPERATURE.ranges, fixed), proof)
        optimum = numbers(found, sizes, fixed)
    else:
        optimum = for_all_temperatures(sizes, proof)
    samples = Quantity(Integer(sum(sizes)), "N", "number of samples")
    return {**optimum, **laws(sizes, proof), "samples": samples}


def for_all_temperatures(sizes: Sizes, proof: Derivation) -> dict[str, Quantity]:
    """The optimum as formulas, if two classes or all but one have one size; else no quantity."""
    counts = Counter(sizes)
    common = max(counts, key=lambda size: (counts[size], size))
    values: dict[Symbol, Expr] = {C: Integer(len(sizes)), n2: Integer(common)}

    def formulas(loss: Expr, apart: Expr, among: Expr) -> dict[str, Quantity]:
        between = {f"cross_class_{common}": among.xreplace(values)}
        other = apart.xreplace(values)
        return {
            "cosines": cosines(sizes, lambda r: between.get(r, other)),
            "loss": least_loss(loss.xreplace(values)),
        }

    if counts[common] == len(sizes):
        values[n] = values.pop(n2)
        found = {name: e.expression for name, e in supcon_balanced.build(proof).items()}
        return formulas(found["loss"], found["cosine"], found["cosine"])
    if len(sizes) == 2:
        two = Opposite(proof)
        values |= {n1: Integer(sizes[0]), n2: Integer(sizes[1])}
        return formulas(two.loss, two.cosine, two.cosine)
    if counts[common] == len(sizes) - 1:
        values[n1] = Integer(sum(sizes) - common * (len(sizes) - 1))
        found = {name: e.expression for name, e in build(proof).items()}
        return formulas(found["loss"], found["cosine_apart"], found["cosine_among"])
    reduced = ReducedOnOrbits(HARD_SUPCON, classes_of_sizes(sizes, None))
    state_reduction(reduced, TEMPERATURE, proof)
    state_points(reduced, TEMPERATURE, proof)
    return {}


KEYWORDS = "long-tailed"
RESULT = ForData(
    "supcon-imbalanced",
    title="The optimum of SupCon on classes of unequal sizes",
    source="vock2026unified, Theorem 3.13, and beyond it",
    parameters=(C, n1, n2, tau),
    with_data=(tau,),
    lists=(SIZES,),
    domain=DOMAIN,
    derive=derive,
    check=checked,
    about=partial(about, HARD_SUPCON, TEMPERATURE),
    subject=Symmetric(PROBLEM, structure=seen(PROBLEM.structure.size)),
    meanings=MEANINGS,
)
