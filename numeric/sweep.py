"""A declared loss over a grid of alpha, tau and seeds, each cell started from a neighbour.

A certificate does not ask where a search started, so neighbouring cells may share their
work. The order matters. At alpha = 1 the optimum is the same for every tau, and as alpha
falls the spread within classes shrinks continuously, at last into collapse. Collapse is
a saddle where it is not the optimum, and a symmetric search does not leave it: so
every chain of cells runs from the largest alpha down at one tau and one seed, and begins
at an anchor: the optimum for alpha = 1 at a temperature that makes it easy to find, from
a random start. (From random starts, temperatures of 0.05 and less are hard for every
method: classes barely feel each other, and the loss becomes a narrow bent valley.)

What a chain inherits besides is harmless, since every cell is certified on its own: where
the certified gap is not zero to rounding, seeded noise is added and the search goes on,
so that a saddle is left along its negative curvature. (Where d is too small for the gap
to close, this costs a second search and changes nothing.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from zlib import crc32

import torch
from torch import Tensor

from ..derive.losses.softmax import SoftmaxLoss
from .device import resolve_device, threads_for
from .embeddings import perturb, random_embeddings
from .losses import parameter_names
from .optimise import Optimum, StopCode, default_chunk, minimise
from .progress import Report, reporting
from .variance import variances

#: What tells one cell of a grid from another: (alpha, tau, seed).
Key = tuple[float, float, int]

# Noise added where a cell is not certified, in radians per vector: large enough to leave a
# saddle within a few steps, small enough to stay near an optimum that is only uncertified.
PERTURBATION = 1e-3


# Where chains begin: alpha and tau.
ANCHOR = (1.0, 0.5)


@dataclass(frozen=True)
class Row:
    """One cell of a grid, in plain numbers, fit for a line of a table.

    ``within``, ``between`` and ``centroid_norm`` are those of
    :class:`~cltheory.numeric.variance.Variances`; ``loss``, ``gap`` and ``lambda_min``
    those of :class:`~cltheory.numeric.certificate.Certificate`; ``start`` is ``"seed"``
    ``"neighbour"`` or, where noise was needed, ``"perturbed"``; the cost is of this cell alone.
    """

    alpha: float
    tau: float
    seed: int
    within: float
    between: float
    centroid_norm: float
    loss: float
    gap: float
    lambda_min: float
    gradient_norm: float
    iterations: int
    evaluations: int
    hessian_products: int
    stop: str
    start: str
    m: int
    n: int
    p: int
    d: int
    dtype: str
    device: str

    @property
    def key(self) -> Key:
        """What :func:`sweep` takes to skip this cell."""
        return key(self.alpha, self.tau, self.seed)

    def as_dict(self) -> dict[str, float | int | str]:
        """Columns by name."""
        return asdict(self)


def key(alpha: float, tau: float, seed: int) -> Key:
    """Key of a cell, proof against numbers that lost a digit in a table."""
    return float(f"{alpha:.12g}"), float(f"{tau:.12g}"), int(seed)


def sweep(
    loss: SoftmaxLoss,
    *,
    alphas: Sequence[float],
    taus: Sequence[float],
    seeds: Sequence[int] = (0,),
    m: int,
    n: int,
    p: int,
    d: int,
    cold: bool = False,
    done: Iterable[Key] = (),
    perturbation: float = PERTURBATION,
    tolerance: float | None = None,
    max_iterations: int = 1000,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    chunk: int | None = None,
    progress: bool | Report = False,
) -> Iterator[Row]:
    """Minimise a loss in every cell of a grid; rows come as they are finished.

    Parameters
    ----------
    loss
        A declaration whose parameters are ``alpha``, in [0, 1], and ``tau``, or one of them.
    alphas, taus, seeds
        The grid, in any order and without repetitions.
    m, n, p, d
        Classes, instances, views, dimension.
    cold
        Start every cell from its seed alone.
    done
        Keys of cells to skip: those of rows that an earlier run has left.
    perturbation
        Size of the noise added to what is not certified; 0 to leave it as it is.
    tolerance, max_iterations, dtype, device, progress
        As in :func:`~cltheory.numeric.optimise.minimise`.
    chunk
        Chains (or, with ``cold``, cells) worked on at a time.

    Yields
    ------
    Row
        Not in the order of the grid. Rows whose ``stop`` is not ``"converged"`` are
        yielded as well.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after the finished rows of the cells being worked on were yielded.
    """
    where = resolve_device(device)
    names = parameter_names(loss)
    if not set(names) <= {"alpha", "tau"}:
        raise ValueError(f"a sweep is over alpha and tau; loss {loss.name!r} takes {names}")
    for name, values in (("alphas", alphas), ("taus", taus), ("seeds", seeds)):
        if len(values) == 0 or len(set(values)) != len(values):
            raise ValueError(f"{name} must be given, and without repetitions")
    if "alpha" in names and not all(0 <= alpha <= 1 for alpha in alphas):
        raise ValueError("alphas must lie in [0, 1]")
    skip = {key(*k) for k in done}
    size = chunk or default_chunk(m * n * p, where)
    job = _Job(loss, names, (m, n, p, d), tolerance, max_iterations, dtype, where)
    todo = [
        (alpha, tau, seed)
        for tau in sorted(taus, reverse=True)
        for seed in seeds
        for alpha in sorted(alphas, reverse=True)
        if key(alpha, tau, seed) not in skip
    ]
    with reporting(progress, len(todo), "cell") as advance:
        batches = _cold(job, todo, size) if cold else _chains(job, todo, size, perturbation)
        for rows, interrupted in batches:
            for row in rows:
                advance(1)
                yield row
            if interrupted:
                raise KeyboardInterrupt


@dataclass(frozen=True)
class _Job:
    """What all cells of a sweep have in common."""

    loss: SoftmaxLoss
    names: tuple[str, ...]
    shape: tuple[int, int, int, int]
    tolerance: float | None
    max_iterations: int
    dtype: torch.dtype
    device: torch.device

    def solve(self, cells: Sequence[Key], start: Tensor, certificate: bool = True) -> Optimum:
        alpha, tau, _ = zip(*cells, strict=True)
        values = {"alpha": alpha, "tau": tau}
        m, n, p, d = self.shape
        with threads_for(m * n * p, d):
            return minimise(
                self.loss,
                {name: torch.tensor(values[name], dtype=torch.float64) for name in self.names},
                m=m,
                n=n,
                p=p,
                d=d,
                start=start,
                tolerance=self.tolerance,
                max_iterations=self.max_iterations,
                certificate=certificate,
                dtype=self.dtype,
                device=self.device,
            )

    def random(self, seeds: Sequence[int]) -> Tensor:
        m, n, p, d = self.shape
        return random_embeddings(seeds, m=m, n=n, p=p, d=d, dtype=self.dtype, device=self.device)

    def rows(
        self, cells: Sequence[Key], found: Optimum, starts: Sequence[str]
    ) -> tuple[list[Row], bool]:
        """Rows of the cells that were finished, and whether some were not."""
        spread = variances(found.embeddings)
        measured = {
            "within": spread.within,
            "between": spread.between,
            "centroid_norm": spread.centroid_norm,
        }
        shape: dict[str, Any] = dict(zip("mnpd", self.shape, strict=True))
        rows = [
            Row(alpha=alpha, tau=tau, seed=seed, start=starts[i], **shape, **columns)
            for i, ((alpha, tau, seed), columns) in enumerate(
                zip(cells, found.rows(measured), strict=True)
            )
            if found.stop[i] is not StopCode.INTERRUPTED
        ]
        return rows, len(rows) < len(cells)


def _cold(job: _Job, todo: Sequence[Key], size: int) -> Iterator[tuple[list[Row], bool]]:
    for first in range(0, len(todo), size):
        cells = todo[first : first + size]
        found = job.solve(cells, job.random([seed for *_, seed in cells]))
        yield job.rows(cells, found, ["seed"] * len(cells))


def _chains(
    job: _Job, todo: Sequence[Key], size: int, perturbation: float
) -> Iterator[tuple[list[Row], bool]]:
    chains: dict[tuple[float, int], list[Key]] = {}
    for cell in todo:
        chains.setdefault(cell[1:], []).append(cell)
    anchors: dict[int, Tensor] = {}
    pending = list(chains)
    for first in range(0, len(pending), size):
        group = pending[first : first + size]
        for seed in sorted({seed for _, seed in group} - set(anchors)):
            anchor = job.solve([(*ANCHOR, seed)], job.random([seed]), certificate=False)
            if anchor.stop[0] is StopCode.INTERRUPTED:
                yield [], True
            anchors[seed] = anchor.embeddings[0]
        latest = {chain: anchors[chain[1]] for chain in group}
        for step in range(max(len(chains[chain]) for chain in group)):
            live = [chain for chain in group if step < len(chains[chain])]
            cells = [chains[chain][step] for chain in live]
            start = torch.stack([latest[chain] for chain in live])
            found = job.solve(cells, start)
            starts = ["neighbour"] * len(cells)
            again = found.uncertified() if perturbation > 0 else []
            if again:
                some = [cells[i] for i in again]
                noise = [_noise_seed(cell) for cell in some]
                retried = job.solve(some, perturb(found.embeddings[again], noise, perturbation))
                merge(found, again, retried)
                for i in again:
                    starts[i] = "perturbed"
            latest.update(zip(live, found.embeddings, strict=True))
            yield job.rows(cells, found, starts)


def merge(found: Optimum, index: Sequence[int], later: Optimum) -> None:
    """Put the outcome of a continued search in place of the earlier one; costs add up."""
    assert found.certificate is not None
    assert later.certificate is not None
    where = list(index)
    for old, new in (
        (found.embeddings, later.embeddings),
        (found.loss, later.loss),
        (found.gradient_norm, later.gradient_norm),
        (found.certificate.loss, later.certificate.loss),
        (found.certificate.gap, later.certificate.gap),
        (found.certificate.lambda_min, later.certificate.lambda_min),
    ):
        old[where] = new
    found.iterations[where] += later.iterations
    found.evaluations[where] += later.evaluations
    found.hessian_products[where] += later.hessian_products
    for i, stop in zip(where, later.stop, strict=True):
        found.stop[i] = stop


def _noise_seed(cell: Key) -> int:
    """A seed of its own for every cell, the same in every run."""
    return crc32(repr(key(*cell)).encode())
