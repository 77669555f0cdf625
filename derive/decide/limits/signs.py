"""Signs of constants, for limits: proved on a domain, or at the value of what converges."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Dummy, Expr, Max, Min, NumberSymbol, Piecewise, Pow, S, Symbol, exp, log, oo

from ...errors import Unproved
from ..ball import NoValue
from ..cases import with_signed_logs
from ..decide import is_proved_positive
from ..digits import sign as sign_of_number
from ..domain import Domain, Range
from ..factors import proves_positive
from ..normal import ExpField, NotInField, in_order, vanishes
from ..present import tidy
from ..root import ClampedRoot
from ..splitting import split_logs, split_roots


class NoLimit(Unproved, ValueError):
    """The limit does not exist, or is not one that the engine can take."""


class UnknownSign(NoLimit):
    """The sign of a constant that matters could not be proved."""

    def __init__(self, constant: Expr):
        shown = str(constant)
        super().__init__(
            f"the sign of {shown if len(shown) <= 60 else 'a coefficient'} is not known"
        )
        self.constant = constant


class Signs:
    """Signs on a domain, of constants that may contain parts which converge.

    Parameters
    ----------
    domain
        Bounds the parameters.
    limits
        What some symbols converge to. A strict sign at the limit is a sign nearby.
    """

    def __init__(self, domain: Domain, limits: Mapping[Symbol, Expr] | None = None):
        self.domain = domain
        self.limits = dict(limits or {})
        self._known: dict[Expr, int] = {}
        self._zeros: dict[Expr, bool] = {}

    def __call__(self, c: Expr) -> int:
        """-1, 0 or 1: the sign everywhere on the domain.

        Raises
        ------
        NoLimit
            If it is not decided.
        """
        if c.is_Rational:
            return (c.p > 0) - (c.p < 0)
        if c not in self._known:
            self._known[c] = self._sign(c)
        return self._known[c]

    def vanishes(self, e: Expr) -> bool:
        """Whether an expression is proved to be zero identically."""
        if e.is_Rational or e.is_Symbol or isinstance(e, (exp, log)):
            return bool(e == 0)
        if e not in self._zeros:
            self._zeros[e] = self._vanishes(e)
        return self._zeros[e]

    def _vanishes(self, e: Expr) -> bool:
        e, _ = without_towers(e)
        if vanishes(e):
            return True
        split = e
        if len(e.atoms(log)) > 1 or (e.has(log) and e.has(exp)):
            split = split_logs(split)
        if sum(a.is_Pow and a.exp.is_Rational and a.exp.q > 1 for a in e.atoms(Pow)) > 1:
            split = split_roots(split, self.domain)
        return split != e and vanishes(split)

    def _sign(self, c: Expr) -> int:
        if self.vanishes(c):
            return 0
        c = c.xreplace(self.limits)
        if is_no_number(c):
            raise NoLimit("a part has no finite limit, and its rate matters")
        if self.limits and c == 0:
            raise NoLimit("a leading coefficient vanishes where a root goes")
        if not c.free_symbols:
            return _of_number(c)
        if c.is_Mul:
            total = 1
            for a in c.args:
                total *= self(a)
            return total
        if isinstance(c, exp):
            return 1
        if isinstance(c, log):
            return self(c.args[0] - 1)
        if c.is_Pow and c.exp.is_Rational:
            sign = self(c.base)
            if sign < 0 and c.exp.q > 1:
                raise NoLimit(f"a root of {c.base}, which is negative")
            return sign if c.exp.p % 2 else abs(sign)
        return self._proved(c)

    def _proved(self, c: Expr) -> int:
        plain, domain = c, with_assumed(self.domain, c.free_symbols)
        if plain.has(log):
            (plain,), domain = with_signed_logs([plain], domain)
        for sign in (1, -1):
            if is_proved_positive(sign * plain, domain):
                return sign
        whole = neat(plain)
        if whole.is_Mul and whole != plain:
            return Signs(domain)(whole)
        for sign in (1, -1):
            if proves_positive(sign * plain, domain):
                return sign
        raise UnknownSign(c)


def is_no_number(e: Expr) -> bool:
    """Whether oo or nan is in it; that a root is looked for up to oo is no such part."""
    return e.xreplace(dict.fromkeys(e.atoms(ClampedRoot), S.One)).has(*_INFINITE)


_INFINITE = (S.NaN, S.ComplexInfinity, oo, -oo)


def with_assumed(domain: Domain, used: set[Symbol]) -> Domain:
    """Bound the other symbols by what they are assumed to be."""
    for s in in_order(used - set(domain.ranges)):
        if s.is_positive:
            domain = domain.with_positive([s])
        elif s.is_nonnegative:
            domain = domain.with_range(s, Range(low_open=False), 1)
        else:
            domain = domain.with_range(s, Range(-oo, oo), 1)
    return domain


def without_towers(e: Expr) -> tuple[Expr, dict[Symbol, Expr]]:
    """Write unknowns for exponentials, logarithms and roots inside exponents.

    The normal form takes exponents that are rational. Equal parts stay equal; what the
    unknowns stand for comes with them.
    """
    meaning: dict[Symbol, Expr] = {}
    while inner := set().union(*(_transcendental(a.args[0]) for a in e.atoms(exp))):
        lowest = in_order(a for a in inner if not any(map(_transcendental, a.args)))
        rules: dict[Expr, Expr] = {}
        if not lowest:
            return e, meaning
        exponentials = in_order(a for a in e.atoms(exp) if not _transcendental(a.args[0]))
        try:
            field = ExpField(exponentials)
            unknown = {y: Dummy("inner", positive=True) for y in field.atoms}
            rules = {a: field(a).as_expr().xreplace(unknown) for a in exponentials}
        except NotInField:
            return e, meaning
        meaning |= {unknown[y]: a for y, a in field.atoms.items()}
        for a in lowest:
            if a not in rules:
                rules[a] = Dummy("inner", real=True)
                meaning[rules[a]] = a
        e = e.xreplace(rules)
    return e, meaning


def neat(e: Expr) -> Expr:
    """Cancelled and factored, also where exponents contain logarithms or exponentials.

    Maxima and roots of functions stay as they are: SymPy would evaluate them with what the
    normal form writes for their parts.
    """
    parts = {a: Dummy("part", real=True) for a in in_order(_parts(e))}
    plain, meaning = without_towers(e.xreplace(parts))
    meaning |= {v: a for a, v in parts.items()}
    plain = tidy(plain)
    while found := plain.free_symbols & set(meaning):
        plain = plain.xreplace({s: meaning[s] for s in found})
    return plain


def _parts(e: Expr) -> set[Expr]:
    """The outermost maxima, case distinctions and roots of functions."""
    if isinstance(e, (ClampedRoot, Max, Min, Piecewise)):
        return {e}
    return set().union(*(_parts(a) for a in e.args)) if e.args else set()


def _transcendental(e: Expr) -> set[Expr]:
    """Exponentials, logarithms, roots, and numbers such as e."""
    found = e.atoms(exp, log, Pow, NumberSymbol)
    return {a for a in found if not a.is_Pow or isinstance(a, exp) or not a.exp.is_Integer}


def _of_number(c: Expr) -> int:
    try:
        found = sign_of_number(c)
    except NoValue:
        raise NoLimit("a constant is not a real number") from None
    if not found:  # a zero that is none identically: what leads is not known
        raise NoLimit(f"the number {c} could not be told from zero")
    return found
