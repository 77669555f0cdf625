"""K towers of N items with p vectors each: structures to compare with, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isclose

import torch
from sympy import Integer
from torch import Tensor

from ..derive.optimum.segment import Segment, cut_segment
from ..derive.structures.hierarchy import p as VIEWS
from ..derive.structures.towers import NEGATIVE, POSITIVE, SIBLING, TWIN, WITHIN, towers_of_views
from ..derive.structures.towers import K as TOWERS
from ..derive.structures.towers import N as ITEMS
from .embeddings import contrasts, eye, from_eigenspaces, kron, ones

#: Other vectors of the same item, in the other towers: what a loss pulls together.
POSITIVES = (POSITIVE, SIBLING)
#: The symmetry, in symbols.
SCHEME = towers_of_views(TOWERS, VIEWS)
_LOW, _HIGH = "differing_means", "shared_contrasts"


def check_sizes(K: int, N: int, p: int) -> None:
    """Refuse towers without negatives or without vectors."""
    if K < 2 or N < 2 or p < 1:
        raise ValueError(f"towers need K >= 2, N >= 2 and p >= 1, got K={K}, N={N}, p={p}")


@lru_cache(maxsize=16)
def relation_masks(K: int, N: int, p: int) -> Mapping[str, Tensor]:
    """Which pairs of the K N p vectors are in which relation, ``(K N p, K N p)`` each."""

    def same(index: Tensor) -> Tensor:
        return index[:, None] == index

    vector = torch.arange(K * N * p)
    tower, item, view = same(vector // (N * p)), same(vector // p % N), same(vector % p)
    return {
        TWIN: tower & item & ~view,
        WITHIN: tower & ~item,
        POSITIVE: ~tower & item & view,
        SIBLING: ~tower & item & ~view,
        NEGATIVE: ~tower & ~item,
    }


def structured_many_towers(
    inner: Mapping[str, float],
    *,
    K: int,
    N: int,
    p: int = 1,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """K towers of unit vectors whose inner products depend on the relation alone.

    Parameters
    ----------
    inner
        Inner product of every relation but ``self``. One that no pair has is ignored.
    K, N, p, d
        Towers, items, vectors of an item in a tower, and the dimension.
    dtype, device
        Of the result; it is computed in float64.

    Returns
    -------
    Tensor
        ``(K, N, p, d)``

    Raises
    ------
    ValueError
        If no vectors have these inner products, or ``d`` is less than their rank.
    """
    check_sizes(K, N, p)
    at = {TOWERS: Integer(K), ITEMS: Integer(N), VIEWS: Integer(p)}
    given = {"self": 1.0, **inner}
    values = {
        e.name: sum(float(SCHEME.table[e.name][r].xreplace(at)) * given[r] for r in given)
        for e in SCHEME.eigenspaces
    }
    bases = {
        f"{says}_{name}": kron(towers, rows)
        for says, towers in (("differing", contrasts(K)), ("shared", ones(K)))
        for name, rows in (
            ("twins", kron(eye(N), contrasts(p))),
            ("contrasts", kron(contrasts(N), ones(p))),
            ("mean" if says == "shared" else "means", kron(ones(N), ones(p))),
        )
    }
    out = from_eigenspaces(values, bases, d, list(inner.values()))
    return out.reshape(K, N, p, d).to(device=device, dtype=dtype)


@lru_cache(maxsize=1)
def _segment() -> Segment:
    active = tuple(e.name for e in SCHEME.eigenspaces if e.name not in (_LOW, _HIGH))
    return cut_segment(SCHEME, active, _LOW, POSITIVE)


def segment_length(K: int) -> float:
    """Position of the simplex of towers, K/(K - 1)."""
    return float(_segment().length.xreplace({TOWERS: Integer(K)}))


def segment_towers(
    x: float,
    *,
    K: int,
    N: int,
    p: int = 1,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """The structure at position ``x`` of the segment, ``(K, N, p, d)``.

    At 0 the towers agree and their items are a simplex; at the far end the items of a tower
    coincide and the towers are a simplex. For K = 2 and p = 1 it is the CCEM.

    Raises
    ------
    ValueError
        If ``x`` is not in [0, K/(K - 1)], or ``d`` is less than the rank: N - 1 and K - 1 at
        the ends, their sum between them.
    """
    length = segment_length(K)
    if not 0 <= x <= length and not isclose(x, length, rel_tol=1e-15):
        raise ValueError(f"the segment is 0 <= x <= {length:g}, got x={x:g}")
    segment = _segment()
    at = {TOWERS: Integer(K), ITEMS: Integer(N), VIEWS: Integer(p)}
    inner = {
        r: float(e.xreplace(at).subs(segment.x, x)) for r, e in segment.inner.items() if r != "self"
    }
    return structured_many_towers(inner, K=K, N=N, p=p, d=d, dtype=dtype, device=device)


def mean_products(u: Tensor, relations: Sequence[str]) -> Tensor:
    """Mean inner product, in float64, of the pairs in any of some relations, ``(B,)``.

    nan where there are none. Embeddings are ``(B, K, N, p, d)``.
    """
    _, towers, items, views = u.shape[:-1]
    masks = relation_masks(towers, items, views)
    mask = torch.stack([masks[r] for r in relations]).any(dim=0).to(u.device)
    rows = u.double().flatten(1, -2)
    return (rows @ rows.mT)[:, mask].mean(dim=-1)
