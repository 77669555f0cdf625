"""Both sides of a bound at a stored configuration, to any number of digits.

Rows of unit vectors are normalised at the precision of the work. That is doubled until both sides
are known to the digits that are asked for, so that what cancels on the way is told from what is
there; a side that shrinks as fast as rounding does is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mp, mpf
from sympy import Expr, lambdify, oo

from ...derive.errors import Refusal
from ...derive.theorem.bounds import About
from .digits import readings_of
from .spaces import KINDS, space
from .stored import BadRecord, Record, shape_of
from .target import COUNTS, Target

#: Digits to which both sides are found.
DIGITS = 50
#: The part of the larger side by which a bound has to be exceeded for that to be a violation.
MARGIN = mpf(10) ** -35
#: Digits of the work beyond those asked for, and the most.
GUARD, MOST = 15, 4000


@dataclass(frozen=True)
class Sides:
    """What a bound says at a configuration.

    Attributes
    ----------
    bounded, bound
        The two sides.
    ratio
        Bounded to bound of an upper bound, bound to bounded of a lower one; None where both are 0.
    is_violated
        Whether the bound fails by more than the margin.
    readings
        All numbers that the two are functions of.
    """

    bounded: mpf
    bound: mpf
    ratio: mpf | None
    is_violated: bool
    readings: Mapping[str, mpf]


class Undetermined(Refusal, ArithmeticError):
    """The sides were not found to the digits that were asked for."""


def replay(target: Target, record: Record, digits: int = DIGITS) -> Sides:
    """Recompute both sides.

    Raises
    ------
    BadRecord
        If the kind of configuration is not that of the bound, or the arrays not those of the kind.
    Undetermined
        If even thousands of digits do not tell.
    """
    if record.about is not target.about:
        raise BadRecord(
            f"{target.name} applies to configurations of the kind {target.about.name}, not "
            f"{record.about.name}"
        )
    check_shapes(record)
    work = digits + GUARD
    before: tuple[mpf, mpf] | None = None
    readings: dict[str, Any] = {}
    zeros = [0, 0]
    while work <= MOST:
        with mp.workdps(work):
            readings = _readings(target, record)
            now = readings[target.bound.bounded], _value(target.precise, readings, work)
            if before is not None:
                for k in (0, 1):
                    zeros[k] = zeros[k] + 1 if _vanishes(before[k], now[k], work) else 0
                if all(
                    zeros[k] > 1 or now[k] == before[k] == 0 or _agree(before[k], now[k], digits)
                    for k in (0, 1)
                ):
                    bounded, bound = (mpf(0) if zeros[k] > 1 else now[k] for k in (0, 1))
                    return _sides(target, bounded, bound, readings)
            before = now
        work *= 2
    raise Undetermined(f"{MOST} digits do not determine {target.name} at this configuration")


def _sides(target: Target, bounded: mpf, bound: mpf, readings: Mapping[str, mpf]) -> Sides:
    small, large = (bounded, bound) if target.is_upper else (bound, bounded)
    if small <= 0:  # a lower bound that says nothing, or both are 0
        ratio = None if small == 0 == large else mpf(0)
    else:
        ratio = small / large if large > 0 else mpmath.inf
    excess = small - large
    wrong = excess > MARGIN * max(abs(small), abs(large))
    return Sides(bounded, bound, ratio, bool(wrong and _is_inside(target, readings)), readings)


def _vanishes(before: mpf, now: mpf, work: int) -> bool:
    """Whether a number is of the size of rounding at both precisions, and no number."""
    return abs(now) <= mpf(10) ** (GUARD - work) and abs(now) <= abs(before) * mpf(10) ** (
        -work // 4
    )


def _agree(a: mpf, b: mpf, digits: int) -> bool:
    return abs(a - b) <= mpf(10) ** -digits * abs(b) and b != 0


def _readings(target: Target, record: Record) -> dict[str, Any]:
    names = {target.bound.bounded, *(s.name for s in target.expression.free_symbols)}
    names |= {s.name for s in target.precise.free_symbols}
    names |= set(target.ranges)
    return readings_of(record, names)


def _value(expression: Expr, readings: Mapping[str, Any], digits: int) -> mpf:
    symbols = sorted(expression.free_symbols, key=str)
    with mp.workdps(digits):  # SymPy's Max does not compare floats that are close to each other
        values = [_number(s.name, readings[s.name]) for s in symbols]
        found = mpmath.mpmathify(lambdify(symbols, expression, "mpmath")(*values))
    if not isinstance(found, mpf) or not mpmath.isfinite(found):
        raise Undetermined(f"the bound is {str(found)[:40]} at this configuration")
    return found


def _number(name: str, value: Any) -> mpf:
    return mpf(int(value) if name in COUNTS else value)


def _is_inside(target: Target, readings: Mapping[str, Any]) -> bool:
    """Whether the configuration meets the hypotheses: readings are in their ranges."""
    for symbol, r in target.domain.ranges.items():
        if symbol.name not in target.ranges:
            continue
        value = mpf(readings[symbol.name])
        low, high = (_end(e.xreplace(dict(target.constants)), readings) for e in (r.low, r.high))
        # An end that is attained may be passed by rounding; one that does not belong may not.
        slack = MARGIN * max(1, abs(value))
        if value < low - slack or value > high + slack:
            return False
        if (r.low_open and value <= low) or (r.high_open and value >= high):
            return False
    return True


def _end(e: Expr, readings: Mapping[str, Any]) -> mpf:
    if e in (oo, -oo):
        return mpmath.inf if e is oo else -mpmath.inf
    return _value(e, readings, mp.dps)


def check_shapes(record: Record) -> None:
    """Refuse arrays that no configuration of the kind has.

    Raises
    ------
    BadRecord
        Naming the array.
    """
    shapes = {name: shape_of(value) for name, value in record.vectors.items()}
    wanted = _wanted(record.about, shapes)
    for name, shape in wanted.items():
        if shapes.get(name) != shape:
            raise BadRecord(
                f"{name!r} of a configuration of kind {record.about.name} must have the shape "
                f"{shape}, not {shapes.get(name, 'none')}"
            )
    extra = set(shapes) - set(wanted)
    if extra:
        raise BadRecord(f"a configuration of kind {record.about.name} has no {min(extra)!r}")
    has_tau = record.about not in (About.SOFTMAX, About.VECTORS)
    if has_tau and (record.tau is None or not mpf(record.tau) > 0):
        raise BadRecord("'tau' must be a positive number, written as a string")
    if not has_tau and record.tau is not None:
        raise BadRecord(f"a configuration of the kind {record.about.name} has no 'tau'")
    for name in ("anchor", "positive", "negatives", "z", "batch", "candidate"):
        for row in _rows(record.vectors.get(name, [])):
            if not any(mpf(x) for x in row):
                raise BadRecord(f"{name!r} has a row of zeros, which cannot be normalised")


def _wanted(about: About, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Shapes of a kind, of the size that its largest array has."""
    kind = KINDS[about]
    largest, shape = kind.largest, shapes.get(kind.largest, ())
    if len(shape) != len(kind.shapes(kind.least, 1)[largest]):
        raise BadRecord(
            f"{largest!r} is missing, or no list of rows of decimal numbers, written as strings"
        )
    count, d = shape[-2:] if len(shape) > 1 else (*shape, 1)
    found = space(about, count + kind.others, d)
    if found is None:
        raise BadRecord(f"{largest!r} has {count} rows, which are too few or an odd number")
    if about is About.LAW:
        return {name: (shape[0], *s[1:]) for name, s in found.shapes.items()}
    return dict(found.shapes)


def _rows(value: Any) -> list[list[str]]:
    if not isinstance(value, list) or not value:
        return []
    if isinstance(value[0], str):
        return [value]
    return [row for part in value for row in _rows(part)]
