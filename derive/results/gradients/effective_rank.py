"""Effective rank: the inverse of the sum of the squared eigenvalues of a second moment.

Those of n unit vectors in d dimensions add up to 1, and at most min(n, d) are not zero. So the
effective rank 1/sum of squares lies between 1 and that; the largest eigenvalue lies between two
values that the effective rank and the dimension give, and both are attained. What leaves vectors
out of a batch is a matter of sums, and holds for any number of vectors.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Max, Min, Rational, S, Symbol, log, sqrt

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...decide.present import solve_linear, tidy
from ...losses.setting import VECTORS
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge
from ...theorem.bounds import About, Bounds
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.moments import Parts, from_isotropy, gram_and_moment
from ...vectors.words import Words
from ._moments import AXES, OPPOSITE, vectors

n, d, k = (Symbol(s, integer=True, positive=True) for s in "ndk")
rank = Symbol("effective_rank", positive=True)
sigma_hat = Symbol("sigma_hat", positive=True)
gram = Symbol("gram", positive=True)
deviation = Symbol("isotropy_deviation", nonnegative=True)

DOMAIN = Domain(
    {
        n: at_least(1),
        d: at_least(1),
        rank: between(1, d),
        k: at_least(1),
        gram: between(Max(n, n**2 / d), n**2),
        sigma_hat: between(1 / d, 1),
        deviation: between(0, sqrt(d - 1)),
    },
    {n: 4, d: 3, rank: 2, k: 1, gram: 8, sigma_hat: S.Half, deviation: S.Half},
)
MEANINGS = {
    n: "number of unit vectors",
    d: "dimension",
    rank: "effective rank, 1 over the sum of the squared eigenvalues of the second moment",
    k: "a whole number below the effective rank, and no more than 1 below",
    gram: "sum of the squared inner products of all n^2 pairs",
    sigma_hat: "largest eigenvalue of the second moment",
    deviation: "Frobenius distance of the second moment from the identity over d, over the norm "
    "of the latter",
}
#: The largest eigenvalue, how many there may be, a trace, a share, a squared norm.
x, r = Symbol("x", positive=True), Symbol("r", positive=True)
trace, t = Symbol("trace", positive=True), Symbol("t", positive=True)
SEVERAL = at_least(2, "in one dimension effective rank and largest eigenvalue are 1")
LARGE = Domain({d: SEVERAL, rank: between(1, d)}, {d: 3, rank: 2})


def build(proof: Derivation) -> dict[str, Quantity]:
    of_gram = by_gram(proof)
    largest = most(proof)
    least = fewest(proof)
    return {
        "effective_rank": of_gram,
        **ranges(proof),
        "sigma_hat_upper": Bounds(
            largest.xreplace({d: Min(n, d)}),
            r"\hat\sigma \le",
            "largest eigenvalue of the second moment",
            Domain(
                {n: at_least(2), d: SEVERAL, rank: between(1, Min(n, d))}, {n: 4, d: 3, rank: 2}
            ),
            bounded="sigma_hat",
            about=About.VECTORS,
            equality="iff all other eigenvalues are equal, of as many as n vectors may have",
            attained=vectors([*AXES, AXES[0]], AXES[0]),
        ),
        "sigma_hat_lower": Bounds(
            1 / rank,
            r"\hat\sigma \ge",
            "largest eigenvalue of the second moment, from the effective rank alone",
            LARGE,
            side="lower",
            bounded="sigma_hat",
            about=About.VECTORS,
            equality="iff all eigenvalues that are not zero are equal",
            attained=vectors(AXES[:2], AXES[0]),
        ),
        "sigma_hat_most": Quantity(
            largest,
            r"\hat\sigma_{\max}",
            "most that the largest eigenvalue can be, attained: all others are equal",
            LARGE,
        ),
        "sigma_hat_least": Quantity(
            least,
            r"\hat\sigma_{\min}",
            "least that the largest eigenvalue can be, attained: k of them are equal, one is less",
            DOMAIN.restricted([k]).with_range(rank, between(k, k + 1), Rational(3, 2)),
        ),
        **isotropy(proof),
        "entropy_rank": Bounds(
            entropy(proof),
            r"e^{H(\lambda)} \ge",
            "effective rank by entropy, the exponential of that of the eigenvalues",
            LARGE,
            side="lower",
            bounded="entropy_rank",
            about=About.VECTORS,
            equality="iff all eigenvalues that are not zero are equal",
            attained=vectors(AXES[:2], AXES[0]),
        ),
        **left_out(proof),
    }


#: For the limit of d: any effective rank.


# --- from inner products -------------------------------------------------------------------------
def by_gram(proof: Derivation) -> Quantity:
    """From the Gram matrix, and from it over its trace."""
    of_gram, of_moment = gram_and_moment()
    where = DOMAIN.restricted([n]).with_range(gram, between(n, n**2), 8)
    scaled = where.with_range(trace, POSITIVE, 4)
    wide, high = Symbol("gram_norm"), Symbol("moment_norm")
    called = {of_gram: gram}  # the other has a name of its own if it is not the same
    proof.holds(
        "The squared Frobenius norms of Z Z' and Z' Z are equal",
        [eq(wide, gram), eq(high, gram)],
        "both are the trace of Z Z' Z Z', rotated; Z has any number of rows, of any length",
        where,
        names={wide: of_gram.xreplace(called), high: of_moment.xreplace(called)},
    )
    squares = Symbol("of_trace_one")
    normal = (of_moment.xreplace(called) / n**2) / (trace / n) ** 2
    proof.holds(
        "The second moment over its trace has the sum of squared eigenvalues",
        eq(squares, gram / trace**2),
        "trace is that of Z' Z, so the second moment has trace/n",
        scaled,
        names={squares: normal},
    )
    of_units = normal.xreplace({trace: n})
    return Quantity(
        1 / of_units, r"R_{\mathrm{eff}}", "effective rank of n unit vectors, from the Gram", where
    )


def ranges(proof: Derivation) -> dict[str, Quantity]:
    """Between which ends the effective rank lies."""
    many = Domain({r: Range(S.One, low_open=False), rank: POSITIVE}, {r: 2, rank: 1})
    proof.holds(
        "Of r eigenvalues with the sum 1 the squares add up to at least 1/r",
        eq("spread", 1 / rank - 1 / r),
        "the sum of the squares of their distances to 1/r; so the effective rank is at most the "
        "rank, which is at most n and d; it is at least 1, as no square is more than its number",
        many,
        names={Symbol("spread"): 1 / rank - 2 / r + r / r**2},
    )
    inverse = d / (1 + (d * sigma_hat - 1) ** 2 / (d - 1))
    of_sigma = Domain({d: SEVERAL, sigma_hat: between(1 / d, 1)}, {d: 3, sigma_hat: S.Half})
    squares = sigma_hat**2 + (1 - sigma_hat) ** 2 / (d - 1)
    proof.holds(
        "With the largest eigenvalue known, the others add up to the rest",
        eq("most", inverse),
        "their squares add up to at least as much as if they were equal; this is 1 over the sum",
        of_sigma,
        names={Symbol("most"): 1 / squares},
    )
    about: dict[str, Any] = {"bounded": "effective_rank", "about": About.VECTORS}
    return {
        "effective_rank_upper": Bounds(
            Min(n, d),
            r"R_{\mathrm{eff}} \le",
            "effective rank of n unit vectors in d dimensions",
            DOMAIN.restricted([n, d]),
            equality="where the vectors are orthonormal, or a tight frame",
            attained=vectors(AXES, AXES[0]),
            **about,
        ),
        "effective_rank_lower": Bounds(
            S.One,
            r"R_{\mathrm{eff}} \ge",
            "effective rank, whatever the vectors are",
            DOMAIN.restricted([n]),
            side="lower",
            equality="iff all vectors are on one line",
            attained=vectors(OPPOSITE, OPPOSITE[0]),
            **about,
        ),
        "effective_rank_by_sigma_upper": Bounds(
            1 / squares,
            r"R_{\mathrm{eff}} \le",
            "effective rank, from the largest eigenvalue and the dimension",
            of_sigma,
            equality="iff all other eigenvalues are equal",
            attained=vectors([*AXES, AXES[0]], AXES[0]),
            **about,
        ),
        "effective_rank_by_sigma_lower": Bounds(
            1 / sigma_hat,
            r"R_{\mathrm{eff}} \ge",
            "effective rank, from the largest eigenvalue",
            of_sigma,
            side="lower",
            equality="iff all eigenvalues that are not zero are equal",
            attained=vectors(AXES[:2], AXES[0]),
            **about,
        ),
    }


# --- the largest eigenvalue ----------------------------------------------------------------------
def most(proof: Derivation) -> Expr:
    """The largest that it can be: all others equal."""
    square = Symbol("square")
    others = (1 - x) ** 2 / (d - 1)
    where = LARGE.with_range(x, between(1 / d, 1), S.Half)
    proof.holds(
        "With all other eigenvalues equal, the sum of squares is a square in the largest, shifted",
        eq("over", d / (d - 1) * ((x - 1 / d) ** 2 - (d - 1) * (d / rank - 1) / d**2)),
        "that is the sum less 1/R; others that are not equal have more squares (Cauchy-Schwarz), "
        "so this is never positive",
        where,
        names={Symbol("over"): x**2 + others - 1 / rank},
    )
    shifted = solve_linear(d / (d - 1) * (square - (d - 1) * (d / rank - 1) / d**2), square)
    largest = 1 / d + sqrt(tidy(shifted))
    at_largest = (x**2 + others).xreplace({x: largest})
    proof.holds(
        "So the largest eigenvalue is at most where it vanishes, which is no more than 1",
        [eq("squares", 1 / rank), ge((1 - 1 / d) ** 2, shifted)],
        "the others are then equal, and not negative",
        LARGE,
        names={Symbol("squares"): at_largest},
    )
    return largest


def fewest(proof: Derivation) -> Expr:
    """The least that it can be: as many as fit are equal to it."""
    square = Symbol("square")
    where = DOMAIN.restricted([k]).with_range(rank, between(k, k + 1), Rational(3, 2))
    rest = 1 - k * x
    over = k * (k + 1) * ((x - 1 / (k + 1)) ** 2) + 1 / (k + 1)
    proof.holds(
        "Of eigenvalues up to x with the sum 1, k equal to x and one less have the most squares",
        eq("squares", over),
        "moving from a lesser one to a greater raises the sum of squares, until all but one are 0 "
        "or x; it lies between 1/(k + 1) and 1/k, as x does, and rises with x",
        where.with_range(x, between(1 / (k + 1), 1 / k), Rational(2, 3)),
        names={Symbol("squares"): k * x**2 + rest**2},
    )
    shifted = solve_linear(k * (k + 1) * square + 1 / (k + 1) - 1 / rank, square)
    least = 1 / (k + 1) + sqrt(tidy(shifted))
    proof.holds(
        "So the largest is at least where this is 1/R",
        [
            eq("squares", 1 / rank),
            eq("at_k", 1 / k),
            eq("at_next", 1 / (k + 1)),
        ],
        "for an effective rank that is a whole number it is 1/R",
        where,
        names={
            Symbol("squares"): (k * x**2 + rest**2).xreplace({x: least}),
            Symbol("at_k"): least.xreplace({rank: k}),
            Symbol("at_next"): least.xreplace({rank: k + 1}),
        },
    )
    return least


def isotropy(proof: Derivation) -> dict[str, Quantity]:
    """The distance from a multiple of the identity."""
    where = LARGE
    squared = from_isotropy(d, 1 / rank) / from_isotropy(d, S.Zero, S.Zero)
    name = Symbol("squared_deviation")
    proof.holds(
        "The squared distance from the identity over d, over the squared norm of the latter",
        eq(name, d / rank - 1),
        "the trace of the square less 2/d times the trace, which is 1, plus 1/d; over 1/d",
        where,
        names={name: squared},
    )
    back = tidy(solve_linear(d - (1 + deviation**2) * rank, rank))
    return {
        "isotropy_deviation": Quantity(
            sqrt(tidy(squared)),
            r"\delta",
            "relative Frobenius distance from isotropy; in percent, times 100",
            where,
        ),
        "rank_share_at_deviation": Quantity(
            tidy(back / d),
            r"R_{\mathrm{eff}}/d",
            "effective rank over d with this distance from isotropy, whatever d is",
            DOMAIN.restricted([d, deviation]),
        ),
    }


def entropy(proof: Derivation) -> Expr:
    """The effective rank, below the one by entropy."""
    ratio = Domain({t: POSITIVE}, {t: 1})
    gap = t - 1 - log(t)
    proof.holds(
        "log t <= t - 1",
        [
            eq("slope", 1 - 1 / t),
            eq("at_1", 0),
        ],
        "the difference falls before t = 1 and rises after; for an eigenvalue over P, the sum of "
        "the squared ones, and in the mean over the eigenvalues, each weighted by itself, the "
        "right side is P/P - 1 = 0: minus the entropy is at most log P, so the exponential of the "
        "entropy is at least 1/P",
        ratio,
        names={Symbol("slope"): derivative(gap, t), Symbol("at_1"): gap.xreplace({t: S.One})},
    )
    return rank


# --- vectors left out ----------------------------------------------------------------------------
def left_out(proof: Derivation) -> dict[str, Quantity]:
    """The second moments of a batch without an anchor, and without its positive."""
    batch = Parts(n)
    some = Domain({n: at_least(3)}, {n: 4})
    form = Symbol("a", nonnegative=True)
    rest = solve_linear(batch.along(batch.all) - form, batch.rest)

    def said(part: Words) -> Expr:
        return tidy(batch.along(part).xreplace({batch.rest: rest}))

    others, negatives = said(batch.others), said(batch.negatives)
    on_z, on_y = batch.x, batch.y
    free = {s: Range(low_open=False) for s in (form, on_z, on_y)}
    where = Domain({**some.ranges, **free}, {n: 4, form: 1, on_z: 1, on_y: 1})
    proof.holds(
        "Along any vector, the moments of a batch without the anchor, and without the positive",
        [
            eq("others", n / (n - 1) * (form - on_z**2 / n)),
            eq("negatives", n / (n - 2) * (form - (on_z**2 + on_y**2) / n)),
        ],
        "a is u' S u for the second moment S of all n, x and y are the inner products of u with "
        "the anchor and the positive: an identity of matrices, of any size",
        where,
        names={Symbol("others"): others, Symbol("negatives"): negatives},
    )
    proof.holds(
        "So without them it is at most n/(n - 1), or n/(n - 2), times that of all",
        [
            ge(n / (n - 1) * form, others),
            ge(n / (n - 2) * form, negatives),
        ],
        "what is left out are squares",
        where,
    )
    ones = [part.trace for part in (batch.all, batch.others, batch.negatives)]
    proof.holds(
        "All three have trace 1",
        [eq(Symbol(f"trace_{name}"), 1) for name in ("all", "others", "negatives")],
        "unit vectors have squared norm 1, and the sum over the others has trace n - 2",
        some,
        names={
            Symbol(f"trace_{name}"): one
            for name, one in zip(("all", "others", "negatives"), ones, strict=True)
        },
    )
    of_batch = some.with_range(sigma_hat, between(1 / n, 1), S.Half)
    top = negatives.xreplace({form: sigma_hat})
    without = top.xreplace({on_z: S.Zero, on_y: S.Zero})
    return {
        "others_factor": Quantity(
            tidy((others / form).xreplace({on_z: S.Zero})),
            r"\frac{n}{n - 1}",
            "largest eigenvalue without the anchor, at most this times that of all",
            some,
        ),
        "negatives_factor": Quantity(
            tidy(without / sigma_hat),
            r"\frac{n}{n - 2}",
            "largest eigenvalue without anchor and positive, at most this times that of all",
            some,
        ),
        "mean_sigma_lower": Bounds(
            Max(top.xreplace({on_z: S.One, on_y: S.One}), 1 / (n - 2)),
            r"\sigma_* \ge",
            "largest eigenvalue of the negatives' moment, of each anchor and so in the mean",
            of_batch,
            side="lower",
            bounded="mean_sigma",
            about=About.BATCH,
            equality="where anchor and positive are on a top direction of the batch that is one of "
            "the negatives too, or the negatives are orthonormal, whatever the anchor",
            attained={"vectors": {"z": [["1"]] * 4}, "tau": "1"},
        ),
    }


RESULT = Result(
    "effective-rank",
    title="Effective rank, the largest eigenvalue, and what a batch without some vectors has",
    source="ochieng2025diversity, Sections 1.1 and 1.3, Lemma B.1",
    parameters=(n, d, rank, k, gram, sigma_hat, deviation),
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=VECTORS,
)
