"""Does a printed expression have a value wherever the derived one has?

Each logarithm, root and divisor is asked, also those that are gone since they cancelled.
What the derived expression needs as well is given. At an end of the domain where the derived
one has no value (it may be a limit there) nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, reduce

from sympy import (
    QQ,
    Abs,
    Add,
    Expr,
    Max,
    Min,
    Mul,
    Piecewise,
    Poly,
    PolynomialError,
    S,
    Symbol,
    exp,
    gcd,
    ilcm,
    log,
    nan,
    oo,
    zoo,
)

from .cases import opened, resolved
from .coefficients import closure
from .defined import Condition, Need, conditions, defined, fails, is_met
from .domain import Domain, DomainError, Range
from .evidence import Holds
from .normal import ExpField, NotInField, canonical, in_order
from .number import sign, value_at
from .root import ClampedRoot

Point = dict[Symbol, Expr]

#: What is enough for a need: a base that is positive is no zero divisor.
_ENOUGH: Mapping[Need, tuple[Need, ...]] = {
    "> 0": ("> 0",),
    ">= 0": ("> 0", ">= 0"),
    "!= 0": ("> 0", "!= 0"),
    "known": ("known",),
}


def wanting(needed: Iterable[Condition], derived: Expr, domain: Domain) -> list[Condition]:
    """The conditions that are not proved to hold wherever the derived expression has a value."""
    has = [part for c in conditions(derived) for part in by_factors(c)]
    same = {(part.need, part.argument) for part in has}
    asked = [part for c in dict.fromkeys(needed) for part in by_factors(c)]
    asked = [part for part in asked if (part.need, part.argument) not in same]
    given: dict[Need, set[Expr]] = {"> 0": set(), ">= 0": set(), "!= 0": set(), "known": set()}
    for part in has if asked else ():
        given[part.need] |= _forms(part.argument, part.need)
    return [
        part
        for part in asked
        if not any(_forms(part.argument, part.need) & given[n] for n in _ENOUGH[part.need])
        and not _is_met(part, derived, domain)
    ]


def lost_at_ends(
    needed: Iterable[Condition], printed: Expr, derived: Expr, domain: Domain, *, explicit: bool
) -> list[Condition]:
    """The conditions that make a formula 0/0 where the derived value is infinite, at an end.

    Those are all that fail there, if it has no value there at all, and else those that are gone
    since they cancelled: of 1/0 itself the condition is left.
    """
    left: dict[Expr, Expr] = {}
    for part, order in _orders((*conditions(printed), *conditions(derived))):
        for form in _forms(part.argument, part.need):
            left[form] = max(order, left.get(form, S.Zero))
    found: list[Condition] = []
    for end in _ends(domain):
        at_end = {s: v.xreplace(end) for s, v in {**domain.witness, **end}.items()}
        if derived.xreplace(at_end).has(zoo, oo, -oo):
            nothing = explicit and printed.xreplace(at_end) is nan
            for c, order in _orders(needed):
                kept = max(left.get(f, S.Zero) for f in _forms(c.argument, c.need))
                if (nothing or kept < order) and not _is_met_at(c, end, domain):
                    found.append(c)
    return found


def _orders(every: Iterable[Condition]) -> Iterator[tuple[Condition, Expr]]:
    """Conditions on factors, and how often each factor divides."""
    for part in (part for c in every for part in by_factors(c)):
        order = S.One
        if part.need == "!= 0" and part.part.is_Pow:
            order = -part.part.exp * part.part.base.as_powers_dict().get(part.argument, S.One)
        yield part, order if order.is_Rational else S.One


def by_factors(c: Condition) -> Iterator[Condition]:
    """A condition on each factor of a product that must not be zero; else the condition."""
    if c.need != "!= 0":
        yield c
        return
    for factor in Mul.make_args(c.argument):
        base = factor.base if factor.is_Pow and not isinstance(factor, exp) else factor
        if not isinstance(factor, exp) and not (base.is_Rational and base != 0):
            yield replace(c, argument=base)


@lru_cache(maxsize=4096)
def _forms(argument: Expr, need: Need) -> frozenset[Expr]:
    """Arguments that satisfy a need where this one does."""
    try:
        if need == "!= 0":
            return frozenset({argument, _zeros_of(argument)})
        return frozenset({argument, canonical(argument), canonical(1 / argument)} - {zoo, nan})
    except (NotInField, ZeroDivisionError):
        return frozenset({argument})


def _zeros_of(argument: Expr) -> Expr:
    """What has the same zeros, and is the same for each multiple by a number."""
    field = ExpField([argument])
    _, numerator = field(argument).numer.primitive()
    found = field.back(numerator if numerator.leading > 0 else -numerator)
    if isinstance(found, log):  # log(A) vanishes where log(1/A) does
        return min(found, log(canonical(1 / found.args[0]), evaluate=False), key=str)
    return found


def _is_met(c: Condition, derived: Expr, domain: Domain) -> bool:
    used = c.argument.free_symbols
    if not used <= set(domain.ranges):
        return False
    if is_met(c, domain):
        return True
    which = {Min: all, Max: any}.get(c.argument.func)
    need = "> 0" if c.need == "!= 0" else c.need
    if which and which(
        _is_met(replace(c, argument=a, need=need), derived, domain) for a in c.argument.args
    ):
        return True
    if c.argument.has(Abs, Max, Min):
        plain = resolved(c.argument, domain)
        if plain != c.argument:
            return _is_met(replace(c, argument=plain), derived, domain)
    joined = _joined(c.argument)
    if joined is not None:
        return _is_met(replace(c, argument=joined), derived, domain)
    if not _has_gaps(derived, domain) or not is_met(c, opened(domain)):
        return False
    return all(
        _has_no_value(derived.xreplace(end)) or _is_met_at(c, end, domain) for end in _ends(domain)
    )


def _joined(e: Expr) -> Expr | None:
    """For a sum of multiples of logarithms, what has the same sign: A/B - 1 for log(A) - log(B)."""
    terms = [term.as_coeff_Mul() for term in Add.make_args(e)]
    if len(terms) < 2 or not all(k.is_Rational and isinstance(a, log) for k, a in terms):
        return None
    scale = ilcm(*(k.q for k, _ in terms))
    if any(abs(k) * scale > 4 for k, _ in terms):
        return None
    return Mul(*(a.args[0] ** (k * scale) for k, a in terms)) - 1


def _has_gaps(derived: Expr, domain: Domain) -> bool:
    """Whether the derived value is not proved to exist at the ends of the domain too."""
    return not isinstance(defined(derived, domain), Holds)


def _ends(domain: Domain) -> Iterator[Point]:
    """The ends that belong to the intervals that :func:`~.cases.opened` opens."""
    for s, r in domain.ranges.items():
        if not (r.integer or r.high_open):
            yield {s: r.high}
            if not r.low_open:
                yield {s: r.low}


def _has_no_value(e: Expr) -> bool:
    return e.has(zoo, nan, oo, -oo)


def _is_met_at(c: Condition, end: Point, domain: Domain) -> bool:
    ranges = {
        s: replace(r, low=r.low.xreplace(end), high=r.high.xreplace(end))
        for s, r in domain.ranges.items()
        if s not in end
    }
    argument = c.argument.xreplace(end)
    return not _has_no_value(argument) and is_met(
        replace(c, argument=argument), Domain.of_ranges(ranges)
    )


# --- where they fail ---------------------------------------------------------------------
def is_isolated(c: Condition, domain: Domain) -> bool:
    """Whether a condition fails at most at zeros that do not fill the domain.

    What is made of rational functions, exponentials, logarithms and roots is analytic: it has
    only such zeros if it is proved not to be zero at one point.
    """
    argument = c.argument
    if c.need != "!= 0" or argument.has(Abs, Max, Min, Piecewise, ClampedRoot):
        return False
    if not argument.free_symbols <= set(domain.ranges):
        return False
    points = domain.restricted(closure(argument.free_symbols, domain)).points(8)
    return any(sign(argument.xreplace(point)) in (1, -1) for point in points)


def place(c: Condition, derived: Expr, domain: Domain) -> Point | None:
    """An admissible point at which a condition fails and the derived expression has a value."""
    used = c.argument.free_symbols | derived.free_symbols
    if not used <= set(domain.ranges):
        return None
    near = domain.restricted(closure(used, domain))
    for point in (*near.points(60), *near.generic_points(24), *_zeros(c.argument, near)):
        value = value_at(c.argument, point)
        if value is not None and fails(c.need, value) and value_at(derived, point) is not None:
            return {s: v for s, v in point.items() if s in used}
    return None


def _zeros(argument: Expr, domain: Domain) -> Iterator[Point]:
    """Points at which a polynomial in one of the symbols has a rational zero."""
    for point in (domain.witness, *domain.points(8)):
        for s in in_order(argument.free_symbols):
            if not isinstance(s, Symbol) or s not in point:
                continue
            for root in _rational_zeros(
                argument.xreplace({k: point[k] for k in point if k != s}), s
            ):
                at_root = {**point, s: root}
                if domain.contains(at_root):
                    yield at_root


def _rational_zeros(e: Expr, s: Symbol) -> list[Expr]:
    """Rational zeros of a polynomial, whatever the irrational constants in it may be.

    It is sorted by products of these constants, and what vanishes is what all parts share: to
    factor it with the constants as further variables can take for ever.
    """
    if s not in e.free_symbols:
        return []
    try:
        poly = Poly(e)
    except PolynomialError:
        return []
    constants = [g for g in poly.gens if g != s]
    known = poly.domain.is_ZZ or poly.domain.is_QQ
    if not known or s not in poly.gens or any(s in g.free_symbols for g in constants):
        return []
    parts = Poly(e, *constants, domain=QQ[s]).coeffs() if constants else [e]
    shared = reduce(gcd, (Poly(part, s, domain=QQ) for part in parts))
    return list(shared.ground_roots())


def closed_again(part: Domain, whole: Domain) -> Domain:
    """A part of an opened domain, with the ends that it shares with the whole."""
    ranges: dict[Symbol, Range] = {}
    for s, r in part.ranges.items():
        ends = whole.ranges.get(s, r)
        ranges[s] = replace(
            r,
            low_open=r.low_open and (r.low != ends.low or ends.low_open),
            high_open=r.high_open and (r.high != ends.high or ends.high_open),
        )
    try:
        return Domain(ranges, part.witness)
    except DomainError:
        return part
