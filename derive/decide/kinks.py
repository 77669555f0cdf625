"""Functions with kinks: where they bend, the smooth pieces between, and one-sided slopes.

A kink is where a maximum changes over. When the maxima are of functions of the variable
alone, [-1, 1] is cut where their sides cross, at exactly known points, and every piece is
smooth (:class:`Cut`). When they have parameters, the two sides of each must differ by
something affine in the variable, so that there is one such place and on each side one of
the two is the maximum (:class:`Folded`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise, product

from sympy import Abs, Dummy, Expr, Gt, Max, Min, Piecewise, S, Symbol, exp, nan
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from .calculus import derivative
from .decide import is_proved_positive, positive
from .domain import POSITIVE, Domain, between
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .interval import NoSign, in_order, is_finite, non_negative, sign
from .pieces import Piece
from .poles import NotDefined, check_defined
from .present import tidy
from .zeros import NotSolved, sign_between, zeros

#: Which side of each kink a piece lies on: True above it.
Pattern = Mapping[Expr, bool]
#: Decides whether a function is >= 0 on a piece.
Check = Callable[[Expr], Outcome]
#: Where an inner product lives.
LOW, HIGH = -S.One, S.One


class NotBent(ValueError):
    """A function is not defined on [-1, 1], or its kinks are not found; the message says why."""


@dataclass(frozen=True, eq=False)
class Kink:
    """A place, and which of two expressions is larger below and above it."""

    at: Expr
    below: Expr
    above: Expr


def bent(function: Expr, variable: Symbol, domain: Domain) -> Cut | Folded:
    """Read a function of one variable on [-1, 1], smooth but for the kinks of its maxima.

    Raises
    ------
    NotBent
        If it is not proved to be defined on [-1, 1], or a kink is not found.
    """
    function = by_maxima(function)
    try:
        if all(m.free_symbols <= {variable} for m in function.atoms(Max)):
            return Cut(function, variable, domain)
        return Folded(function, variable, domain)
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
            return Undecided("the slope at a kink is not determined")
        if not (is_finite(before) and is_finite(after)):
            # Inside its domain a convex function has finite slopes.
            return Refuted({}, "the slope is infinite there")
        rise = after - before
        if rise.free_symbols:
            return positive(tidy(rise), self.domain, strict=False)
        try:
            if sign(rise) >= 0:
                return Holds(Evidence(Grade.EXACT, "the slope does not fall at the kinks"))
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


class Folded:
    """A function whose kinks are at places that depend on parameters.

    Raises
    ------
    NotBent
        If a maximum is not of two, or their difference is not affine in the variable with a
        slope of known sign.
    """

    def __init__(self, function: Expr, variable: Symbol, domain: Domain):
        self.function, self.variable, self.domain = function, variable, domain
        check_defined(function, variable, LOW, HIGH, domain)
        self.folds = {m: self._kink(m) for m in sorted(function.atoms(Max), key=str)}

    def _kink(self, maximum: Expr) -> Kink:
        x = self.variable
        numbers = "; write numbers in place of the parameters"
        if len(maximum.args) != 2 or any(a.has(Max) for a in maximum.args):
            raise NotBent(f"{in_x(maximum, x)} must be the larger of two without a max{numbers}")
        one, other = maximum.args
        rate = tidy(derivative(one - other, x))
        if x in rate.free_symbols or rate == 0:
            raise NotBent(
                f"the two sides of {in_x(maximum, x)} must differ by something affine in x{numbers}"
            )
        at = tidy(-(one - other).xreplace({x: S.Zero}) / rate)
        if is_proved_positive(rate, self.domain) or rate.is_positive:
            return Kink(at, other, one)
        if is_proved_positive(-rate, self.domain) or rate.is_negative:
            return Kink(at, one, other)
        raise NotBent(f"which side of {in_x(maximum, x)} is larger depends on the sign of {rate}")

    @property
    def kinks(self) -> list[Expr]:
        """Where the maxima change over."""
        return [k.at for k in self.folds.values()]

    def patterns(self) -> Iterator[Pattern]:
        """Every choice of sides."""
        for sides in product((False, True), repeat=len(self.folds)):
            yield dict(zip(self.folds, sides, strict=True))

    def smooth(self, pattern: Pattern) -> Expr:
        """The function on one choice of sides."""
        return self.function.xreplace(
            {m: k.above if pattern[m] else k.below for m, k in self.folds.items()}
        )

    def checked(self) -> Iterator[tuple[Check, Expr]]:
        """The derivatives, each with what decides whether a function is >= 0 where it applies."""
        for pattern in self.patterns():
            yield partial(self.sign_on, pattern), derivative(self.smooth(pattern), self.variable)

    def sign_on(self, pattern: Pattern, part: Expr) -> Outcome:
        """Whether a smooth function is >= 0 inside where a choice of sides applies."""
        x = self.variable
        inside = self.domain.with_range(x, between(LOW, HIGH, "()"), 0)
        outcome = positive(part, inside, strict=False)
        for maximum, above in pattern.items():
            if isinstance(outcome, Holds):
                return outcome
            # Each kink bounds the piece on one side.
            away = Dummy("away", positive=True)
            at = self.folds[maximum].at
            outcome = positive(
                part.xreplace({x: at + away if above else at - away}),
                self.domain.with_range(away, POSITIVE, 1),
                strict=False,
            )
        return outcome if isinstance(outcome, Holds) else self._refutation(part, pattern)

    def _refutation(self, part: Expr, pattern: Pattern) -> Outcome:
        """A point where a choice of sides applies and ``part`` is negative, if one is found."""
        x, used = self.variable, self.function.free_symbols
        for point in self.domain.with_range(x, between(-1, 1), 0).points(64):
            sides = {m: point[x] > k.at.xreplace(point) for m, k in self.folds.items()}
            if sides == dict(pattern) and _is_negative(part.xreplace(point)):
                return Refuted.at({s: v for s, v in point.items() if s in used})
        return Undecided(
            f"the shape of {in_x(self.function, x)} was not decided: write numbers in place of "
            "the parameters"
        )

    def jumps(self) -> Iterator[tuple[Expr, Outcome]]:
        """Each kink, and whether the slope does not fall there, whatever the others are."""
        x = self.variable
        for m, kink in self.folds.items():
            for pattern in self.patterns():
                if not pattern[m]:
                    sides = ({**pattern, m: True}, pattern)
                    above, below = (derivative(self.smooth(p), x) for p in sides)
                    rise = tidy((above - below).xreplace({x: kink.at}))
                    yield kink.at, positive(rise, self.domain, strict=False)

    @cached_property
    def _parts(self) -> tuple[Expr, dict[Expr, Dummy]]:
        stand_ins = {m: Dummy("max", real=True) for m in self.folds}
        return self.function.xreplace(stand_ins), stand_ins

    def slope(self, side: int) -> Expr:
        """Derivative from the right (1) or from the left (-1)."""
        smooth, stand_ins = self._parts
        x = self.variable
        total = derivative(smooth, x)
        for m, kink in self.folds.items():
            above, below = (derivative(e, x) for e in (kink.above, kink.below))
            step = Piecewise((above, x >= kink.at if side > 0 else Gt(x, kink.at)), (below, True))
            total += derivative(smooth, stand_ins[m]) * step
        return total.xreplace({d: m for m, d in stand_ins.items()})


def _is_negative(value: Expr) -> bool:
    """Whether a number is proved to be one below zero."""
    try:
        return is_finite(value) and sign(value) < 0
    except NoSign:
        return False


def in_x(expression: Expr, variable: Symbol) -> Expr:
    """As a user writes it: in x, the inner product."""
    return expression.xreplace({variable: Symbol("x")})
