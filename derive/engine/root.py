"""The minimiser of a convex function on an interval, as a SymPy expression.

``ClampedRoot(Lambda(x, h), a, b)`` is the zero of an increasing function h on [a, b];
``a`` when h(a) >= 0 and ``b`` when h(b) <= 0. (It need not increase where it is negative.)
When h has the sign of the derivative of a convex function, this is where that function is
least on [a, b]. At kinks h jumps, and the root is the first point where it is not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from sympy import Expr, Float, Lambda, Max, Min, S, Symbol, log, oo, sympify
from sympy import sign as sympy_sign

from .calculus import derivative
from .decide import positive
from .domain import Domain
from .evidence import Holds
from .kinks import pieces_of_slope
from .normal import ExpField
from .present import tidy
from .interval import NoSign, is_finite, sign

#: Guard bits kept on top of the asked precision while bracketing.
GUARD_BITS = 40


class ClampedRoot(Expr):
    """The zero of an increasing function on an interval, clamped to its ends."""

    is_commutative = True
    is_extended_real = True

    def __new__(cls, function: Lambda, low: object, high: object) -> Expr:
        return Expr.__new__(cls, function, sympify(low), sympify(high))

    @property
    def function(self) -> Lambda:
        """The increasing function."""
        return self.args[0]

    @property
    def low(self) -> Expr:
        """Lower end of the bracket."""
        return self.args[1]

    @property
    def high(self) -> Expr:
        """Upper end of the bracket."""
        return self.args[2]

    @property
    def variable(self) -> Symbol:
        """The bound variable."""
        return self.function.variables[0]

    def equation(self) -> tuple[Expr, Symbol]:
        """The left side of h(x) = 0 and its variable."""
        return self.function.expr, self.variable

    def settled(self) -> Expr:
        """The exact end or kink where the root is, or a root between two signs that were proved.

        With free symbols it is returned as it is.
        """
        if self.free_symbols:
            return self
        h, x = self.equation()
        jumps = {e: e.args[0] for e in h.atoms(sympy_sign)}
        if jumps:  # see last_point
            return self._first((h + S.Half).xreplace(jumps), strict=True)
        if self.high is oo:
            return self.low if sign(h.xreplace({x: self.low})) >= 0 else self
        return self._first(h, strict=False)

    def _first(self, h: Expr, *, strict: bool) -> Expr:
        """The first point where a nondecreasing function with jumps is >= 0 (strict: > 0)."""
        x = self.variable
        for piece in pieces_of_slope(h, x, self.low, self.high):
            smooth = piece.smooth
            at_start, start = _near(smooth, x, piece.low, piece.high)
            at_end, end = _near(smooth, x, piece.high, piece.low)
            # Smooth and nondecreasing: constant, or zero at one point at most.
            flat = at_start == at_end == 0
            if at_start > 0 or (at_start == 0 and not (strict and flat)):
                return piece.low
            if at_end > 0:
                rate = derivative(smooth, x)
                if not rate.free_symbols:
                    return piece.low - smooth.xreplace({x: piece.low}) / rate
                return ClampedRoot(Lambda(x, smooth), start, end)
            if at_end == 0 and not strict:
                return piece.high
        return self.high

    def closed_form(self, domain: Domain) -> Expr | None:
        """Solve h = A exp(E) + B exp(F) = 0 when that is all there is; else None.

        The signs of A and B must be proved opposite on the domain, or there is no zero.
        """
        h, x = self.equation()
        field = ExpField([h])
        element = field(h)
        terms = list(element.numer.terms())
        if len(element.denom.terms()) != 1 or (
            x in set(element.numer.ring.symbols)
            and any(monom[list(element.numer.ring.symbols).index(x)] for monom, _ in terms)
        ):
            return None
        groups: dict[Expr, Expr] = {}
        ring = element.numer.ring
        where = {i for i, s in enumerate(ring.symbols) if s in field.exponents}
        for monom, c in terms:
            exponent = sum(
                (k * field.exponents[ring.symbols[i]] for i, k in enumerate(monom) if i in where),
                sympify(0),
            )
            rest = tuple(0 if i in where else k for i, k in enumerate(monom))
            groups[exponent] = groups.get(exponent, 0) + ring.from_dict({rest: c}).as_expr()
        if len(groups) != 2:
            return None
        (e, a), (f, b) = groups.items()
        slope = (e - f).diff(x)
        if slope == 0 or slope.has(x):
            return None
        ratio = tidy(-b / a)
        if not isinstance(positive(ratio, domain), Holds):
            return None
        gap = (e - f).xreplace({x: sympify(0)})
        root = tidy((log(ratio) - gap) / slope)
        return Max(self.low, Min(self.high, root))

    def _eval_evalf(self, prec: int) -> Expr | None:
        if self.free_symbols:
            return None
        h, x = self.equation()
        with mpmath.workprec(prec + GUARD_BITS):
            f = _mp_function(h, x)
            low = mpmath.mpmathify(self.low.evalf(_digits(prec)))
            if self.high is oo:
                high = _beyond(f, low)
                if high is None:
                    return oo
            else:
                high = mpmath.mpmathify(self.high.evalf(_digits(prec)))
            root = bracket(f, low, high, prec + GUARD_BITS // 2)
        return Float._new(root._mpf_, prec)

    def _latex(self, printer: Any) -> str:
        h, x = self.equation()
        return (
            rf"\operatorname{{root}}_{{{printer._print(x)} \in \left[{printer._print(self.low)},\,"
            rf"{printer._print(self.high)}\right]}}\left({printer._print(h)} = 0\right)"
        )


def last_point(h: Expr, x: Symbol, low: Expr, high: Expr) -> ClampedRoot:
    """Where an increasing function becomes positive: the last point where it is not.

    Half less than its sign is negative exactly where the function is not positive.
    """
    return ClampedRoot(Lambda(x, sympy_sign(h) - S.Half), low, high)


def _near(smooth: Expr, x: Symbol, end: Expr, other: Expr) -> tuple[int, Expr]:
    """Sign of a nondecreasing function at an end of a piece, and a point there with that sign.

    Where it is infinite at the end it is taken inwards, until it has the sign that it must
    have: negative at a low end, positive at a high one.
    """
    value = smooth.xreplace({x: end})
    if is_finite(value):
        return sign(value), end
    wanted = sign(end - other)
    for halvings in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        point = end + (other - end) / 2**halvings
        if sign(smooth.xreplace({x: point})) == wanted:
            return wanted, point
    raise NoSign(f"the slope at {end} is not determined")


def _beyond(f: Callable[[Any], Any], low: Any) -> Any:
    """A point where an increasing function is positive, or None if there is none in sight."""
    step = mpmath.mpf(1)
    for _ in range(60):
        if f(low + step) > 0:
            return low + step
        step *= 2
    return None


def _digits(prec: int) -> int:
    return int((prec + GUARD_BITS) * 0.302) + 5


def _mp_function(h: Expr, x: Symbol) -> Callable[[Any], Any]:
    from sympy import lambdify

    # Constants such as exp(1/10) are evaluated by mpmath at the working precision.
    return lambdify([x], h, modules="mpmath")


def bracket(f: Callable[[Any], Any], low: Any, high: Any, bits: int) -> Any:
    """Bisect an increasing function to a relative width of 2**-bits, clamped to the ends.

    Every halving keeps a sign change inside, so the last bracket proves the digits
    (up to the guard bits with which the function is evaluated).
    """
    if f(low) >= 0:
        return low
    if f(high) <= 0:
        return high
    width = high - low
    tiny = mpmath.ldexp(width, -4 * bits)
    while width > mpmath.ldexp(abs(high), -bits) and width > tiny:
        middle = (low + high) / 2
        if f(middle) < 0:
            low = middle
        else:
            high = middle
        width = high - low
    return (low + high) / 2


def clamped_root(
    h: Callable[..., Any], slope: Callable[..., Any], low: Any, high: Any, *params: Any
) -> Any:
    """Vectorised float64 root: Newton steps kept inside a shrinking bracket.

    ``h`` and ``slope`` take the variable first and then ``params``; everything broadcasts.
    """
    import numpy as np

    shape = np.broadcast_shapes(np.shape(low), np.shape(high), *(np.shape(p) for p in params))
    a = np.array(np.broadcast_to(low, shape), dtype=float)
    b = np.array(np.broadcast_to(high, shape), dtype=float)
    with np.errstate(all="ignore"):
        reach = np.ones_like(a)
        for _ in range(60):  # an open end: go out until the function is positive
            short = np.isinf(b) & (h(a + reach, *params) <= 0)
            if not short.any():
                break
            reach = np.where(short, 2 * reach, reach)
        b = np.where(np.isinf(b), a + reach, b)
        at_low = h(a, *params) >= 0
        at_high = h(b, *params) <= 0
        start, end = a.copy(), b.copy()
        x = (a + b) / 2
        for _ in range(200):
            value = h(x, *params)
            below = value < 0
            a, b = np.where(below, x, a), np.where(below, b, x)
            step = x - value / slope(x, *params)
            inside = (step > a) & (step < b)
            new = np.where(inside, step, (a + b) / 2)
            # 4e-16 is two units in the last place of a float64 of size 1.
            done = (np.abs(new - x) <= 4e-16 * np.maximum(1e-300, np.abs(x))) | (b - a <= 0)
            x = new
            if done.all():
                break
        return np.where(at_low, start, np.where(at_high, end, x))
