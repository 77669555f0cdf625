"""Where the optimum of a program lies, as a guess: a primal-dual interior-point method.

It starts at G = I and follows the points where share times slack is mu, mu going to zero. Every
step solves the Newton equations of that; it is shortened until all blocks stay positive definite
and the barrier function falls. Numbers are midpoints with many bits, since a share may be as small
as exp(-1/tau); nothing here is trusted, and everything is proved afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..decide.ball import NotEnclosed, enclosure, precision
from ..frozen import FrozenValue
from .program import Program

#: Steps after which one gives up, and times that a step is halved.
STEPS, HALVINGS = 400, 60
#: Bits of mu below which a guess is good enough where no further step is found.
NEAR = 40
#: Beyond so many unknowns linear equations are solved without balls.
LARGE = 64
#: A matrix of numbers, as rows.
Rows = list[list[Any]]


class NoOptimum(ValueError):
    """The method did not end; one line."""


class Guess(FrozenValue):
    """Shares, multipliers and slacks near an optimum.

    Attributes
    ----------
    shares, slacks
        In the slots of the program; slacks of an off-diagonal slot count twice.
    multipliers
        One for each orbit.
    mu
        What share times slack is.
    bits
        With which they were computed.
    """

    shares: list[Any]
    multipliers: list[Any]
    slacks: list[Any]
    mu: Any
    bits: int


class Interior:
    """The method at work on a program, with so many bits."""

    def __init__(self, program: Program, bits: int):
        self.program, self.bits = program, bits
        #: where there are matrices, near the border and far from the central path steps are short
        self.gentle = any(b.size > 1 for b in program.blocks)

    def run(self) -> Guess:
        """Follow the central path until mu is far below what the bits resolve.

        Raises
        ------
        NoOptimum
            If the steps do not get there.
        """
        from flint import arb

        p = self.program
        with precision(self.bits):
            z = [enclosure(e, self.bits).mid() for e in p.start()]
            y = [arb(0)] * len(p.orbits)
            mu, last = arb(1), arb((1, -self.bits // (4 if self.gentle else 2)))
            s = [mu * v for v in self._inverse_slots(z)]
            for _ in range(STEPS):
                value, down, curved = self._at(z)
                pulled = self._pulled(y)
                off = max(
                    [abs(a - b - c).mid() for a, b, c in zip(down, pulled, s, strict=True)]
                    + [abs(v - mu).mid() for v in self._products(z, s)],
                    key=float,
                )
                if off <= 10 * mu:
                    if mu < last:
                        return Guess(z, y, s, mu, self.bits)
                    mu = (mu / 10).mid() if self.gentle else min(mu / 10, (mu * mu.sqrt()).mid())
                try:
                    z, y, s = self._step(z, y, s, mu, value, down, curved)
                except NoOptimum:
                    if mu < arb((1, -NEAR)):  # near enough for Newton's method on the face
                        return Guess(z, y, s, mu, self.bits)
                    raise
            raise NoOptimum(f"no optimum was found in {STEPS} steps of the interior-point method")

    # --- one step ------------------------------------------------------------------------
    def _step(
        self, z: list[Any], y: list[Any], s: list[Any], mu: Any, value: Any, down: Any, curved: Rows
    ) -> tuple[list[Any], list[Any], list[Any]]:
        from flint import arb, arb_mat

        n, m = len(z), len(y)
        inverse = self._inverse_slots(z)
        scaling = self._scaling(z, s)
        rows = [[curved[i][j] + scaling[i][j] for j in range(n)] + [arb(0)] * m for i in range(n)]
        rows += [[arb(0)] * (n + m) for _ in range(m)]
        for k, a in self.program.trace.items():
            rows[k][n + a] = arb(-1)
            rows[n + a][k] = arb(1)
        right = [[mu * v - d] for v, d in zip(inverse, down, strict=True)] + [[arb(0)]] * m
        try:
            found = solution(arb_mat(_mid(rows)), arb_mat(_mid(right)))
        except ZeroDivisionError:
            raise NoOptimum("the Newton equations could not be solved") from None
        dz = [found[i, 0].mid() for i in range(n)]
        wanted = [found[n + a, 0].mid() for a in range(m)]
        scaled = arb_mat(scaling) * arb_mat([[v] for v in dz])
        ds = [(mu * inverse[i] - s[i] - scaled[i, 0]).mid() for i in range(n)]
        half, forward = self.program.halved, self._longest(z, dz, mu)
        dual = self._longest(half(s), half(ds), mu)
        here = self._barrier(z, value, mu)
        slope = sum(((d - mu * v) * e for d, v, e in zip(down, inverse, dz, strict=True)), arb(0))
        for _ in range(HALVINGS):
            next_z = [(a + forward * b).mid() for a, b in zip(z, dz, strict=True)]
            try:
                new = self._barrier(next_z, self._value(next_z), mu)
            except NotEnclosed:
                new = None
            # Below its last bits the function says nothing, and the step is taken.
            noise = abs(here) * arb((1, -self.bits + 30))
            if new is not None and (new - here - forward * slope / 10000).mid() <= noise:
                break
            forward = forward / 2
        else:
            raise NoOptimum("no step lowers the barrier function")
        z = next_z
        s = [(a + dual * b).mid() for a, b in zip(s, ds, strict=True)]
        y = [(a + dual * (b - a)).mid() for a, b in zip(y, wanted, strict=True)]
        return z, y, s

    def _longest(self, z: list[Any], dz: list[Any], mu: Any) -> Any:
        """How far the step may go: part of the way to the border, and for numbers all but mu."""
        from flint import arb

        most = arb(9) / 10 if self.gentle else 1 - min(arb(1) / 100, mu)
        step = arb(1)
        for b, slots in enumerate(self.program.by_block):
            if self.program.blocks[b].size == 1:
                (k,) = slots
                if dz[k] < 0 and step * -dz[k] > most * z[k]:
                    step = (most * z[k] / -dz[k]).mid()
                continue
            while True:
                tried = {k: z[k] + step / most * dz[k] for k in slots}
                if all(pivot > 0 for pivot in pivots(self.program.matrix(b, tried))):
                    break
                step = (step * arb(4) / 5).mid()
        return step

    # --- blocks ----------------------------------------------------------------------------
    def _inverse(self, b: int, z: Sequence[Any]) -> Rows:
        from flint import arb_mat

        found = arb_mat(self.program.matrix(b, z)).inv()
        return _mid(found.tolist())

    def _inverse_slots(self, z: Sequence[Any]) -> list[Any]:
        """Derivatives of the logarithms of the determinants, in the slots."""
        found = []
        for b, e in enumerate(self.program.blocks):
            inverse = self._inverse(b, z)
            found += [inverse[i][j] * (1 if i == j else 2) for i, j in e.slots()]
        return found

    def _scaling(self, z: Sequence[Any], s: Sequence[Any]) -> Rows:
        """What share times slack = mu says of small changes: slack over share, for numbers."""
        from flint import arb

        n = len(z)
        rows = [[arb(0)] * n for _ in range(n)]
        halved = self.program.halved(s)
        for b, e in enumerate(self.program.blocks):
            slots = list(zip(self.program.by_block[b], e.slots(), strict=True))
            x = self._inverse(b, z)
            y = self.program.matrix(b, halved)
            for m, (k, (i, j)) in enumerate(slots):
                for h, (c, d) in slots[: m + 1]:
                    # the trace of x E y F, for the symmetric units E of (i, j) and F of (c, d)
                    total = x[c][i] * y[j][d]
                    if i != j:
                        total = total + x[c][j] * y[i][d]
                    if c != d:
                        total = total + x[d][i] * y[j][c]
                        if i != j:
                            total = total + x[d][j] * y[i][c]
                    rows[h][k] = rows[k][h] = total.mid()
        return rows

    def _products(self, z: Sequence[Any], s: Sequence[Any]) -> list[Any]:
        """Share times slack, block by block: the mean of its eigenvalues."""
        from flint import arb

        found = []
        for b, e in enumerate(self.program.blocks):
            total = sum((z[k] * s[k] for k in self.program.by_block[b]), arb(0))
            found.append((total / e.size).mid())
        return found

    # --- the function ----------------------------------------------------------------------
    def _at(self, z: list[Any]) -> tuple[Any, list[Any], Rows]:
        value, down, curved = self.program.evaluate(z, self.bits)
        return value.mid(), [v.mid() for v in down], _mid(curved)

    def _value(self, z: list[Any]) -> Any:
        return self.program.evaluate(z, self.bits, order=0)[0].mid()

    def _barrier(self, z: list[Any], value: Any, mu: Any) -> Any:
        total = value
        for b in range(len(self.program.blocks)):
            for pivot in pivots(self.program.matrix(b, z)):
                total = total - mu * pivot.log()
        return total.mid()

    def _pulled(self, y: Sequence[Any]) -> list[Any]:
        """The multiplier of each slot: that of its orbit on the diagonal."""
        trace = self.program.trace
        return [y[trace[k]] if k in trace else 0 * y[0] for k in range(len(self.program.slots))]


def solution(rows: Any, right: Any) -> Any:
    """What a matrix maps to another, near enough for a guess.

    Raises
    ------
    ZeroDivisionError
        If the matrix may be singular; of a large one that is not looked for.
    """
    return rows.solve(right, algorithm="approx" if rows.nrows() > LARGE else None)


def pivots(rows: Rows) -> list[Any]:
    """The pivots of LDL^T without exchange, up to the first that is not positive."""
    left = [list(row) for row in rows]
    found = []
    for k in range(len(left)):
        found.append(left[k][k])
        if not left[k][k] > 0:
            break
        for i in range(k + 1, len(left)):
            ratio = left[i][k] / left[k][k]
            for j in range(k + 1, len(left)):
                left[i][j] = left[i][j] - ratio * left[k][j]
    return found


def _mid(rows: Any) -> Rows:
    return [[v.mid() for v in row] for row in rows]
