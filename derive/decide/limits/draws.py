"""Limits of means over draws: in a parameter of the function, or from ever more things.

Of finitely many draws without putting any back the law of the number K of marked ones converges to
that with putting back (hypergeometric to binomial). So the mean converges to that of the limits, K
by K, and what stands outside of it is taken in where it grows or vanishes. In a parameter that
only the function has, it is the mean of the limits, since K has finitely many values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Add, Expr, Lambda, Max, Min, Mul, Pow, S, Symbol, oo

from ..digits import sign
from ..domain import Domain, at_least
from ..expectation import Expectation, K, expectation
from .signs import NoLimit

Limit = Callable[[Expr, Symbol, Domain], Expr]


def limit_of_draws(e: Expr, symbol: Symbol, domain: Domain, limit: Limit) -> Expr:
    """The limit of sums, products and powers of means; ``limit`` is for what has none.

    Raises
    ------
    NoLimit
        If there is a part of another form, or one that has no finite limit.
    """

    def follow(e: Expr) -> Expr:
        if symbol not in e.free_symbols:
            return e
        if not e.has(Expectation):
            return finite(limit(e, symbol, domain))
        if isinstance(e, Expectation):
            return _mean(e, symbol, domain, limit)
        if isinstance(e, (Add, Max, Min)):
            return e.func(*map(follow, e.args))
        if isinstance(e, Mul):
            return product(e)
        if isinstance(e, Pow) and e.exp.is_Integer:
            base = follow(e.base)
            if e.exp.is_negative and (base.free_symbols or not sign(base)):
                raise NoLimit(f"{e.base} is not known not to converge to zero")
            return base**e.exp
        raise NoLimit(f"{e.func.__name__} of a mean is not a function that limits are taken of")

    def product(e: Expr) -> Expr:
        outside = Mul(*(f for f in e.args if not f.has(Expectation)))
        means = [f for f in e.args if f.has(Expectation)]
        inside = next((f for f in means if isinstance(f, Expectation)), None)
        if inside is None or symbol not in outside.free_symbols:
            return Mul(*map(follow, (outside, *means)))
        means.remove(inside)
        whole = Expectation(Lambda(inside.variable, outside * inside.body), *inside.args[1:])
        return Mul(*map(follow, (whole, *means)))

    return follow(e)


def finite(e: Expr) -> Expr:
    """A limit that is a number."""
    if e.has(oo, -oo):
        raise NoLimit(f"a part of it converges to {e}")
    return e


def _mean(e: Expectation, symbol: Symbol, domain: Domain, limit: Limit) -> Expr:
    _, marked, drawn, total, low, high = e.args
    if any(symbol in end.free_symbols for end in (drawn, low, high)):
        raise NoLimit(f"the number {drawn} of draws depends on {symbol}")
    law = marked, drawn, total
    if symbol in marked.free_symbols | total.free_symbols:
        if limit(total, symbol, domain) is not oo:
            raise NoLimit(f"the number {total} of things does not increase with {symbol}")
        share = finite(limit(marked / total, symbol, domain))
        if share in (S.Zero, S.One):
            raise NoLimit(f"{K} is then the same in all batches, with probability 1")
        law = share, drawn, S.Infinity
    last = drawn if high is oo else high
    many = replace(at_least(int(low)), high=last, high_open=False)
    body = e.body
    if low == last:
        body = body.xreplace({e.variable: low})
    elif e.variable in body.free_symbols:
        domain = domain.with_range(e.variable, many, max(low, 0))
    found = finite(limit(body, symbol, domain)).xreplace({e.variable: K})
    return expectation(found, *law, int(low), high)
