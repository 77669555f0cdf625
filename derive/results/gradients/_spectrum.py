"""How long the softmax mean of the negatives can be, by their spectrum.

With K the Gram matrix of the negatives, mu^2 = q^T K q, and N sigma is the largest eigenvalue of
K. So mu^2 <= N sigma P with the participation P = sum q_j^2, and more is known with the length of
the mean. Where P is not measured, it is bounded by sigma, since the mean square of the similarities
is at most sigma: P is most for a few similarities at one value and all others at another.
"""

from __future__ import annotations

from sympy import Expr, Max, Min, S, Symbol, exp, sqrt

from ...decide.calculus import derivative
from ...decide.domain import FREE, POSITIVE, Domain, Range, at_least, between, region
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt
from ._lemmas import RAYLEIGH, TWO_ATOMS
from ._readings import N, mean_norm, mu, participation, sigma

#: A share of the negatives, and the exponential of the others over theirs.
share, low = Symbol("alpha", positive=True), Symbol("w", positive=True)
TWO = Domain({share: between(0, 1, "()"), low: between(0, 1, "(]")}, {share: "1/3", low: "1/2"})
#: The number of negatives, where it may be any.
count = Symbol("N", integer=True, positive=True)
#: cosh(1/tau) and sinh(1/tau): their squares bound N sum q_j^2 and N sum (q_j - 1/N)^2.
COSH, SINH = ((exp(1 / tau) + sign * exp(-1 / tau)) / 2 for sign in (1, -1))


# --- bounds on mu by readings of the negatives ---------------------------------------------------
#: N P for a share of similarities at one value, the others at another.
CONCENTRATED = (share + (1 - share) * low**2) / (share + (1 - share) * low) ** 2
#: The share at which that is largest, if any is allowed.
BEST_SHARE = low / (1 + low)
#: The exponential of the largest gap of two such values, 1 and -sqrt(sigma).
GAP = exp(-(1 + sqrt(sigma)) / tau)
#: The largest N P, P and mu^2 that a spectrum allows.
EXCESS = CONCENTRATED.xreplace(
    {share: Max(1 / N, Min(sigma, BEST_SHARE.xreplace({low: GAP}))), low: GAP}
)
MOST_PARTICIPATION = EXCESS / N
MOST_SQUARE = Min(1, sigma * EXCESS)
#: The largest mu^2 where P is measured.
BY_PARTICIPATION = Min(1, N * sigma * participation)
#: By how much mu differs from the length of the mean, at most, if mu has room. Neither factor is
#: negative, but where they are measured rounding may make one so.
SPREAD = sqrt(Max(0, (N * participation - 1) * (sigma - mean_norm**2)))
#: The largest and the least mu^2 where P and the length of the mean are measured.
ROOM = Min(mean_norm, sqrt(sigma / (N * participation)))
BY_MEAN = Min(1, (ROOM + SPREAD.xreplace({mean_norm: ROOM})) ** 2)
LEAST_BY_MEAN = Max(0, mean_norm - SPREAD) ** 2


def state_weights(proof: Derivation) -> None:
    """How unevenly a softmax of similarities can weigh, whatever the spectrum is."""
    w, y = low, Symbol("y", positive=True)
    most = (1 + w) ** 2 / (4 * w)
    cold = {w: exp(-2 / tau)}
    proof.equal(
        "The softmax of similarities in [-1, 1] satisfies N sum q_j^2 <= cosh(1/tau)^2",
        {
            "room": (most - ((1 + w) * y - w) / y**2, ((1 + w) * y - 2 * w) ** 2 / (4 * w * y**2)),
            "most": (most.xreplace(cold), COSH**2),
            "most_uneven": (most.xreplace(cold) - 1, SINH**2),
        },
        "numbers in [w, 1] with mean y have a mean square of at most (1 + w) y - w, and N sum "
        "q_j^2 is the mean square of the exponentials over the square of their mean; with the "
        "largest scaled to 1 they lie in [w, 1] for w = exp(-2/tau). N sum (q_j - 1/N)^2 is less "
        "by 1, so at most sinh(1/tau)^2",
        region({w: between(0, 1, "(]"), y: between(w, 1), tau: POSITIVE}),
    )


def state_rayleigh(proof: Derivation) -> None:
    """mu by participation, and by the mean of the negatives."""
    x = Symbol("x", real=True)
    readings = region(
        {
            count: at_least(1),
            sigma: between(1 / count, 1),
            participation: between(1 / count, 1),
            mean_norm: Range(S.Zero, sqrt(sigma), low_open=False),
            mu: between(0, 1),
            x: between(-1, 1),
        }
    )
    plain = {"qq": participation, "qu": 1 / count, "uu": 1 / count}
    gram = {"qq": mu**2, "qu": x, "uu": mean_norm**2}
    form = {at: count * sigma * plain[at] - gram[at] for at in plain}
    proof.equal(
        "The squared length of the softmax mean is at most N sigma times the participation",
        {"form_at_q": (form["qq"], count * sigma * participation - mu**2)},
        RAYLEIGH,
        readings,
    )
    inside = (count * participation - 1) * (sigma - mean_norm**2)
    mixed = form["qu"].xreplace({x: mu * mean_norm})
    proof.equal(
        "Another bound on the length of the softmax mean m uses the length b of the mean of the "
        "negatives",
        {"product": (form["qq"] * form["uu"] - mixed**2, sigma * (inside - (mu - mean_norm) ** 2))},
        "for A = N sigma I - K and the vector u with all entries 1/N, (q^T A q)(u^T A u) - (q^T A "
        "u)^2 >= 0. There q^T A u = sigma - x, where x is the inner product of m with the mean "
        "and x <= mu b. If mu b <= sigma, x may be replaced by mu b, so (mu - b)^2 <= (N P - "
        "1)(sigma - b^2), P being the participation",
        readings,
    )
    start = sqrt(sigma / (count * participation))
    more = count * participation - 1
    proof.equal(
        "For b > sqrt(sigma/(N P)) the bound by b is replaced by the bound mu <= sqrt(N sigma P)",
        {"together": ((start + more * start) ** 2, count * sigma * participation)},
        "mu b > sigma implies sigma^2/b^2 < mu^2 <= N sigma P, so b > sqrt(sigma/(N P)); at b = "
        "sqrt(sigma/(N P)) the bound b + sqrt((N P - 1)(sigma - b^2)) equals sqrt(N sigma P), "
        "which always holds. For the lower bound, mu b > sigma implies mu > sigma/b >= b",
        readings,
        also=[eq(inside.xreplace({mean_norm: start}), (more * start) ** 2)],
    )


def state_participation(proof: Derivation) -> None:
    """The participation by sigma, as steps."""
    above, more = Symbol("Y", positive=True), Symbol("rise", positive=True)
    square, linear, quadratic = (Symbol(s, positive=True) for s in ("A", "B", "kappa"))
    anywhere = Domain({}, {}).with_positive((above, more, square, linear, quadratic))

    def bend(y: Expr) -> Expr:
        """tau^2 times the second derivative, for twice tau^2 kappa."""
        return 4 * y**2 / square - 2 * y / linear - quadratic

    proof.holds(
        "The participation is largest if the similarities take two values",
        gt(bend(above + more) / (above + more), bend(above) / above),
        TWO_ATOMS,
        anywhere,
    )
    proof.equal(
        "N times the participation if the similarities take two values",
        {
            "mean_square_over_square_of_mean": (
                (share * (1 / low) ** 2 + (1 - share)) / (share / low + (1 - share)) ** 2,
                CONCENTRATED,
            )
        },
        "a fraction alpha of the negatives has the larger value; w is the exponential of the "
        "smaller value over that of the larger",
        TWO,
    )
    rest = 1 - share
    below = share + rest * low
    turning = BEST_SHARE - share
    proof.equal(
        "This decreases with w, and increases with alpha up to alpha = w/(1 + w)",
        {
            "slope_in_w": (
                derivative(CONCENTRATED, low),
                -2 * share * rest * (1 - low) / below**3,
            ),
            "slope_in_share": (
                derivative(CONCENTRATED, share),
                (1 - low) ** 2 * (1 + low) * turning / below**3,
            ),
        },
        "the two derivatives have these signs; the maximum is at the smallest w, the largest gap "
        "of the two values, and at the admissible fraction nearest to w/(1 + w)",
        TWO,
    )
    one, other = Symbol("s", real=True), Symbol("apart", nonnegative=True)
    values = region({share: between(0, 1, "()"), one: between(-1, 1), other: FREE})
    proof.holds(
        "The two similarities differ by at most 1 + sqrt(sigma), and the fraction at the larger "
        "one is at most sigma or at least 1/N",
        ge(share * one**2 + (1 - share) * (one**2 + other), one**2),
        "the mean square of two values is at least the smaller square and at most sigma, so one "
        "value lies within sqrt(sigma) of 0 and the other in [-1, 1]. For an arbitrary "
        "distribution the larger value is 1, so its probability is at most sigma; for N "
        "similarities it is attained by at least one, so its fraction is at least 1/N",
        values,
    )
