"""What Lemmas A.1 and A.2 share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Expr, Symbol

from ...decide.domain import between
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ...vectors.embeddings import Embeddings
from ..checks import Relation, both, decided, on_embeddings
from ..verdict import Verdict
from ._domains import SHAPE
from ._sums import random_sets, sign_patterns, ssem_matching

c = Symbol("c", real=True)  #: the value at which the lemmas hold their constraint
LEMMA_1 = SHAPE.with_range(c, between(-m * n, m * n * (n - 1)), 1)
LEMMA_2 = SHAPE.with_range(c, between(0, 2 * m * n**2), 1)
ROOM = "m >= 2, n >= 2 and d >= mn - 1"
#: Where the lines that lost c are shown to differ.
AT = {"m": 2, "n": 2, "p": 1, "c": 2}


def delta_squared(functional: Callable[[Expr], Expr], value: Expr) -> Expr:
    """delta**2 where an affine function of the same-class inner product has a value."""
    low, high = (functional(results["ssem"].same_class.subs(delta, e)) for e in (0, 1))
    return (value - low) / (high - low)


def at_constraint_1() -> Expr:
    """delta**2 of the SSEM on which the constraint of Lemma A.1 has the value c."""
    return delta_squared(lambda inner: m * n * (n - 1) * inner, c)


def at_constraint_2() -> Expr:
    """The same for Lemma A.2."""
    return delta_squared(lambda inner: m * n * (n - 1) * 2 * (1 - inner), c)


def values_in_r1(functional: Callable[[Embeddings], Fraction], m: int, n: int) -> list[Fraction]:
    """All values that a functional takes on embeddings in R^1."""
    return sorted({functional(u) for u in sign_patterns(m, n, 1)})


def widest(u: Embeddings) -> Embeddings:
    """SSEM with the same counts at the upper end, where same-class embeddings form a simplex."""
    return Embeddings.ssem(u.m, u.n, u.p, Fraction(u.m * u.n - 1, u.m * (u.n - 1)))


def best_on_ssem(
    objective: Callable[[Embeddings], Fraction],
    constraint: Callable[[Embeddings], Fraction],
    relation: Relation,
) -> Verdict:
    """An objective is best, among sets of equal constraint, on the SSEM among them."""

    def pair(of: Callable[[Embeddings], Fraction]) -> Callable[[Embeddings], tuple[Any, Any]]:
        return lambda u: (of(ssem_matching(u, constraint)), of(u))

    return both(
        on_embeddings(pair(objective), relation, random_sets()),
        on_embeddings(pair(constraint), "=", random_sets()),
    )


def not_attained(
    constraint: Callable[[Embeddings], Fraction], missing: Fraction, extreme: str
) -> Verdict:
    """A value in the interval of c that no set in R^1 has."""
    values = values_in_r1(constraint, 2, 2)
    return decided(
        missing in values,
        "all 16 embedding sets",
        witness={
            "point": {"m": "2", "n": "2", "p": "1", "d": "1", "c": str(missing)},
            "printed": f"U^delta attains the {extreme}",
            "derived": f"no U has this c; the values of c are {', '.join(map(str, values))}",
        },
    )


def not_reached(
    constraint: Callable[[Embeddings], Fraction], end: Fraction, which: int, extreme: str
) -> Verdict:
    """An end of the interval of c that no three signs reach."""
    found = values_in_r1(constraint, 1, 3)[which]
    return decided(
        found == end,
        "all 8 embedding sets",
        witness={
            "point": {"m": "1", "n": "3", "p": "1", "d": "1"},
            "printed": f"{extreme} {end}",
            "derived": f"{extreme} {found}",
        },
    )
