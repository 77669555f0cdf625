"""What a formula needs for a value, noted while it is read.

SymPy simplifies as it builds: of 0/0, or of log(x) - log(x), nothing is left that a check of
the result could find. So each divisor, root and logarithm is noted before it is built, and
each name, since what it stands for may have no value either.
"""

from __future__ import annotations

from contextvars import ContextVar

from sympy import Expr, Pow, log

from ..engine.defined import Condition

_NOTED: ContextVar[list[Condition] | None] = ContextVar("noted", default=None)


def note_power(base: Expr, exponent: Expr) -> None:
    """A power is about to be built: a divisor must not vanish, a root needs what is >= 0."""
    if base.is_number and (exponent.is_number or base.is_positive):
        return  # what is wrong with a number is refused where it is built
    if not exponent.is_Integer:
        weak = exponent.is_Rational and exponent.is_positive
        _note(Condition(Pow(base, exponent), ">= 0" if weak else "> 0", base))
    elif exponent < 0:
        _note(Condition(Pow(base, exponent), "!= 0", base))


def note_log(argument: Expr) -> None:
    """A logarithm is about to be built."""
    if not argument.is_number:
        _note(Condition(log(argument), "> 0", argument))


def note_name(meaning: Expr) -> None:
    """A name occurs."""
    _note(Condition(meaning, "known", meaning))


def taken() -> tuple[Condition, ...]:
    """What was noted since this was last called."""
    found = _NOTED.get() or []
    _NOTED.set([])
    return tuple(found)


def _note(condition: Condition) -> None:
    noted = _NOTED.get()
    if noted is not None:  # else nobody asks
        noted.append(condition)
