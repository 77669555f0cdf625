"""The Simplex-to-Simplex Embedding Model, as what symmetry leaves (lee2025ssem, Definition A.2).

Ask for unit vectors whose views coincide and whose centroid is zero, symmetric under
relabelling of views, instances and classes: a segment of Gram matrices is left, from
the (m-1)-simplex of collapsed classes to classes whose means coincide.
"""

from sympy import Eq, Expr, Piecewise, Rational, sqrt

from ...decide.domain import between
from ...decide.present import tidy
from ...optimum.reduction import state_spectrum
from ...optimum.segment import DELTA, delta, x
from ...optimum.segment_facts import Ranks, state_segment
from ...problems.domains import SIZES
from ...proof.derivation import Derivation
from ...proof.relations import ge
from ...theorem.measure import Rank
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._supcl import (
    SYMMETRY,
    by_name,
    position_of_delta,
    simplex_position,
    spread,
    ssem_segment,
    state_delta,
    sums_to_one,
    variances,
    written,
)

SEGMENT = ssem_segment()
DELTA_MAX = sqrt(tidy(SEGMENT.length / simplex_position(SEGMENT)))
DOMAIN = SIZES.with_range(delta, between(0, DELTA_MAX), Rational(1, 2))


def at_delta(expression: Expr) -> Expr:
    """Write an expression along the segment in delta."""
    return expression.xreplace({x: position_of_delta(SEGMENT)})


def build(proof: Derivation) -> dict[str, Quantity]:
    values = SEGMENT.eigenvalues()
    inside = SIZES.with_range(x, between(0, SEGMENT.length), Rational(1, 2))
    state_spectrum(SEGMENT.scheme, SIZES, proof)
    state_segment(proof, SEGMENT, inside)
    state_delta(proof, SEGMENT, SIZES)
    proof.holds(
        "The structure exists iff 0 <= x <= x_max",
        [ge(values["instances"], 0), ge(values["classes"], 0)],
        "the two eigenvalues left are non-negative there; outside one of them is negative",
        inside,
    )
    share = variances(SEGMENT.inner)
    proof.holds(
        "The variances add up to one",
        sums_to_one(),
        "the trace splits over the eigenspaces; c2 is the squared norm of the centroid",
        inside,
        names=by_name(share),
    )
    proof.add(
        "Least dimension: the rank of the Gram matrix", Ranks.from_segment(SEGMENT, SIZES), ""
    )
    start, within, end = SEGMENT.ranks()
    dimension = Piecewise((start, Eq(delta, 0)), (end, Eq(delta, DELTA_MAX)), (within, True))
    inner = SEGMENT.inner
    return {
        "same_class": written(
            "same_class", at_delta(inner["same_class"]), None, r"(u^\delta)^\top v^\delta"
        ),
        "cross_class": written(
            "cross_class", at_delta(inner["cross_class"]), None, r"(u^\delta)^\top w^\delta"
        ),
        "delta_max": Quantity(
            DELTA_MAX, r"\delta_{\max}", "delta at which the class means coincide"
        ),
        "min_dimension": Quantity(
            dimension, r"d_{\min}", "least dimension in which the structure exists", measured=Rank()
        ),
        **spread({k: at_delta(e) for k, e in share.items()}, None, r"\delta"),
    }


RESULT = Result(
    "ssem",
    title="The Simplex-to-Simplex Embedding Model",
    source="lee2025ssem, Definition A.2 and Propositions A.3, A.4",
    domain=DOMAIN,
    build=build,
    meanings=DELTA,
    subject=Symmetric(structure=SYMMETRY, segment=ssem_segment, position=position_of_delta),
)
