"""Proofs of a sign, of expressions that are known to have a value everywhere on a domain.

An expression is brought into the ring of its symbols, exponentials, logarithms and roots;
the domain is put in by substitution of variables that are >= 0; and coefficients of one sign
prove the sign. A generator has a sign only for a reason: an exponential is positive, a root
is not negative (and positive where its base is), a logarithm is as its argument against one.

That the expression has a value is for :mod:`.defined` to prove. Nothing here looks for a
refutation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import prod

from sympy import Dummy, Expr, Symbol, log

from .domain import Case, Domain, Range
from .normal import ExpField, NotInField, factor_list, is_opaque, is_power
from .number import sign as sign_of_number
from .polynomial import Poly, Ring
from .ratio import NotRational, Ratio, reader
from .symbols import symbols_of

#: No polynomial is formed that may have more terms: at a million one takes gigabytes.
MOST_TERMS = 100_000
#: 1 or -1 for a strict sign, 1/2 or -1/2 for one that may vanish, 0 for zero, None: not known.
Sign = Fraction | None
Reading = tuple[ExpField, Ratio]
Signs = Mapping[Symbol, Sign]


def proves(expression: Expr, domain: Domain, strict: bool = True) -> bool:
    """Whether an expression with a value everywhere is proved > 0 (>= 0)."""
    return proves_largest([expression], domain, strict)


def proves_largest(expressions: Sequence[Expr], domain: Domain, strict: bool = True) -> bool:
    """Whether in every case of the domain one of the expressions is proved > 0 (>= 0)."""
    needed = _needed(expressions, domain)
    if needed is None:
        return False
    return _proves_largest(tuple(expressions), tuple(needed.ranges.items()), strict)


def proves_nonzero(expression: Expr, domain: Domain) -> bool:
    """Whether an expression with a value everywhere is proved to vanish nowhere."""
    needed = _needed([expression], domain)
    return needed is not None and _proves_nonzero(expression, tuple(needed.ranges.items()))


def closure(used: Iterable[Symbol], domain: Domain) -> set[Symbol]:
    """The symbols, with those that their ranges refer to: what is needed to draw a point."""
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


# --- internals ---------------------------------------------------------------------------
Ranges = tuple[tuple[Symbol, Range], ...]


def _needed(expressions: Sequence[Expr], domain: Domain) -> Domain | None:
    used = set().union(*map(symbols_of, expressions))
    return domain.restricted(closure(used, domain)) if used <= set(domain.ranges) else None


@lru_cache(maxsize=4096)
def _proves_largest(expressions: tuple[Expr, ...], ranges: Ranges, strict: bool) -> bool:
    numbers = [e for e in expressions if not symbols_of(e)]
    if any(_fits(_number(e), strict) for e in numbers):
        return True
    domain = Domain.of_ranges(dict(ranges))
    rest = [e for e in expressions if symbols_of(e)]
    readings = [(*found, _signs(*found, domain)) for e in rest if (found := _read(e)) is not None]
    if not readings:
        return False

    def proved(reading: tuple[ExpField, Ratio, Signs], case: Case, sharp: bool) -> bool:
        field, ratio, signs = reading
        return _fits(_ratio_sign(field, ratio, signs, case, sharp), strict)

    # First take exponentials as positive unknowns, so that only symbols outside them
    # count; then use which exponentials are above 1.
    first = readings[0]
    narrow = domain.restricted(closure(_outside(*first[:2]), domain))
    if all(proved(first, case, False) for case in narrow.cases()):
        return True
    return all(
        any(proved(reading, case, sharp) for sharp in (False, True) for reading in readings)
        for case in domain.cases()
    )


@lru_cache(maxsize=4096)
def _proves_nonzero(expression: Expr, ranges: Ranges) -> bool:
    if not expression.free_symbols:
        return _number(expression) in (1, -1)
    domain = Domain.of_ranges(dict(ranges))
    found = _read(expression)
    if found is None:
        return False
    field, ratio = found
    signs = _signs(field, ratio, domain)
    if _keeps_sign(field, ratio.numer, signs, domain):
        return True
    _, factors = factor_list(ratio.numer)
    return len(factors) > 1 and all(_keeps_sign(field, f, signs, domain) for f, _ in factors)


def _keeps_sign(field: ExpField, poly: Poly, signs: Signs, domain: Domain) -> bool:
    """Whether a polynomial has a strict sign in every case."""
    ratio = Ratio(poly, {})
    narrow = domain.restricted(closure(_outside(field, ratio), domain))

    def strict(case: Case, sharp: bool) -> bool:
        return _ratio_sign(field, ratio, signs, case, sharp) in (1, -1)

    return all(strict(case, False) for case in narrow.cases()) or all(
        strict(case, False) or strict(case, True) for case in domain.cases()
    )


def _fits(sign: Sign, strict: bool) -> bool:
    return sign is not None and (sign == 1 if strict else sign >= 0)


def _number(e: Expr) -> Sign:
    """The sign of a number: by its digits, or zero by the normal form."""
    found = sign_of_number(e)
    if found is None and (reading := _read(e)) is not None and reading[0].vanishes(e):
        return Fraction(0)
    return None if found is None else Fraction(found)


@lru_cache(maxsize=1024)
def _read(e: Expr) -> Reading | None:
    try:
        field = ExpField([e])
        return field, field.ratio(e)
    except NotInField:
        return None


def _active(ratio: Ratio) -> set[Symbol]:
    """Generators that occur."""
    return {
        s
        for poly in (ratio.numer, *ratio.denom)
        for s, d in zip(poly.ring.symbols, poly.degrees(), strict=True)
        if d > 0
    }


def _outside(field: ExpField, ratio: Ratio) -> set[Symbol]:
    """Symbols that occur outside exponentials, logarithms and roots."""
    return _active(ratio) - set(field.atoms)


def _signs(field: ExpField, ratio: Ratio, domain: Domain) -> Signs:
    """Signs of the logarithms and roots that occur, on the whole domain."""
    active = _active(ratio)
    return {
        y: _sign_of_log(atom.args[0], domain) if isinstance(atom, log) else _power(atom, domain)
        for y, atom in field.atoms.items()
        if y in active and y not in field.exponents and not is_opaque(atom)
    }


def _sign_of_log(argument: Expr, domain: Domain) -> Sign:
    for sign in (1, -1):
        gap = sign * (argument - 1)
        for strict in (True, False):
            if proves(gap, domain, strict):
                return Fraction(sign, 1 if strict else 2)
    return None


def _power(atom: Expr, domain: Domain) -> Sign:
    if is_power(atom):  # it has a value where its base is positive
        return Fraction(1)
    # Its base is not negative, since the root has a value.
    return Fraction(1, 1 if proves(atom.base, domain) else 2)


@cache
def _unknown(number: int) -> Symbol:
    """A variable for a generator; the same in all rings, which have nothing else in common."""
    return Dummy(f"w{number}")


#: generator -> (numerator, positive denominator) in variables >= 0
Rules = dict[Symbol, tuple[Poly, Poly]]


def _ratio_sign(field: ExpField, ratio: Ratio, signs: Signs, case: Case, sharp: bool) -> Sign:
    if not ratio.numer:
        return Fraction(0)
    try:
        rules = _rules(field, signs, case, sharp)
    except (NotInField, NotRational):
        return None
    if rules is None or not _active(ratio) <= set(rules[1]):
        return None
    ring, images, strict = rules
    total = Fraction(1)
    for poly, power in [(ratio.numer, 1), *ratio.denom.items()]:
        if most_terms(poly, images) > MOST_TERMS:
            return None
        sign = _poly_sign(substituted(poly, ring, images), strict)
        if sign is None or (poly is not ratio.numer and abs(sign) < 1):
            return None
        total *= sign if power % 2 else abs(sign)
    return total


def _rules(
    field: ExpField, signs: Signs, case: Case, sharp: bool
) -> tuple[Ring, Rules, set[Symbol]] | None:
    """How each generator is written in variables >= 0; the strict ones are > 0."""
    if sharp and not field.exponents:
        return None
    fresh = {
        y: _unknown(i)
        for i, y in enumerate(field.atoms)
        if y in field.exponents or signs.get(y) is not None
    }
    symbols = [s for s in field.ring.symbols if s in case.substitution]
    wanted = set().union(*(case.substitution[s].free_symbols for s in symbols))
    variables = [u for u in case.variables if u in wanted]
    ring = Ring([*variables, *fresh.values()])
    read = reader(ring)
    strict = set(case.strict)
    rules: Rules = {}
    one = ring.one
    for y, w in fresh.items():
        v = read(w).numer
        if y in field.exponents:
            rules[y] = (v, one)
            strict.add(w)
            continue
        sign = signs[y]
        assert sign is not None
        if abs(sign) == 1:
            strict.add(w)
        rules[y] = (v if sign > 0 else -v, one)
    for y, exponent in field.exponents.items() if sharp else ():
        v = rules[y][0]
        sign = _sign(read(exponent.xreplace(dict(case.substitution))), strict)
        if sign is None:
            continue
        if abs(sign) < 1:
            strict.discard(fresh[y])
        rules[y] = (one + v, one) if sign > 0 else (one, one + v)
    for s in symbols:
        image = read(case.substitution[s])
        below = image.below
        # An end of a range that divides: where that is zero, the domain has no points.
        if (_poly_sign(below, strict) or 0) <= 0:
            return None
        rules[s] = (image.numer, below)
    return ring, rules, strict


def substituted(poly: Poly, ring: Ring, rules: Rules) -> Poly:
    """Put the rules in and clear their denominators, which are positive."""
    images: list[Poly] = []
    powers: list[tuple[int, list[Poly]]] = []
    for i, (s, d) in enumerate(zip(poly.ring.symbols, poly.degrees(), strict=True)):
        if not d:
            images.append(ring.zero)
            continue
        above, below = rules[s]
        images.append(above)
        if below != ring.one:
            ups, downs = [ring.one], [ring.one]
            for _ in range(d):
                ups.append(ups[-1] * above)
                downs.append(downs[-1] * below)
            powers.append((i, [u * v for u, v in zip(ups, reversed(downs), strict=True)]))
    return _horner(poly, ring, powers, images)


def most_terms(poly: Poly, rules: Rules) -> int:
    """How many terms there are at most once the rules are put in, or in the powers for that."""
    degrees = zip(poly.ring.symbols, poly.degrees(), strict=True)
    put_in = [(i, *rules[s], d) for i, (s, d) in enumerate(degrees) if d > 0]
    if not put_in:
        return 1
    sides = [(d, above.degrees(), below.degrees()) for _, above, below, d in put_in]
    most = [sum(d * max(a[u], b[u], 0) for d, a, b in sides) for u in range(len(sides[0][1]))]
    tables = sum(d * d for _, _, below, d in put_in if len(below) > 1) // 2
    if (whole := prod(d + 1 for d in most)) <= MOST_TERMS:
        return max(tables, whole)
    # Of a power of a sum of two terms there is one more than its exponent.
    more = [(i, len(below) > 1 and d, max(len(u), len(below)) - 1) for i, u, below, d in put_in]
    more = [(i, d, size) for i, d, size in more if size]
    each = (prod(((d or k[i]) + 1) ** size for i, d, size in more) for k in poly.monoms())
    return max(tables, min(whole, sum(each)))


def _horner(
    poly: Poly, ring: Ring, powers: list[tuple[int, list[Poly]]], images: list[Poly]
) -> Poly:
    if not powers:
        return poly.composed(images, ring)
    (i, table), rest = powers[0], powers[1:]
    total = ring.zero
    for k, part in poly.by_powers(i).items():
        total += table[k] * _horner(part, ring, rest, images)
    return total


def _sign(ratio: Ratio, strict: set[Symbol]) -> Sign:
    total = Fraction(1)
    for poly, power in [(ratio.numer, 1), *ratio.denom.items()]:
        sign = _poly_sign(poly, strict)
        if sign is None:
            return None
        total *= sign if power % 2 else abs(sign)
    return total


def _poly_sign(poly: Poly, strict: set[Symbol]) -> Sign:
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
