"""Limits of rational functions of exponentials, logarithms, roots and clamped roots."""

from __future__ import annotations

from sympy import (
    Dummy,
    Expr,
    Lambda,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    S,
    Symbol,
    exp,
    log,
    oo,
    zoo,
)
from sympy.polys.rings import PolyElement

from .decide import positive, zero
from .domain import Domain, Range
from .evidence import Evidence, Grade, Holds, Outcome, Undecided
from .normal import ExpField, NotInField, in_order
from .present import tidy
from .root import ClampedRoot


class NoLimit(ValueError):
    """The limit does not exist, or is not one that the engine can take."""


def limit(expression: Expr, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    """Limit as ``symbol`` goes to ``oo`` or to ``0`` from above, elsewhere in ``domain``.

    Raises
    ------
    NoLimit
        If the engine cannot take it.
    """
    if symbol not in expression.free_symbols:
        return expression
    if expression.has(Piecewise):
        raise NoLimit("a case distinction has no limit that is taken here")
    if point not in (S.Zero, oo):
        raise NoLimit(f"limits are taken at 0 and oo, not at {point}")
    expression = _joined_roots(expression)
    stand_ins: dict[Expr, Expr] = {}
    values: dict[Symbol, Expr] = {}
    for part in in_order(_outermost(expression, symbol)):
        stand_ins[part] = Dummy("v", nonnegative=True)
        values[stand_ins[part]] = _limit_of_part(part, symbol, point, domain)
    expression = expression.xreplace(stand_ins)
    constants = {
        e: Dummy("c", positive=e.is_positive or None)
        for e in in_order(
            e
            for e in expression.atoms(exp, log, Pow, ClampedRoot)
            if not (isinstance(e, Pow) and e.exp.is_Integer) and symbol not in e.free_symbols
        )
    }
    domain = domain.with_positive(c for c in constants.values() if c.is_positive)
    roots = [v for part, v in stand_ins.items() if isinstance(part, (ClampedRoot, Pow))]
    for v in roots:
        domain = domain.with_range(v, Range(low_open=False), 1)
    found = _rational_limit(expression.xreplace(constants), values, symbol, point, domain)
    back = {c: e for e, c in constants.items() if c in found.free_symbols}
    found = tidy(found.xreplace(back))
    if found is zoo:
        raise NoLimit("it grows without bound, with a sign that is not known")
    return found


def is_limit(expression: Expr, symbol: Symbol, point: Expr, value: Expr, domain: Domain) -> Outcome:
    """Whether a value is proved to be the limit."""
    try:
        found = limit(expression, symbol, point, domain)
    except NoLimit as error:
        return Undecided(str(error))
    if found == value:
        return Holds(Evidence(Grade.EXACT, "the leading terms decide"))
    return zero(found - value, domain)


def _joined_roots(e: Expr) -> Expr:
    """Write sqrt(a) sqrt(b) / sqrt(c) as one root, since its parts may have no limit."""
    if isinstance(e, ClampedRoot) or len(_half_powers(e)) < 2:
        return e
    if e.is_Mul:
        halves = [a for a in e.args if a.is_Pow and abs(a.exp) == S.Half]
        if len(halves) > 1:
            inside = Mul(*(a.base ** (2 * a.exp) for a in halves))
            rest = [_joined_roots(a) for a in e.args if a not in halves]
            return Mul(Pow(tidy(inside), S.Half, evaluate=False), *rest, evaluate=False)
    return e.func(*(_joined_roots(a) for a in e.args))


def _half_powers(e: Expr) -> set[Expr]:
    return {a for a in e.atoms(Pow) if abs(a.exp) == S.Half}


def _outermost(e: Expr, symbol: Symbol) -> set[Expr]:
    if symbol not in e.free_symbols:
        return set()
    rooted = isinstance(e, Pow) and not isinstance(e, exp) and not e.exp.is_Integer
    if isinstance(e, (log, ClampedRoot, Max, Min)) or rooted:
        return {e}
    return set().union(*(_outermost(a, symbol) for a in e.args)) if e.args else set()


def _limit_of_part(part: Expr, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    if isinstance(part, ClampedRoot):
        return _limit_of_root(part, symbol, point, domain)
    if isinstance(part, Pow):
        base = limit(part.base, symbol, point, domain)
        return base**part.exp
    values = [limit(a, symbol, point, domain) for a in part.args]
    if isinstance(part, log):
        if values[0] == 0:
            return -oo
        return log(values[0], evaluate=not values[0].free_symbols)
    return part.func(*values)


def _limit_of_root(root: ClampedRoot, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    # h over its leading power of the symbol converges uniformly on the bracket, and the
    # zero of a strictly increasing limit is the limit of the zeros.
    h, x = root.equation()
    if point is not oo:
        raise NoLimit(f"a root is only followed to {symbol} = oo")
    field = ExpField([h])
    element = field(h)
    if any(symbol in e.free_symbols for e in field.exponents.values()):
        try:
            h = h.xreplace({e: exp(limit(e.args[0], symbol, point, domain)) for e in h.atoms(exp)})
        except NoLimit:
            raise NoLimit(f"exponentials of {symbol} compete along the bracket") from None
        field = ExpField([h])
        element = field(h)
    if symbol in element.numer.ring.symbols:
        numer, top = _leading(element.numer, symbol)
        denom, bottom = _leading(element.denom, symbol)
        del top, bottom
        h = field.back(numer) / field.back(denom)
    high = limit(root.high, symbol, point, domain)
    found = ClampedRoot(Lambda(x, h), limit(root.low, symbol, point, domain), high)
    closed = found.closed_form(domain)
    return found if closed is None else closed


def _rational_limit(
    expression: Expr,
    values: dict[Symbol, Expr],
    symbol: Symbol,
    point: Expr,
    domain: Domain,
) -> Expr:
    infinite = {v: a for v, a in values.items() if a in (oo, -oo)}
    finite = {v: a for v, a in values.items() if v not in infinite}
    small = {v: 1 / Dummy("big", positive=True) for v in infinite}
    expression = expression.xreplace(
        {v: (1 if infinite[v] is oo else -1) / small[v].args[0] ** -1 for v in infinite}
    )
    bigs = [small[v].args[0] for v in infinite]
    try:
        field = ExpField([expression])
        element = field(expression)
    except NotInField as error:
        raise NoLimit(str(error)) from error
    numer, denom = element.numer, element.denom
    orders: list[int] = []
    constants: dict[Symbol, Expr] = {}
    for y, exponent in field.exponents.items():
        if symbol not in exponent.free_symbols:
            continue
        goal = limit(exponent, symbol, point, domain)
        if goal in (oo, -oo):
            pick = _leading if goal is oo else _trailing
            numer, top = pick(numer, y)
            denom, bottom = pick(denom, y)
            orders.append((top - bottom) * (1 if goal is oo else -1))
        else:
            constants[y] = exp(goal)
    if len([k for k in orders if k]) > 1:
        raise NoLimit("several exponentials compete")
    for big in bigs:
        numer, top = _leading(numer, big)
        denom, bottom = _leading(denom, big)
        orders.append(top - bottom)
    if any(orders):
        order = next(k for k in orders if k)
    else:
        pick = _leading if point is oo else _trailing
        numer, top = pick(numer, symbol)
        denom, bottom = pick(denom, symbol)
        order = (top - bottom) * (1 if point is oo else -1)
    ratio = (numer.as_expr() / denom.as_expr()).xreplace({**field.atoms, **constants})
    ratio = ratio.xreplace(finite)
    if order < 0:
        return S.Zero
    if order > 0:
        if isinstance(positive(ratio, domain), Holds):
            return oo
        if isinstance(positive(-ratio, domain), Holds):
            return -oo
        raise NoLimit("it grows without bound, with a sign that depends on the parameters")
    return ratio


def _leading(poly: PolyElement, symbol: Symbol) -> tuple[PolyElement, int]:
    return _extreme(poly, symbol, max)


def _trailing(poly: PolyElement, symbol: Symbol) -> tuple[PolyElement, int]:
    return _extreme(poly, symbol, min)


def _extreme(poly: PolyElement, symbol: Symbol, which: object) -> tuple[PolyElement, int]:
    ring = poly.ring
    names = list(ring.symbols)
    if symbol not in names:
        return poly, 0
    i = names.index(symbol)
    degree = which(monom[i] for monom in poly.monoms())  # type: ignore[operator]
    kept = {
        tuple(0 if j == i else k for j, k in enumerate(monom)): c
        for monom, c in poly.terms()
        if monom[i] == degree
    }
    return ring.from_dict(kept), degree
