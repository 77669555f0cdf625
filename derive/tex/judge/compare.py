"""Does a printed statement say what was derived?

It has to be about the quantity, to be defined, and to hold where it says. An equation says
what was derived if every side that is not the name of the quantity equals the derived value,
or if it determines the quantity and holds for it. A condition says it if it is the same
bound on the same symbol; an interval if both its ends are.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import cast

from sympy import Expr, Symbol

from ...language.statement import Bounds, Called, Chain, Clause, Relation, Side, Statement, TexError
from ..directives import Directive
from .bounded import is_bound, judge_bound
from .claimed import Wider, check_order, claimed
from .conditions import judge_condition
from .equations import judge_equation
from .finding import Finding
from .lookup import Meant
from .stated import judge_stated
from .subject import with_subject

__all__ = ["Finding", "judge"]


def judge(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """Compare a statement that was read.

    Raises
    ------
    TexError
        If it has no sides that could be compared.
    """
    rows = _with_conditions((statement, *statement.rest), meant)
    # What two bounds are bounds of is one statement.
    count = 1 if meant.bounded is not None else len(meant.quantities)
    same = count == 1 and all(_is_about(row, meant.own[0]) for row in rows)
    if len(rows) > 1 and count != len(rows) and not same:
        raise TexError(
            f"{len(rows)} statements stand under a directive for {count} quantities: put a "
            "directive above each row"
        )
    if len(rows) > 1:
        found = [
            _judge_one(row, meant if same else meant.single(i), directive)
            for i, row in enumerate(rows)
        ]
        failed = [f for f in found if not f.ok]
        notes = tuple(dict.fromkeys(note for f in found for note in f.notes))
        return failed[0] if failed else replace(found[0], notes=notes)
    return _judge_one(rows[0], meant, directive)


def _with_conditions(rows: tuple[Statement, ...], meant: Meant) -> tuple[Statement, ...]:
    """The statements, with those that only bound parameters as conditions on the others."""
    bounded = {q.bound[0] for q in meant.quantities if q.bound}
    if any(row.joined for row in rows):  # no condition on one another: each says the same
        named = (meant.own[0],) if meant.stated is not None else None
        return tuple(row for row in rows if row.sides != named)
    beside = [row for row in rows if _is_condition(row, set(meant.result.domain.ranges) - bounded)]
    kept = [row for row in rows if row not in beside]
    if len(rows) <= len(meant.quantities) or not beside or not kept:
        return rows
    clauses: list[Clause] = []
    for row in beside:
        sides = cast("tuple[Expr | Bounds, ...]", row.sides)
        text = " ".join(str(part) for pair in zip_longest(sides, row.relations) for part in pair)
        text = text.removesuffix(" None")
        clauses += [Clause(Chain(sides, row.relations), text), *row.clauses]
    return tuple(replace(row, rest=(), clauses=(*row.clauses, *clauses)) for row in kept)


def _is_condition(row: Statement, parameters: set[Symbol]) -> bool:
    ends = [e for s in row.sides for e in ((s.low, s.high) if isinstance(s, Bounds) else (s,))]
    if not set(row.relations) <= {"<", "<=", ">", ">=", "in"} or not row.relations:
        return False
    if not all(isinstance(e, Expr) for e in ends):
        return False
    used = set[object]().union(*(e.free_symbols for e in ends if isinstance(e, Expr)))
    return bool(used) and used <= parameters


def _is_about(row: Statement, own: Symbol) -> bool:
    """Whether a statement names the quantity, or is a condition, judged by what it bounds."""
    if set(row.relations) - {"=", "->"}:
        return True
    return any(
        side.name == own if isinstance(side, Called) else isinstance(side, Expr) and side.has(own)
        for side in row.sides
    )


def _judge_one(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    if directive.negated and set(statement.relations) <= {"=", "->"}:
        raise TexError("'not' applies to a condition, and this is not an inequality")
    try:
        claim = claimed(statement, meant)
    except Wider as wider:
        return Finding("differs", False, message=str(wider))
    meant = claim.meant
    statement = with_subject(statement, meant, claim.at_limit)
    if is_bound(statement, meant):
        if directive.negated:
            raise TexError("'not' applies to a condition, and a bound was derived")
        found = judge_bound(statement, meant, directive)
    elif meant.stated is not None and not hasattr(meant.stated, "shape"):
        found = judge_stated(statement, meant, directive)
    elif set(statement.relations) <= {"="}:
        found = judge_equation(statement, meant, directive)
    elif "=" in statement.relations:
        found = _judge_mixed(statement, meant, directive)
    else:
        found = judge_condition(statement, meant, directive)
    return replace(found, notes=(*found.notes, *claim.notes))


def _judge_mixed(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """A condition with equations in it: ``alpha > alpha_min = A``, each to be judged."""
    if len(meant.quantities) > 1:
        raise TexError("a condition that contains an equation can be about one quantity only")
    groups: list[list[Side]] = [[statement.sides[0]]]
    relations: list[Relation] = []
    for relation, side in zip(statement.relations, statement.sides[1:], strict=True):
        if relation == "=":
            groups[-1].append(side)
        else:
            relations.append(relation)
            groups.append([side])
    equations = [g for g in groups if len(g) > 1]
    if any(isinstance(side, Bounds) for g in equations for side in g):
        raise TexError("an equation between intervals is not read")
    ends = tuple(g[-1] for g in groups)
    equal: Relation = "="
    found = [
        judge_equation(
            replace(statement, sides=tuple(g), relations=(equal,) * (len(g) - 1)), meant, directive
        )
        for g in equations
    ]
    bound = meant.quantities[0].bound
    about = [k for k, e in enumerate(ends) if bound and isinstance(e, Expr) and e.has(bound[0])]
    low, high = (max(about[0] - 1, 0), about[-1] + 1) if about else (0, 0)
    if about:
        condition = replace(
            statement, sides=ends[low : high + 1], relations=tuple(relations[low:high])
        )
        found.append(judge_condition(condition, meant, directive))
    check_order(ends[: low + 1], relations[:low], meant)
    check_order(ends[high:], relations[high:], meant)
    return next((f for f in found if not f.ok), found[-1])
