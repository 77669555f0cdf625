"""Effective rank: the inverse of the sum of the squared eigenvalues of a second moment.

Those of n unit vectors in d dimensions add up to 1, and at most min(n, d) are not zero. So the
effective rank 1/sum of squares lies between 1 and that; the largest eigenvalue lies between two
values that the effective rank and the dimension give, and both are attained. What leaves vectors
out of a batch is a matter of sums, and holds for any number of vectors.
"""

from __future__ import annotations

from sympy import Expr, Max, Min, Rational, S, Symbol, log, sqrt

from ...decide.calculus import derivative
from ...decide.domain import FREE, POSITIVE, Domain, Range, at_least, between, region
from ...decide.present import solve_linear, tidy
from ...losses.setting import VECTORS
from ...proof.derivation import Derivation
from ...proof.relations import ge
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.moments import from_isotropy, gram_and_moment
from ._bounded import bounds, configuration
from ._moments import spread_of_eigenvalues
from ._readings import in_own_ranges

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
    k: "an integer k with k <= effective rank <= k + 1",
    gram: "sum of the squared inner products of all n^2 pairs",
    sigma_hat: "largest eigenvalue of the second moment",
    deviation: "relative Frobenius distance of the second moment from the identity over d",
}
#: The largest eigenvalue, how many there may be, a trace, a share, a squared norm.
x, r = Symbol("x", positive=True), Symbol("r", positive=True)
trace, t = Symbol("trace", positive=True), Symbol("t", positive=True)
SEVERAL = at_least(2, "in one dimension the effective rank and the largest eigenvalue are both 1")
LARGE = Domain({d: SEVERAL, rank: between(1, d)}, {d: 3, rank: 2})


CASES = {
    "ORTHONORMAL": configuration(batch="1 0 0; 0 1 0; 0 0 1", candidate="1 0 0"),
    "TWO_AXES": configuration(batch="1 0 0; 0 1 0", candidate="1 0 0"),
    "ONE_AXIS_TWICE": configuration(batch="1 0 0; 0 1 0; 0 0 1; 1 0 0", candidate="1 0 0"),
    "OPPOSITE": configuration(batch="3/5 4/5; -3/5 -4/5", candidate="3/5 4/5"),
    "ALL_EQUAL": configuration("1", z="1; 1; 1; 1"),
}
OF_VECTORS = r"""
sigma_hat_upper | sigma_hat <= | ONE_AXIS_TWICE
    largest eigenvalue of the second moment
    iff min(n, d) - 1 eigenvalues other than the largest are equal and the rest are 0
sigma_hat_lower | sigma_hat >= | TWO_AXES
    largest eigenvalue of the second moment, from the effective rank alone
    iff all nonzero eigenvalues are equal
entropy_rank | entropy_rank >= | TWO_AXES
    effective rank by entropy: the exponential of the entropy of the eigenvalues
    iff all nonzero eigenvalues are equal
effective_rank_upper | effective_rank <= | ORTHONORMAL
    effective rank of n unit vectors in d dimensions
    where the vectors are orthonormal, or a tight frame
effective_rank_lower | effective_rank >= | OPPOSITE
    effective rank of any unit vectors
    iff all vectors are collinear
effective_rank_by_sigma_upper | effective_rank <= | ONE_AXIS_TWICE
    effective rank, from the largest eigenvalue and the dimension
    iff all other eigenvalues are equal
effective_rank_by_sigma_lower | effective_rank >= | TWO_AXES
    effective rank, from the largest eigenvalue
    iff all nonzero eigenvalues are equal
"""
OF_NEGATIVES = """
mean_sigma_lower | mean_sigma >= | ALL_EQUAL
    largest eigenvalue of the second moment of the negatives, for each anchor and so in the mean
    where anchor and positive are multiples of a leading eigenvector of the second moment of the
    batch that is also one of that of the negatives, or the negatives are orthonormal
"""


def build(proof: Derivation) -> dict[str, Quantity]:
    of_gram = by_gram(proof)
    largest = 1 / d + sqrt(tidy(spread_of_eigenvalues(d, 1 / rank, LARGE, proof)))
    least = fewest(proof)
    squares, of_sigma = by_largest(proof)
    of_isotropy = isotropy(proof)
    state_entropy(proof)
    few = Domain({n: at_least(2), d: SEVERAL, rank: between(1, Min(n, d))}, {n: 4, d: 3, rank: 2})
    domains = {
        "sigma_hat_upper": few,
        "sigma_hat_lower": LARGE,
        "entropy_rank": LARGE,
        "effective_rank_by_sigma_upper": of_sigma,
        "effective_rank_by_sigma_lower": of_sigma,
    }
    found: dict[str, Quantity] = {
        "effective_rank": of_gram,
        **bounds(
            About.VECTORS,
            OF_VECTORS,
            {
                "sigma_hat_upper": largest.xreplace({d: Min(n, d)}),
                "sigma_hat_lower": 1 / rank,
                "entropy_rank": rank,
                "effective_rank_upper": Min(n, d),
                "effective_rank_lower": S.One,
                "effective_rank_by_sigma_upper": 1 / squares,
                "effective_rank_by_sigma_lower": 1 / sigma_hat,
            },
            CASES,
            {name: {"domain": where} for name, where in domains.items()},
        ),
        "sigma_hat_most": Quantity(
            largest,
            r"\hat\sigma_{\max}",
            "maximum of the largest eigenvalue, attained iff all others are equal",
            LARGE,
        ),
        "sigma_hat_least": Quantity(
            least,
            r"\hat\sigma_{\min}",
            "minimum of the largest eigenvalue, attained iff k eigenvalues are equal and at most "
            "one other is nonzero",
            DOMAIN.restricted([k]).with_range(rank, between(k, k + 1), Rational(3, 2)),
        ),
        **of_isotropy,
        **left_out(proof),
    }
    return in_own_ranges(found, DOMAIN)


# --- from inner products -------------------------------------------------------------------------
def by_gram(proof: Derivation) -> Quantity:
    """From the Gram matrix, and from it over its trace."""
    of_gram, of_moment = gram_and_moment()
    where = DOMAIN.restricted([n]).with_range(gram, between(n, n**2), 8)
    scaled = where.with_range(trace, POSITIVE, 4)
    called = {of_gram: gram}  # the other has a name of its own if it is not the same
    proof.equal(
        "The squared Frobenius norms of Z Z' and Z' Z are equal",
        {
            "gram_norm": (of_gram.xreplace(called), gram),
            "moment_norm": (of_moment.xreplace(called), gram),
        },
        "both equal the trace of Z Z' Z Z', which is invariant under cyclic permutations; Z has "
        "any number of rows of any length",
        where,
    )
    normal = (of_moment.xreplace(called) / n**2) / (trace / n) ** 2
    proof.equal(
        "The sum of the squared eigenvalues of the second moment divided by its trace",
        {"of_trace_one": (normal, gram / trace**2)},
        "the second moment Z' Z/n has the trace trace/n, trace being that of Z' Z",
        scaled,
    )
    of_units = normal.xreplace({trace: n})
    return Quantity(
        1 / of_units,
        r"R_{\mathrm{eff}}",
        "effective rank of n unit vectors, from their Gram matrix",
        where,
    )


def by_largest(proof: Derivation) -> tuple[Expr, Domain]:
    """The least sum of squared eigenvalues, by the largest of them."""
    many = region({r: Range(S.One, low_open=False), rank: POSITIVE})
    proof.equal(
        "The squares of r eigenvalues that sum to 1 add up to at least 1/r",
        {"spread": (1 / rank - 2 / r + r / r**2, 1 / rank - 1 / r)},
        "spread is the sum of the squared distances of the eigenvalues from 1/r, so at least 0. "
        "The effective rank is therefore at most the rank, which is at most n and d; it is at "
        "least 1, as no eigenvalue exceeds 1",
        many,
    )
    of_sigma = Domain({d: SEVERAL, sigma_hat: between(1 / d, 1)}, {d: 3, sigma_hat: S.Half})
    squares = sigma_hat**2 + (1 - sigma_hat) ** 2 / (d - 1)
    proof.equal(
        "The effective rank is at most this function of the largest eigenvalue",
        {"most": (1 / squares, d / (1 + (d * sigma_hat - 1) ** 2 / (d - 1)))},
        "the other eigenvalues sum to 1 - sigma_hat, and their squares are smallest if they are "
        "equal; most is 1 over the sum of all squares",
        of_sigma,
    )
    return squares, of_sigma


# --- the largest eigenvalue ----------------------------------------------------------------------
def fewest(proof: Derivation) -> Expr:
    """The least that it can be: as many as fit are equal to it."""
    square = Symbol("square")
    where = DOMAIN.restricted([k]).with_range(rank, between(k, k + 1), Rational(3, 2))
    rest = 1 - k * x
    over = k * (k + 1) * ((x - 1 / (k + 1)) ** 2) + 1 / (k + 1)
    proof.equal(
        "Among eigenvalues in [0, x] that sum to 1, the sum of squares is largest if k of them "
        "equal x and one is smaller",
        {"squares": (k * x**2 + rest**2, over)},
        "transferring mass from a smaller eigenvalue to a larger one increases the sum of "
        "squares, until all but one are 0 or x; the maximum lies between 1/(k + 1) and 1/k, as x "
        "does, and increases with x",
        where.with_range(x, between(1 / (k + 1), 1 / k), Rational(2, 3)),
    )
    shifted = solve_linear(k * (k + 1) * square + 1 / (k + 1) - 1 / rank, square)
    least = 1 / (k + 1) + sqrt(tidy(shifted))
    proof.equal(
        "The largest eigenvalue is at least the x for which this maximum is 1/R, R being the "
        "effective rank",
        {
            "squares": ((k * x**2 + rest**2).xreplace({x: least}), 1 / rank),
            "at_k": (least.xreplace({rank: k}), 1 / k),
            "at_next": (least.xreplace({rank: k + 1}), 1 / (k + 1)),
        },
        "the value of x is substituted; for an integer effective rank the bound is 1/R",
        where,
    )
    return least


def isotropy(proof: Derivation) -> dict[str, Quantity]:
    """The distance from a multiple of the identity."""
    squared = from_isotropy(d, 1 / rank) / from_isotropy(d, S.Zero, S.Zero)
    proof.equal(
        "The squared relative distance of the second moment from the identity over d",
        {"squared_deviation": (squared, d / rank - 1)},
        "the squared distance is the trace of the square minus 2/d times the trace, which is 1, "
        "plus 1/d; the squared norm of the identity over d is 1/d",
        LARGE,
    )
    back = tidy(solve_linear(d - (1 + deviation**2) * rank, rank))
    return {
        "isotropy_deviation": Quantity(
            sqrt(tidy(squared)),
            r"\delta",
            "relative Frobenius distance from isotropy; in percent, times 100",
            LARGE,
        ),
        "rank_share_at_deviation": Quantity(
            tidy(back / d),
            r"R_{\mathrm{eff}}/d",
            "effective rank over d with this distance from isotropy, whatever d is",
        ),
    }


def state_entropy(proof: Derivation) -> None:
    """The effective rank is below the one by entropy."""
    gap = t - 1 - log(t)
    proof.equal(
        "log t <= t - 1",
        {"slope": (derivative(gap, t), 1 - 1 / t), "at_1": (gap.xreplace({t: S.One}), 0)},
        "t - 1 - log t decreases for t < 1 and increases for t > 1. With P the sum of the squared "
        "eigenvalues x, t = x/P is averaged with the weights x: t - 1 has the mean P/P - 1 = 0 "
        "and log t the mean -H - log P, H being the entropy. So -H <= log P, and the exponential "
        "of the entropy is at least 1/P",
        region({t: POSITIVE}),
    )


# --- vectors left out ----------------------------------------------------------------------------
def left_out(proof: Derivation) -> dict[str, Quantity]:
    """The second moments of a batch without an anchor, and without its positive."""
    left, form = (Symbol(s, nonnegative=True) for s in ("rest", "a"))
    on_z, on_y = (Symbol(s, real=True) for s in "xy")
    some = Domain({n: at_least(3)}, {n: 4})

    def moments(rest: Expr, z: Expr, y: Expr) -> dict[str, Expr]:
        """Sums over the other vectors, of the anchor and of its positive, as means of batches."""
        return {
            "all": (rest + z + y) / n,
            "others": (rest + y) / (n - 1),
            "negatives": rest / (n - 2),
        }

    along = moments(left, on_z**2, on_y**2)
    rest = solve_linear(along["all"] - form, left)
    others, negatives = (
        tidy(along[part].xreplace({left: rest})) for part in ("others", "negatives")
    )
    free = dict.fromkeys((form, on_z, on_y), FREE)
    where = region({**some.ranges, **free})
    proof.equal(
        "The quadratic forms of the second moment without the anchor, and without the anchor and "
        "its positive",
        {
            "others": (others, n / (n - 1) * (form - on_z**2 / n)),
            "negatives": (negatives, n / (n - 2) * (form - (on_z**2 + on_y**2) / n)),
        },
        "for any vector u, a = u' S u with the second moment S of all n vectors, and x and y are "
        "the inner products of u with the anchor and the positive. The omitted terms are squares, "
        "so the forms are at most n/(n - 1) and n/(n - 2) times a",
        where,
        also=[ge(n / (n - 1) * form, "others"), ge(n / (n - 2) * form, "negatives")],
    )
    traces = moments(n - 2, S.One, S.One)
    proof.equal(
        "All three second moments have trace 1",
        {f"trace_{name}": (trace_of, 1) for name, trace_of in traces.items()},
        "unit vectors have squared norm 1, so the sum over the negatives has trace n - 2",
        some,
    )
    top = negatives.xreplace({form: sigma_hat})
    without = top.xreplace({on_z: S.Zero, on_y: S.Zero})
    least = Max(top.xreplace({on_z: S.One, on_y: S.One}), 1 / (n - 2))
    of_batch = some.with_range(sigma_hat, between(1 / n, 1), S.Half)
    return {
        "others_factor": Quantity(
            tidy((others / form).xreplace({on_z: S.Zero})),
            r"\frac{n}{n - 1}",
            "largest eigenvalue of the second moment without the anchor, divided by that of all: "
            "at most this",
            some,
        ),
        "negatives_factor": Quantity(
            tidy(without / sigma_hat),
            r"\frac{n}{n - 2}",
            "largest eigenvalue of the second moment without anchor and positive, divided by that "
            "of all: at most this",
            some,
        ),
        **bounds(
            About.BATCH,
            OF_NEGATIVES,
            {"mean_sigma_lower": least},
            CASES,
            {"mean_sigma_lower": {"domain": of_batch}},
        ),
    }


RESULT = Result(
    "effective-rank",
    title="Effective rank and largest eigenvalue of a batch, also without anchor and positive",
    source="ochieng2025diversity, Sections 1.1 and 1.3, Lemma B.1",
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=VECTORS,
)
