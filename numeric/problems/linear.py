r"""What is linear in the Gram matrix: ``<W, G>`` for a matrix W that is constant on relations.

A relation says on which axes two indices agree, so W is a combination of Kronecker products of
I ("agree") and J - I ("differ"), hence of I and J: with ``sum_S`` the sums of vectors over all
axes but those in S,

.. math:: \langle W, G\rangle = \sum_S a_S\, |{\textstyle\sum_S} u|^2,

which costs :math:`O(Nd)`. For nested classes only the leading axes can be kept, and the terms
are the squared lengths of vectors, sums of instances, sums of classes, and the sum of all. Pairs of
different orbits have one entry of W, and cost the sums of the orbits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import torch
from torch import Tensor

from ...derive.structures.arrangement import Arrangement, Orbits
from .problem import wide


@dataclass(frozen=True)
class Linear:
    """``<W, G>`` for ``B`` problems.

    Attributes
    ----------
    shape
        Sizes of the axes that have more than one point.
    kept, weights
        The axes that are not summed over, coarsest first, and a weight ``(B,)`` for each.
    """

    shape: tuple[int, ...]
    kept: tuple[tuple[int, ...], ...]
    weights: tuple[Tensor, ...]

    def __bool__(self) -> bool:
        return bool(self.kept)

    def change(self, change: Callable[[Tensor], Tensor]) -> Linear:
        """The same with other weights."""
        return replace(self, weights=tuple(change(w) for w in self.weights))

    def _sums(self, v: Tensor) -> list[Tensor]:
        """For each of ``kept`` the sums, with axes of length one where they were taken."""
        v = v.reshape(v.shape[0], *self.shape, v.shape[-1])
        found: dict[tuple[int, ...], Tensor] = {tuple(range(len(self.shape))): v}
        for kept in reversed(self.kept):
            if kept not in found:
                finer = min((k for k in found if set(k) >= set(kept)), key=len)
                over = [axis + 1 for axis in finer if axis not in kept]
                found[kept] = found[finer].sum(dim=over, keepdim=True)
        return [found[kept] for kept in self.kept]

    def value(self, u: Tensor) -> Tensor:
        """``<W, G>``, ``(B,)``."""
        total = u.new_zeros(u.shape[0])
        for weight, vectors in zip(self.weights, self._sums(u), strict=True):
            total = total + weight * vectors.square().flatten(1).sum(dim=1)
        return total

    def gradient(self, v: Tensor) -> Tensor:
        """``2 W v``: the gradient of ``<W, G>`` at v, and by linearity its derivative along v."""
        total: Tensor | None = None
        for weight, vectors in zip(self.weights, self._sums(v), strict=True):
            part = wide(2 * weight, vectors.ndim) * vectors
            total = part if total is None else total + part
        if total is None:
            return torch.zeros_like(v)
        whole = total.expand(v.shape[0], *self.shape, v.shape[-1])
        return whole.reshape(v.shape)

    def add_to(self, matrices: Tensor, factor: float) -> None:
        """Add ``factor * W`` to ``(B, size, size)``, in place."""
        axes = len(self.shape)
        for kept, weight in zip(self.kept, self.weights, strict=True):
            if len(kept) == axes:
                entries = matrices.diagonal(dim1=1, dim2=2)
            elif kept == tuple(range(len(kept))):  # diagonal blocks
                blocks = 1
                for axis in kept:
                    blocks *= self.shape[axis]
                k = matrices.shape[-1] // blocks
                entries = matrices.view(-1, blocks, k, blocks, k).diagonal(dim1=1, dim2=3)
            else:
                entries = matrices.view(-1, *self.shape, *self.shape)
                for done, axis in enumerate(kept):
                    # Each diagonal moves to the end, and takes its two dimensions away.
                    first = 1 + axis - done
                    entries = entries.diagonal(dim1=first, dim2=first + axes - done)
            entries.add_(wide(factor * weight, entries.ndim))


@dataclass(frozen=True)
class OnOrbits:
    """``<W, G>`` on several orbits.

    Attributes
    ----------
    inside
        Where each orbit is, and what W is there.
    across
        ``(B, orbits, orbits)``, the entry of W between two of them; zero on the diagonal.
    """

    inside: tuple[tuple[slice, Linear], ...]
    across: Tensor

    def change(self, change: Callable[[Tensor], Tensor]) -> OnOrbits:
        """The same with other weights."""
        inside = tuple((where, of.change(change)) for where, of in self.inside)
        return OnOrbits(inside, change(self.across))

    def _sums(self, v: Tensor) -> Tensor:
        return torch.stack([v[:, where].sum(dim=1) for where, _ in self.inside], dim=1)

    def value(self, u: Tensor) -> Tensor:
        """``<W, G>``, ``(B,)``."""
        sums = self._sums(u)
        between = ((self.across @ sums) * sums).sum(dim=(1, 2))
        return torch.stack([of.value(u[:, where]) for where, of in self.inside]).sum(0) + between

    def gradient(self, v: Tensor) -> Tensor:
        """``2 W v``."""
        others = 2 * self.across @ self._sums(v)
        parts = [
            of.gradient(v[:, where]) + others[:, k, None]
            for k, (where, of) in enumerate(self.inside)
        ]
        return torch.cat(parts, dim=1)

    def add_to(self, matrices: Tensor, factor: float) -> None:
        """Add ``factor * W`` to ``(B, size, size)``, in place."""
        for i, (rows, of) in enumerate(self.inside):
            of.add_to(matrices[:, rows, rows], factor)
            for j, (columns, _) in enumerate(self.inside):
                if i != j:
                    matrices[:, rows, columns] += wide(factor * self.across[:, i, j], 3)


def linear(arrangement: Arrangement, per_pair: Mapping[str, Tensor]) -> Linear | OnOrbits:
    """``<W, G>`` from the entry of W for each relation, ``(B,)`` each."""
    if not isinstance(arrangement, Orbits) or not per_pair:
        return _on_scheme(arrangement, per_pair)
    names = list(arrangement.parts)
    inside: dict[str, dict[str, Tensor]] = {name: {} for name in names}
    first = next(iter(per_pair.values()))
    across = first.new_zeros(len(first), len(names), len(names))
    for r in arrangement.whole.relations:
        if r.name in per_pair and r.left == r.right:
            inside[r.left][r.kind] = per_pair[r.name]
        elif r.name in per_pair:
            i, j = names.index(r.left), names.index(r.right)
            across[:, i, j] = across[:, j, i] = per_pair[r.name]
    parts = zip(arrangement.anchors, arrangement.parts.items(), strict=True)
    return OnOrbits(
        tuple((a.where, _on_scheme(part, inside[name])) for a, (name, part) in parts), across
    )


def _on_scheme(arrangement: Arrangement, per_pair: Mapping[str, Tensor]) -> Linear:
    found: dict[tuple[int, ...], Tensor] = {}
    for kept, times in _coefficients(arrangement):
        parts = [k * per_pair[r] for r, k in times.items() if r in per_pair]
        if parts:
            found[kept] = torch.stack(parts).sum(dim=0) if len(parts) > 1 else parts[0]
    shape = tuple(size for size in arrangement.shape if size > 1)
    return Linear(shape, tuple(found), tuple(found.values()))


@lru_cache(maxsize=64)
def _coefficients(arrangement: Arrangement) -> list[tuple[tuple[int, ...], dict[str, int]]]:
    """For each set of axes that is kept, how often the entry of each relation counts."""
    # On an axis of one point all indices agree: it says nothing.
    axes = [axis for axis, size in enumerate(arrangement.shape) if size > 1]
    found = []
    for number in range(len(axes) + 1):
        for kept in combinations(range(len(axes)), number):
            # (J - I) on the axes that differ: -I for each of them that is kept.
            times: dict[str, int] = {}
            for relation, patterns in arrangement.agreements.items():
                agree = [{k for k, axis in enumerate(axes) if x[axis]} for x in patterns]
                signs = [(-1) ** (number - len(a)) for a in agree if a <= set(kept)]
                if sum(signs):
                    times[relation] = sum(signs)
            found.append((kept, times))
    return found
