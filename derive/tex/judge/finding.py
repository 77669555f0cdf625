"""What came of checking one marked equation, from the outcome of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from sympy import Expr, latex

from ...decide.equal import apart_in_text, value_at
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Undecided, weakest
from ...decide.root import without_roots
from ...frozen import Frozen, FrozenValue
from ..directives import Directive
from .lookup import Meant

SHOWN = 15  #: digits of a value
Word = Literal["equal", "differs", "unread", "undecided"]


class Edit(FrozenValue):
    """A change of the source: what it is in words, and the source after it."""

    description: str
    source: str


class Finding(Frozen):
    """What came of checking one marked equation.

    Attributes
    ----------
    verdict, ok
        ``ok`` only if it is equal, and that with enough evidence.
    evidence
        ``exact`` or ``sampled``, or empty.
    message
        One line.
    position
        Where reading stopped, as an offset into the source.
    printed, derived, printed_latex, derived_latex
        The two expressions.
    point, printed_value, derived_value
        A point where they differ, and both values there.
    edit
        A small change of the source that would make it true.
    notes
        How the statement was taken, a line each: that it claims less than was derived.
    """

    verdict: Word
    ok: bool
    evidence: str = ""
    message: str = ""
    position: int = 0
    printed: str = ""
    derived: str = ""
    printed_latex: str = ""
    derived_latex: str = ""
    point: Mapping[str, str] = field(default_factory=dict)
    printed_value: str = ""
    derived_value: str = ""
    edit: Edit | None = None
    notes: tuple[str, ...] = ()


def finding(
    outcome: Outcome, printed: Expr, derived: Expr, meant: Meant, directive: Directive
) -> Finding:
    """Put an outcome about two expressions into words."""
    printed = printed.xreplace(meant.exported)
    shown = Finding(
        "equal",
        True,
        printed=str(without_roots(printed)),
        derived=str(without_roots(derived)),
        printed_latex=str(latex(without_roots(printed))),
        derived_latex=str(latex(without_roots(derived))),
    )
    if isinstance(outcome, Holds):
        grade = outcome.evidence.grade
        proved = grade > Grade.SAMPLED
        how = outcome.evidence.how
        singular = how.partition("; ")[2] if "removable" in how else ""
        return replace(
            shown,
            verdict="equal" if proved or directive.allow_sampled else "undecided",
            ok=proved or directive.allow_sampled,
            evidence=str(grade),
            message="proved equal" if proved else how,
            notes=(f"allowed: {singular}",) if singular else (),
        )
    if isinstance(outcome, Undecided):
        return replace(shown, verdict="undecided", ok=False, message=outcome.reason)
    symbols = {s.name: s for s in meant.domain.ranges}
    point = {symbols[k]: v for k, v in outcome.witness.items() if k in symbols}
    values = [value_at(e, point) for e in (printed.xreplace(meant.substitution), derived)]
    texts = [_shown_value(value) for value in values]
    if texts[0] == texts[1] != "" and all(value.is_real for value in values):
        texts = list(apart_in_text(values[0], values[1], SHOWN))
    return replace(
        shown,
        verdict="differs",
        ok=False,
        message=outcome.note,
        point={s.name: str(v) for s, v in point.items()},
        # What cancelled may have a value again, and not as it was printed.
        printed_value="no value" if "no value" in outcome.note else texts[0],
        derived_value=texts[1],
    )


def finding_of_all(
    compared: Sequence[tuple[Outcome, Expr, Expr]], meant: Meant, directive: Directive
) -> Finding:
    """Of several comparisons the first that fails, or the last with the weakest evidence."""
    held: list[Evidence] = []
    for outcome, printed, derived in compared:
        if not isinstance(outcome, Holds):
            return finding(outcome, printed, derived, meant, directive)
        held.append(outcome.evidence)
    return finding(Holds(weakest(held)), printed, derived, meant, directive)


def _shown_value(value: Expr) -> str:
    if value.free_symbols:  # the difference is not in the values
        return ""
    if value.is_Rational:
        return str(value)
    if value.is_real:
        return str(value.n(SHOWN))
    return "no value" if value.is_real is None else "not real"
