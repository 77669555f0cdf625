"""What a certified loss says nothing about.

At t = b = 40 of the sigmoid loss, for one, the second derivative of l_n at the simplex is
1e-20: where the negatives are can hardly be felt, though the positives are held fast. So pure
structures are tried, and mixtures of two and of each with the optimum. If one of them has the loss
of the optimum as far as a certificate can tell, and reads differently, then what a search found
there proves and refutes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import numpy.typing as npt
import torch
from sympy import Expr

from ..problems.reduced import InvariantLoss
from .readings import evaluate, numbers_at, tolerance

Array = npt.NDArray[np.float64]

# Mixtures of each pair that are tried.
_LATTICE = 17
#: So far above the least loss a mixture may be. What bends it less than that over a part of the
#: lattice is not held to what counts as agreement by gradients as small as searches end with.
ROOM = {torch.float64: 1e-9, torch.float32: 1e-6}


def flat_readings(
    loss: InvariantLoss,
    values: Mapping[str, float],
    optimum: Array,
    readings: Mapping[str, Expr],
    dtype: torch.dtype,
) -> set[str]:
    """The readings that a search need not have found.

    Parameters
    ----------
    loss, values
        The loss over shares, and the parameters.
    optimum
        Shares of the optimum, of all eigenspaces that have a dimension.
    readings
        What is to be read off, by name.
    dtype
        Of the search.
    """
    steps = np.linspace(0, 1, _LATTICE)[1:-1, None]
    ends = [optimum, *loss.pure(optimum)]
    mixtures = [a + steps * (b - a) for a, b in combinations(ends, 2)]
    tried = np.concatenate([ends, *mixtures])
    with np.errstate(all="ignore"):
        found = loss.expand(tried, {k: np.full(len(tried), v) for k, v in values.items()})[0]
        good = found - found[0] <= ROOM[dtype]
    good[0] = True
    numbers = numbers_at(loss.arrangement, tried[good])
    return {
        name
        for name, reading in readings.items()
        if (
            np.abs((seen := evaluate(reading, numbers)) - seen[0]) > tolerance(reading, numbers)[0]
        ).any()
    }
