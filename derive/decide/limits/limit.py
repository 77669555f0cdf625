"""Limits at oo, at 0 and at the ends of ranges: proved by growth, then looked at far out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import mpmath
from sympy import Expr, S, Symbol, oo, preorder_traversal

from ..domain import Domain, Range
from ..equal import equal
from ..evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..expectation import Expectation
from ..normal import NotInField
from ..present import put_in
from .draws import limit_of_draws
from .faraway import TINY, Supported, compared
from .follow import Follow, X
from .signs import NoLimit, neat
from .toward import image_of, others_of, with_ranges

__all__ = ["NoLimit", "approaches", "is_limit", "joint_limit", "limit"]


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
    known = tuple(domain.ranges.items()), tuple(domain.witness.items())
    return _limit(expression, symbol, point, *known)


@lru_cache(maxsize=1024)
def _limit(
    expression: Expr,
    symbol: Symbol,
    point: Expr,
    ranges: tuple[tuple[Symbol, Range], ...],
    witness: tuple[tuple[Symbol, Expr], ...],
) -> Expr:
    """A limit is taken once: to be had, to be stated, and to be put in."""
    domain = Domain(dict(ranges), dict(witness))
    if symbol not in expression.free_symbols:
        return expression
    for part in preorder_traversal(expression):
        if hasattr(part, "no_limit") and symbol in part.free_symbols:
            raise NoLimit(part.no_limit)
    if expression.has(Expectation):
        return _of_draws(expression, symbol, point, domain)
    try:
        others = others_of(domain, symbol, point, expression.free_symbols)
        image = image_of(X, symbol, point, domain)
        found = neat(Follow(others)(put_in(expression, {symbol: image})))
    except RecursionError:
        raise NoLimit("the expression is too deeply nested") from None
    except NotInField as error:
        raise NoLimit(str(error)) from None
    seen = approaches(expression, symbol, point, found, domain)
    if isinstance(seen, Refuted):
        raise NoLimit(f"{found} was found, but values as far as they are tried do not approach it")
    if not isinstance(seen, Supported):
        raise NoLimit(f"{found} was found, but it could not be compared with values")
    return found


def _of_draws(expression: Expr, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    """The limit of what has means in it, compared with values where all else is a number."""
    if point not in (oo, S.Zero):
        raise NoLimit("of means over draws limits are taken at oo and 0 only")
    found = limit_of_draws(expression, symbol, domain, lambda e, s, d: limit(e, s, point, d))
    if isinstance(approaches(expression, symbol, point, found, domain), Refuted):
        raise NoLimit(f"{found} was found, but values far out do not approach it")
    return found


def joint_limit(expression: Expr, point: Mapping[Symbol, Expr], domain: Domain) -> Expr:
    """Put values in; take the limit in a symbol at ``oo``, and at ends that divide by zero.

    Raises
    ------
    NoLimit
        If the limit is not known, or several symbols of the expression are at ``oo``.
    """
    finite = {s: v for s, v in point.items() if v is not oo}
    here = with_values(domain, finite)
    expression = _put_in_or_approached(expression, finite, domain)
    far = [s for s, v in point.items() if v is oo and s in expression.free_symbols]
    if len(far) > 1:
        names = ", ".join(s.name for s in far)
        raise NoLimit(f"it depends on {names}, only one of which may be oo")
    return limit(expression, far[0], oo, here) if far else expression


def approaches(
    expression: Expr,
    symbol: Symbol,
    point: Expr,
    value: Expr,
    domain: Domain,
    *,
    tiny: mpmath.mpf = TINY,
) -> Outcome:
    """Whether values far out approach what is said to be the limit (``oo`` and ``-oo`` as well).

    Never holds: ``Refuted`` where they do not, ``Supported`` where they do, else ``Undecided``.
    A distance of ``tiny`` has arrived.
    """
    try:
        others = others_of(domain, symbol, point, expression.free_symbols | value.free_symbols)
        expression = put_in(expression, {symbol: image_of(X, symbol, point, domain)})
    except NoLimit as error:
        return Undecided(str(error))
    outcome: Outcome = Undecided("there are no values to compare with")
    for parameters in _few_points(others):
        try:
            seen = compared(expression, X, value, parameters, tiny)
            if parameters and not isinstance(seen, (Refuted, Supported)):
                # Put in, something may cancel that does not beside.
                at, goal = put_in(expression, parameters), put_in(value, parameters)
                seen = compared(at, X, goal, tiny=tiny)
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
    try:
        own = limit(expression, symbol, point, domain)
        if own == value:  # which was compared with values far out
            return PROVED
        seen = approaches(expression, symbol, point, value, domain)
        if isinstance(seen, Refuted):
            return seen
        others = others_of(domain, symbol, point, own.free_symbols | value.free_symbols)
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


# --- values put in ----------------------------------------------------------------------------
def with_values(domain: Domain, values: Mapping[Symbol, Expr]) -> Domain:
    """The other symbols, with values put into their ranges."""
    found = domain.restricted(set(domain.ranges) - set(values))
    changed = {
        s: replace(r, low=r.low.xreplace(dict(values)), high=r.high.xreplace(dict(values)))
        for s, r in found.ranges.items()
        if (r.low.free_symbols | r.high.free_symbols) & set(values)
    }
    return with_ranges(found, changed)


def _put_in_or_approached(expression: Expr, values: Mapping[Symbol, Expr], domain: Domain) -> Expr:
    """The value or, where that divides by zero, the limit from inside the ranges."""
    found = put_in(expression, values)
    if not found.has(S.ComplexInfinity, S.NaN):
        return found
    limits = set[Expr]()
    for s, value in values.items():
        others = {k: v for k, v in values.items() if k is not s}
        r = with_values(domain, others).ranges.get(s)
        if r is None or r.integer or value not in (r.low, r.high):
            continue
        rest = put_in(expression, others)
        if not rest.has(S.ComplexInfinity, S.NaN):
            limits.add(limit(rest, s, value, with_values(domain, others)))
    if len(limits) != 1:
        raise NoLimit("it divides by zero there")
    return limits.pop()


#: Parameter points at which a limit is compared with values.
POINTS = 3


def _few_points(domain: Domain) -> list[dict[Symbol, Expr]]:
    found = [dict(domain.witness), *domain.generic_points(2 * POINTS)] if domain.ranges else [{}]
    return [p for p in found if domain.contains(p)][:POINTS]
