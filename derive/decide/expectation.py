"""Means over a random number of draws of one kind, as SymPy expressions.

Of ``total`` things ``marked`` are of one kind, and ``drawn`` of them are drawn without putting any
back. ``Expectation(Lambda(K, f), marked, drawn, total, low, high)`` is the mean of f(K) over the
number K of marked ones (hypergeometric), where K outside of [low, high] counts as zero: all K from
some on, or one K. If ``total`` is oo each is put back, and ``marked`` is the share of the things
that are of the kind (binomial).

It is summed from the most probable K outwards in balls; what is left out has less than a geometric
series beyond the last term, times a ball around all values of f there.
"""

from __future__ import annotations

from math import comb
from typing import Any

from sympy import (
    Add,
    Expr,
    Integer,
    Lambda,
    Max,
    Min,
    Rational,
    S,
    Sum,
    Symbol,
    binomial,
    oo,
    sympify,
)

from .ball import Enclosed, Enclosures, NoValue, TooWide, precision
from .present import tidy

#: How many of the things drawn are marked.
K = Symbol("K", integer=True, nonnegative=True)
#: Bits beyond those of the result: for logarithms of factorials, and for the rest of a sum.
GUARD = 16
#: A sum of so many terms is written out, if its weights have not more bits than this.
FEW, SHORT = 4, 64


class Expectation(Enclosed):
    """The mean of f(K) over hypergeometric K in [low, high], and zero elsewhere."""

    is_opaque = True

    def __new__(
        cls,
        function: Lambda,
        marked: object,
        drawn: object,
        total: object,
        low: object = 0,
        high: object = oo,
    ) -> Expr:
        return Expr.__new__(cls, function, *map(sympify, (marked, drawn, total, low, high)))

    @property
    def body(self) -> Expr:
        """What the mean is of, in :attr:`variable`."""
        return self.args[0].expr

    @property
    def variable(self) -> Symbol:
        """The number of marked things drawn."""
        return self.args[0].variables[0]

    def rewritten_as_sum(self) -> Expr:
        """The same as a sum of SymPy over all K that are possible."""
        k, (_, marked, drawn, total, low, high) = self.variable, self.args
        if total is oo:
            weight = binomial(drawn, k) * marked**k * (1 - marked) ** (drawn - k)
            return Sum(weight * self.body, (k, low, Min(high, drawn)))
        weight = binomial(marked, k) * binomial(total - marked, drawn - k)
        ends = Max(low, drawn - total + marked), Min(high, marked, drawn)
        return Sum(weight / binomial(total, drawn) * self.body, (k, *ends))

    def _eval_rewrite(self, rule: Any, args: Any, **hints: Any) -> Expr | None:
        return self.rewritten_as_sum() if rule is Sum else None

    def settled(self) -> Expr:
        """The sum written out, exactly, where K has a few values; else itself."""
        if self.free_symbols:
            return self
        if self.args[3] is oo:
            return self
        marked, drawn, total, first, last = self._numbers()
        if last - first >= FEW or drawn * total.bit_length() > SHORT:
            return self
        ways = comb(total, drawn)
        return Add(
            *(
                Rational(comb(marked, j) * comb(total - marked, drawn - j), ways)
                * self.body.xreplace({self.variable: Integer(j)})
                for j in range(first, last + 1)
            )
        )

    # --- numbers -----------------------------------------------------------------------------
    def enclosure(self, bits: int) -> Any:
        """A ball around the mean.

        Raises
        ------
        NotEnclosed
            If numbers are missing, or f has no ball at some K.
        """
        if self.free_symbols:
            raise NoValue(f"{self} is not evaluated with a proof")
        if self.args[3] is oo:
            share, drawn, low = self.args[1], _whole(self.args[2]), _whole(self.args[4])
            if not (share.is_Rational and 0 < share < 1):
                raise NoValue(f"{share} is not the share of a kind of things")
            last = drawn if self.args[5] is oo else min(drawn, _whole(self.args[5]))
            work = bits + drawn.bit_length() + GUARD
            with precision(work):
                return _PutBack(self, share, drawn, work).mean(low, last, bits)
        marked, drawn, total, first, last = self._numbers()
        work = bits + total.bit_length() + GUARD
        with precision(work):
            return _Draws(self, marked, drawn, total, work).mean(first, last, bits)

    def _numbers(self) -> tuple[int, int, int, int, int]:
        """Marked, drawn, total; and the first and the last K that is possible and counts."""
        marked, drawn, total = (_whole(e) for e in self.args[1:4])
        if not 0 <= marked <= total or not 0 <= drawn <= total:
            raise NoValue(f"{drawn} of {total} cannot be drawn, {marked} of them marked")
        first = max(drawn - (total - marked), 0, _whole(self.args[4]))
        last = min(marked, drawn, *(() if self.args[5] is oo else (_whole(self.args[5]),)))
        return marked, drawn, total, first, last

    # --- text --------------------------------------------------------------------------------
    def _event(self, printer: Any, at_least: str) -> str:
        k, low = map(printer._print, (self.variable, self.args[4]))
        if self.args[5] is not oo:
            return f"{k} = {low}"
        return f"{k} {at_least} {low}" if self.args[4] != 0 else ""

    def _sympystr(self, printer: Any) -> str:
        event = self._event(printer, ">=")
        if self.body == 1:
            return f"P({event})"
        return f"E[{printer._print(self.body)}{'; ' if event else ''}{event}]"

    def _latex(self, printer: Any) -> str:
        event = self._event(printer, r"\ge")
        if self.body == 1:
            return rf"\operatorname{{P}}\left({event}\right)"
        event = rf";\ {event}" if event else ""
        return rf"\operatorname{{E}}\left[{printer._print(self.body)}{event}\right]"


def expectation(
    body: Expr, marked: Expr, drawn: Expr, total: Expr, low: int = 0, high: object = oo
) -> Expr:
    """The mean of ``body``, an expression in :data:`K`; what does not depend on K is taken out."""
    if low == high:
        body = body.xreplace({K: Integer(low)})

    def mean(e: Expr) -> Expr:
        if e == 1 and low == 0 and high is oo:
            return S.One
        return Expectation(Lambda(K, e), marked, drawn, total, low, high)

    found: dict[Expr, Expr] = {}
    for term in Add.make_args(body):
        factor, inside = term.as_independent(K, as_Add=False)
        found[inside] = found.get(inside, S.Zero) + factor
    return Add(*(tidy(factor) * mean(inside) for inside, factor in found.items()))


def _whole(e: Expr) -> int:
    if not e.is_Integer:
        raise NoValue(f"{e} is not a number of things")
    return int(e)


class _Draws:
    """Probabilities of K and values of f, at the precision in force."""

    def __init__(self, mean: Expectation, marked: int, drawn: int, total: int, bits: int):
        from flint import arb

        self.arb, self.bits, self.k, self.body = arb, bits, mean.variable, mean.body
        self.marked, self.drawn, self.rest = marked, drawn, total - marked
        self.total = total
        self.shared: dict[Expr, Any] = {}

    @property
    def peak(self) -> int:
        """The most probable K."""
        return (self.marked + 1) * (self.drawn + 1) // (self.total + 2)

    def ways(self, items: int, chosen: int) -> Any:
        """The logarithm of a binomial coefficient."""
        low, high = (self.arb(k + 1).lgamma() for k in (chosen, items - chosen))
        return self.arb(items + 1).lgamma() - low - high

    def probability(self, j: int) -> Any:
        """P(K = j), by logarithms of factorials."""
        found = self.ways(self.marked, j) + self.ways(self.rest, self.drawn - j)
        return (found - self.ways(self.total, self.drawn)).exp()

    def ratio(self, j: int, step: int) -> Any:
        """P(K = j + step) / P(K = j); it falls on the way from the most probable K outwards."""
        i = j if step > 0 else j - 1
        up = (self.marked - i) * (self.drawn - i)
        down = (i + 1) * (self.rest - self.drawn + i + 1)
        return self.arb(up) / down if step > 0 else self.arb(down) / up

    def value(self, at: Any) -> Any:
        """The ball of f at one K or at all of a ball; what does not depend on K is kept."""
        known = Enclosures(self.bits, {**self.shared, self.k: at})
        found = known(self.body)
        if not self.shared:
            new = known.known.items()
            self.shared = {e: ball for e, ball in new if self.k not in e.free_symbols}
        return found

    def mean(self, first: int, last: int, bits: int) -> Any:
        """The sum over K from first to last."""
        if first > last:
            return self.arb(0)
        start = min(max(self.peak, first), last)
        top = self.probability(start)
        found = top * self.value(self.arb(start))
        small = top * self.arb(2) ** -(bits + GUARD)
        for step, end in ((1, last), (-1, first)):
            found += self._side(start, end, step, top, small)
        return found

    def _side(self, start: int, end: int, step: int, top: Any, small: Any) -> Any:
        found, weight = self.arb(0), top
        for j in range(start, end, step):
            ratio = self.ratio(j, step)
            weight = weight * ratio
            if weight < small and ratio < 1:
                with_rest = self._rest(j + step, end, weight / (1 - ratio))
                if with_rest is not None:
                    return found + with_rest
            found += weight * self.value(self.arb(j + step))
        return found

    def _rest(self, j: int, end: int, most: Any) -> Any:
        """A ball around what K from j to the end add, whose probabilities add up to ``most``."""
        try:
            values = self.value(self.arb(j).union(self.arb(end)))
        except TooWide:
            return None
        return values * self.arb(0).union(most)


class _PutBack(_Draws):
    """The same where each thing that is drawn is put back."""

    def __init__(self, mean: Expectation, share: Any, drawn: int, bits: int):
        super().__init__(mean, int(share.p), drawn, int(share.q), bits)

    @property
    def peak(self) -> int:
        return (self.drawn + 1) * self.marked // self.total

    def probability(self, j: int) -> Any:
        marked, other, total = (self.arb(e).log() for e in (self.marked, self.rest, self.total))
        found = self.ways(self.drawn, j) + j * marked + (self.drawn - j) * other
        return (found - self.drawn * total).exp()

    def ratio(self, j: int, step: int) -> Any:
        i = j if step > 0 else j - 1
        up, down = self.marked * (self.drawn - i), (i + 1) * self.rest
        return self.arb(up) / down if step > 0 else self.arb(down) / up
