"""One vector more in a batch: what becomes of the trace of the squared second moment.

With S for the second moment of b vectors, t for the trace of S^2 and q for z' S z, the batch with z
has the moment (b S + z z')/(b + 1), and the trace of its square is a polynomial in these. All of it
is algebra of traces, so it holds for any number of vectors in any dimension. The trace is least, in
one step, for the candidate with the least q; over two steps that choice need not be best.
"""

from __future__ import annotations

from sympy import Expr, ImmutableMatrix, Lt, Max, Min, Rational, S, Symbol, sqrt

from ...decide.calculus import derivative
from ...decide.domain import Domain, at_least, between, region
from ...decide.present import tidy
from ...losses.setting import CANDIDATE
from ...optimum.threshold import Criterion, threshold
from ...proof.derivation import Derivation
from ...proof.relations import gt, lt
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.moments import joined, mean
from .._for_data import NUMBERS
from ._bounded import bounds, configuration
from ._moments import spread_of_eigenvalues
from ._readings import in_own_ranges

b, d = (Symbol(s, integer=True, positive=True) for s in "bd")
t = Symbol("t", positive=True)
q = Symbol("q", nonnegative=True)
sigma_hat = Symbol("sigma_hat", positive=True)
centroid = Symbol("centroid", real=True)
x = Symbol("x", real=True)

WHY_T = "at most min(b, d) eigenvalues are nonzero and they sum to 1"
WHY_Q = "q is at most the largest eigenvalue, and the squared eigenvalues sum to t"


def largest(r: Expr) -> Expr:
    """The largest of ``r`` eigenvalues with the sum 1 whose squares add up to t: others equal."""
    return (1 + sqrt((r - 1) * (r * t - 1))) / r


DOMAIN = Domain(
    {
        b: at_least(1),
        d: at_least(1),
        t: between(1 / Min(b, d), 1, why=WHY_T),
        q: between(0, largest(Min(b, d)), why=WHY_Q),
        centroid: between(-1, 1),
        sigma_hat: between(t, largest(Min(b, d)), why="the squared eigenvalues sum to t"),
    },
    {b: 2, d: 3, t: S.Half, q: Rational(1, 4), centroid: 0, sigma_hat: S.Half},
)
#: Where steps of algebra hold, whatever vectors there are; and what one batch can have.
STEP = Domain({b: at_least(1), t: between(0, 1, "(]"), q: between(0, 1)}, {b: 2, t: S.Half, q: 0})
MEANT = STEP.with_range(t, between(1 / b, 1, why=WHY_T), S.Half).with_range(
    q, between(0, largest(b), why=WHY_Q), 0
)
MEANINGS = {
    b: "number of vectors in the batch",
    d: "dimension",
    t: "trace of the square of the batch's second moment, the inverse of its effective rank",
    q: "quadratic form of the batch's second moment at the candidate, its mean squared inner "
    "product with the batch",
    centroid: "inner product of the candidate with the mean of the batch",
    sigma_hat: "largest eigenvalue of the batch's second moment",
}
CASES = {
    "ORTHOGONAL": configuration(batch="1 0 0; 0 1 0", candidate="0 0 1"),
    "AXIS_TWICE": configuration(batch="1 0 0; 0 1 0; 0 0 1; 1 0 0", candidate="1 0 0"),
    "AXIS_ONCE": configuration(batch="1 0 0; 0 1 0; 0 0 1; 0 1 0; 0 0 1", candidate="1 0 0"),
    "OPPOSITE": configuration(batch="3/5 4/5; -3/5 -4/5", candidate="3/5 4/5"),
    "MIRRORED": configuration(batch="3/5 4/5 0; 3/5 -4/5 0", candidate="1 0 0"),
}
BOUNDS = r"""
t_next_lower | t_next >= | ORTHOGONAL
    trace of the squared second moment with any candidate
    iff the candidate is orthogonal to the batch
t_next_upper | t_next <= | AXIS_TWICE
    trace of the squared second moment with the candidate, from the largest eigenvalue
    iff the candidate is a leading eigenvector
t_lower | t >= | ORTHOGONAL
    trace of the square of the second moment
    where the vectors are orthonormal, or a tight frame
t_upper | t <= | OPPOSITE
    trace of the square of the second moment of any batch
    iff all vectors are collinear
q_upper | q <= | AXIS_TWICE
    the candidate's quadratic form, at most the largest eigenvalue
    iff the candidate is a leading eigenvector, and all other eigenvalues are equal
q_lower | q >= | AXIS_ONCE
    the candidate's quadratic form, at least the smallest eigenvalue
    where the candidate is orthogonal to the batch, or an eigenvector of the smallest eigenvalue
    and all other eigenvalues are equal
q_centroid | q >= | MIRRORED
    the candidate's quadratic form, from the mean of the batch
    iff the candidate has the same inner product with every vector of the batch
"""


def build(proof: Derivation) -> dict[str, Quantity]:
    after, gain = one_step(proof)
    state_centroid(proof)
    several = Domain({d: at_least(2), t: between(1 / d, 1)}, {d: 3, t: S.Half})
    # q lies between the least eigenvalue and the largest.
    spread = sqrt(spread_of_eigenvalues(d, t, several, proof))
    in_t = {"domain": Domain({d: at_least(1), t: between(1 / d, 1, why=WHY_T)}, {d: 3, t: S.Half})}
    with_top = MEANT.restricted([b, t]).with_range(sigma_hat, between(t, largest(b)), S.Half)
    values = {
        "t_next_lower": after.xreplace({q: S.Zero}),
        "t_next_upper": after.xreplace({q: sigma_hat}),
        "t_lower": 1 / Min(b, d),
        "t_upper": S.One,
        "q_upper": 1 / d + spread,
        "q_lower": Max(0, 1 / d - spread),
        "q_centroid": centroid**2,
    }
    more = {
        "t_next_lower": {"domain": MEANT.restricted([b, t])},
        "t_next_upper": {"domain": with_top},
        "q_upper": in_t,
        "q_lower": in_t,
    }
    found: dict[str, Quantity] = {
        "t_next": Quantity(
            after,
            r"t_{B \cup \{z\}}",
            "trace of the squared second moment with the candidate",
            MEANT,
        ),
        "gain": Quantity(gain, r"\Delta t", "change of the trace of the squared moment", MEANT),
        **when_it_falls(proof, gain),
        **expansion(proof, gain),
        **diversity(proof),
        **bounds(About.VECTORS, BOUNDS, values, CASES, more),
        **two_steps(proof),
    }
    return in_own_ranges(found, DOMAIN)


def one_step(proof: Derivation) -> tuple[Expr, Expr]:
    """The trace with a candidate, and what it changes by."""
    after = tidy(joined(b, t, q)[0])
    gain = tidy(after - t)
    proof.equal(
        "The trace of the squared second moment with one more unit vector, its change, and its "
        "derivative in q",
        {
            "t_next": (after, (b**2 * t + 2 * b * q + 1) / (b + 1) ** 2),
            "gain": (gain, (2 * b * (q - t) + 1 - t) / (b + 1) ** 2),
            "slope": (derivative(after, q), 2 * b / (b + 1) ** 2),
        },
        "the square of (b S + z z')/(b + 1) is expanded; traces are invariant under cyclic "
        "permutations, so only t, q and |z|^2 = 1 remain. The derivative is the same for all "
        "candidates, so the candidate with the smallest q gives the smallest trace after this step",
        STEP,
    )
    return after, gain


def when_it_falls(proof: Derivation, gain: Expr) -> dict[str, Quantity]:
    """The gain condition."""
    less = Criterion("the candidate decreases the trace", Lt(gain, 0, evaluate=False))
    border = threshold(less, q, STEP.with_range(q, between(0, 1), 0), proof)
    proof.equal(
        "q_gain < t unless all vectors are collinear",
        {"short_of_t": (t - border.value, (1 - t) / (2 * b))},
        "t < 1 unless all vectors are collinear. So a candidate with q = t increases the trace, "
        "by (1 - t)/(b + 1)^2; as t >= 1/b, q_gain is at least (b + 1)/(2 b^2), and a candidate "
        "orthogonal to the batch decreases the trace",
        STEP,
    )
    return {
        "q_gain": Quantity.from_threshold(border, "q_gain", r"q^*", domain=MEANT.restricted([b, t]))
    }


def expansion(proof: Derivation, gain: Expr) -> dict[str, Quantity]:
    """The expansion in 1/b, and what it leaves."""
    rest = tidy(gain - 2 * (q - t) / b)
    proof.equal(
        "The change of the trace minus its approximation 2 (q - t)/b",
        {"remainder": (rest, (b * (1 + 3 * t - 4 * q) + 2 * (t - q)) / (b * (b + 1) ** 2))},
        "both terms are brought to a common denominator",
        STEP,
    )
    # As q <= sigma_hat <= sqrt(t): with s for the root of t.
    root = Symbol("s", positive=True)
    possible = region({b: at_least(1), root: between(0, 1, "(]"), q: between(0, root)})
    of_root = (rest * b**2).xreplace({t: root**2})
    above = b * (b + (3 * b + 2) * root**2) / (b + 1) ** 2
    beyond = root - (2 * b + 1) / (3 * b + 2)
    proof.equal(
        "The remainder times b^2 is at least -b/(3b + 2) and less than 4",
        {
            "slope": (derivative(of_root, q), -2 * b * (2 * b + 1) / (b + 1) ** 2),
            "orthogonal": (of_root.xreplace({q: S.Zero}), above),
            "over_least": (
                of_root.xreplace({q: root}) + b / (3 * b + 2),
                b * (3 * b + 2) / (b + 1) ** 2 * beyond**2,
            ),
        },
        "it decreases with q, from its value orthogonal at q = 0. With t = s^2, q is at most the "
        "largest eigenvalue, so at most s; there it exceeds -b/(3b + 2) by the square over_least. "
        "As b -> oo the two ends converge to -1/3 and 4",
        possible,
        also=[gt(S(4), above)],
    )
    return {
        "remainder": Quantity(
            rest, r"\Delta t - 2(q - t)/b", "change of the trace minus its approximation (8)", MEANT
        ),
        "scaled_remainder": Quantity(
            tidy(rest * b**2),
            r"b^2 (\Delta t - 2(q - t)/b)",
            "change of the trace minus its approximation (8), times b^2; between -b/(3b + 2) and 4",
            MEANT,
        ),
    }


def diversity(proof: Derivation) -> dict[str, Quantity]:
    """The Frobenius distance to the candidate's own moment."""
    _, apart = joined(b, t, q)
    proof.equal(
        "The squared Frobenius distance of the second moment S and z z'",
        {"apart": (apart, t - 2 * q + 1), "slope": (derivative(apart, q), -2)},
        "the square of S - z z' is expanded; hence the distance is largest for the candidate with "
        "the smallest q",
        STEP,
    )
    return {
        "frobenius_diversity": Quantity(
            apart, r"\Delta_F(z \mid B)", "squared Frobenius distance of S and z z'", MEANT
        )
    }


def state_centroid(proof: Derivation) -> None:
    """The candidate's quadratic form is at least this."""
    proof.equal(
        "The squared inner product with the mean of the batch is at most q",
        {"spread": (mean((x - centroid) ** 2, x, {1: centroid, 2: q}), q - centroid**2)},
        "spread is the variance of the inner products of the candidate with the batch: the mean "
        "of their squares minus the square of their mean; zero iff all are equal",
        region({q: between(0, 1), centroid: between(-1, 1)}),
    )


def two_steps(proof: Derivation) -> dict[str, Quantity]:
    """Greedy choices against the best two."""
    first, across = ImmutableMatrix([1, 0]), ImmutableMatrix([0, 1])
    others = [ImmutableMatrix([-1, sign * sqrt(3)]) / 2 for sign in (1, -1)]

    def trace(*rows: ImmutableMatrix) -> Expr:
        """Of the square of the second moment."""
        squares = (u.dot(v) ** 2 for u in rows for v in rows)
        return tidy(sum(squares, S.Zero).expand() / len(rows) ** 2)

    greedy, best = trace(first, across, others[0]), trace(first, *others)
    proof.equal(
        "With the batch (1, 0) and a pool of (0, 1) and the two vectors at 120 degrees to (1, 0), "
        "two greedy steps take (0, 1) first and give the trace 5/9; the two other vectors give "
        "1/2",
        {
            "q_of_first_step": (across.dot(first) ** 2, 0),
            "q_of_others": (others[0].dot(first) ** 2, Rational(1, 4)),
            "greedy": (greedy, Rational(5, 9)),
            "other_greedy": (trace(first, across, others[1]), Rational(5, 9)),
            "best": (best, S.Half),
        },
        "all pairs from the pool are compared; with a pool of two, or in dimension 1, there is no "
        "choice, so no smaller example exists",
        NUMBERS,
        also=[lt("best", "greedy")],
    )
    return {
        "greedy_two_steps": Quantity(
            greedy,
            r"t_{\text{greedy}}",
            "trace after two greedy steps, in the example",
            NUMBERS,
        ),
        "best_two_steps": Quantity(
            best,
            r"t_{\min}",
            "minimum of the trace over all pairs from the pool, in the example",
            NUMBERS,
        ),
    }


RESULT = Result(
    "trace-update",
    title="The trace of the squared second moment when one vector joins a batch",
    source="ochieng2025diversity, Lemma A.3",
    parameters=(b, t, q, d, centroid, sigma_hat),
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=CANDIDATE,
)
