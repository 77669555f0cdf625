"""What is compared with zero, without factors that are proved to be positive."""

from __future__ import annotations

from sympy import Basic, Expr, Ge, Gt, Le, Lt, Piecewise, Tuple

from ...decide.domain import Domain
from ...errors import InternalError
from ...proof.relations import Iff
from .equations import has_same_sign, sign_of
from .layout import layout

#: What a claim that stands alone may cost to be shown with all its factors.
LONG = 150


def by_sign(statement: Basic, domain: Domain, *, always: bool = False) -> tuple[Basic, bool]:
    """A statement with what is compared with zero up to a positive factor, and whether it is so.

    Parameters
    ----------
    always
        Whether that is done to all claims; else to long ones, and to what is said iff.
    """
    if isinstance(statement, Iff):
        first, second = statement.args
        changed, is_changed = by_sign(second, domain, always=True)
        return (Iff(first, changed), True) if is_changed else (statement, False)
    if isinstance(statement, Tuple):
        parts = [by_sign(part, domain, always=always) for part in statement.args]
        return Tuple(*(p for p, _ in parts)), any(c for _, c in parts)
    if type(statement) not in (Gt, Ge, Lt, Le):
        return statement, False
    left, right = statement.args
    for k, side in enumerate((left, right)):
        other = (left, right)[1 - k]
        if other != 0 or side.is_Atom or not side.free_symbols <= set(domain.ranges):
            continue
        if not always and layout(side, domain).cost < LONG:
            continue
        essential = sign_of(side, domain).meaning
        if essential == side or not isinstance(essential, Expr) or essential.is_number:
            continue
        if not has_same_sign(essential, side, domain):
            raise InternalError(f"{essential} does not have the sign of {side}")
        sides = (essential, other) if k == 0 else (other, essential)
        return type(statement)(*sides, evaluate=False), True
    return statement, False


def cases_by_sign(e: Basic, domain: Domain | None) -> Basic:
    """A case distinction with its conditions up to positive factors."""
    if not isinstance(e, Piecewise) or domain is None:
        return e
    parts = ((value, by_sign(case, domain, always=True)[0]) for value, case in e.args)
    return Piecewise(*parts, evaluate=False)
