"""The entropic lower bound of weighted InfoNCE (vock2026unified, Theorems 3.3 and D.1).

The loss minus the entropy of the weights is a mean of divergences, one for each row. So it is zero
iff the similarities of a row are the logarithms of its weights plus a constant of the row; where
similarities and weights are symmetric, two rows that share a pair have the same constant.
"""

from __future__ import annotations

from sympy import Rational, S, Symbol, exp, log

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...losses.softmax import tau
from ...losses.weighted import WEIGHTED
from ...proof.derivation import Derivation
from ...proof.relations import eq, gt
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._divergence import state_divergence
from ._geometry import GIBBS

n = Symbol("n", integer=True, positive=True)
MEANINGS = {
    n: "number of points",
    tau: "temperature, by which similarities are divided where they are cosines",
}
DOMAIN = Domain({n: at_least(2), tau: POSITIVE}, {n: 4, tau: Rational(1, 2)})

p, s, a, b, w = (Symbol(x, positive=True) for x in ("p", "s", "a", "b", "w"))


def build(proof: Derivation) -> dict[str, Quantity]:
    state_divergence("p", "s", proof)
    shares = Domain({p: POSITIVE, s: POSITIVE, n: at_least(2)}, {p: 1, s: 1, n: 3})
    proof.holds(
        "Cross entropy is entropy plus divergence, term by term",
        eq(-p * log(s), -p * log(p) + Symbol("divergence")),
        GIBBS,
        shares,
        names={Symbol("divergence"): p * (log(p) - log(s))},
    )
    proof.equal(
        "The cross entropy of all pairs exceeds the loss by log n",
        {"cross_entropy": (-p * (log(s) - log(n)), -p * log(s) + p * log(n))},
        "over all pairs, a pair has 1/n of the probability p that it has in its row; "
        "the probabilities of a row add up to 1, so the terms p log n have the mean "
        "log n",
        shares,
    )
    pairs = Domain({a: POSITIVE, b: POSITIVE, w: POSITIVE}, {a: 1, b: 2, w: 1})
    proof.equal(
        "Rows that share a pair have the same constant",
        {"difference": ((log(a) + log(w)) - (log(b) + log(w)), log(a) - log(b))},
        "the similarity of a pair is log(a w) in one of its rows and log(b w) in the "
        "other, so a = b; pairs with positive weight join all points of a component "
        "in this way",
        pairs,
    )
    points = DOMAIN.restricted([n])
    uniform = 1 / (n - 1)
    proof.equal(
        "Equal weights have the bound log(n - 1)",
        {"bound": (-(n - 1) * uniform * log(uniform), log(n - 1))},
        "the n - 1 probabilities of a row are equal, which is the distribution of the "
        "largest entropy",
        points,
    )
    zeros = Symbol("z", integer=True, positive=True)
    some = Domain(
        {n: at_least(3), zeros: Range(S.One, n - 2, False, False, integer=True), tau: POSITIVE},
        {n: 4, zeros: 1, tau: 1},
    )
    on_zeros = zeros * exp(-1 / tau)
    share = on_zeros / (on_zeros + (n - 1 - zeros) * exp(1 / tau))
    proof.equal(
        "If some weights are zero, cosine similarities do not approach the bound",
        {"stays_above": (-log(1 - share), log(1 + zeros / (n - 1 - zeros) * exp(-2 / tau)))},
        "cosines lie in [-1, 1], so the z pairs of a row without weight together have "
        "at least this softmax probability, and losing it costs at least this "
        "divergence",
        some,
        also=[gt(share, 0)],
    )
    return {
        "largest": Quantity(
            log(n - 1),
            r"\log(n - 1)",
            "largest bound, that of equal weights; the smallest is 0, with one positive each",
            points,
        ),
        "cross_entropy_excess": Quantity(
            log(n),
            r"H(p_W, p_S) - \mathcal{L}",
            "cross entropy of all pairs (i, j) minus the loss, for all similarities",
            points,
        ),
    }


RESULT = Result(
    "entropic-bound",
    title="The entropic lower bound of weighted InfoNCE, and the similarities that attain it",
    source="vock2026unified, Theorems 3.3 and D.1",
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=WEIGHTED,
)
