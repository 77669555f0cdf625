"""One vector more in a batch: what becomes of the trace of the squared second moment.

With S for the second moment of b vectors, t for the trace of S^2 and q for z' S z, the batch with z
has the moment (b S + z z')/(b + 1), and the trace of its square is a polynomial in these. All of it
is algebra of traces, so it holds for any number of vectors in any dimension. The trace is least, in
one step, for the candidate with the least q; over two steps that choice need not be best.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from sympy import Expr, Lt, Max, Min, Rational, S, Symbol, sqrt

from ...decide.calculus import derivative
from ...decide.domain import Domain, at_least, between
from ...decide.present import tidy
from ...losses.setting import CANDIDATE
from ...optimum.threshold import Criterion, threshold
from ...proof.derivation import Derivation
from ...proof.relations import eq, gt, lt
from ...theorem.bounds import About, Bounds
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.moments import Joined, mean
from ._moments import AXES, OPPOSITE, vectors

b, d = (Symbol(s, integer=True, positive=True) for s in "bd")
t = Symbol("t", positive=True)
q = Symbol("q", nonnegative=True)
sigma_hat = Symbol("sigma_hat", positive=True)
centroid = Symbol("centroid", real=True)
x = Symbol("x", real=True)

WHY_T = "no more eigenvalues than vectors or dimensions add up to 1"
WHY_Q = "it is at most the largest eigenvalue, and the squared eigenvalues add up to t"


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
        sigma_hat: between(t, largest(Min(b, d)), why="the squared eigenvalues add up to t"),
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
    t: "trace of the square of the batch's second moment, 1 over its effective rank",
    q: "the candidate's quadratic form in that moment, its mean squared inner product",
    centroid: "inner product of the candidate with the mean of the batch",
    sigma_hat: "largest eigenvalue of the second moment",
}
#: Two vectors that have one inner product with the first axis.
MIRRORED = [["3/5", "4/5", "0"], ["3/5", "-4/5", "0"]]
#: Where greedy choices are not best: a first vector, and a pool to take two of.
FIRST = (S.One, S.Zero)
POOL = (
    (S.Zero, S.One),
    (-S.Half, sqrt(3) / 2),
    (-S.Half, -sqrt(3) / 2),
)


def build(proof: Derivation) -> dict[str, Quantity]:
    after, gain = one_step(proof)
    about: dict[str, Any] = {"about": About.VECTORS}
    in_t = Domain({d: at_least(1), t: between(1 / d, 1, why=WHY_T)}, {d: 3, t: S.Half})
    spread = sqrt((d - 1) * (d * t - 1)) / d
    forms(proof)
    return {
        "t_next": Quantity(after, r"t_{B \cup \{z\}}", "the trace with the candidate", MEANT),
        "gain": Quantity(gain, r"\Delta t", "by how much the trace changes", MEANT),
        **when_it_falls(proof, gain),
        **expansion(proof, gain),
        **diversity(proof),
        "t_next_lower": Bounds(
            after.xreplace({q: S.Zero}),
            r"t_{B \cup \{z\}} \ge",
            "the trace with the candidate, whatever that is",
            MEANT.restricted([b, t]),
            side="lower",
            bounded="t_next",
            equality="iff the candidate is orthogonal to the batch",
            attained=vectors(AXES[:2], AXES[2]),
            **about,
        ),
        "t_next_upper": Bounds(
            after.xreplace({q: sigma_hat}),
            r"t_{B \cup \{z\}} \le",
            "the trace with the candidate, from the largest eigenvalue",
            MEANT.restricted([b, t]).with_range(sigma_hat, between(t, largest(b)), S.Half),
            bounded="t_next",
            equality="iff the candidate is a top direction",
            attained=vectors([*AXES, AXES[0]], AXES[0]),
            **about,
        ),
        "t_lower": Bounds(
            1 / Min(b, d),
            r"t_B \ge",
            "trace of the square of the second moment",
            DOMAIN.restricted([b, d]),
            side="lower",
            bounded="t",
            equality="where the vectors are orthonormal, or a tight frame",
            attained=vectors(AXES[:2], AXES[2]),
            **about,
        ),
        "t_upper": Bounds(
            S.One,
            r"t_B \le",
            "trace of the square of the second moment, whatever the batch is",
            DOMAIN.restricted([b]),
            bounded="t",
            equality="iff all vectors are on one line",
            attained=vectors(OPPOSITE, OPPOSITE[0]),
            **about,
        ),
        "q_upper": Bounds(
            1 / d + spread,
            r"q_B(z) \le",
            "the candidate's quadratic form, at most the largest eigenvalue",
            in_t,
            bounded="q",
            equality="iff the candidate is a top direction, and all other eigenvalues are equal",
            attained=vectors([*AXES, AXES[0]], AXES[0]),
            **about,
        ),
        "q_lower": Bounds(
            Max(0, 1 / d - spread),
            r"q_B(z) \ge",
            "the candidate's quadratic form, at least the least eigenvalue",
            in_t,
            side="lower",
            bounded="q",
            equality="where the candidate is orthogonal to the batch, or a last direction and all "
            "other eigenvalues are equal",
            attained=vectors([*AXES, *AXES[1:]], AXES[0]),
            **about,
        ),
        "q_centroid": Bounds(
            centroid**2,
            r"q_B(z) \ge",
            "the candidate's quadratic form, from the mean of the batch",
            DOMAIN.restricted([centroid]),
            side="lower",
            bounded="q",
            equality="iff the candidate has the same inner product with all vectors of the batch",
            attained=vectors(MIRRORED, AXES[0]),
            **about,
        ),
        **two_steps(proof),
    }


def one_step(proof: Derivation) -> tuple[Expr, Expr]:
    """The trace with a candidate, and what it changes by."""
    after = tidy(Joined(b, t, q).squared)
    name, change = Symbol("t_next"), Symbol("gain")
    gain = tidy(after - t)
    proof.holds(
        "The trace with a unit vector more, and its change",
        [
            eq(name, (b**2 * t + 2 * b * q + 1) / (b + 1) ** 2),
            eq(change, (2 * b * (q - t) + 1 - t) / (b + 1) ** 2),
        ],
        "the square of the moment with the candidate, multiplied out; traces of rotated products "
        "are equal, so what is left are t, q and the squared norm of the candidate",
        STEP,
        names={name: after, change: gain},
    )
    proof.holds(
        "It rises with q, at the same rate for all candidates",
        eq("slope", 2 * b / (b + 1) ** 2),
        "so the candidate with the least q leaves the least trace after this step",
        STEP,
        names={Symbol("slope"): derivative(after, q)},
    )
    return after, gain


def when_it_falls(proof: Derivation, gain: Expr) -> dict[str, Quantity]:
    """The gain condition."""
    less = Criterion("the candidate lowers the trace", Lt(gain, 0, evaluate=False))
    border = threshold(less, q, STEP.with_range(q, between(0, 1), 0), proof)
    proof.holds(
        "That is less than t unless all vectors are on one line",
        eq("short_of_t", (1 - t) / (2 * b)),
        "a candidate with q = t raises the trace by (1 - t)/(b + 1)^2; as t is at least 1/b, "
        "that is never below (b + 1)/(2 b^2), and a candidate orthogonal to the batch lowers it",
        STEP,
        names={Symbol("short_of_t"): t - border.value},
    )
    return {"q_gain": Quantity.of(border, "it", r"q^*", domain=MEANT.restricted([b, t]))}


def expansion(proof: Derivation, gain: Expr) -> dict[str, Quantity]:
    """The expansion in 1/b, and what it leaves."""
    rest = tidy(gain - 2 * (q - t) / b)
    name = Symbol("remainder")
    proof.holds(
        "What is left of the change after 2 (q - t)/b",
        eq(name, (b * (1 + 3 * t - 4 * q) + 2 * (t - q)) / (b * (b + 1) ** 2)),
        "over the common denominator",
        STEP,
        names={name: rest},
    )
    # As q <= sigma_hat <= sqrt(t): with s for the root of t.
    root = Symbol("s", positive=True)
    there = Domain(
        {b: at_least(1), root: between(0, 1, "(]"), q: between(0, root)},
        {b: 2, root: S.Half, q: 0},
    )
    of_root = (rest * b**2).xreplace({t: root**2})
    least, falls = Symbol("over_least"), Symbol("slope")
    proof.holds(
        "Times b^2 it is at least -b/(3b + 2), and less than 4",
        [
            eq(falls, -2 * b * (2 * b + 1) / (b + 1) ** 2),
            eq("orthogonal", b * (b + (3 * b + 2) * root**2) / (b + 1) ** 2),
            gt(S(4), b * (b + (3 * b + 2) * root**2) / (b + 1) ** 2),
            eq(least, b * (3 * b + 2) / (b + 1) ** 2 * (root - (2 * b + 1) / (3 * b + 2)) ** 2),
        ],
        "it falls with q, from its value for a candidate orthogonal to the batch; t is s^2, and q "
        "is at most the largest eigenvalue, so at most s, where what it has more than -b/(3b + 2) "
        "is this square; for large b the two ends come to -1/3 and 4",
        there,
        names={
            falls: derivative(of_root, q),
            Symbol("orthogonal"): of_root.xreplace({q: S.Zero}),
            least: of_root.xreplace({q: root}) + b / (3 * b + 2),
        },
    )
    return {
        "remainder": Quantity(rest, r"\Delta t - 2(q - t)/b", "what (8) leaves out", MEANT),
        "scaled_remainder": Quantity(
            tidy(rest * b**2),
            r"b^2 (\Delta t - 2(q - t)/b)",
            "what (8) leaves out, times b^2; between -b/(3b + 2) and 4",
            MEANT,
        ),
    }


def diversity(proof: Derivation) -> dict[str, Quantity]:
    """The Frobenius distance to the candidate's own moment."""
    apart = Joined(b, t, q).apart
    proof.holds(
        "The squared Frobenius distance of S and z z'",
        [eq("apart", t - 2 * q + 1), eq("slope", -2)],
        "so it is largest where q is least",
        STEP,
        names={Symbol("apart"): apart, Symbol("slope"): derivative(apart, q)},
    )
    return {
        "frobenius_diversity": Quantity(
            apart, r"\Delta_F(z \mid B)", "squared Frobenius distance of S and z z'", MEANT
        )
    }


def forms(proof: Derivation) -> None:
    """What the candidate's quadratic form can be."""
    spread = Symbol("spread")
    where = Domain({q: between(0, 1), centroid: between(-1, 1)}, {q: Rational(1, 4), centroid: 0})
    proof.holds(
        "The squared inner product with the mean of the batch is at most q",
        eq(spread, q - centroid**2),
        "this is the mean of the squares of the inner products less their mean; zero iff all of "
        "them are equal",
        where,
        names={spread: mean((x - centroid) ** 2, x, {1: centroid, 2: q})},
    )
    big = Domain(
        {d: at_least(2), t: between(1 / d, 1), x: between(0, 1)}, {d: 3, t: S.Half, x: S.Half}
    )
    others = x**2 + (1 - x) ** 2 / (d - 1)
    shift = (d - 1) * (d * t - 1) / d**2
    proof.holds(
        "An eigenvalue x of the moment is at most sqrt((d - 1)(d t - 1))/d away from 1/d",
        eq("over", d / (d - 1) * ((x - 1 / d) ** 2 - shift)),
        "the other d - 1 add up to 1 - x, so with their squares at least this is left of t; it is "
        "not positive, and q lies between the least eigenvalue and the largest",
        big,
        names={Symbol("over"): others - t},
    )


def two_steps(proof: Derivation) -> dict[str, Quantity]:
    """Greedy choices against the best two."""
    greedy = _trace([FIRST, *_greedy(FIRST, POOL, 2)])
    pairs = {pair: _trace([FIRST, *pair]) for pair in combinations(POOL, 2)}
    best = min(pairs.values())
    proof.holds(
        "From (1, 0), with a pool of (0, 1) and the two vectors at 120 degrees to (1, 0), greedy "
        "steps take (0, 1) and leave the trace 5/9; the other two leave 1/2",
        [eq("greedy", Rational(5, 9)), eq("best", S.Half), lt("best", "greedy")],
        "all pairs are tried; with a pool of two, or in one dimension, there is nothing to choose, "
        "so no smaller example exists",
        Domain({}, {}),
        names={Symbol("greedy"): greedy, Symbol("best"): best},
    )
    return {
        "greedy_two_steps": Quantity(
            greedy,
            r"t_{\text{greedy}}",
            "the trace after two greedy steps, in the example",
            Domain({}, {}),
        ),
        "best_two_steps": Quantity(
            best,
            r"t_{\min}",
            "the least trace that two of the pool leave, in the example",
            Domain({}, {}),
        ),
    }


Vector = tuple[Expr, ...]


def _trace(rows: list[Vector]) -> Expr:
    return tidy(sum((_dot(u, v) ** 2 for u in rows for v in rows), S.Zero) / len(rows) ** 2)


def _dot(u: Vector, v: Vector) -> Expr:
    return sum((a * c for a, c in zip(u, v, strict=True)), S.Zero).expand()


def _greedy(first: Vector, pool: tuple[Vector, ...], steps: int) -> list[Vector]:
    """What is taken if each is the one with the least sum of squared inner products."""
    taken: list[Vector] = []
    for _ in range(steps):
        left = [z for z in pool if z not in taken]
        taken.append(
            min(left, key=lambda z: sum((_dot(u, z) ** 2 for u in (first, *taken)), S.Zero))
        )
    return taken


RESULT = Result(
    "trace-update",
    title="One vector more in a batch: the trace of the squared second moment",
    source="ochieng2025diversity, Lemma A.3",
    parameters=(b, t, q, d, centroid, sigma_hat),
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=CANDIDATE,
)
