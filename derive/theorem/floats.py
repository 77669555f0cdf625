"""Numpy functions that know how exact they are. Needs numpy only.

A formula is evaluated in numbers that carry a bound on their rounding error: first in float64
(Fast); where that is not enough, with twice the digits and an exponent of any size (Wide). A value
is within a relative TOLERANCE of the exact one at the floats that are given, or 0 where all that is
known is that it is at most FLOOR. Elsewhere it is nan, and a RuntimeWarning says so.
"""

from __future__ import annotations

import warnings
from decimal import Decimal, localcontext
from functools import wraps
from inspect import signature
from math import prod
from typing import Any

import numpy as np

#: How exact a value is, relatively, or absolutely.
TOLERANCE, FLOOR = 1e-9, 1e-28
#: Twice the largest relative error of one operation.
U = 2.0**-52
#: An error that is not worth following point by point; how many points are taken together.
SMALL, BLOCK, FEW = 1e-12, 2**16, 2**12
#: How many terms of a mean are taken together.
TOGETHER = 2**18


class Number:
    """What both kinds of numbers share; they mix with integers and with floats that are exact."""

    @classmethod
    def value(cls: Any, x: Any) -> tuple[Any, Any]:
        """What came out as floats or truths, and where it is right."""
        return (x.yes, x.sure) if isinstance(x, Truth) else cls.lift(x).known()

    def __array_ufunc__(self: Any, ufunc: Any, method: str, *x: Any) -> Any:
        """What np.exp(number) and the like are: a method of that name."""
        own = getattr(self.lift(x[0]), ufunc.__name__, None)
        return own(*x[1:]) if own and method == "__call__" else NotImplemented

    def __radd__(self: Any, other: Any) -> Any:
        return self + other

    def __sub__(self: Any, other: Any) -> Any:
        return self + -other

    def __rsub__(self: Any, other: Any) -> Any:
        return -self + other

    def __rmul__(self: Any, other: Any) -> Any:
        return self * other

    def __rtruediv__(self: Any, other: Any) -> Any:
        return self.lift(other) / self

    def __pow__(self: Any, power: Any) -> Any:
        if not isinstance(power, int):
            return self.power(self.lift(power))
        if power <= 0:
            return 1 / self**-power if power else self.lift(1)
        half = self ** (power // 2) if power > 1 else self
        return half if power == 1 else half * half * self if power % 2 else half * half

    def __rpow__(self: Any, base: Any) -> Any:
        if base == -1:
            return self.lift(1 - 2 * (self.value(self)[0] % 2))
        return self.lift(base).power(self)

    def __gt__(self: Any, other: Any) -> Any:
        return (self - other).positive()

    def __lt__(self: Any, other: Any) -> Any:
        return (self.lift(other) - self).positive()

    def __ge__(self: Any, other: Any) -> Any:
        return ~(self < other)

    def __le__(self: Any, other: Any) -> Any:
        return ~(self > other)

    def absolute(self: Any) -> Any:
        return self.maximum(-self)

    def minimum(self: Any, other: Any) -> Any:
        return -(-self).maximum(-self.lift(other))

    def sign(self: Any) -> Any:
        return select(self > 0, 1, select(self < 0, -1, 0 * self))

    def side(self: Any) -> Any:
        """1 or -1, or 0 where it is not known; an exact zero counts as positive."""
        below = (-self).positive()
        return below.sure * np.where(below.yes, -1, 1)


class Truth:
    """Truth values, and where they are known."""

    def __init__(self, yes: Any, sure: Any, kind: Any = None):
        self.yes, self.sure, self.kind = yes, sure, kind

    def __invert__(self) -> Truth:
        return Truth(~self.yes, self.sure, self.kind)

    def __and__(self, other: Truth) -> Truth:
        no = (self.sure & ~self.yes) | (other.sure & ~other.yes)
        return Truth(self.yes & other.yes, no | (self.sure & other.sure), self.kind)

    def __or__(self, other: Truth) -> Truth:
        return ~(~self & ~other)


class Fast(Number):
    """Floats v with an error of at most r |v|; one r for all of them where that is small."""

    def __init__(self, v: Any, r: Any = 0.0):
        self.v, self.r = v, r

    @classmethod
    def lift(cls, v: Any) -> Any:
        """Exact floats."""
        return v if isinstance(v, Number) else cls(v)

    def known(self) -> tuple[Any, Any]:
        return self.v, self.r <= TOLERANCE

    def __neg__(self) -> Fast:
        return type(self)(-self.v, self.r)

    def __add__(self, other: Any) -> Fast:
        w, s = (other.v, other.r) if isinstance(other, Fast) else (other, 0.0)
        v, most = self.v + w, _larger(self.r, s)
        r = most if np.ndim(most) or not most > 0 else most * _growth(self.v, w, v)
        if np.ndim(r) or SMALL < r > most:  # much may cancel
            r = (self.r * np.abs(self.v) + s * np.abs(w)) / np.abs(v)
            most = np.max(r)
            r = most if most < SMALL else r
        return type(self)(v, r + U)

    def __mul__(self, other: Any) -> Fast:
        w, s = (other.v, other.r) if isinstance(other, Fast) else (other, 0.0)
        return type(self)(self.v * w, self.r + s + U)

    def __truediv__(self, other: Any) -> Fast:
        w, s = (other.v, other.r) if isinstance(other, Fast) else (other, 0.0)
        return type(self)(self.v / w, self.r + s + U)

    def power(self, y: Fast) -> Fast:
        return (y * self.log()).exp()

    def exp(self) -> Fast:
        v, most = np.exp(self.v), max(-_least(self.v), _most(self.v))
        if most < 660 and not np.ndim(self.r):
            return type(self)(v, most * self.r + 2 * U)
        size = np.abs(self.v)
        return type(self)(v, np.where(size < 660, size * self.r + 2 * U, np.inf))

    def log(self) -> Fast:
        v = np.log(self.v)
        return type(self)(v, 1.01 * np.where(self.r < 0.01, self.r, np.inf) / np.abs(v) + 2 * U)

    def sqrt(self) -> Fast:
        return type(self)(np.sqrt(self.v), self.r + U)

    def positive(self) -> Truth:
        """Whether it is, and where that is known: errors are relative."""
        return Truth(self.v > 0, np.asarray(self.r < 0.5), type(self))

    def pick(self, here: Any, other: Any) -> Fast:
        """This number where that is so, the other one elsewhere."""
        y = self.lift(other)
        r = np.where(here.yes, self.r, y.r)
        return type(self)(np.where(here.yes, self.v, y.v), np.where(here.sure, r, np.inf))

    def maximum(self, other: Any) -> Fast:
        y = self.lift(other)
        return type(self)(np.maximum(self.v, y.v), np.maximum(self.r, y.r))

    def rounded(self) -> tuple[Any, Any]:
        """Floats, and the relative error that they have."""
        return self.v, self.r

    @classmethod
    def near(cls, v: Any, e: Any) -> Fast:
        """Floats with an error of at most e."""
        return cls(v, e / np.abs(v))

    def root(self, condition: Any, high: Any, args: Any, shape: Any, flat: bool) -> Fast:
        """Between this end and a higher one: found in floats, then put back on both sides."""
        ends = (self, self.lift(high))
        with np.errstate(all="ignore"):
            a, b = (np.broadcast_to(np.asarray(end.v, float), shape) for end in ends)
            b = np.minimum(b, MOST)
            x = bisected(condition, [x.v if isinstance(x, Fast) else x for x in args], a, b)
        f, at_low, at_high = _closed(condition, args), x == a, x == b
        signs: Any = np.where(at_low, 1, -1), np.where(at_high & ~at_low, -1, 1)
        r: Any = np.inf
        for near in NEAR:
            d = near * np.abs(x)
            sides = (np.where(at_low, a, np.clip(to, a, b)) for to in (x - d, x + d))
            seen = [f(self.lift(to)).side() == sign for to, sign in zip(sides, signs, strict=True)]
            r = np.where(seen[0] & seen[1] & np.isinf(r), near + self.r + ends[1].r, r)
            if np.isfinite(r).all():
                break
        return type(self)(x, r)


class Careful(Fast):
    """The same where a product may be too large or too small for a float: each is looked at.

    Of the others a flag of the processor tells.
    """

    def __init__(self, v: Any, r: Any = 0.0):
        r = np.where(np.abs(np.log(np.abs(v))) < 660, r, np.where(r == 0, r, np.inf))
        super().__init__(v, r)


class Wide(Number):
    """Numbers (h + l) 2**k with an error of at most e 2**k, where 1/2 <= |h| < 1.

    Zero and infinity are exact where e = 0; where e = oo, an infinity has no sign that is known.
    """

    def __init__(self, h: Any, l: Any = 0.0, k: Any = 0.0, e: Any = 0.0):  # noqa: E741
        h, low = _two_sum(np.asarray(h, float), l)
        self.h, d = np.frexp(h)
        self.l, self.e = np.ldexp(low, -d), np.ldexp(e, -d)
        self.k = np.where((h == 0) & (e == 0), FAR, np.where(np.isinf(h), -FAR, k + d))

    @classmethod
    def lift(cls, v: Any) -> Wide:
        """Exact floats."""
        return v if isinstance(v, cls) else cls(v)

    def known(self) -> tuple[Any, Any]:
        v, most = (np.ldexp(x, _whole(self.k)) for x in (self.h + self.l, np.abs(self.h) + self.e))
        right = (self.e <= TOLERANCE * np.abs(self.h)) & np.isfinite(self.e)
        right &= np.isfinite(v) | np.isinf(self.h)
        nothing = ~right & (most <= FLOOR)
        return np.where(nothing, 0.0, v), right | nothing

    def __neg__(self) -> Wide:
        return Wide(-self.h, -self.l, self.k, self.e)

    def at(self, k: Any) -> tuple[Any, Any, Any]:
        """Its parts in units of 2**k."""
        d = _whole(self.k - k)
        under = ((self.h != 0) | (self.e != 0)) & ((d < -900) | ((self.l != 0) & (d < 0)))
        e = np.ldexp(self.e, d) + 2.0**-1000 * under
        return np.ldexp(self.h, d), np.ldexp(self.l, d), e

    def __add__(self, other: Any) -> Wide:
        y = self.lift(other)
        k = np.maximum(self.k, y.k)
        (h1, l1, e1), (h2, l2, e2) = self.at(k), y.at(k)
        s, t = _two_sum(h1, h2)
        low, more = _two_sum(l1, l2)
        low, rest = _two_sum(t, low)
        return Wide(s, low, k, e1 + e2 + np.abs(more) + np.abs(rest))

    def __mul__(self, other: Any) -> Wide:
        y = self.lift(other)
        p, q = _two_product(self.h, y.h)
        one, two = self.h * y.l, self.l * y.h
        low = q + (one + two)
        e = 1.01 * (self.e * np.abs(y.h) + y.e * np.abs(self.h)) + self.e * y.e
        e = e + np.abs(self.l * y.l) + 2 * U * (np.abs(one) + np.abs(two) + np.abs(q))
        far, signed = np.isinf(p), self.positive().sure & y.positive().sure
        apart = (np.abs(self.h) >= self.e) & (np.abs(y.h) >= y.e)
        p, low = np.where(far & ~apart, np.nan, p), np.where(far, 0.0, low)
        return Wide(p, low, self.k + y.k, np.where(far, np.where(signed, 0.0, np.inf), e))

    def __truediv__(self, other: Any) -> Wide:
        y = self.lift(other)
        q, size = self.h / y.h, np.abs(y.h)
        p, rest = _two_product(q, y.h)
        more = q * y.l
        r = ((self.h - p) - rest) + (self.l - more)
        low = r / y.h
        e = U * (np.abs(self.l) + np.abs(more) + np.abs(r)) + np.abs(low * y.l)
        e = 1.5 * (e + self.e + 1.5 * np.abs(q) * y.e) / size
        found = Wide(q, low, self.k - y.k, np.where(y.e < size / 4, e, np.inf))
        over = np.where(y.h == 0, np.inf, 0.0)
        special = Truth(((y.h == 0) & (y.e == 0)) | np.isinf(y.h), np.True_)
        return (self * Wide(over, 0.0, 0.0, over)).pick(special, found)

    def power(self, y: Wide) -> Wide:
        found = (y * self.log()).exp()
        flat = np.where(y.h > 0, 0.0, np.where(y.h < 0, np.inf, 1.0))
        return Wide(flat).pick(Truth((self.h == 0) & (self.e == 0), np.True_), found)

    def exp(self) -> Wide:
        h, low, e = self.at(0.0)
        n = np.rint(h / LOG_2[0])
        far = ~(np.abs(n) < 2.0**40)
        h, low, m = (np.where(far, 0, part) for part in (h, low, n))
        (p, q), w = _two_product(m, LOG_2[0]), m * LOG_2[1]
        s, t = _two_sum(h, -p)
        lost = e + 2 * U * (np.abs(t) + np.abs(q) + np.abs(low) + np.abs(w)) + np.abs(m) * 2.0**-105
        s, y = _two_sum(s, t - q + low - w)
        j = np.rint(s * STEPS)
        x, more = _two_sum(s, -j / STEPS)
        y = y + more
        tail = x**4 / 24 * (y + x / 5 * (1 + x / 6 * (1 + x / 7 * (1 + x / 8 * (1 + x / 9)))))
        rest = Wide(tail, 0.0, 0.0, 20 * U * np.abs(tail) + np.abs(x**5 * y) + x**10 / 10**6)
        lost = 1.1 * lost + 4 * U * np.abs(y)
        part = Wide(x, y, 0.0, np.where(far | ~(lost < 0.1), np.inf, lost))
        less_one = (((part + 4) * part + 12) * part + 24) * part / 24 + rest
        at = np.clip(j + STEPS // 2, 0, STEPS).astype(int)
        found = (less_one + 1) * Wide(TABLE[0][at], TABLE[1][at], 0, 2.0**-105 * (j != 0))
        found.k = found.k + n
        below = Truth(far & (self.h < 0) & self.positive().sure, True)
        return Wide(0.0, 0.0, -(2.0**40), 1.0).pick(below, found)

    def log(self) -> Wide:
        small = self.h < 0.7071
        h, low, e = ((1.0 + small) * part for part in (self.h, self.l, self.e))
        y = np.where(h > 0, np.log(h), np.nan)
        h, low, e = (Wide(h, low, 0, e) * Wide(-y).exp() - 1).at(0.0)
        near = np.log1p(h)
        e = np.where(e < 0.1, 2 * e, np.inf) + 4 * U * np.abs(near)
        return Wide(near, 0, 0, e) + Wide(y) + Wide(self.k - small) * Wide(*LOG_2, 0, 2.0**-105)

    def sqrt(self) -> Wide:
        odd = self.k % 2
        h, low, e = ((1 + odd) * part for part in (self.h, self.l, self.e))
        h = np.where((h < 0) & (-h <= e), 0, h)
        y = np.sqrt(h)
        p, q = _two_product(y, y)
        r = ((h - p) - q) + low
        low = np.where((y > 0) & (y < np.inf), r / (2 * y), 0)
        lost = np.where(e < h / 2, e / y, np.sqrt(2 * e))
        e = np.where(y > 0, low * low, 0) + 4 * U * np.abs(low) + lost
        return Wide(y, low, (self.k - odd) / 2, np.where(np.isinf(y), 0, e))

    def positive(self) -> Truth:
        """Whether it is, and where that is known."""
        return Truth(self.h > 0, (np.abs(self.h) >= 1.01 * self.e) & np.isfinite(self.e), Wide)

    def pick(self, here: Any, other: Any) -> Wide:
        """This number where that is so, the other one elsewhere."""
        y = self.lift(other)
        found = Wide(0.0)
        for part in "hlke":
            setattr(found, part, np.where(here.yes, getattr(self, part), getattr(y, part)))
        found.e = np.where(here.sure, found.e, np.inf)
        return found

    def maximum(self, other: Any) -> Wide:
        y = self.lift(other)
        k, more = np.maximum(self.k, y.k), (self - y).positive()
        either = np.where(more.sure, 0.0, self.at(k)[2] + y.at(k)[2])
        return self.pick(Truth(more.yes, np.True_), y) + Wide(0.0, 0.0, k, either)

    def rounded(self) -> tuple[Any, Any]:
        """Floats, and the relative error that they have."""
        return np.ldexp(self.h + self.l, _whole(self.k)), self.e / np.abs(self.h) + U

    @classmethod
    def near(cls, v: Any, e: Any) -> Wide:
        """Floats with an error of at most e."""
        return cls(v, 0.0, 0.0, e)

    def root(self, condition: Any, high: Any, args: Any, shape: Any, flat: bool) -> Wide:
        """Between this end and a higher one: by bisection and chords, put back on both sides.

        A function that may be flat is zero where it is not told from zero.
        """
        high, f = self.lift(high), _closed(condition, args)
        ends = (np.broadcast_to(self.value(end)[0], shape) for end in (self, high))
        a, b = (np.clip(end, -MOST, MOST) for end in ends)

        def below(x: Wide) -> Any:
            return f(x).side() < 0 if flat else f(x).h < 0

        def reached(v: Wide) -> Any:
            return v.side() >= 0 if flat else v.side() > 0

        at_low = f(self).h >= 0
        at_high = ~at_low & (below(high) if flat else f(high).h <= 0)
        x = bisected(condition, [self.value(v)[0] for v in args], a, b)
        x = np.where((x > a) & (x < b), x, b)
        i, j = _in_order(x * (1 - 2.0**-30)), _in_order(x * (1 + 2.0**-30))
        near = below(Wide(_floats(i))) & (f(Wide(_floats(j))).h > 0)
        i, j = np.where(near, i, _in_order(a)), np.where(near, j, _in_order(b))
        while (j - i > (1 if flat else 2**23)).any():
            i, j = _halved(i, j, lambda x: below(Wide(x)))
        p, q = Wide(_floats(i)), Wide(_floats(j))
        found, margin = q, Wide((q - p).h, 0.0, (q - p).k) if flat else Wide(np.inf)
        for _ in range(0 if flat else 7):
            at_p, at_q = f(p), f(q)
            left = (at_p.side() < 0) | ((p - self).h <= 0)
            seen = Truth(left & (reached(at_q) | ((q - high).h >= 0)), True)
            t = self.value(at_p / (at_p - at_q))[0]
            x = p + (q - p) * np.where(np.isnan(t), 0.5, np.clip(t, 0, 1))
            found, margin = x.pick(seen, found), (q - p).pick(seen, margin)
            w = (q - p) * np.where(seen.yes, 2.0**-20, 2.0**10)
            p, q = x - w, x + w
        for w in (2.0**-40, 2.0**-60, 2.0**-80):  # a tie at the lower end, which may be 0
            tied = Truth((f(self + w).side() > 0) & ((margin - w).h > 0), True)
            found, margin = self.pick(tied, found), Wide(w).pick(tied, margin)
        end = self.pick(Truth(at_low, True), high)
        at_end = f(end)
        known = (at_low & reached(at_end)) | (at_high & ~(at_end.h > 0) & (at_end.side() != 0))
        around = Wide(0.0, 0.0, margin.k, np.abs(margin.h))
        return end.pick(Truth(known, True), Wide(found.h, found.l, found.k) + around)


FAR, MOST, NEAR, STEPS = -1e305, np.finfo(float).max, (2.0**-42, 2.0**-34), 256


def _digits(value: Decimal) -> tuple[float, float]:
    """A number as the sum of two floats."""
    return float(value), float(value - Decimal(float(value)))


with localcontext() as _context:
    _context.prec = 50
    LOG_2 = _digits(Decimal(2).ln())
    TABLE = np.array(
        [_digits((Decimal(j) / STEPS).exp()) for j in range(-STEPS // 2, STEPS // 2 + 1)]
    ).T


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """A sum and its rounding error."""
    s = a + b
    t = s - a
    return s, np.where(np.isfinite(s), (a - (s - t)) + (b - t), 0)


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """A product and its rounding error."""
    p = a * b
    (c, d), (e, f) = ((h, v - h) for v in (a, b) for h in [v * 134217729.0 - (v * 134217729.0 - v)])
    return p, ((c * e - p) + c * f + d * e) + d * f


def _larger(one: Any, other: Any) -> Any:
    """The larger of two bounds, nan if one of them is."""
    if isinstance(one, float) and isinstance(other, float):
        return one if one >= other else other if other > one else np.nan
    return np.maximum(one, other)


def _growth(x: Any, y: Any, v: Any) -> Any:
    """At most how much larger relative errors are in a sum v than in what is added."""
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        same = (_least(x) >= 0 and _least(y) >= 0) or (_most(x) <= 0 and _most(y) <= 0)
        return 1 if same else np.inf
    fixed, near = abs(y if isinstance(x, np.ndarray) else x), _least(v)
    near = near if near > 0 else -_most(v)
    return 1 + 2 * fixed / near if near > 0 else np.inf


def _least(x: Any) -> Any:
    return x.min() if isinstance(x, np.ndarray) else x


def _most(x: Any) -> Any:
    return x.max() if isinstance(x, np.ndarray) else x


def _whole(k: Any) -> Any:
    return np.clip(np.nan_to_num(k), -5000, 5000).astype(np.int32)


def _in_order(x: Any) -> Any:
    """Floats as integers of the same order."""
    i = (x + 0.0).view(np.int64)
    return np.where(i < 0, i ^ np.int64(2**63 - 1), i)


def _floats(i: Any) -> Any:
    return np.where(i < 0, i ^ np.int64(2**63 - 1), i).view(float)


def _closed(condition: Any, args: Any) -> Any:
    return lambda x: condition(x, *args)


def _halved(i: Any, j: Any, below: Any) -> tuple[Any, Any]:
    middle = (i >> 1) + (j >> 1) + (i & j & 1)
    under = below(_floats(middle))
    return np.where(under, middle, i), np.where(under, j, middle)


def bisected(condition: Any, args: Any, a: Any, b: Any) -> Any:
    """The first float between two that is not below the root of a function, or the higher one."""
    i, j = _in_order(a), _in_order(b)
    for _ in range(64):
        i, j = _halved(i, j, lambda x: condition(x, *args) < 0)
    return _floats(j)


# --- what formulas are written in, beside numpy ---------------------------------------------------
def every(*tests: Any) -> Any:
    """Whether all tests hold; a test of one number is not made an array."""
    found = True
    for test in tests:
        if np.ndim(test):
            found = test if found is True else found & test
        elif not test:
            return False
    return found


def same(x: Any, y: Any) -> Any:
    """Whether they are equal, but for the rounding of one of them."""
    return np.abs(x - y) <= 1e-15 * np.abs(y)


def select(where: Any, here: Any, other: Any) -> Any:
    """One number where that is so, another one elsewhere."""
    if isinstance(where, Truth):
        return where.kind.lift(here).pick(where, other)
    return np.where(where, here, other)


def number(value: int, like: Any) -> Any:
    """An integer as a number of the same kind."""
    return getattr(like, "lift", float)(value)


def clamped_root(condition: Any, low: Any, high: Any, *args: Any, flat: bool = False) -> Any:
    """Zero of a function that crosses from below, clamped to the ends.

    It is the first one of a function that may be flat; else one at the far end is the only one.
    """
    kind: Any = next(type(x) for x in (low, high, *args) if isinstance(x, Number))
    shapes = (
        np.shape(next(iter(vars(x).values()))) for x in (low, high, *args) if isinstance(x, kind)
    )
    return kind.lift(low).root(condition, high, args, np.broadcast_shapes(*shapes), flat)


def mean_of_draws(
    f: Any, marked: Any, drawn: Any, total: Any, low: float, high: float, like: Any
) -> Any:
    """Mean of f(K) for K marked ones among those drawn, where K outside of [low, high] adds 0.

    Probabilities are followed from the least K on, up to a factor; many K are taken together.
    """
    kind = type(like)
    m, d, n = (kind.value(kind.lift(e))[0] for e in (marked, drawn, total))
    m, d, n = np.broadcast_arrays(*map(np.atleast_1d, (m, d, n)))
    first, last = np.maximum(d + m - n, 0.0), np.minimum(m, d)
    many = int(np.max(last - first, initial=0.0)) + 1
    together = max(1, min(many, TOGETHER // first.size))
    weight = _full(kind.lift(1.0), (1, first.size))
    whole, found = kind.lift(0.0), kind.lift(0.0)
    for start in range(0, many, together):
        k = first + np.arange(start, min(start + together, many))[:, None]
        up, down = (m - k) * (d - k), (k + 1) * (n - m - d + 1 + k)
        scanned = _products(_stacked(weight, _full(kind.lift(up) / kind.lift(down), k.shape)))
        here, weight = _taken(scanned, slice(0, -1)), _taken(scanned, slice(-1, None))
        here = select(Truth(k <= last, np.True_, kind), here, 0.0 * k)
        counts = Truth((k <= last) & (k >= low) & (k <= high), np.True_, kind)
        whole = whole + _total(_full(here, k.shape))
        values = select(counts, here * f(kind.lift(k)), 0.0 * k)
        shapes = (np.shape(v) for v in vars(values).values())
        found = found + _total(_full(values, np.broadcast_shapes(k.shape, *shapes)))
    return found / whole


def _full(x: Any, shape: tuple[int, ...]) -> Any:
    """A number all parts of which have a shape."""
    found = object.__new__(type(x))
    vars(found).update({name: np.broadcast_to(v, shape) for name, v in vars(x).items()})
    return found


def _taken(x: Any, rows: Any) -> Any:
    """Some rows of a number."""
    found = object.__new__(type(x))
    vars(found).update({name: v[rows] for name, v in vars(x).items()})
    return found


def _stacked(x: Any, y: Any) -> Any:
    """Rows after rows."""
    found = object.__new__(type(x))
    vars(found).update({k: np.concatenate((v, vars(y)[k])) for k, v in vars(x).items()})
    return found


def _products(x: Any) -> Any:
    """Of each row and all before it."""
    rows, width = next(iter(vars(x).values())).shape
    step = 1
    while step < rows:
        later = _taken(x, slice(step, None)) * _taken(x, slice(0, -step))
        x = _stacked(_taken(x, slice(0, step)), _full(later, (rows - step, width)))
        step *= 2
    return x


def _total(x: Any) -> Any:
    """The sum of all rows."""
    rows, width = next(iter(vars(x).values())).shape
    while rows > 1:
        half = rows // 2
        both = _taken(x, slice(0, half)) + _taken(x, slice(half, 2 * half))
        x = _stacked(_full(both, (half, width)), _taken(x, slice(2 * half, None)))
        rows -= half
    return _taken(x, 0)


def log_0f1(b: Any, z: Any) -> Any:
    """log 0F1(; b; z) for b = 1/2 or b >= 1, and z >= 0, within 2**-46 (1 + k), where z = k**2/4.

    It is log E exp(k x) with x = tanh(s) of density sech(s)**n, n = 2 b - 1: the trapezoidal rule
    around the largest value, with s = sinh(u)/sqrt(n) beside it, converges geometrically.
    """
    like: Any = type(z if isinstance(z, Number) else b)
    (b, r), (z, more) = (like.lift(v).rounded() for v in (b, z))
    n, k = np.maximum(2 * b - 1, 1), 2 * np.sqrt(z)
    with np.errstate(all="ignore"):
        sizes, each = np.unique(n, return_inverse=True)
        found = k + _log_mean(n, k) - _log_mean(sizes, 0.0)[each.reshape(np.shape(n))]
        found = np.where(b == 0.5, k + np.log1p(np.exp(-2 * k)) - np.log(2), found)
        known = ((b == 0.5) | (b >= 1)) & (b < 1e9) & (k < 1e7)
        # Relative changes of b or z change the value by at most k/2 times as much.
        return like.near(found, np.where(known, 2.0**-46 * (1 + k) + k / 2 * (r + more), np.inf))


def _log_mean(n: Any, k: Any) -> Any:
    """The logarithm of the integral of exp(k (tanh(s) - 1)) sech(s)**n, times sqrt(n)."""

    def exponent(s: Any) -> Any:
        m = np.expm1(2 * np.minimum(np.abs(s), 300))
        return -2 * k * np.where(s < 0, m + 1, 1) / (m + 2) - n / 2 * np.log1p(m * m / (m + 1) / 4)

    root = np.hypot(n, 2 * k)
    middle = np.log1p(2 * k / (n + root)) + np.log((n + root) / n / 2) / 2
    total, most = 0.0, exponent(middle)
    for u in np.linspace(-4.25, 4.25, 101):
        total += np.cosh(u) * np.exp(exponent(middle + np.sinh(u) / np.sqrt(n)) - most)
    return most + np.log(total)


def checked(formula: Any, inside: Any = None, shape: tuple[int, ...] = ()) -> Any:
    """Make a formula a vectorised function of floats, which is nan where they are not inside."""
    names = list(signature(formula).parameters)

    @wraps(formula)
    def function(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        if len(args) > len(names) or set(given) != set(names):
            said = f"{formula.__name__} takes {', '.join(names)}, not {', '.join(given)}"
            raise TypeError(said)
        arrays = [np.asarray(given[name], float) for name in names]
        whole = np.broadcast_shapes(*(v.shape for v in arrays))
        n = prod(whole)
        rows = [
            v[()] if v.ndim == 0 and n != 1 else np.broadcast_to(v, whole).reshape(-1)
            for v in arrays
        ]
        with np.errstate(all="ignore"):
            values, lost = _evaluated(formula, inside, rows, n, shape)
        if lost:
            said = f"{lost} of {n} points, where float64 is not enough for {TOLERANCE}"
            warnings.warn(f"{formula.__name__} is nan at {said}", RuntimeWarning, 2)
        return values.reshape(whole + shape)[()]

    return function


def _evaluated(formula: Any, inside: Any, rows: list[Any], n: int, shape: Any) -> tuple[Any, int]:
    """The values, nan where they are not known or not meant, and how many are not known."""
    values, unknown, truths = np.empty((n, *shape)), [np.zeros(0, int)], False
    points: Any
    for k in range(0, n, BLOCK):
        at, size = slice(k, k + BLOCK), min(BLOCK, n - k)
        part, points = _rows(rows, at), at
        held = inside is None or inside(*part)
        kept = int(np.count_nonzero(held)) if np.ndim(held) else size * bool(held)
        if kept < size:
            points = k + np.flatnonzero(np.broadcast_to(held, size))
            part, size, values[at] = _rows(rows, points), kept, np.nan
        if not size:
            continue
        try:
            with np.errstate(all="raise"):
                found, known = _in(Fast, formula, part, size, shape)
        except FloatingPointError:
            found, known = _in(Careful, formula, part, size, shape)
        values[points], truths = found, found.dtype == bool
        if known is not True:
            unknown.append((k + np.arange(size) if points is at else points)[~known])
    again, lost = np.concatenate(unknown), 0
    for k in range(0, again.size, FEW):
        some = again[k : k + FEW]
        found, known = _in(Wide, formula, _rows(rows, some), some.size, shape)
        values[some] = found
        poles = np.isinf(found) & ~known if not shape else np.zeros(some.size, bool)
        if poles.any():
            places = some[poles]
            values[places] = np.inf * _beside(formula, inside, _rows(rows, places), places.size)
        left = some[~(known | poles)]
        values[left] = np.nan
        lost += left.size
    whole = truths and not np.isnan(values).any()
    return values.astype(bool) if whole else values, lost


def _beside(formula: Any, inside: Any, rows: list[Any], n: int) -> Any:
    """The sign next to points where there is no value, nan if it is not the same inside."""
    signs, count = np.zeros((2, n))
    for k, v in enumerate(rows):
        for end in (-np.inf, np.inf):
            moved = [*rows[:k], np.nextafter(v, end), *rows[k + 1 :]]
            held = np.broadcast_to(inside is None or inside(*moved), n)
            signs += held * Wide.lift(formula(*map(Wide.lift, moved))).side()
            count += held
    return np.where((np.abs(signs) == count) & (count > 0), np.sign(signs), np.nan)


def _in(kind: Any, formula: Any, rows: list[Any], n: int, shape: Any) -> tuple[Any, Any]:
    """The values in one kind of numbers, and where all of them are right."""
    found = formula(*map(kind.lift, rows))
    entries = [kind.value(e) for e in (found if isinstance(found, list) else [found])]
    whole = np.asarray(entries[0][0])
    if shape or whole.shape != (n,):
        whole = np.stack([np.broadcast_to(v, n) for v, _ in entries], -1).reshape(n, *shape)
    if all(np.ndim(known) == 0 and known for _, known in entries):
        return whole, True
    return whole, np.logical_and.reduce([np.broadcast_to(known, n) for _, known in entries])


def _rows(rows: list[Any], at: Any) -> list[Any]:
    return [v if np.ndim(v) == 0 else v[at] for v in rows]
