r"""Weighted InfoNCE on the sphere as a function of the Gram matrix, minimised and certified.

For anchors c with weights :math:`p_c` (their sum is 1), candidates c' that stand for
:math:`m_{cc'}` points each, and target shares :math:`T_{cc'}` (rows sum to 1),

.. math:: L(G) = \sum_c p_c \Big[\log \sum_{c'} m_{cc'} e^{g_{cc'}/\tau}
                 - \sum_{c'} T_{cc'} g_{cc'}/\tau\Big] = H + E(G),\qquad
          E(G) = \sum_c p_c\, \mathrm{KL}(T_c \,\|\, s_c(G)),

where H is the entropic bound and :math:`s_c` are the shares that softmax gives. Points are
candidates of multiplicity 1, and none for themselves; classes that have collapsed are candidates
of as many points as they have, less the anchor for themselves (:mod:`.prototypes`).

The excess E is what is computed: of hard targets at a small temperature it is e^(-2/tau) times
something, and is lost as the difference of L and H. So its logarithm is minimised (of soft
targets, for which E may be 0, E itself), over vectors (the factors of G), by a Riemannian
trust-region Newton method with preconditioned conjugate gradients. L is convex in G: a duality
certificate bounds how far the excess is from its least, over unit vectors of any dimension. It is
computed in float64 and not rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Stop: TypeAlias = Literal["converged", "stalled", "slow", "max-iterations"]
Tell: TypeAlias = Callable[[str], None] | None

#: A search is done when the certified gap is at most this part of the excess, or when the
#: gradient of log E, in its own metric, is below the rounding of log E.
RELATIVE = 1e-9
GRADIENT = 1e-11
#: Decreases of log E below this, and below some times what E is known to, cannot be told from
#: rounding: the gradient decides instead.
_VISIBLE = 1e-12
#: An eigenvalue of the Gram matrix counts if it is more than this: vectors are found to about
#: 1e-8, the root of the rounding of their inner products, and an eigenvalue is a square.
RANK = 1e-9
_NOISE, _EPS = 30, float(np.finfo(np.float64).eps)
_PATIENCE, _SLOW = 12, 3
_MAX_INNER = 300
_FIRST_RADIUS, _LARGEST_RADIUS = 1.0, 8.0


class Unfit(ValueError):
    """Labels or weights that no loss is defined for; the message is one line."""


@dataclass(frozen=True)
class Pairs:
    """A weighted InfoNCE loss in the cosines of some vectors.

    Attributes
    ----------
    anchors
        ``(k,)``, positive, with sum 1.
    multiplicity
        ``(k, k)``: how many points a candidate stands for; 0 leaves it out.
    target
        ``(k, k)``: rows sum to 1, zero where the multiplicity is.
    tau
        Temperature.
    """

    anchors: Array
    multiplicity: Array
    target: Array
    tau: float

    @property
    def is_hard(self) -> bool:
        """Whether each anchor has one target."""
        return bool((self.target.max(axis=1) == 1).all())

    @property
    def bound(self) -> float:
        """The entropic bound H."""
        t, m = self.target, self.multiplicity
        held = t > 0
        terms = np.zeros_like(t)
        terms[held] = t[held] * np.log(m[held] / t[held])
        return float(self.anchors @ terms.sum(axis=1))

    def at(self, gram: Array) -> Point:
        """Excess and gradient at a matrix of cosines."""
        t, m = self.target, self.multiplicity
        held, positive = t > 0, m > 0
        x = np.full_like(t, -np.inf)
        x[positive] = gram[positive] / self.tau + np.log(m[positive])
        x[held] -= np.log(t[held])
        mean = np.sum(np.where(held, t * np.where(held, x, 0.0), 0.0), axis=1, keepdims=True)
        x -= mean
        # Rows sum to 1 + a where all exponents are moderate; only then is log1p of use.
        top = x.max(axis=1, keepdims=True, initial=0.0)
        near = top <= 1.0
        shift = np.where(near, 0.0, top)
        weight = np.where(held, t, 1.0) * positive
        with np.errstate(under="ignore"):
            power = weight * np.exp(x - shift)
            beyond = np.where(held, t * np.expm1(np.where(held & near, x, 0.0)), power)
        over = beyond.sum(axis=1, keepdims=True)
        total = np.where(near, 1.0 + over, power.sum(axis=1, keepdims=True))
        kl = np.where(near, np.log1p(np.where(near, over, 0.0)), shift + np.log(total))
        share = power / total
        # s - T without cancellation where it can be had.
        residual = np.where(held & near, (beyond - t * over) / total, share - t)
        pull = self.anchors[:, None] * residual / self.tau
        gradient = (pull + pull.T) / 2
        size = np.sum(t * np.abs(np.where(held, x, 0.0)), axis=1)
        excess, rough = float(self.anchors @ kl[:, 0]), float(self.anchors @ size)
        return Point(self, gram, excess, rough * _EPS, share, gradient)


@dataclass(frozen=True)
class Point:
    """A loss at a matrix of cosines.

    Attributes
    ----------
    excess
        Loss above the entropic bound.
    noise
        Rounding error of that, beyond the relative one: 0 of targets that are one class.
    share
        Of softmax.
    gradient
        In the Gram matrix, symmetric; its diagonal is that of a class with itself.
    """

    pairs: Pairs
    gram: Array
    excess: float
    noise: float
    share: Array
    gradient: Array

    @property
    def off_diagonal(self) -> Array:
        """The gradient between different vectors."""
        found = self.gradient.copy()
        np.fill_diagonal(found, 0.0)
        return found

    def hessian(self, along: Array) -> Array:
        """Derivative of the gradient along a symmetric matrix with zero diagonal."""
        mean = np.sum(self.share * along, axis=1, keepdims=True)
        p, tau = self.pairs.anchors[:, None], self.pairs.tau
        found = p * self.share * (along - mean) / tau**2
        found = (found + found.T) / 2
        np.fill_diagonal(found, 0.0)
        return found


@dataclass(frozen=True)
class Dual:
    """What duality proves at a matrix of cosines.

    Attributes
    ----------
    gap
        The excess is above its least, over unit vectors of any dimension, by at most this.
    least
        Least eigenvalue of the scaled dual matrix; negative if some direction lowers the loss.
    multipliers
        One for each vector.
    loosened
        How much each multiplier had to give.
    """

    gap: float
    least: float
    multipliers: Array
    loosened: Array


def dual(point: Point) -> Dual:
    r"""Bound the distance from the global minimum.

    With B the gradient off the diagonal, :math:`Y_c = \sum_{c'} B_{cc'} g_{cc'}` and
    S = B - diag(Y), every Gram matrix G' with unit diagonal has
    L(G') - L(G) >= <B, G' - G> = <S, G'>, since <S, G> = 0. If S + diag(delta) is positive
    semidefinite, that is at least -sum(delta). Here delta = mu w for two choices of positive
    weights w, and the smaller sum is taken: each is a bound.
    """
    b = point.off_diagonal
    y = np.sum(b * point.gram, axis=1)
    s = b - np.diag(y)
    floor = np.abs(b).sum(axis=1)
    best: Dual | None = None
    for weights in (point.pairs.anchors, floor + 1e-12 * floor.max(initial=1e-300)):
        w = weights / weights.sum()
        root = np.sqrt(w)
        least = float(np.linalg.eigvalsh(s / root[:, None] / root[None, :])[0])
        loosened = max(0.0, -least) * w
        if best is None or loosened.sum() < best.gap:
            best = Dual(float(loosened.sum()), least, y, loosened)
    assert best is not None
    return best


@dataclass(frozen=True)
class Found:
    """What a search ended with."""

    vectors: Array
    point: Point
    dual: Dual
    iterations: int
    stop: Stop


def unit(u: Array) -> Array:
    """Rows of length 1."""
    found: Array = u / np.linalg.norm(u, axis=1, keepdims=True)
    return found


def descend(
    pairs: Pairs,
    start: Array,
    *,
    max_iterations: int = 500,
    max_inner: int = _MAX_INNER,
    enough: float = 0.0,
    tell: Tell = None,
    what: str = "",
) -> Found:
    """Minimise over unit vectors from a start; in too few dimensions the minimum may be local.

    Parameters
    ----------
    start
        ``(k, d)``.
    max_iterations, max_inner
        Steps, and Hessian products for each.
    enough
        Stop, as ``slow``, when a few steps in a row have lowered the excess by less than this part.
    tell, what
        Called with what is done now, which begins with ``what``.
    """
    u = unit(start)
    here = _State(pairs, u, None)
    if not pairs.is_hard:
        here = _State(pairs, u, here.scale)
    radius, idle, best, stop = _FIRST_RADIUS, 0, np.inf, "max-iterations"
    tried = slow = 0
    for tried in range(max_iterations + 1):
        if here.excess <= 0 or here.relative <= GRADIENT:
            stop = "converged"
            break
        if idle >= _PATIENCE or slow >= _SLOW:
            stop = "stalled" if idle >= _PATIENCE else "slow"
            break
        if tell is not None and tried % 5 == 0:
            tell(f"{what}step {tried}, excess {here.excess:.6g}, gradient {here.norm:.1e}")
        step, promised, at_edge = here.step(radius, max_inner)
        reached = _State(pairs, unit(here.u + step), here.fixed)
        gained = here.value - reached.value
        ratio = gained / promised if promised > 0 else 0.0
        is_visible = promised > max(_VISIBLE, _NOISE * here.point.noise / here.scale)
        good = ratio > 0.1 if is_visible else reached.norm < here.norm
        if good and at_edge and ratio > 0.75:
            radius = min(2 * radius, _LARGEST_RADIUS)
        elif not good or (ratio < 0.25 and is_visible):
            radius = here.length(step) / 4
        slow = slow + 1 if here.excess - reached.excess < enough * here.excess else 0
        if good:
            here = reached
        if (is_visible and good) or here.norm < 0.5 * best:
            idle, best = 0, min(best, here.norm)
        else:
            idle += 1
    found = dual(here.point)
    if stop == "stalled" and found.gap <= RELATIVE * here.excess:
        stop = "converged"
    return Found(here.u, here.point, found, tried, stop)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Solved:
    """The best vectors in some dimension.

    Attributes
    ----------
    best
        The search that found them.
    free
        A search without a limit on the dimension, whose minimum is the least; the best one
        itself, where that dimension suffices, or None.
    starts
        How many searches there were.
    """

    best: Found
    free: Found | None
    starts: int

    @property
    def is_convex(self) -> bool:
        """Whether the dimension was no restriction."""
        return self.best is self.free

    def gap(self, bound: Callable[[Found], float] = lambda found: found.dual.gap) -> float:
        """By how much the excess is above the least in any dimension, at most.

        What duality says of the best, or the distance from what it says of the free one, or from
        the entropic bound.
        """
        excess = max(0.0, self.best.point.excess)
        least = 0.0
        if self.free is not None and not self.is_convex:
            least = max(0.0, self.free.point.excess - bound(self.free))
        return min(bound(self.best), excess - least)


def solve(
    pairs: Pairs,
    start: Array,
    d: int,
    seeds: Sequence[int],
    *,
    relax: bool = True,
    tell: Tell = None,
    **limits: Any,
) -> Solved:
    """Minimise in d dimensions; ``limits`` are those of :func:`descend`.

    First without a limit on the dimension (``relax``), where every minimum is the least. If that
    needs more than d, from its shadow in d dimensions and from random starts, one for each seed.
    """
    k = len(start)
    free = None
    if relax or d >= k:
        free = descend(pairs, start, tell=tell, **limits)
        values, axes = np.linalg.eigh(free.point.gram)
        if d >= k or rank_of(values) <= d:
            return Solved(free, free, 1)
    else:
        values, axes = np.linalg.eigh(np.clip(start @ start.T, -1.0, 1.0))
    shadow = axes[:, -d:] * np.sqrt(np.maximum(values[-d:], 0.0))
    shadow /= np.maximum(np.linalg.norm(shadow, axis=1, keepdims=True), 1e-6)
    noise = np.random.default_rng(0).standard_normal((k, d))  # or symmetry would hold it
    starts = [shadow + 1e-2 / np.sqrt(d) * unit(noise), *(drawn(seed, (k, d)) for seed in seeds)]
    runs = [
        descend(pairs, each, tell=tell, what=f"start {i}: ", **limits)
        for i, each in enumerate(starts, 1)
    ]
    return Solved(min(runs, key=lambda run: run.point.excess), free, len(runs))


class _State:
    """log E, or E over a fixed scale, at unit vectors; gradient and Hessian on the spheres."""

    def __init__(self, pairs: Pairs, u: Array, fixed: float | None) -> None:
        self.u, self.fixed = u, fixed
        gram = np.clip(u @ u.T, -1.0, 1.0)
        np.fill_diagonal(gram, 1.0)
        self.point = pairs.at(gram)
        self.excess = self.point.excess
        self.scale = max(self.excess, 1e-300) if fixed is None else fixed
        self.value = float(np.log(self.scale)) if fixed is None else self.excess / fixed
        self.b = self.point.off_diagonal / self.scale
        full = 2 * self.b @ u
        self.radial = np.sum(full * u, axis=1, keepdims=True)
        self.gradient = full - self.radial * u
        # The size of the Hessian of E in a row, by which steps in it are measured.
        spread = pairs.anchors[:, None] * self.point.share * (1 - self.point.share)
        np.fill_diagonal(spread, 0.0)
        curved = (spread.sum(axis=1) + spread.sum(axis=0)) / pairs.tau**2 / self.scale
        metric = (2 * np.abs(self.b).sum(axis=1) + curved)[:, None]
        self.metric = metric + 1e-10 * metric.max() + 1e-300
        with np.errstate(over="ignore"):
            self.norm = float(np.sqrt(np.sum(self.gradient**2 / self.metric)))

    @property
    def relative(self) -> float:
        """Root of the decrease that the gradient promises, as a part of the excess."""
        return self.norm * float(np.sqrt(self.scale / max(self.excess, 1e-300)))

    def length(self, v: Array) -> float:
        return float(np.sqrt(np.sum(self.metric * v * v)))

    def tangent(self, v: Array) -> Array:
        found: Array = v - np.sum(v * self.u, axis=1, keepdims=True) * self.u
        return found

    def hessian(self, v: Array) -> Array:
        cross = v @ self.u.T
        curved = self.point.hessian(cross + cross.T) / self.scale
        found = self.tangent(2 * (self.b @ v + curved @ self.u) - self.radial * v)
        if self.fixed is None:
            found -= float(np.sum(self.gradient * v)) * self.gradient
        return found

    def step(self, radius: float, max_inner: int) -> tuple[Array, float, bool]:
        """Truncated conjugate gradients within the trust region, by the metric of the rows."""
        target = self.norm * min(0.1, np.sqrt(self.norm))
        step = np.zeros_like(self.u)
        image = np.zeros_like(self.u)
        residual = self.gradient
        scaled = residual / self.metric
        direction = -scaled
        square = float(np.sum(residual * scaled))
        at_edge = False
        for _ in range(min(max_inner, 2 * self.u.size)):
            if np.sqrt(square) <= target:
                break
            curved = self.hessian(direction)
            curvature = float(np.sum(direction * curved))
            stride = square / curvature if curvature > 0 else np.inf
            if curvature <= 0 or self.length(step + stride * direction) >= radius:
                stride = self._to_edge(step, direction, radius)
                at_edge = True
            step = step + stride * direction
            image = image + stride * curved
            if at_edge:
                break
            residual = residual + stride * curved
            scaled = residual / self.metric
            after = float(np.sum(residual * scaled))
            direction = (after / square) * direction - scaled
            square = after
        promised = -float(np.sum(step * self.gradient)) - 0.5 * float(np.sum(step * image))
        return step, promised, at_edge

    def _to_edge(self, step: Array, direction: Array, radius: float) -> float:
        a = float(np.sum(self.metric * direction * direction))
        b = float(np.sum(self.metric * step * direction))
        c = float(np.sum(self.metric * step * step)) - radius**2
        return float((np.sqrt(max(b * b - a * c, 0.0)) - b) / a)


def drawn(seed: int, shape: tuple[int, int]) -> Array:
    """Directions uniform on the sphere."""
    return unit(np.random.default_rng(seed).standard_normal(shape))


def rank_of(values: Array) -> int:
    """How many eigenvalues of a Gram matrix of unit vectors count."""
    return int(np.sum(values > RANK * max(1.0, float(values.max(initial=1.0)))))


def eigenvalues(gram: Array) -> Array:
    """In falling order."""
    found: Any = np.linalg.eigvalsh(gram)[::-1]
    return np.asarray(found, dtype=np.float64)
