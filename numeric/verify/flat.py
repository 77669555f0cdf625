"""What a gradient within the tolerance says nothing about.

At t = b = 40 of the sigmoid loss, for one, the second derivative of l_n at the simplex is
1e-20: where the negatives are can hardly be felt, though the positives are held fast. So for
each reading the optimum is moved, towards each eigenspace in turn, until the reading changes by
a part of what counts as agreement. If the search could have stopped there, because the gradient
is within its tolerance there too, then what it found there proves and refutes nothing. The same
goes for a search that ended early with a larger gradient, though its loss is certified, and where
pure structures, or mixtures of two, have the loss of the optimum as far as a certificate can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
import numpy.typing as npt
import torch
from sympy import Expr

from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ..problems import bind
from ..problems.embeddings import structured_embeddings
from ..problems.reduced import InvariantLoss
from ..search.optimiser import CERTIFIED, TOLERANCE, riemannian
from .checks import CLOSE_FLOAT32
from .readings import evaluate, numbers_at, tolerance

Array = npt.NDArray[np.float64]

# The part of what counts as agreement that a reading is moved by.
_PART = 0.1
# Mixtures of each pair that are tried.
_LATTICE = 17


def flat_readings(
    problem: Problem,
    loss: InvariantLoss,
    values: Mapping[str, float],
    optimum: Array,
    readings: Mapping[str, Expr],
    dtype: torch.dtype,
) -> Callable[[float], set[str]]:
    """The readings that a search need not have found, by the gradient norm that it ended with.

    Parameters
    ----------
    problem, loss, values
        The loss, the same over shares, and the parameters.
    optimum
        Shares of the optimum, of all eigenspaces that have a dimension.
    readings
        What is to be read off, by name.
    dtype
        Of the search: what counts as agreement is coarser in float32, and so are its gradients.
    """
    arrangement = loss.arrangement
    here = numbers_at(arrangement, optimum[None])
    before = {name: evaluate(of, here) for name, of in readings.items()}
    close = {name: tolerance(of, here) for name, of in readings.items()}
    floor = 0.0 if dtype is torch.float64 else CLOSE_FLOAT32
    corners = loss.pure(optimum)
    # The least gradient norm of a structure that reads differently.
    least: dict[str, float] = {}
    good = numbers_at(arrangement, _as_good(loss, values, optimum, corners))
    moved: list[tuple[str, Array]] = []
    for name, reading in readings.items():
        if (np.abs(evaluate(reading, good) - before[name]) > close[name]).any():
            least[name] = 0.0
        wanted = _PART * max(float(close[name][0]), floor)
        parts = (_moved(arrangement, optimum, corner, reading, wanted) for corner in corners)
        moved += [(name, part) for part in parts if part is not None]
    if not moved:
        return lambda norm: set(least)
    norms, unit = _gradients(problem, arrangement, values, [shares for _, shares in moved])
    for (name, _), norm in zip(moved, norms, strict=True):
        least[name] = min(norm, least.get(name, norm))
    converged = TOLERANCE[dtype] * unit
    return lambda norm: {name for name, x in least.items() if x <= max(norm, converged)}


def _as_good(
    loss: InvariantLoss, values: Mapping[str, float], optimum: Array, corners: Array
) -> Array:
    """Shares of pure structures and mixtures of two with the same loss."""
    steps = np.linspace(0, 1, _LATTICE)[1:-1, None]
    edges = [a + steps * (b - a) for a, b in combinations(corners, 2)]
    tried = np.concatenate([optimum[None], corners, *edges])
    at = {k: np.full(len(tried), v) for k, v in values.items()}
    with np.errstate(all="ignore"):
        excess = loss.expand(tried, at)[0]
        good = excess - excess[0] <= CERTIFIED[torch.float64]
    return np.asarray(tried[good | (np.arange(len(tried)) == 0)])


def _moved(
    arrangement: Arrangement, optimum: Array, corner: Array, reading: Expr, wanted: float
) -> Array | None:
    """Shares on the way to a corner at which a reading has changed by so much, if any."""

    def part(step: float) -> Array:
        return (1 - step) * optimum + step * corner

    def is_far(step: float) -> bool:
        both = np.stack([optimum, part(step)])
        return bool(np.ptp(evaluate(reading, numbers_at(arrangement, both))) > wanted)

    if not is_far(1.0):
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-3 * high:  # readings bend, as the root of a share does
        middle = (low + high) / 2
        low, high = (low, middle) if is_far(middle) else (middle, high)
    return part(high)


def _gradients(
    problem: Problem, arrangement: Arrangement, values: Mapping[str, float], shares: list[Array]
) -> tuple[list[float], float]:
    """Gradient norms at structures with these shares, and the unit of the tolerance."""
    names = tuple(arrangement.table)
    inner = [arrangement.inner(dict(zip(names, row, strict=True))) for row in shares]
    u = torch.stack([structured_embeddings(arrangement, g, arrangement.size) for g in inner])
    point = bind(problem, {**arrangement.sizes, **values}, batch=len(u)).point(u)
    return riemannian(point)[1].tolist(), float(point.unit.min())
