"""The optimum of the SINCERE loss: that of SupCon, at another least loss.

A positive is compared with itself and the other classes only, so no positive pushes another; at
collapse the gradient within a class is negative all the more.
"""

from ...losses.softmax import tau
from ...optimum.segment import Segment
from ...problems.catalogue import CATALOGUE
from ...proof.derivation import Derivation
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._pure import pure_optimum, segment_from

PROBLEM = CATALOGUE["sincere"]


def build(proof: Derivation) -> dict[str, Quantity]:
    return pure_optimum(PROBLEM, "classes", proof)


def segment() -> Segment:
    """An edge that leaves the optimum: its near end is it."""
    return segment_from(PROBLEM.scheme, "classes", "instances", "same_class")


RESULT = Result(
    "sincere",
    title="The optimum of the SINCERE loss",
    source="beyond the papers; the loss is that of Feeney and Hughes (2023)",
    parameters=(m, n, p, tau),
    domain=PROBLEM.domain,
    build=build,
    problem=PROBLEM,
    segment=segment,
)
