"""The optimum of SupCon on balanced classes: each is a point, and the points are a simplex.

Within a class what pulls is more than what pushes, and classes push each other alike, so the
structure that has the whole trace on the contrasts of the classes is optimal at every temperature;
log-sum-exp is strictly convex up to a constant in every row, which leaves no other optimum.
"""

from dataclasses import replace

from ...losses.labels import HARD_SUPCON
from ...optimum.segment import Segment
from ...optimum.vertex import vertex
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...theorem.measure import Rank, Reading, product
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import least_loss, segment_from, state_only_optimum
from ._labels import BALANCED, MEANINGS, SIZES
from ._of_sizes import rank

PROBLEM = Problem(HARD_SUPCON, BALANCED, SIZES)


def build(proof: Derivation) -> dict[str, Quantity]:
    found = vertex(PROBLEM, "classes", proof)
    state_only_optimum(found, proof)
    return {
        "cosine": Quantity(
            found.inner["cross_class"],
            r"\cos(\mu_c, \mu_{c'})",
            "cosine of the points to which two classes collapse",
            measured=Reading(product("cross_class")),
        ),
        "same_class": Quantity(
            found.inner["same_class"], r"\cos(z_i, z_j)", "cosine of two samples of a class"
        ),
        "loss": least_loss(found.loss),
        "rank": replace(rank(BALANCED.eigenspace("classes").dimension), measured=Rank()),
    }


def segment() -> Segment:
    """An edge that leaves the optimum: its near end is it."""
    return segment_from(BALANCED, "classes", "samples", "same_class")


RESULT = Result(
    "supcon-balanced",
    title="The optimum of SupCon on classes of one size",
    source="vock2026unified, Theorem D.6; Graf et al. (2021)",
    build=build,
    subject=Symmetric(PROBLEM, segment=segment),
    meanings=MEANINGS,
)
