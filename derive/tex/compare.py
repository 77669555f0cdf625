"""Does a printed statement say what was derived?

It has to be about the quantity, to be defined, and to hold where it says. An equation says
what was derived if every side that is not the name of the quantity equals the derived value,
or if it determines the quantity and holds for it. A condition says it if it is the same
bound on the same symbol; an interval if both its ends are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .claimed import Wider, claimed
from .conditions import judge_condition
from .directives import Directive
from .equations import judge_equation
from .finding import Finding
from .lookup import Meant, look_up
from .statement import Bounds, Relation, Side, Statement, TexError
from .subject import with_subject

if TYPE_CHECKING:
    from .macros import Macros

__all__ = ["Finding", "check_equation", "judge"]


def check_equation(
    source: str,
    directive: Directive,
    macros: Macros | None = None,
    lead: str = "",
    tell: Callable[[Finding], None] = lambda found: None,
) -> Finding:
    """Compare the inside of a display with what a directive names.

    Parameters
    ----------
    lead
        What stands before it, where a row goes on with what another one began.
    tell
        Gets the finding before an edit is looked for, which may take longer.

    Raises
    ------
    BadTarget
        If the directive names nothing there is.
    """
    from .edits import suggest
    from .reader import read

    meant = look_up(directive)
    try:
        statement = read(source, meant.names, macros, relations=directive.relations, lead=lead)
        found = judge(statement, meant, directive)
    except TexError as error:
        says = str(error)
        if says.startswith("the name ") and " is not known" in says:
            says += "; [NAME -> EXPRESSION] in the directive says what another one stands for"
        return Finding("unread", False, message=says, position=error.position)
    # What has no value is not a token away from what it was meant to be.
    if found.verdict == "differs" and found.printed_value != "no value":
        tell(found)
        found = replace(found, edit=suggest(source, meant, directive, macros, lead))
    return found


def judge(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """Compare a statement that was read.

    Raises
    ------
    TexError
        If it has no sides that could be compared.
    """
    rows = (statement, *statement.rest)
    if len(rows) > 1 and len(rows) != len(meant.quantities):
        raise TexError(
            f"{len(rows)} statements stand under a directive for {len(meant.quantities)} "
            "quantities: put a directive above each row"
        )
    if len(rows) > 1:
        found = [_judge_one(row, meant.single(i), directive) for i, row in enumerate(rows)]
        failed = [f for f in found if not f.ok]
        notes = tuple(dict.fromkeys(note for f in found for note in f.notes))
        return failed[0] if failed else replace(found[0], notes=notes)
    return _judge_one(statement, meant, directive)


def _judge_one(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    if directive.negated and set(statement.relations) <= {"=", "->"}:
        raise TexError("'not' is for a condition, and this is no inequality")
    try:
        claim = claimed(statement, meant, directive)
    except Wider as wider:
        return Finding("differs", False, message=str(wider))
    meant = claim.meant
    statement = with_subject(statement, meant, claim.at_limit)
    if set(statement.relations) <= {"="}:
        found = judge_equation(statement, meant, directive)
    elif "=" in statement.relations:
        found = _judge_mixed(statement, meant, directive)
    else:
        found = judge_condition(statement, meant, directive)
    return replace(found, notes=(*found.notes, *claim.notes))


def _judge_mixed(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """A condition with equations in it: ``alpha > alpha_min = A``, each to be judged."""
    if len(meant.quantities) > 1:
        raise TexError("a condition with an equation in it is for one quantity")
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
    condition = replace(statement, sides=ends, relations=tuple(relations))
    equal: Relation = "="
    found = [
        judge_equation(
            replace(statement, sides=tuple(g), relations=(equal,) * (len(g) - 1)), meant, directive
        )
        for g in equations
    ]
    found.append(judge_condition(condition, meant, directive))
    return next((f for f in found if not f.ok), found[-1])
