"""The optimum of the SupCon loss: classes collapse at every temperature.

All embeddings of a class are positives of each other with one weight, so at collapse the gradient
is one number within a class, and it is negative: what pulls is more than what pushes.
"""

from ...losses.softmax import tau
from ...optimum.segment import Segment
from ...problems.catalogue import CATALOGUE
from ...proof.derivation import Derivation
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._pure import pure_optimum, segment_from

PROBLEM = CATALOGUE["supcon"]


def build(proof: Derivation) -> dict[str, Quantity]:
    return pure_optimum(PROBLEM, "classes", proof)


def segment() -> Segment:
    """An edge that leaves the optimum: its near end is it."""
    return segment_from(PROBLEM.scheme, "classes", "instances", "same_class")


RESULT = Result(
    "supcon",
    title="The optimum of the SupCon loss",
    source="beyond the papers; the loss is that of Khosla et al. (2020)",
    parameters=(m, n, p, tau),
    domain=PROBLEM.domain,
    build=build,
    problem=PROBLEM,
    segment=segment,
)
