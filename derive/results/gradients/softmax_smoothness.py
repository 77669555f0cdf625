"""How smooth the softmax is: the Hessian of log-sum-exp, and the softmax near equal logits.

Along a direction v the Hessian is the variance of v under the softmax, the third derivative its
third central moment. A unit vector has entries in a range of at most sqrt(2), and moments of
numbers in a range have sharp bounds. The remainder of the linearisation is bounded coordinate by
coordinate: a coordinate is highest, for its own logit, where the others are equal, and is then a
logistic function of one number; it is lowest where the other exponentials are largest, at the ends
of the range. One logit has the softmax 1, and all that is bounded here is then zero.
"""

from __future__ import annotations

from sympy import (
    Expr,
    Max,
    Min,
    Rational,
    S,
    Symbol,
    exp,
    log,
    sqrt,
)

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
from ._bounded import Bounded
from ._moments import largest_third_moment, largest_variance

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
OFFSETS = DOMAIN.restricted([N, spread])
#: What is bounded: the largest eigenvalue of the Hessian, and the entries of the remainder.
CURVATURE = Bounded("curvature", r"\lambda_{\max}", About.SOFTMAX)
REMAINDER_ABOVE = Bounded("remainder_above", r"\max_j R_j", About.SOFTMAX)
REMAINDER_BELOW = Bounded("remainder_below", r"\max_j (-R_j)", About.SOFTMAX)
REMAINDER_INF = Bounded("remainder_inf", r"\|R\|_\infty", About.SOFTMAX)
REMAINDER_2 = Bounded("remainder_2", r"\|R\|_2", About.SOFTMAX)
REMAINDER_FIRST = Bounded("remainder_first", r"|R_1|", About.SOFTMAX)
DEVIATION = Bounded("deviation", r"\|q - 1/N\|_2", About.SOFTMAX)
PARTICIPATION = Bounded("participation", r"\sum_j q_j^2", About.SOFTMAX)
Q_MAX = Bounded("q_max", r"q_{\max}", About.SOFTMAX)
MEANINGS = {
    N: "number of logits",
    q_max: "the largest softmax weight",
    participation: "sum of the squares of the softmax weights",
    spread: "largest distance of a logit from their mean",
    length: "Euclidean norm of the logits less their mean",
    offset: "distance of the first logit from their mean",
}
#: A weight, a logit less the mean, a step along the logits, an eigenvalue.
w, s = (Symbol(name, positive=True) for name in ("w", "s"))
a = Symbol("a", nonnegative=True)
b, u, mu = (Symbol(name, real=True) for name in ("b", "u", "mu"))
LINE = Range(-S.Infinity)


def build(proof: Derivation) -> dict[str, Quantity]:
    most = hessian(proof)
    skewness = largest_third_moment(proof)
    above, below = linearisation(proof, skewness)
    skew = sqrt(2) ** 3 * skewness
    proof.equal(
        "The third derivative of log-sum-exp along unit vectors is at most sqrt(6)/9",
        {"third_derivative": (skew, sqrt(6) / 9)},
        "along a unit vector it is the third central moment of numbers with a range of at most "
        "sqrt(2); a symmetric trilinear form is as large for three different unit vectors as for "
        "one taken three times (Banach)",
        Domain({}, {}),
    )
    euclidean = skew / 2
    constant = Max(above, below)
    eighth(proof, above, below)
    return {
        **of_hessian(most),
        "above_constant": Quantity(
            above,
            r"c_+",
            "an entry of the remainder is at most this times the squared offset of its logit",
            COUNT,
        ),
        "below_constant": Quantity(
            below,
            r"c_-",
            "minus an entry is at most this times the largest squared offset; the best for odd N",
            COUNT,
        ),
        "remainder_above": REMAINDER_ABOVE.upper(
            above * spread**2,
            "largest entry of the remainder q - 1/N - (logits less mean)/N",
            OFFSETS,
            constants={"above_constant": above},
            equality="iff all logits are equal",
        ),
        "remainder_above_2": REMAINDER_ABOVE.upper(
            tidy(above * (N - 1) / N) * length**2,
            "largest entry of the remainder, by the Euclidean norm of the offsets",
            DOMAIN.restricted([N, length]),
            equality="iff all logits are equal",
        ),
        "remainder_below": REMAINDER_BELOW.upper(
            below * spread**2,
            "minus the least entry of the remainder",
            OFFSETS,
            constants={"below_constant": below},
            equality="iff all logits are equal; for odd N approached as they come together, one at "
            "the mean and the others in two halves as far above as below",
        ),
        "remainder_inf": REMAINDER_INF.upper(
            constant * spread**2,
            "largest entry of the remainder in absolute value",
            OFFSETS,
            constants={"above_constant": above, "below_constant": below},
        ),
        "remainder_eighth": REMAINDER_INF.upper(
            spread**2 / 8,
            "largest entry of the remainder, with the printed constant: right from three logits on",
            OFFSETS.with_range(N, at_least(3), 3),
            constants={"c": Rational(1, 8)},
        ),
        "remainder_2": REMAINDER_2.upper(
            euclidean * length**2,
            "Euclidean norm of the remainder",
            DOMAIN.restricted([N, length]),
            constants={"c": euclidean},
            equality="iff all logits are equal",
        ),
        **lipschitz(proof, most),
        **printed(proof),
    }


# --- the Hessian ---------------------------------------------------------------------------------
def hessian(proof: Derivation) -> Expr:
    """Its largest eigenvalue: at most this."""
    quarter = largest_variance(proof)
    at_high, at_low = Symbol("h", real=True), Symbol("l", real=True)
    two = Domain({at_high: LINE, at_low: LINE}, {at_high: 1, at_low: 0})
    proof.equal(
        "Two entries of a unit vector are at most sqrt(2) apart",
        {"left": (2 * (at_high**2 + at_low**2) - (at_high - at_low) ** 2, (at_high + at_low) ** 2)},
        "this is 2 (h^2 + l^2) - (h - l)^2, never negative; equality iff they are opposite and "
        "all others zero",
        two,
    )
    most = 2 * quarter
    proof.equal(
        "The Hessian diag(q) - q q' of log-sum-exp has no eigenvalue above 1/2",
        {"largest": (most, S.Half)},
        "v' H v is the variance of v under q, at most a quarter of the squared range of v, which "
        "is at most 2 for a unit vector; equality iff two logits have the weight 1/2 each: equal "
        "logits for N = 2, and for more approached as the others fall behind",
        Domain({}, {}),
    )
    flat = complete(N, "other", "contrasts")
    uniform = flat.eigenvalue("contrasts", {"self": 1 / N - 1 / N**2, "other": -1 / N**2})
    proof.equal(
        "At equal logits it is 1/N along all directions but the constants",
        {"at_equal": (uniform, 1 / N)},
        "the matrix has one entry on the diagonal and one beside it",
        COUNT,
    )
    weight = Domain({w: between(0, 1, "()"), mu: LINE}, {w: S.Half, mu: 2})
    proof.equal(
        "At an eigenvalue mu that is no weight, w^2/(w - mu) adds up to 1 over all weights w",
        {"term": (w**2 - mu * w, w * (w - mu))},
        "an eigenvector has the entries w/(w - mu), times its inner product with q, and put back "
        "that product is left; as a term is w + mu w/(w - mu), the same is that w/(w - mu) adds "
        "up to 0 where mu is not 0: one mu lies between any two weights that follow each "
        "other, and the largest between the two largest weights",
        weight,
    )
    rest = Domain(
        {s: between(S.Half, 1, "[)"), w: between(0, 1 - s, "(]")}, {s: S.Half, w: Rational(1, 4)}
    )
    proof.equal(
        "The sum of the absolute values in a row is 2 q (1 - q), largest for the largest weight if "
        "that is at least 1/2",
        {"row": (w - w**2 + w * (1 - w), 2 * w * (1 - w))},
        "so no eigenvalue is above 2 q_max (1 - q_max) then (Gershgorin); the two weights q_max "
        "and 1 - q_max attain it",
        rest,
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


def of_hessian(most: Expr) -> dict[str, Quantity]:
    """What is known of its largest eigenvalue."""
    return {
        "curvature": CURVATURE.upper(
            most,
            "largest eigenvalue of the Hessian of log-sum-exp",
            COUNT,
            equality="where two logits have the weight 1/2 each; for N > 2 approached only",
            attained={"vectors": {"logits": ["0", "0"]}},
        ),
        "curvature_by_weight": CURVATURE.upper(
            Min(q_max, 2 * q_max * (1 - q_max)),
            "largest eigenvalue of the Hessian; the best bound that the largest weight gives",
            DOMAIN.restricted([N, q_max]),
            equality="where two weights are q_max, or all that it leaves is one other weight",
            attained={"vectors": {"logits": ["0", "0", "-1"]}},
        ),
        "curvature_by_trace": CURVATURE.upper(
            1 - participation,
            "largest eigenvalue of the Hessian, from the trace",
            DOMAIN.restricted([N, participation]),
            equality="iff there are two logits; for more approached, with all the weight on two",
            attained={"vectors": {"logits": ["3", "0"]}},
        ),
        "curvature_least": CURVATURE.lower(
            (1 - participation) / (N - 1),
            "largest eigenvalue of the Hessian, at least the mean of all but that of the constants",
            DOMAIN.restricted([N, participation]),
            equality="where all logits are equal, or there are two",
            attained={"vectors": {"logits": ["2", "2", "2", "2"]}},
        ),
        "curvature_at_equal": Quantity(
            1 / N, r"\lambda_{\max}(1/N)", "largest eigenvalue at equal logits", COUNT
        ),
    }


# --- the linearisation ---------------------------------------------------------------------------
def linearisation(proof: Derivation, bend: Expr) -> tuple[Expr, Expr]:
    """Constants of the remainder above and below."""
    along = COUNT.with_range(b, LINE, 1).with_range(u, LINE, 1)
    others = exp(b) / (exp(b) + (N - 1) * exp(-b / (N - 1)))
    logistic = 1 / (1 + (N - 1) * exp(-u))
    step = b * N / (N - 1)
    proof.equal(
        "The weight of a logit that is the mean plus b is largest where the others are equal",
        {"highest": (others, logistic.xreplace({u: step}))},
        "their mean is -b/(N - 1), and by Jensen their exponentials add up to at least as much as "
        "if each were that; it is a logistic function of u = N b/(N - 1)",
        along,
    )
    slope = derivative(logistic, u)
    proof.equal(
        "At u = 0 its value is 1/N, and the line that touches it there is 1/N + b/N",
        {
            "weight": (logistic.xreplace({u: S.Zero}), 1 / N),
            "slope": (slope.xreplace({u: S.Zero}) * step, b / N),
        },
        "so what it has beyond the line is the remainder",
        along,
    )
    proof.equal(
        "Its second derivative is q (1 - q)(1 - 2q)",
        {"bend": (derivative(slope, u), logistic * (1 - logistic) * (1 - 2 * logistic))},
        "q being its value: the third central moment of a number that is 1 with probability q, "
        "and else 0",
        along,
    )
    above = bend / 2 * (step / b) ** 2
    proof.equal(
        "The remainder is at most this times b^2",
        {"above_constant": (above, sqrt(3) * N**2 / (36 * (N - 1) ** 2))},
        "a function exceeds the line that touches it by no more than half the largest second "
        "derivative, sqrt(3)/18, times u^2",
        COUNT,
    )
    proof.equal(
        "With a logit that is the mean plus b the squared norm of the offsets is at least this",
        {"squares": (b**2 + (N - 1) * (b / (N - 1)) ** 2, b**2 * N / (N - 1))},
        "the others are least if all are -b/(N - 1)",
        along,
    )
    return above, fall(proof)


def fall(proof: Derivation) -> Expr:
    """How far a coordinate falls below its linearisation: at most this times a^2."""
    point = COUNT.with_range(a, FREE, 1)
    cosh, sinh = (exp(a) + exp(-a)) / 2, (exp(a) - exp(-a)) / 2
    gap = a**2 / 2 - log(cosh)
    slope = derivative(gap, a)
    proof.equal(
        "log cosh a <= a^2/2",
        {
            "at_zero": (gap.xreplace({a: S.Zero}), 0),
            "slope_at_zero": (slope.xreplace({a: S.Zero}), 0),
            "bend": (derivative(slope, a), (sinh / cosh) ** 2),
        },
        "the second derivative of the difference is a square",
        point.restricted([a]),
    )
    ahead = Symbol("v", nonnegative=True)
    total = 1 + (N - 1) * cosh
    odd = (N - 1) / (2 * N) * a**2 - log(total / N)
    odd_slope = derivative(odd, a)
    proof.equal(
        "log((1 + (N - 1) cosh a)/N) <= (N - 1) a^2/(2N)",
        {
            "at_zero": (odd.xreplace({a: S.Zero}), 0),
            "slope_at_zero": (odd_slope.xreplace({a: S.Zero}), 0),
            "bend": (
                derivative(odd_slope, a),
                (N - 1) * (total**2 - N * (cosh + N - 1)) / (N * total**2),
            ),
        },
        "the second derivative is not negative, by the next step",
        point,
    )
    beyond = COUNT.with_range(ahead, FREE, 1)
    proof.holds(
        "The numerator is not negative",
        ge((1 + (N - 1) * (1 + ahead)) ** 2, N * (1 + ahead + N - 1)),
        "cosh a is 1 + v with v >= 0",
        beyond,
    )
    half = Rational(1, 4) * (1 - (-1) ** N)
    below = (N / 2 - half) / N**2
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
    three = COUNT.with_range(N, at_least(3), 3)
    four = COUNT.with_range(N, at_least(4), 4)
    proof.equal(
        "Above, the constant is at most 1/8 from three logits on",
        {"ratio": (above, sqrt(3) * N**2 / (36 * (N - 1) ** 2))},
        "with 7/4 for sqrt(3) it is 7 N^2/(144 (N - 1)^2), which is less than 1/8 by the next step",
        three,
        also=[lt(sqrt(3), Rational(7, 4))],
    )
    proof.holds(
        "and so is that below",
        [
            gt(Rational(1, 8), 7 * N**2 / (144 * (N - 1) ** 2)),
            gt(Rational(1, 8), Rational(1, 9)),
        ],
        "for N = 3 it is 1/9",
        three,
    )
    proof.holds(
        "and for more logits at most 1/(2N)",
        ge(Rational(1, 8), 1 / (2 * N)),
        "whether N is even or odd",
        four,
    )
    high = Rational(8, 5)
    proof.holds(
        "For two logits, 8/5 and -8/5, the remainder is more than 1/8 of the square",
        gt(S.Half + high / 2 - 1 / (1 + exp(-2 * high)), Rational(1, 8) * high**2),
        "the printed constant is less than what is needed there",
        Domain({}, {}),
    )


# --- as a function of the logits -----------------------------------------------------------------
def lipschitz(proof: Derivation, most: Expr) -> dict[str, Quantity]:
    """How far the softmax is from equal weights."""
    t, g, r = (Symbol(x, nonnegative=True) for x in ("t", "g", "r"))
    path = Domain({t: FREE, g: FREE, r: FREE}, {t: 1, g: 1, r: 1})
    proof.holds(
        "Along the way from equal logits the largest weight rises",
        ge("slope", 0),
        "1/q_max is a sum of r exp(-t g) with g >= 0, each with the derivative r g exp(-t g) "
        "downward; so the Hessian is nowhere on the way more than q_max, nor than 1/2, and q - 1/N "
        "is its mean times the logits less their mean",
        path,
        names={Symbol("slope"): -derivative(r * exp(-t * g), t)},
    )
    proof.equal(
        "The sum of squares of the weights is 1/N more than the squared distance to 1/N",
        {"squared_distance": (participation - 2 / N + N / N**2, participation - 1 / N)},
        "the square of each weight less 1/N, term by term, the weights adding up to 1",
        DOMAIN.restricted([N, participation]),
    )
    constant = Min(most, q_max)
    highest = 1 / (1 + (N - 1) * exp(-spread * N / (N - 1)))
    return {
        "deviation": DEVIATION.upper(
            constant * length,
            "distance of the softmax from equal weights",
            DOMAIN.restricted([N, q_max, length]),
            constants={"lipschitz": most},
            equality="iff all logits are equal; for N = 2 approached as they come together",
        ),
        "participation": PARTICIPATION.upper(
            1 / N + constant**2 * length**2,
            "sum of squares of the weights",
            DOMAIN.restricted([N, q_max, length]),
            equality="iff all logits are equal",
            attained={"vectors": {"logits": ["1", "1", "1"]}},
        ),
        "weight": Q_MAX.upper(
            highest,
            "largest weight, from the largest offset",
            OFFSETS,
            equality="where one logit is above, and all others are equal",
            attained={"vectors": {"logits": ["4", "-1", "-1", "-1"]}},
        ),
    }


def printed(proof: Derivation) -> dict[str, Quantity]:
    """The printed constants, with where they fail."""
    middle = Rational(1, 3) - 1 / (1 + exp(1) + exp(-1))
    proof.holds(
        "The first of the logits 0, 1, -1 has no offset, yet a remainder",
        gt(middle, 0),
        "hence no multiple of the square of its own offset bounds the remainder of a coordinate",
        Domain({}, {}),
    )
    return {
        "curvature_printed": CURVATURE.upper(
            Rational(1, 4),
            "printed bound of the largest eigenvalue; two equal logits have 1/2",
            COUNT,
            printed=True,
            violated={"vectors": {"logits": ["0", "0"]}},
        ),
        "remainder_printed": REMAINDER_FIRST.upper(
            offset**2 / 8,
            "printed bound of one coordinate by its own offset; fails for every N >= 2",
            DOMAIN.restricted([N, offset]),
            constants={"c": Rational(1, 8)},
            printed=True,
            violated={"vectors": {"logits": ["8/5", "-8/5"]}},
        ),
        "remainder_printed_over_N": REMAINDER_FIRST.upper(
            offset**2 / (2 * N),
            "the other printed bound of one coordinate by its own offset; fails for N >= 3",
            DOMAIN.restricted([N, offset]),
            constants={"c": 1 / (2 * N)},
            printed=True,
            violated={"vectors": {"logits": ["0", "1", "-1"]}},
        ),
        "remainder_printed_inf": REMAINDER_INF.upper(
            spread**2 / 8,
            "printed bound of the largest entry; fails for N = 2 only",
            OFFSETS,
            constants={"c": Rational(1, 8)},
            printed=True,
            violated={"vectors": {"logits": ["8/5", "-8/5"]}},
            holds_if="where N >= 3",
        ),
    }


RESULT = Result(
    "softmax-smoothness",
    title="The Hessian of log-sum-exp, and the softmax near equal logits",
    source="ochieng2025diversity, Lemma A.1",
    parameters=(N, q_max, participation, spread, length, offset),
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    setting=LOGITS,
)
