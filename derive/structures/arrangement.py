"""A structure at concrete sizes: its pairs, its eigenspaces, and vectors for a Gram matrix.

Everything is read off a :class:`~.scheme.Scheme`. A point is a tuple of indices, and the
relation of two points depends on which of their indices agree; so every relation is a sum of
products of "same index" and "another index", one factor for each axis. Products of contrasts
and constants, one for each axis, are eigenvectors of all of them, and which eigenspace they
belong to is told by their eigenvalues.

A scheme is one orbit. Several stand one after the other (:class:`Orbits`): the points of each are
arranged as its own scheme says, and an eigenspace that occurs in several of them has a small
matrix, a block, not a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from itertools import product
from math import prod, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sympy import Expr, Integer

from ..frozen import Frozen
from .configuration import Block, Configuration, single
from .scheme import Scheme

Array = npt.NDArray[np.float64]

# An eigenvalue this small, relative to the trace per vector (which is 1), is taken for
# zero: inner products given as floats carry rounding errors of a few 1e-16 each, which
# the largest multiplicities met here (thousands) raise to at most 1e-12.
_ZERO = 1e-12


class Anchors(NamedTuple):
    """Points that are all alike, and what they see: kind and number of partners by relation."""

    where: slice
    kinds: Mapping[str, str]
    counts: Mapping[str, int]


def axis_names(scheme: Scheme | Configuration) -> tuple[str, ...]:
    """Names of the sizes that a structure leaves open, in the order of its axes."""
    names: dict[str, None] = {}
    for axis in scheme.axes:
        names.update(dict.fromkeys(sorted(s.name for s in axis.free_symbols)))
    return tuple(names)


def arrange(scheme: Scheme | Configuration, sizes: Mapping[str, int]) -> Arrangement:
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
def _arranged(scheme: Scheme | Configuration, sizes: tuple[int, ...]) -> Arrangement:
    named = dict(zip(axis_names(scheme), sizes, strict=True))
    return (Orbits if isinstance(scheme, Configuration) else Arrangement)(scheme, named)


class Arrangement(Frozen):
    """A structure at concrete sizes; made by :func:`arrange`.

    Points are numbered as numpy does a tensor of the ``shape``, the last axis fastest.

    Attributes
    ----------
    scheme, sizes
        The structure, and what its symbols are.
    """

    scheme: Scheme | Configuration
    sizes: Mapping[str, int]

    @property
    def _scheme(self) -> Scheme:
        assert isinstance(self.scheme, Scheme)
        return self.scheme

    @cached_property
    def whole(self) -> Configuration:
        """The structure, as orbits and blocks."""
        return single(self.scheme) if isinstance(self.scheme, Scheme) else self.scheme

    @cached_property
    def parts(self) -> dict[str, Arrangement]:
        """Each orbit by itself."""
        return {orbit.name: self for orbit in self.whole.orbits}

    @cached_property
    def _where(self) -> dict[str, slice]:
        ends = np.cumsum([0, *(part.size for part in self.parts.values())]).tolist()
        return {name: slice(*ends[k : k + 2]) for k, name in enumerate(self.parts)}

    @cached_property
    def _entries(self) -> dict[str, tuple[Block, int, int]]:
        blocks = [b for b in self.whole.blocks if self._number(b.multiplicity) > 0]
        return {b.entry(i, j): (b, i, j) for b in blocks for i, j in b.slots()}

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
        """How many partners a point has in each relation (of its left orbit, if several)."""
        return {r.name: self._number(r.count) for r in self.scheme.relations}

    @cached_property
    def pairs(self) -> dict[str, int]:
        """How many ordered pairs each relation has; one between orbits is seen from both."""
        return {
            r.name: self.counts[r.name] * self.parts[r.left].size * (1 if r.left == r.right else 2)
            for r in self.whole.relations
        }

    @cached_property
    def anchors(self) -> tuple[Anchors, ...]:
        """The orbits of points; one, on a scheme."""
        found = []
        for name, where in self._where.items():
            seen = self.whole.seen(name)
            counts = {r.name: self._number(r.partners(name)) for r in seen}
            found.append(Anchors(where, {r.name: r.kind for r in seen}, counts))
        return tuple(found)

    @cached_property
    def dimensions(self) -> dict[str, int]:
        """Dimension of each block that has one, in all orbits together."""
        blocks = {b.name: b for b, _, _ in self._entries.values()}
        return {k: self._number(b.multiplicity) * b.size for k, b in blocks.items()}

    @cached_property
    def table(self) -> dict[str, dict[str, int]]:
        """Eigenvalue of each relation on each eigenspace that has a dimension.

        Of a block in several orbits there is a row for each entry, ``means[1, 2]``.
        """
        whole = self.whole
        return {
            entry: {
                r.name: self._number(whole.table[b.name][r.name])
                if whole.place(b, r) == (i, j)
                else 0
                for r in whole.relations
            }
            for entry, (b, i, j) in self._entries.items()
        }

    @cached_property
    def weights(self) -> dict[str, float]:
        """Share of each row of the table per unit of its eigenvalue."""
        return {
            entry: self._number(b.multiplicity) / self.parts[b.orbits[j]].size
            for entry, (b, _, j) in self._entries.items()
        }

    @cached_property
    def norms(self) -> dict[str, float]:
        """What products with :meth:`bases` are divided by, so that they are shares."""
        size = {name: part.size for name, part in self.parts.items()}
        entries = self._entries.items()
        return {e: sqrt(size[b.orbits[i]] * size[b.orbits[j]]) for e, (b, i, j) in entries}

    @cached_property
    def corners(self) -> Array:
        """Inner product of each relation with pairs, per share of each row of the table."""
        rows = self.table.values()
        return np.array([[row[r] / k for row in rows] for r, k in self.counts.items() if k])

    @cached_property
    def traces(self) -> Array:
        """For each orbit, 1 at the entries on the diagonal of its blocks."""
        own = [b.orbits[i] if i == j else "" for b, i, j in self._entries.values()]
        return np.array([[float(o == name) for o in own] for name in self.parts])

    # --- pairs ---------------------------------------------------------------------------
    @cached_property
    def agreements(self) -> dict[str, frozenset[tuple[bool, ...]]]:
        """The patterns of each relation that some pair has: which of the indices agree.

        On an axis of one point indices always agree.
        """
        found: dict[str, set[tuple[bool, ...]]] = {name: set() for name in self.counts}
        for pattern, name in self._scheme.pattern.items():
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
                names.index(self._scheme.pattern[pattern])
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
        given = {**self._ones, **inner}
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

    def bases(self, entry: str) -> tuple[Array, ...]:
        """The bases between which an entry of a block stands; of one on the diagonal both agree."""
        block, i, j = self._entries[entry]
        return self._inside(block, i), self._inside(block, j)

    def _inside(self, block: Block, i: int) -> Array:
        """The copy of a block in one of its orbits."""
        own = self.parts[block.orbits[i]].basis(block.spaces[i])
        found = np.zeros((self.size, own.shape[1]))
        found[self._where[block.orbits[i]]] = own
        return found

    # --- inner products, eigenvalues and shares --------------------------------------------
    @cached_property
    def _ones(self) -> dict[str, float]:
        """The inner products that are known: of a point with itself."""
        return {r.name: 1.0 for r in self.whole.relations if r.kind == "self"}

    def eigenvalues(self, inner: Mapping[str, float]) -> dict[str, float]:
        """Eigenvalues of the Gram matrix with these inner products.

        Of a block: its entries, times the root of (size of the column's orbit)/(that of the row's).
        """
        given = {**self._ones, **inner}
        return {
            name: float(sum(row[r] * given[r] for r in row if row[r]))
            for name, row in self.table.items()
        }

    def shares(self, inner: Mapping[str, float]) -> dict[str, float]:
        """Parts of the trace that belong to each eigenspace; they add up to one."""
        return {name: self.weights[name] * v for name, v in self.eigenvalues(inner).items()}

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
        missing = [r for r, k in self.counts.items() if k and r not in (*inner, *self._ones)]
        if missing:
            raise ValueError(f"inner products are missing: {', '.join(missing)}")
        given = {r: inner[r] if self.counts[r] else 0.0 for r in inner if r in self.counts}
        parts = []
        for name, value, basis in self._principal(self.eigenvalues(given)):
            if value < -_ZERO * self.size:
                says = ", ".join(f"{inner[r]:g}" for r in self.counts if r in inner)
                raise ValueError(
                    f"no vectors have inner products {says}: "
                    f"the Gram matrix has the eigenvalue {value:.3g} ({name})"
                )
            if value > _ZERO * self.size:
                parts.append(sqrt(value) * basis())
        rows = np.concatenate(parts, axis=1)
        rank = rows.shape[1]
        d = rank if d is None else d
        if rank > d:
            raise ValueError(f"this structure needs d >= {rank}, not {d}")
        out = np.zeros((self.size, d))
        out[:, :rank] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return out.reshape(*self.shape, d)

    def _principal(
        self, values: Mapping[str, float]
    ) -> Iterator[tuple[str, float, Callable[[], Array]]]:
        """Eigenvalues of the Gram matrix, with the eigenvectors of each."""
        for name, block in {b.name: b for b, _, _ in self._entries.values()}.items():
            sizes = [self.parts[o].size for o in block.orbits]
            matrix = np.zeros((block.size, block.size))
            for i, j in block.slots():
                entry = values[block.entry(i, j)] * sqrt(sizes[i] / sizes[j])
                matrix[i, j] = matrix[j, i] = entry
            values_of, turns = np.linalg.eigh(matrix)
            for value, turn in zip(values_of, turns.T, strict=True):
                yield name, float(value), partial(self._turned, block, turn)

    def _turned(self, block: Block, turn: Array) -> Array:
        return np.sum([t * self._inside(block, i) for i, t in enumerate(turn)], axis=0)


class Orbits(Arrangement):
    """Several orbits at concrete sizes: the points of one after those of another, on one axis."""

    @cached_property
    def parts(self) -> dict[str, Arrangement]:
        """Each orbit by itself."""
        return {
            name: arrange(part, {k: self.sizes[k] for k in axis_names(part)})
            for name, part in self.whole.parts.items()
        }

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of points, on one axis."""
        return (sum(part.size for part in self.parts.values()),)

    @cached_property
    def agreements(self) -> dict[str, frozenset[tuple[bool, ...]]]:
        """Whether the two points of a relation are one; nothing else is told by an index."""
        kinds = {r.name: r.kind for r in self.whole.relations}
        same = {r: (kind == "self",) for r, kind in kinds.items()}
        return {r: frozenset([same[r]] if k else []) for r, k in self.counts.items()}

    @cached_property
    def relations(self) -> npt.NDArray[np.int8]:
        """Of every pair of points the number of its relation, ``(size, size)``."""
        names = list(self.counts)
        found = np.empty((self.size, self.size), dtype=np.int8)
        for a, b in product(self.parts, repeat=2):
            shared = self.whole.between(a, b)
            if a != b:
                (across,) = shared
                found[self._where[a], self._where[b]] = names.index(across.name)
            else:
                of = {r.kind: names.index(r.name) for r in shared}
                own = self.parts[a]
                numbers = np.array([of[kind] for kind in own.counts], dtype=np.int8)
                found[self._where[a], self._where[a]] = numbers[own.relations]
        return found

    def basis(self, eigenspace: str) -> Array:
        """Orthonormal columns that span a block in all its orbits."""
        block = self.whole.block(eigenspace)
        return np.concatenate([self._inside(block, i) for i in range(block.size)], axis=1)


def contrasts(size: int) -> Array:
    """Orthonormal columns that sum to zero (Helmert), ``(size, size - 1)``."""
    out = np.zeros((size, size - 1))
    for k in range(1, size):
        out[:k, k - 1] = 1 / sqrt(k * (k + 1))
        out[k, k - 1] = -k / sqrt(k * (k + 1))
    return out
