"""Figure 1: the SSEM for two classes of two instances."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr, Rational, sqrt

from ...results import results
from ...structures.hierarchy import m, n
from ...vectors.embeddings import Embeddings
from ..checks import decided, on_embeddings
from ..verdict import Verdict
from . import LEDGER


def is_simplex(u: Embeddings, vectors: int) -> tuple[int, int]:
    """Rank, and rank of a simplex ETF of so many vectors if u is one (else 0)."""
    apart = Fraction(-1, vectors - 1)
    entries = {u.ip(a, b) for a in u.everything for b in u.everything}
    return u.rank, vectors - 1 if u.distinct() == vectors and entries == {Fraction(1), apart} else 0


def simplex_verdict(delta_squared: Fraction, vectors: int) -> Verdict:
    """The SSEM with m = n = 2 is a simplex ETF of so many distinct vectors."""
    return on_embeddings(
        lambda u: is_simplex(u, vectors), "=", [Embeddings.ssem(2, 2, 1, delta_squared)]
    )


@LEDGER.claim(
    "Figure 1: (a)", r"m = n = 2, \delta = 0: 1-simplex ETF, class collapse", result="ssem"
)
def figure_1a(vectors: int = 2) -> Verdict:
    return simplex_verdict(Fraction(0), vectors)


@LEDGER.claim(
    "Figure 1: (b)", r"m = n = 2, \delta = 1: 3-simplex ETF, all equidistant", result="ssem"
)
def figure_1b(vectors: int = 4) -> Verdict:
    return simplex_verdict(Fraction(1), vectors)


printed_end = sqrt(Rational(3, 2))


@LEDGER.claim("Figure 1: (c)", r"m = n = 2: \delta in [0, \sqrt{1.5}], d = 3", result="ssem")
def figure_1c(end: Expr = printed_end) -> Verdict:
    longest = results["ssem"].delta_max.subs({m: 2, n: 2})
    room = max(Embeddings.ssem(2, 2, 1, Fraction(k, 4)).rank for k in range(7))
    return decided(
        longest**2 == end**2 and room == 3,
        "the upper end of the interval and the largest rank",
        witness={"printed": str(end), "derived": str(longest), "rank": room},
    )
