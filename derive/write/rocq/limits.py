"""Limits as theorems: for every eps there is a place from which on the two are closer than eps.

The expression is a function of what becomes small, which is the variable or its inverse, and of an
exponential exp(-c/x) that itself at zero, and one minus it at infinity. There it is continuous.
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, cancel, fraction, oo

from ...decide.coefficients import closure
from ...decide.domain import Domain, Range
from .signs import Signs, shown_positive
from .terms import NotWritten, exponentials, hypotheses, name, quantified, term

#: What becomes small.
y = Symbol("y_", positive=True)


def limit(
    e: Expr, symbol: Symbol, point: Expr, value: Expr, domain: Domain
) -> tuple[str, list[str]]:
    """The statement that an expression converges to a value, from above or at infinity, and lines.

    Raises
    ------
    NotWritten
        If it has other functions than one exponential exp(-c/symbol), or is not continuous there.
    """
    domain = domain.restricted(closure(e.free_symbols | value.free_symbols | {symbol}, domain))
    others = domain.restricted(set(domain.ranges) - {symbol})
    if not closure(set(others.ranges), domain) <= set(others.ranges) or value.is_infinite:
        raise NotWritten("it converges to infinity, or ranges depend on what converges")
    far, x = point is oo, name(symbol)
    r = domain.ranges[symbol]
    if not far and (r.low != 0 or point != 0):
        raise NotWritten("it is a limit at another place")
    positive = domain
    if not (r.low.is_number and (r.low > 0 or (r.low == 0 and r.low_open))):
        positive = Domain.of_ranges({**domain.ranges, symbol: Range(S.Zero, r.high)})
    domain = domain if far else positive
    given = hypotheses(others)
    own = {k: v for k, v in hypotheses(domain).items() if k not in given}
    near = f"X_ < {x}" if far else f"{x} < X_"
    statement, lines = quantified(
        others,
        f"forall eps_ : R, 0 < eps_ ->\n  exists X_ : R, 0 < X_ /\\ forall {x} : R, "
        + " -> ".join([*own.values(), near, f"Rabs ({term(e)} - {term(value, None, 1)}) < eps_"]),
    )
    atoms = [a for a in exponentials(e) if symbol in a.free_symbols]
    place, spelled = "far" if far else "near", {}
    lemma = f"small_{place} _"
    if atoms:
        c = cancel(-atoms[0].args[0] * symbol)
        lines += shown_positive("C_", c, others)
        lemma, spelled = f"exp_{place} _ _ C_", {f"exp (- ({term(c)}) / {x})": atoms[0]}
        small = 1 - atoms[0] if far else atoms[0]
    else:
        small = 1 / symbol if far else symbol
    function = _function(e, symbol, atoms, far=far)
    at_zero, below = function.xreplace({y: S.Zero}), fraction(function)[1].xreplace({y: S.Zero})
    if below == 0:
        raise NotWritten("it is not continuous where it converges")
    limit_signs = Signs([at_zero, value], others)
    limit_signs.check_zero(at_zero - value)
    equal = Signs([e, function.xreplace({y: small})], positive, spelled)
    return statement, [
        *lines,
        "intros eps_ eps_low_.",
        f"destruct (by_continuity (fun y_ => {term(function)}) ({term(value)}) eps_)",
        "  as [d_ [d_low_ close_]].",
        "{ auto_derive; divisors. }",
        "{ cbv beta.",
        *limit_signs.lines,
        "eq. }",
        "{ exact eps_low_. }",
        f"destruct ({lemma} d_low_)",
        "  as [X_ [X_low_ small_]].",
        f"exists X_. split; [exact X_low_ |]. intros {' '.join([x, *own, 'near_'])}.",
        f"assert (P_ : 0 < {x}) by lra.",
        f"specialize (close_ _ (small_ {x} P_ near_)).",
        *([] if positive == domain else [f"clear {x}_low; rename P_ into {x}_low."]),
        "match type of close_ with Rabs (?a - _) < _ =>",
        f"  replace ({term(e)}) with a; [exact close_ |] end. clear close_ small_.",
        *equal.lines,
        "eq.",
    ]


def _function(e: Expr, symbol: Symbol, atoms: list[Expr], *, far: bool) -> Expr:
    """An expression as a function of what becomes small."""
    powers = {a: cancel(a.args[0] / atoms[0].args[0]) for a in atoms}
    if not all(k.is_Integer for k in powers.values()):
        raise NotWritten("it has several exponentials of what converges")
    places = {a: (1 - y if far else y) ** k for a, k in powers.items()}
    found = e.xreplace(places or {symbol: 1 / y if far else y})
    if found.has(symbol):
        raise NotWritten("what converges is in an exponential and outside of it")
    known = {a: Symbol(f"e_{k}", positive=True) for k, a in enumerate(exponentials(found))}
    back = {s: a for a, s in known.items()}
    function: Expr = cancel(found.xreplace(known)).xreplace(back)
    return function
