"""Does a printed statement say what was derived?

An equation says it if every side that is not the name of the quantity equals the derived
value, or if it holds, not trivially, with that value put in for the name. A condition says
it if it is the same bound on the same symbol; an interval if both its ends are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from sympy import Expr, Mul, S, Symbol, exp, latex, oo

from ..engine.cases import opened, with_signed_logs
from ..engine.decide import proof_of_positive
from ..engine.derivation import Derivation, StepFailed
from ..engine.domain import Domain
from ..engine.endpoint import Criterion, NoClosedForm, threshold
from ..engine.equal import equal, same_root, value_at
from ..engine.evidence import Grade, Holds, Outcome, Refuted, Undecided, weakest
from ..engine.normal import ExpField, NotInField
from ..engine.relations import TURNED, lt
from ..engine.root import ClampedRoot
from ..report import without_roots
from .directives import Directive
from .lookup import Meant, look_up
from .statement import Bounds, Inner, Limit, Relation, Statement, TexError, Unread

if TYPE_CHECKING:
    from .edits import Edit
    from .macros import Macros

Word = Literal["equal", "differs", "unread", "undecided"]


@dataclass(frozen=True, eq=False)
class Finding:
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


def check_equation(
    source: str,
    directive: Directive,
    macros: Macros | None = None,
    tell: Callable[[Finding], None] | None = None,
) -> Finding:
    """Compare the inside of a display with what a directive names.

    ``tell`` gets the finding before an edit is looked for, which may take longer.

    Raises
    ------
    BadTarget
        If the directive names nothing there is.
    """
    from .edits import suggest
    from .reader import read

    meant = look_up(directive)
    try:
        statement = read(source, meant.names, macros, relations=directive.relations)
        found = judge(statement, meant, directive)
    except TexError as error:
        says = str(error)
        if says.startswith("the name ") and " is not known" in says:
            says += "; [NAME -> EXPRESSION] in the directive says what another one stands for"
        return Finding("unread", False, message=says, position=error.position)
    if found.verdict == "differs":
        if tell is not None:
            tell(found)
        found = replace(found, edit=suggest(source, meant, directive, macros))
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
        singles = [_single(meant, i) for i in range(len(rows))]
        found = [_judge_one(row, one, directive) for row, one in zip(rows, singles, strict=True)]
        failed = [f for f in found if not f.ok]
        return failed[0] if failed else found[0]
    return _judge_one(statement, meant, directive)


def _single(meant: Meant, i: int) -> Meant:
    return replace(
        meant,
        quantities=(meant.quantities[i],),
        own=(meant.own[i],),
        derived=(meant.derived[i],),
    )


def _judge_one(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    if directive.negated and set(statement.relations) <= {"="}:
        raise TexError("'not' is for a condition, and this is no inequality")
    if set(statement.relations) <= {"="}:
        return _equation(statement, meant, directive)
    return _condition(statement, meant, directive)


# --- equations ------------------------------------------------------------------------------
def _equation(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    if len(meant.quantities) > 1:
        raise TexError("several quantities are for an interval or for as many rows")
    (own,), (derived,) = meant.own, meant.derived
    bound = meant.quantities[0].bound
    for side in statement.sides:
        if isinstance(side, Unread):
            _check_name(side.text, meant)
    sides = [s for s in statement.sides if not isinstance(s, Unread | Inner | Limit)]
    if len(sides) > 1 and sides[0] in meant.others:
        sides = sides[1:]  # the letter of another quantity: of a limit, or another paper's
    named = own in sides or len(sides) < len(statement.sides)
    if not named and bound and bound[0] in sides[:1] and bound[0] not in derived.free_symbols:
        sides = sides[1:]  # "alpha = ...", where the threshold is a value of alpha
    sides = [s for s in sides if s != own]
    if not sides:
        raise TexError("nothing is left to compare: the equation is only a name")
    expressions = [_plain(s) for s in sides]
    if any(own in e.free_symbols for e in expressions):
        return _implicit(statement, expressions, meant, directive)
    outcomes = [equal(e.xreplace(_given(meant)), derived, meant.domain) for e in expressions]
    for e, outcome in zip(expressions, outcomes, strict=True):
        if not isinstance(outcome, Holds):
            return _finding(outcome, e, derived, meant, directive)
    worst = Holds(weakest(o.evidence for o in outcomes if isinstance(o, Holds)))
    return _finding(worst, expressions[-1], derived, meant, directive)


def _check_name(text: str, meant: Meant) -> None:
    """Refuse an unknown name with a power, or with the quantity itself as an argument.

    ``c^2 = ..`` is about a square, and ``g(\\alpha_{\\min}) = ..`` about a function of the value.
    """
    for exponent in _superscripts(text):
        if exponent[:1].isdigit() or "\\?" in exponent or _symbols_of(exponent, meant) is not None:
            raise TexError(f"a power of an unknown name: {text}")
    (own,), (derived,) = meant.own, meant.derived
    bound = meant.quantities[0].bound
    # alpha is no argument of a threshold of alpha.
    values = {own, bound[0]} - derived.free_symbols if bound else {own}
    inside = _ARGUMENTS.search(text)
    for argument in re.split("[,;]", inside[0][1:-1]) if inside else []:
        if (_symbols_of(argument, meant) or set()) & values:
            raise TexError(f"a function of the quantity itself: {text}")


def _superscripts(text: str) -> Iterator[str]:
    for start in (found.end() for found in re.finditer(r"\^\{", text)):
        depth, end = 1, start
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield text[start : end - 1]


_ARGUMENTS = re.compile(r"[(\[].*[)\]]\Z", re.DOTALL)


def _symbols_of(text: str, meant: Meant) -> set[Symbol] | None:
    """The symbols of an expression in known names; None if it is none."""
    from .reader import read

    try:
        (side,) = read(text, meant.names).sides if text.strip()[:1] not in ("", "(") else ()
        return set(_plain(side).free_symbols)
    except ValueError:
        return None


def _implicit(
    statement: Statement, sides: list[Expr], meant: Meant, directive: Directive
) -> Finding:
    """An equation that contains the quantity: it must hold with the derived value put in."""
    (own,), (derived,) = meant.own, meant.derived
    if len(statement.sides) != 2 or len(sides) != 2:
        raise TexError("an equation for the quantity has two sides")
    residual = (sides[0] - sides[1]).xreplace(_given(meant))
    roots = derived.atoms(ClampedRoot)
    if roots:
        (root,) = roots if len(roots) == 1 else (None,)
        if root is None:
            raise TexError("the quantity has no closed form that an equation could be put to")
        inside = residual.xreplace({own: derived.xreplace({root: root.variable})})
        if inside.has(ClampedRoot):
            raise TexError("the equation has other values in it that are not known in closed form")
        found = _finding(same_root(inside, root, meant.domain), residual, derived, meant, directive)
        says = "the same equation, which holds where the optimum is not an end of the segment"
        return replace(found, message=says) if found.ok else found
    there = {**meant.domain.witness}
    slope = residual.diff(own).xreplace({own: derived.xreplace(there)}).xreplace(there)
    if slope == 0 or slope.evalf(30) == 0:
        raise TexError("the equation does not determine the quantity")
    if _factors_with(own, residual) > 1:
        raise TexError("the equation has other solutions too: its factors are one equation each")
    left, right = (s.xreplace(_given(meant)).xreplace({own: derived}) for s in sides)
    return _finding(equal(left, right, meant.domain), left, right, meant, directive)


def _factors_with(own: Symbol, residual: Expr) -> int:
    """How many different factors with a symbol an expression has."""
    try:
        field_ = ExpField([residual])
        factors = Mul.make_args(field_.factored(field_(residual)))
    except (NotInField, ZeroDivisionError):
        return 1
    plain = {f.base if f.is_Pow else f for f in factors if f.as_base_exp()[1].is_positive}
    return sum(own in f.free_symbols and not isinstance(f, exp) for f in plain)


# --- conditions -----------------------------------------------------------------------------
_COMPLEMENT: dict[str, Relation] = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


def _condition(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    bounds = [q.bound for q in meant.quantities]
    if None in bounds:
        names = ", ".join(directive.quantities)
        raise TexError(f"{names} is no threshold: mark an equation for it")
    symbols = {b[0] for b in bounds if b is not None}
    if len(symbols) != 1:
        raise TexError("the quantities are thresholds of different parameters")
    (s,) = symbols
    meant_bounds = {}
    for bound, derived in zip(bounds, meant.derived, strict=True):
        assert bound is not None
        relation = _COMPLEMENT[bound[1]] if directive.negated else bound[1]
        meant_bounds["low" if relation[0] == ">" else "high"] = (derived, "=" not in relation)
    if len(meant_bounds) != len(bounds):
        raise TexError("the quantities are thresholds on the same side")
    _add_ends_of_domain(meant_bounds, s, statement, meant)
    outcomes: list[tuple[Outcome, Expr, Expr]] = []
    printed = _printed_bounds(statement, s, meant)
    for side in ("low", "high"):
        if (side in printed) != (side in meant_bounds):
            return _other_way(printed, meant_bounds, s, meant)
        if side in printed:
            (one, is_open), (other, meant_open) = printed[side], meant_bounds[side]
            outcome = equal(one, other, meant.domain)
            if isinstance(outcome, Holds) and is_open != meant_open:
                at = {k.name: v for k, v in meant.domain.witness.items() if k in other.free_symbols}
                what = "excludes" if is_open else "includes"
                which = "the threshold itself" if other in meant.derived else f"{s} = {other}"
                outcome = Refuted(at, f"the printed condition {what} {which}")
            outcomes.append((outcome, one, other))
    failed = [o for o in outcomes if not isinstance(o[0], Holds)]
    outcome, one, other = failed[0] if failed else outcomes[0]
    if not failed:
        outcome = Holds(weakest(o.evidence for o, _, _ in outcomes if isinstance(o, Holds)))
    return _finding(outcome, one, other, meant, directive)


Ends = dict[str, tuple[Expr, bool]]


def _printed_bounds(statement: Statement, s: Symbol, meant: Meant) -> Ends:
    """The ends that a chain of relations, or an interval, gives to a symbol."""
    found: Ends = {}
    given = _given(meant)
    names = dict(zip(meant.own, meant.derived, strict=True))

    def put(relation: str, bound: object) -> None:
        side = "low" if relation[0] == ">" else "high"
        if side in found:
            raise TexError("the condition bounds the same side twice")
        found[side] = (_plain(bound).xreplace(given).xreplace(names), "=" not in relation)

    sides, relations = statement.sides, statement.relations
    for left, relation, right in zip(sides[:-1], relations, sides[1:], strict=True):
        if relation == "in" and left == s and isinstance(right, Bounds):
            if right.low not in (oo, -oo):
                put(">" if right.low_open else ">=", right.low)
            if right.high not in (oo, -oo):
                put("<" if right.high_open else "<=", right.high)
        elif relation in TURNED and left == s:
            put(relation, right)
        elif relation in TURNED and right == s:
            put(TURNED[relation], left)
        elif relation in TURNED and len(relations) == 1:
            if s not in _plain(left).free_symbols | _plain(right).free_symbols:
                raise TexError(f"this is no condition on {s}; for a value, write =")
            bound, mirrored = _solved(_plain(left) - _plain(right), s, meant, names)
            put(TURNED[relation] if mirrored else relation, bound)
        else:
            raise TexError(f"the condition is not a bound on {s}")
    if not found:
        raise TexError(f"the condition is not a bound on {s}")
    return found


def _solved(gap: Expr, s: Symbol, meant: Meant, names: Mapping[Symbol, Expr]) -> tuple[Expr, bool]:
    """Write ``gap > 0`` as a bound on a symbol: by the derived value, if it fits.

    The derived value is the bound iff the gap is a multiple of one sign of (s - value). Where
    that is not seen, the gap is solved for the symbol as the engine solves its conditions.
    """
    gap = gap.xreplace(_given(meant)).xreplace(dict(names))
    for derived in meant.derived:
        if s in derived.free_symbols:
            continue
        quotient = _cancelled(gap, s - derived)
        for mirrored in (False, True):
            if quotient is not None and _keeps_sign(
                -quotient if mirrored else quotient, derived, meant.domain
            ):
                return derived, mirrored
    try:
        found = threshold(Criterion("it fails", lt(gap, 0)), s, meant.domain, Derivation())
    except (NoClosedForm, StepFailed, NotInField):
        raise TexError(f"the condition could not be solved for {s}") from None
    return found.value, found.side == ">"


def _keeps_sign(quotient: Expr, bound: Expr, domain: Domain) -> bool:
    """Whether quotient * (s - bound) > 0 says s > bound everywhere.

    At an end of the domain the quotient may vanish where the bound is infinite, that is if
    their product does not vanish: tau log(A) < c is tau < c/log(A), also at A = 1.
    """
    if proof_of_positive(quotient, domain):
        return True
    (inside,), open_domain = with_signed_logs([quotient], opened(domain))
    if not proof_of_positive(inside, open_domain):
        return False
    product = _cancelled(quotient * bound, S.One)
    return product is not None and any(proof_of_positive(k * product, domain) for k in (1, -1))


def _cancelled(gap: Expr, line: Expr) -> Expr | None:
    try:
        field_ = ExpField([gap, line])
        return field_.factored(field_(gap) / field_(line))
    except (NotInField, ZeroDivisionError):
        return None


def _add_ends_of_domain(ends: Ends, s: Symbol, statement: Statement, meant: Meant) -> None:
    """Where the statement is an interval, the other end may be the end of the domain."""
    two_sided = len(statement.relations) == 2 or any(
        isinstance(side, Bounds) and side.low is not -oo and side.high is not oo
        for side in statement.sides
    )
    r = meant.result.domain.ranges.get(s)
    if not two_sided or r is None:
        return
    given = _given(meant)
    if "low" not in ends and r.low is not -oo:
        ends["low"] = (r.low.xreplace(given), r.low_open)
    if "high" not in ends and r.high is not oo:
        ends["high"] = (r.high.xreplace(given), r.high_open)


def _other_way(printed: Ends, derived: Ends, s: Symbol, meant: Meant) -> Finding:
    def text(ends: Ends) -> str:
        parts = []
        for side, (value, is_open) in ends.items():
            sign = (">" if side == "low" else "<") + ("" if is_open else "=")
            parts.append(f"{s} {sign} {value}")
        return " and ".join(parts)

    return Finding(
        "differs",
        False,
        message="the condition bounds the other side",
        printed=text(printed),
        derived=text(derived),
        printed_latex=text(printed),
        derived_latex=text(derived),
    )


# --- shared ---------------------------------------------------------------------------------
def _plain(side: object) -> Expr:
    if not isinstance(side, Expr):
        raise TexError("an interval or an unknown name stands where a value is expected")
    return side


def _given(meant: Meant) -> dict[Symbol, Expr]:
    """What is put into the printed side too: values, and the other quantities it names."""
    return {s: v for s, v in meant.point.items() if v is not oo} | dict(meant.others)


def _finding(
    outcome: Outcome, printed: Expr, derived: Expr, meant: Meant, directive: Directive
) -> Finding:
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
        return replace(
            shown,
            verdict="equal" if proved or directive.allow_sampled else "undecided",
            ok=proved or directive.allow_sampled,
            evidence=str(grade),
            message="proved equal" if proved else outcome.evidence.how,
        )
    if isinstance(outcome, Undecided):
        return replace(shown, verdict="undecided", ok=False, message=outcome.reason)
    symbols = {s.name: s for s in meant.domain.ranges}
    point = {symbols[k]: v for k, v in outcome.witness.items() if k in symbols}
    return replace(
        shown,
        verdict="differs",
        ok=False,
        message=outcome.note,
        point={s.name: str(v) for s, v in point.items()},
        printed_value=_shown_value(printed.xreplace(_given(meant)), point),
        derived_value=_shown_value(derived, point),
    )


def _shown_value(expression: Expr, point: Mapping[Symbol, Expr]) -> str:
    value = value_at(expression, point)
    if value.is_Rational:
        return str(value)
    return str(value.n(15)) if value.is_real else "not real"
