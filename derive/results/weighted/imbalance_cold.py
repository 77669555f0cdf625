"""SupCon on classes of unequal size as the temperature goes to zero: to the simplex, and how.

The cosine of two classes is -1/(C-1) + tau (mean of log w - log w_ij) + o(tau), the mean being over
all pairs of classes. So pairs with larger w are pushed farther apart; w need not rise with size.
Where two pairs have one w the first order does not tell which is farther: other classes count.
"""

from ...decide.domain import Domain, at_least
from ...losses.labels import HARD_SUPCON
from ...optimum.merging import TWO, size
from ...optimum.unequal import li, lj, lk, state_cold, state_sizes
from ...proof.derivation import Derivation
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._of_sizes import seen

DOMAIN = Domain({s: at_least(2, TWO) for s in (li, lj, lk)}, {li: 5, lj: 3, lk: 101})
MEANINGS = {
    li: "samples in a class",
    lj: "samples in another class",
    lk: "samples in a third class",
}


def build(proof: Derivation) -> dict[str, Quantity]:
    state_sizes(HARD_SUPCON, proof)
    weight, farther = state_cold(HARD_SUPCON, proof)
    return {
        "weight": Quantity(
            weight,
            "w_{ij}",
            "weight w_ij: the cosine of classes i and j is that of the simplex plus tau times the "
            "mean of log w over all pairs minus log w_ij, to first order in tau",
        ),
        "larger_farther": Quantity(
            farther,
            r"\mathrm{larger\ farther}",
            "whether to first order in the temperature the larger of the classes i and j is "
            "farther from the class k than the smaller is",
            needs=((li - lj) ** 2, "l_i and l_j are equal: neither class is the larger"),
        ),
    }


KEYWORDS = "long-tailed"
RESULT = Result(
    "imbalance-cold",
    title="SupCon on classes of unequal size as the temperature converges to zero",
    source="beyond the papers; the loss is that of vock2026unified, Section 3.8",
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=HARD_SUPCON, structure=seen(size("n"))),
    meanings=MEANINGS,
)
