"""Structured arrangements: what a bound is equal at, or forgets, is most often one of them."""

from __future__ import annotations

import torch
from torch import Tensor


def arrangements(count: int, d: int) -> dict[str, Tensor]:
    """Unit vectors [count, d] that coincide, are opposed, orthogonal, in a simplex, or all but one.

    Those that are the same in few dimensions, or for few vectors, are there once.
    """
    e = torch.eye(d, dtype=torch.float64)
    k = torch.arange(count)
    first = e[0].expand(count, d)
    alternating = torch.where(k % 2 == 0, 1.0, -1.0).to(torch.float64)[:, None] * first
    outlier = first.clone()
    outlier[-1] = -e[0]
    found = {
        "at the anchor": first,
        "opposite": -first,
        "antipodal": alternating,
        "one opposite": outlier,
        "one at the anchor": -outlier,
        "orthogonal": e[k % d],
        "orthogonal to it": e[1 + k % max(d - 1, 1)] if d > 1 else first,
        "coincident off it": e[-1].expand(count, d),
        "simplex": simplex(min(count, d + 1), d)[k % min(count, d + 1)],
        "antipodal off it": torch.where(k % 2 == 0, 1.0, -1.0)[:, None].to(first) * e[-1],
        "one off it": torch.cat([first[:-1], e[-1:]]),
        "one at it": torch.cat([e[-1].expand(count - 1, d), e[:1]]),
    }
    seen: list[Tensor] = []
    kept = {}
    for name, rows in found.items():
        if not any(torch.equal(rows, other) for other in seen):
            seen.append(rows)
            kept[name] = rows.clone()
    return kept


def simplex(count: int, d: int) -> Tensor:
    """A regular simplex of ``count <= d + 1`` unit vectors, whose first is the first axis."""
    gram = torch.full((count, count), -1.0 / max(count - 1, 1), dtype=torch.float64)
    gram.fill_diagonal_(1.0)
    rows = torch.zeros(count, d, dtype=torch.float64)
    for i in range(count):  # Cholesky by hand, since the matrix is singular
        for j in range(min(i, d)):
            rows[i, j] = (gram[i, j] - rows[i, :j] @ rows[j, :j]) / rows[j, j]
        if i < d:
            rows[i, i] = (1 - rows[i, :i] @ rows[i, :i]).clamp_min(0).sqrt()
    return rows / torch.linalg.vector_norm(rows, dim=-1, keepdim=True)


def logits(count: int) -> dict[str, Tensor]:
    """Logits that are equal, high in some places, low in one, or on a line; at several scales."""
    k = torch.arange(count, dtype=torch.float64)
    found = {"uniform": torch.zeros(count, dtype=torch.float64)}
    for scale in (0.01, 0.3, 1.0, 3.0, 30.0):
        for high in sorted({1, max(count // 2, 1), max(count - 1, 1)}):
            found[f"{high} of {count} high by {scale:g}"] = scale * (k < high).to(torch.float64)
        if count > 2:
            found[f"on a line of length {scale:g}"] = scale * k / (count - 1)
    return found
