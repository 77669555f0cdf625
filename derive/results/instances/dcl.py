"""The optimum of the decoupled contrastive loss: that of SimCLR, at another least loss.

Own views are in no denominator, so nothing pushes them; all negatives push alike.
"""

from ...losses.softmax import tau
from ...optimum.segment import Segment
from ...problems.catalogue import CATALOGUE
from ...proof.derivation import Derivation
from ...structures.hierarchy import n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._pure import pure_optimum, segment_from

PROBLEM = CATALOGUE["dcl"]


def build(proof: Derivation) -> dict[str, Quantity]:
    return pure_optimum(PROBLEM, "instances", proof)


def segment() -> Segment:
    """An edge that leaves the optimum: its near end is it."""
    return segment_from(PROBLEM.scheme, "instances", "views", "same_instance")


RESULT = Result(
    "dcl",
    title="The optimum of the decoupled contrastive loss",
    source="beyond the papers; the loss is that of Yeh et al. (2022)",
    parameters=(n, p, tau),
    domain=PROBLEM.domain,
    build=build,
    problem=PROBLEM,
    segment=segment,
)
