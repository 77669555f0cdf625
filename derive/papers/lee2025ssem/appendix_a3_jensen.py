"""Appendix A.3, first part: Proposition A.5, Jensen's inequality for log-sum-exp."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath

from ...decide.evidence import Grade
from ..checks import CLOSE, DIGITS, decided
from ..verdict import Verdict
from . import LEDGER

Vector = list[Fraction]


def _weights_and_points() -> Iterator[tuple[Vector, list[Vector]]]:
    """Non-negative vectors a (some with zeros) and vectors w_i, for d and n from 1 to 4."""
    rng = random.Random(5)
    for k in range(16):
        d, count = k % 4 + 1, k // 4 + 1
        a = [Fraction(rng.randint(0, 3), rng.randint(1, 3)) for _ in range(d)]
        a[rng.randrange(d)] = Fraction(1)
        w = [[Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(d)]]
        w += [[Fraction(rng.randint(-9, 9), 2) for _ in range(d)] for _ in range(count - 1)]
        yield a, w


def _lse(a: Vector, w: Vector) -> Any:
    return mpmath.log(mpmath.fsum(s * mpmath.exp(t) for s, t in zip(a, w, strict=True)))


def _average(vectors: list[Vector]) -> Vector:
    return [sum(column, Fraction(0)) / len(vectors) for column in zip(*vectors, strict=True)]


def _for_all_points(test: Callable[[Vector, list[Vector]], bool], note: str = "") -> Verdict:
    with mpmath.workdps(DIGITS):
        for a, w in _weights_and_points():
            if not test(a, w):
                witness = {"point": {"a": _show([a]), "w": _show(w)}}
                return decided(False, "fails at a point", note, witness=witness)
    return decided(True, "16 random (a, w_1, ..., w_n)", note, grade=Grade.SAMPLED)


def _show(vectors: list[Vector]) -> str:
    return ", ".join(f"({', '.join(map(str, v))})" for v in vectors)


def _jensen_gap(a: Vector, w: list[Vector]) -> Any:
    return mpmath.fsum(_lse(a, v) for v in w) / len(w) - _lse(a, _average(w))


@LEDGER.claim(
    "(A.18)",
    r"\frac1n \sum_i \log(a^\top \exp(w_i)) \ge \log(a^\top \exp(\frac1n \sum_i w_i)) "
    "for every a with non-negative elements",
)
def jensen() -> Verdict:
    return _for_all_points(
        lambda a, w: _jensen_gap(a, w) >= -CLOSE,
        "for a = 0 both sides are log 0, so the statement is about a != 0",
    )


EQUAL_AFTER_SHIFT = (
    "equality also holds for w_i = c + t_i (1, ..., 1), since a common shift of w_i leaves the "
    "logarithm; the condition printed is sufficient, the one that is also necessary is that "
    "all w_i - w_1 are multiples of (1, ..., 1)"
)


Condition = Callable[[list[Vector]], bool]


def all_equal(w: list[Vector]) -> bool:
    """The condition as printed."""
    return all(v == w[0] for v in w)


@LEDGER.claim(
    "Proposition A.5: equality condition",
    r"for positive a, equality in (A.18) holds iff w_i = c for all i",
)
def jensen_equality(printed: Condition = all_equal) -> Verdict:
    # For a = (1) in R^1, f(w) = w: both sides of (A.18) are the mean of the w_i.
    zero, one, two = Fraction(0), Fraction(1), Fraction(2)
    points = [([one], [[zero], [one]]), ([one, two], [[zero, one], [one, two]])]
    with mpmath.workdps(DIGITS):
        for a, w in [*points, *_weights_and_points()]:
            gap = _jensen_gap(a, w)
            if 0 not in a and (abs(gap) < CLOSE) != printed(w):
                witness = {
                    "point": {"a": _show([a]), "w": _show(w)},
                    "printed": "equality" if printed(w) else "no equality",
                    "derived": f"the two sides differ by {mpmath.nstr(mpmath.chop(gap), 3)}",
                }
                return decided(False, "both sides computed", EQUAL_AFTER_SHIFT, witness=witness)
    return decided(True, "18 points", grade=Grade.SAMPLED)


@LEDGER.claim(
    "Proposition A.5, proof: the case a = 0",
    r"for a = 0, a^\top \exp(w_i) = 0 = a^\top \exp(\frac1n \sum_i w_i)",
)
def zero_weights() -> Verdict:
    def vanishes(a: Vector, w: list[Vector]) -> bool:
        return all(sum(0 * mpmath.exp(t) for t in v) == 0 for v in [*w, _average(w)])

    return _for_all_points(vanishes)


@LEDGER.claim(
    "Proposition A.5, proof: positive elements suffice",
    "therefore it suffices to consider a with only positive elements",
)
def positive_weights() -> Verdict:
    def unchanged(a: Vector, w: list[Vector]) -> bool:
        kept = [k for k, s in enumerate(a) if s > 0]
        shorter = _jensen_gap([a[k] for k in kept], [[v[k] for k in kept] for v in w])
        return bool(abs(shorter - _jensen_gap(a, w)) < CLOSE)

    return _for_all_points(
        unchanged,
        "true, but not because of a = 0: elements that are zero drop out of both sides, "
        "which leaves a shorter positive vector",
    )


@LEDGER.claim(
    "(A.19)",
    r"\frac12 f(w) + \frac12 f(v) = \log\sqrt{a^\top\exp(w) \cdot a^\top\exp(v)} "
    r"\ge \log(a^\top\exp(\frac12 w + \frac12 v)) = f(\frac12 w + \frac12 v)",
)
def midpoint() -> Verdict:
    def holds(a: Vector, w: list[Vector]) -> bool:
        v, u = w[0], w[-1]
        half = (_lse(a, v) + _lse(a, u)) / 2
        product = mpmath.exp(_lse(a, v)) * mpmath.exp(_lse(a, u))
        middle = mpmath.log(mpmath.sqrt(product))
        return bool(abs(half - middle) < CLOSE and middle >= _lse(a, _average([v, u])) - CLOSE)

    return _for_all_points(holds)


@LEDGER.claim(
    "(A.19): equality condition",
    r"equality in (A.19) holds iff \exp(w/2) = \exp(v/2)",
)
def midpoint_equality(printed: Condition = all_equal) -> Verdict:
    return jensen_equality(printed).with_note(
        "Cauchy-Schwarz gives equality when exp(w/2) and exp(v/2) are proportional, "
        "that is when w - v is a multiple of (1, ..., 1)"
    )


@LEDGER.claim(
    "Proposition A.5, proof: f is convex",
    r"(A.19) and continuity imply that f(w) = \log(a^\top\exp(w)) is convex",
)
def lse_convex() -> Verdict:
    def holds(a: Vector, w: list[Vector]) -> bool:
        v, u = w[0], w[-1]
        for t in (Fraction(1, 7), Fraction(1, 3), Fraction(9, 10)):
            mixed = [t * x + (1 - t) * y for x, y in zip(v, u, strict=True)]
            if t * _lse(a, v) + (1 - t) * _lse(a, u) < _lse(a, mixed) - CLOSE:
                return False
        return True

    return _for_all_points(holds)


@LEDGER.claim(
    "Proposition A.5, proof: last display",
    r"\frac1n\sum_i \log(a^\top\exp(w_i)) = \frac1n\sum_i f(w_i) \ge f(\frac1n\sum_i w_i)",
)
def jensen_display() -> Verdict:
    return _for_all_points(lambda a, w: _jensen_gap(a, w) >= -CLOSE)


@LEDGER.claim(
    "Proposition A.5, proof: equality condition",
    r"the equality condition of (A.19) is simplified as w_i = c for all i",
)
def jensen_equality_in_proof(printed: Condition = all_equal) -> Verdict:
    return jensen_equality(printed).with_note(EQUAL_AFTER_SHIFT + "; (A.19) here stands for (A.18)")
