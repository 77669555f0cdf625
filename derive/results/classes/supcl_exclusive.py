"""SupCL as public code has it, the anchor in neither numerator nor denominator.

Classes collapse iff alpha lies in an interval. Where it is too small own views are pushed apart as
negatives, and the optimum has left collapse towards views; where it is too large, other instances
of the class are, and it has left towards instances. On either side every optimum is on one edge
that starts at collapse. The gradient has no diagonal, so a shift of all inner products is not felt:
its eigenvalue on the mean is zero, and that on classes is negative, which settles all the rest.
"""

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, S

from ...losses.softmax import tau
from ...losses.supcl import alpha
from ...optimum.edge import Edge, edge
from ...optimum.multiplier import state_above_at_root
from ...optimum.threshold import threshold
from ...optimum.vertex import UniqueGram, Vertex, vertex
from ...problems.catalogue import CATALOGUE
from ...proof.derivation import Derivation
from ...proof.relations import ge, lt
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._pure import inner_quantities, least_loss
from ._supcl import by_name, meeting, spread, sums_to_one, variances

PROBLEM = CATALOGUE["supcl-exclusive"]
DOMAIN = PROBLEM.domain
#: What leaves collapse on either side, and the inner product that falls first there.
BELOW, ABOVE = ("views", "same_instance"), ("instances", "same_class")


def build(proof: Derivation) -> dict[str, Quantity]:
    collapse = vertex(PROBLEM, "classes", proof)
    low, high = (
        threshold(
            replace(collapse.conditions[e].criterion, says=f"the {e} of {units} do not separate"),
            alpha,
            DOMAIN,
            proof,
        )
        for (e, _), units in ((BELOW, "an instance"), (ABOVE, "a class"))
    )
    proof.holds(
        "The interval from alpha_low to alpha_high is never empty and never reaches 1",
        [lt(low.value, high.value), lt(high.value, 1)],
        "both inequalities hold for all sizes and temperatures",
        DOMAIN.restricted((m, n, p, tau)),
    )
    sides = [leave(collapse, e, coordinate, proof) for e, coordinate in (BELOW, ABOVE)]
    proof.add(
        "The optimum is unique",
        UniqueGram.from_loss(collapse.reduced, DOMAIN),
        "all optima have mean zero, and two of them differ by a shift of all inner products only",
    )
    inner = together(sides, [side.segment.inner for side in sides])
    share = together(sides, [variances(side.segment.inner) for side in sides])
    return {
        "alpha_low": Quantity.from_threshold(low, "alpha_low", r"\alpha_{\mathrm{low}}"),
        "alpha_high": Quantity.from_threshold(high, "alpha_high", r"\alpha_{\mathrm{high}}"),
        **inner_quantities(inner),
        **spread(share, None),
        "loss": least_loss(collapse.reduced.value(inner)),
    }


def leave(collapse: Vertex, towards: str, coordinate: str, proof: Derivation) -> Edge:
    """The edge from collapse to another pure structure, where all optima of one side are."""
    found = edge(
        collapse.reduced, ("classes", towards), proof, collapse.domain, coordinate=coordinate
    )
    end = meeting(found.segment, coordinate, "cross_class")
    proof.holds(
        f"The loss does not decrease further along the edge where {coordinate} and "
        "cross_class agree",
        [ge(found.slope.xreplace({found.x: end}), S.Zero), lt(end, found.segment.length)],
        "by convexity its minimum on the edge is at collapse or before that point",
        collapse.domain,
    )
    (third,) = (e for e in found.along if found.along[e].verdict == "open")
    state_above_at_root(found, third, proof)
    proof.holds(
        f"Along the edge towards {towards} the within-class and between-class variances sum to one",
        sums_to_one(),
        "the eigenvalue of mean vanishes, so c2, the squared norm of the centroid, is zero",
        found.along[third].domain,
        names=by_name(variances(found.segment.inner)),
    )
    return found


def together(sides: list[Edge], along: list[Mapping[str, Expr]]) -> dict[str, Expr]:
    """At the optimum, what is affine along both edges: collapse, and what the side it is on adds.

    The root of the other side is at collapse, x = 0, and adds nothing.
    """
    found = {name: e.xreplace({sides[0].x: S.Zero}) for name, e in along[0].items()}
    return {
        name: start
        + sum(
            values[name].xreplace({side.x: side.position}) - start
            for side, values in zip(sides, along, strict=True)
        )
        for name, start in found.items()
    }


KEYWORDS = "class collapse"
RESULT = Result(
    "supcl-exclusive",
    title="When SupCL without the anchor collapses classes, and its optimum",
    source="beyond lee2025ssem, Theorem 2: the loss as public code has it",
    parameters=(m, n, p, alpha, tau),
    build=build,
    subject=PROBLEM,
)
