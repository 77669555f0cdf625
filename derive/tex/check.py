"""The check of one equation: it is looked up, read and judged, and an edit is sought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..language.statement import TexError
from .directives import Directive
from .edit.edits import suggest
from .formula.reader import read_formula
from .judge.compare import judge
from .judge.finding import Finding
from .judge.lookup import look_up

if TYPE_CHECKING:
    from .text.macros import Macros


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
    meant = look_up(directive)
    try:
        statement = read_formula(
            source,
            meant.names,
            macros,
            relations=directive.relations,
            lead=lead,
            phrases=meant.phrases,
        )
        found = judge(statement, meant, directive)
    except TexError as error:
        says = str(error)
        if says.startswith("the name ") and " is not known" in says:
            says += "; [NAME -> EXPRESSION] in the directive says what another one stands for"
        return Finding("unread", False, message=says, position=error.position)
    # What has no value is not a token away from what it was meant to be.
    if found.verdict == "differs" and found.printed_value != "no value" and source.isascii():
        tell(found)
        found = replace(found, edit=suggest(source, meant, directive, macros, lead))
    return found
