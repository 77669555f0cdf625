"""Deciding "is it zero?" and "is it positive?" on a domain: holds, refuted or undecided.

Proofs are algebraic (a normal form; polynomials whose coefficients have one sign
after the domain was put in by substitution). Sampling only refutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from sympy import Dummy, Expr, Max, S, Symbol
from sympy.polys.domains import QQ
from sympy.polys.fields import FracField

from .domain import Case, Domain
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .normal import ExpField, NotInField

#: Values are computed to this many digits when a statement is to be refuted ...
DIGITS = 50
#: ... and must differ by more than this to count as different.
CLOSE = S(10) ** (10 - DIGITS)


def zero(expression: Expr, domain: Domain) -> Outcome:
    """Decide whether an expression vanishes identically on a domain."""
    if expression == 0:
        return Holds(Evidence(Grade.EXACT, "identical"))
    try:
        field = ExpField([expression])
        if field(expression) == 0:
            return Holds(Evidence(Grade.EXACT, "the residual is identically zero"))
    except NotInField:
        pass
    for point, value in _values(expression, domain):
        if abs(value) > CLOSE:
            return Refuted(_named(point), f"the residual is {value.n(6)}")
    return Undecided("no normal form, and no point found where the residual is not zero")


def positive(expression: Expr, domain: Domain, *, strict: bool = True) -> Outcome:
    """Decide whether an expression is > 0 (or, not strict, >= 0) everywhere on a domain."""
    return any_positive([expression], domain, strict=strict)


def any_positive(
    expressions: Sequence[Expr], domain: Domain, *, strict: bool = True
) -> Outcome:
    """Decide whether the largest of several expressions is > 0 (or >= 0) on a domain.

    The domain is covered by a few parametrised cases; in each, one of the expressions
    must be proved positive.
    """
    used = set().union(*(e.free_symbols for e in expressions))
    if not used <= set(domain.ranges):
        return Undecided(f"the domain does not bound {used - set(domain.ranges)}")
    domain = domain.restricted(_closure(used, domain))
    for case in domain.cases():
        if not any(_positive_case(e, case, strict) for e in expressions):
            break
    else:
        how = "all coefficients are non-negative once the domain is put in"
        return Holds(Evidence(Grade.EXACT, how))
    largest = expressions[0] if len(expressions) == 1 else Max(*expressions)
    for point, value in _values(largest, domain):
        if value < -CLOSE or (strict and value.is_zero):
            return Refuted(_named(point), f"the value is {value.n(6)}")
    return Undecided("the sign could not be proved, and no counterexample was found")


def sample_points(domain: Domain, count: int = 24) -> list[dict[str, Expr]]:
    """Admissible points of a domain by symbol name, edges included, the same every time."""
    return [_named(p) for p in domain.points(count)]


# --- internals ---------------------------------------------------------------------------
def _named(point: dict[Symbol, Expr]) -> dict[str, Expr]:
    return {s.name: v for s, v in point.items()}


def _values(expression: Expr, domain: Domain) -> Iterator[tuple[dict[Symbol, Expr], Expr]]:
    used = expression.free_symbols
    needed = domain.restricted(_closure(used, domain))
    for point in needed.points():
        value = expression.xreplace({s: point[s] for s in used if s in point})
        number = value if value.is_Rational else value.evalf(DIGITS, maxn=4 * DIGITS)
        if number.is_real and number.is_finite:
            yield {s: v for s, v in point.items() if s in used}, number


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


def _positive_case(expression: Expr, case: Case, strict: bool) -> bool:
    if not expression.free_symbols:
        return bool(expression.is_positive or (not strict and expression.is_zero))
    try:
        return _positive_in_field(expression, case, strict)
    except NotInField:
        return False


def _positive_in_field(expression: Expr, case: Case, strict: bool) -> bool:
    field = ExpField([expression])
    element = field(expression)
    signs = (
        _sign(part.as_expr(), field, case) for part in (element.numer, element.denom)
    )
    numer, denom = signs
    if denom in (None, 0) or abs(denom) < 1:  # a denominator must not vanish anywhere
        return False
    if numer is None:
        return False
    if numer == 0:
        return not strict
    product = numer * denom
    return product > 0 if not strict else product == 1


def _sign(poly: Expr, field: ExpField, case: Case) -> Fraction | int | None:
    """1 or -1 for a strict sign, 1/2 or -1/2 for one that may vanish, 0 for zero."""
    substitution: dict[Symbol, Expr] = dict(case.substitution)
    strict = set(case.strict)
    for y, meaning in field.atoms.items():
        exponent = field.exponents.get(y)
        w = Dummy(y.name, nonnegative=True)
        substitution[y] = w
        strict.add(w)
        if exponent is None:
            if not (meaning.is_positive or meaning.is_Pow):
                raise NotInField(f"the sign of {meaning} is not known")
            continue
        sign = _rational_sign(exponent, case)
        if sign is None:
            continue
        if abs(sign) < 1:
            strict.discard(w)
        substitution[y] = 1 + w if sign > 0 else 1 / (1 + w)
    return _coefficient_sign(poly.xreplace(substitution), strict)


def _rational_sign(exponent: Expr, case: Case) -> Fraction | int | None:
    if exponent.has(Dummy):
        return None
    return _coefficient_sign(exponent.xreplace(dict(case.substitution)), set(case.strict))


def _coefficient_sign(expression: Expr, strict: set[Symbol]) -> Fraction | int | None:
    if expression.is_Number:
        if not expression.is_finite:
            return None
        return int(expression.is_positive) - int(expression.is_negative)
    symbols = sorted(expression.free_symbols, key=lambda s: s.name)
    element = FracField(symbols, QQ).from_expr(expression)
    total: Fraction | int = 1
    for part in (element.numer, element.denom):
        coefficients = part.coeffs()
        if not coefficients:
            return 0
        if all(c > 0 for c in coefficients):
            sign = 1
        elif all(c < 0 for c in coefficients):
            sign = -1
        else:
            return None
        sure = any(
            all(s in strict for s, k in zip(symbols, monom, strict=True) if k)
            for monom in part.monoms()
        )
        total *= sign if sure else Fraction(sign, 2)
    return total
