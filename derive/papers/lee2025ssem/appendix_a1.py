"""Appendix A.1: variances of vectors on a sphere.

Everything here holds for arbitrary vectors, so it is run on random ones: on
spheres of several radii, and on classes of unequal sizes where the text allows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from ...decide.evidence import Grade
from ...vectors.embeddings import Embeddings, Index, assorted, combine, mean, total
from ..checks import decided, first_difference, needs_condition, on_embeddings
from ..verdict import Verdict
from . import LEDGER

Set = Sequence[Index]
Sides = Callable[[Embeddings], tuple[Fraction, Fraction]]
Lines = Callable[[Embeddings], list[Fraction]]


@cache
def spheres() -> tuple[Embeddings, ...]:
    """Random vectors on spheres of different radii."""
    radii = (Fraction(1), Fraction(2), Fraction(1, 3))
    return tuple(u.scaled(radii[k % 3]) for k, u in enumerate(assorted()))


def distance(u: Embeddings, a: Index, subset: Set) -> Fraction:
    """Squared distance of one vector to the mean of a set."""
    return u.sq_dist({a: Fraction(1)}, mean(subset))


def apart(u: Embeddings, left: Set, right: Set) -> Fraction:
    """Squared distance of two means."""
    return u.sq_dist(mean(left), mean(right))


def norm(u: Embeddings, subset: Set) -> Fraction:
    """Squared norm of the sum of a set."""
    return u.dot(total(subset), total(subset))


def radius(u: Embeddings) -> Fraction:
    """r**2."""
    first = u.everything[0]
    return u.ip(first, first)


def classes(u: Embeddings) -> list[Set]:
    """A partition into classes of unequal sizes (Proposition A.2 does not ask for equal ones)."""
    return [u.everything[:1], u.everything[1:]] if len(u.everything) > 1 else [u.everything]


def lines_are_variance(printed: Lines, note: str = "") -> Verdict:
    """Compare every line of a display with the variance of the whole set."""
    return on_embeddings(
        lambda u: first_difference([u.variance(u.everything), *printed(u)]),
        "=",
        spheres(),
        note=note,
    )


def with_zero_centroid() -> tuple[Embeddings, ...]:
    """Random sets, and simplices, whose centroid is the origin."""
    return (*spheres(), Embeddings.simplex(2, 2), Embeddings.simplex(3, 1).scaled(2))


# --- definitions -----------------------------------------------------------------------------
def printed_variance(u: Embeddings, subset: Set) -> Fraction:
    """Var[U_i] as printed in Definition A.1."""
    return sum((distance(u, a, subset) for a in subset), Fraction(0)) / len(subset)


def printed_between(u: Embeddings, parts: Sequence[Set]) -> Fraction:
    """Var^Btwn[U] as printed in Definition A.1."""
    return sum(
        (Fraction(len(c), len(u.everything)) * apart(u, c, u.everything) for c in parts),
        Fraction(0),
    )


@LEDGER.claim(
    "Definition A.1",
    r"\text{Var}[U_i] := \frac{1}{|U_i|}\sum_{u \in U_i}\|u - E[U_i]\|^2, "
    r"\text{Var}^{Btwn}[U] := \sum_i \frac{|U_i|}{|U|}\|E[U_i] - E[U]\|^2",
)
def definition_a1(
    within: Callable[[Embeddings, Set], Fraction] = printed_variance,
    between: Callable[[Embeddings, Sequence[Set]], Fraction] = printed_between,
) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        parts = [u.of_class(i) for i in range(u.m)]
        printed = [within(u, c) for c in parts] + [between(u, parts)]
        ours = [u.variance(c) for c in parts] + [u.between_variance()]
        return next(((a, b) for a, b in zip(printed, ours, strict=True) if a != b), (ours[0],) * 2)

    return on_embeddings(
        sides, "=", assorted(), note="with U read as an indexed family, as everywhere"
    )


# --- Proposition A.1 -------------------------------------------------------------------------
def pair_sum(u: Embeddings) -> Fraction:
    """Sum of inner products over ordered pairs of different vectors."""
    return sum((u.ip(a, b) for a in u.everything for b in u.everything if a != b), Fraction(0))


def printed_a1(u: Embeddings) -> list[Fraction]:
    """The two expressions of Proposition A.1."""
    size = len(u.everything)
    return [
        radius(u) - norm(u, u.everything) / size**2,
        Fraction(size - 1, size) * radius(u) - pair_sum(u) / size**2,
    ]


@LEDGER.claim(
    "Proposition A.1",
    r"\text{Var}[U] = r^2 - \|E[U]\|^2 "
    r"= \frac{|U|-1}{|U|} r^2 - \frac{1}{|U|^2}\sum_{u}\sum_{v \ne u} u \cdot v",
)
def proposition_a1(printed: Lines = printed_a1) -> Verdict:
    return lines_are_variance(printed)


def printed_a1_proof(u: Embeddings) -> list[Fraction]:
    """The lines of the proof, in order."""
    size, everything = len(u.everything), u.everything
    centre = mean(everything)
    squares = sum((u.ip(a, a) for a in everything), Fraction(0))
    along = sum((u.dot({a: Fraction(1)}, centre) for a in everything), Fraction(0))
    return [
        printed_variance(u, everything),
        squares / size + u.dot(centre, centre) - Fraction(2, size) * along,
        squares / size - u.dot(centre, centre),
        radius(u) - u.dot(centre, centre),
        radius(u) - norm(u, everything) / size**2,
        radius(u) - u.sum_ip(everything, everything) / size**2,
        printed_a1(u)[1],
    ]


@LEDGER.claim(
    "Proposition A.1, proof: lines",
    r"\text{Var}[U] = \frac{1}{|U|}\sum\|u\|^2 + \|E[U]\|^2 - \frac{2}{|U|}\sum u \cdot E[U] "
    r"= \dots = r^2 - \frac{1}{|U|^2}\sum_u\sum_v u \cdot v = \dots",
)
def proposition_a1_proof(printed: Lines = printed_a1_proof) -> Verdict:
    return lines_are_variance(
        printed, "announced for vectors 'on the unit sphere'; the lines hold at any radius"
    )


# --- Proposition A.2 -------------------------------------------------------------------------
def mean_within(u: Embeddings) -> Fraction:
    """Sum of |U_i|/|U| Var[U_i]."""
    size = len(u.everything)
    return sum((Fraction(len(c), size) * u.variance(c) for c in classes(u)), Fraction(0))


def variances(u: Embeddings) -> Fraction:
    """The left-hand side of Proposition A.2."""
    return mean_within(u) + printed_between(u, classes(u))


@LEDGER.claim(
    "Proposition A.2",
    r"\sum_i \frac{|U_i|}{|U|}\text{Var}[U_i] + \text{Var}^{Btwn}[U] \le r^2, "
    r"with equality when E[U] = 0",
    result="variance-bound",
)
def proposition_a2(bound: Callable[[Embeddings], Fraction] = radius) -> Verdict:
    below = on_embeddings(lambda u: (variances(u), bound(u)), "<=", spheres())
    if below.word != "agrees":
        return below
    # Equality exactly at centroid zero: random sets, and the simplex.
    cases = with_zero_centroid()
    return on_embeddings(
        lambda u: (int(variances(u) == bound(u)), int(norm(u, u.everything) == 0)),
        "=",
        cases,
        note="equality exactly when the centroid is the origin; classes may differ in size",
    )


@LEDGER.claim(
    "Proposition A.2, proof: cross terms",
    r"\sum_i\sum_{u \in U_i}(u - E[U_i]) \cdot (E[U_i] - E[U]) "
    r"= \sum_i (\sum_{u \in U_i} u - n_i E[U_i]) \cdot (E[U_i] - E[U]) = 0",
)
def proposition_a2_cross() -> Verdict:
    def lines(u: Embeddings) -> list[Fraction]:
        first = second = Fraction(0)
        for c in classes(u):
            step = combine((1, mean(c)), (-1, mean(u.everything)))
            for a in c:
                first += u.dot(combine((1, {a: Fraction(1)}), (-1, mean(c))), step)
            second += u.dot(combine((1, total(c)), (-len(c), mean(c))), step)
        return [first, second, Fraction(0)]

    return on_embeddings(lambda u: first_difference(lines(u)), "=", spheres())


def printed_decomposition(u: Embeddings) -> list[Fraction]:
    """The lines of the decomposition (those that are not a mere regrouping)."""
    within = sum((distance(u, a, c) for c in classes(u) for a in c), Fraction(0))
    return [
        sum((distance(u, a, u.everything) for a in u.everything), Fraction(0)),
        within + sum((apart(u, c, u.everything) for c in classes(u) for _ in c), Fraction(0)),
        within + sum((len(c) * apart(u, c, u.everything) for c in classes(u)), Fraction(0)),
    ]


@LEDGER.claim(
    "Proposition A.2, proof: decomposition",
    r"\sum_u\|u - E[U]\|^2 = \sum_i\sum_{u \in U_i}\|u - E[U_i]\|^2 "
    r"+ \sum_i n_i\|E[U_i] - E[U]\|^2",
)
def proposition_a2_decomposition(printed: Lines = printed_decomposition) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        return first_difference([len(u.everything) * u.variance(u.everything), *printed(u)])

    return on_embeddings(sides, "=", spheres())


def printed_entire(u: Embeddings) -> list[Fraction]:
    """The lines of the display that begins with Var(W)."""
    size = len(u.everything)
    return [line / size for line in printed_decomposition(u)] + [variances(u)]


@LEDGER.claim(
    "Proposition A.2, proof: variance of the entire set",
    r"\text{Var}(W) = \frac{1}{N}\sum_u\|u - E[U]\|^2 = \dots "
    r"= \sum_i \frac{n_i}{N}\text{Var}[U_i] + \text{Var}^{Btwn}[U]",
)
def proposition_a2_entire(printed: Lines = printed_entire) -> Verdict:
    return lines_are_variance(printed, "printed Var(W); there is no set W, and U is meant")


@LEDGER.claim(
    "(A.1)",
    r"\text{Var}[U] = r^2 - \frac{1}{n^2}\|\sum_{u \in U} u\|^2 \le r^2",
    result="variance-bound",
)
def equation_a1(count: Callable[[Embeddings], int] = lambda u: u.n) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        return radius(u) - norm(u, u.everything) / count(u) ** 2, u.variance(u.everything)

    all_of_them = on_embeddings(
        sides, "=", spheres(), where=lambda u: count(u) == len(u.everything)
    )
    two_equal = Embeddings.from_vectors(2, 1, 1, [[1], [1]])
    return needs_condition(
        "n read as |U| = N, the n of Proposition A.1, not as the number of instances per class",
        all_of_them,
        on_embeddings(sides, "=", [two_equal]),
        "the same proof calls this number N",
    )


@LEDGER.claim(
    "Proposition A.2, proof: equality",
    r"equality in (A.1) iff E[U] = \frac{1}{N}\sum_{u \in U} u = 0",
    result="variance-bound",
)
def proposition_a2_equality() -> Verdict:
    cases = with_zero_centroid()
    both = [
        (u.variance(u.everything) == radius(u), u.dot(mean(u.everything), mean(u.everything)) == 0)
        for u in cases
    ]
    wrong = [u for u, (left, right) in zip(cases, both, strict=True) if left != right]
    return decided(
        not wrong and {(True, True), (False, False)} == set(both),
        "r^2 - Var[U] = |E[U]|^2 by Proposition A.1; both sides run on random sets and simplices",
        grade=Grade.SAMPLED,
        witness={"point": [u.note for u in wrong]},
    )
