"""The simplex is optimal for every similarity that is convex and rises with the inner product.

No convexity in the Gram matrix is used: the loss is convex in the similarities, these are convex in
the inner products of negatives, and positives are as similar as can be at the simplex.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, S, Symbol

from ...decide.calculus import derivative
from ...decide.convexity import log_sum_exp_is_convex
from ...decide.domain import Domain, Range, between
from ...decide.present import solve_linear
from ...losses.kernel import in_similarities
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import SAME_INSTANCE
from ...optimum.reduce import ReducedLoss
from ...problems.domains import INSTANCES, ITEMS
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt, lt
from ...structures.hierarchy import VIEWS, hierarchy, n, p
from ...structures.scheme import Scheme
from ...structures.towers import NEGATIVE, WITHIN, N, towers
from ...structures.towers import POSITIVE as ALIGNED
from ._lemmas import CHORD, JENSEN

#: Views in instances, all others being negatives.
NO_CLASSES = hierarchy(VIEWS, (n, NEGATIVE, "instances"))
TWO_TOWERS = towers()
SIZES = INSTANCES.restricted([n, p])

#: Mean similarities of positives and of negatives.
psi_p, psi_n = Symbol("psi_p", real=True), Symbol("psi_n", real=True)
LINE = Range(-S.Infinity)
SIMILARITIES = {psi_p: LINE, psi_n: LINE}


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
    room = SIZES.with_range(t, Range(low_open=False), 1).with_range(below, between(0, 2), 1)
    held = solve_linear(total.xreplace({inner[SAME_INSTANCE]: 1 - below}) - t, inner[NEGATIVE])
    proof.holds(
        "The mean inner product of negatives is at least -1/(n - 1)",
        eq("above_simplex", (t + (p - 1) * below) / (p * (n - 1))),
        "the mean of the row sums of the Gram matrix is >= 0, and so is that by which the mean "
        "inner product of other views is below 1; both vanish at the simplex with "
        "coinciding views",
        room,
        names={Symbol("above_simplex"): held + 1 / (n - 1)},
    )
    where = Domain({**SIZES.ranges, **SIMILARITIES}, {**SIZES.witness, psi_p: -1, psi_n: -2})
    proof.holds(
        "The loss is at least this at the means, falling in psi_p and rising in psi_n",
        [lt(derivative(value, psi_p), 0), gt(derivative(value, psi_n), 0)],
        JENSEN,
        where,
        given=[log_sum_exp_is_convex(2)],
    )
    return value


def state_towers(loss: SoftmaxLoss, proof: Derivation) -> Expr:
    """Two towers: the least loss, in psi_n the similarity at the simplex; as steps."""
    value = at_similarities(loss, TWO_TOWERS, ALIGNED)
    g = {r: Symbol(f"g_{r}", real=True) for r in (ALIGNED, WITHIN, NEGATIVE)}
    found = TWO_TOWERS.eigenvalues({"self": S.One, **g})
    below = Symbol("below_one", nonnegative=True)
    pair = (found["differing_contrasts"] + found["shared_mean"] / (N - 1)) / 2
    proof.holds(
        "The mean inner product of negatives by that of positives",
        eq(
            "half_of_eigenvalues",
            (g[NEGATIVE] + 1 / (N - 1)) + (N - 2) / (2 * (N - 1)) * (1 - g[ALIGNED]),
        ),
        "the eigenvalue of the Gram matrix on contrasts in which the towers differ and 1/(N - 1) "
        "of that on the shared mean, in which the inner products inside a tower cancel: >= 0; so a "
        "fall of positives by x lets negatives fall by x (N - 2)/(2 (N - 1)) at most",
        Domain({**ITEMS.ranges, **dict.fromkeys(g.values(), LINE)}, _zeros(ITEMS, g.values())),
        names={Symbol("half_of_eigenvalues"): pair},
        given=[],
    )
    psi, slope, rest, more = (Symbol(s, real=True) for s in ("psi_simplex", "k", "u", "v"))
    top, bottom = psi + slope * N / (N - 1) + rest, psi - more
    chord = (top - bottom) / 2
    tangent = slope * (N - 2) / (2 * (N - 1))
    where = Domain(
        {
            **ITEMS.ranges,
            psi: LINE,
            slope: Range(low_open=False),
            rest: Range(low_open=False),
            more: Range(low_open=False),
            below: between(0, 2),
        },
        {**ITEMS.witness, psi: -1, slope: 1, rest: 1, more: 1, below: 1},
    )
    proof.holds(
        "What positives lose by falling is at least what negatives gain: k is the derivative at "
        "the "
        "simplex, u by how much equal vectors are above the tangent there, v by how much opposite "
        "ones are below the simplex",
        [eq("loss_over_gain", slope / (N - 1) + (rest + more) / 2), ge("loss_over_gain", 0)],
        CHORD,
        where,
        names={Symbol("loss_over_gain"): chord - tangent},
    )
    free = Domain({**ITEMS.ranges, **SIMILARITIES}, {**ITEMS.witness, psi_p: -1, psi_n: -2})
    proof.holds(
        "The loss depends on psi_n - psi_p and rises with it",
        [
            eq("slope_in_positives", -derivative(value, psi_n)),
            gt(derivative(value, psi_n), 0),
        ],
        JENSEN,
        free,
        names={Symbol("slope_in_positives"): derivative(value, psi_p)},
        given=[log_sum_exp_is_convex(2)],
    )
    return value


def _zeros(domain: Domain, more: Iterable[Symbol]) -> dict[Symbol, Expr]:
    return {**domain.witness, **dict.fromkeys(more, S.Zero)}
