"""Weighted InfoNCE on tables of numbers, and SupCon on prototypes: what the named checks share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from ...language.digits import CLOSE, DIGITS
from ...language.matrices import total
from ...language.quantities import NoValue, mp, over

Rows = Sequence[Sequence[Any]]
Floats = NDArray[np.float64]
#: What is left of the barrier of the search below, and what two cosines may differ by after it.
LEFT, SAME = 1e-12, 1e-6


# --- weighted InfoNCE ------------------------------------------------------------------------
def shares(w: Rows) -> list[list[Any]]:
    """Rows of weights over their sums, both without the diagonal.

    Raises
    ------
    NoValue
        Where a row has no weight.
    """
    found = []
    for i, row in enumerate(w):
        whole = total([v for j, v in enumerate(row) if j != i])
        if whole == 0:
            raise NoValue(f"the weights of row {i + 1} sum to 0")
        found.append([over(v, whole) if j != i else Fraction(0) for j, v in enumerate(row)])
    return found


def loss(w: Rows, s: Rows) -> Any:
    """Definition 3.1."""
    n, terms = len(w), []
    for i, row in enumerate(shares(w)):
        others = [mp(v) for j, v in enumerate(s[i]) if j != i]
        top = max(others, default=mpmath.mpf(0))
        norm = top + mpmath.log(mpmath.fsum(mpmath.exp(v - top) for v in others))
        terms += [mp(v) * (norm - mp(s[i][j])) for j, v in enumerate(row) if v != 0]
    return mpmath.fsum(terms) / n


def bound(w: Rows) -> Any:
    """The entropic lower bound: the right side of (1), where 0 log 0 is 0."""
    every = [mp(v) for row in shares(w) for v in row if v != 0]
    return -mpmath.fsum(v * mpmath.log(v) for v in every) / len(w)


def of_classes(sizes: Sequence[int], between: Any = Fraction(0)) -> list[list[Any]]:
    """The weights of SupCon, or with weight between classes those of Soft SupCon."""
    owner = [c for c, size in enumerate(sizes) for _ in range(size)]
    return [[Fraction(1) if a == b else between for b in owner] for a in owner]


def spread(sizes: Sequence[int], cosines: Rows, tau: Any) -> list[list[Any]]:
    """Similarities of collapsed classes."""
    owner = [c for c, size in enumerate(sizes) for _ in range(size)]
    return [[mp(cosines[a][b]) / mp(tau) for b in owner] for a in owner]


def some_weights(n: int, *, zeros: bool) -> list[list[list[Fraction]]]:
    """Symmetric weights, any and degenerate, each row with some."""
    one, drawn = Fraction(1), random.Random(n)
    rows = [[[one] * n for _ in range(n)]]
    for _ in range(2):
        rows.append(_symmetric(n, lambda: Fraction(drawn.randint(1, 9), drawn.randint(1, 4))))
    if not zeros:
        return rows
    rows.append([[one if abs(i - j) == 1 else Fraction(0) for j in range(n)] for i in range(n)])
    if n >= 4:
        rows.append(of_classes([n - 2, 2]))
        rows.append(
            [[one if (i == 0) != (j == 0) else Fraction(0) for j in range(n)] for i in range(n)]
        )
    return rows


def some_similarities(n: int) -> list[list[list[Fraction]]]:
    """Symmetric similarities, any and all equal."""
    drawn = random.Random(n + 1)
    found = [_symmetric(n, lambda: Fraction(drawn.randint(-30, 30), 10)) for _ in range(3)]
    return [*found, [[Fraction(0)] * n for _ in range(n)]]


def _symmetric(n: int, draw: Callable[[], Fraction]) -> list[list[Fraction]]:
    upper = {(i, j): draw() for i in range(n) for j in range(i, n)}
    return [[upper[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]


def has_zero(w: Rows) -> bool:
    """Whether two different points have weight 0."""
    return any(v == 0 for i, row in enumerate(w) for j, v in enumerate(row) if i != j)


# --- prototypes --------------------------------------------------------------------------------
@cache
def optimum(
    sizes: tuple[int, ...], tau: Fraction, between: Any = Fraction(0), *, by_size: bool = True
) -> Floats:
    """Cosines of the prototypes with the least loss of collapsed classes.

    The loss is convex in them, so that they are the same for pairs of classes of the same sizes,
    which is used ``by_size``.

    A barrier for the positive matrices, lowered until what is left of it is LEFT; the loss is taken
    in units of what the regular simplex leaves of it, so that small temperatures are as exact.
    """
    count = len(sizes)
    if count == 1:
        return np.ones((1, 1))
    task = _Task(sizes, float(tau), float(mp(between)), by_size)
    regular = -1 / (count - 1)
    x = np.full(len(task.kinds), regular + 0.1 * (1 - regular))
    weight = 1.0
    while True:
        for _ in range(60):
            value, gradient, hessian = task.at(x, weight)
            # Least squares, as kinds that nearly nothing depends on make it nearly singular.
            if not np.isfinite(hessian).all():
                raise NoValue(f"the temperature {tau} is too small for the search")
            step = -np.linalg.lstsq(hessian, gradient, rcond=1e-14)[0]
            slope, size = float(gradient @ step), 1.0
            if -slope < max(1e-9, 1e-14 * abs(value)):
                break  # as near as the digits of the value allow
            while size > 1e-9 and task.at(x + size * step, weight)[0] > value + slope * size / 4:
                size /= 2
            if size <= 1e-9:
                break
            x = x + size * step
        if count / weight < LEFT:
            return task.cosines(x)
        weight *= 20


class _Task:
    """The loss of collapsed classes, times a weight, with the barrier."""

    def __init__(self, sizes: Sequence[int], tau: float, between: float, by_size: bool):
        self.sizes, self.tau = np.array(sizes, float), tau
        count, n = len(sizes), sum(sizes)
        pairs = [(i, j) for i in range(count) for j in range(i)]
        kind = {
            (i, j): tuple(sorted((sizes[i], sizes[j]))) if by_size else (i, j) for i, j in pairs
        }
        #: Where each cosine stands.
        self.kinds = np.zeros((len(set(kind.values())), count, count))
        for k, one in enumerate(sorted(set(kind.values()))):
            for i, j in pairs:
                if kind[i, j] == one:
                    self.kinds[k, i, j] = self.kinds[k, j, i] = 1
        rows = self.sizes - 1 + between * (n - self.sizes)
        self.pull = between * np.outer(self.sizes / rows, self.sizes)
        least = np.exp((-1 / (count - 1) - 1) / tau) if between == 0 else 1.0
        self.unit = 1 / (n * least)

    def cosines(self, x: Floats) -> Floats:
        """The matrix of cosines."""
        found: Floats = np.eye(len(self.sizes)) + np.tensordot(x, self.kinds, 1)
        return found

    def at(self, x: Floats, weight: float) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian; the value is infinite outside."""
        g = self.cosines(x)
        try:
            low, inverse = np.linalg.cholesky(g), np.linalg.inv(g)
        except np.linalg.LinAlgError:
            return np.inf, x, np.eye(len(x))
        scale = weight * self.unit
        near, far = self.sizes - 1, np.exp((g - 1) / self.tau) * self.sizes
        np.fill_diagonal(far, 0)
        parts = far / (near + far.sum(1))[:, None]
        own = (self.sizes * np.log1p(far.sum(1) / near)).sum()
        value = scale * (own - (self.pull * (g - 1)).sum() / self.tau)
        value -= 2 * np.log(np.diag(low)).sum()
        push = (self.sizes[:, None] * parts - self.pull) / self.tau
        gradient = np.tensordot(self.kinds, scale * push - inverse, 2)
        moved = inverse @ self.kinds  # G^-1 E for each kind
        hessian = np.einsum("aij,bji->ab", moved, moved)
        rows = (parts * self.kinds).sum(2)
        both = np.einsum("ij,aij,bij->abi", parts, self.kinds, self.kinds)
        spread_out = (both - rows[:, None, :] * rows[None, :, :]) @ self.sizes
        return float(value), gradient, hessian + scale * spread_out / self.tau**2


def upper(cosines: Floats) -> Floats:
    """The cosines of different classes."""
    found: Floats = cosines[np.triu_indices(len(cosines), 1)]
    return found


def slopes(sizes: Sequence[int], tau: Any, epsilon: Any = 0, g: Any = None) -> list[Any]:
    """Derivatives of the loss by the inner products of two classes, times n tau, where samples of
    a class are equal, two classes have the cosine g (that of the regular simplex, if none is
    given), and samples of two classes have the weight epsilon."""
    n, count = sum(sizes), len(sizes)
    if count == 1:
        return []
    g = mp(Fraction(-1, count - 1)) if g is None else g
    far = mpmath.exp((g - 1) / mp(tau))
    weights = [k - 1 + mp(epsilon) * (n - k) for k in sizes]
    if 0 in weights:
        raise NoValue("a class of one sample has no positives")
    pushes = [
        far / (k - 1 + (n - k) * far) - mp(epsilon) / w for k, w in zip(sizes, weights, strict=True)
    ]
    return [sizes[a] * sizes[b] * (pushes[a] + pushes[b]) for a, b in combinations(range(count), 2)]


def is_regular(sizes: Sequence[int], tau: Any, epsilon: Any = 0) -> bool:
    """Whether the regular simplex is optimal among prototypes.

    Its Gram matrix has (1, ..., 1) in its kernel and nothing else: it is optimal iff the slopes
    there are all the same and not negative.
    """
    with mpmath.workdps(DIGITS):
        found = slopes(sizes, tau, epsilon)
        slack = CLOSE * max([*map(abs, found), mp(epsilon)])
        return all(abs(f - found[0]) <= slack and f >= -slack for f in found)
