"""From what the grammar recognises to SymPy, bottom up; and what is ambiguous is refused.

The parser calls one method per rule as soon as the rule is complete, so nothing recurses.
A product remembers how it ends, because that decides what may follow: after ``\\log a`` or
``a/b`` nothing more may be multiplied on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn

from sympy import (
    Abs,
    Add,
    And,
    Eq,
    Expr,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Ne,
    Or,
    Piecewise,
    Pow,
    Rational,
    S,
    binomial,
    cosh,
    exp,
    factorial,
    log,
    oo,
    preorder_traversal,
    sinh,
    tanh,
)
from sympy.logic.boolalg import Boolean

from ...language.needs import (
    bound_begins,
    bound_ends,
    note_log,
    note_name,
    note_power,
    open_end,
    taken,
)
from ...language.statement import Bounds, Side, Statement, TexError
from .lexemes import Lexeme

MAX_CHOSEN = 12  #: below in a binomial that is multiplied out
MAX_EXPONENT = 1_000  #: of a number
MAX_BITS = 4_000  #: of a number that arises
MAX_MAGNITUDE = 10_000  #: of a number in an exponent
MAX_HEIGHT = 24  #: nested powers and functions
MAX_HEIGHT_OF_ONE = 6  #: the same where there is at most one symbol
MAX_COMPARED = 1_000  #: arguments of max and min times the size of them: compared pairwise

_FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {
    "log": log,
    "ln": log,
    "exp": exp,
    "tanh": tanh,
    "cosh": cosh,
    "sinh": sinh,
}
_RELATIONS: dict[str, Callable[[Expr, Expr], Boolean]] = {
    "<": Lt,
    "<=": Le,
    ">": Gt,
    ">=": Ge,
    "=": Eq,
    "!=": Ne,
}

Kind = Literal[
    "number", "name", "bracket", "bars", "power", "raised", "fraction", "closed", "called", "open"
]


@dataclass(slots=True)
class Factor:
    r"""One factor.

    ``called`` is ``\log(a)``, ``open`` is ``\log a``, ``raised`` is ``(a)^2``, and ``power``
    the power of anything else.
    """

    expr: Expr
    at: int
    kind: Kind


@dataclass(slots=True)
class Product:
    """Factors multiplied so far and the last one; ``slash`` after an inline division."""

    factors: list[Expr]
    last: Factor
    slash: bool = False


@dataclass(slots=True)
class Terms:
    """Terms added so far."""

    at: int
    terms: list[Expr] = field(default_factory=list)


def _refuse(at: int, one: str, other: str) -> NoReturn:
    raise TexError(f"two readings: {one} or {other}?", at)


def _sound(expr: Expr, at: int) -> Expr:
    """Refuse what is not a quantity, or a number that is too long."""
    if expr is S.NaN or expr is S.ComplexInfinity:
        raise TexError("a division by zero or an undefined value", at)
    number = expr if expr.is_Rational else expr.as_coeff_Mul()[0] if expr.is_Mul else None
    if expr.is_Add:
        number = expr.as_coeff_Add()[0]
    if number is not None and number.is_Rational:
        if max(int(number.p).bit_length(), int(number.q).bit_length()) > MAX_BITS:
            raise TexError(f"a number of more than {MAX_BITS * 3 // 10} digits", at)
    return expr


def _height(expr: Expr) -> int:
    """How deep powers and functions are nested."""
    flat = expr.is_Add or expr.is_Mul or not expr.args
    return (not flat) + max(map(_height, expr.args), default=0)


def _shallow(at: int, *arguments: Expr) -> None:
    """Refuse what SymPy would take exponential time to find the sign of.

    That is so for numbers, which it evaluates, and for one symbol, by which it differentiates.
    """
    several = len(set().union(*(a.free_symbols for a in arguments))) > 1
    limit = MAX_HEIGHT if several else MAX_HEIGHT_OF_ONE
    if max(map(_height, arguments)) >= limit:
        raise TexError(f"powers and functions nested more than {limit} deep", at)


def _coefficients(e: Expr) -> Iterator[Expr]:
    """The numbers that stand as factors and terms, not those below a fraction line."""
    waiting = [e]
    while waiting:
        part = waiting.pop()
        if part.is_Rational:
            yield part
        elif part.is_Add or part.is_Mul:
            waiting.extend(part.args)


def _bounded(exponent: Expr, at: int) -> None:
    """Refuse towers of powers of numbers, and large numbers beside symbols.

    The value of the one could not even be approximated, nor that of the other at a point.
    """
    if exponent.is_number:
        sizes = [] if exponent.is_infinite else [Abs(exponent.evalf(5))]
    else:
        sizes = [Abs(n) for n in _coefficients(exponent)]
    if any((size <= MAX_MAGNITUDE) is not S.true for size in sizes):
        raise TexError(f"a number beyond {MAX_MAGNITUDE} in an exponent", at)


def _power(base: Expr, exponent: Expr, at: int) -> Expr:
    _shallow(at, base, exponent)
    note_power(base, exponent)
    if base.is_zero and not exponent.is_positive:
        raise TexError("a division by zero or an undefined value", at)
    if base.is_number and exponent.is_number:
        if not exponent.is_Integer and base.is_nonnegative is not True:
            raise TexError("a root of a negative number", at)
        if exponent.is_Rational:
            size = max(abs(int(exponent.p)), int(exponent.q))
            if size > MAX_EXPONENT:
                raise TexError(f"an exponent of a number beyond {MAX_EXPONENT}", at)
            if base.is_Rational:
                bits = max(int(base.p).bit_length(), int(base.q).bit_length())
                if bits > 1 and bits * size > MAX_BITS * max(1, int(exponent.q)):
                    raise TexError(f"a number of more than {MAX_BITS * 3 // 10} digits", at)
        else:
            _bounded(exponent, at)
    else:
        _bounded(exponent, at)
    return _sound(Pow(base, exponent), at)


def _apply(name: str, argument: Expr, at: int) -> Expr:
    _shallow(at, argument)
    if name not in ("log", "ln"):
        _bounded(argument, at)
    elif argument.is_number and argument.is_positive is not True:
        raise TexError("a logarithm needs a positive argument", at)
    else:
        note_log(argument)
    return _sound(_FUNCTIONS[name](argument), at)


class Build:
    """The methods are named after the rules of ``math.lark`` and get what the rule holds."""

    # -- atoms --------------------------------------------------------------------------

    def number(self, items: Sequence[Lexeme]) -> Factor:
        (token,) = items
        return Factor(Rational(token.value), token.start_pos, "number")

    def name(self, items: Sequence[Lexeme]) -> Factor:
        (token,) = items
        note_name(token.meaning)
        return Factor(token.meaning, token.start_pos, "name")

    def bracket(self, items: Sequence[Terms]) -> Factor:
        (inner,) = items
        return Factor(self._closed(inner), inner.at, "bracket")

    def absolute(self, items: Sequence[Terms]) -> Factor:
        (inner,) = items
        expr = self._closed(inner)
        _shallow(inner.at, expr)
        return Factor(_sound(Abs(expr), inner.at), inner.at, "bars")

    def fraction(self, items: Sequence[Terms]) -> Factor:
        above, below = items
        divisor = _power(self._closed(below), S.NegativeOne, below.at)
        expr = Mul(self._closed(above), divisor)
        return Factor(_sound(expr, above.at), above.at, "fraction")

    def binomial(self, items: Sequence[Terms]) -> Factor:
        above, below = (self._closed(i) for i in items)
        at = items[0].at
        for part in (above, below):
            if part.is_number and not (part.is_Integer and abs(int(part)) <= MAX_EXPONENT):
                raise TexError(f"a binomial needs whole numbers up to {MAX_EXPONENT}", at)
        if below.is_Integer and 0 <= int(below) <= MAX_CHOSEN and not above.is_number:
            chosen = Mul(*(above - k for k in range(int(below)))) / factorial(below)
        else:
            chosen = binomial(above, below)
            if not chosen.is_number:
                note_name(chosen)  # where it has a value is not known
        return Factor(_sound(chosen, at), at, "closed")

    def root(self, items: Sequence[Terms]) -> Factor:
        (inside,) = items
        expr = _power(self._closed(inside), S.Half, inside.at)
        return Factor(expr, inside.at, "closed")

    def nth_root(self, items: Sequence[Terms]) -> Factor:
        index, inside = items
        exponent = _power(self._closed(index), S.NegativeOne, index.at)
        expr = _power(self._closed(inside), exponent, inside.at)
        return Factor(expr, index.at, "closed")

    def list(self, items: Sequence[Terms]) -> list[Terms]:
        return [*items]

    def extremum(self, items: Sequence[Any]) -> Factor:
        token, of = items
        at = token.start_pos
        function = Max if token.value == "max" else Min
        parts = [arg for part in of for arg in function.make_args(self._closed(part))]
        size = 0
        for part in parts:
            for _ in preorder_traversal(part):
                size += 1
                if size * len(parts) > MAX_COMPARED:
                    raise TexError(f"{token.value} of too much", at)
        _shallow(at, *parts)
        expr = function(*parts)
        return Factor(_sound(expr, at), at, "closed")

    # -- powers and functions -----------------------------------------------------------

    def power(self, items: Sequence[Factor]) -> Factor:
        return items[0]

    def raised(self, items: Sequence[Any]) -> Factor:
        base, exponent = items
        expr = _power(base.expr, self._closed(exponent), base.at)
        return Factor(expr, base.at, "raised" if base.kind == "bracket" else "power")

    def euler(self, items: Sequence[Lexeme]) -> Factor:
        return Factor(S.Exp1, items[0].start_pos, "name")

    def exponential(self, items: Sequence[Any]) -> Factor:
        token, exponent = items
        at = token.start_pos
        return Factor(_apply("exp", self._closed(exponent), at), at, "power")

    def application(self, items: Sequence[Any]) -> Factor:
        function, argument = items
        return self._application(function, argument)

    def application_of_power(self, items: Sequence[Any]) -> Factor:
        function, exponent, argument = items
        power = self._closed(exponent)
        name, at = function.value, function.start_pos
        if not (power.is_Integer and 2 <= int(power) <= MAX_EXPONENT):
            shown = f"\\{name}^{{{power}}}"
            _refuse(at, f"{shown} as a power", "as an inverse or iterated function")
        factor = self._application(function, argument)
        return Factor(_power(factor.expr, power, at), at, factor.kind)

    @staticmethod
    def _application(function: Lexeme, argument: Factor) -> Factor:
        name, at = function.value, function.start_pos
        if argument.kind == "raised":
            _refuse(at, f"(\\{name}(a))^b, written \\{name}^b(a),", f"\\{name}((a)^b)")
        kind: Kind = "called" if argument.kind == "bracket" else "open"
        return Factor(_apply(name, argument.expr, at), at, kind)

    # -- products and sums --------------------------------------------------------------

    def product(self, items: Sequence[Factor]) -> Product:
        (factor,) = items
        return Product([factor.expr], factor)

    def _may_follow(self, product: Product, at: int, sign: str) -> None:
        if product.slash:
            _refuse(at, f"(a/b){sign}c", f"a/(b{sign}c)")
        if product.last.kind == "open":
            _refuse(at, f"f(a){sign}b", f"f(a{sign}b)")

    def beside(self, items: Sequence[Any]) -> Product:
        product, factor = items
        self._may_follow(product, factor.at, " ")
        before = product.last
        if before.kind == "called" and factor.kind in ("bracket", "raised", "bars"):
            _refuse(factor.at, "f(a) (b), written f(a) \\cdot (b),", "f((a) (b))")
        if factor.kind == "number":
            _refuse(factor.at, "a factor", "a lost script")
        if before.kind == "number" and factor.kind == "fraction" and factor.expr.is_number:
            _refuse(factor.at, "a product", "a mixed number")
        return self._multiplied(product, factor)

    def times(self, items: Sequence[Any]) -> Product:
        product, sign, factor = items
        self._may_follow(product, sign.start_pos, " \\cdot ")
        return self._multiplied(product, factor)

    def over(self, items: Sequence[Any]) -> Product:
        product, sign, factor = items
        self._may_follow(product, sign.start_pos, "/")
        product.factors.append(_power(factor.expr, S.NegativeOne, factor.at))
        product.last, product.slash = factor, True
        return product

    @staticmethod
    def _multiplied(product: Product, factor: Factor) -> Product:
        product.factors.append(factor.expr)
        product.last = factor
        return product

    @staticmethod
    def _product(product: Product, negative: bool = False) -> Expr:
        factors = [S.NegativeOne, *product.factors] if negative else product.factors
        # SymPy puts numbers under one root and factors them.
        roots = [p for f in factors for p in Mul.make_args(f) if p.is_Pow and p.base.is_Integer]
        if sum(int(p.base).bit_length() for p in roots) > MAX_BITS // 4:
            raise TexError("roots of too many or too long numbers", product.last.at)
        return _sound(Mul(*factors), product.last.at)

    def terms(self, items: Sequence[Product]) -> Terms:
        (product,) = items
        return Terms(product.last.at, [self._product(product)])

    def signed(self, items: Sequence[Any]) -> Terms:
        sign, product = items
        return Terms(sign.start_pos, [self._product(product, sign.value == "-")])

    def added(self, items: Sequence[Any]) -> Terms:
        terms, sign, product = items
        terms.terms.append(self._product(product, sign.value == "-"))
        return terms

    def sum(self, items: Sequence[Terms]) -> Terms:
        (terms,) = items
        terms.terms[:] = [_sound(Add(*terms.terms), terms.at)]
        return terms

    @staticmethod
    def _closed(terms: Terms) -> Expr:
        return terms.terms[0]

    # -- case distinctions --------------------------------------------------------------

    def case_value(self, items: Sequence[Terms]) -> Terms:
        bound_begins()
        return items[0]

    def case(self, items: Sequence[Any]) -> tuple[Expr, Boolean]:
        value, conditions = items
        if conditions in (S.true, S.false):
            holds = "always" if conditions == S.true else "never"
            raise TexError(f"the condition of a case {holds} holds", value.at)
        return self._closed(value), conditions

    def last_case(self, items: Sequence[Any]) -> tuple[Expr, Boolean]:
        return self._closed(items[0]), S.true

    def conditions(self, items: Sequence[Boolean]) -> Boolean:
        bound_ends()
        return And(*items)

    def condition(self, items: Sequence[Any]) -> Boolean:
        sides = [self._closed(s) for s in items[::2]]
        return And(
            *(
                _RELATIONS[token.value](left, right)
                for left, token, right in zip(sides, items[1::2], sides[1:], strict=False)
            )
        )

    def condition_in(self, items: Sequence[Any]) -> Boolean:
        inside, bounds = self._closed(items[0]), items[1]
        return And(
            (Lt if bounds.low_open else Le)(bounds.low, inside),
            (Lt if bounds.high_open else Le)(inside, bounds.high),
        )

    def distinction(self, items: Sequence[tuple[Expr, Boolean]]) -> Terms:
        told: Boolean = S.false
        for value, condition in items:
            # SymPy would drop such a case, right or wrong.
            if told == S.true:
                raise TexError(f"the cases before {value} leave nothing for it", 0)
            told = Or(told, condition)
        found = Piecewise(*items)
        if not isinstance(found, Piecewise):  # what its cases are for would be lost
            raise TexError("all cases have one value: write it without them", 0)
        return Terms(0, [_sound(found, 0)])

    # -- statements ---------------------------------------------------------------------

    def _bounds(self, items: Sequence[Terms], low_open: bool, high_open: bool) -> Bounds:
        low, high = (self._closed(i) for i in items)
        if (low in (oo, -oo) and not low_open) or (high in (oo, -oo) and not high_open):
            raise TexError("an interval that contains an infinite end", items[0].at)
        open_end(low)
        open_end(high)
        return Bounds(low, high, low_open, high_open)

    def open_interval(self, items: Sequence[Terms]) -> Bounds:
        return self._bounds(items, True, True)

    def closed_interval(self, items: Sequence[Terms]) -> Bounds:
        return self._bounds(items, False, False)

    def left_open_interval(self, items: Sequence[Terms]) -> Bounds:
        return self._bounds(items, True, False)

    def right_open_interval(self, items: Sequence[Terms]) -> Bounds:
        return self._bounds(items, False, True)

    def _side(self, item: Any) -> Side:
        return item.meaning if isinstance(item, Lexeme) else self._closed(item)

    def start(self, items: Sequence[Any]) -> Statement:
        sides = tuple(self._side(s) for s in items[::2])
        for side in sides:
            if isinstance(side, Expr):
                open_end(side)
        needs, bounds = taken()
        relations = tuple(token.value for token in items[1::2])
        return Statement(sides, relations, needs=needs, bounds_need=bounds)

    def membership(self, items: Sequence[Any]) -> Statement:
        chain = self.start(items[:-1])
        return replace(chain, sides=(*chain.sides, items[-1]), relations=(*chain.relations, "in"))
