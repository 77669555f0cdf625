"""What formulas are built of, refused where SymPy would take too long or there is no quantity."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Abs, Expr, Mul, Pow, S

from ...language.statement import TexError

MAX_EXPONENT = 1_000  #: of a number
MAX_BITS = 4_000  #: of a number that arises
MAX_MAGNITUDE = 10_000  #: of a number in an exponent
MAX_HEIGHT = 24  #: nested powers and functions
MAX_HEIGHT_OF_ONE = 6  #: the same where there is at most one symbol


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


def power(base: Expr, exponent: Expr, at: int) -> Expr:
    """A power, of numbers only where it is real and of a size that can be written."""
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


def product(factors: list[Expr], at: int) -> Expr:
    """A product; SymPy puts numbers under one root and factors them."""
    roots = [p for f in factors for p in Mul.make_args(f) if p.is_Pow and p.base.is_Integer]
    if sum(int(p.base).bit_length() for p in roots) > MAX_BITS // 4:
        raise TexError("roots of too many or too long numbers", at)
    return sound(Mul(*factors), at)
