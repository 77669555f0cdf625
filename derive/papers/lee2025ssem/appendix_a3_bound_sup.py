"""Sums of the proof of Theorem A.2, which other sections use."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import mpmath

from ...vectors.embeddings import Embeddings, Index
from ..checks import both, decided, needs_condition
from ..verdict import Verdict
from ._sums import (
    all_sets,
    anchors,
    at_temperature,
    chain,
    cross,
    log_mean,
    loss,
    means,
    norms,
    own,
    same,
    sharp_chain,
    spread,
    symmetric_sets,
    temperature,
    total,
)
from ._sums import exp as e_to

Sides = Callable[[Embeddings], Any]


# --- the losses rewritten ----------------------------------------------------------------------
def _ratio(u: Embeddings, a: Index, b: Index) -> Any:
    """exp(u.v/tau) over the sum of exp(u.w/tau)."""
    t = temperature(u)
    return e_to(u.ip(a, b) / t) / mpmath.fsum(e_to(u.ip(a, w) / t) for w in u.everything)


def _inside(u: Embeddings, a: Index, b: Index) -> Any:
    """Sum over w of exp(u.(w - v)/tau)."""
    t = temperature(u)
    return mpmath.fsum(e_to((u.ip(a, w) - u.ip(a, b)) / t) for w in u.everything)


def a32() -> Verdict:
    def lines(u: Embeddings) -> list[Any]:
        one = mpmath.mpf(1) / (u.m * u.n * (u.n - 1) * u.p**2)
        pairs = [
            (a, b)
            for i, j, k in u.ordered_instance_pairs()
            for a in u.of_instance(i, j)
            for b in u.of_instance(i, k)
        ]
        return [
            loss(u, Fraction(0)),
            -one * mpmath.fsum(mpmath.log(_ratio(u, a, b)) for a, b in pairs),
            one * mpmath.fsum(mpmath.log(_inside(u, a, b)) for a, b in pairs),
            one
            * mpmath.fsum(
                mpmath.log(_inside(u, a, b)) for a, _, rest, _ in anchors(u) for b in rest
            ),
        ]

    return chain(
        lines,
        ("=", "=", "="),
        all_sets(),
        note="the text cites (4) for the definition; for p > 1 it is (2)",
    )


def a33() -> Verdict:
    def lines(u: Embeddings) -> list[Any]:
        one = mpmath.mpf(1) / (u.m * u.n * u.p**2)
        pairs = [(a, b) for a, views, _, _ in anchors(u) for b in views]
        return [
            loss(u, Fraction(1)),
            -one * mpmath.fsum(mpmath.log(_ratio(u, a, b)) for a, b in pairs),
            one * mpmath.fsum(mpmath.log(_inside(u, a, b)) for a, b in pairs),
        ]

    return chain(
        lines,
        ("=", "="),
        all_sets(),
        note="the text cites (5) for the definition; for p > 1 it is (3)",
    )


def partition() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        good = all(sorted(s + t + v) == u.everything for _, s, t, v in anchors(u))
        return int(good), 1

    return at_temperature(
        sides, "=", all_sets(), note="with the sets read as families indexed by i, j, k"
    )


# --- the supervised loss ---------------------------------------------------------------------
def jensen_inside(u: Embeddings, a: Index, b: Index) -> Any:
    """The right-hand side of (A.34) for u = a and v = b, which (A.46) has as well."""
    t, m, n, p = temperature(u), u.m, u.n, u.p
    views, rest, outside = (
        u.of_instance(*a[:2]),
        u.others_in_class(*a[:2]),
        u.outside_class(a[0]),
    )
    pull = u.ip(a, b) / t
    return (
        (m - 1) * n * p * e_to(u.sum_ip([a], outside) / ((m - 1) * n * p) / t - pull)
        + (n - 1) * p * e_to(u.sum_ip([a], rest) / ((n - 1) * p) / t - pull)
        + p * e_to(u.sum_ip([a], views) / p / t - pull)
    )


def pairs_of(u: Embeddings, own_views: bool) -> list[tuple[Index, Index]]:
    return [(a, b) for a, views, rest, _ in anchors(u) for b in (views if own_views else rest)]


Inside = Callable[[Embeddings, Index, Index], Any]


def _worst(
    u: Embeddings, own_views: bool, relation: Literal["=", ">="], printed: Inside
) -> tuple[Any, Any]:
    """Both sides of Jensen's inequality at the pair where the relation is nearest to failing."""
    sides = [(_inside(u, a, b), printed(u, a, b)) for a, b in pairs_of(u, own_views)]
    if relation == "=":
        return max(sides, key=lambda s: abs(s[0] - s[1]))
    return min(sides, key=lambda s: s[0] - s[1])


def constant(u: Embeddings, pairs: list[tuple[Index, Index]], *groups: str) -> bool:
    """Whether u.(w - v) is one constant per group of w, over all pairs (u, v)."""
    for name in groups:
        found = {
            u.ip(a, w) - u.ip(a, b)
            for a, b in pairs
            for w in {
                "views": u.of_instance(*a[:2]),
                "rest": u.others_in_class(*a[:2]),
                "outside": u.outside_class(a[0]),
            }[name]
        }
        if len(found) > 1:
            return False
    return True


GROUPS = ("outside", "rest", "views")


def a34(printed: Inside = jensen_inside) -> Verdict:
    def split(u: Embeddings) -> tuple[Any, Any]:
        t = temperature(u)
        a, b = pairs_of(u, own_views=False)[0]
        _, views, rest, outside = anchors(u)[0]
        parts = [
            mpmath.fsum(e_to((u.ip(a, w) - u.ip(a, b)) / t) for w in group)
            for group in (outside, rest, views)
        ]
        return _inside(u, a, b), mpmath.fsum(parts)

    return both(
        at_temperature(lambda u: _worst(u, False, ">=", printed), ">=", all_sets()),
        at_temperature(split, "=", all_sets()),
    )


def jensen_is_tight(own_views: bool, printed: Inside) -> Verdict:
    return at_temperature(
        lambda u: _worst(u, own_views, "=", printed),
        "=",
        symmetric_sets(),
        where=lambda u: constant(u, pairs_of(u, own_views), *GROUPS),
        note="sufficient, as printed",
    )


def a35(printed: Inside = jensen_inside) -> Verdict:
    return jensen_is_tight(False, printed)


def a36(printed: Inside = jensen_inside) -> Verdict:
    return jensen_is_tight(False, printed)


def a37(printed: Inside = jensen_inside) -> Verdict:
    return jensen_is_tight(False, printed)


def a38_bound(u: Embeddings) -> Any:
    """The right-hand side of (A.38), as printed: one logarithm per class."""
    t, m, n, p = temperature(u), u.m, u.n, u.p
    mean = Fraction(1, n * (n - 1) * p**2)
    logs = []
    for i in range(m):
        pairs = [(a, b) for a, b in pairs_of(u, own_views=False) if a[0] == i]
        pull = mean * sum(u.ip(a, b) for a, b in pairs) / t

        def push(count: int, group: Callable[[Index], list[Index]], pairs: Any = pairs) -> Fraction:
            return mean * sum(u.sum_ip([a], group(a)) / count for a, _ in pairs) / t

        logs.append(
            (m - 1) * n * p * e_to(push((m - 1) * n * p, lambda a: u.outside_class(a[0])) - pull)
            + (n - 1) * p * e_to(push((n - 1) * p, lambda a: u.others_in_class(*a[:2])) - pull)
            + p * e_to(push(p, lambda a: u.of_instance(*a[:2])) - pull)
        )
    return log_mean(logs)


def _class_sums(u: Embeddings, i: int) -> tuple[Fraction, Fraction, Fraction]:
    """own, same and cross restricted to the anchors of one class."""
    c = u.of_class(i)
    views = sum((u.sum_ip(s, s) for s in (u.of_instance(i, j) for j in range(u.n))), Fraction(0))
    return views, u.sum_ip(c, c) - views, u.sum_ip(c, u.outside_class(i))


def a39_bound(u: Embeddings) -> Any:
    t, m, n, p = temperature(u), u.m, u.n, u.p
    logs = []
    for i in range(m):
        views, rest, outside = _class_sums(u, i)
        pull = rest / (n * (n - 1) * p**2) / t
        logs.append(
            (m - 1) * n * p * e_to(outside / ((m - 1) * n**2 * p**2) / t - pull)
            + (n - 1) * p * e_to(rest / (n * (n - 1) * p**2) / t - pull)
            + p * e_to(views / (n * p**2) / t - pull)
        )
    return log_mean(logs)


def a40_bound(u: Embeddings) -> Any:
    t, m, n, p = temperature(u), u.m, u.n, u.p
    pull = same(u) / (m * n * (n - 1) * p**2) / t
    return mpmath.log(
        (m - 1) * n * p * e_to(cross(u) / (m * (m - 1) * n**2 * p**2) / t - pull)
        + (n - 1) * p
        + p * e_to(own(u) / (m * n * p**2) / t - pull)
    )


def a38(printed: Sides = a38_bound) -> Verdict:
    def lines(u: Embeddings) -> list[Any]:
        bounds = [jensen_inside(u, a, b) for a, b in pairs_of(u, own_views=False)]
        return [loss(u, Fraction(0)), log_mean(bounds), printed(u)]

    return sharp_chain(lines, (">=", ">="))


def a39(printed: Sides = a39_bound) -> Verdict:
    return at_temperature(lambda u: (a38_bound(u), printed(u)), "=", all_sets())


def second_exponent() -> Verdict:
    def inside(u: Embeddings) -> Fraction:
        w_sum = sum((u.sum_ip([a], rest) for a, _, rest, _ in anchors(u) if a[0] == 0), Fraction(0))
        v_sum = sum((u.ip(a, b) for a, b in pairs_of(u, own_views=False) if a[0] == 0), Fraction(0))
        return w_sum - v_sum

    return at_temperature(lambda u: (inside(u), Fraction(0)), "=", all_sets())


def a40(printed: Sides = a40_bound) -> Verdict:
    return sharp_chain(lambda u: [loss(u, Fraction(0)), a39_bound(u), printed(u)], (">=", ">="))


def sup_equality() -> Verdict:
    return chain(
        lambda u: [loss(u, Fraction(0)), a38_bound(u), a40_bound(u)],
        ("=", "="),
        symmetric_sets(),
        where=lambda u: constant(u, pairs_of(u, own_views=False), *GROUPS),
    )


def _first_exponent(u: Embeddings) -> list[Fraction]:
    """The lines from (A.41) to (A.42), the last one apart."""
    t, m, n, p = temperature(u), u.m, u.n, u.p
    factor = Fraction(m * n - 1, m * (m - 1) * n**2 * (n - 1))
    level = -Fraction(1, (m - 1) * n) / t
    return [
        cross(u) / (m * (m - 1) * n**2 * p**2) / t - same(u) / (m * n * (n - 1) * p**2) / t,
        -Fraction(m * n * p**2, m * (m - 1) * n**2 * p**2) / t
        - same(u) / (m * (m - 1) * n**2 * p**2) / t
        - same(u) / (m * n * (n - 1) * p**2) / t,
        level - factor / p**2 * same(u) / t,
        level - factor * means(u) / t,
        level - factor * (m * n * (n - 1)) / t + factor / 2 * spread(u) / t,
    ]


def a41() -> Verdict:
    return at_temperature(lambda u: tuple(_first_exponent(u)[:2]), ">=", all_sets())  # type: ignore[arg-type,return-value]


def a42(printed: Callable[[Embeddings], list[Fraction]] = _first_exponent) -> Verdict:
    return chain(lambda u: printed(u)[1:], ("=", "=", ">="), all_sets())


def a42_last_line(u: Embeddings) -> Fraction:
    t, m, n = temperature(u), u.m, u.n
    slope = Fraction(m * n - 1, 2 * m * (m - 1) * n**2 * (n - 1))
    return -Fraction(m, m - 1) / t - slope * spread(u) / t


def a42_last(printed: Callable[[Embeddings], Fraction] = a42_last_line) -> Verdict:
    return at_temperature(
        lambda u: (printed(u), _first_exponent(u)[-1]),
        "=",
        (Embeddings.ssem(2, 2, 1, Fraction(1, 2)), *all_sets()),
        note="the sign before the last term should be +, as in the line above it",
    )


def apart_with_zero_sum() -> Embeddings:
    return Embeddings.from_vectors(2, 2, 2, [[1], [-1]] * 4, note="views 1 and -1")


def a43() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        first = _first_exponent(u)
        return int(total(u) == 0), int(first[0] == first[1])

    return needs_condition(
        "p = 1, or (A.24) as well",
        at_temperature(sides, "=", all_sets(), where=lambda u: u.p == 1),
        at_temperature(sides, "=", [apart_with_zero_sum()]),
        "(A.21), from which it comes, has both conditions; (A.44) supplies the second",
    )


def a44() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        first = _first_exponent(u)
        return int(norms(u) == u.m * u.n), int(first[-2] == first[-1])

    return at_temperature(sides, "=", (*all_sets(), apart_with_zero_sum()))


def second_exponent_of_a40(u: Embeddings) -> list[Fraction]:
    """The display after (A.44), with tau where it is printed."""
    t, m, n, p = temperature(u), u.m, u.n, u.p
    return [
        own(u) / (m * n * p**2) / t - same(u) / (m * n * (n - 1) * p**2) / t,
        norms(u) / (m * n) / t - means(u) / (m * n * (n - 1)) * t,
        norms(u) / (2 * m * n) / t
        + norms(u) / (2 * m * n) / t
        - 2 * means(u) / (2 * m * n * (n - 1)) * t,
        spread(u) / (2 * m * n * (n - 1)) / t,
    ]


def after_a44(
    printed: Callable[[Embeddings], list[Fraction]] = second_exponent_of_a40,
) -> Verdict:
    return chain(
        lambda u: printed(u)[:3],
        ("=", "="),
        (Embeddings.ssem(2, 2, 1, Fraction(0)), *all_sets()),
        where=lambda u: temperature(u) != 1,
        note="tau should divide the last sum of both lines: they print E.E' tau for E.E'/tau",
    )


def after_a44_ends() -> Verdict:
    return at_temperature(
        lambda u: (second_exponent_of_a40(u)[0], second_exponent_of_a40(u)[3]), "=", all_sets()
    )


class NoLogarithm(ValueError):
    """A bound as printed takes the logarithm of a number that has none."""

    def __init__(self, argument: Fraction):
        super().__init__(f"log({argument})")


Bound = Callable[[Embeddings, Fraction], Any]


def _pushed(u: Embeddings) -> Any:
    """The last exponential of (A.45) and (A.54), times p."""
    return u.p * e_to(spread(u) / (2 * u.m * u.n * (u.n - 1)) / temperature(u))


def a45_bound(u: Embeddings, weight: Fraction = Fraction(0)) -> Any:
    """The right-hand side of (A.45), as printed; with 1 - alpha as (A.54) has it."""
    argument = a42_last_line(u)
    if argument <= 0:
        raise NoLogarithm(argument)
    return (1 - weight) * mpmath.log(argument) + (u.n - 1) * u.p + _pushed(u)


def a45_meant(u: Embeddings, weight: Fraction = Fraction(0)) -> Any:
    """The same, following (A.40): the last line of (A.42) with + is the first exponent."""
    far = (u.m - 1) * u.n * u.p * e_to(_first_exponent(u)[-1])
    return (1 - weight) * mpmath.log(far + (u.n - 1) * u.p + _pushed(u))


def on_collapsed(bound: Bound, weight: Fraction, note: str) -> Verdict:
    """Whether a bound has a real value on collapsed embeddings."""
    u = Embeddings.ssem(2, 2, 1, Fraction(0))
    how, witness = "the argument of the logarithm, on collapsed embeddings", {}
    try:
        bound(u, weight)
    except NoLogarithm as refusal:
        witness = {
            "point": {"m": "2", "n": "2", "p": "1", "delta": "0", "tau": str(temperature(u))},
            "printed": str(refusal),
            "derived": f"L_Sup = {mpmath.nstr(loss(u, Fraction(0)), 8)}",
        }
        return decided(False, how, note, witness=witness)
    return decided(True, how)


def is_bound(bound: Bound, weight: Fraction, note: str) -> Verdict:
    """Whether the loss is nowhere below a bound that is real, and equal to it on the SSEM."""
    real = on_collapsed(bound, weight, note)
    if real.word != "agrees":
        return real
    return sharp_chain(lambda u: [loss(u, weight), bound(u, weight)], (">=",), note)


LOST = (
    "the bound prints log(E) + (n-1)p + p exp(...) with E <= 0 for every U; following (A.40) "
    "it is log((m-1)np exp(E') + (n-1)p + p exp(...)), E' being E with + before its last term"
)


def a45(printed: Bound = a45_bound) -> Verdict:
    return is_bound(printed, Fraction(0), LOST)
