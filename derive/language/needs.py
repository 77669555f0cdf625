"""What a formula needs for a value, noted while it is read.

SymPy simplifies as it builds: of 0/0, or of log(x) - log(x), nothing is left that a check of
the result could find. So each divisor, root and logarithm is noted before it is built, and
each name, since what it stands for may have no value either.
"""

from __future__ import annotations

from contextvars import ContextVar

from sympy import Expr, Pow, log, oo

from ..decide.defined import Condition

#: What was noted, and how much of that is from outside the bounds of cases.
_NOTED: ContextVar[list[Condition] | None] = ContextVar("noted", default=None)
_BOUNDS: ContextVar[list[Condition] | None] = ContextVar("bounds", default=None)
_START: ContextVar[int] = ContextVar("start", default=0)


def note_power(base: Expr, exponent: Expr) -> None:
    """A power is about to be built: a root needs what is >= 0, and zero has no power <= 0."""
    if base.is_number and (base.is_positive or (base.is_Rational and exponent.is_number)):
        return  # what is wrong with a rational number is refused where it is built
    if base.is_Rational and not base.is_zero and exponent.is_integer:
        return
    if not exponent.is_Integer:
        weak = exponent.is_Rational and exponent.is_positive
        _note(Condition(Pow(base, exponent), ">= 0" if weak else "> 0", base))
    elif exponent <= 0:
        _note(Condition(Pow(base, exponent, evaluate=False), "!= 0", base))


def note_log(argument: Expr) -> None:
    """A logarithm is about to be built."""
    if not argument.is_number:
        _note(Condition(log(argument), "> 0", argument))


def note_name(meaning: Expr) -> None:
    """A name occurs."""
    _note(Condition(meaning, "known", meaning))


def open_end(end: Expr) -> None:
    """The end of an interval that does not belong to it may be infinite."""
    noted = _NOTED.get()
    infinite = Condition(oo, "known", oo)
    if noted and end in (oo, -oo) and infinite in noted:
        noted.remove(infinite)


def bound_begins() -> None:
    """The value of a case is complete, and the condition that it is for follows."""
    _START.set(len(_NOTED.get() or []))


def bound_ends() -> None:
    """What was noted since then is needed by the bounds of a case."""
    noted, bounds = _NOTED.get(), _BOUNDS.get()
    if noted is not None and bounds is not None:
        bounds += noted[_START.get() :]
        del noted[_START.get() :]


def taken() -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """What was noted since this was last called: by formulas, and by the bounds of cases."""
    found = tuple(_NOTED.get() or ()), tuple(_BOUNDS.get() or ())
    _NOTED.set([])
    _BOUNDS.set([])
    return found


def _note(condition: Condition) -> None:
    noted = _NOTED.get()
    if noted is not None:  # else nobody asks
        noted.append(condition)
