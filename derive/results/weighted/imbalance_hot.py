"""SupCon on classes of unequal size as the temperature grows: every cosine in closed form.

Where no class has half of all samples the prototypes balance, and the cosine of two classes is a
sum of one number per class: larger classes are always farther from everything. Where one has half
or more, all others go to one prototype opposite to it.
"""

from sympy import Rational, sign

from ...decide.domain import Domain, Range, between
from ...losses.labels import HARD_SUPCON
from ...optimum.merging import size
from ...optimum.unequal import Q, q, q_other, state_hot, state_sizes
from ...proof.derivation import Derivation
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._of_sizes import seen

HALF = between(
    0, Rational(1, 2), "()", "a class with half of all samples is opposite to all others"
)
#: What the two classes add to Q, and the share of all others.
TWO = q**2 / (1 - 2 * q) + q_other**2 / (1 - 2 * q_other)
REST = 1 - q - q_other
DOMAIN = Domain(
    {
        q: HALF,
        q_other: HALF,
        Q: Range(TWO, why="the sum contains the terms of both classes, and of others"),
    },
    {q: "1/4", q_other: "1/3", Q: 1},
)
#: The others add most if they are one class; if that had half or more, there is no most.
FEW = REST**2 - (1 - 2 * REST) * (Q - TWO)
MEANINGS = {
    q: "fraction of all samples that are in a class",
    q_other: "fraction of all samples that are in another class",
    Q: "sum over all classes of q^2/(1 - 2 q), q being the fraction of all samples in the class",
}


def build(proof: Derivation) -> dict[str, Quantity]:
    state_sizes(HARD_SUPCON, proof)
    return {
        "cosine": Quantity(
            state_hot(HARD_SUPCON, proof),
            r"\lim_{\tau\to\infty}\cos(\mu_i, \mu_j)",
            "limit of the cosine of the two classes as tau -> oo",
            needs=(
                1 + sign(FEW),
                "Q is larger than any sizes with these two fractions can give",
            ),
        )
    }


KEYWORDS = "long-tailed"
RESULT = Result(
    "imbalance-hot",
    title="SupCon on classes of unequal size as the temperature grows",
    source="beyond the papers; the loss is that of vock2026unified, Section 3.8",
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=HARD_SUPCON, structure=seen(size("n"))),
    meanings=MEANINGS,
)
