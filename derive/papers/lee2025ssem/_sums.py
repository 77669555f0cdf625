"""The sums over an embedding set that Appendix A.3 to A.5 run on, and the sets they are tried on.

All sums are exact. Exponentials and logarithms are mpmath's, at the digits that
:func:`~cltheory.derive.papers.checks.on_embeddings` sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath

from ...losses.supcl import SUPCL
from ...vectors.embeddings import Embeddings, Index
from ..checks import CLOSE, Relation, both, on_embeddings
from ..evaluate import value
from ..verdict import Verdict

ZERO = Fraction(0)
Lines = Callable[[Embeddings], Sequence[Any]]


# --- sums ------------------------------------------------------------------------------
def own(u: Embeddings) -> Fraction:
    """Sum of u.v over ordered pairs of views of one instance, a view with itself included."""
    return sum((u.sum_ip(s, s) for s in _instances(u)), ZERO)


def same(u: Embeddings) -> Fraction:
    """Sum of u.v over ordered pairs from different instances of one class."""
    return _over_pairs(u, u.sum_ip)


def cross(u: Embeddings) -> Fraction:
    """Sum of u.v over ordered pairs from different classes."""
    return sum((u.sum_ip(u.of_class(i), u.outside_class(i)) for i in range(u.m)), ZERO)


def total(u: Embeddings) -> Fraction:
    """Squared norm of the sum of all embeddings."""
    return u.sum_ip(u.everything, u.everything)


def norms(u: Embeddings) -> Fraction:
    """Sum over instances of the squared norm of E[U_ij]."""
    return sum((u.mean_ip(s, s) for s in _instances(u)), ZERO)


def means(u: Embeddings) -> Fraction:
    """Sum over i and j != j' of E[U_ij].E[U_ij']."""
    return _over_pairs(u, u.mean_ip)


def spread(u: Embeddings) -> Fraction:
    """Sum over i and j != j' of the squared distance between E[U_ij] and E[U_ij']."""
    return _over_pairs(u, u.mean_sq_dist)


def anchors(u: Embeddings) -> list[tuple[Index, list[Index], list[Index], list[Index]]]:
    r"""Each u with U_{i,j}, U_i \ U_{i,j} and U \ U_i."""
    return [
        (
            a,
            u.of_instance(*a[:2]),
            u.others_in_class(*a[:2]),
            u.outside_class(a[0]),
        )
        for a in u.everything
    ]


def _over_pairs(
    u: Embeddings, of: Callable[[Sequence[Index], Sequence[Index]], Fraction]
) -> Fraction:
    pairs = u.ordered_instance_pairs()
    return sum((of(u.of_instance(i, j), u.of_instance(i, k)) for i, j, k in pairs), ZERO)


def _instances(u: Embeddings) -> list[list[Index]]:
    return [u.of_instance(i, j) for i, j in product(range(u.m), range(u.n))]


# --- exponentials ------------------------------------------------------------------------
def temperature(u: Embeddings) -> Fraction:
    """One of three temperatures, low, middle and high, fixed by the counts of a set."""
    return (Fraction(1, 5), Fraction(1), Fraction(7, 2))[(u.m + u.n + u.p) % 3]


def exp(exponent: Fraction) -> Any:
    """Exponential of an exact number."""
    return mpmath.exp(exponent)


def log_mean(values: Iterable[Any]) -> Any:
    """Mean of the logarithms of some numbers."""
    logs = [mpmath.log(v) for v in values]
    return mpmath.fsum(logs) / len(logs)


# --- cases -------------------------------------------------------------------------------
@cache
def random_sets() -> tuple[Embeddings, ...]:
    """Random exact unit vectors, two classes and two instances at least."""
    shapes = [
        (2, 2, 1, 1),
        (2, 2, 1, 2),
        (2, 2, 1, 3),
        (2, 2, 2, 2),
        (2, 2, 2, 4),
        (2, 3, 1, 2),
        (3, 2, 1, 5),
        (2, 2, 3, 3),
        (2, 4, 1, 3),
        (4, 2, 1, 2),
    ]
    return tuple(Embeddings.random(*shape, seed=k) for k, shape in enumerate(shapes))


@cache
def ssem_sets() -> tuple[Embeddings, ...]:
    """SSEMs from delta = 0 to the upper end."""
    shapes = [(2, 2, 1, "0"), (2, 2, 1, "3/2"), (2, 2, 2, "1"), (3, 2, 1, "1/2"), (2, 3, 1, "5/4")]
    return tuple(Embeddings.ssem(m, n, p, Fraction(d)) for m, n, p, d in shapes)


def symmetric_sets() -> tuple[Embeddings, ...]:
    """SSEMs, and other sets whose inner products depend on the relation only."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    others = [
        Embeddings.hierarchical(2, 2, 1, Fraction(1), half, quarter),
        Embeddings.hierarchical(2, 3, 2, Fraction(1), -quarter, Fraction(0)),
        Embeddings.hierarchical(3, 2, 2, half, quarter, Fraction(0)),
    ]
    return (*ssem_sets(), *others)


def all_sets() -> tuple[Embeddings, ...]:
    """Random sets and SSEMs."""
    return random_sets() + ssem_sets()


def several(u: Embeddings) -> bool:
    """At least two instances per class."""
    return u.n >= 2


def sign_patterns(m: int, n: int, p: int) -> list[Embeddings]:
    """Every embedding set in R^1."""
    return [
        Embeddings.from_vectors(m, n, p, [[s] for s in signs], note=f"signs {signs}")
        for signs in product((1, -1), repeat=m * n * p)
    ]


def ssem_matching(u: Embeddings, functional: Callable[[Embeddings], Fraction]) -> Embeddings:
    """The SSEM with the same m, n, p on which a functional has the value it has on ``u``.

    The functional must be affine in delta**2; the constructor refuses a delta outside
    the interval on which SSEM exists, so getting an answer is part of the test.
    """
    low, high = (functional(Embeddings.ssem(u.m, u.n, u.p, Fraction(e))) for e in (0, 1))
    return Embeddings.ssem(u.m, u.n, u.p, (functional(u) - low) / (high - low))


# --- the loss ----------------------------------------------------------------------------
def minimisers_on_the_line(weight: Fraction, t: Fraction) -> list[Embeddings]:
    """Among the 16 embeddings of two classes of two in R^1, those of least loss."""
    losses = [(value(SUPCL, u, alpha=weight, tau=t), u) for u in sign_patterns(2, 2, 1)]
    least = min(v for v, _ in losses)
    return [u for v, u in losses if v - least < CLOSE]


def collapsed(u: Embeddings) -> bool:
    """Whether every class is a single point."""
    return all(u.variance(u.of_class(i)) == 0 for i in range(u.m))


def loss(u: Embeddings, weight: Fraction) -> Any:
    """The declared loss for alpha = ``weight``; 0 gives L_Sup and 1 gives L_Self."""
    return value(SUPCL, u, alpha=weight, tau=temperature(u))


# --- tests -------------------------------------------------------------------------------
def at_temperature(
    sides: Callable[[Embeddings], tuple[Any, Any]],
    relation: Relation,
    cases: Iterable[Embeddings],
    *,
    where: Callable[[Embeddings], bool] = lambda _: True,
    note: str = "",
) -> Verdict:
    """``on_embeddings`` for sides that use :func:`temperature`, which a witness then shows."""
    last: list[Embeddings] = []

    def recorded(u: Embeddings) -> tuple[Any, Any]:
        last[:] = [u]
        return sides(u)

    verdict = on_embeddings(recorded, relation, cases, where=where, note=note)
    if verdict.word != "differs":
        return verdict
    point = f"{verdict.witness['point']}, tau = {temperature(last[0])}"
    return verdict._replace(witness={**verdict.witness, "point": point})


def sharp_chain(lines: Lines, relations: Sequence[Relation], note: str = "") -> Verdict:
    """Test a chain of bounds on all sets, and that none is lost on the SSEM, where all are tight.

    A bound that is merely true is not yet the one that the proof needs.
    """
    equalities: list[Relation] = ["="] * len(relations)
    tight = chain(lines, equalities, ssem_sets(), note=note)
    return both(chain(lines, relations, all_sets(), note=note), tight)


def chain(
    lines: Lines,
    relations: Sequence[Relation],
    cases: Iterable[Embeddings],
    *,
    where: Callable[[Embeddings], bool] = lambda _: True,
    note: str = "",
) -> Verdict:
    """Test a display line by line: ``line[k] relations[k] line[k + 1]`` for every k."""
    cases = tuple(cases)
    known: dict[int, Sequence[Any]] = {}

    def pair(k: int) -> Callable[[Embeddings], tuple[Any, Any]]:
        def sides(u: Embeddings) -> tuple[Any, Any]:
            if id(u) not in known:
                known[id(u)] = lines(u)
            return known[id(u)][k], known[id(u)][k + 1]

        return sides

    found = (
        at_temperature(pair(k), relation, cases, where=where, note=note)
        for k, relation in enumerate(relations)
    )
    return both(*found)
