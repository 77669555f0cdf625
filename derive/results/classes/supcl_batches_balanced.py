"""When SupCL over balanced batches collapses classes: k instances of each of C classes.

No anchor is alone, and every batch is composed alike, so the condition is that of one batch; but
the simplex is that of all m classes.
"""

from ...losses.softmax import tau
from ...losses.supcl import SUPCL
from ...problems.domains import COMBINED
from ...proof.derivation import Derivation
from ...structures.draws import BALANCED, C, k
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._batches import one_interval, without_alpha

DOMAIN = BALANCED.within(COMBINED)


def build(proof: Derivation) -> dict[str, Quantity]:
    return one_interval(SUPCL, BALANCED, DOMAIN, proof)


RESULT = Result(
    "supcl-batches-balanced",
    title="When SupCL over balanced batches collapses classes",
    source="beyond lee2025ssem, Theorem 2: the mean over balanced batches",
    parameters=(m, n, p, C, k, tau),
    domain=without_alpha(DOMAIN),
    build=build,
    subject=Symmetric(loss=SUPCL, structure=BALANCED.whole, draw=BALANCED),
)
