"""Polynomials over Q in a few SymPy symbols, by FLINT.

A ring is a list of symbols; what FLINT works with has as many generators and no names, so a
ring costs nothing to make. Terms are ordered lexically, the first symbol first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import gcd, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from sympy import Add, Expr, Mul, Pow, Rational, Symbol

from .product import over

Monomial = tuple[int, ...]
ONE = fmpq(1)


def to_sympy(number: Any) -> Rational:
    """A rational number of FLINT (or an int) as one of SymPy."""
    return Rational(int(number.numerator), int(number.denominator))


@cache
def _context(size: int) -> Any:
    return fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(size)), Ordering.lex)


class Ring:
    """Polynomials in some symbols, in this order."""

    __slots__ = ("context", "gens", "one", "symbols", "zero")

    def __init__(self, symbols: Iterable[Symbol]):
        self.symbols: tuple[Symbol, ...] = tuple(symbols)
        self.context = _context(len(self.symbols))
        self.gens = tuple(Poly(self, g) for g in self.context.gens())
        self.one, self.zero = self.number(1), self.number(0)

    def number(self, value: Any) -> Poly:
        """A constant."""
        return Poly(self, self.context.constant(value))

    def from_dict(self, terms: Mapping[Monomial, Any]) -> Poly:
        """``{exponents: coefficient}`` as a polynomial."""
        return Poly(self, self.context.from_dict(dict(terms)))


class Poly:
    """A polynomial of a ring; it is not changed once it is made."""

    __slots__ = ("_inner", "ring")

    def __init__(self, ring: Ring, inner: fmpq_mpoly):
        self.ring, self._inner = ring, inner

    # --- arithmetic -----------------------------------------------------------------
    def __add__(self, other: Poly) -> Poly:
        return Poly(self.ring, self._inner + other._inner)

    def __sub__(self, other: Poly) -> Poly:
        return Poly(self.ring, self._inner - other._inner)

    def __mul__(self, other: Poly) -> Poly:
        return Poly(self.ring, self._inner * other._inner)

    def __neg__(self) -> Poly:
        return Poly(self.ring, -self._inner)

    def __pow__(self, power: int) -> Poly:
        return Poly(self.ring, self._inner**power)

    def times(self, number: Any) -> Poly:
        """The same times a number."""
        return Poly(self.ring, self._inner * number)

    def over(self, divisor: Poly) -> Poly:
        """The quotient by a divisor without rest."""
        return Poly(self.ring, self._inner / divisor._inner)

    def gcd(self, other: Poly) -> Poly:
        """The greatest common divisor, up to a number."""
        return Poly(self.ring, self._inner.gcd(other._inner))

    def diff(self, index: int) -> Poly:
        """The derivative in the generator with this index."""
        return Poly(self.ring, self._inner.derivative(index))

    def composed(self, images: Sequence[Poly], ring: Ring) -> Poly:
        """With an element of a ring put in for each generator."""
        inner = (image._inner for image in images)
        return Poly(ring, self._inner.compose(*inner, ctx=ring.context))

    # --- comparing --------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and bool(self._inner == other._inner)

    def __hash__(self) -> int:  # there are few in a dictionary
        return hash((len(self._inner), self._inner.total_degree()))

    def __bool__(self) -> bool:
        return bool(self._inner)

    # --- looking inside -----------------------------------------------------------------
    def __len__(self) -> int:
        return len(self._inner)

    def terms(self) -> list[tuple[Monomial, Any]]:
        """Exponents and coefficients, the leading term first."""
        return list(zip(self.monoms(), self._inner.coeffs(), strict=True))

    def monoms(self) -> list[Monomial]:
        """The exponents of each term."""
        return [tuple(map(int, m)) for m in self._inner.monoms()]

    def coeffs(self) -> list[Any]:
        """The coefficient of each term."""
        return list(self._inner.coeffs())

    def degrees(self) -> tuple[int, ...]:
        """The degree in each generator; -1 for zero."""
        return tuple(map(int, self._inner.degrees()))

    def degree(self, index: int) -> int:
        """The degree in the generator with this index; -1 for zero."""
        return self.degrees()[index]

    def lowest(self, index: int) -> int:
        """The lowest power of the generator with this index in any term."""
        return int(min(m[index] for m in self._inner.monoms()))

    def by_powers(self, index: int) -> dict[int, Poly]:
        """The coefficient of each power of the generator with this index."""
        parts: dict[int, dict[Monomial, Any]] = {}
        for monom, c in self.terms():
            parts.setdefault(monom[index], {})[(*monom[:index], 0, *monom[index + 1 :])] = c
        return {k: self.ring.from_dict(part) for k, part in parts.items()}

    @property
    def is_number(self) -> bool:
        """Whether there is no generator in it."""
        return bool(self._inner.is_constant())

    @property
    def leading(self) -> Any:
        """The coefficient of the leading term; 0 for zero."""
        return self._inner.leading_coefficient() if self._inner else fmpq(0)

    def primitive(self) -> tuple[Any, Poly]:
        """The content, which is positive, and what is left: whole numbers without a divisor."""
        coefficients = self._inner.coeffs()
        if not coefficients:
            return fmpq(0), self
        above = gcd(*(int(c.p) for c in coefficients))
        content = fmpq(above, lcm(*(int(c.q) for c in coefficients)))
        return content, self if content == 1 else self.times(ONE / content)

    def factor_list(self) -> tuple[Any, list[tuple[Poly, int]]]:
        """Content, and irreducible factors in whole numbers with a positive leading term.

        In SymPy's order, which is that of formulas that are written as a product.
        """
        content, found = self._inner.factor()
        factors: list[tuple[Poly, int]] = []
        for inner, power in found:
            k = int(power)
            scale, factor = Poly(self.ring, inner).primitive()
            if factor.leading < 0:
                scale, factor = -scale, -factor
            content *= scale**k
            factors.append((factor, k))
        if len(factors) > 1:
            factors.sort(key=_complexity)
        return content, factors

    def as_expr(self) -> Expr:
        """The same in SymPy."""
        symbols = self.ring.symbols
        return Add(
            *(
                Mul(to_sympy(c), *(Pow(s, k) for s, k in zip(symbols, monom, strict=True) if k))
                for monom, c in self.terms()
            )
        )


def _complexity(item: tuple[Poly, int]) -> tuple[int, int, Any]:
    factor, power = item
    dense = _dense(factor.terms(), len(factor.ring.symbols))
    return len(dense), power, dense


def _dense(terms: Sequence[tuple[Monomial, Any]], size: int) -> list[Any]:
    """All coefficients, from the highest power of the first generator down, one list in another."""
    top = max((m[0] for m, _ in terms), default=0)
    rows: list[list[tuple[Monomial, Any]]] = [[] for _ in range(top + 1)]
    for monom, c in terms:
        rows[top - monom[0]].append((monom[1:], c))
    if size == 1:
        return [row[0][1] if row else fmpq(0) for row in rows]
    return [_dense(row, size - 1) if row else _empty(size - 1) for row in rows]


def _empty(size: int) -> list[Any]:
    return [] if size == 1 else [_empty(size - 1)]


class Quotient:
    """A quotient of polynomials in lowest terms, in whole numbers, the divisor led by a plus."""

    __slots__ = ("denom", "numer")

    def __init__(self, numer: Poly, denom: Poly):
        if not denom:
            raise ZeroDivisionError("division by zero")
        if not numer:
            self.numer, self.denom = numer, denom.ring.one
            return
        if not denom.is_number:
            shared = numer.gcd(denom)
            if not shared.is_number:
                numer, denom = numer.over(shared), denom.over(shared)
        (above, numer), (below, denom) = numer.primitive(), denom.primitive()
        content = above / below
        if denom.leading < 0:
            content = -content
            denom = -denom
        self.numer, self.denom = numer.times(content.p), denom.times(content.q)

    def __truediv__(self, other: Quotient) -> Quotient:
        return Quotient(self.numer * other.denom, self.denom * other.numer)

    def as_expr(self) -> Expr:
        """The same in SymPy."""
        return over(self.numer.as_expr(), self.denom.as_expr())
