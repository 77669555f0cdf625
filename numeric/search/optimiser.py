r"""Minimises declared losses over unit embeddings, many problems as one batch.

The method is a Riemannian trust-region Newton method on the product of spheres, its
steps found by truncated conjugate gradients (Steihaug). It suits these losses because
their optima are symmetric: the Hessian there has few *different* eigenvalues, and
conjugate gradients need one iteration for each. Near an optimum a handful of Newton
steps of about five Hessian products each reach a gradient of 1e-12, where first-order
methods crawl: next to the collapse threshold the loss is quartic in the distance to
the optimum, and gradient descent slows down without end.

Lengths are root mean squares over the N vectors, gradients belong to that inner product
(``N`` times the partial derivatives, without their radial parts), so that no tolerance
depends on the number of embeddings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import Any

import torch
from torch import Tensor

from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import arrange
from ..problems import bind
from ..problems.bound import BoundProblem, Point
from ..problems.embeddings import normalise, random_embeddings
from ..problems.parameters import Values, split
from ..problems.views import wide
from ..running.device import resolve_device
from .certificate import Certificate, certify_bound
from .straighten import can_be_straightened, straighten

#: Default tolerance on the gradient norm. Entries of the gradient are of the order of
#: 1/tau and carry rounding errors of eps/tau, 4e-15 for tau = 0.05, so 1e-12 leaves room.
#: It has to be that small: at the collapse threshold the gradient is about k r^3, with r the
#: within-class spread and k of the order of 0.1 to 100, so that a gradient of 1e-12 still
#: means a within-class variance r^2 of up to 5e-8. Elsewhere the error is far smaller.
#: In float32, where rounding is 1e9 times coarser, the last digits are out of reach.
#: Points may give a unit of their own that it multiplies (two towers do).
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-5}

# Steps whose predicted decrease is below this many units in the last place of the loss are
# judged by gradients: at 1e3 the difference of two losses is wrong by 1% at most.
_VISIBLE = 1e3
# A gradient entry carries rounding errors of about this many times eps and what the point
# calls its noise (1/tau for a softmax over classes). A step that
# promises less than the error times its length cannot be told from none: it is taken only
# if it lowers the gradient norm, and when this many of them in a row have not halved it,
# rounding is all that is left.
_NOISE = 4.0
_PATIENCE = 20
_FIRST_RADIUS = 1.0
_LARGEST_RADIUS = 2.0
_MAX_INNER = 250


#: A cell counts as certified below this gap. Converged searches leave 1e-13 to 1e-11; the
#: reduced loss rises by about 0.1 per unit of within-class variance times distance from the
#: threshold and faster elsewhere, so a stationary point that is not the optimum but within
#: 1e-7 of its variance is all that could pass. In float32 the gap is rounding.
CERTIFIED = {torch.float64: 1e-9, torch.float32: 1e-3}


#: Steps after which a search is taken to be in a valley. Most end in fewer.
STRAIGHTEN_AFTER = 20

#: From a problem, where its parts are in the whole batch, and embeddings, to better ones.
Straightener = Callable[[BoundProblem, Tensor, Tensor], Tensor]


class StopCode(Enum):
    """Why the search for an optimum ended."""

    CONVERGED = "converged"  #: the gradient norm is within the tolerance
    STALLED = "stalled"  #: rounding errors allow no further progress
    MAX_ITERATIONS = "max-iterations"  #: the safeguard on the number of steps


_CODES = (StopCode.CONVERGED, StopCode.STALLED, StopCode.MAX_ITERATIONS)


@dataclass(frozen=True)
class Optimum:
    """What a search found, for each of ``B`` problems.

    Attributes
    ----------
    embeddings
        Unit rows, ``(B, *shape, d)``: those of the structure, and the dimension.
    loss, gradient_norm
        ``(B,)``. The gradient is the Riemannian one; see the module's docstring.
    iterations, evaluations, hessian_products
        ``(B,)`` integers: steps tried, losses with gradients, Hessians times vectors.
    stop
        Why each search ended.
    certificate
        Bound on the distance from the global minimum.
    """

    embeddings: Tensor
    loss: Tensor
    gradient_norm: Tensor
    iterations: Tensor
    evaluations: Tensor
    hessian_products: Tensor
    stop: list[StopCode]
    certificate: Certificate

    def uncertified(self) -> list[int]:
        """Problems whose search ended, but not at a certified optimum."""
        open_ = ~(self.certificate.gap <= CERTIFIED[self.embeddings.dtype])
        found: list[int] = open_.nonzero().flatten().tolist()
        return found

    def rows(self, measured: Mapping[str, Tensor]) -> list[dict[str, Any]]:
        """For each problem: what was measured on it, and how its search went."""
        counts = ("gradient_norm", "iterations", "evaluations", "hessian_products")
        columns = {**measured, **vars(self.certificate), **{k: getattr(self, k) for k in counts}}
        # One transfer per column, not one per number, from a GPU.
        values: dict[str, list[Any]] = {name: c.tolist() for name, c in columns.items()}
        values["stop"] = [code.value for code in self.stop]
        u = self.embeddings
        where = {"dtype": str(u.dtype).removeprefix("torch."), "device": str(u.device)}
        rows = zip(*values.values(), strict=True)
        return [dict(zip(values, row, strict=True)) | where for row in rows]

    def update(self, index: Sequence[int], later: Optimum) -> None:
        """Put the outcome of a continued search in place of the earlier one; costs add up."""
        where = list(index)
        for name in ("embeddings", "loss", "gradient_norm"):
            getattr(self, name)[where] = getattr(later, name)
        for name, column in vars(self.certificate).items():
            column[where] = getattr(later.certificate, name)
        for name in ("iterations", "evaluations", "hessian_products"):
            getattr(self, name)[where] += getattr(later, name)
        for i, stop in zip(where, later.stop, strict=True):
            self.stop[i] = stop


def minimise(
    problem: Problem,
    values: Values,
    *,
    d: int,
    seeds: int | Sequence[int] = 0,
    start: Tensor | None = None,
    tolerance: float | None = None,
    max_iterations: int = 1000,
    straighten_after: int | None = STRAIGHTEN_AFTER,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    views: int = 1,
) -> Optimum:
    """Minimise a declared loss over unit embeddings.

    The number ``B`` of problems is the common length of whatever is given per problem:
    tensors in ``values``, ``seeds``, ``start``; single values serve all problems.

    Parameters
    ----------
    problem, values
        A declared loss on a structure, and by name its sizes, and a number or ``(B,)`` tensor
        for each of its parameters.
    d
        Dimension.
    seeds
        Seeds of random starts; not used when ``start`` is given.
    start
        Unit embeddings to start from, ``(*shape, d)`` or ``(B, *shape, d)``. An exact
        saddle is a stationary point: perturb symmetric starts.
    tolerance
        Stop when the gradient norm is at most this times the unit of the problem; by default
        :data:`TOLERANCE`.
    max_iterations
        A safeguard with a stop code of its own, not a way to stop.
    straighten_after
        Steps after which a search that is not there yet is helped out of its valley, once, by
        :mod:`.straighten`; None for never.
    dtype, device
        Precision, and ``"auto"`` (CUDA if there is one), ``"cpu"`` or ``"cuda"``.
    views
        Equal views that each vector stands for in the certificate, as of
        :func:`~cltheory.numeric.search.certificate.certify_bound`.

    """
    where = resolve_device(device)
    if d < 1:
        raise ValueError(f"d must be at least 1, got {d}")
    sizes, parameters = split(problem, values)
    arrangement = arrange(problem.structure, sizes)
    shape = arrangement.shape
    if start is not None and tuple(start.shape[-1 - len(shape) :]) != (*shape, d):
        wanted = ", ".join(map(str, shape))
        raise ValueError(f"start has the shape {tuple(start.shape)}, not (B, {wanted}, {d})")
    chosen = [seeds] if isinstance(seeds, int) else list(seeds)
    count = len(chosen) if start is None else start.shape[: -1 - len(shape)].numel()
    batch = _batch_size(parameters, count)
    bound = bind(problem, values, batch=batch, dtype=dtype, device=where)
    if start is None:
        start = random_embeddings(arrangement, chosen, d=d, dtype=dtype, device=where)
    u = normalise(start.detach().to(device=where, dtype=dtype)).reshape(-1, *shape, d)
    u = u.expand(batch, *u.shape[1:]).clone()

    def straightened(part: BoundProblem, index: Tensor, u: Tensor) -> Tensor:
        return straighten(problem, part, parameters, index, u)

    after = straighten_after if can_be_straightened(problem) else None
    limit = TOLERANCE[dtype] if tolerance is None else tolerance
    run = _Search(u, limit, max_iterations, after, straightened)
    chunks = torch.arange(batch, device=where).split(default_chunk(bound.size, where))
    with torch.no_grad():
        for index in chunks:
            run.run(bound.select(index), index)
        double = bound.to(torch.float64)
        found = [certify_bound(double.select(i), u[i].to(torch.float64), views) for i in chunks]
    certificate = Certificate(
        *(torch.cat(parts) for parts in zip(*(vars(c).values() for c in found), strict=True))
    )
    return Optimum(
        u,
        run.loss,
        run.gradient_norm,
        run.iterations,
        run.evaluations,
        run.products,
        run.stop,
        certificate,
    )


def _batch_size(parameters: Values, count: int) -> int:
    """Common number of problems: of seeds or starts, and of parameters that have several."""
    lengths = {x.numel() for x in parameters.values() if isinstance(x, Tensor)} | {count}
    lengths.discard(1)
    if len(lengths) > 1 or 0 in lengths:
        raise ValueError(
            f"parameters, seeds and start must agree on the number of problems; "
            f"got {', '.join(map(str, sorted(lengths)))}"
        )
    return lengths.pop() if lengths else 1


def default_chunk(size: int, device: torch.device) -> int:
    """How many problems of ``size`` embeddings to work on at a time.

    A larger batch saves calls. On a CPU more than 2**18 entries of N by N matrices (2 MB each in
    float64) save no more of them. On a GPU, memory is the limit.
    """
    entries = 2**26 if device.type == "cuda" else 2**18
    return max(1, min(1024, entries // size**2))


# ------------------------------------------------------------------------ the search itself


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner product per problem: the mean over vectors of their inner products."""
    return torch.linalg.vecdot(a.flatten(1), b.flatten(1)) / a.shape[1:-1].numel()


def _tangent(u: Tensor, v: Tensor) -> Tensor:
    """Part of v orthogonal, vector by vector, to u."""
    return torch.addcmul(v, (v * u).sum(dim=-1, keepdim=True), u, value=-1)


def riemannian(point: Point) -> tuple[Tensor, Tensor]:
    """The Riemannian gradient and its norm."""
    gradient = _tangent(point.u, point.gradient * point.loss.size)
    return gradient, _dot(gradient, gradient).sqrt()


@dataclass
class _State:
    """Problems of a chunk still being worked on, one entry each. Never changed in place."""

    index: Tensor  # where the problem is in the whole batch
    point: Point
    gradient: Tensor  # Riemannian
    norm: Tensor
    radius: Tensor
    best: Tensor  # gradient norm to be halved for the step to count as progress
    idle: Tensor  # steps in a row without progress
    iterations: Tensor
    evaluations: Tensor
    products: Tensor

    def select(self, index: Tensor) -> _State:
        parts = {k: x[index] for k, x in vars(self).items() if isinstance(x, Tensor)}
        return _State(point=self.point.select(index), **parts)


class _Search:
    """Results of all problems of a batch, filled in as they end."""

    def __init__(
        self,
        u: Tensor,
        tolerance: float,
        max_iterations: int,
        straighten_after: int | None,
        straightened: Straightener,
    ) -> None:
        batch = len(u)
        self.u = u  # written to in place
        self.tolerance, self.max_iterations = tolerance, max_iterations
        self.straighten_after, self.straightened = straighten_after, straightened
        self.loss = u.new_full((batch,), torch.nan)
        self.gradient_norm = u.new_full((batch,), torch.nan)
        self.iterations, self.evaluations, self.products = (
            torch.zeros(batch, dtype=torch.long, device=u.device) for _ in range(3)
        )
        self.stop = [StopCode.MAX_ITERATIONS] * batch

    def run(self, loss: BoundProblem, index: Tensor) -> None:
        """Search until every problem of a chunk has ended."""
        state = self._begin(loss, index)
        for steps in count():
            if steps == self.straighten_after:
                state = self._straighten(state)
            converged = state.norm <= self.tolerance * state.point.unit
            stalled = state.idle >= _PATIENCE
            ended = converged | stalled | (state.iterations >= self.max_iterations)
            if bool(ended.any()):
                self._store(state, ended)
                why = torch.where(converged, 0, torch.where(stalled, 1, 2))[ended]
                for i, code in zip(state.index[ended].tolist(), why.tolist(), strict=True):
                    self.stop[i] = _CODES[code]
                if bool(ended.all()):
                    return
                state = state.select((~ended).nonzero().flatten())
            state = self._step(state)

    def _begin(self, loss: BoundProblem, index: Tensor) -> _State:
        point = loss.point(self.u[index])
        gradient, norm = riemannian(point)
        radius, zero = torch.full_like(norm, _FIRST_RADIUS), torch.zeros_like(index)
        return _State(index, point, gradient, norm, radius, norm, zero, zero, zero + 1, zero)

    def _store(self, state: _State, which: Tensor) -> None:
        index = state.index[which]
        self.u[index] = state.point.u[which]
        self.loss[index] = state.point.value[which]
        self.gradient_norm[index] = state.norm[which]
        self.iterations[index] = state.iterations[which]
        self.evaluations[index] = state.evaluations[which]
        self.products[index] = state.products[which]

    def _straighten(self, state: _State) -> _State:
        """The search goes on from straightened embeddings, where they are better."""
        before = state.point.u
        u = self.straightened(state.point.loss, state.index, before)
        changed = (u != before).flatten(1).any(dim=1)
        if not bool(changed.any()):
            return state
        point = state.point.loss.point(u)
        gradient, norm = riemannian(point)
        return replace(
            state,
            point=point,
            gradient=gradient,
            norm=norm,
            radius=torch.where(changed, _FIRST_RADIUS, state.radius),
            best=torch.where(changed, norm, state.best),
            idle=torch.where(changed, 0, state.idle),
            evaluations=state.evaluations + 1,
        )

    def _step(self, state: _State) -> _State:
        """One trust-region step of every problem, taken or refused."""
        point, gradient, norm = state.point, state.gradient, state.norm
        # A residual of norm^1.5 makes convergence superlinear, at far fewer products than
        # norm^2 would take; below the tolerance nothing needs to be resolved.
        unit = point.unit
        relative = (norm / unit).sqrt().clamp(max=0.1)
        target = (norm * relative).maximum(0.3 * self.tolerance * unit)
        step, decrease, at_edge, products = self._newton_step(point, gradient, state.radius, target)
        moved = point.u + step
        length = torch.linalg.vector_norm(moved, dim=-1, keepdim=True)
        trial = point.loss.point(moved / length)
        trial_gradient, trial_norm = riemannian(trial)

        # What the step achieved: by the loss where that can be seen; else by the trapezoid
        # rule, from the slopes at both ends of the curve that was followed, whose rounding
        # errors are relative to the step.
        eps = torch.finfo(norm.dtype).eps
        visible = decrease > _VISIBLE * eps * point.resolution
        velocity = _tangent(trial.u, step) / length
        by_slope = -0.5 * (_dot(gradient, step) + _dot(trial_gradient, velocity))
        achieved = torch.where(visible, point.value - trial.value, by_slope)
        ratio = achieved / decrease
        noise = _NOISE * eps * point.noise * _dot(step, step).sqrt()
        measurable = decrease > noise
        good = torch.where(measurable, ratio > 0.1, trial_norm < norm)

        grown = torch.where(at_edge & (ratio > 0.75), 2 * state.radius, state.radius)
        shrunk = _dot(step, step).sqrt() / 4
        radius = torch.where(good, grown.clamp(max=_LARGEST_RADIUS), shrunk)
        if bool(good.all()):
            point, gradient, norm = trial, trial_gradient, trial_norm
        elif bool(good.any()):
            point = point.mix(good, trial)
            gradient = torch.where(wide(good, gradient.ndim), trial_gradient, gradient)
            norm = torch.where(good, trial_norm, norm)
        progress = measurable | (norm < 0.5 * state.best)
        return _State(
            state.index,
            point,
            gradient,
            norm,
            radius,
            torch.where(progress, norm, state.best),
            torch.where(progress, 0, state.idle + 1),
            state.iterations + 1,
            state.evaluations + 1,
            state.products + products,
        )

    @staticmethod
    def _newton_step(
        point: Point, gradient: Tensor, radius: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Truncated conjugate gradients on the quadratic model, within the trust region.

        Returns the step, the decrease it promises, whether it was cut off at the edge of
        the region, and the number of Hessian products.
        """
        u, size = point.u, point.loss.size
        # The Riemannian Hessian: the projected one, less the pull that keeps rows unit.
        radial = (point.gradient * u).sum(dim=-1, keepdim=True)
        step, residual, direction = torch.zeros_like(gradient), gradient, -gradient
        square = _dot(residual, residual)
        limit, radius_square = target**2, radius**2
        active = square > limit
        at_edge = torch.zeros_like(active)
        products = torch.zeros_like(active, dtype=torch.long)
        zero = torch.zeros_like(square)
        # <step, step>, <step, direction> and <direction, direction> follow from recurrences,
        # as every residual is orthogonal to the directions before it.
        length, along, squared, decrease = zero, zero, square, zero
        for _ in range(_MAX_INNER):
            if not bool(active.any()):
                break
            image = _tangent(u, point.hessian(direction)).addcmul_(radial, direction, value=-1)
            image *= size
            products = products + active
            curvature = _dot(direction, image)
            stride = square / curvature
            longer = length + stride * (2 * along + stride * squared)
            cut = active & ((curvature <= 0) | (longer >= radius_square))
            if bool(cut.any()):
                room = (along**2 + squared * (radius_square - length)).clamp(min=0)
                stride = torch.where(cut, (room.sqrt() - along) / squared, stride)
                at_edge |= cut
            stride = torch.where(active, stride, zero)
            taken = wide(stride, u.ndim)
            step = torch.addcmul(step, taken, direction)
            residual = torch.addcmul(residual, taken, image)
            decrease = decrease + stride * (square - 0.5 * stride * curvature)
            length = length + stride * (2 * along + stride * squared)
            new_square = _dot(residual, residual)
            active = active & ~cut & (new_square > limit)
            ratio = torch.where(active, new_square / square, zero)
            along = ratio * (along + stride * squared)
            squared = new_square + ratio**2 * squared
            direction = (wide(ratio, u.ndim) * direction).sub_(residual)
            square = new_square
        return step, decrease, at_edge, products
