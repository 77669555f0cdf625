"""A structure at concrete sizes: its pairs, its eigenspaces, and vectors for a Gram matrix.

Everything is read off a :class:`~.scheme.Scheme`. A point is a tuple of indices, and the
relation of two points depends on which of their indices agree; so every relation is a sum of
products of "same index" and "another index", one factor for each axis. Products of contrasts
and constants, one for each axis, are eigenvectors of all of them, and which eigenspace they
belong to is told by their eigenvalues.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod, sqrt

import numpy as np
import numpy.typing as npt
from sympy import Expr, Integer

from .scheme import Scheme

Array = npt.NDArray[np.float64]

# An eigenvalue this small, relative to the trace per vector (which is 1), is taken for
# zero: inner products given as floats carry rounding errors of a few 1e-16 each, which
# the largest multiplicities met here (thousands) raise to at most 1e-12.
_ZERO = 1e-12


def axis_names(scheme: Scheme) -> tuple[str, ...]:
    """Names of the sizes that a structure leaves open, in the order of its axes."""
    names: dict[str, None] = {}
    for axis in scheme.axes:
        names.update(dict.fromkeys(sorted(s.name for s in axis.free_symbols)))
    return tuple(names)


def arrange(scheme: Scheme, sizes: Mapping[str, int]) -> Arrangement:
    """The structure at sizes given by name; the same object for the same sizes.

    Raises
    ------
    ValueError
        If a size is missing, unknown, or leaves an axis without points.
    """
    names = axis_names(scheme)
    if set(sizes) != set(names):
        raise ValueError(
            f"the structure has the sizes {', '.join(names) or '(none)'}; "
            f"got {', '.join(sizes) or 'none'}"
        )
    for name in names:
        if sizes[name] != int(sizes[name]) or sizes[name] < 1:
            each = ", ".join(f"{k}={sizes[k]}" for k in names)
            raise ValueError(f"{' and '.join(names)} must be integers of at least 1, got {each}")
    return _arranged(scheme, tuple(int(sizes[name]) for name in names))


@lru_cache(maxsize=64)
def _arranged(scheme: Scheme, sizes: tuple[int, ...]) -> Arrangement:
    return Arrangement(scheme, dict(zip(axis_names(scheme), sizes, strict=True)))


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A structure at concrete sizes; made by :func:`arrange`.

    Points are numbered as numpy does a tensor of the ``shape``, the last axis fastest.

    Attributes
    ----------
    scheme, sizes
        The structure, and what its symbols are.
    """

    scheme: Scheme
    sizes: Mapping[str, int]

    def _number(self, e: Expr) -> int:
        at = {s: Integer(self.sizes[s.name]) for s in e.free_symbols}
        return int(e.xreplace(at))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many indices each axis has."""
        shape = tuple(self._number(axis) for axis in self.scheme.axes)
        if min(shape) < 1:
            raise ValueError(f"every axis needs a point; the shape is {shape}")
        return shape

    @property
    def size(self) -> int:
        """Number of points."""
        return prod(self.shape)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many partners a point has in each relation."""
        return {r.name: self._number(r.count) for r in self.scheme.relations}

    @cached_property
    def dimensions(self) -> dict[str, int]:
        """Dimension of each eigenspace that has one."""
        found = {e.name: self._number(e.dimension) for e in self.scheme.eigenspaces}
        return {name: dimension for name, dimension in found.items() if dimension > 0}

    @cached_property
    def table(self) -> dict[str, dict[str, int]]:
        """Eigenvalue of each relation on each eigenspace that has a dimension."""
        row = self.scheme.table
        return {e: {r: self._number(row[e][r]) for r in self.counts} for e in self.dimensions}

    # --- pairs ---------------------------------------------------------------------------
    @cached_property
    def agreements(self) -> dict[str, frozenset[tuple[bool, ...]]]:
        """The patterns of each relation that some pair has: which of the indices agree.

        On an axis of one point indices always agree.
        """
        found: dict[str, set[tuple[bool, ...]]] = {name: set() for name in self.counts}
        for pattern, name in self.scheme.pattern.items():
            if all(same or size > 1 for same, size in zip(pattern, self.shape, strict=True)):
                found[name].add(pattern)
        return {name: frozenset(patterns) for name, patterns in found.items()}

    @cached_property
    def relations(self) -> npt.NDArray[np.int8]:
        """Of every pair of points the number of its relation, ``(size, size)``."""
        index = np.indices(self.shape).reshape(len(self.shape), -1)
        code = np.zeros((self.size, self.size), dtype=np.intp)
        for row in index:
            code = 2 * code + (row[:, None] == row)
        names = list(self.counts)
        of = np.array(
            [
                names.index(self.scheme.pattern[pattern])
                for pattern in product((False, True), repeat=len(self.shape))
            ],
            dtype=np.int8,
        )
        return of[code]

    def mask(self, *relations: str) -> npt.NDArray[np.bool_]:
        """True for the pairs in any of some relations, ``(size, size)``."""
        names = list(self.counts)
        meant = np.zeros(len(names), dtype=bool)
        meant[[names.index(relation) for relation in relations]] = True
        found: npt.NDArray[np.bool_] = meant[self.relations]
        return found

    def gram(self, inner: Mapping[str, float]) -> Array:
        """The Gram matrix with an inner product for each relation; that of ``self`` is 1."""
        given = {"self": 1.0, **inner}
        entries = np.array([given.get(name, np.nan) for name in self.counts])
        return entries[self.relations]

    # --- eigenspaces ---------------------------------------------------------------------
    @cached_property
    def _products(self) -> dict[str, list[tuple[bool, ...]]]:
        """For each eigenspace, the products of contrasts (True) and constants that span it."""
        rows = {tuple(row.values()): name for name, row in self.table.items()}
        found: dict[str, list[tuple[bool, ...]]] = {name: [] for name in self.table}
        for kinds in product((True, False), repeat=len(self.shape)):
            if any(kind and size == 1 for kind, size in zip(kinds, self.shape, strict=True)):
                continue
            # Same index: 1 on everything. Another index: -1 on contrasts, all others on constants.
            row = tuple(
                sum(
                    prod(
                        1 if same else -1 if kind else size - 1
                        for same, kind, size in zip(pattern, kinds, self.shape, strict=True)
                    )
                    for pattern in patterns
                )
                for patterns in self.agreements.values()
            )
            if row not in rows:
                raise ValueError(f"no eigenspace of the structure has the eigenvalues {row}")
            found[rows[row]].append(kinds)
        return found

    def basis(self, eigenspace: str) -> Array:
        """Orthonormal columns that span an eigenspace, ``(size, dimension)``."""
        parts = []
        for kinds in self._products[eigenspace]:
            part = np.ones((1, 1))
            for kind, size in zip(kinds, self.shape, strict=True):
                constant = np.full((size, 1), 1 / sqrt(size))
                part = np.kron(part, contrasts(size) if kind else constant)
            parts.append(part)
        return np.concatenate(parts, axis=1)

    def projection(self, eigenspace: str) -> Array:
        """The projection onto an eigenspace, ``(size, size)``: a Gram matrix of its share 1."""
        dimension, row = self.dimensions[eigenspace], self.table[eigenspace]
        entries = [
            dimension * row[r] / (self.size * count) if count else 0.0
            for r, count in self.counts.items()
        ]
        return np.array(entries)[self.relations]

    # --- inner products, eigenvalues and shares --------------------------------------------
    def eigenvalues(self, inner: Mapping[str, float]) -> dict[str, float]:
        """Eigenvalues of the Gram matrix with these inner products."""
        given = {"self": 1.0, **inner}
        return {
            name: float(sum(row[r] * given[r] for r in row if row[r]))
            for name, row in self.table.items()
        }

    def shares(self, inner: Mapping[str, float]) -> dict[str, float]:
        """Parts of the trace that belong to each eigenspace; they add up to one."""
        values = self.eigenvalues(inner)
        return {name: self.dimensions[name] * values[name] / self.size for name in values}

    def inner(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Inner products, by relation, of the Gram matrix with these shares; nan without pairs."""
        return {
            r: float(sum(shares.get(e, 0.0) * row[r] for e, row in self.table.items())) / count
            if count
            else float("nan")
            for r, count in self.counts.items()
        }

    def vectors(self, inner: Mapping[str, float], d: int | None = None) -> Array:
        """Unit vectors with an inner product for each relation, ``(*shape, d)``.

        Parameters
        ----------
        inner
            The inner products; that of ``self`` is 1, and one that no pair has is ignored.
        d
            The dimension, by default the least; unused coordinates are zero.

        Raises
        ------
        ValueError
            If no vectors have these inner products, or ``d`` is less than their rank.
        """
        missing = [r for r, count in self.counts.items() if count and r not in (*inner, "self")]
        if missing:
            raise ValueError(f"inner products are missing of {', '.join(missing)}")
        values = self.eigenvalues({r: inner[r] if self.counts[r] else 0.0 for r in inner})
        parts = []
        for name, value in values.items():
            if value < -_ZERO * self.size:
                says = ", ".join(f"{inner[r]:g}" for r in self.counts if r in inner)
                raise ValueError(
                    f"no vectors have inner products {says}: "
                    f"the Gram matrix has the eigenvalue {value:.3g} ({name})"
                )
            if value > _ZERO * self.size:
                parts.append(sqrt(value) * self.basis(name))
        rows = np.concatenate(parts, axis=1)
        rank = rows.shape[1]
        d = rank if d is None else d
        if rank > d:
            raise ValueError(f"this structure needs d >= {rank}, got d={d}")
        out = np.zeros((self.size, d))
        out[:, :rank] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return out.reshape(*self.shape, d)


def contrasts(size: int) -> Array:
    """Orthonormal columns that sum to zero (Helmert), ``(size, size - 1)``."""
    out = np.zeros((size, size - 1))
    for k in range(1, size):
        out[:k, k - 1] = 1 / sqrt(k * (k + 1))
        out[k, k - 1] = -k / sqrt(k * (k + 1))
    return out
