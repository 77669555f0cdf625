"""The optimum of a program: guessed, put on a face, polished and proved, with as many bits as asked.

A share may be tiny and a slack may be tiny, so with few bits the face may be taken for another;
then a proof fails, and one starts again with more bits.
"""

from __future__ import annotations

from ..decide.ball import NotEnclosed
from ..decide.domain import DomainError
from .interior import Guess, Interior, NoOptimum
from .polish import Conditions, Face, Found, NotProved
from .program import Program

#: Bits that are tried, one after the other: enough for shares down to about 1e-600.
LADDER = (256, 1024, 4096)
#: Bits beyond those that are asked for.
GUARD_BITS = 64


class NotDecided(DomainError):
    """Which face holds the optimum, or whether there is only one, was not decided; one line."""


class Solved:
    """The optimum of a program, and balls around it that can be made narrower."""

    def __init__(self, program: Program):
        """Find the face and prove it.

        Raises
        ------
        NotDecided
            Saying what was not proved.
        """
        self.program = program
        why = ""
        for bits in LADDER:
            try:
                guess = Interior(program, bits).run()
                self.found = _on_face(program, Face.of(program, guess), guess, bits)
                return
            except (NoOptimum, NotProved, NotEnclosed) as error:
                why = str(error)
        raise NotDecided(f"the optimum is not decided: {why} (with {LADDER[-1]} bits)")

    def within(self, bits: int) -> Found:
        """Balls that are computed with at least so many bits; the proof is done again."""
        if self.found.bits < bits + GUARD_BITS:
            more = max(bits + GUARD_BITS, 2 * self.found.bits)
            conditions = Conditions(self.program, self.found.face, more)
            try:
                found = conditions.proved(conditions.root(self.found.unknowns))
            except NotProved as error:
                raise NotEnclosed(str(error)) from None
            self.found = found
        return self.found


def _on_face(program: Program, face: Face, guess: Guess, bits: int) -> Found:
    conditions = Conditions(program, face, bits)
    return conditions.proved(conditions.root(conditions.unknowns(guess)))
