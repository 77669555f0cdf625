"""Irreducible factors, and signs that are proved factor by factor.

A factor is taken up to sign, times no exponential. What :mod:`.coefficients` cannot prove of
a whole is often plain of its factors, of the terms as they are written, or of a surd squared.
Here too an expression is taken to have a value everywhere on the domain.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Pow, Rational, S, exp, log

from .coefficients import proves, proves_nonzero
from .domain import Domain
from .logarithms import primes
from .normal import ExpField, NotInField, canonical, factor_list
from .number import value_at


def proves_positive(e: Expr, domain: Domain) -> bool:
    """Whether e > 0 is proved, factor by factor; of P + Q sqrt(R) also by Q^2 R > P^2."""
    if proves(e, domain) or _plainly(e, domain) > 0:
        return True
    if proves_different_from_zero(e, domain):
        # Factors are known up to a sign of their product only, and that is the same everywhere.
        for value in (value_at(e, point) for point in domain.points()):
            if value is not None:
                return bool(value > 0)
    return _proves_factor(e, domain)


def proves_different_from_zero(e: Expr, domain: Domain) -> bool:
    """Whether it is proved that e vanishes nowhere, factor by factor."""
    if proves_nonzero(e, domain):
        return True
    try:
        parts = factors(e)
    except NotInField:
        return False
    return all(_proves_nonzero(f, domain) for f, _ in parts)


def _proves_nonzero(factor: Expr, domain: Domain) -> bool:
    if any(_proves_factor(s * factor, domain) for s in (1, -1)):
        return True
    # A logarithm vanishes where its argument is one.
    return isinstance(factor, log) and proves_different_from_zero(factor.args[0] - 1, domain)


def _plainly(e: Expr, domain: Domain) -> int:
    """1 if a sum or product as it is written is positive, 0 if it is >= 0, -1 if not known."""
    if e.is_Add:
        parts = [_plainly(a, domain) for a in e.args]
        return -1 if min(parts) < 0 else max(parts)
    if e.is_Mul:
        return min(_plainly(a, domain) for a in e.args)
    if proves(e, domain) or e.is_positive:
        return 1
    return 0 if e.is_Pow and e.exp.is_even and e.base.is_real else -1


def _proves_factor(factor: Expr, domain: Domain) -> bool:
    # SymPy is asked last: it takes as long as the others together.
    if proves(factor, domain) or _plainly(factor, domain) > 0 or factor.is_positive:
        return True
    found = surd(factor)
    if found is None:
        return False
    plain, rate, base = found
    gap = rate**2 * base - plain**2
    # The larger of the two, in size, has to be positive.
    return any(
        proves(one, domain) and proves(other, domain) for one, other in ((rate, gap), (plain, -gap))
    )


def surd(factor: Expr) -> tuple[Expr, Expr, Expr] | None:
    """P, Q and R of P + Q sqrt(R), if that is what it is."""
    roots = [a for a in factor.atoms(Pow) if a.exp == S.Half]
    if len(roots) != 1:
        return None
    stand_in = Dummy("root")
    inside = factor.xreplace({roots[0]: stand_in}).expand()
    rate = inside.coeff(stand_in, 1)
    plain = inside.coeff(stand_in, 0)
    if stand_in in (inside - rate * stand_in - plain).expand().free_symbols:
        return None
    return plain, rate, roots[0].base


def factors(argument: Expr) -> list[tuple[Expr, int]]:
    """Irreducible factors up to sign: primes, polynomials and exponentials, with powers.

    Raises
    ------
    NotInField
        If there are parts that the normal form does not know.
    """
    field = ExpField([argument])
    ratio = field.ratio(argument)
    found: list[tuple[Expr, int]] = []
    content, numerators = factor_list(ratio.numer)
    for base, power in [*numerators, *((f, -k) for f, k in ratio.denom.items())]:
        inner, plain = factor_list(base) if power < 0 else (1, [(base, 1)])
        for factor, k in plain:
            whole = field.back(factor)
            if whole.is_Pow and not isinstance(whole, exp) and whole.exp.is_Rational:
                found += [(f, j * whole.exp * k * power) for f, j in factors(whole.base)]
                continue
            exponential, rest = _shifted(whole)
            found += [(e, k * power) for e in (exponential, rest) if e != 1]
        found += [(p, k * power) for p, k in _primes(inner)]
    return found + _primes(content)


def _shifted(factor: Expr) -> tuple[Expr, Expr]:
    """Take one exponential out of a sum of them, the same whatever the sum is times."""
    terms: dict[Expr, Expr] = {}
    for term in factor.expand().as_ordered_terms() if factor.is_Add else []:
        coefficient, exponent = S.One, S.Zero
        for part in term.as_ordered_factors():
            if isinstance(part, exp):
                exponent += part.args[0]
            else:
                coefficient *= part
        exponent = canonical(exponent)
        terms[exponent] = terms.get(exponent, S.Zero) + coefficient
    if len(terms) < 2:
        return S.One, factor
    first = min(terms, key=lambda e: (str(terms[e]), str(e)))
    rest = Add(*(v * exp(canonical(e - first)) for e, v in terms.items()))
    return exp(first), rest


def _primes(content: object) -> list[tuple[Expr, int]]:
    return [(p, int(k)) for p, k in primes(abs(Rational(str(content))))]
