"""The minimiser of a convex function on an interval, as a SymPy expression.

``ClampedRoot(Lambda(x, h), a, b)`` is the zero of an increasing function h on [a, b];
``a`` when h(a) >= 0 and ``b`` when h(b) <= 0. (It need not increase where it is negative.)
When h has the sign of the derivative of a convex function, this is where that function is
least on [a, b]. At kinks h jumps, and the root is the first point where it is not negative.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any

from sympy import (
    Basic,
    Expr,
    Integer,
    Lambda,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    Symbol,
    log,
    oo,
    sympify,
)

from .ball import GUARD_BITS, Enclosed, NotEnclosed, NoValue, TooWide, enclosure, precision
from .calculus import derivative
from .decide import positive
from .digits import ALGEBRA_BITS, FIRST_BITS, LAST_BITS, is_zero, sign
from .domain import Domain, Range
from .evidence import Holds
from .normal import ExpField
from .pieces import pieces_of_slope
from .present import tidy

#: A root is tried for being a fraction of this accuracy and at most so many partial quotients,
SIMPLE_BITS, SIMPLE_TERMS = 100, 12
#: one without an upper end is looked for up to 2**FARTHEST times the unit,
FARTHEST = 80
#: and from an end without value one moves in from 2**-NEAREST of the bracket on.
NEAREST = 200
DIGITS_TRIED = int(LAST_BITS * 0.301)


#: How far short of the far end, where that is what a root is about.
BACK = Symbol("y", nonnegative=True)
#: How far along a root is, where one is asked for by its equation.
position = Symbol("x", nonnegative=True)


class Unsettled(NotEnclosed):
    """Where a root is was not decided; the message says what is not known."""


class ClampedRoot(Enclosed):
    """The zero of an increasing function on an interval, clamped to its ends."""

    def __new__(cls, function: Lambda, low: object, high: object) -> Expr:
        return Expr.__new__(cls, function, sympify(low), sympify(high))

    @property
    def function(self) -> Lambda:
        """The increasing function."""
        return self.args[0]

    @property
    def low(self) -> Expr:
        """Lower end of the bracket."""
        return self.args[1]

    @property
    def high(self) -> Expr:
        """Upper end of the bracket."""
        return self.args[2]

    @property
    def variable(self) -> Symbol:
        """The bound variable."""
        return self.function.variables[0]

    def equation(self) -> tuple[Expr, Symbol]:
        """The left side of h(x) = 0 and its variable."""
        return self.function.expr, self.variable

    def settled(self) -> Expr:
        """The root exactly, where it is at an end, at a kink or rational; else itself."""
        return self if self.free_symbols else _settled(self)

    def enclosure(self, bits: int) -> Any:
        """A ball around the root, of a relative radius below ``2**-bits``.

        Raises
        ------
        NotEnclosed
            If the signs that enclose the root are not decided.
        """
        settled = self.settled()
        if settled is not self:
            return enclosure(settled, bits)
        found = _located(self)
        return enclosure(found, bits) if isinstance(found, Expr) else found.enclosure(bits)

    def _settled_by_pieces(self) -> Expr:
        """The first point where a function with jumps is >= 0, exactly where it can be.

        Every piece is nondecreasing, so it can be infinite in one way only at each end.
        """
        h, x = self.equation()
        for piece in pieces_of_slope(h, x, self.low, self.high):
            start, end, smooth = piece.low, piece.high, piece.smooth
            at_start, at_end = (_sign_at_end(smooth, x, v) for v in (start, end))
            if at_start is not None and at_start >= 0:
                return start
            if at_end == 0:
                return end
            if at_end is None or at_end > 0:
                rate = derivative(smooth, x)
                if not rate.free_symbols:
                    return start - smooth.xreplace({x: start}) / rate
                return self._inside(smooth, start, end)
        return self.high

    def _inside(self, smooth: Expr, start: Expr, end: Expr) -> Expr:
        """The root of a smooth piece; one counted from the far end is found from the near one."""
        if self.variable != BACK:
            return ClampedRoot(Lambda(self.variable, smooth), start, end).settled()
        whole = self.low + self.high
        h = -smooth.xreplace({BACK: whole - position})
        return whole - ClampedRoot(Lambda(position, h), whole - end, whole - start).settled()

    def closed_form(self, domain: Domain) -> Expr | None:
        """Solve h = A exp(E) + B exp(F) = 0 when that is all there is; else None.

        The signs of A and B must be proved opposite on the domain, or there is no zero.
        """
        h, x = self.equation()
        field = ExpField([h])
        element = field(h)
        terms = element.numer.terms()
        if len(element.denom) != 1 or (
            x in set(element.numer.ring.symbols)
            and any(monom[list(element.numer.ring.symbols).index(x)] for monom, _ in terms)
        ):
            return None
        groups: dict[Expr, Expr] = {}
        ring = element.numer.ring
        where = {i for i, s in enumerate(ring.symbols) if s in field.exponents}
        for monom, c in terms:
            exponent = sum(
                (k * field.exponents[ring.symbols[i]] for i, k in enumerate(monom) if i in where),
                sympify(0),
            )
            rest = tuple(0 if i in where else k for i, k in enumerate(monom))
            groups[exponent] = groups.get(exponent, 0) + ring.from_dict({rest: c}).as_expr()
        if len(groups) != 2:
            return None
        (e, a), (f, b) = groups.items()
        slope = (e - f).diff(x)
        if slope == 0 or slope.has(x):
            return None
        ratio = tidy(-b / a)
        if not isinstance(positive(ratio, domain), Holds):
            return None
        gap = (e - f).xreplace({x: sympify(0)})
        root = tidy((log(ratio) - gap) / slope)
        return Max(self.low, Min(self.high, root))

    def _eval_is_finite(self) -> bool | None:
        return True if self.low.is_finite and self.high.is_finite else None

    def _sympystr(self, printer: Any) -> str:
        h, x = map(printer._print, self.equation())
        low, high = map(printer._print, (self.low, self.high))
        return f"root({h} = 0 for {x} in [{low}, {high}])"

    def _latex(self, printer: Any) -> str:
        h, x = self.equation()
        return (
            rf"\operatorname{{root}}_{{{printer._print(x)} \in \left[{printer._print(self.low)},\,"
            rf"{printer._print(self.high)}\right]}}\left({printer._print(h)} = 0\right)"
        )


def _sign(value: Expr) -> int:
    """Sign of a number, proved."""
    found = sign(value)
    if found is None:
        raise Unsettled(f"the sign of {value} is not decided to {DIGITS_TRIED} digits")
    return found


def last_point(h: Expr, x: Symbol, low: Expr, high: Expr) -> Expr:
    """The last point where an increasing function is not positive: the first from the far end.

    ``h`` must be its value from the left where it jumps.
    """
    back = -h.xreplace({x: low + high - BACK})
    return low + high - ClampedRoot(Lambda(BACK, back), low, high)


@lru_cache(maxsize=512)
def _settled(root: ClampedRoot) -> Expr:
    if not root.equation()[0].has(Piecewise, Max) and root.variable != BACK:
        try:
            found = _located(root)
        except NotEnclosed:  # whoever asks for digits is told
            return root
        return found if isinstance(found, Expr) else root
    return root._settled_by_pieces()


@lru_cache(maxsize=512)
def _located(root: ClampedRoot) -> Expr | Bracket:
    """The root itself where it is an end, zero or a simple number; else a bracket of it.

    Solved once for all the quantities that use it.
    """
    (h, x), low, high = root.equation(), root.low, root.high
    at_high: int | None
    at_low = _sign_at_end(h, x, low)
    if at_low is not None and at_low >= 0:
        return low
    if high is oo:
        high, at_high = _beyond(h, x, low), 1
        if high is oo:
            return oo
    else:
        at_high = _sign_at_end(h, x, high)
        if at_high is not None and at_high <= 0:
            return high
    if sign(low) == -1 and sign(high) == 1:  # so that small roots have all their digits, too
        at_zero = _sign(h.xreplace({x: S.Zero}))
        if at_zero == 0:
            return S.Zero
        low, high = (S.Zero, high) if at_zero < 0 else (low, S.Zero)
    # Places are written from the end nearer to zero, so that nothing cancels.
    if sign(low + high) == -1:
        bracket, unknown = Bracket(h, x, high, low), (at_high is None, at_low is None)
    else:
        bracket, unknown = Bracket(h, x, low, high), (at_low is None, at_high is None)
    bracket.leave_ends(*unknown)
    simple = _simplest(bracket.enclosure(SIMPLE_BITS))
    if simple is not None and is_zero(h.xreplace({x: simple})):
        return simple
    return bracket


def _sign_at_end(h: Expr, x: Symbol, end: Expr) -> int | None:
    """Sign of the function at an end, or None if it has no value there."""
    try:
        found = _sign_at(h, x, end)
    except NoValue:
        return None
    if found is None:
        raise Unsettled(
            f"the sign of the condition at the end {x} = {end} is not decided to "
            f"{DIGITS_TRIED} digits"
        )
    return found


def _sign_at(h: Expr, x: Symbol, at: Expr) -> int | None:
    """Sign of the function at a number, or None if it was not decided.

    By balls first: put in, SymPy would write exp(k log c) as a power of c, however large.
    """
    for bits in (FIRST_BITS, ALGEBRA_BITS):
        try:
            value = enclosure(h, bits, {x: enclosure(at, bits)})
        except TooWide:
            continue
        if value > 0 or value < 0:
            return 1 if value > 0 else -1
    return sign(h.xreplace({x: at}))


def _beyond(h: Expr, x: Symbol, low: Expr) -> Expr:
    """A point where the function is proved positive, on a bracket without an upper end.

    It is ``oo`` where the function is proved to be positive nowhere.
    """
    for k in range(FARTHEST):
        at = low + Integer(2) ** k
        try:
            if _sign_at(h, x, at) == 1:
                return at
        except NoValue:
            continue
    beyond = Domain({x: Range(low, low_open=False)}, {x: low + 1})
    if isinstance(positive(-h, beyond, strict=False), Holds):
        return oo
    raise Unsettled(f"the condition is not positive up to {x} = 2^{FARTHEST}")


def _simplest(ball: Any) -> Rational | None:
    """The fraction with the smallest denominator in a ball, if that is small."""
    if ball.contains(0) or abs(ball.mid().man_exp()[1]) > 4 * SIMPLE_BITS:
        return None
    low, high = (Fraction(*_ratio(end)) for end in (ball.lower(), ball.upper()))
    terms: list[int] = []
    for _ in range(SIMPLE_TERMS):  # continued fractions, as long as they agree
        whole = floor(low)
        if low == whole or whole != floor(high):
            found = Fraction(whole if low == whole else whole + 1)
            for term in reversed(terms):
                found = term + 1 / found
            return Rational(found.numerator, found.denominator)
        terms.append(whole)
        low, high = 1 / (high - whole), 1 / (low - whole)
    return None


def _ratio(exact: Any) -> tuple[int, int]:
    """An exact number as a fraction; for a guess, what is tiny or huge need not be written out."""
    man, power = (int(v) for v in exact.man_exp())
    if abs(power) > 2 * LAST_BITS:
        return (0, 1) if power < 0 else (man << 2 * LAST_BITS, 1)
    return (man << power, 1) if power >= 0 else (man, 1 << -power)


class Bracket:
    """An interval of proved opposite signs: below zero at start + a w, above at start + b w.

    Here w = end - start, and 0 <= a < b <= 1 are integers over a power of two; if the end lies
    below the start, it is -h that changes from below. The interval is made narrower by
    quadratic interval refinement: it is cut into 2^g parts and the one that the chord points at
    is tried; if the signs at its ends agree with that, g doubles, and so do the digits. Every
    cut is decided by a ball, so whatever the guesses, the bracket holds the root.
    """

    def __init__(self, h: Expr, x: Symbol, start: Expr, end: Expr):
        self.h, self.x, self.start, self.end = h, x, start, end
        self.side = _sign(end - start)
        self.a, self.b, self.scale = 0, 1, 0
        self.gain = 2
        self.extra = 32  #: bits that cancel in h, as far as was noticed

    def enclosure(self, bits: int) -> Any:
        """A ball around the root, of a relative radius below ``2**-bits``."""
        while self.scale < 8 * (LAST_BITS + bits):
            with precision(bits + GUARD_BITS):
                found = self._point(self.a, bits + GUARD_BITS).union(
                    self._point(self.b, bits + GUARD_BITS)
                )
                missing = bits - found.rel_accuracy_bits()
                if missing <= 0:
                    return found
                self._refine(missing + 2)
        raise Unsettled(f"the root is nearer to {self._shown()} than can be told")

    def _point(self, u: int, bits: int) -> Any:
        """The place start + u w; to be used at this precision."""
        from flint import arb

        start, end = enclosure(self.start, bits), enclosure(self.end, bits)
        return start + (end - start) * arb((u, -self.scale))

    def _value(self, u: int, extra: int) -> Any:
        """A ball around the function at start + u w, fit to tell neighbours apart."""
        width = self.scale - (self.b - self.a).bit_length() + 1
        bits = max(64, width + self.gain + extra)
        with precision(bits):
            return self.side * enclosure(self.h, bits, {self.x: self._point(u, bits)})

    def _sign(self, u: int, doublings: int = 4) -> int:
        """Sign of the function, or 0 if it was not found; needs more bits where much cancels."""
        extra = self.extra
        for _ in range(doublings):
            try:
                value = self._value(u, extra)
            except TooWide:
                value = None
            if value is not None and (value > 0 or value < 0):
                self.extra = extra
                return 1 if value > 0 else -1
            extra *= 2
        return 0

    def _cut(self, u: int) -> int:
        """Keep the side of a point that holds the root."""
        found = self._sign(u) if self.a < u < self.b else 0
        if found > 0:
            self.b = u
        elif found < 0:
            self.a = u
        return found

    def _magnify(self, bits: int) -> None:
        self.a, self.b, self.scale = self.a << bits, self.b << bits, self.scale + bits

    def _refine(self, most: int) -> None:
        """One step, which gains at least a bit and at most ``most`` or so."""
        gain = self.gain = min(self.gain, max(2, most))
        before = self.b - self.a
        j = self._part()
        if j is not None:
            start = self.a << gain
            self._magnify(gain)
            left, right = start + (j - 1) * before, start + (j + 1) * before
            hit = (left <= self.a or self._cut(left) < 0) and (
                right >= self.b or self._cut(right) > 0
            )
            if hit:
                self.gain = 2 * gain
                return
            before <<= gain
        self.gain = max(2, gain // 2)
        if 2 * (self.b - self.a) > before:
            self._bisect()

    def _part(self) -> int | None:
        """Which of the 2^g parts the chord between the two values points at, as a guess."""
        try:
            at_a, at_b = (self._value(u, self.extra) for u in (self.a, self.b))
        except NotEnclosed:
            return None
        # Beside the other, a value that is not told from zero is as good as zero.
        below, above = max(0, (-at_a).mid()), max(0, at_b.mid())
        if below + above == 0:
            return None
        with precision(self.gain + 64):
            part = (below / (below + above)).mid() * 2**self.gain + 0.5
            return int(part.mid().floor().unique_fmpz())

    def _bisect(self) -> None:
        while self.extra < LAST_BITS:
            self._magnify(5)
            for part in (17, 13, 19):  # not the middle, where a root may well be
                if self._cut(self.a + (self.b - self.a) * part // 32):
                    return
            self.extra *= 4
        raise Unsettled(f"no sign of the condition is found around {self._shown()}")

    def _shown(self) -> str:
        with precision(64):
            return f"{self.x} = {self._point(self.a, 64).str(10, radius=False)}"

    def leave_ends(self, start: bool, end: bool) -> None:
        """Move in from the ends at which the function has no value."""
        if start and not any(self._cut_at(1, k) < 0 for k in range(1, NEAREST)):
            raise Unsettled(f"no change of sign is found near {self.x} = {self.start}")
        # Moving in from the start may have passed the root, and so left the end.
        end = end and self.b == 1 << self.scale
        if end and not any(self._cut_at((1 << k) - 1, k) > 0 for k in range(1, NEAREST)):
            raise Unsettled(f"no change of sign is found near {self.x} = {self.end}")

    def _cut_at(self, part: int, k: int) -> int:
        self._magnify(max(0, k - self.scale))
        return self._cut(part << self.scale - k)


def argmin(slope: Expr, x: Symbol, low: Expr, high: Expr) -> ClampedRoot:
    """Where the convex function with the sign of ``slope`` is least on [low, high]."""
    return ClampedRoot(Lambda(x, slope), low, high)


def stand_ins(
    expression: Basic, known: dict[ClampedRoot, Symbol] | None = None
) -> dict[ClampedRoot, Symbol]:
    """A name for every root: x_star, x_star_2 and so on, and x_peak where one brackets another.

    Those that are ``known`` keep their names, and new ones are added to them, so that one name
    means one root in all expressions that are shown together.
    """
    roots = sorted(expression.atoms(ClampedRoot), key=str)
    inner = {r for root in roots for end in (root.low, root.high) for r in end.atoms(ClampedRoot)}
    names = {} if known is None else known
    for r in roots:
        if r in names:
            continue
        name = f"{r.variable.name.rstrip('_')}_{'peak' if r in inner else 'star'}"
        alike = sum(s.name.startswith(name) for s in names.values())
        names[r] = Symbol(f"{name}_{alike + 1}" if alike else name)
    return {r: names[r] for r in roots}


def without_roots(expression: Basic, known: dict[ClampedRoot, Symbol] | None = None) -> Basic:
    """Write a name for each root that the condition defines."""
    return expression.xreplace(stand_ins(expression, known))
