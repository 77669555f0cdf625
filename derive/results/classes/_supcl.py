"""What the theorems about losses on the nested hierarchy share: symmetry, domain, segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Basic, Expr, Max, Rational, S, Symbol, Tuple, sqrt

from ...decide.calculus import derivative
from ...decide.domain import Domain, Range
from ...decide.present import affine, tidy
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import SAME_CLASS
from ...optimum.on_segment import LossOnSegment
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import Segment, cut_segment, delta, x
from ...proof.derivation import Derivation
from ...proof.relations import eq
from ...structures.hierarchy import hierarchy
from ...theorem.measure import Reading, product
from ...theorem.measure import share as trace_share
from ...theorem.quantity import Quantity
from .._pure import least_loss

SYMMETRY = hierarchy()


def on_segment(loss: SoftmaxLoss, domain: Domain, proof: Derivation) -> LossOnSegment:
    """Reduce a loss to the segment that starts at collapse, recording every step."""
    return LossOnSegment(ReducedLoss(loss, SYMMETRY), ssem_segment(), domain, proof)


def ssem_segment() -> Segment:
    """The segment with coinciding views and centroid zero: the SSEM."""
    return cut_segment(SYMMETRY, ("views", "mean"), "instances", SAME_CLASS)


def meeting(segment: Segment, one: str, other: str) -> Expr:
    """x at which two inner products along a segment agree."""
    gap = affine(segment.inner[one] - segment.inner[other], x)
    return tidy(-gap.xreplace({x: S.Zero}) / derivative(gap, x))


def simplex_position(segment: Segment) -> Expr:
    """x at which same-class and cross-class inner products agree: the mn-1 simplex ETF."""
    return meeting(segment, "same_class", "cross_class")


def position_of_delta(segment: Segment) -> Expr:
    """x as a function of delta: delta = 1 is the simplex ETF, and x grows as delta squared."""
    return simplex_position(segment) * delta**2


def delta_of_position(segment: Segment, position: Expr) -> Expr:
    """The inverse of :func:`position_of_delta`."""
    return sqrt(tidy(1 / simplex_position(segment)) * position)


#: How within-class and between-class variance are found in embeddings.
WITHIN = Reading(trace_share("views") + trace_share("instances"))
BETWEEN = Reading(trace_share("classes"))


def variances(inner: Mapping[str, Expr]) -> dict[str, Expr]:
    """Within-class and between-class variance and squared centroid norm of inner products.

    The trace of the Gram matrix over N splits over the eigenspaces: contrasts inside
    classes, contrasts between class means, and the mean.
    """
    values = SYMMETRY.eigenvalues(inner)

    def share(*names: str) -> Expr:
        return affine(
            sum(SYMMETRY.eigenspace(e).dimension * values[e] for e in names) / SYMMETRY.size, x
        )

    return {
        "within": share("views", "instances"),
        "between": share("classes"),
        "centroid": share("mean"),
    }


#: Names of the three in steps.
NAMED = {"within": Symbol("V_W"), "between": Symbol("V_B"), "centroid": Symbol("c2")}


def by_name(shares: Mapping[str, Expr]) -> dict[Symbol, Expr]:
    """What the names of variances stand for in a step."""
    return {NAMED[k]: e for k, e in shares.items()}


def sums_to_one() -> list[Basic]:
    """That the variances of unit vectors add up to one, and that the centroid is zero."""
    return [eq(NAMED["within"] + NAMED["between"], S.One), eq(NAMED["centroid"], S.Zero)]


def state_delta(proof: Derivation, segment: Segment, domain: Domain) -> None:
    """Record how x and delta are related."""
    at = {x: simplex_position(segment)}
    within = variances(segment.inner)["within"]
    same, cross = (Symbol(f"g_{r}") for r in ("same_class", "cross_class"))
    proof.holds(
        "x is a multiple of delta squared, and at delta = 1 all distinct instances have the same "
        "inner product",
        Tuple(
            eq(x, position_of_delta(segment)),
            eq(same, segment.inner["cross_class"].xreplace(at)),
            eq(cross, segment.inner["same_class"].xreplace(at)),
        ),
        "this is the (mn-1)-simplex ETF; the within-class variance is linear in x and "
        "grows as delta squared",
        domain.with_range(delta, Range(low_open=False), Rational(1, 2)),
        names={
            x: delta**2 * within.xreplace(at) / derivative(within, x),
            same: segment.inner["same_class"].xreplace(at),
            cross: segment.inner["cross_class"].xreplace(at),
        },
    )


#: How the quantities of an optimum are written, with class, instance and view as indices, in this
#: order, as the paper numbers the vectors; at no value yet.
WRITTEN = {
    "x_star": Quantity(S.NaN, r"x^\star", "position on the Gram segment", spellings=(r"x^*",)),
    "delta_star": Quantity(
        S.NaN, r"\delta^\star", "position on the SSEM", spellings=(r"\delta^*",)
    ),
    "same_class": Quantity(
        S.NaN,
        r"u^\top v",
        "inner product of two instances of a class",
        spellings=(r"u_{i,j,k}^\top u_{i,l,h}", r"u_{i,j}^\top u_{i,k}"),
    ),
    "cross_class": Quantity(
        S.NaN,
        r"u^\top w",
        "inner product of instances of different classes",
        spellings=(
            r"u_{i,j,k}^\top u_{l,h,g}",
            r"u_{i,j,k}^\top u_{l,j,k}",
            r"u_{i,j}^\top u_{k,l}",
        ),
    ),
    "within_class_variance": Quantity(
        S.NaN, r"\mathrm{Var}[U_i]", "within-class variance", measured=WITHIN
    ),
    "between_class_variance": Quantity(
        S.NaN, r"\mathrm{Var}^{\mathrm{Btwn}}[U]", "between-class variance", measured=BETWEEN
    ),
}


def written(name: str, value: Expr, domain: Domain | None, *spellings: str) -> Quantity:
    """A quantity of :data:`WRITTEN` at a value, with more ways to write it."""
    known = WRITTEN[name]
    every = (*known.spellings, *spellings)
    return replace(known, expression=value, domain=domain, spellings=every)


def spread(share: Mapping[str, Expr], domain: Domain | None, *marks: str) -> dict[str, Quantity]:
    """Within-class and between-class variance, with the superscripts that vectors may have."""
    found = {}
    for kind in ("within", "between"):
        symbol = WRITTEN[name := f"{kind}_class_variance"].symbol
        marked = (symbol.replace("]", f"^{mark}]") for mark in marks)
        found[name] = written(name, share[kind], domain, *marked)
    return found


def optimum(segment: Segment, position: Expr, loss: Expr, domain: Domain) -> dict[str, Quantity]:
    """The quantities of an optimum at a position of the segment."""
    at = {x: position}
    share = {k: e.xreplace(at) for k, e in variances(segment.inner).items()}
    fallen = 1 - product(segment.coordinate)
    return {
        "x_star": replace(written("x_star", position, domain), measured=Reading(fallen)),
        "delta_star": replace(
            written("delta_star", delta_of_position(segment, position), domain),
            measured=Reading(delta_of_position(segment, Max(0, fallen))),
        ),
        **{
            r: written(r, segment.inner[r].xreplace(at), domain)
            for r in ("same_class", "cross_class")
        },
        **spread(share, domain, r"\star", "*"),
        "loss": replace(least_loss(loss.xreplace(at)), domain=domain),
    }
