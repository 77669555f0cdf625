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

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sympy import Expr

from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ..embeddings import structured_embeddings
from ..problems import bind
from ..reduced import InvariantLoss
from ..search import CERTIFIED, TOLERANCE
from .checks import CLOSE_FLOAT32
from .readings import numbers_at, read, tolerance

Array = npt.NDArray[np.float64]

# The part of what counts as agreement that a reading is moved by.
_PART = 0.1
# Mixtures of each pair that are tried.
_LATTICE = 17


class Flat(NamedTuple):
    """Least gradient norm of a structure that reads differently, by reading; what is converged."""

    least: dict[str, float]
    converged: float

    def readings(self, norm: float) -> set[str]:
        """What a search need not have found that ended with this gradient norm."""
        return {k for k, x in self.least.items() if x <= max(norm, self.converged)}


def flat_readings(
    problem: Problem,
    loss: InvariantLoss,
    values: Mapping[str, float],
    optimum: Array,
    readings: Mapping[str, Expr],
    sizes: Mapping[str, Any],
    dtype: torch.dtype,
) -> Flat:
    """At which gradients a search need not have found the readings.

    Parameters
    ----------
    problem, loss, values
        The loss, the same over shares, and the parameters.
    optimum
        Shares of the optimum, of all eigenspaces that have a dimension.
    readings
        What is to be read off, by name, in the ``sizes``.
    dtype
        Of the search: what counts as agreement is coarser in float32, and so are its gradients.
    """
    arrangement = loss.arrangement
    moved, of = [], []
    floor = 0.0 if dtype is torch.float64 else CLOSE_FLOAT32
    corners = loss.pure(optimum)
    as_good = _as_good(loss, values, optimum, corners, readings, sizes)
    here = numbers_at(arrangement, optimum[None])
    for name, reading in readings.items():
        before = read(reading, here, sizes)[0]
        for corner in corners:
            part = _moved(arrangement, optimum, corner, reading, before, sizes, floor)
            if part is not None:
                moved.append(part)
                of.append(name)
    if not moved:
        return Flat(dict.fromkeys(as_good, 0.0), 0.0)
    norms, unit = _gradients(problem, arrangement, values, np.array(moved))
    least = {name: min(x for k, x in zip(of, norms, strict=True) if k == name) for name in of}
    return Flat(least | dict.fromkeys(as_good, 0.0), TOLERANCE[dtype] * unit)


def _as_good(
    loss: InvariantLoss,
    values: Mapping[str, float],
    optimum: Array,
    corners: Array,
    readings: Mapping[str, Expr],
    sizes: Mapping[str, Any],
) -> set[str]:
    """Readings that differ at a mixture of two pure structures with the same loss."""
    steps = np.linspace(0, 1, _LATTICE)[1:-1, None]
    edges = [a + steps * (b - a) for a, b in combinations(corners, 2)]
    corners = np.concatenate([corners, *edges])
    both = np.concatenate([optimum[None], corners])
    at = {k: np.full(len(both), v) for k, v in values.items()}
    with np.errstate(all="ignore"):
        least, *pure = loss.expand(both, at)[0]
    good = corners[[value - least <= CERTIFIED[torch.float64] for value in pure]]
    found = set()
    for name, reading in readings.items() if len(good) else ():
        here, there = (numbers_at(loss.arrangement, s) for s in (optimum[None], good))
        close = float(tolerance(reading, here, sizes)[0])
        if (np.abs(read(reading, there, sizes) - read(reading, here, sizes)) > close).any():
            found.add(name)
    return found


def _moved(
    arrangement: Arrangement,
    optimum: Array,
    corner: Array,
    reading: Expr,
    before: float,
    sizes: Mapping[str, Any],
    floor: float,
) -> Array | None:
    """Shares on the way to a corner at which a reading has changed by so much, if any."""

    def change(step: float) -> float:
        part = ((1 - step) * optimum + step * corner)[None]
        return abs(float(read(reading, numbers_at(arrangement, part), sizes)[0]) - before)

    close = float(tolerance(reading, numbers_at(arrangement, optimum[None]), sizes)[0])
    wanted = _PART * max(close, floor)
    if not change(1.0) > wanted:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-3 * high:  # readings bend, as the root of a share does
        middle = high / 2 if low == 0 else (low + high) / 2
        low, high = (low, middle) if change(middle) > wanted else (middle, high)
    return (1 - high) * optimum + high * corner


def _gradients(
    problem: Problem, arrangement: Arrangement, values: Mapping[str, float], shares: Array
) -> tuple[Array, float]:
    """Gradient norms at structures with these shares, and the unit of the tolerance."""
    names = tuple(arrangement.table)
    sets = [
        structured_embeddings(
            arrangement,
            arrangement.inner(dict(zip(names, row, strict=True))),
            arrangement.size,
        )
        for row in shares
    ]
    u = torch.stack(sets)
    bound = bind(problem, {**arrangement.sizes, **values}, batch=len(sets))
    point = bound.point(u)
    radial = (point.gradient * u).sum(dim=-1, keepdim=True) * u
    norms = (point.gradient - radial).flatten(1).square().sum(dim=1).mul(bound.size).sqrt()
    return norms.numpy(), float(point.unit.min())
