"""Split logarithms and roots over the factors of what stands under them.

The normal form takes each logarithm and root as an unknown, so log(a/b) and log(a) - log(b)
have to be brought to the same unknowns first. A factor is taken up to sign, times no
exponential, and of two conjugate surds only one is kept.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Piecewise, Pow, Rational, S, Symbol, exp, log

from .decide import DIGITS, is_proved_positive
from .domain import Domain
from .normal import ExpField, NotInField, canonical, factor_list, in_order
from .root import ClampedRoot


def branching(e: Expr) -> set[Expr]:
    """Logarithms and roots outside case distinctions, where each branch has its own."""
    if isinstance(e, (Piecewise, ClampedRoot)):
        return set()
    found = set().union(*(branching(a) for a in e.args)) if e.args else set()
    return found | {e} if isinstance(e, log) or _is_root(e) else found


def _is_root(e: Expr) -> bool:
    return bool(e.is_Pow and e.exp.is_Rational and e.exp.q > 1)


def under(e: Expr) -> Expr:
    return e.args[0]


def is_defined(printed: Expr, derived: Expr, domain: Domain) -> bool:
    """Whether a printed expression is proved to have a real value where the derived one has.

    That is asked of each logarithm and root in it that the derived one lacks. A divisor may
    vanish here and there, as in (x^2 - 1)/(x - 1): such a place is taken for a limit.
    """
    inside = {form for e in _limited(derived) for form in _forms(under(e))}
    for e in in_order(_limited(printed)):
        a = under(e)
        if not (_forms(a) & inside or proves_positive(a, domain)):
            if not (_is_root(e) and is_proved_positive(a, domain, strict=False)):
                return False
    return True


def _limited(e: Expr) -> set[Expr]:
    """Logarithms and roots, everywhere."""
    return {a for a in e.atoms(log, Pow) if isinstance(a, log) or _is_root(a)}


def _forms(argument: Expr) -> set[Expr]:
    """What stands under two logarithms of which each is defined where the other is."""
    try:
        return {argument, canonical(argument), canonical(1 / argument)}
    except (NotInField, ZeroDivisionError):
        return {argument}


def proves_positive(e: Expr, domain: Domain) -> bool:
    """Whether e > 0 is proved, factor by factor; of P + Q sqrt(R) also by Q^2 R > P^2."""
    if e.is_positive or is_proved_positive(e, domain) or _plainly(e, domain) > 0:
        return True
    try:
        parts = _factors(e)
    except NotInField:
        return False
    sign = 1
    for factor, power in parts:
        signs = [s for s in (1, -1) if _proves_factor(s * factor, domain)]
        if not signs:
            return False
        sign *= signs[0] if power % 2 else 1
    # The factors are known up to a sign of their product only.
    there = e.xreplace(dict(domain.witness))
    return bool(there.is_number and there.evalf(DIGITS) > 0)


def _plainly(e: Expr, domain: Domain) -> int:
    """1 if a sum or product as it is written is positive, 0 if it is >= 0, -1 if not known."""
    if e.is_Add:
        parts = [_plainly(a, domain) for a in e.args]
        return -1 if min(parts) < 0 else max(parts)
    if e.is_Mul:
        return min(_plainly(a, domain) for a in e.args)
    if e.is_positive or is_proved_positive(e, domain):
        return 1
    return 0 if e.is_Pow and e.exp.is_even and e.base.is_real else -1


def _proves_factor(factor: Expr, domain: Domain) -> bool:
    if factor.is_positive or is_proved_positive(factor, domain) or _plainly(factor, domain) > 0:
        return True
    found = _surd(factor)
    if found is None:
        return False
    plain, rate, base = found
    return is_proved_positive(rate, domain) and is_proved_positive(
        rate**2 * base - plain**2, domain
    )


def _surd(factor: Expr) -> tuple[Expr, Expr, Expr] | None:
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


def split_logs(e: Expr) -> Expr:
    """Write log(A) as a sum over the factors of A, of log(abs(factor)).

    For A > 0 that is an identity. Factors are taken up to sign, so that the same one is
    the same unknown wherever it occurs.
    """
    rules: dict[Expr, Expr] = {}
    known: dict[Expr, Symbol] = {}
    for atom in in_order(e.atoms(log)):
        argument = atom.args[0].xreplace(rules)
        try:
            parts = _factors(argument)
        except NotInField:
            continue
        total = S.Zero
        for factor, power in parts:
            for piece, times in _conjugated(factor):
                if isinstance(piece, exp):
                    total += power * times * piece.args[0]
                else:
                    unknown = known.setdefault(piece, Dummy("log", real=True))
                    total += power * times * unknown
        rules[atom] = total
    return e.xreplace(rules)


def _conjugated(factor: Expr) -> list[tuple[Expr, int]]:
    """P + Q sqrt(R) as (Q^2 R - P^2)/(Q sqrt(R) - P), so that only one of the two occurs."""
    found = None if isinstance(factor, exp) else _surd(factor)
    if found is None:
        return [(factor, 1)]
    plain, rate, base = found
    if rate.could_extract_minus_sign():
        plain, rate = -plain, -rate
    root = rate * Pow(base, S.Half)
    one, other = (canonical(root + plain), canonical(root - plain))
    if str(one) <= str(other):
        return _factors(one)
    return _factors(rate**2 * base - plain**2) + [(f, -k) for f, k in _factors(other)]


def split_roots(e: Expr, domain: Domain) -> Expr:
    """Write a root of a product as the product of roots, of factors proved positive."""
    rules: dict[Expr, Expr] = {}
    for atom in in_order(a for a in e.atoms(Pow) if a.exp.is_Rational and a.exp.q > 1):
        try:
            parts = _factors(atom.base)
        except NotInField:
            continue
        total, sign = S.One, 1
        for factor, power in parts:
            if isinstance(factor, exp):
                total *= exp(factor.args[0] * power * atom.exp)
            elif factor.is_positive or is_proved_positive(factor, domain):
                total *= Pow(factor, power * atom.exp, evaluate=bool(factor.is_Rational))
            elif is_proved_positive(-factor, domain):
                sign *= (-1) ** power
                total *= Pow(-factor, power * atom.exp)
            else:
                break
        else:
            if sign > 0:
                rules[atom] = total
    return e.xreplace(rules)


def _factors(argument: Expr) -> list[tuple[Expr, int]]:
    """Irreducible factors up to sign: primes, polynomials and exponentials, with powers."""
    field = ExpField([argument])
    ratio = field.ratio(argument)
    found: list[tuple[Expr, int]] = []
    content, factors = factor_list(ratio.numer)
    for base, power in [*factors, *((f, -k) for f, k in ratio.denom.items())]:
        inner, plain = factor_list(base) if power < 0 else (1, [(base, 1)])
        for factor, k in plain:
            whole = field.back(factor)
            if whole.is_Pow and not isinstance(whole, exp) and whole.exp.is_Rational:
                found += [(f, j * whole.exp * k * power) for f, j in _factors(whole.base)]
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
    number = abs(Rational(str(content)))
    return [(S(p), k) for p, k in number.factors().items()] if number != 1 else []
