"""Which cosines two towers can have: a for positive pairs and c for all negative ones.

Averaged over the symmetry of items and towers, the Gram matrix has one more inner product, s within
a tower, and is one of embeddings iff its eigenvalues are not negative. Sums of them, weighted by
their multiplicities, leave out s.
"""

from __future__ import annotations

from sympy import Abs, Basic, Expr, Le, Min, Rational, S, Symbol, Tuple

from ...decide.domain import Domain, at_least, between
from ...decide.present import solve_linear, tidy
from ...losses.setting import Setting
from ...optimum.reduction import state_spectrum
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge
from ...proof.statement import Lemma, Relations
from ...structures.towers import NEGATIVE, POSITIVE, WITHIN, N, towers
from ...theorem.quantity import Quantity
from ...theorem.result import Result

a, c = Symbol("a", real=True), Symbol("c", real=True)
s, size = Symbol("s", real=True), Symbol("abs_g", nonnegative=True)
DOMAIN = Domain(
    {N: at_least(3), a: between(-1, 1), c: between(-1, 1)},
    {N: 4, a: Rational(1, 2), c: Rational(-1, 5)},
)
FITS = Lemma(
    "cosines of two towers",
    "averaging a Gram matrix over items and towers keeps the cosines between the towers, and "
    "towers of unequal lengths on the contrasts fit into N dimensions",
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
SETTING = Setting(
    (
        (("u_i, v_i", "u_i, v_i"), "are N pairs of unit vectors, one of each tower"),
        (("u_i.v_i = a", r"u_i \cdot v_i = a"), "for all positive pairs"),
        (("u_i.v_j = c", r"u_i \cdot v_j = c"), "for all negative pairs"),
    ),
    dimension="at least N",
)
MEANINGS = {
    N: "number of items, each with an embedding per tower",
    a: "cosine of a positive pair",
    c: "cosine of a negative pair",
}


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
    sums = [
        eq(total := (N - 1) * contrasts[e] + means[f], tidy(total.xreplace(names)))
        for e in signs
        for f in signs
    ]
    proof.add(
        "Sums of eigenvalues that leave out the inner products s of one tower, for all four signs",
        Relations(Tuple(*sums), inside, names=names, lemma=FITS),
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
            _feasible(*(equation.rhs for equation in sums)),
            r"\text{feasible}",
            "whether embeddings of two towers have these cosines, in N dimensions or more",
        ),
        "positive_at_most": Quantity(
            _largest(g, proof),
            r"a_{\max}",
            "largest cosine of positive pairs where all negative ones have the cosine c",
        ),
    }


def _feasible(both: Expr, first: Expr, second: Expr, neither: Expr) -> Basic:
    """That no sum is negative: a number plus or minus two others, with all four signs."""
    apart, along, room = (tidy(e / 2) for e in (both - second, both - first, both + neither))
    return Le(Abs(apart) + Abs(along), room, evaluate=False)


def _largest(g: Expr, proof: Derivation) -> Expr:
    """The largest a: for g >= 0 the condition is two linear ones."""
    ends = [solve_linear((N - 1) * g + sign * (g + N * c) - N, a) for sign in (1, -1)]
    proof.add(
        "For a >= c the condition is a <= a_max, the smaller of two linear bounds, and a_max >= c",
        Relations(Tuple(*(ge(end - c, 0) for end in ends)), DOMAIN.restricted([N, c])),
        "the absolute value of g + N c is the larger of it and its negative",
    )
    return Min(*map(tidy, ends))


RESULT = Result(
    "tower-cosines",
    title="Which cosines of positive and negative pairs two towers can have",
    source="beyond the papers; the loss is that of Zhai et al. (2023)",
    parameters=(N, a, c),
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=SETTING,
)
