"""Split logarithms and roots over the factors of what stands under them.

The normal form takes each logarithm and root as an unknown, so log(a/b) and log(a) - log(b)
have to be brought to the same unknowns first. A factor is taken up to sign, times no
exponential, and of two conjugate surds only one is kept.
"""

from __future__ import annotations

from sympy import Dummy, Expr, Piecewise, Pow, S, Symbol, exp, log

from .decide import is_proved_positive
from .domain import Domain
from .factors import factors, proves_positive, surd
from .normal import NotInField, canonical, in_order, is_power
from .root import ClampedRoot


def branching(e: Expr) -> set[Expr]:
    """Logarithms and roots outside case distinctions, where each branch has its own."""
    if isinstance(e, (Piecewise, ClampedRoot)):
        return set()
    found = set().union(*(branching(a) for a in e.args)) if e.args else set()
    return found | {e} if isinstance(e, log) or _is_root(e) else found


def bases(e: Expr) -> set[Expr]:
    """What the normal form takes to be positive: bases of powers, logarithms in exponents."""
    if isinstance(e, (Piecewise, ClampedRoot)):
        return set()
    found = set().union(*(bases(a) for a in e.args)) if e.args else set()
    if is_power(e):
        return found | {e.base}
    return (
        found | {argument(a) for a in branching(e) if isinstance(a, log)}
        if e.func is exp
        else found
    )


def _is_root(e: Expr) -> bool:
    return bool(e.is_Pow and e.exp.is_Rational and e.exp.q > 1)


def argument(e: Expr) -> Expr:
    return e.args[0]


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
            parts = factors(argument)
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
    found = None if isinstance(factor, exp) else surd(factor)
    if found is None:
        return [(factor, 1)]
    plain, rate, base = found
    if rate.could_extract_minus_sign():
        plain, rate = -plain, -rate
    root = rate * Pow(base, S.Half)
    one, other = (canonical(root + plain), canonical(root - plain))
    if str(one) <= str(other):
        return factors(one)
    return factors(rate**2 * base - plain**2) + [(f, -k) for f, k in factors(other)]


def split_roots(e: Expr, domain: Domain) -> Expr:
    """Write a root of a product proved positive as the product of roots of its factors' sizes."""
    rules: dict[Expr, Expr] = {}
    for atom in in_order(a for a in e.atoms(Pow) if a.exp.is_Rational and a.exp.q > 1):
        # The sign of the product is needed too: factors do not say it.
        if not proves_positive(atom.base, domain):
            continue
        try:
            parts = factors(atom.base)
        except NotInField:
            continue
        total = S.One
        for factor, power in parts:
            if isinstance(factor, exp):
                total *= exp(factor.args[0] * power * atom.exp)
            elif factor.is_positive or is_proved_positive(factor, domain):
                total *= Pow(factor, power * atom.exp, evaluate=bool(factor.is_Rational))
            elif is_proved_positive(-factor, domain):
                total *= Pow(-factor, power * atom.exp)
            else:
                break
        else:
            rules[atom] = total
    return e.xreplace(rules)
