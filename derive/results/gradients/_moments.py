"""What several of these results say of numbers between two ends, with a mean."""

from __future__ import annotations

from sympy import Expr, Rational, S, Symbol, sqrt

from ...decide.domain import LINE, Domain, Range, between
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, le
from ...vectors.moments import mean

#: A number with a mean, and the ends that it stays between.
x = Symbol("x", real=True)
low, high, c = (Symbol(s, real=True) for s in ("l", "h", "c"))
#: The mean of a number that stays between 0 and 1.
p = Symbol("p", positive=True)

ENDS = Domain(
    {low: LINE, high: Range(low, low_open=False), c: between(low, high)}, {low: -1, high: 1, c: 0}
)
SHARE = Domain({p: between(0, 1, "()")}, {p: Rational(1, 3)})


def largest_variance(proof: Derivation) -> Expr:
    """The variance of a number between two ends, and with any mean: at most this times range^2."""
    squares = mean((high - x) * (x - low), x, {1: c, 2: Symbol("m2")})
    bound = (squares + Symbol("m2")).expand() - c**2
    quarter = Rational(1, 4)
    proof.equal(
        "The variance of a number in [l, h] with mean c is at most (h - c)(c - l), which is at "
        "most a quarter of (h - l)^2",
        {
            "largest_variance": (bound, (high - c) * (c - low)),
            "room": (
                quarter * (high - low) ** 2 - (high - c) * (c - low),
                (c - (low + high) / 2) ** 2,
            ),
        },
        "(h - x)(x - l) >= 0, and its mean is (l + h) c - l h minus the mean of x^2, with equality "
        "iff x takes only the values l and h; room is (h - l)^2/4 - (h - c)(c - l), and zero iff c "
        "is their midpoint",
        ENDS,
    )
    return quarter


def spread_of_eigenvalues(d: Symbol, t: Expr, domain: Domain, proof: Derivation) -> Expr:
    """How far an eigenvalue is from 1/d at most, squared, if t is the sum of the d squares."""
    largest = Symbol("x", positive=True)
    squares = largest**2 + (1 - largest) ** 2 / (d - 1)
    spread = (d - 1) * (d * t - 1) / d**2
    proof.equal(
        "If d eigenvalues sum to 1 and their squares to t, each eigenvalue x is within sqrt((d - "
        "1)(d t - 1))/d of 1/d",
        {
            "over": (squares - t, d / (d - 1) * ((largest - 1 / d) ** 2 - spread)),
            "squares_there": (squares.xreplace({largest: 1 / d + sqrt(spread)}), t),
        },
        "the other d - 1 eigenvalues sum to 1 - x, so by Cauchy-Schwarz their squares sum to at "
        "least (1 - x)^2/(d - 1): over is at most 0, and zero iff the others are equal. As t is "
        "at most 1, the distance is at most 1 - 1/d",
        domain.with_range(largest, between(1 / d, 1), 1 / domain.witness[d]),
        also=[ge((1 - 1 / d) ** 2, spread)],
    )
    return spread


def largest_third_moment(proof: Derivation) -> Expr:
    """The third central moment of a number with range 1: at most this."""
    at = (1 - 1 / sqrt(3)) / 2
    most = (p * (1 - p) * (1 - 2 * p)).xreplace({p: at}).expand()
    chord = x * ((1 - p) ** 3 - (-p) ** 3) + (-p) ** 3
    touching = (3 * p - 1) / 2
    tangent = (touching - p) ** 3 + 3 * (touching - p) ** 2 * (x - touching)
    proof.equal(
        "For x in [0, 1] the cube (x - p)^3 lies below its chord on [0, 1] if p < 1/3, and below "
        "the line that meets it at x = 1 and is tangent to it at x = (3 p - 1)/2",
        {
            "over_chord": ((x - p) ** 3 - chord, x * (x - 1) * (x - 3 * p + 1)),
            "over_tangent": ((x - p) ** 3 - tangent, (x - 1) * (x - touching) ** 2),
            "chord_at_mean": (chord.xreplace({x: p}), p * (1 - p) * (1 - 2 * p)),
            "tangent_at_mean": (tangent.xreplace({x: p}), (1 - p) ** 3 / 4),
        },
        "both products are at most 0. So if x has the mean p, its third central moment is at most "
        "the value of the chord at p for p < 1/3, and that of the tangent for p >= 1/3",
        SHARE.with_range(x, between(0, 1), S.Half),
    )
    proof.equal(
        "For p < 1/3 the third central moment of a number in [0, 1] is at most sqrt(3)/18",
        {"gap": (most - p * (1 - p) * (1 - 2 * p), 2 * (p - at) ** 2 * (S.Half + 1 / sqrt(3) - p))},
        "gap is sqrt(3)/18 - p (1 - p)(1 - 2 p), whose last factor exceeds 1 - p; equality for p "
        "= 1/2 - sqrt(3)/6 and two values. The same bound for 1 - x gives the opposite sign",
        SHARE,
        also=[gt(1 / sqrt(3), S.Half)],
    )
    late = Domain({p: between(Rational(1, 3), 1)}, {p: S.Half})
    proof.holds(
        "For p >= 1/3 the bound (1 - p)^3/4 is less than sqrt(3)/18",
        [le((1 - p) ** 3 / 4, Rational(2, 27)), gt(most, Rational(2, 27))],
        "(1 - p)^3/4 decreases with p and equals 2/27 at p = 1/3",
        late,
    )
    return most
