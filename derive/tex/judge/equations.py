"""Equations: sides that equal the derived value, and equations that determine it."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Mul, Symbol, exp, oo

from ...decide.cases import opened
from ...decide.decide import is_proved_positive
from ...decide.defined import Condition, conditions, defined
from ...decide.domain import Domain, Range
from ...decide.equal import equal, same_root
from ...decide.evidence import Holds, Outcome, Refuted, Undecided
from ...decide.normal import ExpField, NotInField
from ...decide.root import ClampedRoot
from ...decide.wanting import place, wanting
from ...language.statement import Statement, TexError
from ..directives import Directive
from .finding import Finding, finding, finding_of_all
from .lookup import Meant
from .printed import compared, needs_of, plain


def judge_equation(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """Judge sides that are joined by equality.

    Raises
    ------
    TexError
        If there is nothing to compare, or it does not determine the quantity.
    """
    if len(meant.quantities) > 1:
        raise TexError("several quantities need an interval, or one row for each")
    (own,), (derived,) = meant.own, meant.derived
    sides = [plain(s) for s in statement.sides if s != own]
    if not sides:
        raise TexError("nothing is left to compare: the equation is only a name")
    bound = meant.quantities[0].bound
    if bound and bound[0] in sides and bound[0] not in derived.free_symbols:
        raise TexError(
            f"{bound[0]} is the parameter that this threshold bounds, not its name: "
            f"[\\{bound[0]} -> {own}] in the directive declares it as one"
        )
    if any(own in e.free_symbols for e in sides):
        return _implicit(statement, sides, meant, directive)
    needs = needs_of(statement, meant)
    removable = directive.allow_removable
    found = [(compared(e, meant, needs, removable), e, derived) for e in sides]
    return finding_of_all(found, meant, directive)


def _implicit(
    statement: Statement, sides: list[Expr], meant: Meant, directive: Directive
) -> Finding:
    """An equation that contains the quantity: it holds for the derived value, and for no other."""
    (own,), (derived,) = meant.own, meant.derived
    if len(statement.sides) != 2 or len(sides) != 2:
        raise TexError("an equation for the quantity has two sides")
    residual = (sides[0] - sides[1]).xreplace(meant.substitution)
    if derived.has(ClampedRoot):
        return _of_a_root(residual, meant, directive)
    left, right = (s.xreplace(meant.substitution).xreplace({own: derived}) for s in sides)
    needs = needs_of(statement, meant)
    outcome = equal(left, right, meant.domain, [*needs, *conditions(right)], where=derived)
    if isinstance(outcome, Holds):
        slack = _determines(residual, own, meant)
        outcome = outcome if slack is None else slack
    return finding(outcome, left, right, meant, directive)


def _of_a_root(residual: Expr, meant: Meant, directive: Directive) -> Finding:
    (own,), (derived,) = meant.own, meant.derived
    roots = derived.atoms(ClampedRoot)
    (root,) = roots if len(roots) == 1 else (None,)
    if root is None:
        raise TexError("the quantity has no closed form that an equation could be put to")
    inside = residual.xreplace({own: derived.xreplace({root: root.variable})})
    if inside.has(ClampedRoot):
        raise TexError("the equation has other values in it that are not known in closed form")
    found = finding(same_root(inside, root, meant.domain), residual, derived, meant, directive)
    says = "the same equation, which holds where the optimum is not an end of the segment"
    return replace(found, message=says) if found.ok else found


def _determines(residual: Expr, own: Symbol, meant: Meant) -> Outcome | None:
    """None if an equation that holds has no other solution; else what is wrong with it.

    Raises
    ------
    TexError
        If it says nothing about the quantity, or is seen to have other solutions.
    """
    (derived,) = meant.derived
    is_size = is_proved_positive(derived, opened(meant.domain), strict=False)
    slope = _slope(residual, own, is_size)
    if slope is not None:
        # Nothing is said where the quantity has no value.
        needed = Condition(slope, "!= 0", slope)
        if not wanting([needed], derived, meant.domain):
            return None
        point = place(needed, derived, meant.domain)
        if point is None:
            return Undecided(f"that {slope} is nowhere zero was not proved")
        named = {s.name: v for s, v in point.items()}
        return Refuted(named, f"the equation says nothing about {own} there")
    if _is_monotone(residual, own, meant, Range() if is_size else Range(-oo)):
        return None
    if _factors_with(own, residual) > 1:
        raise TexError(
            "the equation has other solutions too: state each factor as an equation of its own"
        )
    return Undecided("that the equation has no other solution was not proved")


def _slope(residual: Expr, own: Symbol, is_size: bool) -> Expr | None:
    """The coefficient of the quantity in an equation that is linear in it, once multiplied out.

    Of what is not negative it may be that of one power.
    """
    try:
        field = ExpField([residual])
        poly = field.ratio(residual).numer
    except (NotInField, ZeroDivisionError):
        return None
    if any(own in atom.free_symbols for atom in field.atoms.values()):
        return None
    place_of = {s: i for i, s in enumerate(poly.ring.symbols)}
    degree = poly.degree(place_of[own]) if own in place_of else 0
    if degree <= 0:
        raise TexError("the equation does not determine the quantity")
    powers = {monomial[place_of[own]] for monomial in poly.monoms()}
    for _ in range(degree):
        poly = poly.diff(place_of[own])
    return field.back(poly) if degree == 1 or (is_size and powers <= {0, degree}) else None


def _is_monotone(residual: Expr, own: Symbol, meant: Meant, within: Range) -> bool:
    """Whether it is proved strictly monotone where the quantity may lie, its value among that."""
    (quantity,), (derived,) = meant.quantities, meant.derived
    ranges = [within]
    if quantity.bound is not None:
        r = meant.result.domain.ranges.get(quantity.bound[0])
        if r is not None:
            ends = ((derived - r.low, r.low), (r.high - derived, r.high))
            if all(
                end in (oo, -oo) or is_proved_positive(gap, opened(meant.domain), strict=False)
                for gap, end in ends
            ):
                ranges.insert(0, r)
    slope = residual.diff(own)
    for r in ranges:
        # By continuity it is monotone at the ends too, where it has a value.
        inner = Range(r.low, r.high)
        inside = Domain.of_ranges({**meant.domain.ranges, own: inner})
        if isinstance(defined(residual, inside), Holds) and any(
            is_proved_positive(k * slope, inside) for k in (1, -1)
        ):
            return True
    return False


def _factors_with(own: Symbol, residual: Expr) -> int:
    """How many different factors with a symbol an expression has."""
    try:
        field = ExpField([residual])
        factors = Mul.make_args(field.factored(field(residual)))
    except (NotInField, ZeroDivisionError):
        return 1
    plain_ = {f.base if f.is_Pow else f for f in factors if f.as_base_exp()[1].is_positive}
    return sum(own in f.free_symbols and not isinstance(f, exp) for f in plain_)
