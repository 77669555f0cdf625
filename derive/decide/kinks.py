"""Functions with kinks: where they bend, the smooth pieces between, and one-sided slopes.

A kink is where a maximum changes over. [-1, 1] is cut where the sides of the maxima cross, at
exactly known points, and every piece is smooth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, pairwise

from sympy import Abs, Expr, Max, Min, Piecewise, S, Symbol, exp, nan
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from .calculus import derivative
from .decide import positive
from .domain import Domain, between
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .interval import NoSign, in_order, is_finite, non_negative, sign
from .pieces import Piece
from .poles import NotDefined, check_defined
from .present import tidy
from .zeros import NotSolved, sign_between, zeros

#: Decides whether a function is >= 0 on a piece.
Check = Callable[[Expr], Outcome]
#: Where an inner product lives.
LOW, HIGH = -S.One, S.One


class NotBent(ValueError):
    """A function is not defined on [-1, 1], or its kinks are not found; the message says why."""


def bent(function: Expr, variable: Symbol, domain: Domain) -> Cut:
    """Read a function of one variable on [-1, 1], smooth but for the kinks of its maxima.

    Raises
    ------
    NotBent
        If it is not proved to be defined on [-1, 1], or a kink is not found or has parameters.
    """
    function = by_maxima(function)
    for m in sorted(function.atoms(Max), key=str):
        if not m.free_symbols <= {variable}:
            raise NotBent(
                f"where {in_x(m, variable)} bends depends on parameters; write numbers in place "
                "of the parameters"
            )
    try:
        return Cut(function, variable, domain)
    except NotDefined as error:
        raise NotBent(str(error)) from None


def by_maxima(function: Expr) -> Expr:
    """The same with maxima for absolute values and minima, and exponentials for tanh."""
    return (
        function.replace(lambda e: isinstance(e, HyperbolicFunction), lambda e: e.rewrite(exp))
        .replace(lambda e: isinstance(e, Abs), lambda e: Max(e.args[0], -e.args[0]))
        .replace(lambda e: isinstance(e, Min), lambda e: -Max(*(-a for a in e.args)))
    )


class Cut:
    """A function cut into smooth pieces at exactly known points."""

    def __init__(self, function: Expr, variable: Symbol, domain: Domain):
        self.function, self.variable, self.domain = function, variable, domain
        self.pieces: list[Piece] = []
        for piece in self._cut(function, LOW, HIGH):
            before = self.pieces[-1] if self.pieces else None
            if before is not None and before.smooth == piece.smooth:
                self.pieces[-1] = Piece(before.low, piece.high, piece.smooth)
            else:
                self.pieces.append(piece)

    def _cut(self, function: Expr, a: Expr, b: Expr) -> Iterator[Piece]:
        """Decide one maximum, without others inside it, and go on with the rest."""
        x = self.variable
        inner = [m for m in function.atoms(Max) if not any(s.has(Max) for s in m.args)]
        if not inner:
            check_defined(function, x, a, b, self.domain)
            yield Piece(a, b, function)
            return
        maximum = min(inner, key=str)
        for side in maximum.args:
            check_defined(side, x, a, b, self.domain)
        try:
            parts = list(self._largest(maximum, a, b))
        except (NotSolved, NoSign) as error:
            raise NotBent(
                f"the sides of {in_x(maximum, x)} change over at a point that is not found "
                f"exactly ({error})"
            ) from None
        for low, high, largest in parts:
            # The root of a square becomes an absolute value.
            yield from self._cut(by_maxima(function.xreplace({maximum: largest})), low, high)

    def _largest(self, maximum: Expr, a: Expr, b: Expr) -> Iterator[tuple[Expr, Expr, Expr]]:
        x = self.variable
        inside: set[Expr] = set()
        for one, other in combinations(maximum.args, 2):
            inside |= set(zeros(one - other, x, a, b))
        for low, high in pairwise([a, *in_order(inside), b]):
            largest = maximum.args[0]
            for side in maximum.args[1:]:
                if sign_between(side - largest, x, low, high) > 0:
                    largest = side
            yield low, high, largest

    @property
    def kinks(self) -> list[Expr]:
        """The points between the pieces."""
        return [p.high for p in self.pieces[:-1]]

    def slopes(self) -> Iterator[tuple[Piece, Expr]]:
        """The pieces with their derivatives."""
        for piece in self.pieces:
            yield piece, derivative(piece.smooth, self.variable)

    def checked(self) -> Iterator[tuple[Check, Expr]]:
        """The derivatives, each with what decides whether a function is >= 0 on its piece."""
        for piece, slope in self.slopes():
            yield partial(self.sign_on, piece), slope

    def sign_on(self, piece: Piece, part: Expr) -> Outcome:
        """Whether a smooth function is >= 0 inside a piece."""
        x = self.variable
        try:
            if part.free_symbols <= {x}:
                outcome = non_negative(part, x, piece.low, piece.high)
                if isinstance(outcome, Refuted) and not outcome.witness and self.kinks:
                    return Refuted({x.name: (piece.low + piece.high) / 2}, outcome.note)
                return outcome
        except NoSign as error:
            return Undecided(str(error))
        inside = between(piece.low, piece.high, "()")
        middle = (piece.low + piece.high) / 2
        return positive(part, self.domain.with_range(x, inside, middle), strict=False)

    def jumps(self) -> Iterator[tuple[Expr, Outcome]]:
        """Each kink, and whether the slope does not fall there."""
        for (piece, before), (_, after) in pairwise(self.slopes()):
            at = {self.variable: piece.high}
            yield piece.high, self._rises(before.xreplace(at), after.xreplace(at))

    def _rises(self, before: Expr, after: Expr) -> Outcome:
        if nan in (before, after):
            return Undecided("the derivative at a kink is not determined")
        if not (is_finite(before) and is_finite(after)):
            # Inside its domain a convex function has finite slopes.
            return Refuted({}, "the derivative is infinite there")
        rise = after - before
        if rise.free_symbols:
            return positive(tidy(rise), self.domain, strict=False)
        try:
            if sign(rise) >= 0:
                return Holds(Evidence(Grade.EXACT, "the derivative does not decrease at the kinks"))
        except NoSign as error:
            return Undecided(str(error))
        return Refuted({})

    def slope(self, side: int) -> Expr:
        """Derivative from the right (1) or from the left (-1)."""
        x = self.variable
        *rows, (_, last) = self.slopes()
        if not rows:
            return last
        below = [(s, x < p.high if side > 0 else x <= p.high) for p, s in rows]
        return Piecewise(*below, (last, True))


def in_x(expression: Expr, variable: Symbol) -> Expr:
    """As a user writes it: in x, the inner product."""
    return expression.xreplace({variable: Symbol("x")})
