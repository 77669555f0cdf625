"""Results on losses whose similarity is not the inner product: optimised, and not certified.

Such a loss is not convex in the Gram matrix, so no duality bounds how far a search is from the
least loss. Several starts are compared with what was derived instead. A search that ends below a
derived least loss disagrees. One that ends above it refutes nothing: it did not get there, and what
is read from it says nothing either. So that a least loss that is too small is noticed all the
same, the loss at the derived structure is put beside it, to many digits and so also where it is
flat.

What the quantities of these results are in embeddings is said here, by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import torch
from mpmath import mp
from sympy import Float
from torch import Tensor

from ...derive.decide.domain import Domain, DomainError
from ...derive.decide.exact import exact
from ...derive.losses.kernel import KERNEL_CLIP, KERNEL_INFONCE
from ...derive.losses.softmax import SoftmaxLoss
from ...derive.losses.supcl import CROSS_CLASS, SAME_CLASS, SAME_INSTANCE
from ...derive.problems.domains import INSTANCES as SIZES
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement, arrange
from ...derive.structures.hierarchy import VIEWS, hierarchy, n, p
from ...derive.structures.scheme import Scheme
from ...derive.structures.towers import NEGATIVE, towers
from ...derive.structures.towers import POSITIVE as ALIGNED
from ...derive.theorem.result import Result
from ..problems import bind
from ..problems.embeddings import perturb, structured_embeddings
from ..problems.parameters import Values
from .borders import located
from .checks import CLOSE, CLOSE_FLOAT32, CLOSE_LOSS, CLOSE_THRESHOLD, Check, Run
from .coincide import search
from .precise import DIGITS, FLOAT_DIGITS, instances_part, loss_at

#: What a search of such a loss is: no certificate goes with it.
OPTIMISED = "optimised"
INSTANCES = hierarchy(VIEWS, (n, NEGATIVE, "instances"))
#: Parameters that are not given take values on both sides of these, as parts of them.
BELOW, ABOVE = 0.8, 1.25
#: How far vectors are moved to see whether they come back.
NUDGE = 1e-3
#: A lower eigenvalue of the Hessian is negative, over the largest in size; those of rotations are
#: zero but for rounding.
NEGATIVE_BELOW = -1e-13

Exact = Mapping[str, Any]
Sizes = Mapping[str, int]
#: Predicted and measured, by what it is.
Readings = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class _At:
    """A result at values of its parameters, and how searches are run."""

    result: Result
    values: Exact
    run: Run
    room: int  #: dimensions that the derived structure needs

    def derived(self, name: str, **more: Any) -> float:
        """The derived value of a quantity there."""
        known = {s.name for s in self.result.parameters}
        at = {k: v for k, v in {**self.values, **more}.items() if k in known}
        return float(self.result.value(name, **at))

    def number(self, name: str) -> float:
        """A parameter as a float."""
        return float(exact(self.values[name]))

    def close(self, tolerance: float) -> float:
        """What counts as agreement, which is coarser in float32."""
        return tolerance if self.run.dtype is torch.float64 else max(tolerance, CLOSE_FLOAT32)

    @property
    def where(self) -> str:
        """The values in words."""
        return ", ".join(f"{k}={v}" for k, v in self.values.items())

    def check(
        self,
        what: str,
        predicted: float,
        measured: float,
        tolerance: float,
        seed: int | None,
        reached: bool = True,
    ) -> Check:
        """A comparison; with a seed, of what was optimised."""
        at = self.where + ("" if seed is None else f", seed {seed}")
        stop = "" if seed is None else OPTIMISED
        fits = self.run.d is None or self.run.d >= self.room
        close = self.close(tolerance)
        return Check(what, at, predicted, measured, close, stop=stop, covered=fits, reached=reached)

    def least(
        self, name: str, least: float, loss: float, seed: int, readings: Readings
    ) -> Iterator[Check]:
        """A derived least loss beside one that was found, and what is read where that was."""
        close = self.close(CLOSE_LOSS)
        reached = loss <= least + close
        yield self.check(name, least, loss, CLOSE_LOSS, seed, reached)
        for what, (predicted, measured) in readings.items():
            near = abs(measured - predicted) <= self.close(CLOSE)
            # The loss of it is right up to rounding, but it is not where it was derived to be.
            flat = not near and abs(loss - least) <= close
            said = f"{what} (too flat to tell)" if flat else what
            found = self.check(said, predicted, measured, CLOSE, seed, reached)
            yield replace(found, covered=found.covered and not flat)

    def at_structure(
        self, name: str, similarity: str, loss: SoftmaxLoss, structure: Scheme, sizes: Sizes
    ) -> Iterator[Check]:
        """The loss at points of a simplex that coincide but for one relation, to many digits."""
        counts = arrange(structure, sizes).counts
        points = sizes.get("m", sizes.get("n", sizes.get("N", 0)))
        least, below = self.derived(name), self.derived(similarity)
        with mp.workdps(DIGITS + FLOAT_DIGITS):
            far = -mp.mpf(1) / (points - 1)
            inner = {r: far if r in (NEGATIVE, CROSS_CLASS) else mp.mpf(1) for r in counts}
            there = float(loss_at(loss, counts, inner, self.values))
            square = 2 - 2 * far
            power, heat = self.number("gamma"), self.number("tau")
            psi = float(-(square ** (mp.mpf(power) / 2)) / mp.mpf(heat))
        for what, predicted, measured in ((name, least, there), (similarity, below, psi)):
            close = CLOSE_LOSS * abs(measured)
            yield Check(f"{what}, at the structure", self.where, predicted, measured, close)


@dataclass(frozen=True)
class _Found:
    """Embeddings that a search found from every seed, with their losses."""

    loss: SoftmaxLoss
    arrangement: Arrangement
    numbers: Values
    embeddings: Tensor
    losses: list[float]

    def farthest(self, relation: str, predicted: float, similar: bool = False) -> list[float]:
        """The inner product (or similarity) of the pair that is farthest from what was derived."""
        u = self.embeddings.double().flatten(1, -2).cpu()
        pairs = (u @ u.mT)[:, torch.tensor(self.arrangement.mask(relation))].clamp(max=1)
        ends = [[float(x) for x in row] for row in zip(*pairs.aminmax(dim=1), strict=True)]
        if similar:  # which rises with the inner product
            ends = [[self._similar(x) for x in row] for row in ends]
        return [max(row, key=lambda x: abs(x - predicted)) for row in ends]

    def _similar(self, inner: float) -> float:
        seen = self.loss.similar(Float(inner)) / self.loss.temperature
        return float(seen.xreplace({s: Float(self.numbers[s.name]) for s in seen.free_symbols}))


def _problem(loss: SoftmaxLoss, structure: Scheme) -> Problem:
    """A problem whose values have been checked already."""
    return Problem(loss, structure, Domain({}, {}))


def _searched(of: _At, loss: SoftmaxLoss, structure: Scheme, sizes: Mapping[str, int]) -> _Found:
    problem = _problem(loss, structure)
    arrangement = arrange(structure, sizes)
    names = [k for k in ("tau", "gamma", "alpha") if k in of.values]
    numbers = {**sizes, **{k: of.number(k) for k in names}}
    of.run.tell(f"{of.result.id} at {of.where}")
    d = of.run.d or max(arrangement.size + 1, 3)
    u, losses = search(
        problem, numbers, d=d, seeds=of.run.seeds, dtype=of.run.dtype, device=of.run.device
    )
    return _Found(loss, arrangement, numbers, u, losses.tolist())


# --- the results --------------------------------------------------------------------------------


def _infonce(of: _At) -> Iterator[Check]:
    """The least loss, coinciding views and the simplex, from every seed; in two towers as well."""
    size, views = int(of.number("n")), int(of.number("p"))
    below = of.derived("similarity")
    places: list[tuple[str, str, SoftmaxLoss, Scheme, dict[str, int], str]] = [
        ("least_loss", "", KERNEL_INFONCE, INSTANCES, {"n": size, "p": views}, SAME_INSTANCE),
        ("least_loss_towers", " in towers", KERNEL_CLIP, towers(), {"N": size}, ALIGNED),
    ]
    for name, said, loss, structure, sizes, positive in places:
        least = of.derived(name)
        found = _searched(of, loss, structure, sizes)
        together = found.farthest(positive, 1.0)
        apart = found.farthest(NEGATIVE, below, similar=True)
        yield from of.at_structure(name, "similarity", loss, structure, sizes)
        for i, seed in enumerate(of.run.seeds):
            read = {positive: (1.0, together[i]), f"similarity{said}": (below, apart[i])}
            yield from of.least(name, least, found.losses[i], seed, read)


def _supcl(of: _At) -> Iterator[Check]:
    """Below the threshold in alpha classes are collapsed; above it something is lower."""
    sizes = {k: int(of.number(k)) for k in ("m", "n", "p")}
    classes = of.result.structure
    loss = of.result.declared
    assert isinstance(loss, SoftmaxLoss) and isinstance(classes, Scheme)
    collapsed = of.derived("collapsed")
    there = of.derived("loss_collapsed")
    found = _searched(of, loss, classes, sizes)
    gaps = found.farthest(CROSS_CLASS, below := of.derived("similarity"), similar=True)
    together = found.farthest(SAME_CLASS, 1.0)
    yield from of.at_structure("loss_collapsed", "similarity", loss, classes, sizes)
    parted = instances_part(loss, found.arrangement.counts, sizes, of.values)
    if parted is not None:
        name = "collapsed, where instances part"
        yield of.check(name, collapsed, float(not parted), 0.5, None)
    for i, seed in enumerate(of.run.seeds):
        is_least = found.losses[i] >= there - of.close(CLOSE_LOSS)
        # A search that finds nothing lower need not have found what is lower.
        settled = bool(collapsed) or not is_least
        yield of.check("collapsed", collapsed, float(is_least), 0.5, seed, settled)
        if collapsed:
            read = {SAME_CLASS: (1.0, together[i]), "similarity": (below, gaps[i])}
            yield from of.least("loss_collapsed", there, found.losses[i], seed, read)


def _threshold(of: _At) -> Iterator[Check]:
    """Where clusters overtake the simplex, where that is no local optimum, and searches beside."""
    k, q, views = (int(of.number(x)) for x in ("k", "q", "p"))
    sizes = {"n": k * q, "p": views}
    problem = _problem(KERNEL_INFONCE, INSTANCES)
    arrangement = arrange(INSTANCES, sizes)
    d = of.run.d or arrangement.size + 1
    if d < of.room:
        raise DomainError(f"the simplex needs {of.room} dimensions, and d is {d}")
    simplex = _simplex(k * q, views, d)
    clusters = _simplex(k, q * views, d).reshape(simplex.shape)
    gamma = of.number("gamma")

    def at(tau: float) -> Any:
        return bind(problem, {**sizes, "gamma": gamma, "tau": tau})

    def is_better(tau: float) -> bool:
        return bool(at(tau).value(simplex) < at(tau).value(clusters))

    def is_local(tau: float) -> bool:
        return _curvature(at(tau), simplex) > NEGATIVE_BELOW

    rules: tuple[tuple[str, str, Callable[[float], bool], float], ...] = (
        ("tau_clusters", "clusters get a lower loss", is_better, CLOSE_THRESHOLD),
        ("tau_local", "the simplex stops being a local optimum", is_local, CLOSE),
    )
    # For larger exponents nothing is derived below ``tau_local``: see :func:`state_spreading`.
    settled = gamma <= 4 * k * q - 2
    for name, says, holds, close in rules if settled else rules[:1]:
        value = of.derived(name)
        measured = located(holds, value, False, 0.0, float("inf"))
        yield of.check(f"{name}, where {says}", value, measured, close * max(1.0, value), None)
    border, local = of.derived("tau_clusters"), of.derived("tau_local")
    seeds, run = of.run.seeds, of.run
    for name, tau, start, left in (
        ("clusters lead below the simplex", ABOVE * border, clusters, 1.0),
        *([("leaves the simplex from beside it", BELOW * local, simplex, 0.0)] if settled else []),
        ("leaves the simplex from beside it", ABOVE * local, simplex, 1.0),
    ):
        beside = replace(of, values={**of.values, "tau": f"{tau:.6g}"})
        run.tell(f"{of.result.id} at {beside.where}")
        values = {**sizes, "gamma": gamma, "tau": beside.number("tau")}
        nudged = perturb(start.expand(len(seeds), *start.shape[1:]), seeds, NUDGE)
        _, losses = search(problem, values, d=d, start=nudged, dtype=run.dtype, device=run.device)
        one = float(at(values["tau"]).value(simplex))
        for seed, loss in zip(seeds, losses.tolist(), strict=True):
            lower = float(loss < one - of.close(CLOSE_LOSS))
            # Nothing lower found is no proof that nothing is; the borders above are exact.
            yield beside.check(name, left, lower, 0.5, seed, bool(lower) or not left)


def _simplex(size: int, views: int, d: int) -> Tensor:
    """So many points on a simplex, each so often, ``(1, size, views, d)``."""
    at = arrange(INSTANCES, {"n": size, "p": views})
    inner = {"self": 1.0, SAME_INSTANCE: 1.0, NEGATIVE: -1 / (size - 1)}
    return structured_embeddings(at, inner, d)[None]


def _curvature(bound: Any, u: Tensor) -> float:
    """The least eigenvalue of the Riemannian Hessian, over the largest in size; ``(1, *shape, d)``.

    Just beyond the Gaussian the border is at a high temperature, where all of them are small.
    """
    point = bound.point(u)
    rows = u[0].flatten(0, -2)
    size, d = rows.shape
    units = torch.eye(size * d, dtype=u.dtype).view(-1, size, d)
    inward = units - (units * rows).sum(dim=-1, keepdim=True) * rows
    radial = (point.gradient[0].flatten(0, -2) * rows).sum(dim=-1, keepdim=True)
    images = []
    for v in inward:
        turned = point.hessian(v.view_as(u))[0].flatten(0, -2) - radial * v
        images.append(turned - (turned * rows).sum(dim=-1, keepdim=True) * rows)
    hessian = torch.stack(images).flatten(1)
    found = torch.linalg.eigvalsh((hessian + hessian.mT) / 2)
    return float(found[0] / found.abs().max())


# --- values that were not given -----------------------------------------------------------------


def _exponents(of: Result, given: Exact) -> Iterator[dict[str, Any]]:
    """Below the Gaussian, and the Gaussian."""
    for gamma in [given["gamma"]] if "gamma" in given else ["1/2", "1", "3/2", "2"]:
        yield {**DEFAULTS[of.id], **given, "gamma": gamma}


def _weights(of: Result, given: Exact) -> Iterator[dict[str, Any]]:
    """Both sides of the threshold in alpha."""
    base = {**DEFAULTS[of.id], **given}
    if "alpha" in given:
        yield base
        return
    border = float(of.value("alpha_max", **base))
    yield {**base, "alpha": f"{BELOW * border:.6g}"}
    if border < 1:
        yield {**base, "alpha": f"{min(ABOVE * border, (1 + border) / 2):.6g}"}


def _as_given(of: Result, given: Exact) -> Iterator[dict[str, Any]]:
    yield {**DEFAULTS[of.id], **given}


DEFAULTS: Mapping[str, Exact] = {
    "kernel-infonce": {"n": "4", "p": "2", "gamma": "1", "tau": "1/2"},
    "kernel-supcl": {"m": "3", "n": "2", "p": "2", "gamma": "1", "tau": "1/2"},
    "kernel-threshold": {"k": "2", "q": "2", "gamma": "3", "p": "2"},
}
#: The product of these sizes is by one more than the dimensions that the structure needs.
ROOM = {"kernel-infonce": ("n",), "kernel-supcl": ("m",), "kernel-threshold": ("k", "q")}
KNOWN: Mapping[
    str,
    tuple[Callable[[Result, Exact], Iterator[dict[str, Any]]], Callable[[_At], Iterator[Check]]],
] = {
    "kernel-infonce": (_exponents, _infonce),
    "kernel-supcl": (_weights, _supcl),
    "kernel-threshold": (_as_given, _threshold),
}


def checks(result: Result, given: Exact, run: Run) -> list[Check]:
    """All checks of a result that is known here.

    Raises
    ------
    DomainError
        For parameters that the result has not, or values outside of its domain; one line.
    """
    points, compare = KNOWN[result.id]
    own = {s.name for s in result.parameters}
    known = own | set(DEFAULTS[result.id])
    for name in given:
        if name not in known:
            raise DomainError(
                f"{result.id} has no parameter {name}; it takes {', '.join(sorted(known))}"
            )
    found: list[Check] = []
    for values in points(result, given):
        result.point(**{k: v for k, v in values.items() if k in own})
        for name, value in values.items():
            if not exact(value).is_finite:
                raise DomainError(
                    f"embeddings need finite parameters: give a finite {name} to verify"
                )
        if "p" not in own:  # then other views are all the positives
            SIZES.restricted([p]).check({p: exact(values["p"])})
        room = prod(int(exact(values[k])) for k in ROOM[result.id]) - 1
        found += compare(_At(result, values, run, room))
    return found
