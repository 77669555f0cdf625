"""Signs of numbers and of functions of one variable on an interval, each of them proved.

A number is compared with zero by enclosures of growing precision; that it *is* zero takes
a normal form. On an interval algebra is tried first, then boxes that cover it. Where the
function vanishes at an end no box can show it, and the first derivative that does not
vanish there takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mpmath import mp
from sympy import (
    Add,
    Expr,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    exp,
    lambdify,
    log,
    nan,
    oo,
    zoo,
)

from . import ball, digits
from .ball import NoValue
from .calculus import derivative
from .decide import proof_of_positive
from .domain import Domain, DomainError, between
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided, weakest
from .present import tidy

#: Derivatives that may vanish at an end of an interval.
ORDERS = 4


class NoSign(DomainError):
    """The sign of a number could not be decided; the message is one line."""


def is_finite(value: Expr) -> bool:
    """Whether putting a value in gave a number: no division by zero, no infinity."""
    return not value.has(zoo, nan, oo, -oo)


def is_infinite(function: Expr, x: Symbol, end: Expr) -> bool:
    """Whether a sum grows without bound at a point, all its infinite terms alike.

    Raises
    ------
    NoSign
        If the sum is of infinite terms that may cancel.
    """
    at_end = [(term, term.xreplace({x: end})) for term in Add.make_args(function)]
    large = [term for term, value in at_end if not is_finite(value)]
    if len(large) > 1 or any(value is nan for _, value in at_end):
        # Each is a number times powers of what vanishes there, or nothing is said.
        signs = {_sign_of_factors(term, x, end) for term in large}
        if len(signs) != 1 or None in signs:
            raise NoSign(f"the derivative at x = {end} is not determined")
    return bool(large)


def _sign_of_factors(term: Expr, x: Symbol, end: Expr) -> int | None:
    """The sign of an infinite product near a point, if only positive powers make it so."""
    total = 1
    for factor in Mul.make_args(term):
        value = factor.xreplace({x: end})
        if is_finite(value) and value.free_symbols:
            return None
        if is_finite(value):
            total *= sign(value)
        elif not (factor.is_Pow and not factor.exp.is_Integer):
            return None
    return total or None


@cache
def sign(value: Expr) -> int:
    """The sign of a real number: 1, -1, or 0 where that is proved.

    Raises
    ------
    NoSign
        If no ball excludes zero and no normal form is zero, or it is not a real number.
    """
    try:
        found = digits.sign(value)
    except NoValue as error:
        raise NoSign(str(error)) from None
    if found is None and value.has(exp, log, S.Exp1, S.Pi) and value.simplify() == 0:
        return 0
    if found is None:
        raise NoSign(f"it is not decided whether {value} is positive")
    return found


def order(one: Expr, other: Expr) -> int:
    """-1, 0 or 1 as one number is below, equal to or above another."""
    return sign(one - other)


def in_order(values: set[Expr]) -> list[Expr]:
    """Distinct numbers, ascending; two expressions for one number count once."""
    found: list[Expr] = []
    for value in sorted(values, key=str):
        place = 0
        while place < len(found) and order(found[place], value) < 0:
            place += 1
        if place == len(found) or order(found[place], value) != 0:
            found.insert(place, value)
    return found


def a_rational(value: Expr, *, above: bool) -> Rational:
    """A rational number within 1e-20 of a real one, above or below it (or it itself)."""
    if value.is_Rational:
        return value
    close, far = Rational(value.evalf(40)), Rational(1, 10**20)
    return close + far if above else close - far


def non_negative(part: Expr, v: Symbol, a: Expr, b: Expr) -> Outcome:
    """Whether a function of ``v`` alone is >= 0 on the open interval from a to b.

    It must be smooth inside. It may be infinite or vanish at the ends.
    """
    if v not in part.free_symbols:
        return _constant(part)
    proof = _algebraically(part, v, a, b)
    if proof is not None:
        return proof
    refutation = _negative_somewhere(part, v, a, b)
    if refutation is not None:
        return refutation
    for function, w, low, high in _variants(part, v, a, b):
        if function is not part:
            if w not in function.free_symbols:
                return _constant(function)
            proof = _algebraically(function, w, low, high)
            if proof is not None:
                return proof
        outcome = _by_boxes(function, w, low, high)
        if isinstance(outcome, Holds):
            return outcome
    return Undecided(f"no sign was found on [{a}, {b}]")


def _constant(value: Expr) -> Outcome:
    if sign(value) >= 0:
        return Holds(Evidence(Grade.EXACT, "a number that is not negative"))
    return Refuted({}, f"the value is {value.evalf(6)!s}")


def _algebraically(part: Expr, v: Symbol, a: Expr, b: Expr) -> Holds | None:
    inside = Domain({v: between(a, b, "()")}, {v: (a + b) / 2})
    return proof_of_positive(part, inside, strict=False)


def _negative_somewhere(part: Expr, v: Symbol, a: Expr, b: Expr) -> Refuted | None:
    """A point where the function is negative; the ends count where it is finite."""
    low, high = a_rational(a, above=True), a_rational(b, above=False)
    f = lambdify([v], part, "mpmath")
    near = [Rational(1, 10**k) for k in (6, 4, 3, 2)]
    shares = [*near, *(Rational(k, 32) for k in range(1, 32)), *(1 - s for s in near)]
    points = [*(p for p in (a, b) if p.is_Rational), *(low + s * (high - low) for s in shares)]
    with mp.workdps(30):
        for point in points:
            try:
                value = f(mp.mpf(int(point.p)) / int(point.q))
            except (ZeroDivisionError, ValueError, OverflowError):
                continue
            if isinstance(value, mp.mpc) or not value < -(mp.mpf(10) ** -25):
                continue
            exact = part.xreplace({v: point})
            if is_finite(exact) and exact.is_real is not False and sign(exact) < 0:
                return Refuted({v.name: point}, f"the value is {exact.evalf(6)!s}")
    return None


def _variants(part: Expr, v: Symbol, a: Expr, b: Expr) -> Iterator[tuple[Expr, Symbol, Expr, Expr]]:
    """The function itself, and as a function of the root in it, cleared of its powers below."""
    yield part, v, a, b
    bases = {e.base for e in part.atoms(Pow) if v in e.free_symbols and not e.exp.is_Integer}
    degree = max((e.exp.q for e in part.atoms(Pow) if e.base in bases), default=1)
    for base in bases:
        rate = derivative(base, v)
        if v in rate.free_symbols:
            continue
        root = Symbol("root", positive=True)
        back = (root**degree - base.xreplace({v: S.Zero})) / rate
        # Powers of the base become powers of its root before anything else is put in.
        powers = {
            e: root ** (degree * e.exp)
            for e in part.atoms(Pow)
            if e.base == base and e.exp.is_Rational
        }
        function = tidy(part.xreplace(powers).xreplace({v: back}))
        function *= root ** max(0, -_lowest(function, root))
        ends = [base.xreplace({v: e}) ** Rational(1, degree) for e in (a, b)]
        low, high = ends if sign(rate) > 0 else reversed(ends)
        yield function, root, low, high


def _lowest(function: Expr, root: Symbol) -> int:
    """The power of the root in a product."""
    return int(function.as_powers_dict().get(root, 0))


def _by_boxes(part: Expr, v: Symbol, a: Expr, b: Expr) -> Outcome:
    if a.is_Rational and b.is_Rational:
        outcome = ball.non_negative(part, v, a, b)
        if isinstance(outcome, Holds):
            return outcome
    first, last = (_near_end(part, v, a, b, inward) for inward in (1, -1))
    if first is None or last is None:
        return Undecided(f"no sign was found near the ends of [{a}, {b}]")
    (low, near_low), (high, near_high) = first, last
    found = [near_low.evidence, near_high.evidence]
    if low < high:
        middle = ball.non_negative(part, v, low, high)
        if not isinstance(middle, Holds):
            return middle
        found.append(middle.evidence)
    return Holds(weakest(found))


def _near_end(
    part: Expr, v: Symbol, a: Expr, b: Expr, inward: int
) -> tuple[Rational, Holds] | None:
    """How far from an end the function is >= 0, by the first derivative not zero there."""
    end, width = (a if inward > 0 else b), b - a
    outside = a_rational(end, above=inward < 0)
    function = part
    for _ in range(ORDERS):
        at_end = function.xreplace({v: end})
        if not is_finite(at_end):
            return None
        found = sign(at_end)
        if found < 0:
            return None
        if found > 0:
            for halvings in range(2, ball.DEPTH + 1):
                inner = a_rational(end + inward * width / 2**halvings, above=inward > 0)
                outcome = ball.non_negative(function, v, *sorted([outside, inner]))
                if isinstance(outcome, Holds):
                    return inner, outcome
            return None
        function = inward * derivative(function, v)  # so that it rises inwards
    return None
