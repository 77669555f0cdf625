"""Which cosines two towers can have: a for positive pairs and c for all negative ones.

Averaged over the symmetry of items and towers, the Gram matrix has one more inner product, s within
a tower, and is one of embeddings iff its eigenvalues are not negative. Sums of them, weighted by
their multiplicities, leave out s. In fewer than N - 1 dimensions negative pairs cannot all have one
cosine, and c is their mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Abs, Expr, Le, Max, Min, Rational, S, Symbol, Tuple, diff

from ...decide.decide import positive
from ...decide.domain import Domain, at_least, between
from ...decide.evidence import Holds
from ...decide.present import solve_linear, tidy
from ...losses.setting import Setting
from ...optimum.dimension import Dimension, d
from ...optimum.reduction import state_spectrum
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt, lt
from ...proof.statement import Lemma, Relations
from ...structures.towers import NEGATIVE, POSITIVE, WITHIN, N, towers
from ...theorem.quantity import Quantity
from ...theorem.result import Result

a, c = Symbol("a", real=True), Symbol("c", real=True)
s, size = Symbol("s", real=True), Symbol("abs_g", nonnegative=True)
DOMAIN = Domain(
    {N: at_least(3), a: between(-1, 1), c: between(-1, 1), d: at_least(1)},
    {N: 4, a: Rational(1, 2), c: Rational(-1, 5), d: 2},
)
FITS = Lemma(
    "cosines of two towers",
    statement=r"Let $g = a - c$. Unit vectors $u_i, v_i \in \mathbb{R}^d$, $1 \le i \le N$, with "
    r"$u_i \cdot v_i = a$ and $u_i \cdot v_j = c$ for $i \ne j$ exist for $d \ge N$ iff $(N - 1) "
    r"|g| + |g + N c| \le N$, and for $d < N$ only if that holds.",
    proof=r"The mean of their Gram matrix over permutations of items and the exchange of the "
    r"towers is one with these cosines, so its eigenvalues $1 - s \pm g$ and $1 + (N - 1) s \pm (g "
    r"+ N c)$ are $\ge 0$, and $N - 1$ times the first plus the second is $\ge 0$ for all signs. "
    r"Conversely let one tower have the eigenvalue $|g| r$ on the contrasts, the other $|g|/r$, "
    r"and $u$ and $v$ be multiples of each other there: $N - 1$ dimensions. On the mean they have "
    r"$N - (N - 1) |g| r$ and $N - (N - 1) |g|/r$, whose product is at least $(g + N c)^2$ for $r "
    r"= 1$ and zero for some $r > 1$. Where the two are equal one more dimension is enough. For $g "
    r"= 0$ all $u_i$ are equal, and all $v_j$.",
)
SPREAD = Lemma(
    "spread of negative pairs",
    statement=r"Let $M$ be the matrix of the inner products of two towers in $d$ dimensions, with "
    r"the mean $a$ on the diagonal and $c$ off it, $T = (N - 1)(a - c)$ and $s = a + (N - 1) c$. "
    r"Then $\sum_{ij} M_{ij}^2 \ge T^2/d + s^2$, with equality where both towers are one tight "
    r"frame with the mean zero.",
    proof=r"With $C = I - J/N$ the squares of $M$ sum to at least those of $C M C$ plus $s^2$, as "
    r"$\mathbf{1}^\top M \mathbf{1}/N = s$. $C M C$ has rank at most $d$ and the trace $N a - s = "
    r"T$, and by Cauchy's inequality on its eigenvalues and Schur's on their squares these sum to "
    r"at least $T^2/d$.",
)
SETTING = Setting(
    (
        "$u_i, v_i$ are N pairs of unit vectors, one of each tower",
        r"$u_i \cdot v_i = a$ for all positive pairs",
        r"$u_i \cdot v_j = c$ for all negative pairs",
    ),
    dimension="at least N; spread_at_least: d, a parameter",
)
MEANINGS = {
    N: "number of items, each with an embedding per tower",
    a: "cosine of a positive pair",
    c: "cosine of a negative pair; the mean over them, if they have several",
    d: "dimension of the embeddings, on which spread_at_least depends",
}

#: Vectors with these eigenvalues are built in N dimensions; no cosines beyond are in any.
ROOM = Dimension(N, False)


def build(proof: Derivation) -> dict[str, Quantity]:
    scheme, g = towers(), a - c
    inner = {"self": S.One, WITHIN: s, POSITIVE: a, NEGATIVE: c}
    values = {e: tidy(v) for e, v in scheme.eigenvalues(inner).items()}
    inside = DOMAIN.with_range(s, between(-1, 1), S.Zero)
    state_spectrum(scheme, DOMAIN, proof)
    names = {Symbol(f"lambda_{e}"): v for e, v in values.items()}
    signs = {"shared": 1, "differing": -1}
    contrasts = {k: Symbol(f"lambda_{k}_contrasts") for k in signs}
    means = {
        "shared": Symbol("lambda_shared_mean"),
        "differing": Symbol("lambda_differing_means"),
    }
    totals = {(e, f): (N - 1) * contrasts[e] + means[f] for e in signs for f in signs}
    apart, along, room = _parts({k: tidy(v.xreplace(names)) for k, v in totals.items()})
    sums = [room + signs[e] * apart + signs[f] * along for e, f in totals]
    proof.add(
        "Sums of eigenvalues that leave out the inner products s of one tower, for all four signs",
        Relations(Tuple(*map(eq, totals.values(), sums)), inside, names=names, lemma=FITS),
        "the eigenvalues are not negative, so (N - 1) |g| + |g + N c| <= N with g = a - c",
    )
    at = {name: v.xreplace({s: 1 - size}) for name, v in names.items()}
    proof.add(
        "With s = 1 - |g| within both towers no eigenvalue is negative where that holds",
        Relations(
            Tuple(
                *(eq(contrasts[e], size + signs[e] * g) for e in signs),
                *(eq(means[f], N - (N - 1) * size + signs[f] * (g + N * c)) for f in signs),
            ),
            DOMAIN.with_range(size, between(0, 2), 1),
            names=at,
        ),
        "abs_g stands for |g|",
    )
    return {
        "feasible": Quantity(
            Le(Abs(apart) + Abs(along), room, evaluate=False),
            r"\text{feasible}",
            "whether embeddings of two towers have these cosines; in fewer than N dimensions no "
            "others are possible",
            room=ROOM,
        ),
        "positive_at_most": Quantity(
            _largest(sums, proof),
            r"a_{\max}",
            "largest cosine of positive pairs where all negative ones have the cosine c",
            room=ROOM,
        ),
        "spread_at_least": Quantity(
            _spread(proof),
            r"\mathrm{Var}[c_{ij}]",
            "lower bound on the variance of the cosines of negative pairs in d dimensions, where "
            "positive ones have the cosine a and negative ones the mean c",
        ),
    }


def _spread(proof: Derivation) -> Expr:
    """What is left of the squares beside the diagonal, less those of the mean."""
    total, s_ = Symbol("T"), Symbol("s")
    squares = total**2 / d + s_**2 - N * a**2 - N * (N - 1) * c**2
    names = {total: (N - 1) * (a - c), s_: a + (N - 1) * c}
    least = (squares.xreplace(names) / (N * (N - 1))).factor()
    proof.add(
        "In d dimensions the cosines of negative pairs have this variance at least",
        Relations(eq(least, squares / (N * (N - 1))), DOMAIN, names=names, lemma=SPREAD),
        "N a^2 of the squares are on the diagonal, and N (N - 1) c^2 are of the mean",
    )
    return Max(0, least)


def _parts(sums: Mapping[tuple[str, str], Expr]) -> list[Expr]:
    """Of sums for all four signs what comes with the first sign, with the second, and with none."""
    one, other = "shared", "differing"
    both, neither = sums[one, one], sums[other, other]
    return [tidy(e / 2) for e in (both - sums[other, one], both - sums[one, other], both + neither)]


def _largest(sums: Iterable[Expr], proof: Derivation) -> Expr:
    """The largest a for which no sum is negative: those that decrease with a bound it."""
    rising: list[Expr] = []
    falling: list[Expr] = []
    for e in sums:
        up = isinstance(positive(diff(e, a), DOMAIN, strict=True), Holds)
        (rising if up else falling).append(e)
    ends = [solve_linear(e, a) for e in falling]
    proof.add(
        "The largest a >= c is where the first of the sums that decrease with a vanishes",
        Relations(
            Tuple(
                *(gt(diff(e, a), 0) for e in rising),
                *(lt(diff(e, a), 0) for e in falling),
                *(ge(e.xreplace({a: c}), 0) for e in (*rising, *falling)),
            ),
            DOMAIN.restricted([N, c]),
        ),
        "the others increase with a, and at a = c no sum is negative",
    )
    return Min(*map(tidy, ends))


RESULT = Result(
    "tower-cosines",
    title="Which cosines of positive and negative pairs two towers can have",
    source="beyond the papers; the loss is that of Zhai et al. (2023)",
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=SETTING,
)
