"""How smooth the softmax is: the Hessian of log-sum-exp, and the softmax near equal logits.

Along a direction v the Hessian is the variance of v under the softmax, the third derivative its
third central moment. A unit vector has entries in a range of at most sqrt(2), and moments of
numbers in a range have sharp bounds. The remainder of the linearisation is bounded coordinate by
coordinate: a coordinate is highest, for its own logit, where the others are equal, and is then a
logistic function of one number; it is lowest where the other exponentials are largest, at the ends
of the range. One logit has the softmax 1, and all that is bounded here is then zero.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Max, Min, Rational, S, Symbol, exp, log, sqrt

from ...decide.calculus import derivative
from ...decide.domain import FREE, LINE, Domain, at_least, between, region
from ...decide.present import tidy
from ...losses.setting import LOGITS
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, lt
from ...structures.scheme import complete
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .._for_data import NUMBERS
from ._bounded import bounds, configuration
from ._moments import largest_third_moment, largest_variance
from ._readings import in_own_ranges

N = Symbol("N", integer=True, positive=True)
q_max = Symbol("q_max", positive=True)
participation = Symbol("participation", positive=True)
spread = Symbol("spread_inf", nonnegative=True)
length = Symbol("spread_2", nonnegative=True)
offset = Symbol("offset_first", nonnegative=True)

DOMAIN = Domain(
    {
        N: at_least(2, "the softmax of one logit is constant"),
        q_max: between(1 / N, 1),
        participation: between(1 / N, 1),
        spread: FREE,
        length: FREE,
        offset: FREE,
    },
    {N: 3, q_max: S.Half, participation: S.Half, spread: 1, length: 1, offset: 1},
)
COUNT = DOMAIN.restricted([N])
THREE = COUNT.with_range(N, at_least(3), 3)
MEANINGS = {
    N: "number of logits",
    q_max: "the largest softmax weight",
    participation: "sum of the squares of the softmax weights",
    spread: "largest distance of a logit from the mean of the logits",
    length: "Euclidean norm of the logits minus their mean",
    offset: "distance of the first logit from the mean of the logits",
}
CASES = {
    name: configuration(logits=row)
    for name, row in {
        "TWO_EQUAL": "0 0",
        "TWO_ABOVE": "0 0 -1",
        "TWO": "3 0",
        "THREE_EQUAL": "1 1 1",
        "FOUR_EQUAL": "2 2 2 2",
        "ONE_ABOVE": "4 -1 -1 -1",
        "OPPOSITE": "8/5 -8/5",
        "NO_OFFSET": "0 1 -1",
    }.items()
}
BOUNDS = r"""
curvature | curvature <= | TWO_EQUAL
    largest eigenvalue of the Hessian of log-sum-exp
    where two logits have the softmax weight 1/2 each; for N > 2 this is only approached
curvature_by_weight | curvature <= | TWO_ABOVE
    largest eigenvalue of the Hessian; the sharpest bound by the largest weight
    where two weights equal q_max, or only one other weight is nonzero
curvature_by_trace | curvature <= | TWO
    largest eigenvalue of the Hessian, from its trace
    iff N = 2; for N > 2 approached as the weights of two logits sum to 1
curvature_least | curvature >= | FOUR_EQUAL
    largest eigenvalue of the Hessian, at least the mean of the N - 1 eigenvalues other than that
    of the constant vector
    where all logits are equal, or N = 2
remainder_above | remainder_above <= |
    largest entry of the remainder q - 1/N - (logits - mean)/N
    iff all logits are equal
remainder_above_2 | remainder_above <= |
    largest entry of the remainder, by the Euclidean norm of the logits minus their mean
    iff all logits are equal
remainder_below | remainder_below <= |
    minus the smallest entry of the remainder
    iff all logits are equal; the constant is approached for odd N by one logit at the mean and
    half of the others at distance a above and below it, as a converges to 0
remainder_inf | remainder_inf <= |
    largest entry of the remainder in absolute value
remainder_eighth | remainder_inf <= |
    largest absolute entry of the remainder, with the printed constant, which is right for N >= 3
remainder_2 | remainder_2 <= |
    Euclidean norm of the remainder
    iff all logits are equal
deviation | deviation <= |
    Euclidean distance of the softmax from the uniform distribution
    iff all logits are equal; for N = 2 the constant is approached as they converge to equality
participation | participation <= | THREE_EQUAL
    sum of the squares of the softmax weights
    iff all logits are equal
weight | q_max <= | ONE_ABOVE
    largest softmax weight, from the largest distance of a logit to the mean
    where all logits but the largest are equal
curvature_printed | printed curvature <= | TWO_EQUAL
    printed bound of the largest eigenvalue; false, as it is 1/2 for two equal logits
remainder_printed | printed remainder_first <= | OPPOSITE
    printed bound of one entry of the remainder by its own logit; false for every N >= 2
remainder_printed_over_N | printed remainder_first <= | NO_OFFSET
    the other printed bound of one entry of the remainder by its own logit; false for N >= 3
remainder_printed_inf | printed remainder_inf <= | OPPOSITE
    printed bound of the largest absolute entry of the remainder; false for N = 2 only
    proved where N >= 3
"""
#: A weight, a logit less the mean, a step along the logits, an eigenvalue.
w, s = (Symbol(name, positive=True) for name in ("w", "s"))
a = Symbol("a", nonnegative=True)
b, u, mu = (Symbol(name, real=True) for name in ("b", "u", "mu"))


def build(proof: Derivation) -> dict[str, Quantity]:
    most = hessian(proof)
    skewness = largest_third_moment(proof)
    above, below = linearisation(proof, skewness), fall(proof)
    skew = sqrt(2) ** 3 * skewness
    proof.equal(
        "The third derivative of log-sum-exp in three unit directions is at most sqrt(6)/9",
        {"third_derivative": (skew, sqrt(6) / 9)},
        "along a unit vector it is the third central moment of numbers in an interval of length "
        "at most sqrt(2), so at most sqrt(2)^3 sqrt(3)/18; a symmetric trilinear form attains its "
        "maximum over unit vectors at three equal ones (Banach)",
        NUMBERS,
    )
    eighth(proof, above, below)
    lipschitz(proof)
    constant, eight = Min(most, q_max), Rational(1, 8)
    values = {
        "curvature": most,
        "curvature_by_weight": Min(q_max, 2 * q_max * (1 - q_max)),
        "curvature_by_trace": 1 - participation,
        "curvature_least": (1 - participation) / (N - 1),
        "remainder_above": above * spread**2,
        "remainder_above_2": tidy(above * (N - 1) / N) * length**2,
        "remainder_below": below * spread**2,
        "remainder_inf": Max(above, below) * spread**2,
        "remainder_eighth": spread**2 / 8,
        "remainder_2": skew / 2 * length**2,
        "deviation": constant * length,
        "participation": 1 / N + constant**2 * length**2,
        "weight": 1 / (1 + (N - 1) * exp(-spread * N / (N - 1))),
        "curvature_printed": Rational(1, 4),
        "remainder_printed": offset**2 / 8,
        "remainder_printed_over_N": offset**2 / (2 * N),
        "remainder_printed_inf": spread**2 / 8,
    }
    constants = {
        "remainder_above": {"above_constant": above},
        "remainder_below": {"below_constant": below},
        "remainder_inf": {"above_constant": above, "below_constant": below},
        "remainder_eighth": {"c": eight},
        "remainder_2": {"c": skew / 2},
        "deviation": {"lipschitz": most},
        "remainder_printed": {"c": eight},
        "remainder_printed_over_N": {"c": 1 / (2 * N)},
        "remainder_printed_inf": {"c": eight},
    }
    more: dict[str, dict[str, Any]] = {name: {"constants": e} for name, e in constants.items()}
    more["remainder_eighth"]["domain"] = THREE.with_range(spread, FREE, 1)
    found: dict[str, Quantity] = {
        **bounds(About.SOFTMAX, BOUNDS, values, CASES, more),
        "curvature_at_equal": Quantity(
            1 / N, r"\lambda_{\max}(1/N)", "largest eigenvalue of the Hessian at equal logits"
        ),
        "above_constant": Quantity(
            above,
            r"c_+",
            "an entry of the remainder is at most this constant times the squared offset of its "
            "logit",
        ),
        "below_constant": Quantity(
            below,
            r"c_-",
            "minus an entry of the remainder is at most this constant times the largest squared "
            "offset; sharp for odd N",
        ),
    }
    return in_own_ranges(found, DOMAIN)


# --- the Hessian ---------------------------------------------------------------------------------
def hessian(proof: Derivation) -> Expr:
    """Its largest eigenvalue: at most this."""
    at_high, at_low = Symbol("h", real=True), Symbol("l", real=True)
    most = 2 * largest_variance(proof)
    proof.equal(
        "The Hessian H = diag(q) - q q' of log-sum-exp has no eigenvalue above 1/2",
        {
            "largest": (most, S.Half),
            "left": (
                2 * (at_high**2 + at_low**2) - (at_high - at_low) ** 2,
                (at_high + at_low) ** 2,
            ),
        },
        "v' H v is the variance of the entries of v under q, at most a quarter of the squared "
        "difference of two entries h and l; left is 2 (h^2 + l^2) - (h - l)^2 >= 0, so (h - l)^2 "
        "<= 2 for a unit vector, with equality iff h = -l and the other entries vanish. So 1/2 is "
        "attained iff two logits have the weight 1/2 each: at N = 2, and for more logits in the "
        "limit",
        region({at_high: LINE, at_low: LINE}),
    )
    uniform = complete(N, "other", "contrasts").eigenvalue(
        "contrasts", {"self": 1 / N - 1 / N**2, "other": -1 / N**2}
    )
    proof.equal(
        "At equal logits the eigenvalues of the Hessian are 1/N on all vectors orthogonal to the "
        "constant vector",
        {"at_equal": (uniform, 1 / N)},
        "the matrix has equal diagonal entries 1/N - 1/N^2 and equal off-diagonal entries -1/N^2",
        COUNT,
    )
    proof.equal(
        "The absolute values in the row of the Hessian with weight w sum to 2 w (1 - w), which is "
        "largest for the largest weight if that is at least 1/2",
        {"row": (w - w**2 + w * (1 - w), 2 * w * (1 - w))},
        "other weights w are at most 1 - s for the largest weight s. By Gershgorin no eigenvalue "
        "is then above 2 q_max (1 - q_max), which the two weights q_max and 1 - q_max attain",
        region({s: between(S.Half, 1, "[)"), w: between(0, 1 - s, "(]")}),
        also=[ge(2 * s * (1 - s), 2 * w * (1 - w))],
    )
    proof.equal(
        "The smaller of q_max and 2 q_max (1 - q_max) changes at q_max = 1/2",
        {"change": (q_max - 2 * q_max * (1 - q_max), q_max * (2 * q_max - 1))},
        "H <= diag(q), so q_max is an upper bound as well; if two weights equal q_max <= 1/2, the "
        "difference of the two coordinate vectors attains it",
        DOMAIN.restricted([N, q_max]),
    )
    return most


# --- the linearisation ---------------------------------------------------------------------------
def linearisation(proof: Derivation, bend: Expr) -> Expr:
    """The constant of the remainder above."""
    along = region({N: COUNT.ranges[N], b: LINE, u: LINE})
    others = exp(b) / (exp(b) + (N - 1) * exp(-b / (N - 1)))
    logistic = 1 / (1 + (N - 1) * exp(-u))
    step = b * N / (N - 1)
    proof.equal(
        "The weight of a logit at distance b from the mean is largest if the other logits are "
        "equal",
        {
            "highest": (others, logistic.xreplace({u: step})),
            "squares": (b**2 + (N - 1) * (b / (N - 1)) ** 2, b**2 * N / (N - 1)),
        },
        "the other logits minus the mean have the mean -b/(N - 1), so by Jensen's inequality the "
        "sum of their exponentials is smallest if they are equal; the weight is then a logistic "
        "function of u = N b/(N - 1). The squared norm of the offsets, squares, is then smallest "
        "too",
        along,
    )
    slope = derivative(logistic, u)
    above = bend / 2 * (step / b) ** 2
    proof.equal(
        "The remainder of a logit at distance b from the mean is at most above_constant times b^2",
        {
            "weight": (logistic.xreplace({u: S.Zero}), 1 / N),
            "slope": (slope.xreplace({u: S.Zero}) * step, b / N),
            "bend": (derivative(slope, u), logistic * (1 - logistic) * (1 - 2 * logistic)),
            "above_constant": (above, sqrt(3) * N**2 / (36 * (N - 1) ** 2)),
        },
        "1/N + b/N is the tangent of the logistic function at u = 0, and the remainder is the "
        "difference. The second derivative in u is q (1 - q)(1 - 2q), the third central moment of "
        "a number that is 1 with probability q and else 0, so at most sqrt(3)/18; half of it "
        "times u^2 bounds the difference",
        along,
    )
    return above


def fall(proof: Derivation) -> Expr:
    """How far a coordinate falls below its linearisation: at most this times a^2."""
    ahead = Symbol("v", nonnegative=True)
    cosh, sinh = (exp(a) + exp(-a)) / 2, (exp(a) - exp(-a)) / 2
    total = 1 + (N - 1) * cosh
    for title, gap, bend, why in (
        (
            "log cosh a <= a^2/2",
            a**2 / 2 - log(cosh),
            (sinh / cosh) ** 2,
            "both sides and their derivatives agree at a = 0, and the second derivative of the "
            "difference is a square",
        ),
        (
            "log((1 + (N - 1) cosh a)/N) <= (N - 1) a^2/(2N)",
            (N - 1) / (2 * N) * a**2 - log(total / N),
            (N - 1) * (total**2 - N * (cosh + N - 1)) / (N * total**2),
            "both sides and their derivatives agree at a = 0, and the second derivative of the "
            "difference is at least 0, as cosh a = 1 + v with v >= 0",
        ),
    ):
        slope = derivative(gap, a)
        numerator = (1 + (N - 1) * (1 + ahead)) ** 2 - N * (1 + ahead + N - 1)
        proof.equal(
            title,
            {
                "at_zero": (gap.xreplace({a: S.Zero}), 0),
                "slope_at_zero": (slope.xreplace({a: S.Zero}), 0),
                "bend": (derivative(slope, a), bend),
            },
            why,
            region({N: COUNT.ranges[N], a: FREE, ahead: FREE}),
            also=[ge(numerator, 0)] if bend.has(N) else [],
        )
    below = (N / 2 - Rational(1, 4) * (1 - (-1) ** N)) / N**2
    proof.equal(
        "An entry of the softmax is at least its linearisation minus below_constant times a^2, a "
        "being the largest distance of a logit from the mean",
        {
            "for_even_N": ((N / 2) / N**2, 1 / (2 * N)),
            "for_odd_N": ((N / 2 - S.Half) / N**2, (N - 1) / (2 * N**2)),
        },
        "for logits in [-a, a] with mean zero the sum of exponentials is largest if the same "
        "number of them equal a and -a and, for odd N, one is 0. So the weight of a logit b is at "
        "least e^(b - k)/N >= (1 + b - k)/N, where k is a^2/2 for even N and (N - 1) a^2/(2N) for "
        "odd N",
        COUNT,
    )
    return below


def eighth(proof: Derivation, above: Expr, below: Expr) -> None:
    """From three logits on both constants are at most 1/8."""
    eight, high = Rational(1, 8), Rational(8, 5)
    proof.equal(
        "For N >= 3 the constant above_constant is at most 1/8, and so is below_constant for N = 3",
        {"ratio": (above, sqrt(3) * N**2 / (36 * (N - 1) ** 2))},
        "since sqrt(3) < 7/4, above_constant is below 7 N^2/(144 (N - 1)^2), which decreases with "
        "N; below_constant is 1/9 at N = 3",
        THREE,
        also=[
            lt(sqrt(3), Rational(7, 4)),
            gt(eight, 7 * N**2 / (144 * (N - 1) ** 2)),
            gt(eight, below.xreplace({N: S(3)})),
        ],
    )
    proof.holds(
        "For N >= 4 the constant below_constant is at most 1/(2N), so at most 1/8",
        ge(eight, 1 / (2 * N)),
        "below_constant is 1/(2N) for even N and (N - 1)/(2N^2) for odd N",
        COUNT.with_range(N, at_least(4), 4),
    )
    proof.holds(
        "For the logits 8/5 and -8/5 the remainder exceeds 1/8 of the squared offset; for the "
        "logits 0, 1, -1 the first has offset 0 and a nonzero remainder",
        [
            gt(S.Half + high / 2 - 1 / (1 + exp(-2 * high)), eight * high**2),
            gt(Rational(1, 3) - 1 / (1 + exp(1) + exp(-1)), 0),
        ],
        "the numbers are substituted; the printed constant is therefore too small for N = 2, and "
        "no multiple of its own squared offset bounds the remainder of a logit",
        NUMBERS,
    )


# --- as a function of the logits -----------------------------------------------------------------
def lipschitz(proof: Derivation) -> None:
    """How far the softmax is from equal weights."""
    t, g, r = (Symbol(x, nonnegative=True) for x in ("t", "g", "r"))
    proof.holds(
        "The largest softmax weight increases along the segment from equal logits to the given "
        "ones",
        ge(-derivative(r * exp(-t * g), t), 0),
        "1/q_max is a sum of terms r exp(-t g) with g >= 0, each of which decreases with t. So "
        "along the segment the Hessian is at most q_max, and at most 1/2, and q - 1/N is the mean "
        "Hessian applied to the logits minus their mean",
        region({t: FREE, g: FREE, r: FREE}),
    )
    proof.equal(
        "The squared distance of the softmax from the uniform distribution is the sum of the "
        "squares of its weights minus 1/N",
        {"squared_distance": (participation - 2 / N + N / N**2, participation - 1 / N)},
        "the squares of the weights minus 1/N are expanded, and the weights sum to 1",
        DOMAIN.restricted([N, participation]),
    )


RESULT = Result(
    "softmax-smoothness",
    title="The Hessian of log-sum-exp, and the softmax near equal logits",
    source="ochieng2025diversity, Lemma A.1",
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=LOGITS,
)
