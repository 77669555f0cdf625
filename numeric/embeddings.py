"""Embeddings to start from and to compare with: random ones, and given structures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from ..derive.structures.arrangement import Arrangement
from ..derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy

# An eigenvalue this small, relative to the trace per vector (which is 1), is taken for
# zero: inner products given as floats carry rounding errors of a few 1e-16 each, which
# the largest multiplicities met here (thousands) raise to at most 1e-12.
_ZERO = 1e-12


def normalise(u: Tensor) -> Tensor:
    """Scale rows to unit length."""
    length: Tensor = torch.linalg.vector_norm(u, dim=-1, keepdim=True)
    return u / length


def random_embeddings(*given: Any, **more: Any) -> Any:
    """``random_embeddings(arrangement, seeds, d=...)``; see :func:`draw` for the arguments."""
    if isinstance(given[0], Arrangement):
        return draw(*given, **more)
    return old_random_embeddings(*given, **more)


def draw(
    arrangement: Arrangement,
    seeds: int | Sequence[int],
    *,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Directions uniform on the sphere, one set per seed.

    Drawn on the CPU in float64, so that a seed means the same on every device.

    Returns
    -------
    Tensor
        ``(len(seeds), *shape, d)``, or ``(*shape, d)`` for a single seed.
    """
    if isinstance(seeds, int):
        return draw(arrangement, [seeds], d=d, dtype=dtype, device=device)[0]
    drawn = [normalise(_gaussian(seed, (*arrangement.shape, d))) for seed in seeds]
    return torch.stack(drawn).to(device=device, dtype=dtype)


def old_random_embeddings(
    seeds: int | Sequence[int],
    *,
    m: int,
    n: int,
    p: int,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Directions uniform on the sphere, one set per seed.

    Drawn on the CPU in float64, so that a seed means the same on every device.

    Returns
    -------
    Tensor
        ``(len(seeds), m, n, p, d)``, or ``(m, n, p, d)`` for a single seed.
    """
    if isinstance(seeds, int):
        return old_random_embeddings([seeds], m=m, n=n, p=p, d=d, dtype=dtype, device=device)[0]
    drawn = [normalise(_gaussian(seed, (m, n, p, d))) for seed in seeds]
    return torch.stack(drawn).to(device=device, dtype=dtype)


def perturb(u: Tensor, seeds: Sequence[int], size: float) -> Tensor:
    """Move every row by about ``size`` in a random direction; one seed per set of a batch."""
    d = u.shape[-1]
    noise = torch.stack([_gaussian(seed, u.shape[1:]) for seed in seeds])
    return normalise(u + (size / sqrt(d)) * noise.to(device=u.device, dtype=u.dtype))


def _gaussian(seed: int, shape: Sequence[int]) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(tuple(shape), generator=generator, dtype=torch.float64)


def structured_embeddings(*given: Any, **more: Any) -> Any:
    """``structured_embeddings(arrangement, inner, d=...)``; see :func:`vectors`."""
    if isinstance(given[0], Arrangement):
        return vectors(*given, **more)
    return old_structured_embeddings(*given, **more)


def vectors(
    arrangement: Arrangement,
    inner: Mapping[str, float],
    d: int | None = None,
    *,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Unit vectors whose inner products depend on the relation alone, ``(*shape, d)``.

    Raises
    ------
    ValueError
        As :meth:`~cltheory.derive.structures.arrangement.Arrangement.vectors` does.
    """
    return torch.tensor(arrangement.vectors(inner, d), dtype=dtype, device=device)


def old_structured_embeddings(
    same_instance: float,
    same_class: float,
    cross_class: float,
    *,
    m: int,
    n: int,
    p: int,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Unit vectors whose inner products depend on the relation alone.

    Parameters
    ----------
    same_instance, same_class, cross_class
        The inner products. One that no pair has (``same_instance`` for ``p=1``) is ignored.
    m, n, p, d
        Classes, instances, views, and the dimension; unused coordinates are zero.
    dtype, device
        Of the result; it is computed in float64.

    Returns
    -------
    Tensor
        ``(m, n, p, d)``

    Raises
    ------
    ValueError
        If no vectors have these inner products, or ``d`` is less than their rank.
    """
    scheme = hierarchy(
        *((size, *level[1:]) for size, level in ((p, VIEWS), (n, INSTANCES), (m, CLASSES)))
    )
    given = {
        "self": 1.0,
        "same_instance": same_instance,
        "same_class": same_class,
        "cross_class": cross_class,
    }
    # An orthonormal basis of each eigenspace of the Gram matrix, rows indexed like vectors.
    bases = {
        "views": kron(eye(m), eye(n), contrasts(p)),
        "instances": kron(eye(m), contrasts(n), ones(p)),
        "classes": kron(contrasts(m), ones(n), ones(p)),
        "mean": kron(ones(m), ones(n), ones(p)),
    }
    values = {
        name: sum(float(scheme.table[name][relation]) * given[relation] for relation in given)
        for name in bases
    }
    out = from_eigenspaces(values, bases, d, (same_instance, same_class, cross_class))
    return out.reshape(m, n, p, d).to(device=device, dtype=dtype)


def from_eigenspaces(
    values: Mapping[str, float], bases: Mapping[str, Tensor], d: int, inner: Sequence[float]
) -> Tensor:
    """Unit vectors, as rows in R^d, from the eigenvalues of their Gram matrix.

    Parameters
    ----------
    values, bases
        Eigenvalue of each eigenspace, and an orthonormal basis of it as columns.
    d
        The dimension.
    inner
        The inner products that were asked for, to name them in messages.

    Raises
    ------
    ValueError
        If an eigenvalue is negative, or ``d`` is less than the rank.
    """
    parts = []
    for name, basis in bases.items():
        value, size = values[name], len(basis)
        if basis.shape[1] == 0:
            continue
        if value < -_ZERO * size:
            raise ValueError(
                f"no vectors have inner products {', '.join(f'{x:g}' for x in inner)}: "
                f"the Gram matrix has the eigenvalue {value:.3g} ({name})"
            )
        if value > _ZERO * size:
            parts.append(sqrt(value) * basis)
    vectors = torch.cat(parts, dim=1)
    rank = vectors.shape[1]
    if rank > d:
        raise ValueError(f"this structure needs d >= {rank}, got d={d}")
    out = torch.zeros(len(vectors), d, dtype=torch.float64)
    out[:, :rank] = vectors
    return normalise(out)


def eye(size: int) -> Tensor:
    """All vectors on ``size`` points, as columns."""
    return torch.eye(size, dtype=torch.float64)


def ones(size: int) -> Tensor:
    """The constant unit vector, ``(size, 1)``."""
    return torch.full((size, 1), 1 / sqrt(size), dtype=torch.float64)


def contrasts(size: int) -> Tensor:
    """Orthonormal columns that sum to zero (Helmert), ``(size, size - 1)``."""
    out = torch.zeros(size, size - 1, dtype=torch.float64)
    for k in range(1, size):
        out[:k, k - 1] = 1 / sqrt(k * (k + 1))
        out[k, k - 1] = -k / sqrt(k * (k + 1))
    return out


def kron(*factors: Tensor) -> Tensor:
    """Kronecker product; the first factor's index is the slowest."""
    out = factors[0]
    for factor in factors[1:]:
        out = torch.kron(out, factor.contiguous())
    return out
