"""When SupCL without the anchor collapses classes over random batches.

As over all data there are two ends of an interval; under each convention for an anchor that is
alone of its class they are others, and the lower one may be negative.
"""

from ...losses.softmax import tau
from ...losses.supcl import SUPCL_EXCLUSIVE
from ...problems.domains import SEVERAL_VIEWS
from ...proof.derivation import Derivation
from ...structures.draws import UNIFORM, B
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._batches import intervals, without_alpha

DOMAIN = UNIFORM.within(SEVERAL_VIEWS)


def build(proof: Derivation) -> dict[str, Quantity]:
    return intervals(SUPCL_EXCLUSIVE, UNIFORM, DOMAIN, proof, {})


RESULT = Result(
    "supcl-batches-exclusive",
    title="When SupCL without the anchor collapses classes over random batches",
    source="beyond lee2025ssem, Theorem 2: the loss as public code has it, the mean over batches",
    parameters=(m, n, p, B, tau),
    domain=without_alpha(DOMAIN),
    build=build,
    subject=Symmetric(loss=SUPCL_EXCLUSIVE, structure=UNIFORM.whole, draw=UNIFORM),
)
