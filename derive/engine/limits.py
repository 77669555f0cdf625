"""Limits at oo, at 0 and at the ends of ranges: proved by growth, then looked at far out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations, product

from sympy import (
    Add,
    Dummy,
    Expr,
    Integer,
    Lambda,
    Max,
    Min,
    Mul,
    NumberSymbol,
    Piecewise,
    S,
    Symbol,
    exp,
    log,
    oo,
)
from sympy.core.relational import Relational

from .calculus import derivative
from .decide import zero
from .derivation import Derivation
from .domain import Domain, DomainError, Range
from .equal import equal
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .faraway import Supported, compared
from .growth import Growth
from .normal import NotInField, in_order
from .present import put_in
from .relations import eq
from .root import ClampedRoot
from .signs import NoLimit, Signs, UnknownSign, neat, with_assumed

__all__ = ["NoLimit", "approaches", "is_limit", "joint_limit", "limit", "take_limit"]


def limit(expression: Expr, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    """Limit as ``symbol`` goes to ``point``, for all other symbols in ``domain``.

    The point is ``oo``, or a number that is approached from inside the range of the symbol:
    from below where it is the upper end, else from above. The limit is pointwise in the other
    symbols, and what it needs of them (signs, coefficients that do not vanish) is proved on
    the whole domain. Before it leaves it is compared with values far out.

    Raises
    ------
    NoLimit
        If there is none, or none that can be proved; one line.
    """
    if symbol not in expression.free_symbols:
        return expression
    try:
        found = neat(_Limit(symbol, point, domain, expression.free_symbols)(expression))
    except RecursionError:
        raise NoLimit("the expression is too deeply nested") from None
    seen = approaches(expression, symbol, point, found, domain)
    if isinstance(seen, Refuted):
        raise NoLimit(f"{found} was found, but values near {symbol} = {point} do not approach it")
    if not isinstance(seen, Supported):
        raise NoLimit(f"{found} was found, but it could not be compared with values")
    return found


def joint_limit(expression: Expr, point: Mapping[Symbol, Expr], domain: Domain) -> Expr:
    """Put values in; take the limit in the symbols at ``oo``, and at ends that divide by zero.

    Symbols that go to ``oo`` together must give the same in every order, one after the other,
    and as powers of one of them. (That is necessary for a joint limit, and what is claimed.)

    Raises
    ------
    NoLimit
        If the order matters, or a limit is not known.
    """
    finite = {s: v for s, v in point.items() if v is not oo}
    here = _with_values(domain, finite)
    expression = _put_in_or_approached(expression, finite, domain)
    far = [s for s, v in point.items() if v is oo and s in expression.free_symbols]
    if len(far) < 2:
        return limit(expression, far[0], oo, here) if far else expression
    if len(far) > MOST_AT_ONCE:
        raise NoLimit(f"{len(far)} parameters at oo are too many to compare every order")
    found: dict[str, Expr] = {}
    for order in permutations(far):
        if any(_leaves_none(s, order[i + 1 :], here) for i, s in enumerate(order)):
            continue
        value = expression
        for s in order:
            value = limit(value, s, oo, here)
        found["first " + ", then ".join(s.name for s in order)] = value
    for powers in product((1, 2), repeat=len(far)):
        found |= _along(expression, dict(zip(far, powers, strict=True)), here)
    one, *rest = found.items()
    for other in rest:
        if one[1] != other[1] and not isinstance(zero(one[1] - other[1], here), Holds):
            raise NoLimit(f"it is {one[1]} for {one[0]} and {other[1]} for {other[0]}")
    return one[1]


def approaches(
    expression: Expr, symbol: Symbol, point: Expr, value: Expr, domain: Domain
) -> Outcome:
    """Whether values far out approach what is said to be the limit (``oo`` and ``-oo`` as well).

    Never holds: ``Refuted`` where they do not, ``Supported`` where they do, else ``Undecided``.
    """
    try:
        others = _others(domain, symbol, point, expression.free_symbols | value.free_symbols)
        x = Dummy("x", positive=True)
        expression = put_in(expression, {symbol: _image(x, symbol, point, domain)})
    except NoLimit as error:
        return Undecided(str(error))
    outcome: Outcome = Undecided("there are no values to compare with")
    for parameters in _few_points(others):
        try:
            at, goal = put_in(expression, parameters), put_in(value, parameters)
            seen = compared(at, x, goal)
        except (ValueError, TypeError, ArithmeticError):
            continue
        if isinstance(seen, Refuted):
            named = {s.name: v for s, v in parameters.items()}
            return Refuted({**named, **seen.witness}, seen.note)
        if isinstance(seen, Supported):
            outcome = seen
    return outcome


def is_limit(expression: Expr, symbol: Symbol, point: Expr, value: Expr, domain: Domain) -> Outcome:
    """Whether a value is the limit: holds iff it is proved to be equal to our own."""
    seen = approaches(expression, symbol, point, value, domain)
    if isinstance(seen, Refuted):
        return seen
    try:
        own = limit(expression, symbol, point, domain)
        others = _others(domain, symbol, point, own.free_symbols | value.free_symbols)
    except NoLimit as error:
        return Undecided(str(error))
    if own in (oo, -oo) or value in (oo, -oo):
        outcome: Outcome = PROVED if own == value else Refuted({}, f"it is {own}")
    else:
        outcome = equal(value, own, others)
    if isinstance(outcome, Holds) and outcome.evidence.grade is not Grade.EXACT:
        return Undecided(f"equal to {own} at points only")
    return PROVED if isinstance(outcome, Holds) else outcome


#: Evidence for a limit that :func:`limit` has taken.
PROVED = Holds(Evidence(Grade.EXACT, "the leading term far out, with every sign proved"))


def take_limit(
    name: str, expression: Expr, symbol: Symbol, point: Expr, domain: Domain, proof: Derivation
) -> Expr:
    """Take a limit as a step of a derivation."""
    value = limit(expression, symbol, point, domain)
    proof.add(f"Limit {name}", eq(name, value), "the leading terms decide", PROVED)
    return value


# --- several symbols --------------------------------------------------------------------------
#: Symbols at oo of which every order is compared.
MOST_AT_ONCE = 3


def _with_values(domain: Domain, values: Mapping[Symbol, Expr]) -> Domain:
    """The other symbols, with values put into their ranges."""
    found = domain.restricted(set(domain.ranges) - set(values))
    for s, r in found.ranges.items():
        if (r.low.free_symbols | r.high.free_symbols) & set(values):
            low, high = r.low.xreplace(dict(values)), r.high.xreplace(dict(values))
            found = _with_range(found, s, replace(r, low=low, high=high))
    return found


def _put_in_or_approached(expression: Expr, values: Mapping[Symbol, Expr], domain: Domain) -> Expr:
    """The value or, where that divides by zero, the limit from inside the ranges."""
    found = put_in(expression, values)
    if not found.has(S.ComplexInfinity, S.NaN):
        return found
    limits = set[Expr]()
    for s, value in values.items():
        others = {k: v for k, v in values.items() if k is not s}
        r = _with_values(domain, others).ranges.get(s)
        if r is None or r.integer or value not in (r.low, r.high):
            continue
        rest = put_in(expression, others)
        if not rest.has(S.ComplexInfinity, S.NaN):
            limits.add(limit(rest, s, value, _with_values(domain, others)))
    if len(limits) != 1:
        raise NoLimit("it divides by zero there")
    return limits.pop()


def _leaves_none(s: Symbol, later: tuple[Symbol, ...], domain: Domain) -> bool:
    """Whether the range of a later symbol runs away with this one."""
    return any(
        s in domain.ranges[k].low.free_symbols
        and _end(domain.ranges[k].low, True, 1, s, oo, domain)[0] is oo
        for k in later
        if k in domain.ranges
    )


def _along(expression: Expr, powers: Mapping[Symbol, int], domain: Domain) -> dict[str, Expr]:
    """The limit where the symbols are powers of one, unless that leaves their ranges."""
    s = Dummy("s", positive=True)
    image = {k: s**j for k, j in powers.items()}
    far = {k: Integer(10) ** (6 * j) for k, j in powers.items()}
    if not domain.contains({**domain.witness, **far}):
        return {}
    others = domain.restricted(set(domain.ranges) - set(powers))
    ranges = {
        k: replace(r, low=r.low.xreplace(image), high=r.high.xreplace(image))
        for k, r in others.ranges.items()
    }
    along = Domain({s: Range(S.One, oo), **ranges}, {s: Integer(10) ** 6, **others.witness})
    shown = ", ".join(f"{k} = s^{j}" for k, j in powers.items())
    return {shown: limit(expression.xreplace(image), s, oo, along)}


# --- where the limit is taken ---------------------------------------------------------------
#: Parameter points at which a limit is compared with values.
POINTS = 3


def _few_points(domain: Domain) -> list[dict[Symbol, Expr]]:
    found = [dict(domain.witness), *domain.generic_points(2 * POINTS)] if domain.ranges else [{}]
    return [p for p in found if domain.contains(p)][:POINTS]


def _image(x: Symbol, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    """The symbol, where x -> oo takes it to the point from inside its range."""
    r = domain.ranges.get(symbol, Range(-oo, oo))
    if point in (oo, -oo):
        if (r.high if point is oo else r.low) is not point:
            raise NoLimit(f"{symbol} is {r} and does not go to {point}")
        return x if point is oo else -x
    if r.integer or symbol in point.free_symbols:
        raise NoLimit(f"{symbol} is {r} and comes no closer to {point}")
    if point == r.high:
        return point - 1 / x
    if point != r.low and not (point == 0 and r.low.is_nonpositive and r.high.is_nonnegative):
        raise NoLimit(f"limits are taken at oo, 0 and the ends of a range, and {symbol} is {r}")
    return point + 1 / x


def _others(domain: Domain, symbol: Symbol, point: Expr, used: set[Symbol]) -> Domain:
    """The other symbols, within ranges in which any fixed value is admissible in the end."""
    wanted = set[Symbol]()
    todo = used - {symbol}
    while todo:
        s = todo.pop()
        wanted.add(s)
        r = domain.ranges.get(s, Range(-oo, oo))
        todo |= (r.low.free_symbols | r.high.free_symbols) - wanted - {symbol}
    found = domain.restricted(wanted - {symbol})
    for s, r in found.ranges.items():
        if symbol not in r.low.free_symbols | r.high.free_symbols:
            continue
        low, low_open = _end(r.low, r.low_open, 1, symbol, point, domain)
        high, high_open = _end(r.high, r.high_open, -1, symbol, point, domain)
        if oo in (low, -high):
            raise NoLimit(f"{s} must be {r}, and no fixed value is")
        found = _with_range(
            found, s, replace(r, low=low, high=high, low_open=low_open, high_open=high_open)
        )
    return with_assumed(found, wanted)


def _with_range(domain: Domain, s: Symbol, r: Range) -> Domain:
    for value in (domain.witness[s], r.low + 1, (r.low + r.high) / 2):
        try:
            return domain.with_range(s, r, domain.witness_of(value))
        except (DomainError, TypeError):
            continue
    raise NoLimit(f"no point was found with {s} {r}")


def _end(
    end: Expr, is_open: bool, side: int, symbol: Symbol, point: Expr, domain: Domain
) -> tuple[Expr, bool]:
    """Where an end of a range goes; open if it stays inside of where it goes."""
    if symbol not in end.free_symbols:
        return end, is_open
    x = Dummy("x", positive=True)
    growth = Growth(x, Signs(domain.restricted(end.free_symbols - {symbol})))
    end = end.xreplace({symbol: _image(x, symbol, point, domain)})
    goal = growth.limit(end)
    inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0
    return goal, inside


# --- the limit ------------------------------------------------------------------------------
class _Limit:
    """The limit of expressions in one symbol, as those in x -> oo."""

    def __init__(self, symbol: Symbol, point: Expr, domain: Domain, used: set[Symbol]):
        self.x = Dummy("x", positive=True)
        self.rules = {symbol: _image(self.x, symbol, point, domain)}
        self.domain = _others(domain, symbol, point, used)

    def __call__(self, expression: Expr) -> Expr:
        return self._of(_with_plain_powers(put_in(expression, self.rules), self.x))

    def _of(self, e: Expr) -> Expr:
        """The limit of an expression in x."""
        if self.x not in e.free_symbols:
            return e
        e = self._with_cases_decided(e)
        limits: dict[Symbol, Expr] = {}
        stand_ins: dict[Expr, Expr] = {}
        for part in in_order(_outermost(e)):
            stand_in = stand_ins[part] = Dummy("v", real=True)
            limits[stand_in] = self._of_part(part)
        e = e.xreplace(stand_ins)
        unbounded = [v for v, a in limits.items() if a in (oo, -oo)]
        if unbounded and e.free_symbols & {self.x, *limits} == set(unbounded[:1]):
            # It depends on x through one part alone.
            e = e.xreplace({unbounded[0]: self.x if limits[unbounded[0]] is oo else -self.x})
        elif unbounded:
            raise NoLimit("a root grows, at a rate that is not known")
        sign = Signs(self.domain, limits)
        try:
            found = Growth(self.x, sign).limit(neat(e))
        except UnknownSign:
            # Written out, exponentials of sums may cancel: exp((a - b) n)/exp(a n).
            apart = _with_exponents_apart(e, self.x)
            if apart == e:
                raise
            found = Growth(self.x, sign).limit(neat(apart))
        if found in (oo, -oo):
            return found
        found = found.xreplace(limits)
        if found.has(S.NaN, S.ComplexInfinity, oo, -oo):
            raise NoLimit("it is not continuous where a part of it goes")
        return found

    # --- cases and maxima -------------------------------------------------------------
    def _with_cases_decided(self, e: Expr) -> Expr:
        """Without case distinctions and maxima that are decided from some x on."""
        if self.x not in e.free_symbols or isinstance(e, ClampedRoot) or not e.args:
            return e
        if isinstance(e, Piecewise):
            return self._with_cases_decided(self._case(e))
        e = e.func(*(self._with_cases_decided(a) for a in e.args)) if e.has(*_CASES) else e
        if isinstance(e, (Max, Min)):
            return self._winner(e)
        return e

    def _sign(self, e: Expr) -> int:
        if e.has(*_PARTS):
            raise NoLimit("a comparison depends on a root")
        return Growth(self.x, Signs(self.domain)).sign(neat(e))

    def _case(self, e: Piecewise) -> Expr:
        for value, condition in e.args:
            if condition == True:  # noqa: E712
                return value
            if not isinstance(condition, Relational):
                raise NoLimit(f"the case {condition} is not decided far out")
            sign = self._sign(condition.lhs - condition.rhs)
            if condition.func(sign, 0) == True:  # noqa: E712
                return value
        raise NoLimit("no case applies far out")

    def _winner(self, e: Expr) -> Expr:
        best, *rest = e.args
        try:
            for a in rest:
                sign = self._sign(a - best)
                best = a if (sign > 0) is isinstance(e, Max) and sign else best
        except NoLimit:
            return e  # it is continuous: the limits of its arguments will do
        return best

    # --- parts that are taken by themselves -------------------------------------------
    def _of_part(self, part: Expr) -> Expr:
        if self.x not in part.free_symbols:
            return part
        if isinstance(part, ClampedRoot):
            return self._of_root(part)
        return part.func(*(self._of(a) for a in part.args))

    def _of_root(self, root: ClampedRoot) -> Expr:
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
        sign = Signs(_with_range(free, y, Range(low, high, True, True)))
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
_CASES = (Piecewise, Max, Min)
_PARTS = (ClampedRoot, Max, Min, Piecewise)


def _outermost(e: Expr) -> set[Expr]:
    if isinstance(e, (ClampedRoot, Max, Min)) or (isinstance(e, NumberSymbol) and e is not S.Exp1):
        return {e}
    return set().union(*(_outermost(a) for a in e.args)) if e.args else set()


def _with_plain_powers(e: Expr, x: Symbol) -> Expr:
    """Write a^b as exp(b log a) where x is in the exponent."""
    if x not in e.free_symbols or isinstance(e, ClampedRoot) or not e.args:
        return e
    args = [_with_plain_powers(a, x) for a in e.args]
    if e.is_Pow and not isinstance(e, exp) and x in e.exp.free_symbols:
        return exp(args[1] * log(args[0]))
    return e if tuple(args) == e.args else e.func(*args)


def _with_exponents_apart(e: Expr, x: Symbol) -> Expr:
    """Write exp(a + b) as a product where x is in it."""
    rules = {
        a: Mul(*(exp(term) for term in Add.make_args(a.args[0].expand())), evaluate=False)
        for a in e.atoms(exp)
        if x in a.free_symbols
    }
    return e.xreplace(rules)
