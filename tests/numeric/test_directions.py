"""Directions of rows, and losses of them, at every magnitude; untrue refusals are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from cltheory.numeric.losses import KernelInfoNCE, SupCon, WInfoNCE
from cltheory.numeric.losses.directions import check_directions, directions, longest_length
from torch import Tensor

DTYPES = [torch.float32, torch.float64]
LABELS = torch.tensor([0, 0, 1, 1, 2, 2])
LOSSES: dict[str, Callable[[Tensor, bool], Tensor]] = {
    "SupCon": lambda z, check: SupCon(0.5, check=check)(z, LABELS),
    "KernelInfoNCE": lambda z, check: KernelInfoNCE(0.5, check=check)(z[:3], z[3:]),
}


def drawn(dtype: torch.dtype) -> Tensor:
    return torch.randn(6, 4, generator=torch.Generator().manual_seed(0)).to(dtype)


def extremes(dtype: torch.dtype) -> list[float]:
    """Powers of two, which lose no digit, up to the ends of the normal numbers."""
    far = {torch.float32: 120, torch.float64: 1000}[dtype]
    return [2.0**-far, 2.0 ** (-far // 2), 2.0 ** (far // 2), 2.0**far]


@pytest.mark.parametrize("dtype", DTYPES)
def test_directions_do_not_depend_on_lengths(dtype: torch.dtype) -> None:
    z = drawn(dtype)
    unit, length = directions(z)
    torch.testing.assert_close(unit * length, z)
    for factor in extremes(dtype):
        scaled, longer = directions(z * factor)
        assert torch.equal(scaled, unit)
        assert torch.equal(longer, length * factor)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_losses_and_gradients_do_not_depend_on_lengths(
    name: str, check: bool, dtype: torch.dtype
) -> None:
    z = drawn(dtype)
    one = z.clone().requires_grad_()
    right = LOSSES[name](one, check)
    right.backward()
    # One component of 1e38 among others of order one was a finite wrong value.
    for factor in [*extremes(dtype)[1:3], 1e38]:
        scale = torch.ones(6, 1, dtype=dtype)
        scale[2] = factor
        other = (z * scale).requires_grad_()
        found = LOSSES[name](other, check)
        torch.testing.assert_close(found, right)
        found.backward()
        torch.testing.assert_close(other.grad * scale, one.grad, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_what_is_not_finite_stays_so_without_checks(name: str) -> None:
    for odd in (float("nan"), float("inf")):
        z = drawn(torch.float32)
        z[2, 1] = odd
        assert not LOSSES[name](z, False).isfinite()


def test_a_row_of_zeros_stays_zero_without_a_gradient() -> None:
    z = torch.zeros(2, 3, requires_grad=True)
    unit, _ = directions(z)
    unit.sum().backward()
    assert not unit.any() and not z.grad.any()


@pytest.mark.parametrize(
    ("refuse", "says"),
    [
        (lambda z: check_directions(z, "row"), None),
        (lambda z: check_directions(z.index_fill(0, torch.tensor(1), 0.0), "row"), "row 1 is zero"),
        (lambda z: check_directions(z / 0, "row"), "row 0 is not finite"),
        (lambda z: check_directions(z[0] * 0, "anchor"), "anchor is zero"),
        (lambda z: check_directions(torch.stack([z, 0 * z]), "row"), "row 1, 0 is zero"),
        (lambda z: longest_length(z), None),
        (lambda z: longest_length(z * 1e38), "too long: its square overflows torch.float32"),
        (lambda z: longest_length(z * float("nan")), "embedding 0 is not finite"),
        (lambda z: WInfoNCE(normalize=False)(z * 1e38, torch.ones(6, 6)), "too long"),
    ],
)
def test_refusals_are_true(refuse: Callable[[Tensor], Any], says: str | None) -> None:
    z = drawn(torch.float32)
    if says is None:
        refuse(z * 2.0**-60)  # whose squares float32 does not hold
        return
    with pytest.raises(ValueError, match=re.escape(says)):
        refuse(z)
