"""Deciding "is it zero?" and "is it positive?" on a domain: holds, refuted or undecided.

Proofs are algebraic (a normal form; polynomials whose coefficients have one sign
after the domain was put in by substitution). Sampling only refutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from sympy import Dummy, Expr, S, Symbol
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, PolyRing

from .domain import Case, Domain
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .normal import ExpField, NotInField
from .ratio import NotRational, Ratio, reader

#: Values are computed to this many digits when a statement is to be refuted ...
DIGITS = 50
#: ... and must differ by more than this to count as different.
CLOSE = S(10) ** (10 - DIGITS)
PROVED = "all coefficients are non-negative once the domain is put in"


def zero(expression: Expr, domain: Domain) -> Outcome:
    """Decide whether an expression vanishes identically on a domain."""
    if expression == 0:
        return Holds(Evidence(Grade.EXACT, "identical"))
    try:
        if ExpField([expression]).vanishes(expression):
            return Holds(Evidence(Grade.EXACT, "the residual is identically zero"))
    except NotInField:
        pass
    for point, (value,) in _points_and_values([expression], domain):
        if abs(value) > CLOSE:
            return Refuted(_named(point), f"the residual is {value.n(6)}")
    return Undecided("no normal form, and no point found where the residual is not zero")


def positive(expression: Expr, domain: Domain, *, strict: bool = True) -> Outcome:
    """Decide whether an expression is > 0 (or, not strict, >= 0) everywhere on a domain."""
    return any_positive([expression], domain, strict=strict)


def all_zero(expressions: Sequence[Expr], domain: Domain) -> Outcome:
    """Decide whether all of several expressions vanish identically on a domain."""
    try:
        field = ExpField(expressions)
        if all(e == 0 or field.vanishes(e) for e in expressions):
            return Holds(Evidence(Grade.EXACT, "the residual is identically zero"))
    except NotInField:
        pass
    outcomes = [zero(e, domain) for e in expressions]
    failed = [o for o in outcomes if not isinstance(o, Holds)]
    return failed[0] if failed else outcomes[0]


def proof_of_positive(expression: Expr, domain: Domain, *, strict: bool = True) -> Holds | None:
    """A proof of > 0 (>= 0), or None; unlike :func:`positive` this looks for no refutation."""
    if not expression.free_symbols <= set(domain.ranges):
        return None
    needed = domain.restricted(_closure(expression.free_symbols, domain))
    return Holds(Evidence(Grade.EXACT, PROVED)) if _prove([expression], needed, strict) else None


def is_proved_positive(expression: Expr, domain: Domain, *, strict: bool = True) -> bool:
    """Whether > 0 (>= 0) can be proved."""
    return proof_of_positive(expression, domain, strict=strict) is not None


def any_positive(expressions: Sequence[Expr], domain: Domain, *, strict: bool = True) -> Outcome:
    """Decide whether the largest of several expressions is > 0 (or >= 0) on a domain.

    The domain is covered by a few parametrised cases; in each, one of the expressions
    must be proved positive.
    """
    used = set().union(*(e.free_symbols for e in expressions))
    if not used <= set(domain.ranges):
        return Undecided(f"the domain does not bound {used - set(domain.ranges)}")
    domain = domain.restricted(_closure(used, domain))
    if _prove(expressions, domain, strict):
        return Holds(Evidence(Grade.EXACT, PROVED))
    for point, values in _points_and_values(expressions, domain):
        largest = max(values)
        if largest < -CLOSE or (strict and largest.is_zero):
            return Refuted(_named(point), f"the value is {largest.n(6)}")
    return Undecided("the sign could not be proved, and no counterexample was found")


# --- internals ---------------------------------------------------------------------------
def _named(point: dict[Symbol, Expr]) -> dict[str, Expr]:
    return {s.name: v for s, v in point.items()}


def _points_and_values(
    expressions: Sequence[Expr], domain: Domain
) -> Iterator[tuple[dict[Symbol, Expr], list[Expr]]]:
    """Admissible points at which all expressions are finite real numbers, with their values."""
    used = set().union(*(e.free_symbols for e in expressions))
    if not used <= set(domain.ranges):
        return
    for point in domain.restricted(_closure(used, domain)).points():
        at = {s: v for s, v in point.items() if s in used}
        values = [_number(e.xreplace(at)) for e in expressions]
        if all(v.is_real and v.is_finite for v in values):
            yield at, values


def _number(value: Expr) -> Expr:
    return value if value.is_Rational else value.evalf(DIGITS, maxn=4 * DIGITS)


def _closure(used: Iterable[Symbol], domain: Domain) -> set[Symbol]:
    # Ranges may refer to other symbols; those are needed to draw a point.
    wanted = set(used)
    while True:
        more = {
            s
            for w in wanted
            if w in domain.ranges
            for s in domain.ranges[w].low.free_symbols | domain.ranges[w].high.free_symbols
        }
        if more <= wanted:
            return wanted
        wanted |= more


def _prove(expressions: Sequence[Expr], domain: Domain, strict: bool) -> bool:
    """Whether in every case of the domain one of the expressions is proved positive."""
    numbers = [e for e in expressions if not e.free_symbols]
    if any(e.is_positive or (not strict and e.is_zero) for e in numbers):
        return True
    readings: dict[Expr, tuple[ExpField, Ratio] | None] = {}

    def read(e: Expr) -> tuple[ExpField, Ratio] | None:
        if e not in readings:
            field = ExpField([e])
            try:
                readings[e] = field, field.ratio(e)
            except NotInField:
                readings[e] = None
        return readings[e]

    def proved(e: Expr, case: Case, sharp: bool) -> bool:
        found = read(e)
        return found is not None and _positive_case(*found, case, sharp, strict)

    # First take exponentials as positive unknowns, so that only symbols outside them
    # count; then use which exponentials are above 1.
    rest = [e for e in expressions if e.free_symbols]
    found = [reading for e in rest[:1] if (reading := read(e)) is not None]
    outside = set().union(*(_outside(*reading) for reading in found))
    if found:
        narrow = domain.restricted(_closure(outside, domain))
        if all(proved(rest[0], case, False) for case in narrow.cases()):
            return True
    return bool(rest) and all(
        any(proved(e, case, sharp) for sharp in (False, True) for e in rest)
        for case in domain.cases()
    )


def _outside(field: ExpField, ratio: Ratio) -> set[Symbol]:
    """Symbols that occur outside exponentials."""
    found = set()
    for poly in (ratio.numer, *ratio.denom):
        degrees = zip(field.ring.symbols, poly.degrees(), strict=True)
        found |= {s for s, d in degrees if d > 0 and s not in field.atoms}
    return found


def _positive_case(field: ExpField, ratio: Ratio, case: Case, sharp: bool, strict: bool) -> bool:
    if not ratio.numer:
        return not strict
    try:
        rules = _rules(field, case, sharp)
    except (NotInField, NotRational):
        return False
    return rules is not None and _ratio_is_positive(ratio, *rules, strict)


#: generator -> (numerator, positive denominator, may the new variable vanish?)
Rules = dict[PolyElement, tuple[PolyElement, PolyElement]]


def _rules(field: ExpField, case: Case, sharp: bool) -> tuple[PolyRing, Rules, set[Symbol]] | None:
    """How each generator is written in variables >= 0; the strict ones are > 0."""
    fresh = {y: Dummy(f"w{i}") for i, y in enumerate(field.atoms)}
    symbols = [s for s in field.ring.symbols if s in case.substitution]
    wanted = _reached(symbols, case)
    variables = [u for u in case.variables if u in wanted]
    ring = PolyRing([*variables, *fresh.values()], QQ)
    read = reader(ring)
    strict = set(case.strict) | set(fresh.values())
    rules: Rules = {}
    for y, w in fresh.items():
        exponent = field.exponents.get(y)
        one, v = ring.one, read(w).numer
        rules[y] = (v, one)
        if exponent is None and not (field.atoms[y].is_positive or field.atoms[y].is_Pow):
            raise NotInField(f"the sign of {field.atoms[y]} is not known")
        if exponent is None or not sharp:
            continue
        sign = _sign(read(exponent.xreplace(dict(case.substitution))), strict)
        if sign is None:
            continue
        if abs(sign) < 1:
            strict.discard(w)
        rules[y] = (one + v, one) if sign > 0 else (one, one + v)
    for s in symbols:
        image = read(case.substitution[s])
        below = ring.one
        for f, k in image.denom.items():
            below = below * f**k
        rules[s] = (image.numer, below)
    if sharp and not field.exponents:
        return None
    return ring, rules, strict


def _reached(symbols: Iterable[Symbol], case: Case) -> set[Symbol]:
    return set().union(*(case.substitution[s].free_symbols for s in symbols))


def _ratio_is_positive(
    ratio: Ratio, ring: PolyRing, rules: Rules, strict: set[Symbol], strictly: bool
) -> bool:
    total = Fraction(1)
    for poly, power in [(ratio.numer, 1), *ratio.denom.items()]:
        sign = _poly_sign(_substituted(poly, ring, rules), strict)
        if sign is None or (poly is not ratio.numer and abs(sign) < 1):
            return False
        total *= sign if power % 2 else abs(sign)
    return bool(total == 1 if strictly else total >= 0)


def _substituted(poly: PolyElement, ring: PolyRing, rules: Rules) -> PolyElement:
    """Put the rules in and clear their denominators, which are positive."""
    names = poly.ring.symbols
    degrees = poly.degrees()
    active = [(i, rules[s], d) for i, (s, d) in enumerate(zip(names, degrees, strict=True)) if d]
    powers: list[tuple[int, list[PolyElement]]] = []
    for i, (above, below), d in active:
        ups, downs = [ring.one], [ring.one]
        for _ in range(d):
            ups.append(ups[-1] * above)
            downs.append(downs[-1] * below)
        powers.append((i, [u * v for u, v in zip(ups, reversed(downs), strict=True)]))
    return _horner(poly, ring, powers)


def _horner(
    poly: PolyElement, ring: PolyRing, powers: list[tuple[int, list[PolyElement]]]
) -> PolyElement:
    if not powers:
        return ring.ground_new(poly.coeff(1) if poly else QQ(0))
    (i, table), rest = powers[0], powers[1:]
    slices: dict[int, dict[Any, Any]] = {}
    for monom, c in poly.terms():
        slices.setdefault(monom[i], {})[(*monom[:i], 0, *monom[i + 1 :])] = c
    total = ring.zero
    for k, part in slices.items():
        total += table[k] * _horner(poly.ring.from_dict(part), ring, rest)
    return total


def _sign(ratio: Ratio, strict: set[Symbol]) -> Fraction | None:
    """1 or -1 for a strict sign, 1/2 or -1/2 for one that may vanish, 0 for zero."""
    total = Fraction(1)
    for poly, power in [(ratio.numer, 1), *ratio.denom.items()]:
        sign = _poly_sign(poly, strict)
        if sign is None:
            return None
        total *= sign if power % 2 else abs(sign)
    return total


def _poly_sign(poly: PolyElement, strict: set[Symbol]) -> Fraction | None:
    coefficients = poly.coeffs()
    if not coefficients:
        return Fraction(0)
    if all(c > 0 for c in coefficients):
        sign = 1
    elif all(c < 0 for c in coefficients):
        sign = -1
    else:
        return None
    symbols = poly.ring.symbols
    sure = any(
        all(s in strict for s, k in zip(symbols, monom, strict=True) if k)
        for monom in poly.monoms()
    )
    return Fraction(sign, 1 if sure else 2)
