"""Which constants a distance geometry problem can be solved with, by eigenvalues.

D + c(E - I) is a distance matrix of points in R^q iff -J D J / 2 + c J / 2 has no negative
eigenvalue and at most q positive ones; cosines c + (1 - c)[i = j] - tau D likewise. Of D only
what is off the diagonal counts. Eigenvalues are floating-point numbers, of small matrices.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...language.matrices import Matrix
from ...language.quantities import NoValue
from ..records.run import Findings, Point, named_check

Array = NDArray[np.float64]
#: What is smaller, relative to the largest entry, counts as zero.
TOLERANCE = 1e-8
#: Steps of bisection.
STEPS = 100


# --- constants with which the problem has a solution ---------------------------------------------
def shifts(d: Array, q: int) -> tuple[float, float] | None:
    """The least and the largest c with which D + c is solved in R^q; none if there is no such c."""
    n = len(d)
    if n == 1:
        return (0.0, 0.0)
    centring = np.eye(n) - 1 / n
    across = np.linalg.svd(np.ones((1, n)))[2][1:]
    found = np.linalg.eigvalsh(across @ (-centring @ d @ centring / 2) @ across.T)
    if n - 1 <= q:
        return (-2 * float(found[0]), np.inf)
    zeros = int((found <= found[0] + TOLERANCE * (1 + abs(d).max())).sum())
    c = -2 * float(found[0])
    return (c, c) if zeros >= n - 1 - q else None


def constants(d: Array, tau: float, q: int) -> list[float]:
    """All c with which cos = c - tau D is solved in R^q; two of them stand for all between if q >=
    n."""
    n = len(d)
    if n == 1:
        return [1.0]
    apart = np.ones((n, n)) - np.eye(n)
    fixed = np.eye(n) - tau * d
    off = tau * d[apart > 0]
    low, high = float(off.max()) - 1, float(off.min()) + 1
    slack = TOLERANCE * (1 + abs(fixed).max())
    if low > high + slack:
        return []

    def least(c: float) -> float:
        return float(np.linalg.eigvalsh(fixed + c * apart)[0])

    # The least eigenvalue is concave in c.
    a, b = low, high
    for _ in range(STEPS):
        one, other = a + (b - a) * 0.4, a + (b - a) * 0.6
        a, b = (one, b) if least(one) < least(other) else (a, other)
    top = (a + b) / 2
    if least(top) < -slack:
        return []
    ends = [_end(least, top, end) for end in (low, high)]
    if q >= n:
        return ends
    found: list[float] = []
    for c in (*ends, top):
        zeros = int((np.linalg.eigvalsh(fixed + c * apart) <= slack).sum())
        if zeros >= n - q and all(abs(c - other) > 1e-5 * (1 + abs(c)) for other in found):
            found.append(c)
    return found


def _end(least: Any, inside: float, end: float) -> float:
    """How far from a point inside towards an end no eigenvalue is negative."""
    if least(end) >= 0:
        return end
    for _ in range(STEPS):
        middle = (inside + end) / 2
        inside, end = (middle, end) if least(middle) >= 0 else (inside, middle)
    return inside


def hollow(d: Any) -> Array:
    """A matrix without its diagonal, as floats."""
    if not isinstance(d, Matrix) or {len(row) for row in d.rows} != {len(d.rows)}:
        raise NoValue("dissimilarities are a square matrix")
    found = np.array([[float(v) for v in row] for row in d.rows])
    return found - np.diag(np.diag(found))


def close(a: float, b: Any) -> bool:
    """Whether two numbers are the same, as floats."""
    return bool(abs(a - float(b)) <= 1e-5 * (1 + abs(float(b))))


# --- checks ---------------------------------------------------------------------------------------
@named_check("one shift")
def one_shift(q: int, *, D: Any, c: Any, attained: bool = False) -> Findings:
    """|z_i - z_j|^2 = d_ij + c is solved in R^q for no other c than ``c``, and for that one if the
    bound is ``attained``."""
    found = shifts(hollow(D), q) or ()
    yield found or not attained, "the bound is not attained"
    yield all(close(one, c) for one in found), f"solved with c = {_told(found)}"


@named_check("one constant")
def one_constant(
    tau: Any, q: int, *, D: Any, c: Any, attained: bool = False, of: Any = None, far: Any = None
) -> Findings:
    """cos = c - tau d_ij is solved in R^q for no other c than ``c``, and for that one if the bound
    is ``attained``; if it is said ``of`` pairs, for which that is 1, where there are any. At the
    largest d_ij the cosine is ``far``."""
    d = hollow(D)
    found = constants(d, float(tau), q)
    yield found or not attained, "the bound is not attained"
    nobody = of is not None and not hollow(of).any()
    yield nobody or all(close(one, c) for one in found), f"solved with c = {_told(found)}"
    across = float(c) - float(tau) * d.max()
    yield far is None or not d.any() or close(across, far), "attained with another cosine"


@named_check("rank without the diagonal")
def rank_without_the_diagonal(*, D: Any, most: Any) -> Findings:
    """With zeros on its diagonal D has a rank of at most ``most``."""
    rank = int(np.linalg.matrix_rank(hollow(D), tol=TOLERANCE))
    yield rank <= most, f"the rank is {rank}"


@named_check("y-Aware is attained on spheres only")
def y_aware(at: Point, tau: Any, q: int) -> Findings:
    """Where the labels lie on no sphere, no embedding attains the bound of the y-Aware loss."""
    y = np.array([[float(v) for v in row] for row in at["on"].points["y"]])
    d = ((y[:, None] - y[None]) ** 2).sum(-1)
    found = [] if _on_a_sphere(y) else constants(d, float(tau), q)
    yield not found, f"attained with c = {_told(found)}"


def _on_a_sphere(y: Array) -> bool:
    """Whether some centre is at one distance from all points."""
    moved = y[1:] - y[0]
    if len(moved) == 0:
        return True
    right = (moved**2).sum(-1) / 2
    centre = np.linalg.lstsq(moved, right, rcond=None)[0]
    return bool(np.allclose(moved @ centre, right, atol=TOLERANCE))


@named_check("minimisers on the line solve the problem")
def minimisers(tau: Any, q: int, *, D: Any, sign: Any) -> Findings:
    """In R^1 cosines are signs, so that all can be tried: the least loss, with similarities
    ``sign`` cos / tau, is at a solution of the problem cos = c - tau D."""
    d = hollow(D)
    n = len(d)
    if q > 1 or n > 6:
        yield None, "the minimiser is not known"
    off = ~np.eye(n, dtype=bool)
    losses: dict[tuple[int, ...], float] = {}
    solved: dict[tuple[int, ...], bool] = {}
    for signs in product((1, -1), repeat=n - 1):
        x = np.array((1, *signs), dtype=float)
        cosines = np.outer(x, x)
        losses[signs] = _loss(-d, float(sign) * cosines / float(tau), off)
        gaps = (cosines + float(tau) * d)[off]
        solved[signs] = bool(gaps.max() - gaps.min() <= TOLERANCE * (1 + abs(gaps).max()))
    best = min(losses.values()) + 1e-12
    for signs, found in losses.items():
        says = f"the minimum of the loss in R^1 is at signs {(1, *signs)}, no solution"
        yield found > best or solved[signs], says


def _loss(target: Array, similarity: Array, off: Any) -> float:
    """The weighted loss, weights being exp of the target."""
    total = 0.0
    for row, s, keep in zip(target, similarity, off, strict=True):
        share = np.exp(row[keep] - row[keep].max())
        share /= share.sum()
        top = s[keep].max()
        total += float((share * (np.log(np.exp(s[keep] - top).sum()) + top - s[keep])).sum())
    return total / len(target)


def _told(found: Any) -> str:
    return " and ".join(dict.fromkeys(f"{c:.6g}" for c in found))
