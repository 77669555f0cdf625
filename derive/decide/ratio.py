"""Quotients of polynomials that keep their denominators factored and never take a gcd.

Deciding "zero or not" and "which sign" needs a numerator and the factors below it, not
lowest terms; leaving the gcd out is what makes the checks quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from math import prod
from operator import add, mul
from typing import Any

from flint import fmpq
from sympy import Expr, Rational

from .polynomial import ONE, Poly, Quotient, Ring


class NotRational(ValueError):
    """The expression is not a rational function of the ring's generators."""


class Ratio:
    """``numer / prod(factor**power)``."""

    __slots__ = ("denom", "numer")

    def __init__(self, numer: Poly, denom: dict[Poly, int]):
        self.numer = numer
        self.denom = denom

    def __add__(self, other: Ratio) -> Ratio:
        if not self.numer:
            return other
        if not other.numer:
            return self
        if self.denom == other.denom:
            return Ratio(self.numer + other.numer, self.denom)
        common = common_denominator([self, other])
        return Ratio(self.over(common) + other.over(common), common)

    def over(self, common: Mapping[Poly, int]) -> Poly:
        """The numerator over a common denominator."""
        numer = self.numer
        for f, k in common.items():
            missing = k - self.denom.get(f, 0)
            if missing:
                numer = numer * f**missing
        return numer

    def __mul__(self, other: Ratio) -> Ratio:
        a, b = _without(self.numer, other.denom), _without(other.numer, self.denom)
        denom = dict(b[1])
        for f, k in a[1].items():
            denom[f] = denom.get(f, 0) + k
        return Ratio(a[0] * b[0], {f: k for f, k in denom.items() if k})

    def inverse(self) -> Ratio:
        """1 / self.

        Raises
        ------
        NotRational
            If it is zero.
        """
        if not self.numer:
            raise NotRational("division by zero")
        content, factors = _split(self.numer)
        return Ratio(self.below.times(ONE / content), factors)

    def power(self, k: int) -> Ratio:
        """Integer power."""
        base = self if k >= 0 else self.inverse()
        k = abs(k)
        return Ratio(base.numer**k, {f: e * k for f, e in base.denom.items()})

    def cancelled(self) -> Quotient:
        """The element of the fraction field, in lowest terms."""
        return Quotient(self.numer, self.below)

    @property
    def below(self) -> Poly:
        """The denominator, multiplied out."""
        return prod((f**k for f, k in self.denom.items()), start=self.numer.ring.one)


def common_denominator(ratios: Iterable[Ratio]) -> dict[Poly, int]:
    """The factors below any of several, each as often as in the one with most of it."""
    common: dict[Poly, int] = {}
    for ratio in ratios:
        for f, k in ratio.denom.items():
            common[f] = max(common.get(f, 0), k)
    return common


def _without(numer: Poly, denom: Mapping[Poly, int]) -> tuple[Poly, dict[Poly, int]]:
    """Cancel what is plainly common: an equal factor, or powers of a generator."""
    left = dict(denom)
    for f, k in denom.items():
        if numer == f:
            numer = numer.ring.one
            left[f] = k - 1
        elif len(f) == 1 and numer:
            (monom,) = f.monoms()
            i = monom.index(1)
            shared = min(numer.lowest(i), k)
            if shared:
                numer = numer.over(f**shared)
                left[f] = k - shared
    return numer, {f: k for f, k in left.items() if k}


def _split(poly: Poly) -> tuple[Any, dict[Poly, int]]:
    """Content (with the sign), and the primitive part; a monomial becomes its generators."""
    if len(poly) == 1:
        ((monom, c),) = poly.terms()
        return c, {g: k for g, k in zip(poly.ring.gens, monom, strict=True) if k}
    content, _ = poly.primitive()
    if poly.leading < 0:
        content = -content
    return content, {poly.times(ONE / content): 1}


def reader(ring: Ring, names: Mapping[Expr, Expr] | None = None) -> _Reader:
    """A function that brings SymPy expressions into a ring, remembering common parts.

    ``names`` says what some parts are in terms of the ring's symbols.
    """
    read = _Reader(ring)
    read.known |= {e: read(meaning) for e, meaning in (names or {}).items()}
    return read


class _Reader:
    def __init__(self, ring: Ring):
        self.ring = ring
        self.known: dict[Expr, Ratio] = {
            s: Ratio(g, {}) for s, g in zip(ring.symbols, ring.gens, strict=True)
        }

    def __call__(self, e: Expr) -> Ratio:
        found = self.known.get(e)
        if found is None:
            found = self.known[e] = self._read(e)
        return found

    def _read(self, e: Expr) -> Ratio:
        if isinstance(e, Rational) and e.is_finite:
            return Ratio(self.ring.number(fmpq(e.p, e.q)), {})
        if e.is_Add:
            return reduce(add, map(self, e.args))
        if e.is_Mul:
            return reduce(mul, map(self, e.args))
        if e.is_Pow and e.exp.is_Integer:
            return self(e.base).power(int(e.exp))
        raise NotRational(f"{e} is not rational")
