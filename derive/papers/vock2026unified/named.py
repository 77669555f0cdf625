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

from ..form.run import Findings, Given, Point, named_check
from ..form.tables import Tables

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


def of_table(e: Tables, letter: str) -> Array:
    """A table without its diagonal, as floats."""
    found = np.array([[float(v) for v in row] for row in e.numbers[letter].rows])
    return found - np.diag(np.diag(found))


def labels(e: Tables) -> Array:
    """The labels of a set, as floats."""
    return np.array([[float(v) for v in row] for row in e.points["y"]])


def squared(y: Array) -> Array:
    """Squared distances."""
    found: Array = ((y[:, None] - y[None]) ** 2).sum(-1)
    return found


def on(at: Point) -> Tables:
    """The tables that a check is about."""
    found = at["on"]
    assert isinstance(found, Tables)
    return found


def close(a: float, b: Any) -> bool:
    """Whether two numbers are the same, as floats."""
    return bool(abs(a - float(b)) <= 1e-5 * (1 + abs(float(b))))


# --- checks ---------------------------------------------------------------------------------------
@named_check("one shift")
def one_shift(at: Point, q: int, *, given: Given) -> Findings:
    """|z_i - z_j|^2 = d_ij + c is solved in R^q for no other c than ``c``."""
    found = shifts(of_table(on(at), "d"), q)
    if found is None or all(close(c, given["c"]) for c in found):
        return
    yield False, f"solved with c = {_told(found)}"


@named_check("one constant")
def one_constant(at: Point, q: int, *, given: Given) -> Findings:
    """cos = c - tau d_ij is solved in R^q for no other c than ``c``."""
    found = constants(of_table(on(at), "d"), float(at["tau"]), q)
    if all(close(c, given["c"]) for c in found):
        return
    yield False, f"solved with c = {_told(found)}"


@named_check("rank without the diagonal")
def rank_without_the_diagonal(at: Point, *, most: Any) -> Findings:
    """With zeros on its diagonal D has a rank of at most ``most``."""
    rank = int(np.linalg.matrix_rank(of_table(on(at), "d"), tol=TOLERANCE))
    yield rank <= most, f"the rank is {rank}"


@named_check("classes have one constant")
def classes_have_one_constant(at: Point, q: int, *, same: Any, beta: Any) -> Findings:
    """For weights 1 in a class and epsilon across, the bound is attained, and with no other cosines
    than ``same`` in a class and ``beta`` across."""
    k = np.array([[float(v) for v in row] for row in on(at).numbers["k"].rows])
    d = -np.log(float(at["epsilon"])) * (1 - k)
    tau = float(at["tau"])
    found = constants(d, tau, q)
    yield found, "the bound is not attained"
    for c in found:
        yield close(c, same), f"attained with the cosine {c:.6g} in a class"
        says = "attained with another cosine across classes"
        yield not (k == 0).any() or close(c + tau * np.log(float(at["epsilon"])), beta), says


@named_check("samples of a class are equal")
def samples_are_equal(at: Point, q: int, *, same: Any) -> Findings:
    """Where the bound of Soft SupCon is attained, samples of a class have only the cosine
    ``same``."""
    k = np.array([[float(v) for v in row] for row in on(at).numbers["k"].rows])
    pairs = (k - np.eye(len(k)) > 0).any()
    d = -np.log(float(at["epsilon"])) * (1 - k)
    found = constants(d, float(at["tau"]), q)
    if not found and not pairs:
        return
    if not found:
        yield None, "the bound is not attained"
    good = not pairs or all(close(c, same) for c in found)
    yield good, f"attained with the cosines {_told(found)} within classes"


@named_check("Euclidean labels have one shift")
def labels_have_one_shift(at: Point, q: int, *, given: Given) -> Findings:
    """For weights exp(-|y_i - y_j|^2) the Euclidean problem is solved, with c = ``c`` only."""
    found = shifts(squared(labels(on(at))), q)
    yield found is not None, "the bound is not attained"
    good = all(close(c, given["c"]) for c in found)
    yield good, f"solved with c = {_told(found)}"


@named_check("y-Aware is attained on spheres only")
def y_aware(at: Point, q: int) -> Findings:
    """Where the labels lie on no sphere, no embedding attains the bound of the y-Aware loss."""
    e = on(at)
    y = labels(e)
    if _on_a_sphere(y):
        return
    found = constants(squared(y), float(at["tau"]), q)
    yield not found, f"attained with c = {_told(found)}"


def _on_a_sphere(y: Array) -> bool:
    """Whether some centre is at one distance from all points."""
    moved = y[1:] - y[0]
    if len(moved) == 0:
        return True
    right = (moved**2).sum(-1) / 2
    centre = np.linalg.lstsq(moved, right, rcond=None)[0]
    return bool(np.allclose(moved @ centre, right, atol=TOLERANCE))


@named_check("cosine labels have one constant")
def cosine_labels_have_one_constant(at: Point, q: int, *, given: Given) -> Findings:
    """For weights exp(cos(y_i, y_j) / tau') the bound is attained, with c' = ``c`` only."""
    y = labels(on(at))
    lengths = np.linalg.norm(y, axis=1)
    yield lengths.all(), "no value: the zero vector has no cosine with any"
    unit = y / lengths[:, None]
    d = -(unit @ unit.T) / float(at["tau_prime"])
    found = constants(d - np.diag(np.diag(d)), float(at["tau"]), q)
    yield found, "the bound is not attained"
    good = all(close(c, given["c"]) for c in found)
    yield good, f"solved with c = {_told(found)}"


@named_check("minimisers on the line solve the problem")
def minimisers(at: Point, q: int, *, sign: Any) -> Findings:
    """In R^1 cosines are signs, so that all can be tried: the least loss, with similarities
    ``sign`` cos / tau, is at a solution of the problem cos = c - tau D."""
    d, tau = of_table(on(at), "d"), float(at["tau"])
    n = len(d)
    if q > 1 or n > 6:
        yield None, "the minimiser is not known"
    off = ~np.eye(n, dtype=bool)
    losses: dict[tuple[int, ...], float] = {}
    solved: dict[tuple[int, ...], bool] = {}
    for signs in product((1, -1), repeat=n - 1):
        x = np.array((1, *signs), dtype=float)
        cosines = np.outer(x, x)
        losses[signs] = _loss(-d, float(sign) * cosines / tau, off)
        gaps = (cosines + tau * d)[off]
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
