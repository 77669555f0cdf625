"""What increases or decreases with a symbol, as theorems: by the sign of its derivative."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Basic, Expr, Gt, Symbol

from ...decide.coefficients import closure
from ...decide.domain import Domain
from .signs import Signs, shown_positive, without_logarithms
from .terms import bounds, name, term


def monotone(
    expression: Expr,
    symbol: Symbol,
    shown: Basic,
    domain: Domain,
    by: Sequence[str] | None = None,
) -> tuple[str, list[str]]:
    """The statement that an expression increases (decreases) with a symbol, and lines.

    Parameters
    ----------
    shown
        That its derivative is > 0 (or < 0).
    by
        Lines that prove so; by default those of :class:`.Signs`.

    Raises
    ------
    NotWritten
        If it has other functions than exponentials, or the proof of the sign is not known here.
    """
    rate, rises = shown.args[0], isinstance(shown, Gt)
    domain = domain.restricted(closure(expression.free_symbols | {symbol}, domain))
    own: dict[str, str] = {}
    given: dict[str, str] = {}
    for s, r in domain.ranges.items():
        inside = symbol in {s, *r.low.free_symbols, *r.high.free_symbols}
        (own if inside else given).update(bounds(s, r))
    others, x = " ".join(name(s) for s in domain.ranges if s != symbol), name(symbol)
    kind = "increases" if rises else "decreases"
    where = " /\\ ".join(own.values()) or "True"
    statement = (
        (f"forall {others} : R, " if others else "")
        + "".join(f"{one} -> " for one in given.values())
        + f"{kind} (fun {x} => {where})\n    (fun {x} => {term(expression)})"
    )
    named, domain, hidden = without_logarithms(expression, domain)
    expression, rate = expression.xreplace(named), rate.xreplace(named)
    signs = Signs([expression, rate], domain)
    if by is None:
        by = shown_positive("", rate if rises else -rate, domain)
    intros = f"intros {x} D_; destruct D_ as [{' '.join(own)}]." if len(own) > 1 else ""
    intros = intros or f"intros {x} {' '.join(own) or 'D_'}."
    return statement, [
        *([f"intros {' '.join([others, *given])}."] if others else []),
        *hidden,
        f"refine ({kind}_by _ _ (fun {x} => {term(rate)}) _ _ _).",
        "{ intros a_ b_ c_ A_ B_ C_; repeat split; lra. }",
        f"{{ {intros}",
        "der.",
        *signs.lines,
        "eq. }",
        f"{{ {intros}",
        *by,
        "}",
    ]
