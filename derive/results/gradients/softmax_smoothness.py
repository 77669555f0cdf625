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
from ...decide.domain import Domain, Range, at_least, between
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
from ._moments import LINE, largest_third_moment, largest_variance
from ._readings import in_own_ranges, region

N = Symbol("N", integer=True, positive=True)
q_max = Symbol("q_max", positive=True)
participation = Symbol("participation", positive=True)
spread = Symbol("spread_inf", nonnegative=True)
length = Symbol("spread_2", nonnegative=True)
offset = Symbol("offset_first", nonnegative=True)

FREE = Range(S.Zero, low_open=False)
DOMAIN = Domain(
    {
        N: at_least(2, "of one logit the softmax is 1, and nothing varies"),
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
    spread: "largest distance of a logit from their mean",
    length: "Euclidean norm of the logits less their mean",
    offset: "distance of the first logit from their mean",
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
    where two logits have the weight 1/2 each; for N > 2 approached only
curvature_by_weight | curvature <= | TWO_ABOVE
    largest eigenvalue of the Hessian; the best bound that the largest weight gives
    where two weights are q_max, or all that it leaves is one other weight
curvature_by_trace | curvature <= | TWO
    largest eigenvalue of the Hessian, from the trace
    iff there are two logits; for more approached, with all the weight on two
curvature_least | curvature >= | FOUR_EQUAL
    largest eigenvalue of the Hessian, at least the mean of all but that of the constants
    where all logits are equal, or there are two
remainder_above | remainder_above <= |
    largest entry of the remainder q - 1/N - (logits less mean)/N
    iff all logits are equal
remainder_above_2 | remainder_above <= |
    largest entry of the remainder, by the Euclidean norm of the offsets
    iff all logits are equal
remainder_below | remainder_below <= |
    minus the least entry of the remainder
    iff all logits are equal; for odd N approached as they come together, one at the mean and
    the others in two halves as far above as below
remainder_inf | remainder_inf <= |
    largest entry of the remainder in absolute value
remainder_eighth | remainder_inf <= |
    largest entry of the remainder, with the printed constant: right from three logits on
remainder_2 | remainder_2 <= |
    Euclidean norm of the remainder
    iff all logits are equal
deviation | deviation <= |
    distance of the softmax from equal weights
    iff all logits are equal; for N = 2 approached as they come together
participation | participation <= | THREE_EQUAL
    sum of squares of the weights
    iff all logits are equal
weight | q_max <= | ONE_ABOVE
    largest weight, from the largest offset
    where one logit is above, and all others are equal
curvature_printed | printed curvature <= | TWO_EQUAL
    printed bound of the largest eigenvalue; two equal logits have 1/2
remainder_printed | printed remainder_first <= | OPPOSITE
    printed bound of one coordinate by its own offset; fails for every N >= 2
remainder_printed_over_N | printed remainder_first <= | NO_OFFSET
    the other printed bound of one coordinate by its own offset; fails for N >= 3
remainder_printed_inf | printed remainder_inf <= | OPPOSITE
    printed bound of the largest entry; fails for N = 2 only
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
        "The third derivative of log-sum-exp along unit vectors is at most sqrt(6)/9",
        {"third_derivative": (skew, sqrt(6) / 9)},
        "along a unit vector it is the third central moment of numbers with a range of at most "
        "sqrt(2); a symmetric trilinear form is as large for three different unit vectors as for "
        "one taken three times (Banach)",
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
            1 / N, r"\lambda_{\max}(1/N)", "largest eigenvalue at equal logits"
        ),
        "above_constant": Quantity(
            above,
            r"c_+",
            "an entry of the remainder is at most this times the squared offset of its logit",
        ),
        "below_constant": Quantity(
            below,
            r"c_-",
            "minus an entry is at most this times the largest squared offset; the best for odd N",
        ),
    }
    return in_own_ranges(found, DOMAIN)


# --- the Hessian ---------------------------------------------------------------------------------
def hessian(proof: Derivation) -> Expr:
    """Its largest eigenvalue: at most this."""
    at_high, at_low = Symbol("h", real=True), Symbol("l", real=True)
    most = 2 * largest_variance(proof)
    proof.equal(
        "The Hessian diag(q) - q q' of log-sum-exp has no eigenvalue above 1/2",
        {
            "largest": (most, S.Half),
            "left": (
                2 * (at_high**2 + at_low**2) - (at_high - at_low) ** 2,
                (at_high + at_low) ** 2,
            ),
        },
        "v' H v is the variance of v under q, at most a quarter of the squared range of v. Two "
        "entries of a unit vector are at most sqrt(2) apart, by the second equation, with equality "
        "iff they are opposite and all others zero. So equality iff two logits have the weight 1/2 "
        "each: equal logits for N = 2, and for more approached as the others fall behind",
        region({at_high: LINE, at_low: LINE}),
    )
    uniform = complete(N, "other", "contrasts").eigenvalue(
        "contrasts", {"self": 1 / N - 1 / N**2, "other": -1 / N**2}
    )
    proof.equal(
        "At equal logits it is 1/N along all directions but the constants",
        {"at_equal": (uniform, 1 / N)},
        "the matrix has equal diagonal and equal off-diagonal entries",
        COUNT,
    )
    proof.equal(
        "At an eigenvalue mu that is no weight, w^2/(w - mu) adds up to 1 over all weights w",
        {"term": (w**2 - mu * w, w * (w - mu))},
        "an eigenvector has the entries w/(w - mu), times its inner product with q, and put back "
        "that product is left; as a term is w + mu w/(w - mu), the same is that w/(w - mu) adds "
        "up to 0 where mu is not 0: one mu lies between any two weights that follow each "
        "other, and the largest between the two largest weights",
        region({w: between(0, 1, "()"), mu: LINE}),
    )
    proof.equal(
        "The sum of the absolute values in a row is 2 q (1 - q), largest for the largest weight if "
        "that is at least 1/2",
        {"row": (w - w**2 + w * (1 - w), 2 * w * (1 - w))},
        "so no eigenvalue is above 2 q_max (1 - q_max) then (Gershgorin); the two weights q_max "
        "and 1 - q_max attain it",
        region({s: between(S.Half, 1, "[)"), w: between(0, 1 - s, "(]")}),
        also=[ge(2 * s * (1 - s), 2 * w * (1 - w))],
    )
    proof.equal(
        "The lesser of q_max and 2 q_max (1 - q_max) changes at 1/2",
        {"change": (q_max - 2 * q_max * (1 - q_max), q_max * (2 * q_max - 1))},
        "H is at most diag(q), so q_max bounds it as well; if two weights are q_max <= 1/2 the "
        "difference of the two unit vectors attains it",
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
        "The weight of a logit that is the mean plus b is largest where the others are equal",
        {
            "highest": (others, logistic.xreplace({u: step})),
            "squares": (b**2 + (N - 1) * (b / (N - 1)) ** 2, b**2 * N / (N - 1)),
        },
        "their mean is -b/(N - 1), and by Jensen their exponentials add up to at least as much as "
        "if each were that; it is a logistic function of u = N b/(N - 1). The squared norm of the "
        "offsets is then least too",
        along,
    )
    slope = derivative(logistic, u)
    above = bend / 2 * (step / b) ** 2
    proof.equal(
        "The remainder is at most this times b^2",
        {
            "weight": (logistic.xreplace({u: S.Zero}), 1 / N),
            "slope": (slope.xreplace({u: S.Zero}) * step, b / N),
            "bend": (derivative(slope, u), logistic * (1 - logistic) * (1 - 2 * logistic)),
            "above_constant": (above, sqrt(3) * N**2 / (36 * (N - 1) ** 2)),
        },
        "1/N + b/N is the line that touches the logistic function at u = 0, and what this has "
        "beyond the line is the remainder. Its second derivative is q (1 - q)(1 - 2q), q being its "
        "value: the third central moment of a number that is 1 with probability q, and else 0. A "
        "function exceeds the line that touches it by no more than half the largest second "
        "derivative, sqrt(3)/18, times u^2",
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
            "the second derivative of the difference is a square",
        ),
        (
            "log((1 + (N - 1) cosh a)/N) <= (N - 1) a^2/(2N)",
            (N - 1) / (2 * N) * a**2 - log(total / N),
            (N - 1) * (total**2 - N * (cosh + N - 1)) / (N * total**2),
            "the second derivative is not negative: cosh a is 1 + v with v >= 0",
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
        "A coordinate falls below its linearisation by no more than this times a^2",
        {
            "for_even_N": ((N / 2) / N**2, 1 / (2 * N)),
            "for_odd_N": ((N / 2 - S.Half) / N**2, (N - 1) / (2 * N**2)),
        },
        "logits in [-a, a] with mean zero have the largest sum of exponentials at a corner: as "
        "many at a as at -a and, if N is odd, one at 0; with it the weight of a logit b is "
        "e^b/sum >= e^(b - k)/N >= (1 + b - k)/N, k being a^2/2, or (N - 1) a^2/(2N) if N is odd",
        COUNT,
    )
    return below


def eighth(proof: Derivation, above: Expr, below: Expr) -> None:
    """From three logits on both constants are at most 1/8."""
    eight, high = Rational(1, 8), Rational(8, 5)
    proof.equal(
        "From three logits on the constants above and below are at most 1/8",
        {"ratio": (above, sqrt(3) * N**2 / (36 * (N - 1) ** 2))},
        "with 7/4 for sqrt(3) that above is 7 N^2/(144 (N - 1)^2). That below is 1/9 for N = 3",
        THREE,
        also=[
            lt(sqrt(3), Rational(7, 4)),
            gt(eight, 7 * N**2 / (144 * (N - 1) ** 2)),
            gt(eight, below.xreplace({N: S(3)})),
        ],
    )
    proof.holds(
        "and for more logits at most 1/(2N)",
        ge(eight, 1 / (2 * N)),
        "whether N is even or odd",
        COUNT.with_range(N, at_least(4), 4),
    )
    proof.holds(
        "For two logits, 8/5 and -8/5, the remainder is more than 1/8 of the square; and the first "
        "of the logits 0, 1, -1 has no offset, yet a remainder",
        [
            gt(S.Half + high / 2 - 1 / (1 + exp(-2 * high)), eight * high**2),
            gt(Rational(1, 3) - 1 / (1 + exp(1) + exp(-1)), 0),
        ],
        "the printed constant is less than what is needed there; hence no multiple of the square "
        "of its own offset bounds the remainder of a coordinate",
        NUMBERS,
    )


# --- as a function of the logits -----------------------------------------------------------------
def lipschitz(proof: Derivation) -> None:
    """How far the softmax is from equal weights."""
    t, g, r = (Symbol(x, nonnegative=True) for x in ("t", "g", "r"))
    proof.holds(
        "Along the way from equal logits the largest weight rises",
        ge(-derivative(r * exp(-t * g), t), 0),
        "1/q_max is a sum of r exp(-t g) with g >= 0, each with the derivative r g exp(-t g) "
        "downward; so the Hessian is nowhere on the way more than q_max, nor than 1/2, and q - 1/N "
        "is its mean times the logits less their mean",
        region({t: FREE, g: FREE, r: FREE}),
    )
    proof.equal(
        "The sum of squares of the weights is 1/N more than the squared distance to 1/N",
        {"squared_distance": (participation - 2 / N + N / N**2, participation - 1 / N)},
        "the square of each weight less 1/N, term by term, the weights adding up to 1",
        DOMAIN.restricted([N, participation]),
    )


RESULT = Result(
    "softmax-smoothness",
    title="The Hessian of log-sum-exp, and the softmax near equal logits",
    source="ochieng2025diversity, Lemma A.1",
    parameters=(N, q_max, participation, spread, length, offset),
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=LOGITS,
)
