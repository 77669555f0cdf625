"""Similarity graphs, and the subgraphs of out-degree one that contrastive learning draws.

A graph is its weight matrix ``pi``, of shape ``(n, n)``: row ``i`` is where anchor ``i`` draws its
positive from, and the diagonal is zero. By Lemma 2.3 of tan2024spectral the rows of a subgraph
are independent, and row ``i`` has its one edge at ``j`` with probability ``pi_ij / sum_j pi_ij``.
"""

from __future__ import annotations

import torch
from torch import Tensor


def planted_labels(clusters: int, k: int) -> Tensor:
    """The cluster of each vertex, ``(clusters * k,)``: the first k vertices are cluster 0."""
    return torch.arange(clusters).repeat_interleave(k)


def planted_partition(clusters: int, k: int, p: float, q: float, random: torch.Generator) -> Tensor:
    """A random graph with planted clusters, appendix C of tan2024spectral.

    Parameters
    ----------
    clusters, k
        Clusters, and vertices in each.
    p, q
        Probability of an edge between vertices of the same cluster, and of different ones.
    random
        On the CPU, so that a seed means the same graph on every device.

    Returns
    -------
    Tensor
        Symmetric, of zeros and ones, with a zero diagonal; ``(n, n)`` with n = clusters * k.

    Raises
    ------
    ValueError
        If a vertex came out without an edge, or a number is out of its range.
    """
    if clusters < 1 or k < 2:
        raise ValueError(
            f"a graph needs at least one cluster of at least 2 vertices, not {clusters} of {k}"
        )
    for name, value in (("p", p), ("q", q)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is a probability, from 0 to 1, not {value:g}")
    label = planted_labels(clusters, k)
    inside, across = (torch.tensor(float(value), dtype=torch.float64) for value in (p, q))
    chance = torch.where(label[:, None] == label, inside, across)
    drawn = torch.rand(chance.shape, generator=random, dtype=torch.float64) < chance
    above = drawn.triu(1)
    return checked((above | above.T).to(torch.float64))


def checked(pi: Tensor) -> Tensor:
    """The matrix, if every vertex can draw a positive from it.

    Raises
    ------
    ValueError
        For what is not square, a weight that is negative or not finite, a self-loop, or a row of
        zeros.
    """
    if pi.ndim != 2 or pi.shape[0] != pi.shape[1] or pi.shape[0] < 2:
        raise ValueError(
            f"a graph must be a square matrix with at least 2 rows, not {tuple(pi.shape)}"
        )
    if not bool(torch.isfinite(pi).all()):
        raise ValueError("a weight of the graph is not finite")
    if bool((pi < 0).any()):
        raise ValueError("a weight of the graph is negative")
    if bool(pi.diagonal().any()):
        raise ValueError("the graph has a self-loop: a vertex is not its own positive")
    alone = torch.nonzero(pi.sum(1) == 0).flatten().tolist()
    if alone:
        raise ValueError(
            f"vertex {alone[0]} has no edge, so that it cannot draw a positive"
            + (f" (nor can {len(alone) - 1} more)" if len(alone) > 1 else "")
        )
    return pi


def probabilities(pi: Tensor) -> Tensor:
    """Where each vertex draws its positive from: ``pi`` with rows that add up to 1."""
    return checked(pi) / pi.sum(1, keepdim=True)


def drawn_from(sums: Tensor, random: torch.Generator) -> Tensor:
    """A subgraph of out-degree one: the end of the one edge of each vertex, ``(n,)``.

    Parameters
    ----------
    sums
        The running sums of the rows of ``pi``.
    random
        Lies on the same device.
    """
    n = len(sums)
    where = torch.rand(n, 1, generator=random, dtype=sums.dtype, device=sums.device)
    # The first column whose sum exceeds the number drawn: one without weight adds nothing, and
    # is never the first. The last float below 1 times a sum may round to that sum.
    place = torch.searchsorted(sums, where * sums[:, -1:], right=True)[:, 0]
    last = torch.searchsorted(sums, sums[:, -1:].contiguous())[:, 0]
    return torch.minimum(place, last)
