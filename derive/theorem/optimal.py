"""An optimum found at numbers, as rationals: its gap by duality, in intervals."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mpmath import iv
from sympy import S

from ..decide.ball import NotEnclosed
from ..decide.digits import NotKnown, rounded
from ..optimum.duality import Certificate
from ..optimum.program import Program, entry
from ..optimum.value import FaceValue
from .intervals import Intervals, NoInterval, interval_digits


def is_least(least: FaceValue, digits: int) -> bool | None:
    """Whether the loss is least where the number says, and the number is that of the optimum.

    None if its gap could not be bounded.
    """
    kind, name = least.args[1].name, least.args[2].name
    bits = int(3.33 * digits) + 160
    try:
        program, certificate = least.optimum.written(bits)
        with interval_digits(2 * digits + 60):
            gap, value, inner = _duality(program, certificate, iv.dps)
            number = {"loss": value, "inner": inner.get(name)}.get(kind)
            near = number is None or abs(_interval(least, digits) - number).a <= gap.b + _off(
                digits
            )
            return bool(near and gap.b <= _off(digits))
    except (NotEnclosed, NotKnown, NoInterval):
        return None


def _off(digits: int) -> Any:
    return iv.mpf(10).a ** -digits


def _interval(least: FaceValue, digits: int) -> Any:
    return iv.mpf(rounded(least, digits + 5)[0])


@lru_cache(maxsize=8)  # once for all numbers of an optimum
def _duality(
    program: Program, certificate: Certificate, digits: int
) -> tuple[Any, Any, dict[str, Any]]:
    """Gap, loss and inner products of rational shares, the parameters beside the function.

    ``digits`` is what intervals have; it is here so that others are not taken for these.
    """
    shares, function = certificate.shares, program.function
    inner = {r.name: S.Zero for r in function.configuration.relations}
    for r, row in zip(program.relations, program.weights, strict=True):
        inner[r.name] = sum((w * shares[k] for k, w in row.items()), S.Zero)
    number = Intervals({**program.point, **{entry(r): g for r, g in inner.items()}})
    slopes = {r.name: number(function.slopes[r.name]) for r in program.relations}
    down = [iv.mpf(0)] * len(shares)
    for r, row in zip(program.relations, program.weights, strict=True):
        for k, w in row.items():
            down[k] += slopes[r.name] * number(w)
    y = [number(v) for v in certificate.multipliers]
    gap = sum((d * number(z) for d, z in zip(down, shares, strict=True)), -sum(y, iv.mpf(0)))
    shift = max(
        _shift([down[k] for k in slots], [y[program.trace[k]] for k in slots if k in program.trace])
        for slots in program.by_block
    )
    gap += len(program.orbits) * shift
    return gap, number(function.value), {r: number(g) for r, g in inner.items()}


def _shift(down: list[Any], y: list[Any]) -> Any:
    """So much added to the diagonal makes a block of the slacks positive definite."""
    size = len(y)
    places = [(i, j) for i in range(size) for j in range(i, size)]
    rows = [[iv.mpf(0)] * size for _ in range(size)]
    for (i, j), d in zip(places, down, strict=True):
        rows[i][j] = rows[j][i] = d - y[i] if i == j else d / 2
    shift = iv.mpf(10) ** -iv.dps
    while True:
        left = [
            [v + shift if i == j else v for j, v in enumerate(row)] for i, row in enumerate(rows)
        ]
        if _is_definite(left):
            return shift.b
        shift *= 16
        if shift.a > 32 + 16 * max(abs(v).b for row in rows for v in row) * size:
            raise NoInterval("no multiple of the identity is large enough")


def _is_definite(rows: list[list[Any]]) -> bool:
    for k, row in enumerate(rows):
        if not row[k].a > 0:
            return False
        for i in range(k + 1, len(rows)):
            ratio = rows[i][k] / row[k]
            for j in range(k + 1, len(rows)):
                rows[i][j] -= ratio * row[j]
    return True
