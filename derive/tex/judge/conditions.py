"""Conditions: the same bound on the same symbol, in whatever shape it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Expr, Ge, Gt, Le, Lt, S, Symbol, latex, oo

from ...decide.cases import opened, with_signed_logs
from ...decide.decide import proof_of_positive
from ...decide.domain import Domain
from ...decide.equal import equal
from ...decide.evidence import Holds, Outcome, weakest
from ...decide.normal import ExpField, NotInField
from ...decide.root import without_roots
from ...decide.wanting import wanting
from ...language.statement import Bounds, Relation, Statement, TexError
from ...optimum.threshold import Criterion, NoClosedForm, threshold
from ...proof.derivation import Derivation, StepFailed
from ...proof.relations import TURNED, lt
from ...theorem.bounds import Bounds as BoundQuantity
from ..directives import Directive
from .finding import Finding, finding
from .lookup import Meant
from .printed import needs_of, plain

#: Of a condition with an end on a side: with that end, and without.
RELATIONS = {"low": (Ge, Gt), "high": (Le, Lt)}
COMPLEMENT: dict[str, Relation] = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


def judge_condition(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """Judge a bound, or an interval between two.

    Raises
    ------
    TexError
        If it is no condition on what the threshold is a threshold of.
    """
    bounds = [q.bound for q in meant.quantities]
    if None in bounds:
        names = ", ".join(directive.quantities)
        told = next((q for q in meant.quantities if isinstance(q, BoundQuantity)), None)
        if told is not None:
            raise TexError(
                f"{names} is a bound, {told.symbol}: write that, or declare another name of what "
                f"it bounds by [LATEX -> {told.bounded}]"
            )
        raise TexError(f"{names} is not a threshold: mark an equation for it")
    symbols = {b[0] for b in bounds if b is not None}
    if len(symbols) != 1:
        raise TexError("the quantities are thresholds of different parameters")
    (s,) = symbols
    meant_bounds = {}
    for bound, derived in zip(bounds, meant.derived, strict=True):
        assert bound is not None
        relation = COMPLEMENT[bound[1]] if directive.negated else bound[1]
        meant_bounds["low" if relation[0] == ">" else "high"] = (derived, "=" not in relation)
    if len(meant_bounds) != len(bounds):
        raise TexError("the quantities are thresholds on the same side")
    _add_ends_of_domain(meant_bounds, s, statement, meant)
    outcomes: list[tuple[Outcome, Expr, Expr]] = []
    needs = needs_of(statement, meant)
    for derived in meant.derived[1:] and meant.derived:  # nothing, where an end has no value
        needs = wanting(needs, derived, meant.domain)
    printed = printed_bounds(statement, s, meant)
    for side in ("low", "high"):
        if (side in printed) != (side in meant_bounds):
            return _differing("the condition bounds the other side", printed, meant_bounds, s)
        if side in printed:
            (one, is_open), (other, meant_open) = printed[side], meant_bounds[side]
            allowed = directive.allow_removable
            asked = needs if other in meant.derived else []
            outcome = equal(one, other, meant.domain, asked, removable=allowed)
            if isinstance(outcome, Holds) and is_open != meant_open:
                one_does, other_does = ("excludes", "includes")[:: 1 if is_open else -1]
                which = "the threshold itself" if other in meant.derived else f"{s} = {other}"
                message = (
                    f"the printed condition {one_does} {which}, the derived one {other_does} it"
                )
                return _differing(message, {side: (one, is_open)}, {side: meant_bounds[side]}, s)
            outcomes.append((outcome, one, other))
    failed = [o for o in outcomes if not isinstance(o[0], Holds)]
    outcome, one, other = failed[0] if failed else outcomes[0]
    if not failed:
        outcome = Holds(weakest(o.evidence for o, _, _ in outcomes if isinstance(o, Holds)))
    return finding(outcome, one, other, meant, directive)


Ends = dict[str, tuple[Expr, bool]]


def printed_bounds(statement: Statement, s: Symbol, meant: Meant) -> Ends:
    """The ends that a chain of relations, or an interval, gives to a symbol."""
    found: Ends = {}
    given = meant.substitution
    names = dict(zip(meant.own, meant.derived, strict=True))

    def put(relation: str, bound: object) -> None:
        side = "low" if relation[0] == ">" else "high"
        if bound is (-oo if side == "low" else oo) and "=" not in relation:
            return
        if side in found:
            raise TexError("the condition bounds the same side twice")
        found[side] = (plain(bound).xreplace(given).xreplace(names), "=" not in relation)

    sides, relations = statement.sides, statement.relations
    for left, relation, right in zip(sides[:-1], relations, sides[1:], strict=True):
        if relation == "in" and left == s and isinstance(right, Bounds):
            put(">" if right.low_open else ">=", right.low)
            put("<" if right.high_open else "<=", right.high)
        elif relation in TURNED and left == s:
            put(relation, right)
        elif relation in TURNED and right == s:
            put(TURNED[relation], left)
        elif relation in TURNED and len(relations) == 1:
            if s not in plain(left).free_symbols | plain(right).free_symbols:
                raise TexError(f"this is not a condition on {s}; for a value, write =")
            bound, mirrored = _solved(plain(left) - plain(right), s, meant, names)
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
    gap = gap.xreplace(meant.substitution).xreplace(dict(names))
    for derived in meant.derived:
        if s in derived.free_symbols:
            continue
        quotient = cancelled(gap, s - derived)
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
    product = cancelled(quotient * bound, S.One)
    return product is not None and any(proof_of_positive(k * product, domain) for k in (1, -1))


def cancelled(gap: Expr, line: Expr) -> Expr | None:
    """The quotient in lowest terms; None if it is not seen."""
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
    given = meant.substitution
    if "low" not in ends and r.low is not -oo:
        ends["low"] = (r.low.xreplace(given), r.low_open)
    if "high" not in ends and r.high is not oo:
        ends["high"] = (r.high.xreplace(given), r.high_open)


def _differing(message: str, printed: Ends, derived: Ends, s: Symbol) -> Finding:
    """What is said of conditions that differ in more than the values of their ends."""

    def text(ends: Ends, spell: Callable[[Expr], str], joint: str) -> str:
        kinds = {side: RELATIONS[side][is_open] for side, (_, is_open) in ends.items()}
        rows = (kinds[k](s, without_roots(v), evaluate=False) for k, (v, _) in ends.items())
        return joint.join(map(spell, rows))

    in_text, in_tex = ((str, " and "), (latex, r" \text{ and } "))
    return Finding(
        "differs",
        False,
        message=message,
        printed=text(printed, *in_text),
        derived=text(derived, *in_text),
        printed_latex=text(printed, *in_tex),
        derived_latex=text(derived, *in_tex),
    )
