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
from ...decide.domain import FREE, POSITIVE, between, region
from ...decide.present import solve_linear, tidy
from ...losses.kernel import KERNEL_SUPCL, gamma, in_similarities
from ...losses.softmax import tau
from ...losses.supcl import CROSS_CLASS, SAME_CLASS, SAME_INSTANCE, alpha
from ...optimum.reduce import ReducedLoss
from ...optimum.threshold import Criterion, Threshold, threshold
from ...problems.domains import COMBINED
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, le
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
        "If repulsion exceeds attraction between the instances of a class, separating them by a "
        "small x in inner product lowers the loss: their term is of the order x^(gamma/2), all "
        "others are of the order x",
        [gt(1 - gamma / 2, 0), gt(gamma / 2, 0)],
        SMALLER_POWER,
        DOMAIN.restricted([gamma]),
    )
    criterion = Criterion(
        "collapsed classes on a simplex are optimal", Le(-pull, S.Zero, evaluate=False)
    )
    found = threshold(criterion, alpha, ASKED, proof)
    apart = {D: APART ** (gamma / 2)}
    similarity = to_square(SIMILARITY, APART)
    value = ReducedLoss(in_similarities(KERNEL_SUPCL), CLASSES).value(
        {r.name: S.Zero for r in CLASSES.relations} | {CROSS_CLASS: -D / tau}
    )
    return {
        "alpha_max": Quantity.from_threshold(_at(found, apart), "alpha_max", r"\alpha_{\max}"),
        "similarity": Quantity(
            similarity,
            r"\psi_{\mathrm{classes}}",
            "logarithm of the kernel of two collapsed classes",
        ),
        "collapsed": Quantity(
            found.relation.xreplace(apart),
            r"\mathrm{collapsed}",
            "whether collapsed classes on a simplex are optimal",
        ),
        "loss_collapsed": Quantity(
            tidy(value).xreplace(apart),
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
    proof.equal(
        "The derivative of the loss in the similarity of a pair (repulsion minus attraction), at "
        "collapsed classes on a simplex",
        {
            r: (found[r], e)
            for r, e in (
                (SAME_INSTANCE, 1 / (n * p * mass) - alpha / p),
                (SAME_CLASS, 1 / (n * p * mass) - (1 - alpha) / (p * (n - 1))),
                (CROSS_CLASS, exp(-D / tau) / (n * p * mass)),
            )
        },
        "D is |x - y|^gamma between classes; inside a class all similarities are 0",
        ASKED,
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
    free = {row: FREE, views: between(0, 2), items: between(0, 2)}
    proof.equal(
        "If points of a class separate, the mean similarity between classes does not decrease",
        {
            "raised": (
                held + 1 / (m - 1),
                (row + (p - 1) * views + (n - 1) * p * items) / (n * p * (m - 1)),
            )
        },
        "raised is the difference of the mean inner product between classes and its value "
        "-1/(m - 1) at collapsed classes, in terms of row sums and of inner products inside "
        "classes; the similarity is convex and increasing in the inner product",
        region({**COMBINED.restricted([m, n, p]).ranges, **free}),
        also=[ge("raised", 0)],
    )
    proof.holds(
        "The loss minus that of collapsed classes is at least the sum over pairs inside classes of "
        "attraction minus repulsion, times minus their similarity",
        ge(push[CROSS_CLASS], 0),
        TANGENT,
        ASKED,
        premises=[log_sum_exp_is_convex(4)],
    )
    weights = {
        "self": S.Zero,
        SAME_INSTANCE: -push[SAME_INSTANCE],
        SAME_CLASS: -push[SAME_CLASS],
        CROSS_CLASS: S.Zero,
    }
    on = CLASSES.eigenvalues(weights)
    laplacian = {e: on["classes"] - on[e] for e in ("views", "instances")}
    proof.equal(
        "Eigenvalues of the Laplacian whose weights are attraction minus repulsion inside classes",
        {
            "of_instances": (laplacian["instances"], n * p * weights[SAME_CLASS]),
            "of_views": (laplacian["views"], 1 - 1 / (1 + (m - 1) * exp(-D / tau))),
        },
        "the eigenvectors are contrasts of the instances in a class and of the views of an "
        "instance; vectors that are constant on classes have the eigenvalue 0",
        ASKED,
        also=[gt("of_views", 0)],
    )
    proof.holds(
        "If attraction is at least repulsion between instances of a class, that sum is at least 0 "
        "and collapsed classes are optimal",
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


KEYWORDS = "class collapse"
RESULT = Result(
    "kernel-supcl",
    title="When classes collapse in the SupCL loss with an exponential kernel",
    source="beyond tan2024spectral, Section 5; the loss is that of lee2025ssem (1)-(3)",
    parameters=(m, n, p, gamma, tau, alpha),
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=KERNEL_SUPCL, structure=CLASSES),
)
