"""A declared two-tower loss over a grid of temperatures, numbers of items and seeds.

Every cell starts from its seed, since a search from random towers takes milliseconds. It is
certified on its own; where the gap is not zero to rounding, seeded noise is added and the
search goes on, so that a saddle is left along its negative curvature. (Where d is too small
for the structure, the gap stays, and says what the missing dimensions cost at most.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from zlib import crc32

import torch

from .device import resolve_device, threads_for
from .embeddings import perturb
from .optimise import Optimum, StopCode, default_chunk
from .progress import Report, reporting
from .sweep import PERTURBATION, merge
from .tower_embeddings import alignment, random_towers
from .tower_optimise import minimise_towers
from .towers import TowerLoss, tower_parameter_names

#: What tells one cell from another: (N, d, t, b, seed).
TowerKey = tuple[int, int, float, float, int]


@dataclass(frozen=True)
class TowerRow:
    """One cell, in plain numbers, fit for a line of a table.

    ``similarity`` is the paper's s; it, ``positive``, ``negative`` and the spreads are those of
    :class:`~cltheory.numeric.tower_embeddings.Alignment`, the others as in
    :class:`~cltheory.numeric.sweep.Row`.
    """

    N: int
    d: int
    t: float
    b: float
    seed: int
    similarity: float
    positive: float
    negative: float
    positive_spread: float
    negative_spread: float
    loss: float
    gap: float
    lambda_min: float
    gradient_norm: float
    iterations: int
    evaluations: int
    hessian_products: int
    stop: str
    start: str
    dtype: str
    device: str

    @property
    def key(self) -> TowerKey:
        """What :func:`sweep_towers` takes to skip this cell."""
        return tower_key(self.N, self.d, self.t, self.b, self.seed)

    def as_dict(self) -> dict[str, float | int | str]:
        """Columns by name."""
        return asdict(self)


def tower_key(N: int, d: int, t: float, b: float, seed: int) -> TowerKey:
    """Key of a cell, proof against numbers that lost a digit in a table."""
    return int(N), int(d), float(f"{t:.12g}"), float(f"{b:.12g}"), int(seed)


def sweep_towers(
    loss: TowerLoss,
    *,
    shapes: Sequence[tuple[int, int]],
    points: Sequence[tuple[float, float]],
    seeds: Sequence[int] = (0,),
    done: Iterable[TowerKey] = (),
    perturbation: float = PERTURBATION,
    tolerance: float | None = None,
    max_iterations: int = 1000,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    chunk: int | None = None,
    progress: bool | Report = False,
) -> Iterator[TowerRow]:
    """Minimise a loss for every shape, point and seed; rows come as they are finished.

    Parameters
    ----------
    loss
        A declaration whose parameters are ``t`` and ``b``, or one of them.
    shapes
        Pairs (N, d).
    points
        Pairs (t, b).
    seeds
        Seeds of the random starts.
    done
        Keys of cells to skip: those of rows that an earlier run has left.
    perturbation
        Size of the noise added to what is not certified; 0 to leave it as it is.
    tolerance, max_iterations, dtype, device, progress
        As in :func:`~cltheory.numeric.tower_optimise.minimise_towers`.
    chunk
        Cells worked on at a time.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after the finished rows of the cells being worked on were yielded.
    """
    where = resolve_device(device)
    names = tower_parameter_names(loss)
    if not set(names) <= {"t", "b"}:
        raise ValueError(f"a sweep is over t and b; loss {loss.name!r} takes {names}")
    for name, given in (("shapes", shapes), ("points", points), ("seeds", seeds)):
        if len(given) == 0 or len(set(given)) != len(given):
            raise ValueError(f"{name} must be given, and without repetitions")
    skip = {tower_key(*k) for k in done}
    todo = [
        [
            (N, d, t, b, seed)
            for seed in seeds
            for t, b in points
            if tower_key(N, d, t, b, seed) not in skip
        ]
        for N, d in shapes
    ]
    options = {
        "tolerance": tolerance,
        "max_iterations": max_iterations,
        "dtype": dtype,
        "device": where,
    }
    with reporting(progress, sum(map(len, todo)), "cell") as advance:
        for cells in todo:
            size = chunk or (default_chunk(2 * cells[0][0], where) if cells else 1)
            for first in range(0, len(cells), size):
                some = cells[first : first + size]
                with threads_for(2 * some[0][0], some[0][1]):
                    found, starts = _solve(loss, names, some, perturbation, options)
                rows = _rows(some, found, starts)
                for row in rows:
                    advance(1)
                    yield row
                if len(rows) < len(some):
                    raise KeyboardInterrupt


def _solve(
    loss: TowerLoss,
    names: Sequence[str],
    cells: Sequence[TowerKey],
    perturbation: float,
    options: dict[str, Any],
) -> tuple[Optimum, list[str]]:
    N, d = cells[0][:2]

    def parameters(some: Sequence[TowerKey]) -> dict[str, torch.Tensor]:
        values = {"t": [cell[2] for cell in some], "b": [cell[3] for cell in some]}
        return {name: torch.tensor(values[name], dtype=torch.float64) for name in names}

    found = minimise_towers(
        loss,
        parameters(cells),
        N=N,
        d=d,
        start=random_towers([cell[4] for cell in cells], N=N, d=d),
        **options,
    )
    starts = ["seed"] * len(cells)
    again = found.uncertified() if perturbation > 0 else []
    if again:
        noise = [crc32(repr(tower_key(*cells[i])).encode()) for i in again]
        start = perturb(found.embeddings[again], noise, perturbation)
        some = parameters([cells[i] for i in again])
        merge(found, again, minimise_towers(loss, some, N=N, d=d, start=start, **options))
        for i in again:
            starts[i] = "perturbed"
    return found, starts


def _rows(cells: Sequence[TowerKey], found: Optimum, starts: Sequence[str]) -> list[TowerRow]:
    """Rows of the cells that were finished."""
    seen = alignment(found.embeddings)
    measured = {
        "similarity": seen.positive_similarity,
        "positive": seen.positive,
        "negative": seen.negative,
        "positive_spread": seen.positive_spread,
        "negative_spread": seen.negative_spread,
    }
    return [
        TowerRow(*cell, start=starts[i], **columns)
        for i, (cell, columns) in enumerate(zip(cells, found.rows(measured), strict=True))
        if found.stop[i] is not StopCode.INTERRUPTED
    ]
