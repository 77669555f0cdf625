"""The optimum of the SimCLR (NT-Xent) loss: views coincide, instances form a simplex.

At that structure the gradient pulls views together and pushes instances apart, so its eigenvalue is
negative on contrasts of instances, positive on those of views and zero on the mean. The three are
compared with their signs alone, and nothing in them changes sign with the temperature.
"""

from ...losses.softmax import tau
from ...optimum.segment import Segment
from ...problems.catalogue import CATALOGUE
from ...proof.derivation import Derivation
from ...structures.hierarchy import n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._pure import pure_optimum, segment_from

PROBLEM = CATALOGUE["simclr"]


def build(proof: Derivation) -> dict[str, Quantity]:
    return pure_optimum(PROBLEM, "instances", proof)


def segment() -> Segment:
    """An edge that leaves the optimum: its near end is it."""
    return segment_from(PROBLEM.scheme, "instances", "views", "same_instance")


RESULT = Result(
    "simclr",
    title="The optimum of the SimCLR loss",
    source="beyond the papers; the loss is that of Chen et al. (2020)",
    parameters=(n, p, tau),
    domain=PROBLEM.domain,
    build=build,
    problem=PROBLEM,
    segment=segment,
)
