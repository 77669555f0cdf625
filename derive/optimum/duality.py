"""A certificate that shares are optimal: checked in balls, by something that solves nothing.

For a convex loss f, shares X that meet the conditions and any multipliers y,

    f(X) - min f  <=  <gradient, X> - sum of y + (number of orbits) * eps,

eps being so large that gradient - diag(y) + eps is PSD on every block: the gap. Both hold for
whatever rational numbers are written down, so a certificate that is wrong has a large gap, or
shares that are not PSD or not of trace one, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Integer, Rational, S

from ..decide.ball import enclosure, precision
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..frozen import FrozenValue
from .interior import Rows, pivots
from .polish import Found
from .program import Program

#: Bits of the numbers that are written down, and of the balls; G = I is mixed in so far above the
#: last of the bits that are written.
WRITTEN, BITS, MIXED = 128, 256, 32


class Certificate(FrozenValue):
    """Rational shares in the slots of a program, and a rational multiplier for each orbit."""

    shares: tuple[Rational, ...]
    multipliers: tuple[Rational, ...]

    @classmethod
    def from_found(cls, program: Program, found: Found, bits: int = WRITTEN) -> Certificate:
        """Round a proved optimum: to shares that are PSD, with traces that are exactly one.

        A little of G = I is mixed in, so that rounding does not leave the cone.
        """
        little = Rational(1, 2 ** (bits - MIXED))
        shares = [
            (1 - little) * _rational(z, bits) + little * e
            for z, e in zip(found.shares, program.start(), strict=True)
        ]
        for a in range(len(program.orbits)):
            slots = [k for k, o in program.trace.items() if o == a]
            most = max(slots, key=lambda k: shares[k])
            shares[most] += 1 - sum((shares[k] for k in slots), S.Zero)
        return cls(tuple(shares), tuple(_rational(y, bits) for y in found.multipliers))

    def gap(self, program: Program, bits: int = BITS) -> Any:
        """A ball above how far the loss at the shares is from the least; None if not shown.

        Raises
        ------
        ValueError
            If the shares are not PSD or a trace is not one: they are no Gram matrix.
        """
        for a in range(len(program.orbits)):
            total = sum((self.shares[k] for k, o in program.trace.items() if o == a), S.Zero)
            if total != 1:
                raise ValueError(f"the traces of {program.orbits[a]} add up to {total}, not to one")
        for b, e in enumerate(program.blocks):
            if not all(d >= 0 for d in _exact_pivots(program.matrix(b, self.shares))):
                raise ValueError(f"the share of {e.name} is not positive semidefinite")
        with precision(bits):
            z = [enclosure(v, bits) for v in self.shares]
            y = [enclosure(v, bits) for v in self.multipliers]
            _, down, _ = program.evaluate(z, bits, order=1)
            slack = [
                d - y[program.trace[k]] if k in program.trace else d for k, d in enumerate(down)
            ]
            pairing = sum((d * v for d, v in zip(down, z, strict=True)), -sum(y, 0 * y[0]))
            eps = self._shift(program, program.halved(slack))
            return None if eps is None else pairing + len(program.orbits) * eps

    def _shift(self, program: Program, slack: Sequence[Any]) -> Any:
        """So much has to be added to the slacks at most until every block is PSD, or None."""
        from flint import arb

        eps = arb(0)
        for b, e in enumerate(program.blocks):
            rows = program.matrix(b, slack)
            start = max((abs(v) for row in rows for v in row), key=lambda v: float(v.mid()))
            for k in range(WRITTEN, -4, -4):  # from narrow to wide
                shift = arb((1, -k)) * (1 + start.mid())
                moved = [
                    [v + (shift if i == j else 0) for j, v in enumerate(row)]
                    for i, row in enumerate(rows)
                ]
                found = pivots(moved)
                if len(found) == e.size and all(d > 0 for d in found):
                    eps = eps.max(shift)
                    break
            else:
                return None
        return eps

    def loss(self, program: Program, bits: int = BITS) -> Any:
        """A ball around the loss at the shares."""
        return program.evaluate([enclosure(v, bits) for v in self.shares], bits, order=0)[0]

    def check(self, program: Program, tolerance: Expr) -> Outcome:
        """Whether the loss at the shares is proved to be within a tolerance of the least."""
        try:
            gap = self.gap(program)
        except ValueError as error:
            return Refuted({}, str(error))
        if gap is None:
            return Undecided("no multiple of the identity was found that makes the slacks PSD")
        shown = gap.abs_upper().str(3, radius=False)
        if gap < enclosure(tolerance, BITS):
            how = f"duality gap below {shown}: LDL^T of all slacks in ball arithmetic"
            return Holds(Evidence(Grade.INTERVAL, how))
        return Undecided(f"the gap is only bounded by {shown}")


def _rational(ball: Any, bits: int) -> Rational:
    """A rational number near the middle of a ball."""
    with precision(2 * bits):
        scaled = (ball.mid() * 2**bits).floor().mid()
    man, power = (int(v) for v in scaled.man_exp())
    return Rational(man) * Integer(2) ** power / Integer(2) ** bits


def _exact_pivots(rows: Rows) -> list[Expr]:
    """Pivots of LDL^T of a rational matrix; below one that is zero the column must be zero."""
    left = [list(row) for row in rows]
    found: list[Expr] = []
    for k in range(len(left)):
        pivot = left[k][k]
        if pivot == 0 and any(left[i][k] != 0 for i in range(k + 1, len(left))):
            return [*found, Integer(-1)]
        found.append(pivot)
        if pivot < 0:
            break
        for i in range(k + 1, len(left)):
            if pivot != 0:
                ratio = left[i][k] / pivot
                for j in range(k + 1, len(left)):
                    left[i][j] = left[i][j] - ratio * left[k][j]
    return found
