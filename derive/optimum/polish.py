"""The optimum on a face: Newton's method on the optimality conditions, and a proof of it.

Given which blocks are occupied, and with which rank, the conditions are as many equations as
unknowns: the slack vanishes on what is occupied, and the traces are one. A block of full rank is
its own unknown; one of lower rank is V V^T, V being zero above its diagonal once the rows are in
order of their pivots. Krawczyk's test maps a box into its own inside by Newton's method with the
slopes over all of the box: then it holds exactly one root. If there the other slacks are positive
(definite), the root is an optimum by convexity, and the only one: the gradient is the same at all
optima, so all are on this face, and a segment of them would meet the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..decide.ball import NotEnclosed, precision
from ..frozen import FrozenValue
from .interior import Guess, Rows, pivots, solution
from .program import Program

#: Newton steps, and boxes that are tried around what they find.
STEPS, BOXES = 60, 12


class NotProved(ValueError):
    """That there is a root, or what it is meant for, was not proved; one line says what was not."""


class Part(FrozenValue):
    """How a block is occupied: its rows in order of their pivots, and the rank."""

    order: tuple[int, ...]
    rank: int


class Face(FrozenValue):
    """Which blocks are occupied, and with which rank."""

    parts: tuple[Part, ...]

    @classmethod
    def from_guess(cls, program: Program, guess: Guess) -> Face:
        """The face of a guess: a share beside which the slack is small is occupied."""
        parts = []
        with precision(guess.bits):
            border = guess.mu.sqrt()
            for b in range(len(program.blocks)):
                parts.append(pivoted(program.matrix(b, guess.shares), border))
        return cls(tuple(parts))

    def changed(self, b: int) -> Face:
        """With a block of size one occupied that was not, or the other way round."""
        parts = list(self.parts)
        parts[b] = Part((0,), 1 - parts[b].rank)
        return Face(tuple(parts))


def pivoted(rows: Rows, border: Any) -> Part:
    """Pivots of a matrix, the largest first, as long as they are above a border."""
    left = {i: dict(enumerate(row)) for i, row in enumerate(rows)}
    order: list[int] = []
    while left:
        k = max(left, key=lambda i: left[i][i].mid())
        if not left[k][k].mid() > border:
            break
        order.append(k)
        top = left.pop(k)
        for i, row in left.items():
            ratio = row[k] / top[k]
            left[i] = {j: (v - ratio * top[j]).mid() for j, v in row.items()}
    return Part((*order, *sorted(left)), len(order))


class Found(FrozenValue):
    """Balls around the optimum, all that is said of it being proved.

    Attributes
    ----------
    shares, slacks
        In the slots of the program; slacks of an off-diagonal slot count twice. A share that is
        not occupied is exactly zero, as is the slack of one that is.
    multipliers
        One for each orbit.
    """

    face: Face
    shares: list[Any]
    slacks: list[Any]
    multipliers: list[Any]
    inner: list[Any]
    value: Any
    unknowns: list[Any]
    bits: int


class Conditions:
    """The optimality conditions of a program on a face, with so many bits."""

    def __init__(self, program: Program, face: Face, bits: int):
        self.program, self.face, self.bits = program, face, bits
        #: places of the unknowns: (block, row, column)
        self.places: list[tuple[int, int, int]] = []
        for b, (e, part) in enumerate(zip(program.blocks, face.parts, strict=True)):
            if part.rank == e.size:
                self.places += [(b, i, j) for i, j in e.slots()]
            else:
                self.places += [
                    (b, part.order[i], j) for j in range(part.rank) for i in range(j, e.size)
                ]

    # --- shares and unknowns ---------------------------------------------------------------
    def unknowns(self, z: Sequence[Any], multipliers: Sequence[Any]) -> list[Any]:
        """The unknowns of shares in the slots, multipliers last."""
        found: list[Any] = []
        for b, part in enumerate(self.face.parts):
            if self._full(b):
                found += [z[k].mid() for k in self.program.by_block[b]]
            elif part.rank:
                with precision(self.bits):
                    factor = _factor(self.program.matrix(b, [v.mid() for v in z]), part)
                found += [factor[i][j] for (c, i, j) in self.places if c == b]
        return [*found, *(v.mid() for v in multipliers)]

    def _full(self, b: int) -> bool:
        return self.face.parts[b].rank == self.program.blocks[b].size

    def _factors(self, u: Sequence[Any]) -> dict[int, Rows]:
        """V of the blocks that are occupied but not of full rank."""
        from flint import arb

        found: dict[int, Rows] = {}
        for (b, i, j), v in zip(self.places, u, strict=False):
            if not self._full(b):
                size, rank = self.program.blocks[b].size, self.face.parts[b].rank
                rows = found.setdefault(b, [[arb(0)] * rank for _ in range(size)])
                rows[i][j] = v
        return found

    def shares(self, u: Sequence[Any]) -> list[Any]:
        """The slots that unknowns stand for."""
        from flint import arb

        z = [arb(0)] * len(self.program.slots)
        own = {(b, i, j): v for (b, i, j), v in zip(self.places, u, strict=False) if self._full(b)}
        factors = self._factors(u)
        for k, s in enumerate(self.program.slots):
            if (s.block, s.i, s.j) in own:
                z[k] = own[s.block, s.i, s.j]
            elif s.block in factors:
                rows = factors[s.block]
                z[k] = sum((a * c for a, c in zip(rows[s.i], rows[s.j], strict=True)), arb(0))
        return z

    def _slacks(self, down: Sequence[Any], u: Sequence[Any]) -> list[Any]:
        """Slope minus multiplier, in the slots."""
        y, trace = u[len(self.places) :], self.program.trace
        return [d - y[trace[k]] if k in trace else d for k, d in enumerate(down)]

    # --- equations ---------------------------------------------------------------------------
    def equations(self, u: Sequence[Any]) -> list[Any]:
        """What must vanish, in balls."""
        z = self.shares(u)
        _, down, _ = self.program.evaluate(z, self.bits, order=1)
        return self._equations(z, self._slacks(down, u), self._factors(u))

    def _equations(self, z: list[Any], slack: list[Any], factors: dict[int, Rows]) -> list[Any]:
        from flint import arb, arb_mat

        found = []
        halved = self.program.halved(slack)
        for b, slots in enumerate(self.program.by_block):
            if self._full(b):
                found += [slack[k] for k in slots]
            elif b in factors:
                turned = arb_mat(self.program.matrix(b, halved)) * arb_mat(factors[b])
                found += [turned[i, j] for c, i, j in self.places if c == b]
        for a in range(len(self.program.orbits)):
            total = sum((z[k] for k, o in self.program.trace.items() if o == a), arb(0))
            found.append(total - 1)
        return found

    def jacobian(self, u: Sequence[Any]) -> Rows:
        """The derivatives of the equations, a row for each, in balls."""
        from flint import arb, arb_mat

        z = self.shares(u)
        _, down, curved = self.program.evaluate(z, self.bits)
        slack, factors = self._slacks(down, u), self._factors(u)
        halved, n, zero = self.program.halved(slack), len(self.places), arb(0)
        slacks = {b: self.program.matrix(b, halved) for b in factors}
        moves = [self._moved(q, factors) for q in range(n + len(self.program.orbits))]
        changes = [[dz.get(k, zero) for k in range(len(z))] for dz, _ in moves]
        # the derivatives are symmetric: a row for each unknown
        turns = (arb_mat(changes) * arb_mat(curved)).tolist()
        columns = []
        for q, ((_, turned), full, ds) in enumerate(zip(moves, changes, turns, strict=True)):
            if q >= n:
                for k, o in self.program.trace.items():
                    if o == q - n:
                        ds[k] = ds[k] - 1
            column = self._equations(full, ds, factors)
            for a in range(len(self.program.orbits)):
                column[n + a] = column[n + a] + 1  # the traces are linear
            if turned is not None:  # the slack times the change of V
                b, i, j = turned
                for r, (c, row, col) in enumerate(self.places):
                    if c == b and col == j:
                        column[r] = column[r] + slacks[b][row][i]
            columns.append(column)
        return [[column[r] for column in columns] for r in range(len(columns))]

    def _moved(
        self, q: int, factors: dict[int, Rows]
    ) -> tuple[dict[int, Any], tuple[int, int, int] | None]:
        """How the slots change with an unknown, and the entry of V that it is."""
        from flint import arb

        if q >= len(self.places):
            return {}, None
        b, i, j = self.places[q]
        slots = self.program.by_block[b]
        if self._full(b):
            k = next(
                k for k in slots if (self.program.slots[k].i, self.program.slots[k].j) == (i, j)
            )
            return {k: arb(1)}, None
        change: dict[int, Any] = {}
        for k in slots:
            s = self.program.slots[k]
            if i not in (s.i, s.j):
                continue
            moved = arb(0)
            if s.i == i:
                moved = moved + factors[b][s.j][j]
            if s.j == i:
                moved = moved + factors[b][s.i][j]
            change[k] = moved
        return change, (b, i, j)

    # --- the root ------------------------------------------------------------------------------
    def root(self, u: Sequence[Any]) -> list[Any]:
        """Balls that hold exactly one root near a guess.

        Raises
        ------
        NotProved
            If Newton's method does not converge there, or the test does not pass.
        """
        from flint import arb

        with precision(self.bits):
            u = [v.mid() for v in u]
            inverse, last = None, None
            for _ in range(STEPS):
                inverse = self.inverse(u)
                step = applied(inverse, self.equations(u))
                size = max((abs(v).mid() for v in step), key=float)
                u = [(a - b).mid() for a, b in zip(u, step, strict=True)]
                slow = last is not None and size >= last / 2 and size < arb((1, -self.bits // 3))
                if slow or size < arb((1, -self.bits)):  # a root at zero is met ever more closely
                    break
                last = size
            else:
                raise NotProved("Newton's method does not converge on the face")
            assert inverse is not None
            return self.krawczyk(u, inverse)

    def inverse(self, u: Sequence[Any]) -> Rows:
        """The inverse of the Jacobian, as midpoints."""
        from flint import arb_mat

        try:
            slopes = arb_mat([[v.mid() for v in row] for row in self.jacobian(u)])
            found = solution(slopes, _identity(slopes.nrows()))
        except (ZeroDivisionError, NotEnclosed):
            raise NotProved(
                "the optimality conditions are singular: it may not be unique"
            ) from None
        return [[v.mid() for v in row] for row in found.tolist()]

    def krawczyk(self, u: Sequence[Any], inverse: Rows) -> list[Any]:
        """Boxes around a point, from narrow to wide, until one maps into its own inside."""
        from flint import arb, arb_mat

        step = applied(inverse, self.equations(u))
        least = arb((1, -self.bits + self.bits // 8))
        radii = [2 * arb(v.abs_upper()) + least * least for v in step]
        for _ in range(BOXES):
            box = [a + arb(0, r) for a, r in zip(u, radii, strict=True)]
            try:
                slopes = self.jacobian(box)
            except NotEnclosed:
                break
            apart = _identity(len(u)) - arb_mat(inverse) * arb_mat(slopes)
            moved = apart * arb_mat([[arb(0, r)] for r in radii])
            mapped = [a - b + moved[i, 0] for i, (a, b) in enumerate(zip(u, step, strict=True))]
            if all(b.contains_interior(v) for b, v in zip(box, mapped, strict=True)):
                return mapped
            radii = [8 * r for r in radii]
        raise NotProved("that the optimality conditions have one root there was not proved")

    # --- signs -----------------------------------------------------------------------------------
    def signs(self, u: list[Any]) -> list[Sign]:
        """What the balls say of every block: right, proved wrong, or not told.

        Of an occupied block the share, of another the slack must be positive (definite).
        """
        with precision(self.bits):
            z = self.shares(u)
            _, down, _ = self.program.evaluate(z, self.bits, order=1)
            slack = self._slacks(down, u)
            halved = self.program.halved(slack)
            factors = self._factors(u)
            found = []
            for b, part in enumerate(self.face.parts):
                if self._full(b):
                    found.append(_sign(self.program.matrix(b, z)))
                    continue
                # S V = 0, so S is PSD iff its part on the rows that V depends on is.
                rest = part.order[part.rank :]
                rows = self.program.matrix(b, halved)
                sign = _sign([[rows[i][j] for j in rest] for i in rest])
                diagonal = [factors[b][part.order[j]][j] for j in range(part.rank)]
                found.append(sign if all(v > 0 for v in diagonal) else Sign(None, sign.size))
            return found

    def found(self, u: list[Any]) -> Found:
        """The optimum at a root, once all signs are right."""
        with precision(self.bits):
            z = self.shares(u)
            value, down, _ = self.program.evaluate(z, self.bits, order=1)
            slack = self._slacks(down, u)
            for b, slots in enumerate(self.program.by_block):
                if self._full(b):
                    for k in slots:
                        slack[k] = 0 * slack[k].mid()
            inner = self.program.inner(z)
            return Found(self.face, z, slack, u[len(self.places) :], inner, value, u, self.bits)


class Sign(FrozenValue):
    """Whether a matrix is positive definite: proved, refuted, or None; and its size."""

    right: bool | None
    size: Any


def _sign(rows: Rows) -> Sign:
    found = pivots(rows)
    right = len(found) == len(rows) and all(v > 0 for v in found)
    last = found[-1]
    return Sign(True if right else False if last < 0 else None, last)


def _factor(rows: Rows, part: Part) -> Rows:
    """Columns of the pivoted Cholesky factor, as many as the rank."""
    from flint import arb

    size = len(rows)
    left = [list(row) for row in rows]
    factor: Rows = [[arb(0)] * part.rank for _ in range(size)]
    for j in range(part.rank):
        k = part.order[j]
        root = left[k][k].sqrt()
        for i in part.order[j:]:
            factor[i][j] = (left[i][k] / root).mid()
        for i in part.order[j:]:
            for h in part.order[j:]:
                left[i][h] = left[i][h] - factor[i][j] * factor[h][j]
    return factor


def _identity(size: int) -> Any:
    from flint import arb_mat

    return arb_mat([[int(i == j) for j in range(size)] for i in range(size)])


def applied(rows: Rows, vector: Sequence[Any]) -> list[Any]:
    """A matrix times a vector."""
    from flint import arb_mat

    found = arb_mat(rows) * arb_mat([[v] for v in vector])
    return [found[i, 0] for i in range(len(rows))]
