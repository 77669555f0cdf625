"""The readings that results on gradients are functions of, with what they are and their ranges."""

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Rational, Symbol, sqrt

from ...decide.coefficients import closure
from ...decide.domain import FREE, POSITIVE, Domain, at_least, between
from ...losses.softmax import tau
from ...theorem.quantity import Quantity

n = Symbol("n", integer=True, positive=True)
epsilon = Symbol("epsilon", positive=True)
rho = Symbol("rho", real=True)
mu = Symbol("mu", nonnegative=True)
sigma = Symbol("sigma", positive=True)
sigma_positive = Symbol("sigma_positive", nonnegative=True)
participation = Symbol("participation", positive=True)
mean_norm = Symbol("mean_norm", nonnegative=True)
variance = Symbol("variance", nonnegative=True)
softmax_variance = Symbol("softmax_variance", nonnegative=True)
similarity = Symbol("similarity", real=True)
alignment = Symbol("alignment", real=True)
mean_epsilon_squared = Symbol("mean_epsilon_squared", positive=True)
mean_rho = Symbol("mean_rho", real=True)
sigma_hat = Symbol("sigma_hat", positive=True)
mean_epsilon_squared_sigma = Symbol("mean_epsilon_squared_sigma", positive=True)
mean_epsilon_squared_sigma_squared = Symbol("mean_epsilon_squared_sigma_squared", positive=True)
c = Symbol("c", nonnegative=True)

#: Number of negatives.
N: Expr = n - 2

MEANINGS = {
    n: "number of vectors: the anchor, its positive and N = n - 2 negatives",
    tau: "temperature",
    epsilon: "softmax probability of all negatives together",
    rho: "<M, z+>, M being the softmax mean of the positive and the negatives",
    mu: "length of the softmax mean m of the negatives",
    sigma: "largest eigenvalue of (1/N) sum z_j z_j^T over the negatives",
    sigma_positive: "largest eigenvalue of (1/N) sum w_j w_j^T over the parts w_j of the negatives "
    "orthogonal to the positive",
    participation: "sum of the squares of the softmax weights q_j of the negatives",
    mean_norm: "length of the mean of the negatives",
    variance: "variance of the similarities <z, z_j>, all negatives weighted equally",
    softmax_variance: "variance of the similarities <z, z_j> under q",
    similarity: "<z, m>, the mean similarity under q",
    alignment: "<z, z+>",
    mean_epsilon_squared: "mean of epsilon^2 over the anchors of a batch",
    mean_rho: "mean of rho over the anchors of a batch",
    sigma_hat: "largest eigenvalue of (1/n) sum z_i z_i^T over a batch",
    mean_epsilon_squared_sigma: "mean of epsilon^2 sigma over the anchors of a batch",
    mean_epsilon_squared_sigma_squared: "mean of epsilon^2 sigma^2 over the anchors of a batch",
    c: "the paper's softmax-smoothness constant, set to 1/2 in its plots",
}

#: 64 roundings of a float64 near 1, as sums over hundreds of negatives collect. A reading that lies
#: outside of its range by no more counts as the end of the range.
ROUNDING = Rational(1, 2**47)

RANGES = {
    n: at_least(3, "at least one negative is needed"),
    tau: POSITIVE,
    epsilon: between(0, 1, "()"),
    rho: between(1 - 2 * epsilon, 1, why="1 - rho equals epsilon times 1 - <m, z+>"),
    sigma: between(1 / N, 1, why="at most N eigenvalues are nonzero and they sum to 1"),
    sigma_positive: between(0, 1, why="sigma_positive is at most sigma"),
    participation: between(1 / N, 1, why="the N weights sum to 1"),
    mean_norm: between(
        0, sqrt(sigma), why="the mean square along any unit vector is at most sigma"
    ),
    variance: between(0, sigma, why="the variance is at most the mean square of the similarities"),
    softmax_variance: between(0, 1),
    similarity: between(-1, 1),
    alignment: between(-1, 1),
    mean_epsilon_squared: between(0, 1, "()"),
    mean_rho: between(1 - 2 * sqrt(mean_epsilon_squared), 1, why="1 - rho is at most 2 epsilon"),
    sigma_hat: between(1 / n, 1, why="at most n eigenvalues are nonzero and they sum to 1"),
    mean_epsilon_squared_sigma: between(0, mean_epsilon_squared, "(]", "sigma is at most 1"),
    mean_epsilon_squared_sigma_squared: between(
        0, mean_epsilon_squared_sigma, "(]", "sigma is at most 1"
    ),
    c: FREE,
}
RANGES = {s: r if r.integer or s == c else replace(r, rounding=ROUNDING) for s, r in RANGES.items()}
SMALL = Rational(1, 10**6)  #: inside its range also where that is short
WITNESS = {
    n: 6,
    tau: Rational(1, 2),
    epsilon: Rational(1, 2),
    rho: 1 - SMALL,
    sigma: Rational(1, 2),
    sigma_positive: Rational(1, 3),
    participation: Rational(1, 2),
    mean_norm: SMALL,
    variance: SMALL,
    softmax_variance: Rational(1, 4),
    similarity: Rational(1, 3),
    alignment: Rational(1, 2),
    mean_epsilon_squared: Rational(1, 4),
    mean_rho: 1 - SMALL,
    sigma_hat: Rational(1, 2),
    mean_epsilon_squared_sigma: SMALL,
    mean_epsilon_squared_sigma_squared: SMALL**2,
    c: Rational(1, 2),
}


def readings(names: str) -> tuple[Symbol, ...]:
    """Readings by their names, in this order."""
    by_name = {s.name: s for s in RANGES}
    return tuple(by_name[name] for name in names.split())


def domain_of(*symbols: Symbol) -> Domain:
    """The ranges of these readings, and of those that they refer to."""
    wanted = list(symbols)
    for s in wanted:
        wanted += (RANGES[s].low.free_symbols | RANGES[s].high.free_symbols) - set(wanted)
    return Domain({s: RANGES[s] for s in wanted}, {s: WITNESS[s] for s in wanted})


def in_own_ranges(found: Mapping[str, Quantity], domain: Domain) -> dict[str, Quantity]:
    """Each quantity where its own readings are in their ranges, whatever the others are."""
    return {
        name: q
        if q.domain is not None
        else replace(q, domain=domain.restricted(closure(q.expression.free_symbols, domain)))
        for name, q in found.items()
    }
