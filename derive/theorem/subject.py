"""What a result is about: a problem on a symmetry, weights, or an anchor, a graph and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sympy import Expr, Symbol

from ..losses.conventions import Reading
from ..losses.setting import Setting
from ..optimum.segment import Segment
from ..problems.problem import Loss, Problem
from ..structures.scheme import Scheme

if TYPE_CHECKING:
    from ..structures.draws import Draw


class Symmetric:
    """A loss on a structure, or a structure alone.

    Parameters
    ----------
    problem
        The loss, structure and domain, if there is one problem.
    loss
        The loss, where it is about structures of any number of classes.
    structure
        What it is about if there is no loss; where the problem has several orbits of points, what
        one anchor sees.
    segment
        Makes the segment that holds the optima, where there is one.
    position
        Where on the segment the structure is, if there is no loss.
    draw
        How batches are drawn, where the loss is the mean over them.
    convention, reading
        The library in whose terms it is, and the loss of that library.
    """

    def __init__(
        self,
        problem: Problem | None = None,
        *,
        loss: Loss | None = None,
        structure: Scheme | None = None,
        segment: Callable[[], Segment] | None = None,
        position: Callable[[Segment], Expr] | None = None,
        draw: Draw | None = None,
        convention: str = "",
        reading: Reading | None = None,
    ):
        self.problem, self.segment, self.position = problem, segment, position
        self.loss = problem.loss if problem is not None else loss
        self.structure = problem.scheme if problem is not None and structure is None else structure
        self.draw, self.convention, self.reading = draw, convention, reading

    @property
    def meanings(self) -> dict[Symbol, str]:
        """What the parameters of the structure and of the loss are."""
        found: dict[Symbol, str] = {}
        drawn = self.structure if self.draw is None else self.draw.drawn
        for about in (drawn, self.loss):
            found |= about.meanings if about is not None else {}
        return found


#: What has no structure writes itself.
Alone = Setting
Subject = Problem | Symmetric | Alone
