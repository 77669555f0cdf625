"""Where an expression is a real, finite number: a root, a logarithm, a quotient is not always."""

from __future__ import annotations

from sympy import Expr, Max, Rational, S, Symbol, exp, log, preorder_traversal

from .decide import positive, proof_of_positive
from .domain import Domain, between
from .evidence import Holds, Outcome, Refuted
from .interval import NoSign, is_finite, non_negative, sign
from .zeros import NotSolved, zeros

#: What is above this on an interval, ends included, is above zero.
MARGIN = Rational(1, 2**40)


class NotDefined(ValueError):
    """An expression is not a real number everywhere; one line, with the place."""


def check_defined(expression: Expr, x: Symbol, a: Expr, b: Expr, domain: Domain) -> None:
    """Prove that an expression is real and finite for x in [a, b] and the domain's symbols.

    Raises
    ------
    NotDefined
        Saying which part is not, and where; or that it was not proved.
    """
    if not is_finite(expression) or expression.has(S.ImaginaryUnit):
        raise NotDefined(f"{_shown(expression, x)} is not a finite real number")
    where = _Where(x, a, b, domain)
    for part in dict.fromkeys(reversed(list(preorder_traversal(expression)))):
        if part.is_number or part.is_Symbol:
            continue
        if isinstance(part, log):
            where.check(part, part.args[0], strict=True)
        elif part.is_Pow and part.exp.is_Rational:
            if not part.exp.is_Integer:
                where.check(part, part.base, strict=bool(part.exp < 0))
            elif part.exp < 0:
                where.check_no_pole(part)
        elif not (part.is_Add or part.is_Mul or isinstance(part, (exp, Max))):
            raise NotDefined(
                f"{_shown(part, x)} is not made of exp, log, max, abs and powers with a number "
                "as exponent"
            )


class _Where:
    """The interval and the ranges on which something is to be defined."""

    def __init__(self, x: Symbol, a: Expr, b: Expr, domain: Domain):
        self.x, self.a, self.b, self.domain = x, a, b, domain
        self.closed = domain.with_range(x, between(a, b), (a + b) / 2)

    def check(self, part: Expr, base: Expr, *, strict: bool) -> None:
        """A root or a logarithm: what is inside must be >= 0 (strict: > 0)."""
        if self._positive(base, strict):
            return
        shown = _shown(part, self.x)
        at_least = self._not_negative(base)
        if isinstance(at_least, Refuted):
            raise NotDefined(f"{shown} is not real {place(at_least)}")
        if isinstance(at_least, Holds):
            if not strict:
                return
            for point in self._zeros(base):
                raise NotDefined(f"{shown} is infinite at x = {point}")
        raise NotDefined(f"it is not proved that {shown} is defined{self._hint(base)}")

    def check_no_pole(self, part: Expr) -> None:
        """A quotient: what is below must not vanish."""
        below = part.base
        if self._positive(below, True) or self._positive(-below, True):
            return
        for point in self._zeros(below):
            ends = (self.a, self.b)
            says = "is infinite" if point in ends and point in (-1, 1) else "has a pole"
            raise NotDefined(f"{_shown(part, self.x)} {says} at x = {point}")
        raise NotDefined(
            f"it is not proved that {_shown(part, self.x)} is defined{self._hint(below)}"
        )

    def _plain(self, base: Expr) -> bool:
        return base.free_symbols <= {self.x}

    def _positive(self, base: Expr, strict: bool) -> bool:
        if proof_of_positive(base, self.closed, strict=strict) is not None:
            return True
        if not strict or not self._plain(base):
            return False
        return isinstance(self._inside(base - MARGIN), Holds)

    def _inside(self, base: Expr) -> Outcome | None:
        try:
            return non_negative(base, self.x, self.a, self.b)
        except NoSign:
            return None

    def _not_negative(self, base: Expr) -> Outcome | None:
        if self._plain(base):
            return self._inside(base)
        return positive(base, self.closed, strict=False)

    def _zeros(self, base: Expr) -> list[Expr]:
        """Points of the closed interval where it vanishes, as far as they are found."""
        if not self._plain(base):
            return []
        try:
            ends = [e for e in (self.a, self.b) if sign(base.xreplace({self.x: e})) == 0]
            return ends or zeros(base, self.x, self.a, self.b)
        except (NoSign, NotSolved):
            return []

    def _hint(self, base: Expr) -> str:
        return "" if self._plain(base) else ": write numbers in place of the parameters"


def _shown(expression: Expr, x: Symbol) -> Expr:
    return expression.xreplace({x: Symbol("x")})


def place(outcome: Refuted) -> str:
    """Where something fails, in the names that a user writes."""
    return f"at {outcome.place({'c': 'x'})}" if outcome.witness else "anywhere"
