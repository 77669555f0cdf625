"""Limits as theorems: for every eps there is a place from which on the two are closer than eps.

What is left is at most K v for a v that converges to zero: the variable or its inverse, and of an
exponential exp(-c/x) that itself at zero, and one minus it at infinity. That is a sign as others.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, S, Symbol, cancel, exp, oo

from ...decide.coefficients import closure
from ...decide.domain import Domain, Range
from .signs import Signs
from .terms import NotWritten, hypotheses, name, term


def limit(
    e: Expr, symbol: Symbol, point: Expr, value: Expr, domain: Domain
) -> tuple[str, list[str]]:
    """The statement that an expression converges to a value, from above or at infinity, and lines.

    Raises
    ------
    NotWritten
        If it has other functions than one exponential exp(-c/symbol), or no such bound is found.
    """
    domain = domain.restricted(closure(e.free_symbols | value.free_symbols | {symbol}, domain))
    others = domain.restricted(set(domain.ranges) - {symbol})
    if not closure(set(others.ranges), domain) <= set(others.ranges) or value.is_infinite:
        raise NotWritten("it converges to infinity, or ranges depend on what converges")
    far, x = point is oo, name(symbol)
    if not far:  # the limit is from above
        low, high = domain.ranges[symbol].low, domain.ranges[symbol].high
        if low != 0 or point != 0:
            raise NotWritten("it is a limit at another place")
        domain = Domain.of_ranges({**domain.ranges, symbol: Range(low, high)})
    shape = _Shape(e, symbol, far=far)
    close, narrowed = _near(symbol, domain, far=far)
    bound, gap = shape.bound(e - value, close, others), e - value
    scale, parts = bound * shape.rate, (e, value, bound, shape.small)
    given = hypotheses(others)
    own = {k: v for k, v in hypotheses(domain).items() if k not in given}
    variables = " ".join(map(name, others.ranges))
    near = f"X_ < {x}" if far else f"{x} < X_"
    distance = f"Rabs ({term(e)} - {term(value, None, 1)})"
    statement = (
        (f"forall {variables} : R, " if variables else "")
        + "".join(f"{one} -> " for one in given.values())
        + f"forall eps_ : R, 0 < eps_ ->\n  exists X_ : R, 0 < X_ /\\ forall {x} : R, "
        + "".join(f"{one} -> " for one in own.values())
        + f"{near} -> {distance} < eps_"
    )
    size = f"{term(scale, None, 2)} * {'/ ' * far}{x}"
    lemma = "small_far" if far else "small_near"
    lines = [f"intros {' '.join([variables, *given])}."] if variables else []
    lines += [
        "intros eps_ eps_low_.",
        f"assert (K_ : 0 < {term(scale)}).",
        *_signed(scale, others, strict=True),
        f"destruct ({lemma} ({term(scale)}) eps_ K_ eps_low_) as [X_ [X_low_ small_]].",
        f"exists X_. split; [lra |]. intros {' '.join([x, *own, 'near_'])}.",
        f"apply Rle_lt_trans with ({size}); [| exact (small_ {x} near_)].",
        f"assert (P_ : 0 < {x}) by lra.",
        *narrowed,
        f"apply Rle_trans with ({term(bound, None, 2)} * {term(shape.small, None, 2)}).",
        "{ apply by_both.",
        *_signed(bound * shape.small - gap, close, *parts),
        *_signed(bound * shape.small + gap, close, *parts),
        "}",
        f"assert (B_ : 0 < {term(bound)}).",
        *_signed(bound, others, strict=True),
        *shape.rated(bound, size, x, others),
    ]
    return statement, lines


def _signed(e: Expr, domain: Domain, *parts: Expr, strict: bool = False) -> Iterator[str]:
    """A block that proves that e is positive, which the goal says in its parts."""
    signs = Signs([e, *parts], domain)
    proof = signs.proof(e, strict=strict)
    yield from ["{ idtac.", *signs.lines, *proof, "}"]


def coefficients(e: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The rational factor of each addend, and the rest."""
    return (part.as_coeff_Mul() for part in Add.make_args(e.expand()))


def _near(symbol: Symbol, domain: Domain, *, far: bool) -> tuple[Domain, list[str]]:
    """The domain beyond 1, or between 0 and 1, and lines that the variable is there."""
    r, x = domain.ranges[symbol], name(symbol)
    if far and r.low.is_number and r.low >= 1:
        return domain, []
    if far:
        new, end = Range(S.One), f"1 < {x}"
    else:
        new, end = Range(S.Zero, S.One), f"{x} < 1"
    side = "low" if far else "high"
    lines = [f"assert (near_1 : {end}) by lra.", f"try clear {x}_{side}."]
    lines.append(f"rename near_1 into {x}_{side}.")
    return Domain.of_ranges({**domain.ranges, symbol: new}), lines


class _Shape:
    """What converges to zero, and how fast: at most ``rate`` times the symbol or its inverse."""

    def __init__(self, e: Expr, symbol: Symbol, *, far: bool):
        atoms = sorted((a for a in e.atoms(exp) if symbol in a.free_symbols), key=str)
        self.symbol, self.far, self.atom = symbol, far, next(iter(atoms), None)
        self.powers = {a: cancel(a.args[0] / atoms[0].args[0]) for a in atoms}
        if not all(k.is_Integer for k in self.powers.values()):
            raise NotWritten("it has several exponentials of what converges")
        self.y = Symbol("y_", positive=True)
        if self.atom is None:
            self.c, self.rate = S.One, S.One
            self.small: Expr = 1 / symbol if far else symbol
            self.place = 1 / self.y if far else self.y
        else:
            self.c = cancel(-self.atom.args[0] * symbol)
            if self.c.has(symbol):
                raise NotWritten("its exponential is another one than exp(-c/x)")
            self.small = 1 - self.atom if far else self.atom
            self.rate = self.c if far else 1 / self.c
            self.place = 1 - self.y if far else self.y

    def bound(self, gap: Expr, domain: Domain, others: Domain) -> Expr:
        """A number free of the symbol, times which ``small`` the gap is at most."""
        places = {a: self.place**k for a, k in self.powers.items()} or {self.symbol: self.place}
        at_limit = gap.xreplace(places)
        if at_limit.has(self.symbol):
            raise NotWritten("what converges is in an exponential and outside of it")
        known = {a: Symbol(f"e_{k}", positive=True) for k, a in enumerate(at_limit.atoms(exp))}
        back = {s: a for a, s in known.items()}
        ratio = cancel(at_limit.xreplace(known) / self.y).xreplace(back)
        values = (ratio.subs(self.y, at) for at in (S.Zero, S.One, S.Half))
        found = [v for v in values if v.is_finite is not False]
        sizes = [Add(*(abs(k) * m for k, m in coefficients(v))) for v in found]
        for value in (*found, *(-v for v in found), *(2 * v for v in found), S.One, S(2), *sizes):
            try:
                for e, where, strict in (
                    (value, others, True),
                    (value * self.rate, others, True),
                    (value * self.small - gap, domain, False),
                    (value * self.small + gap, domain, False),
                ):
                    Signs([e], where).proof(e, strict=strict)
            except NotWritten:
                continue
            return value
        raise NotWritten("no bound of its distance from the limit is found")

    def rated(self, bound: Expr, size: str, x: str, others: Domain) -> Iterator[str]:
        """Lines that the bound times ``small`` is at most ``size``."""
        if self.atom is None:
            yield "right; reflexivity."
            return
        c, positive = term(self.c), "" if self.far else " C_"
        inside = f"({c}) * / {x}" if self.far else f"/ ({c}) * {x}"
        yield f"assert (C_ : 0 < {c})."
        yield from _signed(self.c, others, strict=True)
        yield f"assert (E_ := exp_near_{int(self.far)} ({c}) {x}{positive} P_)."
        yield (
            f"replace (exp (- ({c}) / {x})) with ({term(self.atom)}) in E_ by (f_equal; field; nz)."
        )
        yield f"replace ({size}) with ({term(bound, None, 2)} * ({inside})) by (field; nz)."
        yield "apply Rmult_le_compat_l; [left; exact B_ | exact E_]."
