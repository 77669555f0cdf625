"""The concatenation sum: one kernel sees the first half of an embedding, another the second.

The halves of a unit vector have lengths sqrt(r) and sqrt(1 - r) that nothing fixes. The optimum is
a simplex in each half, all embeddings split alike, and r is where a convex function of one number
is least: up to the Gaussian this is proved for all embeddings.
"""

from __future__ import annotations

from sympy import Expr, Lambda, Rational, S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.convexity import log_sum_exp_is_convex
from ...decide.domain import FREE, LINE, POSITIVE, Domain, between, region
from ...decide.present import tidy
from ...decide.root import ClampedRoot
from ...losses.kernel import gamma, gamma2, tau2
from ...losses.softmax import tau
from ...optimum.dimension import Dimension
from ...problems.domains import INSTANCES
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, le
from ...structures.hierarchy import n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._lemmas import AM_GM, JENSEN_HALVES
from ._similarity import APART, UP_TO_GAUSS, kernel_setting
from ._simplex import simplex_rank

DOMAIN = Domain(
    {**INSTANCES.ranges, gamma: UP_TO_GAUSS, gamma2: UP_TO_GAUSS, tau2: POSITIVE},
    {**INSTANCES.witness, gamma: 1, gamma2: 2, tau2: 1},
)
MEANINGS = {
    n: "instances",
    p: "views per instance",
    gamma: "exponent of the kernel of the first half",
    tau: "temperature of the kernel of the first half",
    gamma2: "exponent of the kernel of the second half",
    tau2: "temperature of the kernel of the second half",
}
#: The squared length of the first half.
r = Symbol("r", nonnegative=True)
#: A kernel by the logarithm v of a squared distance.
v = Symbol("v", real=True)
SIMILARITY = -exp(gamma * v / 2) / tau


def in_square(e: Expr) -> Expr:
    """The derivative in the squared distance of a function of its logarithm."""
    return tidy(exp(-v) * derivative(e, v))


def kernels(share: Expr) -> list[Expr]:
    """Both kernels between vertices of the two simplices, for the share of the first half."""
    return [
        exp(-((APART * part) ** (exponent / 2)) / heat)
        for part, exponent, heat in ((share, gamma, tau), (1 - share, gamma2, tau2))
    ]


def build(proof: Derivation) -> dict[str, Quantity]:
    slope = in_square(SIMILARITY)
    proof.holds(
        "The similarity of a half decreases with its squared distance, whose logarithm is v, and "
        "is convex in it; so is its kernel",
        [
            le(slope, 0),
            ge(in_square(slope), 0),
            ge(in_square(slope) + slope**2, 0),
        ],
        JENSEN_HALVES,
        region({gamma: UP_TO_GAUSS, tau: POSITIVE, v: LINE}),
        premises=[log_sum_exp_is_convex(3)],
    )
    state_means(proof)
    both, mass = Symbol("k_negative", positive=True), Symbol("k_positive", positive=True)
    whole = log((p - 1) + p * (n - 1) * both / mass)
    room = INSTANCES.restricted([n, p]).with_range(both, POSITIVE, 1).with_range(mass, POSITIVE, 2)
    proof.holds(
        "The loss increases with the kernel of negatives and decreases with that of positives",
        [gt(derivative(whole, both), 0), le(derivative(whole, mass), 0)],
        AM_GM,
        room,
    )
    first, second = kernels(r)
    rate = derivative(first, r) + derivative(second, r)
    proof.equal(
        "If the first half of every embedding has the squared length r, both halves can be "
        "simplices at once",
        {"sum_of_squared_distances": (APART * r + APART * (1 - r), 2 * n / (n - 1))},
        "the squared distances 2 n r/(n - 1) and 2 n (1 - r)/(n - 1) attain the bounds in both "
        "halves; the kernel of negatives is then the sum of both kernels, that of positives is 2. "
        "This sum is convex in r, so it is minimal where its derivative changes sign",
        INSTANCES.restricted([n]).with_range(r, between(0, 1), Rational(1, 2)),
    )
    share = ClampedRoot(Lambda(r, rate), S.Zero, S.One)
    best = [k.xreplace({r: share}) for k in kernels(r)]
    halves = Dimension(2 * simplex_rank(), False)
    return {
        "split": Quantity(
            share, r"r^\star", "squared length of the first half of every embedding", room=halves
        ),
        "kernel_negative": Quantity(
            best[0] + best[1],
            r"k_{\mathrm{negative}}",
            "sum of both kernels of two negatives; of two views it is 2",
            room=halves,
        ),
        "least_loss": Quantity(
            whole.xreplace({both: best[0] + best[1], mass: S(2)}),
            r"\mathcal{L}^\star",
            "minimum of the loss, at a simplex in each half with coinciding views",
            spellings=(r"\mathcal{L}^*",),
            room=halves,
        ),
    }


def state_means(proof: Derivation) -> None:
    """How far apart negatives are on average in each half."""
    squares, mean, within = (
        Symbol(s, nonnegative=True) for s in ("mean_square", "square_of_mean", "within")
    )
    size = n * p
    # All ordered pairs of n p points, of which those of one instance are p per anchor.
    every = 2 * size * (squares - mean)
    negatives = (every - p * within) / (size - p)
    where = INSTANCES.restricted([n, p])
    proof.equal(
        "The mean squared distance of negatives in a half is at most 2 n/(n - 1) times the mean "
        "squared length of the half",
        {
            "short_of_it": (
                2 * n / (n - 1) * squares - negatives,
                (2 * n * mean + within) / (n - 1),
            )
        },
        "the sum of |x_u - x_v|^2 over all pairs is 2 (n p)^2 (mean_square - square_of_mean), and "
        "the pairs inside an instance, whose mean is within, are subtracted; the mean squared "
        "lengths of the two halves sum to 1",
        region({**where.ranges, **dict.fromkeys((squares, mean, within), FREE)}),
        also=[ge("short_of_it", 0)],
    )


SETTING = kernel_setting(
    (
        "n instances with p views each; embeddings $z = (x, y)$ of length 1 in two halves, each of "
        "n - 1 dimensions or more"
    ),
    "positives are the other views, the anchor is in no denominator",
    "both kernels weigh the same",
    kernel=r"e^{-|x_u - x_v|^{\gamma}/\tau} + e^{-|y_u - y_v|^{\gamma_{2}}/\tau_{2}}",
    dimension="n - 1 in each half suffices",
)
RESULT = Result(
    "kernel-concatenation",
    title="The optimum of Kernel-InfoNCE with a kernel on each half of the embedding",
    source="beyond tan2024spectral, Section 5",
    parameters=(n, p, gamma, tau, gamma2, tau2),
    domain=DOMAIN,
    build=build,
    subject=SETTING,
    meanings=MEANINGS,
)
