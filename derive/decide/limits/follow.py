"""The limit of an expression that may contain roots of functions, maxima and cases.

What is in exp, log and powers alone is decided by its growth. Other parts are followed by
themselves; what contains them has to be continuous where they go.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import (
    Dummy,
    Expr,
    Lambda,
    Max,
    Min,
    NumberSymbol,
    Piecewise,
    S,
    Symbol,
    exp,
    log,
    oo,
)

from ..calculus import derivative
from ..domain import Domain, Range
from ..hypergeometric import Log0F1
from ..normal import NotInField, in_order
from ..root import ClampedRoot
from ..symbols import symbols_of
from .foregone import with_cases_decided
from .growth import Growth
from .signs import NoLimit, Signs, UnknownSign, is_no_number, neat
from .toward import with_range

#: What goes to oo.
X = Dummy("x", positive=True)


class Follow:
    """Limits of expressions as ``X`` goes to oo, for the other symbols in a domain."""

    def __init__(self, domain: Domain):
        self.x, self.domain = X, domain

    def __call__(self, expression: Expr) -> Expr:
        """The limit.

        Raises
        ------
        NoLimit
            If there is none, or none that can be proved.
        """
        return self._of(_with_plain_powers(expression, self.x))

    def _of(self, e: Expr) -> Expr:
        """The limit of an expression in x."""
        if self.x not in symbols_of(e):
            return e
        e = with_cases_decided(e, self.x, self.domain)
        limits: dict[Symbol, Expr] = {}
        stand_ins: dict[Expr, Expr] = {}
        for part in in_order(_outermost(e)):
            stand_in = stand_ins[part] = Dummy("v", real=True)
            limits[stand_in] = self._of_part(part)
        e = e.xreplace(stand_ins)
        unbounded = [v for v, a in limits.items() if a in (oo, -oo)]
        if unbounded and symbols_of(e) & {self.x, *limits} == set(unbounded[:1]):
            # It depends on x through one part alone.
            e = e.xreplace({unbounded[0]: self.x if limits[unbounded[0]] is oo else -self.x})
        elif unbounded:
            raise NoLimit("a root diverges at an unknown rate")
        sign = Signs(self.domain, limits)
        found = Growth(self.x, sign).limit(neat(e))
        if found in (oo, -oo):
            return found
        found = found.xreplace(limits)
        if is_no_number(found):
            raise NoLimit("it is not continuous where a part of it goes")
        return found

    # --- parts that are taken by themselves -------------------------------------------
    def _of_part(self, part: Expr) -> Expr:
        if self.x not in symbols_of(part):
            return part
        if isinstance(part, ClampedRoot):
            return _limit_of_root(
                part, tuple(self.domain.ranges.items()), tuple(self.domain.witness.items())
            )
        return part.func(*(self._of(a) for a in part.args))

    def of_root(self, root: ClampedRoot) -> Expr:
        """Where h changes its sign far out.

        Let C(y) be the coefficient of the leading term of h(y). Left of a limit point of the
        roots h is negative far out, so C <= 0 there; right of it C >= 0. C is analytic and not
        zero, so there is one such point only. A C of one sign drives the root to an end.
        """
        h, variable = root.equation()
        if h.has(Piecewise):
            raise NoLimit("a root of a function with jumps is not followed")
        low, high = self._of(root.low), self._of(root.high)
        if low == high:
            return low
        y = Dummy(variable.name, real=True)
        try:
            found = self._sign_change(neat(h.xreplace({variable: y})), y, low, high, CUTS)
        except NoLimit as error:
            raise NoLimit(f"along the bracket of a root, {error}") from None
        if isinstance(found, int):
            return low if found > 0 else high
        if not isinstance(found, ClampedRoot):
            return found
        try:
            closed = found.closed_form(self.domain)
        except NotInField:
            closed = None
        return found if closed is None else closed

    def _sign_change(self, h: Expr, y: Symbol, low: Expr, high: Expr, cuts: int) -> Expr | int:
        """The point between two ends, or -1 or 1 if h keeps that sign between them far out."""
        free = Domain({**self.domain.ranges, y: Range(-oo, oo)}, {**self.domain.witness, y: S.Zero})
        sign = Signs(with_range(free, y, Range(low, high, True, True)))
        try:
            c = neat(Growth(self.x, sign).coefficient(h))
        except UnknownSign as error:
            # Terms that tie at one point: each is the larger one on its side.
            tie = self._tie(error.constant, y, low, high) if cuts else None
            if tie is None:
                raise
            left = self._sign_change(h, y, low, tie, cuts - 1)
            if isinstance(left, Expr) or left > 0:
                return left
            right = self._sign_change(h, y, tie, high, cuts - 1)
            return right if isinstance(right, Expr) or right < 0 else tie
        if sign.vanishes(c):
            raise NoLimit("the equation vanishes far out")
        try:
            return sign(c)
        except NoLimit:
            return ClampedRoot(Lambda(y, c), low, high)

    def _tie(self, constant: Expr, y: Symbol, low: Expr, high: Expr) -> Expr | None:
        """The zero of an affine function, if it is proved to lie between two ends."""
        rate = derivative(constant, y)
        if rate == 0 or y in rate.free_symbols:
            return None
        zero_at = neat(-constant.xreplace({y: S.Zero}) / rate)
        sign = Signs(self.domain)
        if sign(zero_at - low) > 0 and (high is oo or sign(high - zero_at) > 0):
            return zero_at
        return None


#: Ties that are looked for along the bracket of a root.
CUTS = 3


@lru_cache(maxsize=256)
def _limit_of_root(
    root: ClampedRoot,
    ranges: tuple[tuple[Symbol, Range], ...],
    witness: tuple[tuple[Symbol, Expr], ...],
) -> Expr:
    """Remembered, since the quantities of a result share their roots."""
    return Follow(Domain(dict(ranges), dict(witness))).of_root(root)


def _outermost(e: Expr) -> set[Expr]:
    if isinstance(e, (ClampedRoot, Log0F1, Max, Min)) or (
        isinstance(e, NumberSymbol) and e is not S.Exp1
    ):
        return {e}
    return set().union(*(_outermost(a) for a in e.args)) if e.args else set()


def _with_plain_powers(e: Expr, x: Symbol) -> Expr:
    """Write a^b as exp(b log a) where x is in the exponent."""
    if x not in symbols_of(e) or isinstance(e, ClampedRoot) or not e.args:
        return e
    args = [_with_plain_powers(a, x) for a in e.args]
    if e.is_Pow and not isinstance(e, exp) and x in symbols_of(e.exp):
        return exp(args[1] * log(args[0]))
    return e if tuple(args) == e.args else e.func(*args)
