"""The sides of a statement as expressions, and what they need for a value."""

from __future__ import annotations

from collections import Counter

from sympy import Expr, Piecewise, cosh, exp, log, sinh, tanh

from ...decide.cases import opened
from ...decide.decide import is_proved_positive
from ...decide.defined import Condition, conditions
from ...decide.domain import Domain
from ...decide.equal import equal
from ...decide.evidence import Evidence, Grade, Holds, Outcome
from ...decide.wanting import by_factors, wanting
from ...language.statement import Statement, TexError
from .lookup import Meant
from .subject import base


def plain(side: object) -> Expr:
    """A side that is an expression."""
    if not isinstance(side, Expr):
        raise TexError("an interval stands where a value is expected")
    return side


def compared(side: Expr, meant: Meant, needs: list[Condition], removable: bool = False) -> Outcome:
    """Whether a side equals the derived value; what is exported is that value as it stands."""
    (derived,), domain = meant.derived, meant.domain
    e = side.xreplace(meant.substitution)
    if side in meant.exported and e == derived and not needs:
        return Holds(Evidence(Grade.EXACT, "it is written as it is exported"))
    outcome = equal(e, derived, domain, needs, removable=removable)
    simple = _simplified(e, domain)
    if is_proved(outcome) or not isinstance(outcome, Holds):
        return outcome
    more = [*needs, *conditions(e)]
    # What is equal in the exponent is equal: logarithms of roots are seen there.
    for one, other in ((simple, derived), (exp(simple), exp(derived))):
        proof = equal(one, other, domain, more, removable=removable)
        if is_proved(proof):
            return proof
    return outcome


def is_proved(outcome: Outcome) -> bool:
    """Whether it holds, and not only at sampled points."""
    return isinstance(outcome, Holds) and outcome.evidence.grade > Grade.SAMPLED


def _simplified(e: Expr, domain: Domain) -> Expr:
    r"""The same with hyperbolic functions as exponentials, and ``\log x^a`` as ``a \log x``."""
    e = e.rewrite((cosh, sinh, tanh), exp) if e.has(cosh, sinh, tanh) else e
    powers = {
        a: a.args[0].exp * log(a.args[0].base)
        for a in e.atoms(log)
        if a.args[0].is_Pow and is_proved_positive(a.args[0].base, domain)
    }
    return e.xreplace(powers)


def needs_of(statement: Statement, meant: Meant) -> list[Condition]:
    """What the formulas needed before anything cancelled, in the symbols of the domain.

    What the value of a case still shows is left out: that is only asked in its case. Bounds of
    cases may be infinite at an end of the domain, as a threshold may.
    """
    found = _in_symbols(statement.needs, meant)
    bounds = _in_symbols(statement.bounds_need, meant)
    shown = _in_cases(statement, meant)
    count = Counter((c.need, c.argument) for c in found)
    lost = [
        c
        for c in dict.fromkeys(found)
        if count[c.need, c.argument] > shown.get((c.need, c.argument), 0)
    ]
    inside = opened(meant.domain)
    return lost + (wanting(bounds, meant.derived[0], inside) if bounds else [])


def _in_symbols(needs: tuple[Condition, ...], meant: Meant) -> list[Condition]:
    names = dict(zip(meant.own, meant.derived, strict=True))
    itself = {*meant.own, *meant.exported, *(base(q, meant.result) for q in meant.quantities)}
    found: list[Condition] = []
    for c in needs:
        if c.need == "known":
            if c.argument not in itself:
                meaning = c.argument.xreplace(meant.substitution)
                found += conditions(meaning) if not meaning.is_Symbol else ()
            continue
        argument = c.argument.xreplace(meant.substitution).xreplace(names)
        found += by_factors(Condition(c.part, c.need, argument))
    return found


def _in_cases(statement: Statement, meant: Meant) -> Counter[tuple[str, Expr]]:
    """How many of the cases show each condition in their value."""
    shown: Counter[tuple[str, Expr]] = Counter()
    for side in statement.sides:
        for told in side.atoms(Piecewise) if isinstance(side, Expr) else ():
            for value, _ in told.args:
                told_at = value.xreplace(meant.substitution)
                every = (f for c in conditions(told_at) for f in by_factors(c))
                shown.update({(c.need, c.argument) for c in every})
    return shown
