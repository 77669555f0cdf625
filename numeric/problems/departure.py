"""How far embeddings are from the optimum of a declared loss, and what the distance is made of.

The optimum is that of :mod:`.reduced`: the least loss over unit vectors in any dimension. Averaging
the Gram matrix of embeddings over the symmetry of the structure replaces every inner product by
the mean of its relation. A convex loss does not rise then, so that

    loss - least = (loss - loss of the means) + (loss of the means - least)

has two parts that are not negative: what pairs cost that the optimum treats alike and the
embeddings do not, and what it costs that the means are not those of the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sympy import Expr, Integer, Symbol
from torch import Tensor

from ...derive.problems.problem import Problem
from ...derive.structures.configuration import Configuration
from .binding import bind
from .measure import inner_products, shares
from .reduced import InvariantLoss

Array = npt.NDArray[np.int64]

#: Most vectors of one evaluation unless a batch is asked for: n x n matrices are held.
WHOLE = 2048
#: What the optimality conditions may be off by, in units of the pulls.
PUT_BACK = 1e-8
#: Structures that rows can be arranged in, by their eigenspaces but the last.
CLASSES, INSTANCES = ("views", "instances", "classes"), ("views", "instances")


class Part(NamedTuple):
    """A bound on one part of the gap: ``side`` is "at least" or "at most"; and why, in words."""

    name: str
    side: str
    value: float
    why: str


@dataclass(frozen=True)
class Departure:
    """The loss of embeddings beside the least one; means over batches.

    Attributes
    ----------
    name, parameters, sizes
        Of the loss, and those of the structure that was evaluated, by name.
    batches
        How many.
    loss, of_means, fits, least
        At the embeddings; with each inner product the mean of its relation; the least that is
        known to fit into the dimension that there is, of a structure or of the embeddings; over
        all unit vectors.
    inner, optimal
        Mean inner product of each relation that has pairs, here and at the optimum.
    within, between
        Variances at the optimum; None for structures without classes.
    needs, dim
        Dimension of the span of the optimum, and the dimension that there is.
    notes
        What of the setting is not that of the optimum.
    """

    name: str
    parameters: dict[str, str]
    sizes: dict[str, int]
    batches: int
    loss: float
    of_means: float
    fits: float
    least: float
    inner: dict[str, float]
    optimal: dict[str, float]
    within: float | None
    between: float | None
    needs: int
    dim: int
    notes: list[str]

    @property
    def gap(self) -> float:
        """How far the loss is above the least."""
        return self.loss - self.least

    @property
    def parts(self) -> tuple[Part, Part, Part]:
        """What can be told of the gap: training, dimension, theory."""
        spans = f"the optimum spans {self.needs} dimensions, and there are {self.dim}"
        means = "mean cosines are not those of the best structure that fits"
        pairs = "pairs differ that the optimum treats alike, unless training evens them out"
        return (
            Part("not converged", "at least", max(self.of_means - self.fits, 0.0), means),
            Part("dimension", "at most", self.fits - self.least, spans),
            Part("not this theory", "at most", max(self.loss - self.of_means, 0.0), pairs),
        )


def departure(
    problem: Problem,
    values: Mapping[Symbol, Expr],
    towers: Tensor,
    labels: Array | None = None,
    *,
    dim: int | None = None,
    batch: int | None = None,
    batches: int = 8,
    seed: int = 0,
) -> Departure:
    """The loss of embeddings, arranged as the structure of a loss wants them, and its optimum.

    Parameters
    ----------
    problem
        On classes of instances with views, on instances with views, or on two towers.
    values
        Exact numbers for the parameters of the loss.
    towers
        ``(v, n, d)``, rows of unit length: v views of each of n samples, or two towers.
    labels
        ``(n,)``, numbers from 0. From each class as many samples are drawn as the smallest has.
    dim
        Dimension that there is; by default that of the rows.
    batch, batches, seed
        Vectors in a batch, most of them, and the seed of what is in them; by default one batch of
        all samples, or `WHOLE` vectors.

    Raises
    ------
    ValueError
        If the rows cannot be arranged so, the loss is not smooth and convex in inner products, or
        its optimum not found to eight digits; one line.
    DomainError
        If the loss is not defined at the values.
    """
    levels = _levels(problem)
    chosen = _draw(levels, problem, towers.shape[:2], labels, batch, np.random.default_rng(seed))
    # Views stand last in nested classes, and towers first.
    drawn = torch.stack([towers[:, rows] for rows in chosen[: batches if batch else 1]])
    drawn = drawn if not levels else drawn.movedim(1, -2)
    axes = zip(problem.structure.axes, drawn.shape[1:-1], strict=True)
    sizes = {axis.name: k for axis, k in axes if axis.is_Symbol}
    at = {s: Integer(sizes[s.name]) for s in problem.domain.ranges if s.name in sizes}
    problem.domain.check({**values, **at})
    numbers = {s.name: float(v) for s, v in values.items()}
    bound = bind(problem, {**sizes, **numbers}, batch=len(drawn))
    arrangement, reduced = bound.arrangement, InvariantLoss(problem, bound.arrangement)
    if not (reduced.smooth and bool(bound.convex.all())):
        raise ValueError(
            "the optimum is known only for smooth losses that are convex in cosines; "
            f"{problem.loss.name} is not"
        )
    has, inner = shares(arrangement, drawn), inner_products(arrangement, drawn)
    own = np.array([has[name].numpy() for name in reduced.names]).T
    with np.errstate(all="ignore"):
        means = reduced.expand(own, {k: np.full(len(own), v) for k, v in numbers.items()})[0]
        optimum = reduced.least(**numbers)
    if not (optimum.error[0] <= PUT_BACK and np.isfinite([*means, optimum.loss[0]]).all()):
        where = ", ".join(f"{k} = {v:g}" for k, v in numbers.items())
        raise ValueError(f"the optimum of {problem.loss.name} is not found in float64 at {where}")
    optimal = {k: float(v[0]) for k, v in optimum.inner.items()}
    pairs = [k for k, count in arrangement.counts.items() if count and k != "self"]
    notes = []
    if levels == CLASSES and labels is not None and len(set(np.bincount(labels).tolist())) > 1:
        notes.append(
            "classes have different sizes, which this theory does not cover: the loss is that of "
            "equally many samples of each, as many as the smallest has"
        )
    if len(drawn) > 1:
        notes.append(
            f"the loss is the mean over {len(drawn)} batches, and the optimum that of one batch by "
            "itself, a lower bound where batches share no optimum"
        )
    needs, dim = _span(reduced, optimum.faces()[0]), dim or towers.shape[-1]
    fits, loss = float(optimum.loss[0]), float(bound.value(drawn).mean())
    if needs > dim:
        names = (some for k in range(len(reduced.names)) for some in combinations(reduced.names, k))
        faces = [reduced.within(some) for some in names if 0 < _span(reduced, some) <= dim]
        fits = min(float(face.least(**numbers).loss[0]) for face in faces)
        fits = min(fits, loss) if dim >= towers.shape[-1] else fits
    # The shares of the trace in the eigenspaces below the class means are the variance within.
    best = {"views": 0.0} | dict(zip(reduced.names, optimum.kept[0].tolist(), strict=True))
    return Departure(
        name=problem.loss.name,
        parameters={s.name: str(v) for s, v in values.items()},
        sizes=sizes,
        batches=len(drawn),
        loss=loss,
        of_means=float(means.mean()),
        fits=fits,
        least=float(optimum.loss[0]),
        inner={k: float(inner[k].mean()) for k in pairs},
        optimal={k: optimal[k] for k in pairs},
        within=best["views"] + best["instances"] if levels == CLASSES else None,
        between=best["classes"] if levels == CLASSES else None,
        needs=needs,
        dim=dim,
        notes=notes,
    )


def _span(reduced: InvariantLoss, names: Sequence[str]) -> int:
    """Dimension of the span of vectors with shares in some eigenspaces."""
    return sum(reduced.arrangement.dimensions[name] for name in names)


def _levels(problem: Problem) -> tuple[str, ...]:
    """The levels of nested classes or instances, and none of two towers."""
    structure = problem.structure
    if not isinstance(structure, Configuration):
        levels = tuple(e.name for e in structure.eigenspaces[:-1])
        if levels in (CLASSES, INSTANCES):
            return levels
        if len(structure.axes) == 2 and structure.axes[0] == 2:
            return ()
    raise ValueError(
        f"the structure of {problem.loss.name} is neither classes of instances with views, nor "
        "instances with views, nor two towers"
    )


def _draw(
    levels: tuple[str, ...],
    problem: Problem,
    shape: tuple[int, ...],
    labels: Array | None,
    batch: int | None,
    random: np.random.Generator,
) -> list[Any]:
    """Rows of each batch, by class if there are classes; no row is in two of them."""
    views, n = shape
    if not levels and views != 2:
        raise ValueError(f"{problem.loss.name} is a loss of two towers: give two arrays, or views")
    if levels == CLASSES and labels is None:
        raise ValueError(f"{problem.loss.name} is a loss of classes: give labels")
    classes = np.zeros(n, dtype=np.int64) if labels is None or levels != CLASSES else labels
    rows = [random.permutation(np.flatnonzero(classes == c)) for c in np.unique(classes)]
    fewest = min(map(len, rows))
    size = min((batch or WHOLE) // (views * len(rows)), fewest)
    if size < 1:
        raise ValueError(
            f"a batch has fewer vectors than there are classes ({len(rows)}) and views"
        )
    starts = range(0, fewest - size + 1, size)
    parts = (np.array([some[k : k + size] for some in rows]) for k in starts)
    return [torch.from_numpy(part if levels == CLASSES else part[0]) for part in parts]
