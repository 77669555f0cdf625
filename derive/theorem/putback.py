"""Every number is put back into the condition that defines it, before it is handed out.

A root must change the sign of its function, a threshold that of its condition, and a limit
must be approached. Roots are put back by mpmath's intervals into the function as it was
derived, with the parameters beside it, so that neither the balls that found the root nor
what putting the values in simplified is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import mpmath
from mpmath import iv
from sympy import Expr, Integer, Rational, S, Symbol, oo

from ..decide.ball import NotEnclosed, TooWide, enclosure, precision
from ..decide.digits import LAST_BITS, NotKnown, rounded
from ..decide.domain import Domain, DomainError, Range
from ..decide.evidence import Refuted
from ..decide.limits.faraway import TINY
from ..decide.limits.limit import approaches
from ..decide.root import ClampedRoot
from ..errors import InternalError
from ..optimum.threshold import Threshold
from ..optimum.value import FaceValue
from .intervals import Intervals, NoInterval, interval_digits
from .quantity import Quantity

#: Signs are looked for with ever more digits, up to so many.
LAST_DIGITS = int(LAST_BITS * 0.301)
#: How far out the sign of a condition that never changes is looked at, as powers of ten.
FAR_OUT = (2, 4, 8)


class Inconsistent(InternalError):
    """A number does not satisfy the condition that defines it."""


class NotPutBack(DomainError):
    """Whether a number satisfies the condition that defines it was not decided; one line."""


def put_back(
    name: str,
    quantity: Quantity,
    expression: Expr,
    point: Mapping[Symbol, Expr],
    domain: Domain,
    value: Any,
    digits: int,
) -> None:
    """Check a number, which is ``expression`` at ``point``, to ``digits`` digits.

    Raises
    ------
    Inconsistent
        If it is not what its condition asks for.
    NotPutBack
        If that is not known.
    """
    shown = f"{name} = {mpmath.nstr(value, min(digits, 20))}"
    far = [s for s, v in point.items() if v is oo]
    source, given = (expression, {}) if far else (quantity.expression, dict(point))
    for root in source.atoms(ClampedRoot):
        if root.free_symbols <= set(given):
            try:
                found = value if root == source else rounded(root.xreplace(given), digits)[0]
                right = _is_root(root, tuple(given.items()), found, digits)
            except (NotEnclosed, NotKnown, NoInterval):
                right = None
            if right is None:
                raise NotPutBack(
                    f"{shown} could not be verified by substitution into its condition"
                )
            if not right:
                raise Inconsistent(f"{shown} is not where its condition changes sign")
    for least in quantity.expression.atoms(FaceValue) if not far else ():
        if least.free_symbols <= set(given):
            _check_least(shown, least.xreplace(given), digits)
    if quantity.threshold is not None and not far:
        inside = quantity.domain or domain
        _check_threshold(shown, quantity.threshold, point, inside, value, digits)
    if quantity.limit_of is not None and not far:
        of, symbol, where = quantity.limit_of
        _check_limit(shown, of, symbol, where, point, domain, value, digits)
    # What may be infinite may be so before the limit, and no value far out tells that.
    is_infinite = quantity.extended and mpmath.isinf(value)
    if len(far) == 1 and far[0] not in quantity.at_oo and not is_infinite:
        _check_limit(shown, quantity.expression, far[0], oo, point, domain, value, digits)


# --- roots -----------------------------------------------------------------------------------
@lru_cache(maxsize=512)
def _is_root(
    root: ClampedRoot, point: tuple[tuple[Symbol, Expr], ...], value: Any, digits: int
) -> bool | None:
    """Whether h < 0 before the value and not after, or the value is the end that h points at.

    None if the sign before it is not known.
    """
    (h, x), given = root.equation(), dict(point)
    small = max(0, -int(mpmath.floor(mpmath.log10(abs(value))))) if value else 0
    start = digits + small + 15

    def number(e: Expr) -> Any:
        return Intervals(given)(e)

    def sign(place: Callable[[], Any], most: int) -> int | None:
        return _sign(lambda: Intervals({**given, x: place()})(h), start, most)

    with mpmath.workdps(start):
        step = abs(value) * mpmath.mpf(10) ** -digits
    ends = [e.xreplace(given) for e in (root.low, root.high)]
    settled = root.xreplace(given).settled()
    if settled in ends:  # zero there is allowed, and not looked for
        end = root.args[1 + ends.index(settled)]
        with interval_digits(start):
            near = bool(abs(number(end) - iv.mpf(value)).a <= step)
        return near and sign(lambda: number(end), 2 * start) != (-1 if settled == ends[0] else 1)

    def beside(side: int) -> Any:
        at = iv.mpf(value) + side * iv.mpf(step)
        end = None if root.args[1 + (side > 0)] is oo else number(root.args[1 + (side > 0)])
        beyond = end is not None and (side * (at - end)).b > 0
        return end if beyond else at

    # After a jump the function may stay at zero, so that it is not below is all one can ask.
    before, after = sign(lambda: beside(-1), LAST_DIGITS), sign(lambda: beside(1), 2 * start)
    if before == 1 or after == -1:
        return False
    return True if before == -1 else None


def _sign(value: Callable[[], Any], start: int, most: int) -> int | None:
    """The sign that intervals prove, with more and more digits, or None."""
    digits = start
    while digits <= max(start, most):
        with interval_digits(digits):
            try:
                found = value()
            except NoInterval:
                found = None
            if found is not None and (found.a > 0 or found.b < 0):
                return 1 if found.a > 0 else -1
        digits *= 2
    return None


# --- optima ----------------------------------------------------------------------------------
def _check_least(shown: str, least: FaceValue, digits: int) -> None:
    from .optimal import is_least  # few results need it, and it needs much

    right = is_least(least, digits)
    if right is None:
        raise NotPutBack(f"{shown} could not be verified by substitution into its condition")
    if not right:
        raise Inconsistent(f"{shown} is not a minimiser of the loss")


# --- thresholds ------------------------------------------------------------------------------
def _check_threshold(
    shown: str,
    threshold: Threshold,
    point: Mapping[Symbol, Expr],
    domain: Domain,
    value: Any,
    digits: int,
) -> None:
    """The condition is negative on the stated side of the value and positive on the other."""
    parameter = threshold.parameter
    others = {s: v for s, v in domain.witness.items() if s is not parameter} | {
        s: v for s, v in point.items() if s is not parameter
    }
    condition = threshold.condition.xreplace(others)
    checked = False
    for at, above in _places(value, digits, domain.ranges.get(parameter), others):
        expected = -1 if above == (threshold.side == ">") else 1
        found = _sign_at(condition, parameter, at, digits)
        if found == -expected:
            raise Inconsistent(f"{shown} is not where its condition changes sign")
        checked |= found == expected
    if not checked:
        raise NotPutBack(f"{shown} could not be verified by substitution into its condition")


def _places(
    value: Any, digits: int, allowed: Range | None, others: Mapping[Symbol, Expr]
) -> list[tuple[Rational, bool]]:
    """Points beside a threshold where the parameter may be, and whether they lie above it."""
    low, high = -oo, oo
    if allowed is not None:
        low, high = (e.xreplace(dict(others)) for e in (allowed.low, allowed.high))
    small = Rational(1, 10**digits)
    if mpmath.isinf(value):
        below = value > 0
        end = low if below else high
        start = S.Zero if end in (oo, -oo) else Rational(str(end.evalf(30)))
        outward = [start + (1 if below else -1) * Integer(10) ** k for k in FAR_OUT]
        return [(at, not below) for at in outward]
    exact = _fraction(value)
    step = abs(exact) * small if exact else small
    beside = [(exact - step, False), (exact + step, True)]
    inside = [(at, above) for at, above in beside if low <= at <= high]
    if inside:
        return inside
    # The parameter never reaches the value: its whole range is on one side.
    above = bool(low > exact)
    end = low if above else high
    near = Rational(str(end.evalf(digits + 5)))
    inward = 1 if above else -1
    return [(near + inward * max(small, abs(near) * small), above)]


def _fraction(value: Any) -> Rational:
    negative, man, power, _ = value._mpf_
    return (-1) ** int(negative) * Rational(int(man)) * Integer(2) ** int(power)


def _sign_at(condition: Expr, parameter: Symbol, at: Rational, digits: int) -> int | None:
    """Sign of the condition at a point by balls, or None if it has none or was not decided."""
    at_root = condition.xreplace({parameter: at}) if condition.has(ClampedRoot) else condition
    bits = int(3.33 * digits) + 80
    while bits <= max(LAST_BITS, 4 * int(3.33 * digits)):
        try:
            with precision(bits):
                ball = enclosure(at_root, bits, {parameter: enclosure(at, bits)})
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
        except TooWide:
            pass
        except NotEnclosed:
            return None
        bits *= 2
    return None


# --- limits ----------------------------------------------------------------------------------
def _check_limit(
    shown: str,
    expression: Expr,
    symbol: Symbol,
    where: Expr,
    point: Mapping[Symbol, Expr],
    domain: Domain,
    value: Any,
    digits: int,
) -> None:
    """The expression comes nearer and nearer to the value; nothing is said if it has no balls."""
    expression = expression.xreplace({s: v for s, v in point.items() if s is not symbol})
    if expression.free_symbols - {symbol}:
        return
    goal = (oo if value > 0 else -oo) if mpmath.isinf(value) else _fraction(value)
    tiny = max(TINY, mpmath.mpf(10) ** -(digits + 2))
    if isinstance(approaches(expression, symbol, where, goal, domain, tiny=tiny), Refuted):
        what = "grow to" if mpmath.isinf(value) else "approach"
        raise Inconsistent(f"{shown} is not what far values {what}")
