"""What the band is measured on, looked at before: each refusal is one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..losses.directions import check_directions, directions

#: How far from 1 a length may be by rounding of embeddings that were scaled in that precision.
ROUNDING = {torch.float64: 1e-9, torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}

#: Temperatures whose sixth powers, which bounds divide by, are numbers with all their digits.
COLDEST, HOTTEST = 1e-50, 1e50


def vectors(name: str, values: Any) -> Tensor:
    """Vectors ``(..., d)`` of floating point, not looked at yet.

    Parameters
    ----------
    name
        What they are called in a refusal.
    values
        A tensor, an array or nested lists.

    Raises
    ------
    ValueError
        If they are none.
    """
    if not isinstance(values, (Tensor, np.ndarray)):
        try:
            values = torch.tensor(values, dtype=torch.float64)
        except (TypeError, ValueError, RuntimeError) as e:
            raise ValueError(f"{name} are not vectors: {str(e).splitlines()[0]}") from None
    elif isinstance(values, np.ndarray):
        if values.dtype.kind != "f":
            raise ValueError(f"{name} must be floating point, not {values.dtype}")
        wide = values.dtype.itemsize > 8  # which torch does not have
        values = values.astype(np.float64 if wide else values.dtype.newbyteorder("="))
        values = torch.from_numpy(values)
    if values.layout != torch.strided:
        values = values.to_dense()
    if not values.is_floating_point():
        raise ValueError(f"{name} must be floating point, not {values.dtype}")
    if not values.ndim or not values.numel():
        raise ValueError(f"{name} must be vectors (..., d), not of the shape {tuple(values.shape)}")
    return values


def is_empty(value: Any) -> bool:
    """Whether it has a length, and that is 0."""
    return getattr(value, "ndim", 1) > 0 and hasattr(value, "__len__") and not len(value)


def unit(name: str, z: Tensor, normalise: bool) -> Tensor:
    """Vectors ``(..., d)`` of unit length, in float64.

    Parameters
    ----------
    name
        What they are called in a refusal.
    z
        As `vectors` gives them.
    normalise
        Whether rows are scaled to unit length. Else they must have it up to the rounding of their
        precision, which is taken off.

    Raises
    ------
    ValueError
        If they are none; the message names the worst row.
    """
    slack = ROUNDING.get(z.dtype, 0.1)
    z = z.double()
    flat = z.detach().reshape(-1, z.shape[-1])
    check_directions(z, name if z.ndim == 1 else f"{name} row")
    if not normalise:
        off = (torch.linalg.vector_norm(flat, dim=1) - 1).abs()
        worst = int(off.argmax())
        if off[worst] > slack:
            length = float(torch.linalg.vector_norm(flat[worst]))
            raise ValueError(
                f"{name}{_row(z, worst)} has length {length:.6g}, not 1; "
                "normalise=True scales every row"
            )
    return directions(z)[0]


def _row(z: Tensor, at: int) -> str:
    if z.ndim == 1:
        return ""
    place = torch.unravel_index(torch.tensor(at), z.shape[:-1])
    return " row " + ", ".join(str(int(i)) for i in place)


def constant(c: float) -> float:
    """The softmax-smoothness constant of the paper.

    Raises
    ------
    ValueError
        If it is negative or not finite.
    """
    try:
        value = float(c)
    except (TypeError, ValueError):
        raise ValueError(f"c must be a number, not {c!r}") from None
    if not 0 <= value < float("inf"):
        raise ValueError(f"c must be finite and not negative, not {value:g}")
    return value


def temperature(tau: Any) -> float:
    """One temperature.

    Raises
    ------
    ValueError
        If it is not a number from `COLDEST` to `HOTTEST`.
    """
    try:
        value = float(tau)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise ValueError(f"tau must be one number, not {tau!r}") from None
    if not COLDEST <= value <= HOTTEST:
        raise _no_temperature(value)
    return value


def _no_temperature(tau: float) -> ValueError:
    if 0 < tau < float("inf"):
        return ValueError(f"tau must be from {COLDEST:g} to {HOTTEST:g}, not {tau:g}")
    return ValueError(f"tau must be positive and finite, not {tau:g}")


def temperatures(tau: Any, shape: torch.Size, like: Tensor) -> Tensor:
    """A temperature, or one for each entry of a shape.

    Raises
    ------
    ValueError
        If one is not from `COLDEST` to `HOTTEST`, or the shapes do not meet.
    """
    try:
        found = torch.as_tensor(tau, dtype=like.dtype, device=like.device)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise ValueError(f"tau must be a number, or one for each anchor, not {tau!r}") from None
    bad = ~((found >= COLDEST) & (found <= HOTTEST))
    if bad.any():
        raise _no_temperature(float(found[bad][0]))
    if found.ndim and found.shape != shape:
        raise ValueError(f"tau has the shape {tuple(found.shape)}, anchors {tuple(shape)}")
    return found


def positives(positive: Any, n: int, device: torch.device) -> Tensor:
    """The index of the positive of each of n embeddings.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        index = torch.as_tensor(positive, device=device)
    except (TypeError, ValueError, RuntimeError) as e:
        raise ValueError(f"positive is not an index: {str(e).splitlines()[0]}") from None
    if index.is_floating_point() or index.is_complex() or index.dtype == torch.bool:
        raise ValueError(f"positive must be integers, not {index.dtype}")
    if index.shape != (n,):
        raise ValueError(f"positive must have the shape ({n},), not {tuple(index.shape)}")
    index = index.long()
    wrong = (index < 0) | (index >= n)
    if wrong.any():
        raise ValueError(f"positive {int(index[wrong][0])} is not an index among {n} embeddings")
    own = index == torch.arange(n, device=device)
    if own.any():
        raise ValueError(f"embedding {int(own.nonzero()[0])} is its own positive")
    return index


def same_class(labels: Any) -> Tensor:
    """A positive for each of labelled embeddings: the next one of its class, around.

    Parameters
    ----------
    labels
        One for each, integers.

    Raises
    ------
    ValueError
        If there is one class only, or a class of one sample.
    """
    try:
        labels = torch.as_tensor(labels)
    except (TypeError, ValueError, RuntimeError) as e:
        raise ValueError(f"labels are not integers: {str(e).splitlines()[0]}") from None
    if labels.ndim != 1 or not len(labels) or labels.is_floating_point():
        raise ValueError(f"labels must be integers (n,), not {labels.dtype} {tuple(labels.shape)}")
    classes, number, counts = torch.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"all embeddings have the label {labels[0].item()}: no negatives are left")
    if (counts < 2).any():
        alone = classes[counts < 2][0].item()
        raise ValueError(f"label {alone} has a single sample, which has no positive")
    order = number.argsort(stable=True)
    ends = counts.cumsum(0)
    following = torch.arange(len(labels), device=labels.device) + 1
    following[ends - 1] = ends - counts
    found = torch.empty_like(order)
    found[order] = order[following]
    return found
