"""Embeddings of a low loss, found in floats: where they are only says that the least is no higher.

What is found is rounded to fractions, and its loss is then computed in balls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sympy import Rational

Floats = NDArray[np.float64]
#: Steps, the shortest of them, and the slope that ends the descent.
STEPS, LEAST_STEP, FLAT = 4000, 1e-16, 1e-11
#: So many steps in a row that lower the loss by less than this part of it are the last.
IDLE, PART = 10, 1e-15
#: Fractions have this denominator.
DENOMINATOR = 2**40


def euclidean_loss(log_weights: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    """The loss with minus the squared distance as similarity, and its gradient."""
    above = _softmax(log_weights)

    def at(z: Floats) -> tuple[float, Floats]:
        square = (z * z).sum(1)
        s = 2 * z @ z.T - square[:, None] - square
        value, pull = _value(above, s)
        both = pull + pull.T
        return value, 2 * (both @ z - both.sum(1, keepdims=True) * z)

    return at


def cosine_loss(log_weights: Floats, tau: float) -> Callable[[Floats], tuple[float, Floats]]:
    """The loss with the cosine over tau as similarity, and its gradient."""
    above = _softmax(log_weights)

    def at(z: Floats) -> tuple[float, Floats]:
        norm = np.linalg.norm(z, axis=1, keepdims=True)
        u = z / norm
        value, pull = _value(above, u @ u.T / tau)
        down = (pull + pull.T) @ u / tau
        return value, (down - (down * u).sum(1, keepdims=True) * u) / norm

    return at


def _softmax(s: Floats) -> Floats:
    s = np.array(s, dtype=float)
    np.fill_diagonal(s, -np.inf)
    e = np.exp(s - s.max(1, keepdims=True))
    found: Floats = e / e.sum(1, keepdims=True)
    return found


def _value(above: Floats, s: Floats) -> tuple[float, Floats]:
    """The loss at similarities, and its derivatives in them."""
    n = len(s)
    np.fill_diagonal(s, -np.inf)
    most = s.max(1, keepdims=True)
    logs = np.log(np.exp(s - most).sum(1)) + most[:, 0]
    np.fill_diagonal(s, 0)
    return float((logs - (above * s).sum(1)).mean()), (_softmax(s) - above) / n


def lowest(loss: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    """Follow the loss down (Barzilai and Borwein's steps, halved until it falls) from a start."""
    z, (value, slope), step, idle = start, loss(start), 1e-2, 0
    for _ in range(STEPS):
        square = float((slope * slope).sum())
        if np.abs(slope).max() < FLAT or idle == IDLE:
            break
        there, down = loss(z - step * slope)
        while there > value - 1e-4 * step * square and step > LEAST_STEP:
            step /= 2
            there, down = loss(z - step * slope)
        idle = idle + 1 if value - there <= PART * (1 + abs(value)) else 0
        bend = step * float((slope * (slope - down)).sum())
        z, value, slope = z - step * slope, there, down
        step = step**2 * square / bend if bend > 0 else 2 * step
    return z


def rounded(z: Floats) -> tuple[tuple[Rational, ...], ...]:
    """Fractions near floats."""
    return tuple(
        tuple(Rational(round(float(e) * DENOMINATOR), DENOMINATOR) for e in row) for row in z
    )
