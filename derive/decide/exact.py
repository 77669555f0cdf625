"""Read exact numbers and expressions from text by one strict grammar.

Nothing is ever evaluated as code.

    number   = digits [. digits] [e [+-] digits]
    atom     = number | oo | pi | name ( sum {, sum} ) | ( sum ) | symbol
    power    = atom [ (^ or **) signed power ]
    product  = signed power { (* or /) signed power }
    sum      = product { (+ or -) product }

Functions are exp, log and sqrt, and in expressions also tanh, cosh, softplus, sigmoid, relu,
abs, max and min; the last two take two arguments.
Symbols are those that the caller allows; a number has none. ``0.1`` means 1/10. Lengths,
depths, exponents and the size of every number on the way are bounded before anything is
evaluated, so no text is slow to read, and the exponential of what was read can be evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sympy import (
    Expr,
    I,
    Integer,
    Max,
    Pow,
    Rational,
    S,
    exp,
    log,
    nan,
    oo,
    pi,
    preorder_traversal,
    sqrt,
    zoo,
)

from ..errors import Refusal
from .ball import NotEnclosed, TooWide, enclosure, precision
from .logarithms import with_prime_logs
from .normal import vanishes

MAX_LENGTH = 200
MAX_DEPTH = 20
MAX_ENTRIES = 10_000  #: numbers in a list
MAX_DIGITS = 60  #: of an exponent's result: keeps 9^9^9 out
MAX_POWER = 60  #: of an expression, powers of powers and products of powers taken together
#: Numbers are below 2**MAX_BITS and, if not zero, above its inverse; fractions have not more bits.
MAX_BITS = 2**14
BITS = 64  #: at which sizes are found

ACCEPTED = "an integer, a decimal (0.1 means 1/10), a fraction (1/3), exp(-1), sqrt(2) or oo"

_TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(\*\*|[-+*/^(),]))"
)


class _NotCompared(ValueError):
    """Two sides of a maximum are not compared; the message says why."""


_UNDECIDED = "it is not decided which of two numbers is larger"
_NOT_REAL = "an argument of max, min, relu or abs is not real"


def _largest(one: Expr, other: Expr) -> Expr:
    """The larger one, where SymPy sees which numbers are the same.

    Raises
    ------
    _NotCompared
        If they are not, or would not be where values are put in.
    """
    one, other = (_comparable(with_prime_logs(side)) for side in (one, other))
    gap = one - other
    if not gap.free_symbols and vanishes(gap):
        return one
    try:
        return Max(one, other)
    except ValueError as error:
        is_real = one.is_extended_real and other.is_extended_real
        raise _NotCompared(_UNDECIDED if is_real else _NOT_REAL) from error


def _comparable(e: Expr) -> Expr:
    """An expression without numbers in its sums that are zero."""
    for part in (part for part in preorder_traversal(e) if part.is_Add):
        number, rest = part.as_independent(*part.free_symbols, as_Add=True)
        if number.is_comparable:
            continue
        if not vanishes(number):
            raise _NotCompared(_UNDECIDED)
        e = e.xreplace({part: rest})
    return e


_FUNCTIONS = {"exp": exp, "log": log, "sqrt": sqrt}
_MORE_FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {
    **_FUNCTIONS,
    # By exponentials, so that the normal form knows them.
    "tanh": lambda e: 1 - 2 / (1 + exp(2 * e)),
    "cosh": lambda e: (exp(e) + exp(-e)) / 2,
    "softplus": lambda e: log(1 + exp(e)),
    "sigmoid": lambda e: 1 / (1 + exp(-e)),
    "relu": lambda e: _largest(S.Zero, e),
    "abs": lambda e: _largest(e, -e),
}
_OF_TWO = {"max": _largest, "min": lambda a, b: -_largest(-a, -b)}
#: Functions that an expression may use.
FUNCTIONS = (*_MORE_FUNCTIONS, *_OF_TWO)
_CONSTANTS = {"oo": oo, "inf": oo, "pi": pi, "E": S.Exp1}


class NotANumber(Refusal, ValueError):
    """The text is not one of the accepted exact numbers; the message is one line."""


def unknown_words(text: str, names: Container[str]) -> list[str]:
    """Words of an expression that are no symbols of these names, and no functions.

    What is applied to something, as ``Max(0, x)``, is meant as a function.
    """
    words = re.findall(r"\b[A-Za-z]\w*\b(?!\s*\()", text)
    return [word for word in words if word not in names and word not in FUNCTIONS]


def exact(value: object) -> Expr:
    """Turn text, an int, a Fraction, a float (as the decimal it prints as) or SymPy into SymPy.

    Raises
    ------
    NotANumber
        If the value is not a number that the grammar accepts.
    """
    if isinstance(value, Expr):
        if value.free_symbols:
            raise NotANumber(f"{value} is not a number; accepted: {ACCEPTED}")
        return value
    if isinstance(value, bool) or value is None:
        raise NotANumber(f"{value!r} is not a number; accepted: {ACCEPTED}")
    if isinstance(value, int):
        return Integer(value)
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    if isinstance(value, float) or hasattr(value, "dtype"):
        return exact(repr(value.item() if hasattr(value, "item") else value))
    if hasattr(value, "_mpf_"):
        return exact(str(value))
    if not isinstance(value, str):
        raise NotANumber(f"a {type(value).__name__} is not a number; accepted: {ACCEPTED}")
    return _Reader(value).read()


def exact_list(value: object, *, rows: bool = False) -> tuple[Any, ...]:
    """Turn ``2,2,4``, or a sequence of what :func:`exact` takes, into a tuple of SymPy numbers.

    In text, numbers are separated by commas or white space; with ``rows``, rows by semicolons
    or new lines, and what comes out is a tuple of tuples of one length.

    Raises
    ------
    NotANumber
        If a number is not accepted, there are none or too many, or rows differ in length.
    """
    found = _entries(value, rows)
    count = sum(map(len, found)) if rows else len(found)
    if not count or not all(found if rows else [True]):
        raise NotANumber("an empty list is not accepted")
    if count > MAX_ENTRIES:
        raise NotANumber(f"a list of {count} numbers is too long (at most {MAX_ENTRIES})")
    if not rows:
        return tuple(map(exact, found))
    if len({len(row) for row in found}) > 1:
        raise NotANumber("the rows have different lengths")
    return tuple(tuple(map(exact, row)) for row in found)


def _entries(value: object, rows: bool) -> list[Any]:
    """What stands in a list, unread; a list of lists with rows."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        if len(value) > MAX_ENTRIES * MAX_LENGTH:
            raise NotANumber(f"a list of {len(value)} characters is too long")
        if rows:
            # Empty lines between rows are of no meaning, a semicolon without a row is a slip.
            return [_entries(row, False) for row in re.split(r";|\n\s*", value.strip())]
        words = [part.split() for part in value.split(",")] if value.strip() else []
        if not all(words):
            raise NotANumber("a comma in a list needs a number on either side")
        return [word for part in words for word in part]
    if not isinstance(value, Sequence):
        raise NotANumber(f"{str(value)[:40]!r} is not a list of numbers, such as 2,2,4")
    if (
        rows
        and value
        and not any(isinstance(row, Sequence) or hasattr(row, "tolist") for row in value)
    ):
        raise NotANumber("a matrix needs rows, such as 0,1;1,0, not one list")
    return [_entries(row, False) for row in value] if rows else list(value)


def expression(
    text: str,
    symbols: Mapping[str, Expr],
    *,
    max_length: int = MAX_LENGTH,
    needed: list[tuple[str, Expr]] | None = None,
    powers: bool = False,
) -> Expr:
    """Read an expression in the given names; ``powers`` says if exponents may have names too.

    ``needed`` gets what it needs for a value as it is written, before anything cancels:
    ``("!= 0", divisor)``, ``("> 0", argument)``, ``(">= 0", argument)``.

    Raises
    ------
    NotANumber
        If the text is not one; the message is one line and names the accepted symbols.
    """
    reader = _Reader(text, symbols, max_length)
    reader.powers = powers
    value = reader.read()
    if needed is not None:
        needed += reader.needed
    return value


def _bits(n: int) -> int:
    return int(n).bit_length()


class _Reader:
    def __init__(
        self, text: str, symbols: Mapping[str, Expr] | None = None, max_length: int = MAX_LENGTH
    ):
        self.symbols = symbols
        if len(text) > max_length:
            raise NotANumber(
                f"a value of {len(text)} characters is too long (at most {max_length})"
            )
        self.text = text
        self.tokens = self._split(text)
        self.at = 0
        self.depth = 0
        self.needed: list[tuple[str, Expr]] = []
        self.powers = False

    def _split(self, text: str) -> list[str]:
        tokens, at = [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._refuse()
            tokens.append(match.group().strip())
            at = match.end()
        return tokens

    def _refuse(self, why: str = "") -> NotANumber:
        shown = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        if self.symbols is not None:
            names = ", ".join([*self.symbols, *FUNCTIONS])
            return NotANumber(
                f"{shown!r} is not an expression{why}; it may use {names} and + - * / ^"
            )
        return NotANumber(f"{shown!r} is not a number{why}; accepted: {ACCEPTED}")

    def read(self) -> Expr:
        value = self._sum()
        if self.at != len(self.tokens):
            raise self._refuse()
        if value.free_symbols and value.has(oo, -oo):
            raise self._refuse(" (it is not finite)")
        return value

    def _sound(self, value: Expr) -> Expr:
        """Refuse what has no value, is not real, or is too large to work with."""
        if value in (oo, -oo):
            return value
        if value.has(nan, zoo, I):
            raise self._refuse(" (it is not real and finite)")
        if any(max(_bits(r.p), _bits(r.q)) > MAX_BITS for r in value.atoms(Rational)):
            raise self._refuse(" (it is too large)")
        if value.free_symbols:
            if any(abs(k) > MAX_POWER for p in value.atoms(Pow) for k in p.exp.atoms(Rational)):
                raise self._refuse(" (the power is too large)")
            if value.is_Add or value.is_Mul:
                self._bounded(value.as_independent(*value.free_symbols)[0])
        else:
            self._bounded(value)
        return value

    def _bounded(self, number: Expr) -> None:
        if number.is_Rational:
            return
        try:
            ball = enclosure(number, BITS)
        except TooWide:
            raise self._refuse(" (its size is not known)") from None
        except NotEnclosed:
            raise self._refuse(" (it is not real and finite)") from None
        # A ball around zero tells no lower bound: too much cancels, but that is no large number.
        if not ball.abs_upper() < 2**MAX_BITS:
            raise self._refuse(" (it is too large)")
        if not ball.contains(0) and not 1 / ball.abs_lower() < 2**MAX_BITS:
            raise self._refuse(" (it is too small)")

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self.at += 1
        return token

    def _expect(self, token: str, says: str = "") -> None:
        if self._next() != token:
            raise self._refuse(says)

    def _sum(self) -> Expr:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._refuse(" (too deeply nested)")
        value = self._product()
        while self._peek() in ("+", "-"):
            sign = self._next()
            term = self._product()
            value = self._sound(value + term if sign == "+" else value - term)
        self.depth -= 1
        return value

    def _product(self) -> Expr:
        value = self._signed()
        while self._peek() in ("*", "/"):
            operator = self._next()
            factor = self._signed()
            if operator == "/" and factor.is_zero:
                raise self._refuse(" (it divides by zero)")
            if operator == "/":
                self.needed.append(("!= 0", factor))
            value = self._sound(value * factor if operator == "*" else value / factor)
        return value

    def _signed(self) -> Expr:
        negative = False
        while self._peek() in ("+", "-"):
            negative ^= self._next() == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Expr:
        base = self._atom()
        if self._peek() not in ("^", "**"):
            return base
        self._next()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._refuse(" (too deeply nested)")
        exponent = self._signed()
        self.depth -= 1
        if self.powers and exponent.free_symbols and not base.is_extended_nonpositive:
            self._plain(exponent)
            self.needed.append(("> 0", base))
            return self._sound(base**exponent)
        if base.free_symbols:
            if not exponent.is_Rational or abs(exponent) > MAX_DEPTH:
                raise self._refuse(" (a power it does not allow)")
            if not exponent.is_Integer:
                self.needed.append((">= 0" if exponent > 0 else "> 0", base))
            elif exponent <= 0:
                self.needed.append(("!= 0", base))
            return self._sound(base**exponent)
        if base == -1 and exponent.is_Symbol and exponent.is_integer:  # a sign by parity
            return base**exponent
        if base in (oo, -oo) or not exponent.is_Rational or (base.is_zero and exponent <= 0):
            raise self._refuse(" (a power it does not allow)")
        if base.is_Rational:
            digits = max(len(str(base.p)), len(str(base.q)))
        else:
            digits = 2
        if abs(exponent) * digits > MAX_DIGITS or exponent.q > MAX_DIGITS:
            raise self._refuse(" (the power is too large)")
        return self._sound(base**exponent)

    def _plain(self, exponent: Expr) -> None:
        """Refuse what would make a large exponent where numbers are put in."""
        inner = [p.exp for p in exponent.atoms(Pow, exp)]
        if any(k not in (-2, -1, 2) for k in inner):
            raise self._refuse(" (a power it does not allow)")

    def _applied(self, function: Callable[..., Expr], *arguments: Expr) -> Expr:
        try:
            return self._sound(function(*arguments))
        except _NotCompared as error:
            raise self._refuse(f" ({error})") from None

    def _two_arguments(self) -> tuple[Expr, Expr]:
        says = " (max and min take two arguments)"
        self._expect("(", says)
        one = self._sum()
        self._expect(",", says)
        other = self._sum()
        self._expect(")", says)
        return one, other

    def _small(self, argument: Expr) -> None:
        """Refuse numbers whose exponential is not formed."""
        if argument.free_symbols:
            return
        with precision(BITS):
            if not enclosure(argument, BITS).abs_upper() < MAX_BITS:
                raise self._refuse(" (the argument is too large)")

    def _atom(self) -> Expr:
        token = self._next()
        if token == "(":
            value = self._sum()
            self._expect(")")
            return value
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if self.symbols is not None and token in self.symbols:
            return self.symbols[token]
        if self.symbols is not None and token in _OF_TWO:
            return self._applied(_OF_TWO[token], *self._two_arguments())
        functions = _FUNCTIONS if self.symbols is None else _MORE_FUNCTIONS
        if token in functions:
            self._expect("(")
            argument = self._sum()
            self._expect(")")
            if argument in (oo, -oo):
                raise self._refuse(" (the argument is not finite)")
            if functions[token] is not log:
                self._small(argument)
            if functions[token] in (log, sqrt):
                self.needed.append(("> 0" if functions[token] is log else ">= 0", argument))
            return self._applied(functions[token], argument)
        if token and (token[0].isdigit() or token[0] == "."):
            mantissa, _, power = token.lower().partition("e")
            if power and abs(int(power)) > MAX_DIGITS:
                raise self._refuse(" (the exponent is too large)")
            return Rational(mantissa) * (Integer(10) ** int(power) if power else 1)
        named = self.symbols is not None and token.isidentifier()
        raise self._refuse(f" ({token} is not known)" if named else "")
