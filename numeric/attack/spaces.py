"""Configurations that bounds are about, as points of a space without constraints.

A start is a row of numbers: its vectors one after the other, then the logarithm of the temperature.
Rows of unit vectors are normalised, so that any row of numbers is a configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import log, prod

import torch
from torch import Tensor

from ...derive.theorem.bounds import About
from .corners import arrangements, logits

#: Temperatures that are tried: below and above, everything is its limit.
COLDEST, HOTTEST = 1e-3, 1e3
#: Temperatures of structured configurations.
TEMPERATURES = (0.02, 0.1, 0.5, 2.0, 100.0)
#: Configurations that a law has, each with its weight.
ATOMS = 3
#: Arrays that are no unit vectors: numbers >= 0 that add up to 1, and any numbers.
WEIGHTS, LOGITS = "weights", "logits"

Named = dict[str, Tensor]


@dataclass(frozen=True)
class Space:
    """All configurations of a kind and of a size.

    Attributes
    ----------
    about
        The kind.
    shapes
        Shape of each array.
    corners
        Structured configurations with their names, without temperatures.
    taus
        Temperatures to choose from; empty where any is.
    """

    about: About
    shapes: Mapping[str, tuple[int, ...]]
    corners: Callable[[], list[tuple[str, Named]]]
    taus: tuple[float, ...] = ()

    @property
    def has_tau(self) -> bool:
        """Whether a temperature is part of a configuration."""
        return self.about not in (About.SOFTMAX, About.VECTORS)

    @property
    def numbers(self) -> int:
        """Numbers that a start is made of."""
        return sum(map(prod, self.shapes.values())) + self.has_tau

    def unpack(self, x: Tensor) -> tuple[Named, Tensor | None]:
        """The arrays and temperatures of starts [starts, numbers]."""
        found: Named = {}
        at = 0
        for name, shape in self.shapes.items():
            part = x[:, at : at + prod(shape)].reshape(-1, *shape)
            at += prod(shape)
            if name == WEIGHTS:
                part = torch.softmax(part, dim=-1)
            elif name != LOGITS:
                part = part / torch.linalg.vector_norm(part, dim=-1, keepdim=True).clamp_min(1e-300)
            found[name] = part
        if not self.has_tau:
            return found, None
        u = x[:, at]
        if not self.taus:
            return found, u.clamp(log(COLDEST), log(HOTTEST)).exp()
        # The number says which one it is; it has no gradient.
        chosen = u.detach().round().long() % len(self.taus)
        return found, torch.tensor(self.taus, dtype=x.dtype, device=x.device)[chosen]

    def pack(self, arrays: Named, tau: float) -> Tensor:
        """The start of a configuration; ``tau`` is one of those allowed."""
        parts = []
        for name in self.shapes:
            value = arrays[name]
            parts.append((value.clamp_min(1e-12).log() if name == WEIGHTS else value).flatten())
        if self.has_tau:
            u = log(tau) if not self.taus else float(self.taus.index(tau))
            parts.append(torch.tensor([u], dtype=parts[0].dtype))
        return torch.cat(parts)

    def structured(self) -> tuple[Tensor, list[str]]:
        """All structured starts, and their names."""
        taus = self.taus or TEMPERATURES if self.has_tau else (1.0,)
        rows, names = [], []
        for (name, arrays), tau in product(self.corners(), taus):
            rows.append(self.pack(arrays, tau))
            names.append(f"{name}, tau {tau:g}" if self.has_tau else name)
        return torch.stack(rows), names

    def random(self, count: int, generator: torch.Generator) -> Tensor:
        """Random starts: some clouds wide and some narrow, at temperatures of all sizes."""
        x = torch.randn(count, self.numbers, generator=generator, dtype=torch.float64)
        # A common direction of any strength, so that cosines are of all sizes.
        drift = torch.randn(count, self.numbers, generator=generator, dtype=torch.float64)
        scale = 3 * torch.rand(count, 1, generator=generator, dtype=torch.float64)
        at = 0
        for name, shape in self.shapes.items():
            size = prod(shape)
            if name == LOGITS:
                x[:, at : at + size] *= 10 ** (scale - 1.5)
            elif name != WEIGHTS:
                d = shape[-1]
                x[:, at : at + size] += (scale * drift[:, :d]).repeat(1, size // d)
            at += size
        if self.has_tau:
            u = torch.rand(count, generator=generator, dtype=torch.float64)
            low, high = log(TEMPERATURES[0]), log(10.0)
            x[:, -1] = (u * len(self.taus)).floor() if self.taus else low + (high - low) * u
        return x


# --- structured configurations -----------------------------------------------------------------
def _anchors(N: int, d: int) -> list[tuple[str, Named]]:
    """One anchor at the first axis: where its positive is, times how its negatives are."""
    e = torch.eye(d, dtype=torch.float64)
    positives = {"positive = anchor": e[0], "positive = -anchor": -e[0]}
    if d > 1:
        positives["positive orthogonal"] = e[1]
        positives["positive at 60 degrees"] = e[0] / 2 + e[1] * 0.75**0.5
    return [
        (f"{name}, negatives {how}", {"anchor": e[0], "positive": p, "negatives": rows})
        for (name, p), (how, rows) in product(positives.items(), arrangements(N, d).items())
    ]


def _pairs(n: int, d: int) -> list[tuple[str, Named]]:
    """Pairs that coincide, are antipodal, or lie as the other vectors do."""
    found = [(f"vectors {how}", {"z": z}) for how, z in arrangements(n, d).items()]
    for how, z in arrangements(n // 2, d).items():
        for name, sign in (("equal", 1), ("antipodal", -1)):
            both = torch.stack([z, sign * z], dim=1).reshape(n, d)
            found.append((f"{name} pairs, {how}", {"z": both}))
    return found


def _logits(N: int, _: int) -> list[tuple[str, Named]]:
    return [(name, {"logits": row}) for name, row in logits(N).items()]


def _batches(b: int, d: int) -> list[tuple[str, Named]]:
    """A candidate on the first axis, against it, off it, or between axes."""
    e = torch.eye(d, dtype=torch.float64)
    candidates = {"first axis": e[0], "last axis": e[-1], "diagonal": e.sum(0) / d**0.5}
    return [
        (f"batch {how}, candidate {name}", {"batch": rows, "candidate": c})
        for (how, rows), (name, c) in product(arrangements(b, d).items(), candidates.items())
    ]


def _laws(N: int, d: int) -> list[tuple[str, Named]]:
    """Each of the structured anchors with its neighbours in the list, with equal weights or not."""
    alone = _anchors(N, d)
    found = []
    for i in range(len(alone)):
        atoms = [alone[(i + k * (k + 1) // 2) % len(alone)] for k in range(ATOMS)]
        arrays = {
            name: torch.stack([a[name] for _, a in atoms])
            for name in ("anchor", "positive", "negatives")
        }
        for how, w in (("equal", [1.0, 1.0, 1.0]), ("rare", [0.98, 0.01, 0.01])):
            weights = torch.tensor(w, dtype=torch.float64)
            found.append(
                (f"{how} weights, {atoms[0][0]}", {"weights": weights / weights.sum(), **arrays})
            )
    return found


@dataclass(frozen=True)
class Kind:
    """How configurations of a kind are made of ``n`` vectors in ``d`` dimensions.

    Attributes
    ----------
    shapes
        Shape of each array.
    corners
        Structured configurations with their names.
    largest, others
        The array with the most vectors, and how many vectors there are beside it.
    least, pairs
        The least n, and whether it must be even.
    """

    shapes: Callable[[int, int], dict[str, tuple[int, ...]]]
    corners: Callable[[int, int], list[tuple[str, Named]]]
    largest: str
    others: int
    least: int = 3
    pairs: bool = False


def space(about: About, n: int, d: int, taus: tuple[float, ...] = ()) -> Space | None:
    """The configurations of ``n`` vectors in ``d`` dimensions; None where there are none.

    ``n`` counts all vectors: of one anchor with its positive, N = n - 2 are negatives, of a batch
    with a candidate n - 1 are in the batch. Logits are N = n - 2.
    """
    kind = KINDS[about]
    if n < kind.least or (kind.pairs and n % 2):
        return None
    found = Space(about, kind.shapes(n, d), lambda: kind.corners(n - kind.others, d))
    return replace(found, taus=taus) if found.has_tau else found


KINDS = {
    About.ANCHOR: Kind(
        lambda n, d: {"anchor": (d,), "positive": (d,), "negatives": (n - 2, d)},
        _anchors,
        "negatives",
        2,
    ),
    About.BATCH: Kind(lambda n, d: {"z": (n, d)}, _pairs, "z", 0, 4, pairs=True),
    About.SOFTMAX: Kind(lambda n, d: {"logits": (n - 2,)}, _logits, "logits", 2),
    About.VECTORS: Kind(
        lambda n, d: {"batch": (n - 1, d), "candidate": (d,)}, _batches, "batch", 1, 2
    ),
    About.LAW: Kind(
        lambda n, d: {
            "weights": (ATOMS,),
            "anchor": (ATOMS, d),
            "positive": (ATOMS, d),
            "negatives": (ATOMS, n - 2, d),
        },
        _laws,
        "negatives",
        2,
    ),
}
