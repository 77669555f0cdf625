"""Equations in as many unknowns: Newton's method from a guess, and Krawczyk's test of the result.

The test maps a box into its own inside by Newton's method with the slopes over all of the box: then
the box holds exactly one root. Nothing of the guess is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..decide.ball import NotEnclosed, precision
from .interior import Rows, solution

#: Newton steps, and boxes that are tried around what they find.
STEPS, BOXES = 60, 12


class NotProved(ValueError):
    """That there is a root, or what it is meant for, was not proved; one line says what was not."""


class System:
    """Equations and their derivatives in balls of so many bits; ``what`` has the root, in words."""

    bits: int
    what = "the equations"

    def equations(self, u: Sequence[Any]) -> list[Any]:
        """What must vanish, in balls."""
        raise NotImplementedError

    def jacobian(self, u: Sequence[Any]) -> Rows:
        """The derivatives of the equations, a row for each, in balls."""
        raise NotImplementedError

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
                raise NotProved(f"Newton's method does not converge on {self.what}")
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


def _identity(size: int) -> Any:
    from flint import arb_mat

    return arb_mat([[int(i == j) for j in range(size)] for i in range(size)])


def applied(rows: Rows, vector: Sequence[Any]) -> list[Any]:
    """A matrix times a vector."""
    from flint import arb_mat

    found = arb_mat(rows) * arb_mat([[v] for v in vector])
    return [found[i, 0] for i in range(len(rows))]
