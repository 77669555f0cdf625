"""The largest eigenvalue of the second moment of N independent unit vectors: explicit constants.

For a unit vector v, v v^T is a projection, so that E exp(theta v v^T) is I + (exp(theta) - 1) Sigma
exactly, Sigma being E[v v^T]. The bounds that follow have no other constants, and 1/sigma, the
effective rank of Sigma, where the dimension is usual. The paper's bounds have constants that it
does not give.
"""

from __future__ import annotations

from sympy import Expr, Min, Poly, S, Symbol, exp, factor, log, oo, sqrt

from ...decide.calculus import derivative
from ...decide.domain import LINE, POSITIVE, Domain, at_least, between, region
from ...decide.present import solve_linear, tidy
from ...losses.setting import VECTORS
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._lemmas import LIEB

N, d = (Symbol(s, integer=True, positive=True) for s in "Nd")
sigma, t, theta, delta = (Symbol(s, positive=True) for s in ("sigma_law", "t", "theta", "delta"))
sigma_hat, log_odds = Symbol("sigma_hat", positive=True), Symbol("l", positive=True)
DOMAIN = Domain(
    {
        N: at_least(1),
        sigma: between(0, 1, "()"),
        t: between(sigma, 1, "()"),
        delta: between(0, 1, "()"),
        sigma_hat: between(1 / N, 1, why="at most N eigenvalues are nonzero and they sum to 1"),
        d: at_least(1),
    },
    {d: 3, N: 9, sigma: "1/4", t: "1/2", delta: "1/20", sigma_hat: "1/3"},
)
MEANINGS = {
    N: "number of independent unit vectors with one distribution",
    sigma: "largest eigenvalue of E[v v^T], v being one of them",
    t: "threshold t for the largest eigenvalue of their second moment",
    delta: "probability with which the bound may fail",
    sigma_hat: "largest eigenvalue of their second moment",
    d: "dimension",
}


def _exponential(proof: Derivation) -> Expr:
    """The root of A below."""
    one = 1 + (exp(theta) - 1) * sigma
    smaller, A, B = Symbol("k", nonnegative=True), *(Symbol(s, positive=True) for s in "AB")
    proof.equal(
        "exp(theta v v^T) is I + (exp(theta) - 1) v v^T for a unit vector v",
        {f"at_{k}": (one.xreplace({sigma: S(k)}), exp(theta * k)) for k in (0, 1)},
        "v v^T has the eigenvalues x = 0 and x = 1, and exp(theta x) = 1 + (exp(theta) - 1) x for "
        "both",
        region({theta: POSITIVE}),
    )
    proof.holds(
        "The mean of the trace of exp(N theta S) - I is at most (A - 1)/sigma for A = (1 + "
        "(exp(theta) - 1) sigma)^N, S being the second moment of the sample: an eigenvalue k of "
        "Sigma contributes at most k/sigma times A - 1, and the eigenvalues sum to 1",
        ge(smaller * sigma, smaller**2),
        LIEB,
        DOMAIN.restricted([sigma]).with_range(smaller, between(0, sigma), S.Zero),
    )
    proof.equal(
        "The probability that the largest eigenvalue of S is at least t is at most A/(B sigma) "
        "for B = exp(N theta t)",
        {"room": (A / B - (A - 1) / (B - 1), (B - A) / (B * (B - 1)))},
        "by Markov's inequality it is at most (A - 1)/((B - 1) sigma), which is at most A/(B "
        "sigma) if A < B; otherwise A/(B sigma) is at least 1",
        region({A: between(1, B), B: between(1, oo, "()")}),
    )
    return one


def _best(one: Expr, proof: Derivation) -> Expr:
    """The logarithm of A/B over N where it is least."""
    y = Symbol("y", positive=True)
    base = one.xreplace({exp(theta): y})
    slope = derivative(base, y) * y - t * base
    best = tidy(solve_linear(slope.expand(), y))
    proof.equal(
        "The theta that minimises A/B, with y = exp(theta)",
        {"slope_there": (slope.xreplace({y: best}), 0)},
        "the derivative of log(A/B)/N in log y has the sign of an expression that increases with "
        "y and vanishes at this y",
        DOMAIN.restricted([sigma, t]),
        also=[gt(best, 1)],
    )
    return log(tidy(base.xreplace({y: best}))) - t * log(best)


def _quadratic(least: Expr, x: Symbol) -> Expr:
    """The positive zero of a polynomial of degree two."""
    square, linear, constant = Poly(least, x).all_coeffs()
    half = -linear / (2 * square)
    return half + sqrt(factor(half**2 - constant / square))


def _bernstein(x: Expr, square: Expr) -> Expr:
    """The exponent of Bernstein's inequality, by a bound on the mean square."""
    return x**2 / (2 * (square + x / 3))


def _constants(best: Expr, proof: Derivation) -> tuple[Expr, Expr]:
    """By how much the largest eigenvalue may exceed sigma, and sigma the largest eigenvalue."""
    x = Symbol("x", nonnegative=True)
    below = _bernstein(x, sigma)
    level = sigma + x
    proof.equal(
        "For t = sigma + x the exponent -log(A/B)/N is at least x^2/(2 (sigma + x/3))",
        {
            "second_derivative": (derivative(derivative(-best, t), t), 1 / (t * (1 - t))),
            "second_below": (derivative(derivative(below, x), x), sigma**2 / (sigma + x / 3) ** 3),
            "room": (
                (sigma + x / 3) ** 3 - sigma**2 * level * (1 - level),
                sigma * x**2 / 3 + x**3 / 27 + sigma**2 * (sigma + x) ** 2,
            ),
        },
        "both vanish at x = 0 with their derivatives, and the second derivative of the exponent "
        "is at least that of the other: room is (sigma + x/3)^3 - sigma^2 t (1 - t)",
        DOMAIN.restricted([sigma, t]).with_range(x, between(0, 1), S.Half / 2),
    )
    above = _quadratic(x**2 - 2 * log_odds * (sigma + x / 3), x)
    short = _quadratic(x**2 - 2 * log_odds * (sigma_hat + x), x)
    proof.equal(
        "The deviations x at which the two exponents equal l",
        {
            "exponent_above": (below.xreplace({x: above}), log_odds),
            "exponent_below": (short**2 / (2 * (sigma_hat + short)), log_odds),
        },
        "for t < sigma the second derivative of the exponent is at least 1/sigma, so the exponent "
        "is at least (sigma - t)^2/(2 sigma). There the quadratic form of S at the eigenvector of "
        "Sigma is a mean of numbers in [0, 1] with mean sigma, whose exponentials lie below their "
        "chords: the same bound, without the factor 1/sigma",
        DOMAIN.restricted([N, sigma, sigma_hat]).with_range(log_odds, POSITIVE, S.One),
    )
    return above, short


def _apart(proof: Derivation) -> None:
    """How far the second moment is from its mean: Bernstein's inequality for both signs."""
    y, s = Symbol("y", real=True), Symbol("s", nonnegative=True)
    v = Symbol("v", positive=True)
    third = exp(y) * (y - 2) + y + 2
    proof.equal(
        "(exp(y) - 1 - y)/y^2 increases with y",
        {
            "at_0": (third.xreplace({y: S.Zero}), 0),
            "slope_at_0": (derivative(third, y).xreplace({y: S.Zero}), 0),
            "second_derivative": (derivative(derivative(third, y), y), y * exp(y)),
        },
        "y^3 times its derivative is exp(y)(y - 2) + y + 2, which has the sign of y; so for an "
        "eigenvalue x <= 1 of v v^T - Sigma or of its negative, exp(theta x) is at most 1 + theta "
        "x + (exp(theta) - 1 - theta) x^2",
        region({y: LINE}),
    )
    proof.holds(
        "The mean of (v v^T - Sigma)^2 is Sigma - Sigma^2, whose eigenvalues are at most sigma; "
        "the trace of an exponential is at most d times its largest eigenvalue",
        ge(sigma, s - s**2),
        LIEB,
        DOMAIN.restricted([sigma]).with_range(s, between(0, sigma), S.Zero),
    )
    rate = v * (exp(theta) - 1 - theta) - t * theta
    at_best = {theta: log(1 + t / v)}
    best = rate.xreplace(at_best)
    bernstein = _bernstein(t, v)
    meant = region({v: POSITIVE, t: POSITIVE})
    proof.equal(
        "The exponent is minimal at theta = log(1 + t/v), and at most minus Bernstein's t^2/(2 (v "
        "+ t/3))",
        {
            "slope_there": (derivative(rate, theta).xreplace(at_best), 0),
            "exponent_there": (best, t - (v + t) * log(1 + t / v)),
            "second_derivative": (-derivative(derivative(best, t), t), 1 / (v + t)),
            "second_below": (derivative(derivative(bernstein, t), t), v**2 / (v + t / 3) ** 3),
        },
        "both exponents vanish at t = 0 with their derivatives, and the second derivative of "
        "minus the minimal one is at least that of Bernstein's: (v + t/3)^3 >= v^2 (v + t); v is "
        "at most sigma",
        meant,
        also=[ge((v + t / 3) ** 3 - v**2 * (v + t), 0)],
    )


def _odds(proof: Derivation) -> dict[str, Expr]:
    """The l at which each bound fails with the probability delta."""
    times = {"tail": 1 / sigma, "law": S.One, "apart": 2 * d}
    odds = {name: log(many / delta) / N for name, many in times.items()}
    proof.equal(
        "For these values of l each bound fails with probability at most delta",
        {name: (many * exp(-N * odds[name]), delta) for name, many in times.items()},
        "the probability is exp(-N l)/sigma for the largest eigenvalue of the sample, exp(-N l) "
        "for that of the law, and 2 d exp(-N l) for the distance of the two, both signs added",
        DOMAIN.restricted([N, sigma, delta, d]),
    )
    return odds


def build(proof: Derivation) -> dict[str, Quantity]:
    one = _exponential(proof)
    best = _best(one, proof)
    above, short = _constants(best, proof)
    _apart(proof)
    odds = _odds(proof)
    wanted, largest = DOMAIN.restricted, r"\lambda_{\max}(\hat\Sigma)"
    return {
        "tail": Quantity(
            Min(1, exp(N * best) / sigma),
            rf"P({largest} \ge t) \le",
            "upper bound on the probability that the largest eigenvalue is at least t; attained "
            "at N = 1, and in the limit t -> 1 for vectors uniform on orthogonal axes",
            wanted([N, sigma, t]),
        ),
        "most": Quantity(
            Min(1, sigma + above.xreplace({log_odds: odds["tail"]})),
            rf"{largest} \le",
            "value that the largest eigenvalue of the second moment exceeds with probability at "
            "most delta",
            wanted([N, sigma, delta]),
        ),
        "law_most": Quantity(
            Min(1, sigma_hat + short.xreplace({log_odds: odds["law"]})),
            r"\lambda_{\max}(\Sigma) \le",
            "upper bound on the largest eigenvalue of the distribution by that of a sample, which "
            "fails with probability at most delta",
            wanted([N, sigma_hat, delta]),
        ),
        "apart_most": Quantity(
            Min(1, above.xreplace({log_odds: odds["apart"]})),
            r"\|\hat\Sigma - \Sigma\|_2 \le",
            "upper bound on the spectral norm of the second moment minus its mean, which fails "
            "with probability at most delta",
            wanted([N, sigma, delta, d]),
        ),
    }


RESULT = Result(
    "sample-spectrum",
    title="The largest eigenvalue of a sample of unit vectors, with explicit constants",
    source="beyond the paper; in place of ochieng2025diversity, Appendix A.2",
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=VECTORS,
)
