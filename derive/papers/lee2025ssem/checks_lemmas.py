"""Lemmas A.1 and A.2: which sets are best under a constraint, and how far its value reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from ...language.quantities import compare, root, text
from ...vectors.embeddings import Embeddings, Index
from ..records.families import sets_in, ssem
from ..records.family import size
from ..records.points import ONE, ZERO
from ..records.run import Findings, Point, Values, named_check
from .checks import longest, squared

Functional = Callable[[Embeddings], Fraction]


# --- sums --------------------------------------------------------------------------------------
@cache
def within(e: Embeddings) -> Fraction:
    """Sum over i and j != j' of E[U_ij].E[U_ij']."""
    pairs = e.ordered_instance_pairs()
    return sum((e.mean_ip(e.of_instance(i, j), e.of_instance(i, k)) for i, j, k in pairs), ZERO)


@cache
def spread(e: Embeddings) -> Fraction:
    """Sum over i and j != j' of the squared distance of E[U_ij] and E[U_ij']."""
    pairs = e.ordered_instance_pairs()
    views = [(e.of_instance(i, j), e.of_instance(i, k)) for i, j, k in pairs]
    return sum((e.mean_sq_dist(a, b) for a, b in views), ZERO)


@cache
def across(e: Embeddings) -> Fraction:
    """Sum of u.v over ordered pairs of different classes."""
    return sum((e.sum_ip(e.of_class(i), e.outside_class(i)) for i in range(e.m)), ZERO)


# --- the best set under a constraint -----------------------------------------------------------
def with_views(m: int, n: int, p: int, inner: Fraction) -> Iterator[Embeddings]:
    """Sets whose instances have means at one inner product within a class, views apart or not."""
    for views, cross in product((ONE, Fraction(1, 2)), (ZERO, inner, -inner / 2)):
        try:
            yield Embeddings.hierarchical(m, n, p, views, inner, cross)
        except ValueError:  # there is no such set
            continue


def best(at: Point, constraint: Functional, gain: Functional, values: Values) -> Findings:
    """In R^d, for each value c of ``constraint`` in [low, high], exactly one SSEM with
    delta <= end has the greatest ``gain``; and no SSEM has any other value of it."""
    m, n, p, d = (size(at, name) for name in "mnpd")
    end, low, high = values["end"], values["low"], values["high"]
    says = f"there is no SSEM for delta = {text(end)}"
    yield compare(end, ZERO, ">=") and squared(end) <= longest(m, n), says
    yield m * n != 1 and n != 1, "the constraint does not tell one delta from another"
    ends = sorted(constraint(ssem(m, n, p, q)) for q in (ZERO, longest(m, n)))
    yield ends == [low, high], f"on the SSEM it goes from {ends[0]} to {ends[1]}"
    for part in (Fraction(3, 7), ZERO, ONE):
        yield from best_at(m, n, p, d, low + part * (high - low), constraint, gain, end)


def best_at(
    m: int, n: int, p: int, d: int, c: Fraction, constraint: Functional, gain: Functional, end: Any
) -> Findings:
    """It for one value of the constraint."""
    first, second = (constraint(ssem(m, n, p, q)) for q in (ZERO, ONE))

    def position(value: Fraction) -> Fraction:
        """delta**2 of the SSEM on which the constraint, affine in it, has a value."""
        return (value - first) / (second - first)

    square = position(c)
    chosen = ssem(m, n, p, square)
    says = f"c = {c} needs delta^2 = {square}, beyond {squared(end)}"
    yield compare(root(square), end, "<="), says, chosen
    yield chosen.rank <= d, f"c = {c} needs {chosen.rank} dimensions", chosen
    inner = chosen.ip((0, 0, 0), (0, 1, 0))
    for e in (*sets_in(m, n, p, d), *with_views(m, n, p, inner)):
        if e.rank <= d:
            most = gain(ssem(m, n, p, position(constraint(e))))
            yield gain(e) <= most, f"it comes to {gain(e)}, on the SSEM to {most}", e


@named_check("Lemma A.1")
def lemma_a1(at: Point, *, values: Values) -> Findings:
    """Of sets with one sum within classes, an SSEM has the least across."""
    return best(at, within, lambda e: -across(e), values)


@named_check("Lemma A.2")
def lemma_a2(at: Point, *, values: Values) -> Findings:
    """Of sets with one spread within classes, an SSEM has the greatest sum within classes."""
    return best(at, spread, within, values)


# --- how far the constraint reaches ------------------------------------------------------------
def balanced(m: int, n: int, p: int, d: int) -> Embeddings | None:
    """Classes that sum to zero, views merged: opposite pairs, and for odd n a triangle."""
    if n == 1 or (d == 1 and n % 2):
        return None
    lead = 3 if n % 2 else 0

    def inner(a: Index, b: Index) -> Fraction:
        first, second = sorted((a[1], b[1]))
        if second < lead:
            return ONE if first == second else Fraction(-1, 2)
        sign = -1 if (second - lead) % 2 else 1
        if first < lead:  # pairs lie along the first side of the triangle
            return sign * (ONE if first == 0 else Fraction(-1, 2))
        return Fraction(sign * (-1 if (first - lead) % 2 else 1))

    return Embeddings(m, n, p, inner, note="classes that sum to zero")


def reached(at: Point, functional: Functional, sign: int, end: Any) -> Findings:
    """The greatest of sign * of on sets in R^d is sign * end."""
    m, n, p, d = (size(at, name) for name in "mnpd")
    sets = [e for e in (balanced(m, n, p, d), *sets_in(m, n, p, d)) if e is not None]
    most = max(sets, key=lambda e: sign * functional(e))
    found = functional(most)
    yield compare(found, end, "="), f"the farthest is {found}, not {text(end)}", most


@named_check("least c of Lemma A.1")
def least_c(at: Point, *, least: Any) -> Findings:
    """The least sum within classes in R^d is ``least``."""
    return reached(at, within, -1, least)


@named_check("greatest c of Lemma A.2")
def greatest_c(at: Point, *, greatest: Any) -> Findings:
    """The greatest spread within classes in R^d is ``greatest``."""
    return reached(at, spread, 1, greatest)
