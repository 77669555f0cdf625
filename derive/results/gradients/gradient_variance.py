"""How much the squared gradient of an anchor varies, and the printed bound on that.

With gamma = |M - z+|^2/tau^2 and M - z+ = epsilon (m - z+), gamma lies between 0 and
4 epsilon^2/tau^2, and a number between two ends has a variance that its mean bounds. The printed
bound A sigma + B has a variance on its left that grows like tau^-4, and terms on its right, A
apart, that do not; A is zero for one negative, and of the order 1/N. The laws below break it for
every number of negatives, with all hypotheses met.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product as product_of

from sympy import Expr, Integer, Le, Max, Rational, S, Symbol, exp

from ...decide.domain import POSITIVE, Domain, at_least, between
from ...decide.present import tidy
from ...losses.setting import INFONCE_OF_LAW
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.limiting import take_limit
from ...proof.relations import gt
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.moments import UnitLaw, correlated, mean
from ._bounded import bounds
from ._moments import largest_variance
from ._readings import in_own_ranges

n, d = (Symbol(s, integer=True, positive=True) for s in ("n", "d"))
sigma = Symbol("sigma", positive=True)
epsilon, epsilon_max, first = (
    Symbol(s, nonnegative=True) for s in ("epsilon", "epsilon_max", "mean_squared_gradient")
)
t = Symbol("t", positive=True)
mu = Symbol("mu_corr", real=True)
N = n - 2

DOMAIN = Domain(
    {
        n: at_least(3, "an anchor, its positive and at least one negative are needed"),
        tau: POSITIVE,
        sigma: between(1 / N, 1, why="at most N eigenvalues are nonzero and they sum to 1"),
        epsilon_max: between(0, 1),
        epsilon: between(0, epsilon_max),
        first: between(0, 4 * epsilon_max**2 / tau**2),
        t: between(0, 1, "(]"),
        d: at_least(1),
        mu: between(
            -1 / Max(1, N - 1),
            1,
            why="the mean of the negatives has a squared length of at least 0",
        ),
    },
    {
        n: 4,
        tau: 1,
        sigma: S.Half,
        epsilon: Rational(1, 4),
        epsilon_max: S.Half,
        first: S.Half,
        t: S.Half,
        d: 3,
        mu: 0,
    },
)
MEANINGS = {
    n: "number of vectors, N = n - 2 of which are negatives",
    tau: "temperature",
    sigma: "mean of the largest eigenvalue of the negatives' second moment",
    epsilon: "root mean square of the softmax error",
    epsilon_max: "largest softmax error",
    first: "mean of the squared gradient",
    t: "trace of the square of the second moment of one negative",
    d: "dimension",
    mu: "mean inner product of two different negatives",
}
CASES = {
    # On a line: the positive is opposite to the anchor, the negative on either side.
    "ONE_NEGATIVE": {
        "vectors": {
            "weights": ["1/2", "1/2"],
            "anchor": [["1"], ["1"]],
            "positive": [["-1"], ["-1"]],
            "negatives": [[["1"]], [["-1"]]],
        },
        "tau": "1",
    }
}
BOUNDS = r"""
variance_printed | printed gradient_variance <= | ONE_NEGATIVE
    the printed bound (V) on the variance of the squared gradient; false for every n
    proved where 4 epsilon_max^4/tau^4 <= A sigma + B
variance_by_range | gradient_variance <= | ONE_NEGATIVE
    variance of the squared gradient, from the largest softmax error
    iff gamma is 0 or 4 epsilon_max^2/tau^2 with probability 1/2 each: all negatives equal the
    positive, or all are opposite to it and the softmax error is largest
variance_by_mean | gradient_variance <= | ONE_NEGATIVE
    variance of the squared gradient, from its mean and the largest softmax error; never weaker
    than from that error alone
    iff gamma takes only the values 0 and 4 epsilon_max^2/tau^2
"""
#: Vectors of the smallest law: an anchor, its positive and one negative.
SMALLEST = Integer(3)


def printed_coefficient(n: Expr, tau: Expr) -> Expr:
    """The printed A, from the terms that it is made of: 3/tau^4 times a printed variance."""
    return 3 / tau**4 * printed_variance(n - 2)


def printed_variance(size: Expr) -> Expr:
    """What is printed for the variance of the squared norm of a mean of so many unit vectors."""
    return (1 - 1 / size) / size


def build(proof: Derivation) -> dict[str, Quantity]:
    quarter = largest_variance(proof)
    A = printed_coefficient(n, tau)
    B = epsilon**2 + epsilon**2 / N
    range_ = 4 * epsilon_max**2 / tau**2
    by_range, by_mean = by_the_range(proof, quarter, range_)
    values = {
        "variance_printed": A * sigma + B,
        "variance_by_range": by_range,
        "variance_by_mean": by_mean,
    }
    constants = {"variance_printed": {"A": A, "B": B}, "variance_by_range": {"c": quarter * 16}}
    more = {name: {"constants": e} for name, e in constants.items()}
    found: dict[str, Quantity] = {
        "A": Quantity(A, "A", "the printed coefficient of sigma"),
        "B": Quantity(B, r"B_\tau", "the printed term without sigma, of order tau^0"),
        **bounds(About.LAW, BOUNDS, values, CASES, more),
        "printed_holds_if": Quantity(
            Le(by_range, A * sigma + B, evaluate=False),
            r"\text{(V) holds}",
            "whether the bound from the range is at most the printed bound, which then holds",
        ),
        **sampling(proof),
        "excess_one_negative": one_negative(proof),
        **many_negatives(proof),
        "excess_of_sampling": two_negatives(proof),
    }
    return in_own_ranges(found, DOMAIN)


def by_the_range(proof: Derivation, quarter: Expr, range_: Expr) -> tuple[Expr, Expr]:
    """Bounds on the variance of a number between 0 and ``range_``."""
    where = DOMAIN.restricted([tau, epsilon_max, first])
    by_mean, by_range = first * (range_ - first), quarter * range_**2
    proof.equal(
        "The squared gradient gamma lies between 0 and 4 epsilon^2/tau^2",
        {
            "variance_by_range": (by_range, 4 * epsilon_max**4 / tau**4),
            "room": (by_range - by_mean, (first - range_ / 2) ** 2),
        },
        "m and z+ lie in the unit ball, so |m - z+| <= 2, and M - z+ = epsilon (m - z+). The two "
        "steps before, for a number in [0, 4 epsilon_max^2/tau^2], give both bounds; room is the "
        "bound by the range minus that by the mean, a square",
        where,
    )
    return by_range, by_mean


# --- the mean of the negatives -------------------------------------------------------------------
def sampling(proof: Derivation) -> dict[str, Quantity]:
    """The squared norm of the mean of N unit vectors."""
    where = DOMAIN.restricted([n, t])
    independent = UnitLaw(t)
    variance = tidy(independent.variance(N))
    pairs = tidy(correlated(N, mu))
    proof.equal(
        "The squared norm of the mean of N independent unit vectors whose distribution has mean "
        "zero: its mean, mean square and variance",
        {
            "its_mean": (independent.squared_mean(N), 1 / N),
            "mean_of_square": (independent.fourth_mean(N), (2 * t * (N - 1) + N) / N**3),
            "its_variance": (variance, 2 * (N - 1) * t / N**3),
        },
        "these are sums over two and four indices; a term with an index that occurs once has mean "
        "zero, and two pairs of equal indices give 1, or <x, y>^2 with the mean t, the trace of "
        "the squared second moment",
        where,
    )
    proof.equal(
        "The printed variance exceeds this one for N >= 3; if two different vectors have the mean "
        "inner product mu_corr, the mean of the squared norm is correlated",
        {
            "printed_less_exact": (printed_variance(N) - variance, (N - 1) * (N - 2 * t) / N**3),
            "correlated": (pairs, 1 / N + (N - 1) * mu / N),
        },
        "the difference is zero for N = 1, and for N = 2 with t = 1, that is for collinear "
        "vectors. The printed mean 1/N assumes that different vectors are uncorrelated, mu_corr = "
        "0",
        DOMAIN.restricted([n, t, mu]),
    )
    return {
        "sampling_mean": Quantity(
            pairs,
            r"\mathbb{E}\|\bar z\|^2",
            "mean squared norm of the mean of the negatives; it is 1/N iff they are uncorrelated",
        ),
        "sampling_variance": Quantity(
            variance,
            r"\mathrm{Var}\|\bar z\|^2",
            "variance of the squared norm of a mean of independent unit vectors with mean zero",
        ),
        "sampling_variance_isotropic": Quantity(
            tidy(variance.xreplace({t: 1 / d})),
            r"\mathrm{Var}\|\bar z\|^2",
            "variance of the squared norm of a mean of independent unit vectors whose second "
            "moment is the identity over d: its minimum",
        ),
        "sampling_variance_printed": Quantity(
            printed_variance(N),
            r"\frac{1}{N}(1 - \frac{1}{N})",
            "the printed variance of the squared norm of the mean",
        ),
    }


# --- laws that break the printed bound -----------------------------------------------------------
def one_negative(proof: Derivation) -> Quantity:
    """On a line: the positive is opposite to the anchor, the negative on either side."""
    warm = DOMAIN.restricted([tau])
    with_anchor = exp(1 / tau) / (exp(1 / tau) + exp(-1 / tau))  # the positive has exp(-1/tau)
    with_positive = S.Half
    errors = (with_anchor, with_positive)
    gammas = ((with_anchor * 2) ** 2 / tau**2, S.Zero)  # m - z+ is 2, or 0
    variance = _mean(g**2 for g in gammas) - _mean(gammas) ** 2
    square = _mean(e**2 for e in errors)
    bound = (printed_coefficient(SMALLEST, tau) + square + square / (SMALLEST - 2)).expand()
    at_one = variance.xreplace({tau: S.One}) - bound.xreplace({tau: S.One})
    y = exp(-2 / tau)
    proof.equal(
        "In dimension 1, if the positive is opposite to the anchor and one negative equals either "
        "with probability 1/2, the variance exceeds the printed bound at temperature 1",
        {
            "its_variance": (variance, 4 / (tau**4 * (1 + y) ** 4)),
            "printed": (bound, 1 / (1 + y) ** 2 + Rational(1, 4)),
        },
        "the two outcomes are substituted; A is zero for one negative. No smaller n, d or number "
        "of outcomes exists",
        warm,
        also=[gt(at_one, 0)],
    )
    return Quantity(
        variance - bound,
        r"\mathrm{Var}(\gamma) - (A\sigma + B)",
        "variance minus the printed bound, for one negative that equals the anchor or the "
        "positive opposite to it with probability 1/2 each",
        warm,
    )


def two_negatives(proof: Derivation) -> Quantity:
    """The mean of |B|^2 against that of epsilon^2 over N, for independent negatives, mean zero."""
    warm = DOMAIN.restricted([tau])
    count, cosine = Integer(2), Rational(3, 5)
    logits = (cosine / tau, -cosine / tau)
    mean_square, product = S.Zero, S.Zero
    for chosen in product_of(logits, repeat=2):
        total = sum((exp(s - 1 / tau) for s in chosen), S.Zero)
        square = (total / (1 + total)) ** 2 / 4
        mean_square += square
        product += square * (1 if chosen[0] == chosen[1] else 0)  # opposite ones have mean zero
    excess = product - mean_square / count
    proof.holds(
        "For two independent negatives that are u or -u with probability 1/2 each, where <u, z> = "
        "3/5, and the positive equal to the anchor z, the mean of |B|^2 at temperature 1/5 "
        "exceeds that of epsilon^2 over N",
        gt(excess.xreplace({tau: Rational(1, 5)}), 0),
        "epsilon and the mean of the negatives are dependent, although the negatives are "
        "independent with mean zero; for one negative both means are equal",
        warm,
    )
    return Quantity(
        excess,
        r"\mathbb{E}\|B\|^2 - \mathbb{E}[\epsilon^2]/N",
        "mean of the squared sampling term minus the printed value, for two independent negatives "
        "u or -u at the cosine 3/5 or -3/5 to an anchor that equals its positive",
        warm,
    )


def many_negatives(proof: Derivation) -> dict[str, Quantity]:
    """Negatives at right angles to the anchor, on axes; the positive on either side of it."""
    where = DOMAIN.restricted([n, tau])
    axes = N**2
    near, far = N / (N + exp(1 / tau)), N / (N + exp(-1 / tau))
    law = UnitLaw(1 / axes)
    square = Symbol("X")
    moments = {1: law.squared_mean(N), 2: law.fourth_mean(N)}
    of_mean = mean(1 + square, square, moments)
    of_square = mean((1 + square) ** 2, square, moments)
    variance = (
        _mean((near**4, far**4)) * of_square - (_mean((near**2, far**2)) * of_mean) ** 2
    ) / tau**4
    # One over N, and 1 where two of the N (N - 1)/2 pairs lie on one of the axes.
    sigma_most = 1 / N + (1 - 1 / N) * N * (N - 1) / 2 / axes
    square_error = _mean((near**2, far**2))
    bound = printed_coefficient(n, tau) * sigma_most + square_error + square_error / N
    scaled = (variance - bound) * tau**4
    limit = take_limit("excess_on_axes", scaled, tau, S.Zero, where, proof)
    proof.holds(
        "For N negatives drawn from N^2 axes orthogonal to the anchor, and the positive equal or "
        "opposite to the anchor, the variance exceeds the printed bound at every small "
        "temperature",
        gt(tidy(limit), 0),
        "the softmax of the negatives is uniform, |m - z+|^2 is 1 + |mean|^2, and epsilon is N/(N "
        "+ exp(1/tau)) or N/(N + exp(-1/tau)) with probability 1/2 each; sigma is at most 1/N, "
        "plus 1 - 1/N times the probability that two negatives share an axis. The inequality is "
        "that for the limit tau -> 0 of tau^4 times the difference",
        DOMAIN.restricted([n]),
    )
    return {
        "excess_on_axes": Quantity(
            scaled,
            r"\tau^4 (\mathrm{Var}(\gamma) - (A\sigma + B))",
            "lower bound of tau^4 times the variance minus the printed bound: negatives on axes "
            "orthogonal to the anchor, whose positive equals it or is opposite to it",
            where,
        ),
        "excess_cold": Quantity(
            tidy(limit),
            r"\lim_{\tau \to 0} \tau^4 (\mathrm{Var}(\gamma) - (A\sigma + B))",
            "limit of excess_on_axes as tau -> 0",
            DOMAIN.restricted([n]),
        ),
    }


def _mean(values: Iterable[Expr]) -> Expr:
    found = list(values)
    return sum(found, S.Zero) / len(found)


RESULT = Result(
    "gradient-variance",
    title="The variance of the squared gradient and of the squared norm of a mean",
    source="ochieng2025diversity, Section 2.4 and Appendix A.7",
    parameters=(n, tau, sigma, epsilon, epsilon_max, first, t, d, mu),
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=INFONCE_OF_LAW,
)
