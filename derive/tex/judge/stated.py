r"""Quantities that are conditions or sets: ``\gamma \le 2``, ``\alpha \in [0, 1/2]``."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from sympy import Expr, Interval, Symbol
from sympy.core.relational import Relational

from ...decide.decide import proof_of_positive
from ...decide.equal import equal
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ...decide.number import sign
from ...language.statement import Relation, Statement, TexError
from ...proof.relations import TURNED
from ..directives import Directive
from .conditions import COMPLEMENT, cancelled, printed_bounds
from .finding import Finding, finding, finding_of_all
from .lookup import Meant
from .printed import needs_of, plain


def judge_stated(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """Judge a condition or a set against the one that was derived.

    Raises
    ------
    TexError
        If it is none.
    """
    if directive.negated and getattr(meant.stated, "rel_op", None) not in COMPLEMENT:
        raise TexError("'not' applies to an inequality, and none was derived")
    if isinstance(meant.stated, Relational):
        return _condition(_without_ends(statement, meant), meant, directive)
    if isinstance(meant.stated, Interval):
        return _interval(statement, meant, directive)
    raise TexError("the result is a condition on a parameter, and this statement is not one")


def _without_ends(statement: Statement, meant: Meant) -> Statement:
    r"""The one relation that is left without the ends of a range: of ``0 < \gamma \le 2``."""
    relations = statement.relations
    if len(relations) == 1 and relations != ("in",):
        return statement
    given = [s.xreplace(meant.substitution) if isinstance(s, Expr) else s for s in statement.sides]
    s = given[len(given) // 2 - (relations == ("in",))]
    r = meant.domain.ranges.get(s) if isinstance(s, Symbol) else None
    if r is None:
        raise TexError("the result is a condition on a parameter, and this statement is not one")
    ends = printed_bounds(replace(statement, sides=tuple(given)), s, meant)
    whole = {"low": (r.low, r.low_open), "high": (r.high, r.high_open)}
    kept = [(side, *end) for side, end in ends.items() if end != whole[side]]
    if len(kept) != 1:
        raise TexError("the result is a condition on a parameter, and this statement is not one")
    ((side, end, is_open),) = kept
    relation = {"low": ">", "high": "<"}[side] + ("" if is_open else "=")
    return replace(statement, sides=(s, end), relations=(cast("Relation", relation),))


def _condition(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """The same condition: what is to be positive is a positive multiple of what was derived."""
    (relation,), (derived,) = statement.relations, meant.derived
    left, right = (plain(s).xreplace(meant.substitution) for s in statement.sides)
    gap = right - left if relation[0] == "<" else left - right
    assert isinstance(meant.stated, Relational)
    wanted = {"==": "="}.get(meant.stated.rel_op, meant.stated.rel_op)
    if directive.negated:
        wanted, derived = COMPLEMENT[wanted], -derived
    same = relation in (wanted, TURNED.get(wanted))  # type: ignore[call-overload]
    outcome = _multiple(gap, derived, relation, statement, meant)
    if isinstance(outcome, Holds) and not same:
        outcome = Refuted({}, f"the sign is {relation}, and it was derived with {wanted}")
    return finding(outcome, gap, derived, meant, directive)


def _multiple(
    gap: Expr, derived: Expr, relation: str, statement: Statement, meant: Meant
) -> Outcome:
    if set(statement.sides) == set(meant.exported) and gap == derived:
        return Holds(Evidence(Grade.EXACT, "it is written as it is exported"))
    factor = cancelled(gap, derived)
    signs = (1, -1) if relation == "=" else (1,)
    if factor is not None and any(proof_of_positive(k * factor, meant.domain) for k in signs):
        return equal(gap, factor * derived, meant.domain, needs_of(statement, meant))
    for point in meant.domain.points(60):
        one, other = (sign(e.xreplace(dict(point))) for e in (gap, derived))
        if relation == "=":  # which of the two is larger says nothing
            one, other = (None if k is None else abs(k) for k in (one, other))
        if None not in (one, other) and one != other:
            return Refuted({s.name: v for s, v in point.items()}, "the conditions differ there")
    return Undecided("that the two conditions are one was not proved")


def _interval(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """The same interval: both ends are, and whether they belong to it."""
    (s,), derived = {q.parameter for q in meant.quantities}, meant.stated
    assert isinstance(derived, Interval)
    # What is not stated is where the range of the parameter ends.
    r = meant.domain.ranges[s]
    whole = {"low": (r.low, r.low_open), "high": (r.high, r.high_open)}
    ends = whole | printed_bounds(statement, s, meant)
    (low, low_open), (high, high_open) = ends["low"], ends["high"]
    needs = needs_of(statement, meant)
    compared: list[tuple[Outcome, Expr, Expr]] = [
        (equal(one, other, meant.domain, needs), one, other)
        for one, other in ((low, derived.start), (high, derived.end))
    ]
    if (low_open, high_open) != (bool(derived.left_open), bool(derived.right_open)):
        apart = Refuted({}, "an end belongs to one of the two intervals only")
        compared.append((apart, high, derived.end))
    return finding_of_all(compared, meant, directive)
