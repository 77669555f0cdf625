"""Deciding "is it zero?" and "is it positive?" on a domain: holds, refuted or undecided.

Proofs are algebraic (a normal form; polynomials whose coefficients have one sign after the
domain was put in by substitution), and none counts before the expression is proved to have a
value everywhere on the domain. Sampling only refutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sympy import Expr, S, Symbol, oo

from .coefficients import closure, proves, proves_largest
from .defined import defined
from .domain import Domain, DomainError, Range
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .logarithms import spellings
from .normal import ExpField, NotInField
from .number import DIGITS, value_at
from .symbols import symbols_of

#: Values (to DIGITS digits) must differ by more than this to count as different.
CLOSE = S(10) ** (10 - DIGITS)
PROVED = "all coefficients are non-negative once the domain is put in"
VANISHES = "the residual is identically zero"


def zero(expression: Expr, domain: Domain) -> Outcome:
    """Decide whether an expression has a value everywhere on a domain, and that is zero."""
    if expression == 0:
        return Holds(Evidence(Grade.EXACT, "identical"))
    reason: Outcome = Undecided("no normal form, and no point found where the residual is not zero")
    if _vanish([expression]):
        reason = defined(expression, domain)
        if isinstance(reason, Holds):
            return Holds(Evidence(Grade.EXACT, VANISHES))
    for point, (value,) in _points_and_values([expression], domain):
        if abs(value) > CLOSE:
            return Refuted.at(point, f"the residual is {value.n(6)!s}")
    return reason


def all_zero(expressions: Sequence[Expr], domain: Domain) -> Outcome:
    """Decide whether all of several expressions are zero, as :func:`zero` does for one."""
    # One normal form for all is quicker than one for each.
    if _vanish(expressions) and _all_defined(expressions, domain):
        return Holds(Evidence(Grade.EXACT, VANISHES))
    outcomes = [zero(e, domain) for e in expressions]
    return next((o for o in outcomes if not isinstance(o, Holds)), outcomes[0])


def positive(expression: Expr, domain: Domain, *, strict: bool = True) -> Outcome:
    """Decide whether an expression is > 0 (or, not strict, >= 0) everywhere on a domain."""
    return any_positive([expression], domain, strict=strict)


def proof_of_positive(expression: Expr, domain: Domain, *, strict: bool = True) -> Holds | None:
    """A proof of > 0 (>= 0), or None; unlike :func:`positive` this looks for no refutation."""
    if not symbols_of(expression) <= set(domain.ranges):
        return None
    if proves(expression, domain, strict) and _all_defined([expression], domain):
        return Holds(Evidence(Grade.EXACT, PROVED))
    return None


def is_proved_positive(expression: Expr, domain: Domain, *, strict: bool = True) -> bool:
    """Whether > 0 (>= 0) can be proved."""
    return proof_of_positive(expression, domain, strict=strict) is not None


def any_positive(expressions: Sequence[Expr], domain: Domain, *, strict: bool = True) -> Outcome:
    """Decide whether the largest of several expressions is > 0 (or >= 0) on a domain.

    All of them must have a value everywhere. The domain is covered by a few parametrised
    cases; in each, one of the expressions must be proved positive.
    """
    used = set().union(*map(symbols_of, expressions))
    if not used <= set(domain.ranges):
        return Undecided(f"the domain does not bound {used - set(domain.ranges)}")
    if proves_largest(expressions, domain, strict) and _all_defined(expressions, domain):
        return Holds(Evidence(Grade.EXACT, PROVED))
    for point, values in _points_and_values(expressions, domain):
        largest = max(values)
        if largest < -CLOSE or (strict and largest == 0):
            return Refuted.at(point, f"the value is {largest.n(6)!s}")
    found = [defined(e, domain) for e in expressions]
    return next(
        (o for kind in (Refuted, Undecided) for o in found if isinstance(o, kind)),
        Undecided("the sign could not be proved, and no counterexample was found"),
    )


# --- internals ---------------------------------------------------------------------------
def _vanish(expressions: Sequence[Expr]) -> bool:
    """Whether all are zero by the normal form, wherever they have a value."""
    return any(map(_vanish_as_they_are, spellings(expressions)))


def _vanish_as_they_are(expressions: Sequence[Expr]) -> bool:
    try:
        field = ExpField(expressions)
        return all(e == 0 or field.vanishes(e) for e in expressions)
    except NotInField:
        return False


def _all_defined(expressions: Sequence[Expr], domain: Domain) -> bool:
    return all(isinstance(defined(e, domain), Holds) for e in expressions)


def _points_and_values(
    expressions: Sequence[Expr], domain: Domain
) -> Iterator[tuple[dict[Symbol, Expr], list[Expr]]]:
    """Admissible points at which all expressions are finite real numbers, with their values."""
    used = set().union(*map(symbols_of, expressions))
    if not used <= set(domain.ranges):
        return
    for point in domain.restricted(closure(used, domain)).points():
        at = {s: v for s, v in point.items() if s in used}
        values = [value for e in expressions if (value := value_at(e, at)) is not None]
        if len(values) == len(expressions):
            yield at, values


def refuse_nowhere(point: Mapping[Symbol, Expr], domain: Domain) -> None:
    """Refuse a value of some symbols that no values of the others go with.

    Raises
    ------
    DomainError
        If a value is proved to lie outside its range whatever the symbols in the ends are.
    """
    values = {s: v for s, v in point.items() if v is not oo}
    left = {s: r.at(values) for s, r in domain.ranges.items() if s not in values}
    rest = Domain.of_ranges(left)
    for symbol, value in values.items():
        r = domain.ranges.get(symbol, Range(-oo))
        for end, side, is_open in ((r.low, 1, r.low_open), (r.high, -1, r.high_open)):
            beyond = side * (end.xreplace(values) - value)
            if beyond.free_symbols and is_proved_positive(beyond, rest, strict=not is_open):
                because = f" ({r.why})" if r.why else ""
                raise DomainError(f"{symbol} must be {r}, not {value}{because}")
