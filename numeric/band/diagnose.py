"""Embeddings at hand: which rows are positives, whether they collapse, their band in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..metrics import Collapse, CollapseMonitor, alignment
from ..metrics.spectrum import spectrum
from ..running.progress import Progress, unheard
from . import BandMonitor, Report, neighbours, same_class, views
from .bounds import With, closest
from .inputs import unit, vectors
from .measured import printed
from .readings import BatchReadings

Array = npt.NDArray[Any]

#: Most embeddings that are one batch unless it is said how many are, and most there may be.
WHOLE, MOST = 2048, 8192
#: Rows that are looked at together, and most numbers that collapse is measured on.
CHUNK, NUMBERS = 2**16, 2**26
#: The constant of the printed upper band.
CONSTANT = 0.5
#: Two rows this alike are the same.
SAME = 1 - 1e-12
#: Rounding of squared gradients, of themselves and of the trivial bound.
RELATIVE, CANCELLED = 1e-9, 1e-13
#: Parts of the anchors of which a number is told.
PARTS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True, eq=False)
class Taken:
    """Embeddings, and which is the positive of which.

    Attributes
    ----------
    z
        ``(n, d)``, as they were given.
    positive
        The index of the positive of each; -1 for one that is alone in its class.
    how
        What was taken for what, in words.
    labels
        Classes by number, where there are any; of each sample.
    towers
        2 if the second half of the rows are second views, or another tower, of the first.
    names
        Of the classes.
    """

    z: Array
    positive: npt.NDArray[np.int64]
    how: str
    labels: npt.NDArray[np.int64] | None = None
    towers: int = 1
    names: Sequence[str] = ()

    @property
    def samples(self) -> int:
        """How many there are, with all their views."""
        return len(self.z) // self.towers

    @property
    def paired(self) -> npt.NDArray[np.int64]:
        """The samples that have a positive."""
        return np.flatnonzero(self.positive[: self.samples] >= 0)


def two_views(
    first: Array,
    second: Array,
    how: str,
    labels: npt.NDArray[np.int64] | None = None,
    names: Sequence[str] = (),
) -> Taken:
    """Embeddings of which ``second`` are the second views of ``first``.

    Raises
    ------
    ValueError
        If they do not match.
    """
    if first.shape != second.shape:
        raise ValueError(f"two views have the shapes {first.shape} and {second.shape}")
    _one_each(labels, first)
    both = np.concatenate([first, second])
    return Taken(both, views(len(both)).numpy(), how, labels, 2, names)


def pairs_in_a_row(z: Array, how: str) -> Taken:
    """Rows 0 and 1 are a pair, 2 and 3, and so on.

    Raises
    ------
    ValueError
        If there is an odd number of them.
    """
    _even(z, "pairs in a row")
    return Taken(z, neighbours(len(z)).numpy(), how)


def halves(z: Array, how: str) -> Taken:
    """The second half are the second views of the first.

    Raises
    ------
    ValueError
        If there is an odd number of them.
    """
    _even(z, "two halves")
    return Taken(z, views(len(z)).numpy(), how, None, 2)


def _even(z: Array, what: str) -> None:
    if len(z) % 2:
        raise ValueError(f"{len(z)} embeddings are an odd number and cannot be {what}")


def of_classes(
    z: Array, labels: npt.NDArray[np.int64], how: str, names: Sequence[str] = ()
) -> Taken:
    """The positive of each is the next one of its class.

    Raises
    ------
    ValueError
        If fewer than two classes have two samples or more.
    """
    _one_each(labels, z)
    counts = np.bincount(labels)
    if (counts > 1).sum() < 2:
        raise ValueError(
            "fewer than two classes have two samples or more: no positives or no negatives are left"
        )
    paired = np.flatnonzero(counts[labels] > 1)
    positive = np.full(len(z), -1)
    positive[paired] = paired[same_class(labels[paired]).numpy()]
    return Taken(z, positive, how, labels, 1, names)


def _one_each(labels: npt.NDArray[np.int64] | None, z: Array) -> None:
    if labels is not None and len(labels) != len(z):
        raise ValueError(f"there are {len(labels)} labels of {len(z)} embeddings")


@dataclass(frozen=True)
class Settings:
    """How embeddings are looked at.

    Attributes
    ----------
    tau
        Temperature.
    normalise
        Whether rows are scaled to unit length. Else they must have it up to rounding.
    batch
        Embeddings in a batch; by default all, or `WHOLE` if there are more.
    batches
        Most batches, which have no embedding in common.
    seed
        Of which embeddings are in a batch.
    classifier
        Weights of the last layer, ``(C, d)``, for NC3.
    """

    tau: float = 0.1
    normalise: bool = False
    batch: int | None = None
    batches: int = 8
    seed: int = 0
    classifier: Array | None = None


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found.

    Attributes
    ----------
    taken
        Of what.
    collapse
        Of all embeddings, or of as many at random as memory holds.
    reports
        Of each batch.
    anchors
        Numbers of every anchor of all batches, by name.
    spectrum
        Eigenvalues of the second moment of the first batch, falling.
    negatives
        Mean similarity of each anchor to its negatives.
    notes
        What else is to be said, in words.
    """

    taken: Taken
    collapse: Collapse
    reports: Sequence[Report]
    anchors: Mapping[str, npt.NDArray[np.float64]]
    spectrum: npt.NDArray[np.float64]
    notes: Sequence[str] = field(default=())

    def number(self, name: str) -> tuple[float, float, float]:
        """Mean, least and largest of a number of reports over the batches."""
        values = [float(getattr(report, name)) for report in self.reports]
        return float(np.mean(values)), min(values), max(values)

    def outside(self, upper: str) -> float:
        """Part of the anchors that exceed an upper bound by more than rounding."""
        room = CANCELLED * 4 * (self.anchors["epsilon"] / self.reports[0].tau) ** 2
        bound = self.anchors[upper] * (1 + RELATIVE) + room
        return float((self.anchors["squared_gradient"] > bound).mean())

    def quantiles(self, name: str) -> dict[str, float]:
        """A number of anchors, by parts of them."""
        found = np.quantile(self.anchors[name], PARTS)
        return {f"{100 * part:g}%": float(x) for part, x in zip(PARTS, found, strict=True)}


def diagnose(
    taken: Taken,
    settings: Settings,
    progress: Progress = unheard,
) -> Diagnosis:
    """Look at all rows, then at batches of them; ``progress`` is told how many of all parts.

    Raises
    ------
    ValueError
        If a row is none, or there are too few; one line.
    """
    z, n = taken.z, len(taken.z)
    if z.ndim != 2 or not z.size:
        raise ValueError(f"embeddings must be (n, d), not {z.shape}")
    if n < 3:
        raise ValueError(f"there are {n} embeddings, and the band needs n > 2")
    if settings.batch is not None and not 3 <= settings.batch <= MOST:
        raise ValueError(f"a batch has 3 to {MOST} embeddings, not {settings.batch}")
    notes: list[str] = []
    chosen = list(_batches(taken, settings, notes))
    starts = range(0, n, CHUNK)
    parts = len(starts) + len(chosen)
    found: list[tuple[Report, dict[str, Tensor]]] = []
    for done, k in enumerate(starts, 1):
        _unit(z[k : k + CHUNK], settings.normalise, k)
        progress(done, parts)
    for done, (rows, positive) in enumerate(chosen, len(starts) + 1):
        some = _unit(np.asarray(z[rows]), settings.normalise, 0)
        found.append(_measured(some, positive, settings))
        if len(found) == 1:
            eigenvalues = (spectrum(some) / len(some)).numpy()
        progress(done, parts)
    collapse = _collapse(taken, settings, notes)
    anchors = {name: torch.cat([of[name] for _, of in found]).numpy() for name in found[0][1]}
    diagnosis = Diagnosis(
        taken, collapse, [report for report, _ in found], anchors, eigenvalues, notes
    )
    notes += _notes(diagnosis)
    return diagnosis


def _unit(rows: Array, normalise: bool, start: int) -> Tensor:
    """Rows of unit length, in float64; refusals have the number of the row in the file."""
    if rows.dtype.kind not in "fiub":
        raise ValueError(f"embeddings must be numbers, not {rows.dtype}")
    plain = np.array(rows, dtype=rows.dtype if rows.dtype.kind == "f" else np.float64)
    if plain.dtype == np.longdouble and plain.dtype.itemsize > 8:
        plain = plain.astype(np.float64)
    try:
        return unit("embeddings", vectors("embeddings", plain), normalise)
    except ValueError as refusal:
        said = re.sub(r"row (\d+)", lambda at: f"row {int(at[1]) + start}", str(refusal))
        raise ValueError(said) from None


def _batches(
    taken: Taken, settings: Settings, notes: list[str]
) -> Iterator[tuple[npt.NDArray[np.int64], Tensor]]:
    """Rows of each batch, and their positives within it."""
    paired = np.flatnonzero(taken.positive >= 0)
    n = len(paired)
    if n < len(taken.z):
        notes.append(f"alone in their class, and so not in the band: {len(taken.z) - n} rows")
    if n <= (settings.batch or WHOLE):
        if settings.batch is not None and n < settings.batch:
            notes.append(f"there are {n} embeddings, fewer than a batch of {settings.batch}")
        yield paired, torch.from_numpy(np.searchsorted(paired, taken.positive[paired]))
        return
    size = (settings.batch or WHOLE) // 2 * 2
    firsts = _apart(taken.positive, np.random.default_rng(settings.seed))
    count = min(settings.batches if settings.batch else 1, 2 * len(firsts) // size)
    if size < 4 or count < 1:
        raise ValueError(f"{len(firsts)} disjoint pairs are too few for a batch of {size}")
    notes.append(
        f"{count * size} of {n} embeddings are looked at, {size // 2} random pairs in a batch "
        f"(seed {settings.seed})"
        + ("" if settings.batch else "; a size of batches (batch) makes more of them")
    )
    for k in range(count):
        some = firsts[k * size // 2 : (k + 1) * size // 2]
        yield np.concatenate([some, taken.positive[some]]), views(size)


def _apart(positive: npt.NDArray[np.int64], random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Anchors, in random order, such that these and their positives are all different."""
    free = positive >= 0
    found = []
    for i in random.permutation(len(positive)).tolist():
        j = positive[i]
        if free[i] and free[j]:
            free[i] = free[j] = False
            found.append(i)
    return np.array(found, dtype=np.int64)


@torch.no_grad()
def _measured(z: Tensor, positive: Tensor, settings: Settings) -> tuple[Report, dict[str, Tensor]]:
    """The report of a batch, and numbers of its anchors."""
    monitor = BandMonitor(settings.tau, per_anchor=True, closest=True, c=CONSTANT)
    report = monitor(z, positive=positive)
    read = BatchReadings(z, positive, settings.tau)
    assert report.sigma is not None
    at = With(read.each, sigma=report.sigma)
    others = read.similarities.sum(1) - 1 - read.alignment
    alike = read.similarities.clone().fill_diagonal_(0) > SAME
    alike[torch.arange(len(z)), positive] = False
    found = {
        "squared_gradient": read.squared_gradient,
        "squared_tangential": read.squared_tangential,
        "lower": closest("lower", at),
        "upper": closest("upper", at),
        "upper_printed": printed(at, CONSTANT),
        "epsilon": read.epsilon,
        "rho": read.rho,
        "mu": read.mu,
        "sigma": report.sigma,
        "alignment": read.alignment,
        "similarity_of_negatives": others / read.count,
        "has_a_copy": alike.any(1),
    }
    return report, {name: values.double() for name, values in found.items()}


def towers_of(taken: Taken, settings: Settings, samples: Array) -> Tensor:
    """Some samples as ``(towers, n, d)``, of unit length."""
    rows = [samples + k * taken.samples for k in range(taken.towers)]
    return torch.stack([_unit(np.asarray(taken.z[of]), settings.normalise, 0) for of in rows])


def _collapse(taken: Taken, settings: Settings, notes: list[str]) -> Collapse:
    """Of all samples, or of some at random."""
    n, most = taken.samples, max(2, NUMBERS // (taken.towers * taken.z.shape[1]))
    some = np.arange(n)
    if n > most:
        some = np.sort(np.random.default_rng(settings.seed).permutation(n)[:most])
        notes.append(f"collapse is measured on {most} of {n} samples (seed {settings.seed})")
    towers = towers_of(taken, settings, some)
    labels = None if taken.labels is None else torch.from_numpy(taken.labels[some])
    # Neighbours may be views: then there are half as many samples.
    count = len(some) if taken.towers == 2 or labels is not None else len(some) // 2
    found = CollapseMonitor(normalise=False)(
        *towers, labels=labels, classifier=settings.classifier, samples=count
    )
    if taken.towers == 2:
        return found
    has = taken.positive[some] >= 0
    positives = _unit(np.asarray(taken.z[taken.positive[some[has]]]), settings.normalise, 0)
    found.numbers["alignment"] = float(alignment(towers[0][has], positives))
    return found


def _notes(found: Diagnosis) -> Iterator[str]:
    """What a reader of the numbers should know."""
    first, anchors = found.reports[0], found.anchors
    if found.taken.labels is not None:
        counts = np.bincount(found.taken.labels)
        sizes = " to ".join(map(str, sorted({counts.min(), counts.max()})))
        yield (
            f"{len(counts)} classes of {sizes}: in the gradient band all "
            "of a class but the positive are negatives"
        )
    apart = anchors["alignment"] - anchors["similarity_of_negatives"]
    if found.collapse.collapse != "total" and apart.mean() <= 3 * apart.std() / len(apart) ** 0.5:
        yield "positives are no more alike than negatives: are these the pairs?"
    if copies := int(anchors["has_a_copy"].sum()):
        yield f"{copies} anchors have a copy of themselves among their negatives"
    if first.d == 1:
        yield "in one dimension every embedding is 1 or -1"
    elif first.n <= first.d:
        yield (
            f"{first.n} embeddings in {first.d} dimensions: the effective rank is {first.n} at most"
        )
