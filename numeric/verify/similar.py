"""Results on kernel losses, whose similarity is a power of the distance: searched, not certified.

Such a loss is not convex in the Gram matrix, so no duality bounds how far a search is from the
least loss. Several starts are compared with what was derived instead. A search that ends below a
derived least loss disagrees. One that ends above it refutes nothing: it did not get there. So that
a least loss that is too small is noticed all the same, the loss at the derived structure is put
beside it, summed over relations to many digits and so also where it is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any, NamedTuple

import torch
from mpmath import mp
from sympy import Expr, N
from torch import Tensor
from torch.autograd.functional import hessian

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.losses.kernel import KERNEL_CLIP, KERNEL_INFONCE, gamma
from ...derive.losses.softmax import SoftmaxLoss, tau
from ...derive.losses.supcl import CROSS_CLASS, SAME_INSTANCE
from ...derive.problems.domains import INSTANCES as SIZES
from ...derive.structures.arrangement import Arrangement, arrange
from ...derive.structures.hierarchy import VIEWS, hierarchy, n, p
from ...derive.structures.scheme import Scheme
from ...derive.structures.towers import NEGATIVE, towers
from ...derive.theorem.number import as_float
from ...derive.theorem.result import Result
from ..problems.embeddings import normalise, perturb, random_embeddings
from ..search.smooth import lowered
from .borders import located
from .checks import CLOSE, CLOSE_LOSS, CLOSE_THRESHOLD, Check, Run, refuse_infinite, refuse_unknown

INSTANCES = hierarchy(VIEWS, (n, NEGATIVE, "instances"))
#: What a search of such a loss is: no certificate goes with it.
OPTIMISED = "optimised"
#: Where vectors coincide the loss may have a kink. So squared distances have the squares of these
#: added, one after the other, each search from where the one before ended.
WIDTHS = (1e-1, 1e-2, 1e-3)
STEPS = 300
#: Vectors nearer than this in the end may be meant to coincide.
NEAR = 1e-3
#: Parameters that are not given take values on both sides of these, as parts of them.
BELOW, ABOVE = 0.8, 1.25
#: How far vectors are moved to see whether they come back.
NUDGE = 1e-3
#: Squared distances have the square of this added where second derivatives are taken.
TINY = 1e-8
#: An eigenvalue of the Hessian below this part of the largest is negative.
NEGATIVE_BELOW = -1e-13
#: Digits of a sum over relations: at tau = 1/100 terms of exp(-100) are lost beside 1 in floats.
DIGITS = 370

Exact = Mapping[str, Any]


@dataclass(frozen=True)
class Kernel:
    """A declared kernel loss at concrete sizes and parameters."""

    loss: SoftmaxLoss
    arrangement: Arrangement
    values: Exact

    @classmethod
    def at(
        cls, loss: SoftmaxLoss, structure: Scheme, sizes: Mapping[str, int], values: Exact
    ) -> Kernel:
        """The loss on a structure of these sizes."""
        return cls(loss, arrange(structure, sizes), values)

    def number(self, e: Expr) -> Any:
        """A coefficient, at the precision of mpmath."""
        put = {s: exact(self.values[s.name]) for s in e.free_symbols}
        return mp.mpf(str(N(e.xreplace(put), mp.dps)))

    def similarity(self, square: Any) -> Any:
        """Over the temperature, of squared distances: numbers or a tensor."""
        power, heat = (self.number(e) for e in (gamma, tau))
        if isinstance(square, Tensor):
            power, heat = float(power), float(heat)
        return -(square ** (power / 2)) / heat

    def precisely(self, inner: Mapping[str, Any]) -> Any:
        """The loss where inner products are the same in every relation, to many digits."""
        counts, total = self.arrangement.counts, mp.mpf(0)
        psi = {r: self.similarity(2 - 2 * x) for r, x in inner.items()}
        for term in self.loss.terms:
            own = [r for r in term.positives if counts[r]]
            pull = sum(counts[r] * psi[r] for r in own) / sum(counts[r] for r in own)
            row = sum(counts[r] * mp.exp(psi[r]) for r in term.denominator if counts[r])
            total += self.number(term.coefficient) * (mp.log(row) - pull)
        return total

    def of_vectors(self, z: Tensor, width: float = 0.0) -> Tensor:
        """The loss of vectors ``(size, d)`` scaled to unit length, as a sum over pairs."""
        u = normalise(z)
        psi = self.similarity((u[:, None] - u).square().sum(dim=-1) + width**2)
        total = psi.new_zeros(())
        for term in self.loss.terms:
            own, seen = (
                torch.from_numpy(self.arrangement.mask(*some))
                for some in (term.positives, term.denominator)
            )
            row = psi.masked_fill(~seen, -torch.inf).logsumexp(dim=1)
            pull = (psi * own).sum(dim=1) / own.sum(dim=1)
            total = total + float(self.number(term.coefficient)) * (row - pull).mean()
        return total

    def search(self, z: Tensor) -> float:
        """The loss that a search from vectors ends with; what is near together is put together."""
        for width in WIDTHS:
            z = normalise(lowered(partial(self.of_vectors, width=width), z, STEPS))
        first = (torch.cdist(z, z) < NEAR).to(torch.uint8).argmax(dim=1)
        together = torch.zeros_like(z).index_add_(0, first, z)[first]
        return min(float(self.of_vectors(x)) for x in (z, together))


@dataclass(frozen=True)
class _At:
    """A result at values of its parameters, and how searches are run."""

    result: Result
    values: Exact
    run: Run
    room: int  #: dimensions that the derived structure needs

    def derived(self, name: str) -> float:
        """The derived value of a quantity there."""
        known = {s.name for s in self.result.parameters}
        return as_float(
            self.result.value(name, **{k: v for k, v in self.values.items() if k in known})
        )

    def sizes(self, *names: str) -> dict[str, int]:
        """Sizes among the values."""
        return {k: int(exact(self.values[k])) for k in names}

    def check(
        self,
        what: str,
        predicted: float,
        measured: float,
        close: float,
        seed: int | None = None,
        reached: bool = True,
    ) -> Check:
        """A comparison; with a seed, of what was optimised."""
        at = ", ".join(f"{k}={v}" for k, v in self.values.items())
        at += "" if seed is None else f", seed {seed}"
        stop = "" if seed is None else OPTIMISED
        fits = self.run.d is None or self.run.d >= self.room or seed is None
        return Check(what, at, predicted, measured, close, stop=stop, covered=fits, reached=reached)

    def at_structure(self, name: str, kernel: Kernel, far: str, points: int) -> Iterator[Check]:
        """The loss where points of a simplex coincide but for those of one relation."""
        with mp.workdps(DIGITS):
            apart = -mp.mpf(1) / (points - 1)
            inner = {r: apart if r == far else mp.mpf(1) for r in kernel.arrangement.counts}
            found = kernel.precisely(inner), kernel.similarity(2 - 2 * apart)
        for what, measured in zip((name, "similarity"), map(float, found), strict=True):
            close = CLOSE_LOSS * abs(measured)
            yield self.check(f"{what}, at the structure", self.derived(what), measured, close)

    def searched(self, kernel: Kernel) -> dict[int, float]:
        """The loss that a search ends with, by seed."""
        d, found = self.run.d or max(kernel.arrangement.size + 1, 3), {}
        for seed in self.run.seeds:
            z = random_embeddings(kernel.arrangement, seed, d=d, dtype=self.run.dtype)
            self.run.tell(f"{self.result.id}, seed {seed}")
            found[seed] = kernel.search(z.flatten(0, -2))
        return found


# --- the results --------------------------------------------------------------------------------


def _infonce(case: _At) -> Iterator[Check]:
    """The least loss at the simplex of coinciding views, and from every seed; in towers as well."""
    sizes = case.sizes("n", "p")
    pairs = {"N": sizes["n"]}
    for name, kernel in (
        ("least_loss", Kernel.at(KERNEL_INFONCE, INSTANCES, sizes, case.values)),
        ("least_loss_towers", Kernel.at(KERNEL_CLIP, towers(), pairs, case.values)),
    ):
        yield from case.at_structure(name, kernel, NEGATIVE, sizes["n"])
        least = case.derived(name)
        for seed, loss in case.searched(kernel).items():
            yield case.check(name, least, loss, case.run.close_loss, seed, loss <= least)


def _supcl(case: _At) -> Iterator[Check]:
    """Below the threshold in alpha collapsed classes are least; above it something is lower."""
    loss, classes, sizes = case.result.declared, case.result.structure, case.sizes("m", "n", "p")
    assert isinstance(loss, SoftmaxLoss) and isinstance(classes, Scheme)
    kernel = Kernel.at(loss, classes, sizes, case.values)
    yield from case.at_structure("loss_collapsed", kernel, CROSS_CLASS, sizes["m"])
    collapsed, derived = case.derived("collapsed"), case.derived("loss_collapsed")
    for seed, found in case.searched(kernel).items():
        is_least = found >= derived - case.run.close_loss
        # A search that finds nothing lower need not have found what is lower.
        yield case.check(
            "collapsed", collapsed, is_least, 0.5, seed, bool(collapsed) or not is_least
        )
        if collapsed:
            yield case.check(
                "loss_collapsed", derived, found, case.run.close_loss, seed, found <= derived
            )


def _threshold(case: _At) -> Iterator[Check]:
    """Where clusters overtake the simplex, where that is no local optimum, and searches beside."""
    k, q, views = case.sizes("k", "q", "p").values()
    sizes = {"n": k * q, "p": views}
    d = case.run.d or k * q * views + 1
    if d < case.room:
        raise DomainError(f"the simplex needs {case.room} dimensions, and d is {d}")
    simplex, clusters = _simplex(k * q, views, d), _simplex(k, q * views, d)

    def at(heat: object) -> Kernel:
        return Kernel.at(KERNEL_INFONCE, INSTANCES, sizes, {**case.values, "tau": heat})

    def is_better(heat: float) -> bool:
        kernel = at(heat)
        return bool(kernel.of_vectors(simplex) < kernel.of_vectors(clusters))

    def is_local(heat: float) -> bool:
        kernel = at(heat)
        bends = hessian(lambda z: kernel.of_vectors(z, TINY), simplex).flatten(2).flatten(0, 1)
        found = torch.linalg.eigvalsh((bends + bends.mT) / 2)
        return bool(found[0] > NEGATIVE_BELOW * found.abs().max())

    rules: tuple[tuple[str, str, Callable[[float], bool], float], ...] = (
        ("tau_clusters", "clusters get a lower loss", is_better, CLOSE_THRESHOLD),
        ("tau_local", "the simplex stops being a local optimum", is_local, CLOSE),
    )
    # For larger exponents nothing is derived below ``tau_local``: see :func:`state_spreading`.
    settled = float(exact(case.values["gamma"])) <= 4 * k * q - 2
    for name, says, holds, close in rules if settled else rules[:1]:
        value = case.derived(name)
        measured = located(holds, value, False, 0.0, float("inf"))
        yield case.check(f"{name}, where {says}", value, measured, close * max(1.0, value))
    border, local = case.derived("tau_clusters"), case.derived("tau_local")
    for name, heat, start, left in (
        ("clusters lead below the simplex", ABOVE * border, clusters, 1.0),
        *([("leaves the simplex from beside it", BELOW * local, simplex, 0.0)] if settled else []),
        ("leaves the simplex from beside it", ABOVE * local, simplex, 1.0),
    ):
        beside = replace(case, values={**case.values, "tau": f"{heat:.6g}"})
        kernel = at(beside.values["tau"])
        for seed in case.run.seeds:
            nudged = perturb(start[None], [seed], NUDGE)[0]
            lower = kernel.search(nudged) < float(kernel.of_vectors(simplex)) - case.run.close_loss
            # Nothing lower found is no proof that nothing is; the borders above are exact.
            yield beside.check(name, left, float(lower), 0.5, seed, lower or not left)


def _simplex(size: int, views: int, d: int) -> Tensor:
    """So many points on a simplex, each so often, ``(size views, d)``."""
    inner = {"self": 1.0, SAME_INSTANCE: 1.0, NEGATIVE: -1 / (size - 1)}
    at = arrange(INSTANCES, {"n": size, "p": views})
    return torch.from_numpy(at.vectors(inner, d)).flatten(0, -2)


# --- values that were not given -----------------------------------------------------------------


def _exponents(result: Result, base: Exact, fixed: Exact) -> Iterator[Exact]:
    """Below the Gaussian, and the Gaussian."""
    for power in [fixed["gamma"]] if "gamma" in fixed else ["1/2", "1", "3/2", "2"]:
        yield {**base, "gamma": power}


def _weights(result: Result, base: Exact, fixed: Exact) -> Iterator[Exact]:
    """Both sides of the threshold in alpha."""
    if "alpha" in fixed:
        yield base
        return
    border = as_float(result.value("alpha_max", **base))
    yield {**base, "alpha": f"{BELOW * border:.6g}"}
    if border < 1:
        yield {**base, "alpha": f"{min(ABOVE * border, (1 + border) / 2):.6g}"}


class Known(NamedTuple):
    """How a result is checked.

    Attributes
    ----------
    defaults
        Values that are not given.
    room
        Sizes whose product is by one more than the dimensions that the structure needs.
    points
        The values to check at, of the result, the defaults with what is given, and what is given.
    compare
        The checks at one of them.
    """

    defaults: Exact
    room: Sequence[str]
    points: Callable[[Result, Exact, Exact], Iterable[Exact]]
    compare: Callable[[_At], Iterator[Check]]


KNOWN: Mapping[str, Known] = {
    "kernel-infonce": Known(
        {"n": "4", "p": "2", "gamma": "1", "tau": "1/2"}, ("n",), _exponents, _infonce
    ),
    "kernel-supcl": Known(
        {"m": "3", "n": "2", "p": "2", "gamma": "1", "tau": "1/2"}, ("m",), _weights, _supcl
    ),
    "kernel-threshold": Known(
        {"k": "2", "q": "2", "gamma": "3", "p": "2"},
        ("k", "q"),
        lambda result, base, fixed: [base],
        _threshold,
    ),
}


def checks(result: Result, fixed: Exact, run: Run) -> list[Check]:
    """All checks of a result that is known here.

    Raises
    ------
    DomainError
        For parameters that the result has not, or values outside of its domain; one line.
    """
    known = KNOWN[result.id]
    own = {s.name for s in result.parameters}
    refuse_unknown(result, fixed, own | set(known.defaults))
    found: list[Check] = []
    for values in known.points(result, {**known.defaults, **fixed}, fixed):
        result.point(**{k: v for k, v in values.items() if k in own})
        refuse_infinite(values)
        if "p" not in own:  # then other views are all the positives
            SIZES.restricted([p]).check({p: exact(values["p"])})
        room = prod(int(exact(values[k])) for k in known.room) - 1
        found += known.compare(_At(result, values, run, room))
    return found
