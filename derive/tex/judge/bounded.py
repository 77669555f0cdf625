r"""Bounds on a number that has a name: ``\ell \le \|\nabla_z \mathcal{L}\|^2 \le U = ..``.

They say what was derived if the bound nearest to the name is the derived one, on its side, and
not strict. What stands further out is a second claim, which has to be proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr

from ...decide.evidence import Holds
from ...frozen import FrozenValue
from ...language.statement import Side, Statement, TexError
from ...proof.relations import TURNED
from ...theorem.bounds import Bounds
from ..directives import Directive
from .claimed import check_order
from .finding import Finding, finding_of_all
from .lookup import Meant, bound_name, bounded
from .printed import compared, needs_of, plain


class _Group(FrozenValue):
    """Sides that are equal, and whether what is further out is strictly beyond them."""

    sides: tuple[Expr, ...]
    strict: bool


def is_bound(statement: Statement, meant: Meant) -> bool:
    """Whether a statement is about what the quantities are bounds of."""
    return meant.bounded is not None and meant.bounded in statement.sides


def judge_bound(statement: Statement, meant: Meant, directive: Directive) -> Finding:
    """Judge a chain of bounds around what is bounded.

    Raises
    ------
    TexError
        If it is no such chain, or claims more than the directive names.
    """
    printed = _around(statement, meant)
    heads = [bound_name(q) for q in meant.quantities]
    wanted = {head[2]: k for k, head in enumerate(heads) if head}
    if len(wanted) != len(meant.quantities):
        raise TexError("the directive names two bounds on the same side")
    if len(set(map(bounded, meant.quantities))) > 1:
        raise TexError("the directive names bounds of two different numbers")
    found: list[Finding] = []
    for side, groups in printed.items():
        if side not in wanted:
            if len(printed) == 1:
                return Finding(
                    "differs",
                    False,
                    message=f"the directive names the bound on the other side, not the {side} one",
                )
            raise TexError(f"it is bounded from two sides: name the {side} bound in the directive")
        own = meant.single(wanted[side]) if len(wanted) > 1 else meant
        found.append(_nearest(statement, groups, own, directive))
        if found[-1].ok:
            _further(groups, own, side)
    if len(printed) < len(wanted):
        raise TexError("the directive names two bounds, and only one of them is here")
    return next((f for f in found if not f.ok), found[-1])


def _around(statement: Statement, meant: Meant) -> dict[str, list[_Group]]:
    """What stands below and above, the nearest first."""
    sides, relations = list(statement.sides), list(statement.relations)
    if {r[0] for r in relations} - {"="} == {">"}:
        sides, relations = sides[::-1], [TURNED.get(r, r) for r in relations[::-1]]  # type: ignore[misc]
    if set(relations) - {"=", "<", "<="}:
        raise TexError("a chain of bounds with relations in two directions")
    at = sides.index(meant.bounded)
    if "=" in relations[max(at - 1, 0) : at + 1]:
        raise TexError(
            "a bound was derived, and no value: write \\le or \\ge behind the name, not ="
        )
    found = {
        "upper": _groups(sides[at + 1 :], relations[at:]),
        "lower": _groups(sides[:at][::-1], relations[:at][::-1]),
    }
    return {side: groups for side, groups in found.items() if groups}


def _groups(sides: list[Side], relations: Sequence[str]) -> list[_Group]:
    out: list[_Group] = []
    for side, relation in zip(sides, relations, strict=True):
        if relation == "=":
            out[-1] = replace(out[-1], sides=(*out[-1].sides, plain(side)))
        else:
            out.append(_Group((plain(side),), relation == "<"))
    return out


def _nearest(
    statement: Statement, groups: list[_Group], meant: Meant, directive: Directive
) -> Finding:
    (own,), (derived,), (quantity,) = meant.own, meant.derived, meant.quantities
    needs = needs_of(statement, meant)
    removable = directive.allow_removable
    nearest = [
        (compared(e, meant, needs, removable), e, derived) for e in groups[0].sides if e != own
    ]
    if any(not isinstance(outcome, Holds) for outcome, _, _ in nearest):
        return finding_of_all(nearest, meant, directive)
    if not nearest:
        raise TexError("nothing is left to compare: the bound is only a name")
    if groups[0].strict:
        return Finding(
            "differs", False, message="the derived bound allows equality, and this one does not"
        )
    stated = quantity if isinstance(quantity, Bounds) else None
    if stated is not None and stated.is_false:
        message = f"the formula is printed so, and is {stated.standing}"
        return Finding("differs", False, message=message)
    if stated is not None and stated.printed and stated.holds_if:
        return Finding("undecided", False, message=f"the bound is {stated.standing}")
    return finding_of_all(nearest, meant, directive)


def _further(groups: list[_Group], meant: Meant, side: str) -> None:
    """Refuse what stands beyond the derived bound unless it is proved to be beyond."""
    way = "<" if side == "upper" else ">"
    relations = [way if g.strict else way + "=" for g in groups[1:]]
    if any(len(g.sides) > 1 for g in groups[1:]):
        raise TexError("this is a second claim, which was not proved: what stands beyond the bound")
    check_order([g.sides[0] for g in groups], relations, meant)
