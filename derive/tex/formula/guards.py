"""What formulas are built of, refused where SymPy would take too long or there is no quantity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from sympy import Abs, And, Expr, Max, Min, Mul, Or, Piecewise, Pow, Rel, S, oo, preorder_traversal
from sympy.logic.boolalg import Boolean

from ...decide.defined import Condition
from ...language import needs, nodes
from ...language.nodes import Node
from ...language.statement import Bounds, TexError
from ...language.symbolic import Writer

MAX_EXPONENT = 1_000  #: of a number
MAX_BITS = 4_000  #: of a number that arises
MAX_MAGNITUDE = 10_000  #: of a number in an exponent
MAX_HEIGHT = 24  #: nested powers and functions
MAX_HEIGHT_OF_ONE = 6  #: the same where there is at most one symbol
MAX_COMPARED = 1_000  #: arguments of max and min times the size of them: compared pairwise


def sound(expr: Expr, at: int) -> Expr:
    """Refuse what is not a quantity, or a number that is too long."""
    if expr is S.NaN or expr is S.ComplexInfinity:
        raise TexError("a division by zero or an undefined value", at)
    number = expr.as_coeff_Add()[0] if expr.is_Add else expr.as_coeff_Mul()[0]
    if number.is_Rational:
        _check_size(max(int(number.p).bit_length(), int(number.q).bit_length()), at)
    return expr


def _check_size(bits: int, at: int) -> None:
    if bits > MAX_BITS:
        raise TexError(f"a number of more than {MAX_BITS * 3 // 10} digits", at)


def _height(expr: Expr) -> int:
    """How deep powers and functions are nested."""
    flat = expr.is_Add or expr.is_Mul or not expr.args
    return (not flat) + max(map(_height, expr.args), default=0)


def check_height(at: int, *arguments: Expr) -> None:
    """Refuse what SymPy would take exponential time to find the sign of.

    That is so for numbers, which it evaluates, and for one symbol, by which it differentiates.
    """
    several = len(set().union(*(a.free_symbols for a in arguments))) > 1
    limit = MAX_HEIGHT if several else MAX_HEIGHT_OF_ONE
    if max(map(_height, arguments)) >= limit:
        raise TexError(f"powers and functions nested more than {limit} deep", at)


def _coefficients(e: Expr) -> Iterator[Expr]:
    """The numbers that stand as factors and terms, not those below a fraction line."""
    if e.is_Rational:
        yield e
    elif e.is_Add or e.is_Mul:
        for part in e.args:
            yield from _coefficients(part)


def check_exponent(exponent: Expr, at: int) -> None:
    """Refuse towers of powers of numbers, and large numbers beside symbols.

    The value of the one could not even be approximated, nor that of the other at a point.
    """
    if exponent.is_number:
        sizes = [] if exponent.is_infinite else [Abs(exponent.evalf(5))]
    else:
        sizes = [Abs(n) for n in _coefficients(exponent)]
    if any((size <= MAX_MAGNITUDE) is not S.true for size in sizes):
        raise TexError(f"a number beyond {MAX_MAGNITUDE} in an exponent", at)


class Guarded(Writer):
    """Writes the formulas of a display."""

    bounds_need: list[Condition] = field(default_factory=list)

    def added(self, terms: list[Expr], at: int) -> Expr:
        return sound(super().added(terms, at), at)

    def multiplied(self, factors: list[Expr], at: int) -> Expr:
        """A product; SymPy puts numbers under one root and factors them."""
        roots = [p for f in factors for p in Mul.make_args(f) if p.is_Pow and p.base.is_Integer]
        if sum(int(p.base).bit_length() for p in roots) > MAX_BITS // 4:
            raise TexError("roots of too many or too long numbers", at)
        return sound(super().multiplied(factors, at), at)

    def power(self, base: Expr, exponent: Expr, at: int) -> Expr:
        """A power, of numbers only where it is real and of a size that can be written."""
        self.needs.extend(needs.of_power(base, exponent))
        check_height(at, base, exponent)
        if base.is_zero and not exponent.is_positive:
            raise TexError("a division by zero or an undefined value", at)
        of_numbers = base.is_number and exponent.is_number
        if of_numbers and not exponent.is_Integer and base.is_nonnegative is not True:
            raise TexError("a root of a negative number", at)
        if not of_numbers or not exponent.is_Rational:
            check_exponent(exponent, at)
            return sound(Pow(base, exponent), at)
        size = max(abs(int(exponent.p)), int(exponent.q))
        if size > MAX_EXPONENT:
            raise TexError(f"an exponent of a number beyond {MAX_EXPONENT}", at)
        if base.is_Rational:
            bits = max(int(base.p).bit_length(), int(base.q).bit_length())
            if bits > 1:
                _check_size(-(-bits * size // int(exponent.q)), at)
        return sound(Pow(base, exponent), at)

    def applied(self, name: str, argument: Expr, at: int) -> Expr:
        check_height(at, argument)
        if name == "log" and argument.is_number and argument.is_positive is not True:
            raise TexError("a logarithm needs a positive argument", at)
        if name not in ("log", "abs"):
            check_exponent(argument, at)
        return sound(super().applied(name, argument, at), at)

    def extremum(self, what: str, parts: list[Expr], at: int) -> Expr:
        every = [arg for part in parts for arg in (Max if what == "max" else Min).make_args(part)]
        size = 0
        for part in every:
            for _ in preorder_traversal(part):
                size += 1
                if size * len(every) > MAX_COMPARED:
                    raise TexError(f"{what} of too much", at)
        check_height(at, *every)
        return sound(super().extremum(what, every, at), at)

    # -- sides and case distinctions --------------------------------------------------------
    def side(self, node: Node) -> Expr | Bounds:
        """An expression, or an interval, whose infinite ends are none of its values."""
        if not isinstance(node, nodes.Interval):
            return self._end(node)
        low, high = self._end(node.low), self._end(node.high)
        if (low in (oo, -oo) and not node.low_open) or (high in (oo, -oo) and not node.high_open):
            raise TexError("an interval that contains an infinite end", node.at + 1)
        return Bounds(low, high, node.low_open, node.high_open)

    def _end(self, node: Node) -> Expr:
        found, infinite = self.expression(node), needs.of_name(oo)
        if found in (oo, -oo) and infinite in self.needs:
            self.needs.remove(infinite)
        return found

    def distinction(self, node: nodes.Cases) -> Expr:
        values = [self.expression(value) for value in node.values]
        noted, told = len(self.needs), S.false
        conditions: list[Boolean] = []
        for k, value in enumerate(values):
            if told == S.true:  # SymPy would drop such a case, right or wrong.
                raise TexError(f"the cases before {value} leave nothing for it", 0)
            rest = k == len(node.conditions)
            conditions.append(S.true if rest else self._condition(node.conditions[k]))
            if conditions[-1] in (S.true, S.false) and not rest:
                holds = "always" if conditions[-1] == S.true else "never"
                raise TexError(f"the condition of a case {holds} holds", node.values[k].at)
            told = Or(told, conditions[-1])
        self.bounds_need.extend(self.needs[noted:])
        del self.needs[noted:]
        distinction = Piecewise(*zip(values, conditions, strict=True))
        if not isinstance(distinction, Piecewise):  # what its cases are for would be lost
            raise TexError("all cases have one value: write it without them", 0)
        return sound(distinction, 0)

    def _condition(self, node: Node) -> Boolean:
        if isinstance(node, nodes.And):
            return And(*map(self._condition, node.parts))
        assert isinstance(node, nodes.Chain)
        found = [self.side(part) if r == "in" else self.expression(part)
                 for part, r in zip(node.sides, ("", *node.relations), strict=True)]  # fmt: skip
        inside, bounds = found[0], found[-1]
        if isinstance(bounds, Bounds):
            return And(
                Rel(bounds.low, inside, "<" if bounds.low_open else "<="),
                Rel(inside, bounds.high, "<" if bounds.high_open else "<="),
            )
        pairs = zip(found, node.relations, found[1:], strict=False)
        return And(*(Rel(a, b, "==" if r == "=" else r) for a, r, b in pairs))
