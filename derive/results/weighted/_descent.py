"""Embeddings of a low loss, found in floats: where they are only says that the least is no higher.

What is found is rounded to fractions, and its loss is then computed in balls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sympy import Rational

Floats = NDArray[np.float64]
#: Steps, pairs that are remembered, halvings of a step, and the slope that ends the descent.
STEPS, MEMORY, HALVINGS, FLAT = 2000, 20, 20, 1e-11
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
    """Follow the loss down (L-BFGS with backtracking) from a start."""
    z = start.copy()
    value, slope = loss(z)
    moves: list[tuple[Floats, Floats]] = []
    idle = 0
    for _ in range(STEPS):
        if np.abs(slope).max() < FLAT or idle == IDLE:
            break
        way = -_applied(moves, slope)
        rate = float((way * slope).sum())
        if rate >= 0:
            way, rate, moves = -slope, -float((slope * slope).sum()), []
        step = 1.0
        for _ in range(HALVINGS):
            there, down = loss(z + step * way)
            if there <= value + 1e-4 * step * rate:
                break
            step /= 2
        else:
            break
        idle = idle + 1 if value - there <= PART * (1 + abs(value)) else 0
        moves = [*moves[1 - MEMORY :], (step * way, down - slope)]
        z, value, slope = z + step * way, there, down
    return z


def _applied(moves: list[tuple[Floats, Floats]], slope: Floats) -> Floats:
    """The inverse of the remembered curvature, times the slope."""
    q, rates = slope.copy(), []
    good = [(s, y) for s, y in moves if float((s * y).sum()) > 0]
    for s, y in reversed(good):
        rates.append(float((s * q).sum()) / float((s * y).sum()))
        q -= rates[-1] * y
    if good:
        s, y = good[-1]
        q *= float((s * y).sum()) / float((y * y).sum())
    for (s, y), rate in zip(good, reversed(rates), strict=True):
        q += s * (rate - float((y * q).sum()) / float((s * y).sum()))
    return q


def rounded(z: Floats) -> tuple[tuple[Rational, ...], ...]:
    """Fractions near floats."""
    return tuple(
        tuple(Rational(round(float(e) * DENOMINATOR), DENOMINATOR) for e in row) for row in z
    )
