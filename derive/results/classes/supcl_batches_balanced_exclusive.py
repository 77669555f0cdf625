"""When SupCL, anchor excluded, collapses classes in balanced batches.

As over all data there are two ends of an interval.
"""

from ...losses.softmax import tau
from ...losses.supcl import SUPCL_EXCLUSIVE
from ...problems.domains import SEVERAL_VIEWS
from ...proof.derivation import Derivation
from ...structures.draws import BALANCED, C, k
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._batches import one_interval, without_alpha

DOMAIN = BALANCED.within(SEVERAL_VIEWS)


def build(proof: Derivation) -> dict[str, Quantity]:
    return one_interval(SUPCL_EXCLUSIVE, BALANCED, DOMAIN, proof)


RESULT = Result(
    "supcl-batches-balanced-exclusive",
    title="When SupCL, anchor excluded, collapses classes in balanced batches",
    source="beyond lee2025ssem, Theorem 2: as in public code, the mean over balanced batches",
    parameters=(m, n, p, C, k, tau),
    domain=without_alpha(DOMAIN),
    build=build,
    subject=Symmetric(loss=SUPCL_EXCLUSIVE, structure=BALANCED.whole, draw=BALANCED),
)
