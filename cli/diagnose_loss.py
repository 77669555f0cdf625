"""The loss at embeddings, its predicted optimum, and what lies between, for `diagnose`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from .parameters import short

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from ..derive.problems.problem import Problem
    from ..numeric.band.diagnose import Settings, Taken
    from ..numeric.problems.departure import Departure


def of_loss(given: SimpleNamespace) -> Asked | None:
    """The loss that was asked for, with its parameters; None where there is none.

    Raises
    ------
    click.UsageError
        If parameters are missing, unknown, or there without a loss.
    """
    values = {k: v for k in ("alpha", "t", "b") if (v := getattr(given, k)) is not None}
    for other in given.others:
        name, equals, value = other.partition("=")
        if not equals or name in values:
            raise click.UsageError(f"--set takes NAME=VALUE, each name once, not {short(other)!r}")
        values[name] = value
    if given.loss is None:
        if values or given.dim is not None:
            raise click.UsageError(f"--{next(iter(values), 'dim')} needs --loss")
        return None
    from ..derive.decide.exact import exact
    from ..derive.problems.catalogue import named

    problem = named(given.loss)
    sizes = set().union(*(axis.free_symbols for axis in problem.structure.axes))
    symbols = {s.name: s for s in problem.domain.ranges if s not in sizes}
    if "tau" in symbols:
        values.setdefault("tau", repr(given.tau))
    for name in values:
        if name not in symbols:
            takes = ", ".join(symbols)
            raise click.UsageError(f"{given.loss} has no parameter {short(name)}; it takes {takes}")
    if missing := [name for name in symbols if name not in values]:
        raise click.UsageError(f"{given.loss} needs a value of {', '.join(missing)}")
    return Asked(given.loss, problem, {symbols[k]: exact(v) for k, v in values.items()})


@dataclass(frozen=True, eq=False)
class Asked:
    """A loss by its name, and exact numbers for its parameters."""

    name: str
    problem: Problem
    values: dict[Symbol, Expr]

    def compare(self, taken: Taken, settings: Settings, dim: int | None) -> Compared:
        """The loss at embeddings beside its optimum."""
        import numpy as np

        from ..numeric.band.diagnose import towers_of
        from ..numeric.problems.departure import departure

        found = departure(
            self.problem,
            self.values,
            towers_of(taken, settings, np.arange(taken.samples)),
            taken.labels,
            batch=settings.batch,
            batches=settings.batches,
            seed=settings.seed,
        )
        unused = taken.labels is not None and len(set(np.bincount(taken.labels).tolist())) > 1
        return Compared(self, found, dim or taken.z.shape[1], unused and "m" in found.sizes)


@dataclass(frozen=True, eq=False)
class Compared:
    """What was found.

    Attributes
    ----------
    asked, found
        The loss, and its value beside the optimum.
    dim
        Dimension that there is.
    unequal
        Whether classes have different sizes, which the theory of this optimum does not allow.
    """

    asked: Asked
    found: Departure
    dim: int
    unequal: bool

    @property
    def called(self) -> str:
        """The loss with its parameters and sizes."""
        numbers = {s.name: v for s, v in self.asked.values.items()} | self.found.sizes
        return f"{self.asked.name}, {', '.join(f'{k} = {v}' for k, v in numbers.items())}"

    @property
    def gap(self) -> float:
        """How far the loss is above the least."""
        return self.found.means_off + self.found.uneven

    @property
    def is_room(self) -> bool:
        """Whether the optimum fits into the dimension that there is."""
        return self.dim >= self.found.needs

    @property
    def rows(self) -> list[tuple[str, str, float, str]]:
        """The parts of the gap: name, "at least" or "at most", number, reason."""
        of, room = self.found, f"the optimum needs {self.found.needs} of {self.dim} dimensions"
        means = "mean inner products are not those of the optimum"
        pairs = "pairs differ that the optimum treats alike; training may still even them out"
        return [
            ("not converged", "at least", of.means_off, means)
            if self.is_room
            else ("not converged", "at least", 0.0, "not told apart from dimension"),
            ("dimension", "at most", 0.0, room)
            if self.is_room
            else ("dimension", "at most", self.gap, room.replace(" of ", ", and there are ")),
            ("not this theory", "at most", of.uneven, pairs),
        ]

    @property
    def notes(self) -> list[str]:
        """What of the setting is not that of the theory."""
        found = []
        if self.unequal:
            found.append(
                "classes have different sizes, which is not this theory: the loss is of as many "
                "samples of each as the smallest has"
            )
        if self.found.batches > 1:
            found.append(
                f"the loss is the mean over {self.found.batches} batches, and the optimum that of "
                "one batch by itself, a lower bound where batches share no optimum"
            )
        return found

    def as_object(self) -> dict[str, Any]:
        """For JSON."""
        parts = {f"{name} {side}".replace(" ", "_"): number for name, side, number, _ in self.rows}
        return {
            "name": self.asked.name,
            "parameters": {s.name: str(v) for s, v in self.asked.values.items()},
            **asdict(self.found),
            "dim": self.dim,
            "gap": self.gap,
            **parts,
            "notes": self.notes,
        }
