r"""Squared distances and weights of zero: which groups of points come near to the entropic bound.

A row of the loss feels differences of squared distances alone. So the bound of weights
w = exp(-d) is approached iff there are points x(m) and, for each group that positive weights link,
numbers c(m) with

.. math:: |x_i - x_j|^2 - c \to d_{ij} \; (w_{ij} > 0), \qquad
          |x_i - x_j|^2 - c \to \infty \; (w_{ij} = 0).

Groups move apart, so each is decided by itself. Where c stays bounded a group does too: then it has
no weight of zero, and its limit attains the bound. Where c does not, points over :math:`\sqrt c`
are near a *contact arrangement*: linked pairs have distance 1, the others at least 1. That is
refuted by :func:`_crowded`. Conversely, it is enough that the others are farther than 1 and that
linked pairs may have any lengths near 1, whatever d is: their squares become 1 + d/c exactly. In
n - 2 dimensions or more there is always room: put M for d where the weight is 0. The least
eigenvalue of the centred Gram matrix is then of the order of -M, as linked points that are not all
linked pairwise are no union of cliques; and d + c, with c = -2 times that eigenvalue, are squared
distances in n - 2 dimensions.

Which graphs have contact arrangements is NP-hard in the plane already, so some stay undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from .pairs import Array
from .verdict import dimensions

Near: TypeAlias = list[set[int]]

#: Most unit vectors at 60 degrees or more from each other, in the dimensions where it is known.
KISSING = {2: 6, 3: 12, 4: 24, 8: 240, 24: 196560}
#: Points of a group up to which all of this is tried.
LARGE = 100
#: Starts and steps of a search, coordinates of all starts, and the part of a misfit that a step
#: leaves where it is given up; the squared distance kept between pairs that are not linked; and the
#: unit of exact integers.
_STARTS, _STEPS, _WORK, _STALLED, _WIDE, _UNIT = 24, 150, 1500, 0.99999, 1.01, 2**40


@dataclass(frozen=True)
class Found:
    """Whether the bound of a group is approached, None if that is not known, and why not.

    ``enough`` is a dimension in which it is, where it is not known to be in fewer.
    """

    approached: bool | None
    why: str = ""
    evidence: str = "exact"
    enough: int = 1


def contacts(near: Near, names: list[str], q: int, seeds: Sequence[int]) -> Found:
    """Decide a group of linked points, not all of them pairwise; without seeds nothing is sought.

    Parameters
    ----------
    near, names
        The points that each is linked to, and how to call them.
    q
        Dimensions.
    seeds
        Of random starts.
    """
    n, degrees = len(near), [len(some) for some in near]
    if max(degrees) <= 2 and (q > 1 or 1 in degrees):
        return Found(True)
    if q == 1:
        why = f"on a line linked points are a path: those of point {names[0]} are not"
        return Found(False, why, enough=2 if max(degrees) == 2 else n - 2)
    if q >= n - 2:
        return Found(True)
    crowd = _crowded(near, names, q)
    if crowd:
        return Found(False, crowd, enough=n - 2)
    if n > LARGE:
        return Found(None, f"{n} linked points are more than {LARGE}", enough=n - 2)
    if any(_is_found(near, q, np.random.default_rng(seed)) for seed in seeds):
        return Found(True)
    why = "none were found" if len(seeds) else "none were searched for"
    return Found(None, why, enough=n - 2)


def _crowded(near: Near, names: list[str], q: int) -> str:
    """Say which points have more neighbours than there is room for.

    Common neighbours of some points are 1 from each of them, so the two sets span orthogonal
    flats; and at most five points of a plane, 1 apart, have two common neighbours.
    """
    room = KISSING.get(q, len(near))
    for i, around in enumerate(near):
        # Six angles of 60 degrees or more are all 60: these pairs go to c + O(1), linked or not.
        is_open = q == 2 and len(around) == 6 and sum(len(near[j] & around) for j in around) < 12
        if len(around) > room or is_open:
            fit = f"at most {room}" if q > 2 else "at most 5, or 6 that are linked in a ring"
            return (
                f"point {names[i]} is linked to {len(around)} others, and {dimensions(q)} have "
                f"room for {fit}"
            )
    for size in (2, 3):
        if q > size + 1 or len(near) > LARGE:
            break
        for some in combinations(range(len(near)), size):
            shared = len(set.intersection(*(near[i] for i in some)))
            if shared > 1 and size - 1 + min(shared - 1, 2 + (shared > 5)) > q:
                which = " and ".join(names[i] for i in some)
                return (
                    f"points {which} are linked to {shared} others in common, which takes more "
                    f"than {dimensions(q)}"
                )
    return ""


# --- arrangements that are found ----------------------------------------------------------------
def _is_found(near: Near, q: int, random: np.random.Generator) -> bool:
    n = len(near)
    every = np.array(list(combinations(range(n), 2)))
    is_linked = np.array([j in near[i] for i, j in every])
    for _ in range(max(2, min(_STARTS, _WORK // (n * q)))):
        y = random.standard_normal((n, q)) * n ** (1 / q) / 2
        y = _settled(y, every, is_linked)
        if y is not None and _stands(y, every[~is_linked], every[is_linked]):
            return True
    return False


def _settled(y: Array, every: Any, is_linked: Any) -> Array | None:
    """Points with linked pairs at distance 1 and others farther, by Levenberg-Marquardt."""

    def misfit(y: Array) -> Array:
        squares = ((y[every[:, 0]] - y[every[:, 1]]) ** 2).sum(axis=1)
        return np.where(is_linked, squares - 1, np.minimum(squares - _WIDE, 0))

    off, damping = misfit(y), 1.0
    for _ in range(_STEPS):
        if np.abs(off).max() < 1e-11:
            return y
        pulls = _rigidity(y, every[off != 0])
        normal, slope = pulls.T @ pulls, pulls.T @ off[off != 0]
        step = np.linalg.solve(normal + damping * np.eye(y.size), slope).reshape(y.shape)
        tried = misfit(y - step)
        is_better = tried @ tried < off @ off
        if is_better and tried @ tried > _STALLED * (off @ off):
            return None
        damping = max(damping * 0.25, 1e-9) if is_better else 8 * damping
        y, off = (y - step, tried) if is_better else (y, off)
    return None


def _stands(y: Array, apart: Any, linked: Any) -> bool:
    """Whether, near y, linked pairs have any lengths near 1 and the others are farther than 1.

    Exact, in integers over a unit. Let f be the squared lengths of linked pairs at y less 1, R
    their derivative and P nearly its inverse. With u = P z they are 1 + e iff z maps to itself by
    e - f - (R P - I) z - |u_i - u_j|^2. If |z| <= rho holds there as well, Brouwer has such a z.
    """
    (n, q), (i, j) = y.shape, linked.T
    inverse = np.linalg.pinv(_rigidity(y, linked))
    if not np.abs(inverse).max() < 1e4:
        return False
    whole = np.rint(y * _UNIT).astype(np.int64).astype(object)
    moves = np.rint(inverse * _UNIT).astype(np.int64).astype(object).reshape(n, q, -1)
    sides, turns = whole[i] - whole[j], moves[i] - moves[j]
    product = 2 * (sides[:, :, None] * turns).sum(axis=1)
    product[np.diag_indices(len(linked))] -= _UNIT**2
    off = Fraction(max(abs((sides**2).sum(axis=1) - _UNIT**2)), _UNIT**2)
    wrong = Fraction(max(abs(product).sum(axis=1)), _UNIT**2)
    bend = Fraction(max((abs(turns).sum(axis=2) ** 2).sum(axis=1)), _UNIT**2)
    reach = sum(Fraction(int(m), _UNIT) for m in abs(moves).sum(axis=2).max(axis=0))
    rho = 2 * off + Fraction(1, _UNIT)
    if off + wrong * rho + bend * rho**2 >= rho:
        return False
    gaps = whole[apart[:, 0]] - whole[apart[:, 1]]
    least = Fraction(min((gaps**2).sum(axis=1)), _UNIT**2)
    return least * (1 - 4 * reach * rho) > 1


def _rigidity(y: Array, pairs: Any) -> Array:
    """Derivatives of squared distances of pairs by the points."""
    rows, (i, j) = np.arange(len(pairs)), pairs.T
    found = np.zeros((len(pairs), *y.shape))
    found[rows, i] = 2 * (y[i] - y[j])
    found[rows, j] = -found[rows, i]
    return found.reshape(len(pairs), -1)
