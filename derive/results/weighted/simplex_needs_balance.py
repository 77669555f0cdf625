"""SupCon gives a regular simplex at a temperature only if all classes have one size.

At the simplex the largest class and the smallest do not push a third class alike, at any
temperature: so there is none at which unequal sizes happen to make one. (Two classes are always
opposite.)
"""

from sympy import Rational, oo

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.merging import TWO
from ...optimum.unequal import C, lh, li, lj, lk, state_simplex, state_sizes
from ...proof.derivation import Derivation
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._of_sizes import seen

DOMAIN = Domain(
    {
        C: at_least(4, "three classes are a step of the derivation, and two are always opposite"),
        lj: at_least(2, TWO),
        li: Range(lj, oo, False, True, True, "i is the largest class"),
        lk: at_least(2, TWO),
        lh: Range(2 * (C - 3), oo, False, True, True, f"{TWO}, and these are C - 3"),
        tau: POSITIVE,
    },
    {C: 4, li: 5, lj: 3, lk: 2, lh: 3, tau: Rational(1, 2)},
)
MEANINGS = {
    C: "number of classes",
    li: "samples in the largest class",
    lj: "samples in another class",
    lk: "samples in the smallest class",
    lh: "samples in all other classes together",
}


def build(proof: Derivation) -> dict[str, Quantity]:
    state_sizes(HARD_SUPCON, proof)
    return {
        "unlike": Quantity(
            state_simplex(HARD_SUPCON, proof),
            r"\frac{a_{ij} - a_{kj}}{\ell_i - \ell_k}",
            "force at the simplex with which class i repels class j minus that with which "
            "class k does, per sample that class i has more than class k; it is positive",
        )
    }


KEYWORDS = "long-tailed, imbalanced classes, imbalance, neural collapse"
RESULT = Result(
    "simplex-needs-balance",
    title="SupCon gives a regular simplex only if all classes have one size",
    source="sharpens vock2026unified, Section 3.8 and Theorem D.6",
    parameters=(C, li, lj, lk, lh, tau),
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=HARD_SUPCON, structure=seen(li + lj + lk + lh)),
    meanings=MEANINGS,
)
