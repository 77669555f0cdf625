"""The simplex is optimal for every similarity that is convex and rises with the inner product.

No convexity in the Gram matrix is used: the loss is convex in the similarities, these are convex in
the inner products of negatives, and positives are as similar as can be at the simplex.
"""

from __future__ import annotations

from sympy import Expr, S, Symbol

from ...decide.calculus import derivative
from ...decide.convexity import log_sum_exp_is_convex
from ...decide.domain import FREE, LINE, between, region
from ...decide.present import solve_linear
from ...losses.kernel import in_similarities
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import SAME_INSTANCE
from ...optimum.dimension import rank
from ...optimum.reduce import ReducedLoss
from ...problems.domains import INSTANCES, ITEMS
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, lt
from ...structures.hierarchy import VIEWS, hierarchy, n, p
from ...structures.scheme import Scheme
from ...structures.towers import NEGATIVE, WITHIN, N, towers
from ...structures.towers import POSITIVE as ALIGNED
from ._lemmas import JENSEN
from ._similarity import APART

#: Views in instances, all others being negatives.
NO_CLASSES = hierarchy(VIEWS, (n, NEGATIVE, "instances"))
TWO_TOWERS = towers()
SIZES = INSTANCES.restricted([n, p])

#: Mean similarities of positives and of negatives.
psi_p, psi_n = Symbol("psi_p", real=True), Symbol("psi_n", real=True)
SIMILARITIES = {psi_p: LINE, psi_n: LINE}


def simplex_rank() -> Expr:
    """In how many dimensions the simplex of n instances with coinciding views fits."""
    inner = {"self": S.One, SAME_INSTANCE: S.One, NEGATIVE: 1 - APART / 2}
    return rank(NO_CLASSES, inner, SIZES)


def at_similarities(loss: SoftmaxLoss, scheme: Scheme, positive: str) -> Expr:
    """The loss where positives have the similarity psi_p and negatives psi_n."""
    reduced = ReducedLoss(in_similarities(loss), scheme)
    kinds = {r.name: S.Zero for r in scheme.relations}
    return reduced.value({**kinds, positive: psi_p, NEGATIVE: psi_n})


def state_views(loss: SoftmaxLoss, proof: Derivation) -> Expr:
    """Views in instances: the least loss, in psi_n the similarity at the simplex; as steps."""
    value = at_similarities(loss, NO_CLASSES, SAME_INSTANCE)
    inner = {r: Symbol(f"g_{r}", real=True) for r in (SAME_INSTANCE, NEGATIVE)}
    total = NO_CLASSES.eigenvalue("mean", {"self": S.One, **inner})
    t, below = Symbol("sum_of_row", nonnegative=True), Symbol("below_one", nonnegative=True)
    held = solve_linear(total.xreplace({inner[SAME_INSTANCE]: 1 - below}) - t, inner[NEGATIVE])
    proof.equal(
        "The mean inner product of negatives is at least -1/(n - 1)",
        {"above_simplex": (held + 1 / (n - 1), (t + (p - 1) * below) / (p * (n - 1)))},
        "the mean row sum of the Gram matrix is at least 0, and so is the difference of 1 and the "
        "mean inner product of two views; both vanish at the simplex with coinciding views",
        SIZES.with_range(t, FREE, 1).with_range(below, between(0, 2), 1),
    )
    proof.holds(
        "The loss is at least its value at the mean similarities psi_p of other views and psi_n of "
        "negatives, which decreases with psi_p and increases with psi_n",
        [lt(derivative(value, psi_p), 0), gt(derivative(value, psi_n), 0)],
        JENSEN,
        region({**SIZES.ranges, **SIMILARITIES}),
        premises=[log_sum_exp_is_convex(2)],
    )
    return value


def state_towers(loss: SoftmaxLoss, proof: Derivation) -> Expr:
    """Two towers: the least loss, in psi_n the similarity at the simplex; as steps."""
    value = at_similarities(loss, TWO_TOWERS, ALIGNED)
    g = {r: Symbol(f"g_{r}", real=True) for r in (ALIGNED, WITHIN, NEGATIVE)}
    found = TWO_TOWERS.eigenvalues({"self": S.One, **g})
    pair = (found["differing_contrasts"] + found["shared_mean"] / (N - 1)) / 2
    proof.equal(
        "A lower bound of the mean inner product of negatives by that of positives",
        {
            "half_of_eigenvalues": (
                pair,
                (g[NEGATIVE] + 1 / (N - 1)) + (N - 2) / (2 * (N - 1)) * (1 - g[ALIGNED]),
            )
        },
        "half the sum of two eigenvalues of the Gram matrix, each at least 0: on the contrasts in "
        "which the towers differ, and on the shared mean, divided by N - 1; the inner products "
        "inside a tower cancel. So if the mean inner product of positives is x below 1, that of "
        "negatives is at most x (N - 2)/(2 (N - 1)) below -1/(N - 1)",
        region({**ITEMS.ranges, **dict.fromkeys(g.values(), LINE)}),
    )
    psi, slope, rest, more = (Symbol(s, real=True) for s in ("psi_simplex", "k", "u", "v"))
    top, bottom = psi + slope * N / (N - 1) + rest, psi - more
    chord = (top - bottom) / 2
    tangent = slope * (N - 2) / (2 * (N - 1))
    proof.equal(
        "If the inner product of positives decreases, their similarity decreases by at least as "
        "much as the similarity of negatives can",
        {"loss_over_gain": (chord - tangent, slope / (N - 1) + (rest + more) / 2)},
        "a convex function on an interval lies below its chord and above its tangents; k is the "
        "derivative of the similarity at the simplex, u the height of its value at equal vectors "
        "above the tangent there, v the depth of its value at opposite vectors below its value at "
        "the simplex",
        region({**ITEMS.ranges, psi: LINE, **dict.fromkeys((slope, rest, more), FREE)}),
        also=[ge("loss_over_gain", 0)],
    )
    proof.equal(
        "The loss at mean similarities is a function of psi_n - psi_p",
        {"slope_in_positives": (derivative(value, psi_p), -derivative(value, psi_n))},
        "the two derivatives have the sum 0",
        region({**ITEMS.ranges, **SIMILARITIES}),
    )
    proof.holds(
        "The loss is at least its value at the mean similarities, which increases with "
        "psi_n - psi_p",
        gt(derivative(value, psi_n), 0),
        JENSEN,
        region({**ITEMS.ranges, **SIMILARITIES}),
        premises=[log_sum_exp_is_convex(2)],
    )
    return value
