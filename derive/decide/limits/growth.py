"""How an expression in exp, log and powers behaves far out: Gruntz's algorithm.

D. Gruntz, On Computing Limits in a Symbolic Manipulation System, ETH Zurich, 1996. Functions
f, g -> oo are of one comparability class iff log f / log g has a limit that is neither 0 nor
oo. The most rapidly varying subexpressions of e (:meth:`Growth.fastest`) are of one class.
They are powers of one w -> 0 up to factors of lower classes, so e is a series in w whose
coefficients are of lower classes, and its leading term decides: c w^k tends to 0 for k > 0,
to oo with the sign of c for k < 0, and for k = 0 the limit of c is that of e.

Every sign that this needs is proved on the domain of the parameters, and so is that no leading
coefficient vanishes: what holds for fixed parameters holds for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cmp_to_key, partial

from sympy import Add, Expr, Integer, Mul, Pow, Rational, S, Symbol, exp, factorial, log, oo

from ...frozen import FrozenValue
from ..normal import in_order
from ..product import again, over, times
from ..symbols import symbols_of
from .signs import NoLimit, Signs, neat

#: Numbers of terms that are kept in series, one after the other, while the terms cancel.
TERMS = (1, 2, 4, 8, 16)
#: Series that may be computed for one limit. Those of the results need some hundred.
STEPS = 5000


class _MoreTerms(Exception):
    """Everything that was kept cancels."""


class Series(FrozenValue):
    """Terms (exponent, coefficient) of a series in w, exponents rising.

    All terms with an exponent below ``bound`` are there; without a bound, all terms.
    """

    terms: tuple[tuple[Expr, Expr], ...]
    bound: Expr | None = None


class Growth:
    """Limits and signs of expressions as ``x`` goes to oo."""

    def __init__(self, x: Symbol, sign: Signs):
        self.x, self.sign_of_constant = x, sign
        self.steps = 0
        self._fastest: dict[Expr, frozenset[Expr]] = {}
        self._leading: dict[Expr, tuple[Expr, Expr]] = {}
        self._limits: dict[Expr, Expr] = {}

    # --- what is asked ----------------------------------------------------------------
    def limit(self, e: Expr) -> Expr:
        """The limit, which may be oo or -oo.

        Raises
        ------
        NoLimit
            If a sign that matters is not decided.
        """
        if self.x not in symbols_of(e):
            return e
        if e is self.x:
            return oo
        if e not in self._limits:
            coefficient, exponent = self.leading(e)
            order = self.sign_of_constant(exponent)
            if order < 0:
                self._limits[e] = self.sign(coefficient) * oo
            else:
                self._limits[e] = S.Zero if order > 0 else self.limit(coefficient)
        return self._limits[e]

    def sign(self, e: Expr) -> int:
        """-1, 0 or 1: the sign from some x on (0: identically zero)."""
        while self.x in symbols_of(e):
            if e is self.x or isinstance(e, exp):
                return 1
            if e.is_Mul:
                total = 1
                for a in e.args:
                    total *= self.sign(a)
                return total
            e = self.leading(e)[0]
        return self.sign_of_constant(e)

    def coefficient(self, e: Expr) -> Expr:
        """The constant factor of the leading term; what it multiplies is positive."""
        while self.x in symbols_of(e):
            e = self.leading(e)[0]
        return e

    # --- the algorithm ----------------------------------------------------------------
    def fastest(self, e: Expr) -> frozenset[Expr]:
        """The most rapidly varying subexpressions: exponentials, or x itself."""
        if self.x not in symbols_of(e):
            return frozenset()
        if e not in self._fastest:
            self._fastest[e] = self._find_fastest(e)
        return self._fastest[e]

    def _find_fastest(self, e: Expr) -> frozenset[Expr]:
        if e is self.x:
            return frozenset([e])
        found: frozenset[Expr] = frozenset()
        for a in e.args:
            found = self._faster(found, self.fastest(a))
        if isinstance(e, exp) and self.limit(e.args[0]) in (oo, -oo):
            found = self._faster(frozenset([e]), found)
        return found

    def _faster(self, one: frozenset[Expr], other: frozenset[Expr]) -> frozenset[Expr]:
        if not one or not other or one & other:
            return one | other
        if self.x in one:
            one, other = other, one
        # Without logarithms of x an exponent that grows outgrows some power of x, so log(x).
        if self.x in other and not any(self.x in symbols_of(a) for a in _logs(one)):
            return one
        a, b = (log(self.x) if self.x in f else in_order(f)[0].args[0] for f in (one, other))
        ratio = self.limit(neat(a / b))
        if ratio in (oo, -oo):
            return one
        return one | other if self.sign_of_constant(ratio) else other

    def leading(self, e: Expr) -> tuple[Expr, Expr]:
        """Coefficient c and exponent k of the leading term c w^k, for some w -> 0 from above.

        The coefficient is of a lower class; it may be in a new x, which goes to oo as well.
        """
        if self.x not in symbols_of(e):
            return e, S.Zero
        if e not in self._leading:
            self._leading[e] = self._find_leading(e)
        return self._leading[e]

    def _find_leading(self, e: Expr) -> tuple[Expr, Expr]:
        fastest = self.fastest(e)
        if self.x in fastest:
            return self.leading(_moved_up(e, self.x))
        # One of them has no other inside.
        w = next(f for f in in_order(fastest) if not (f.args[0].atoms(exp) & fastest))
        exponent = w.args[0] if self.limit(w.args[0]) is -oo else -w.args[0]
        for count in TERMS:
            try:
                found = _Expansion(self, exponent, count)(e)
            except _MoreTerms:
                continue
            if found.terms:
                exponent, coefficient = found.terms[0]
                return coefficient, exponent
            if found.bound is None:
                return S.Zero, S.Zero
        raise NoLimit(f"{TERMS[-1]} terms cancel")

    def compare(self, one: Expr, other: Expr) -> int:
        """The order of two exponents."""
        if one == other:
            return 0
        if one.is_Rational and other.is_Rational:
            return -1 if one < other else 1
        return self.sign_of_constant(one - other)

    def step(self) -> None:
        """Count, since there is no other bound on the time."""
        self.steps += 1
        if self.steps > STEPS:
            raise NoLimit("it takes too many steps")


def _moved_up(e: Expr, x: Symbol) -> Expr:
    """The expression at exp(x), with log(exp(a)) = a and else no attempt to evaluate logarithms."""
    if x not in symbols_of(e):
        return e
    if e is x:
        return exp(x)
    args = [_moved_up(a, x) for a in e.args]
    if not isinstance(e, log):
        return again(e, args)
    return args[0].args[0] if isinstance(args[0], exp) else log(args[0], evaluate=False)


def _logs(found: Iterable[Expr]) -> set[Expr]:
    return set().union(*(e.atoms(log) for e in found))


class _Expansion:
    """Series in w = exp(exponent), which is of the fastest class, with some terms kept."""

    def __init__(self, growth: Growth, exponent: Expr, count: int):
        self.growth, self.exponent, self.count = growth, exponent, count
        self.known: dict[Expr, Series] = {}
        self.rates: dict[Expr, Expr] = {}

    def __call__(self, e: Expr) -> Series:
        if e not in self.known:
            self.growth.step()
            self.known[e] = self._expand(e)
        return self.known[e]

    def _expand(self, e: Expr) -> Series:
        if not any(self.rate(a) != 0 for a in e.atoms(exp)):
            return Series(((S.Zero, e),)) if e != 0 else Series(())
        if e.is_Add:
            return self._sum([self(a) for a in e.args])
        if e.is_Mul:
            total = self(e.args[0])
            for a in e.args[1:]:
                total = self._product(total, self(a))
            return total
        if isinstance(e, exp):
            return self._exp(e.args[0])
        if isinstance(e, log):
            return self._log(self(e.args[0]))
        if e.is_Pow and self.growth.x not in symbols_of(e.exp):
            return self._power(self(e.base), e.exp)
        raise NoLimit(f"{e.func.__name__} is not a function that limits are taken of")

    def rate(self, e: Expr) -> Expr:
        """The power of w that exp(a) is, up to a factor of a lower class."""
        if self.growth.x not in symbols_of(e):
            return S.Zero
        if e not in self.rates:
            self.rates[e] = self.growth.limit(neat(over(e.args[0], self.exponent)))
        return self.rates[e]

    # --- the operations ---------------------------------------------------------------
    def _collected(self, terms: Iterable[tuple[Expr, Expr]], bound: Expr | None) -> Series:
        groups: dict[Expr, list[Expr]] = {}
        for exponent, c in terms:
            groups.setdefault(exponent, []).append(c)
        order = self.growth.compare
        kept: list[tuple[Expr, Expr]] = []
        vanishes = self.growth.sign_of_constant.vanishes
        for exponent in sorted(groups, key=cmp_to_key(order)):
            if kept and order(kept[-1][0], exponent) == 0:
                parts = [kept.pop()[1], *groups[exponent]]
            else:
                parts = groups[exponent]
            if bound is not None and order(exponent, bound) >= 0:
                break
            c = Add(*parts)
            if len(parts) > 1:
                c = S.Zero if vanishes(c) else neat(c)
            if c != 0:
                kept.append((exponent, c))
            if len(kept) > self.count:
                return Series(tuple(kept[:-1]), kept[-1][0])
        return Series(tuple(kept), bound)

    def _least(self, bounds: Iterable[Expr | None]) -> Expr | None:
        known = [b for b in bounds if b is not None]
        return min(known, key=cmp_to_key(self.growth.compare)) if known else None

    def _sum(self, parts: list[Series]) -> Series:
        bound = self._least(s.bound for s in parts)
        return self._collected((t for s in parts for t in s.terms), bound)

    def _product(self, one: Series, other: Series) -> Series:
        if Series(()) in (one, other):
            return Series(())
        # What is not known of one times the first of the other.
        starts = [s.terms[0][0] if s.terms else s.bound for s in (one, other)]
        bound = self._least(
            None if s.bound is None else s.bound + start
            for s, start in zip((one, other), reversed(starts), strict=True)
        )
        terms = [(j + k, times(a, b)) for j, a in one.terms for k, b in other.terms]
        return self._collected(terms, bound)

    def _composed(self, small: Series, coefficient: Callable[[int], Expr]) -> Series:
        """The sum of coefficient(k) small^k, for a series that tends to 0."""
        total = Series(((S.Zero, coefficient(0)),) if coefficient(0) != 0 else ())
        if small == Series(()):
            return total
        start = small.terms[0][0] if small.terms else S(small.bound)
        power, parts = Series(((S.Zero, S.One),)), [total]
        for k in range(1, self.count + 1):
            power = self._product(power, small)
            factor = coefficient(k)
            parts.append(Series(tuple((j, times(factor, c)) for j, c in power.terms), power.bound))
        parts.append(Series((), start * (self.count + 1)))
        return self._sum(parts)

    def _split(self, s: Series) -> tuple[Expr, Expr, Series]:
        """c, k and u for s = c w^k (1 + u), where c does not vanish."""
        if not s.terms:
            raise NoLimit("it divides by zero") if s.bound is None else _MoreTerms
        k, c = s.terms[0]
        rest = tuple((j - k, neat(a / c)) for j, a in s.terms[1:])
        return c, k, Series(rest, None if s.bound is None else s.bound - k)

    def _shifted(self, s: Series, c: Expr, k: Expr) -> Series:
        terms = tuple((j + k, times(c, a)) for j, a in s.terms)
        return Series(terms, None if s.bound is None else s.bound + k)

    def _power(self, s: Series, power: Expr) -> Series:
        if power.is_Integer and power > 0:  # by squaring, which divides by no coefficient
            half = self._power(s, power // 2) if power > 1 else Series(((S.Zero, S.One),))
            whole = self._product(half, half)
            return self._product(whole, s) if power % 2 else whole
        if power.is_positive and s == Series(()):
            return s
        c, k, rest = self._split(s)
        sign = self.growth.sign(c)
        if sign == 0:
            raise NoLimit("a leading coefficient vanishes")
        if sign < 0 and not power.is_Integer:
            raise NoLimit("the expression under a root is negative in the limit")
        return self._shifted(
            self._composed(rest, partial(_binomial, power)), Pow(c, power), k * power
        )

    def _log(self, s: Series) -> Series:
        c, k, rest = self._split(s)
        if self.growth.sign(c) <= 0:
            raise NoLimit("the argument of a logarithm is not positive in the limit")
        series = self._composed(rest, lambda j: Rational((-1) ** (j + 1), j) if j else S.Zero)
        first = _split_log(c) + k * self.exponent
        return self._sum([Series(((S.Zero, first),)), series])

    def _exp(self, a: Expr) -> Series:
        rate = self.rate(exp(a, evaluate=False))
        s = self(a if rate == 0 else neat(a - rate * self.exponent))
        if s.bound is not None and self.growth.compare(s.bound, S.Zero) <= 0:
            raise _MoreTerms
        first, rest = S.Zero, s.terms
        if rest and self.growth.compare(rest[0][0], S.Zero) < 0:
            raise NoLimit("an exponent outgrows the scale")
        if rest and self.growth.compare(rest[0][0], S.Zero) == 0:
            first, rest = rest[0][1], rest[1:]
        series = self._composed(Series(rest, s.bound), lambda k: 1 / factorial(k))
        return self._shifted(series, exp(first), rate)


def _binomial(power: Expr, k: int) -> Expr:
    total = S.One
    for i in range(k):
        total *= (power - i) / Integer(i + 1)
    return total


def _split_log(c: Expr) -> Expr:
    """log(c) with exponentials taken out, for c > 0."""
    outside, rest = S.Zero, []
    for a in Mul.make_args(c):
        if isinstance(a, exp):
            outside += a.args[0]
        else:
            rest.append(a)
    inside = Mul(*rest)
    return outside + log(inside, evaluate=not inside.free_symbols or inside.is_Symbol)
