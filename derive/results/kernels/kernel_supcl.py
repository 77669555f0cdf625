"""The SupCL loss with an exponential kernel below the Gaussian: when classes collapse.

Positives stand in the denominator. At collapsed classes the similarity of two points of a class has
an infinite slope in their inner product, so what happens between classes is not felt: classes
collapse iff a positive pulls at least as much as the softmax pushes it. That is also enough for the
collapse to be optimal globally, though the loss is not convex in the Gram matrix, since powers of
distances are squared distances elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Le, S, Symbol, exp

from ...decide.convexity import log_sum_exp_is_convex
from ...decide.domain import POSITIVE, Range, between
from ...decide.present import solve_linear, tidy
from ...losses.kernel import KERNEL_SUPCL, gamma, in_similarities
from ...losses.softmax import tau
from ...losses.supcl import CROSS_CLASS, SAME_CLASS, SAME_INSTANCE, alpha
from ...optimum.reduce import ReducedLoss
from ...optimum.threshold import Criterion, Threshold, threshold
from ...problems.domains import COMBINED
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt, le
from ...structures.hierarchy import hierarchy, m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._lemmas import NEGATIVE_TYPE, SMALLER_POWER, TANGENT
from ._similarity import BELOW_GAUSS, SIMILARITY, state_slopes, to_square

CLASSES = hierarchy()
DOMAIN = COMBINED.with_range(gamma, BELOW_GAUSS, 1)
#: |x - y|^gamma between classes at their simplex.
D = Symbol("D", positive=True)
ASKED = COMBINED.with_range(D, POSITIVE, 2)
#: The squared distance there.
APART = 2 * m / (m - 1)


def build(proof: Derivation) -> dict[str, Quantity]:
    state_slopes(proof)
    push = forces(proof)
    pull = -push[SAME_CLASS]
    state_enough(push, proof)
    proof.holds(
        "It is needed as well: if it is negative, instances that part by x in inner product gain",
        [gt(1 - gamma / 2, 0), gt(gamma / 2, 0)],
        SMALLER_POWER,
        DOMAIN.restricted([gamma]),
    )
    criterion = Criterion(
        "collapsed classes on a simplex are optimal", Le(-pull, S.Zero, evaluate=False)
    )
    found = threshold(criterion, alpha, ASKED, proof)
    there = {D: APART ** (gamma / 2)}
    similarity = to_square(SIMILARITY, APART)
    value = ReducedLoss(in_similarities(KERNEL_SUPCL), CLASSES).value(
        {r.name: S.Zero for r in CLASSES.relations} | {CROSS_CLASS: -D / tau}
    )
    return {
        "alpha_max": Quantity.of(_at(found, there), "alpha_max", r"\alpha_{\max}"),
        "similarity": Quantity(
            similarity,
            r"\psi_{\mathrm{classes}}",
            "logarithm of the kernel of two collapsed classes",
        ),
        "collapsed": Quantity(
            found.relation.xreplace(there),
            r"\mathrm{collapsed}",
            "whether collapsed classes on a simplex are optimal",
        ),
        "loss_collapsed": Quantity(
            tidy(value).xreplace(there),
            r"\mathcal{L}_{\mathrm{collapsed}}",
            "loss of collapsed classes on a simplex",
        ),
    }


def forces(proof: Derivation) -> dict[str, Expr]:
    """Push less pull on a pair at collapsed classes, by relation; as a step."""
    reduced = ReducedLoss(in_similarities(KERNEL_SUPCL), CLASSES)
    inner = {r.name: S.Zero for r in CLASSES.relations} | {CROSS_CLASS: -D / tau}
    found = {r: tidy(e) for r, e in reduced.pair_gradient(inner).items()}
    mass = 1 + (m - 1) * exp(-D / tau)
    proof.holds(
        "Push less pull on a pair, at collapsed classes on a simplex",
        [
            eq("same_instance", 1 / (n * p * mass) - alpha / p),
            eq("same_class", 1 / (n * p * mass) - (1 - alpha) / (p * (n - 1))),
            eq("cross_class", exp(-D / tau) / (n * p * mass)),
        ],
        "the derivative of the loss in the similarity of a pair; D is |x - y|^gamma between "
        "classes, and within them similarities are 0",
        ASKED,
        names={Symbol(r): found[r] for r in (SAME_INSTANCE, SAME_CLASS, CROSS_CLASS)},
    )
    return found


def state_enough(push: dict[str, Expr], proof: Derivation) -> None:
    """A pull on all pairs of a class is enough for the collapse to be a global optimum."""
    inner = {r: Symbol(f"g_{r}", real=True) for r in (SAME_INSTANCE, SAME_CLASS, CROSS_CLASS)}
    total = CLASSES.eigenvalue("mean", {"self": S.One, **inner})
    row = Symbol("sum_of_row", nonnegative=True)
    views, items = (Symbol(f"below_one_{x}", nonnegative=True) for x in ("views", "class"))
    below = {inner[SAME_INSTANCE]: 1 - views, inner[SAME_CLASS]: 1 - items}
    held = solve_linear(total.xreplace(below) - row, inner[CROSS_CLASS])
    falls = between(0, 2)
    room = COMBINED.restricted([m, n, p]).with_range(row, Range(low_open=False), 1)
    room = room.with_range(views, falls, 1).with_range(items, falls, 1)
    proof.holds(
        "Between classes nothing is gained when points of a class part",
        [
            eq("raised", (row + (p - 1) * views + (n - 1) * p * items) / (n * p * (m - 1))),
            ge("raised", 0),
        ],
        "by how much the mean inner product between classes is above -1/(m - 1); the similarity "
        "is convex and rises, so its mean there does not fall",
        room,
        names={Symbol("raised"): held + 1 / (m - 1)},
    )
    proof.holds(
        "The loss is above that of collapsed classes by at least the pulls within classes",
        ge(push[CROSS_CLASS], 0),
        TANGENT,
        ASKED,
        given=[log_sum_exp_is_convex(4)],
    )
    weights = {
        "self": S.Zero,
        SAME_INSTANCE: -push[SAME_INSTANCE],
        SAME_CLASS: -push[SAME_CLASS],
        CROSS_CLASS: S.Zero,
    }
    on = CLASSES.eigenvalues(weights)
    laplacian = {e: on["classes"] - on[e] for e in ("views", "instances")}
    proof.holds(
        "Eigenvalues of the Laplacian of these pulls",
        [
            eq("of_instances", n * p * weights[SAME_CLASS]),
            eq("of_views", 1 - 1 / (1 + (m - 1) * exp(-D / tau))),
            gt("of_views", 0),
        ],
        "with the pulls as weights, on contrasts of instances in a class and of views in an "
        "instance; zero on what is constant on classes",
        ASKED,
        names={
            Symbol("of_instances"): laplacian["instances"],
            Symbol("of_views"): laplacian["views"],
        },
    )
    proof.holds(
        "So if the pull on pairs of a class is >= 0 the sum is, and the collapse is optimal",
        [gt(gamma, 0), le(gamma, 2)],
        NEGATIVE_TYPE,
        DOMAIN.restricted([gamma]),
    )


def _at(found: Threshold, values: dict[Symbol, Expr]) -> Threshold:
    """A threshold with the distance put in for D."""
    return replace(
        found,
        condition=found.condition.xreplace(values),
        value=found.value.xreplace(values),
        relation=found.relation.xreplace(values),
        domain=DOMAIN,
    )


RESULT = Result(
    "kernel-supcl",
    title="When classes collapse in the SupCL loss with an exponential kernel",
    source="beyond tan2024spectral, Section 5; the loss is that of lee2025ssem (1)-(3)",
    parameters=(m, n, p, gamma, tau, alpha),
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=KERNEL_SUPCL, structure=CLASSES),
)
