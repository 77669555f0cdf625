"""In-batch whitening against its definition, finite differences, and where roots coincide."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from cltheory.numeric.batches import InBatchWhitening
from draws import normal
from plain_batches import plain_whitening
from torch import Tensor

SHAPES = [(1, 1), (1, 4), (5, 1), (4, 7), (7, 4), (5, 5)]


@pytest.mark.parametrize("n, d", SHAPES)
@pytest.mark.parametrize("eps", [1e-5, 0.3])
def test_it_is_the_root_of_the_second_moment(n: int, d: int, eps: float) -> None:
    z = normal(1, n, d) + 0.5
    found = InBatchWhitening(eps)(z)
    # The definition takes roots of eigenvalues that are 0 but for rounding, 1e-16 beside eps.
    np.testing.assert_allclose(found.numpy(), plain_whitening(z.numpy(), eps), atol=1e-9)
    assert torch.linalg.vector_norm(found, dim=1).tolist() == pytest.approx([1] * n)


def test_a_wrong_root_would_be_noticed() -> None:
    z = normal(1, 7, 4) + 0.5
    wrong = plain_whitening(z.numpy(), 0.1)
    assert np.abs(InBatchWhitening()(z).numpy() - wrong).max() > 0.01


def test_lengths_of_rows_count_only_when_asked_to() -> None:
    z = normal(1, 6, 4) + 0.5
    stretched = z * torch.tensor([1, 2, 1e3, 4, 5, 1e-3], dtype=z.dtype)[:, None]
    whiten = InBatchWhitening()
    assert torch.allclose(whiten(z), whiten(stretched), atol=1e-12)
    as_they_are = InBatchWhitening(normalise=False)
    assert not torch.allclose(as_they_are(z), as_they_are(stretched), atol=0.1)


# --- gradients ------------------------------------------------------------------------------------
@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("n, d", SHAPES)
def test_gradient(n: int, d: int, normalise: bool) -> None:
    z = (normal(2, n, d) + 0.5).requires_grad_()
    assert torch.autograd.gradcheck(InBatchWhitening(0.05, normalise=normalise), (z,))


@pytest.mark.parametrize(
    "z",
    [
        torch.eye(4),  # all four eigenvalues are the same
        torch.eye(4)[:2],  # two, in the smaller Gram matrix
        torch.eye(4).repeat(2, 1),
        torch.cat([torch.eye(3), torch.zeros(3, 2)], 1).repeat(3, 1),  # three of 1/3, two of 0
        torch.ones(4, 3),  # all rows the same
    ],
    ids=["basis", "part of a basis", "twice a basis", "with null directions", "copies"],
)
def test_gradient_where_eigenvalues_are_the_same(z: Tensor) -> None:
    z = z.double().requires_grad_()
    assert torch.autograd.gradcheck(InBatchWhitening(0.05), (z,))


# --- precision and bad input ----------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_lower_precision(dtype: torch.dtype, device: str) -> None:
    z = (normal(1, 40, 6) + 0.5).to(device, dtype).requires_grad_()
    found = InBatchWhitening()(z)
    assert found.dtype == dtype
    expected = plain_whitening(z.detach().double().cpu().numpy(), 1e-5)
    close = 1e-4 if dtype == torch.float32 else 4 * torch.finfo(dtype).eps
    np.testing.assert_allclose(found.detach().double().cpu().numpy(), expected, atol=close)
    found.float().square().sum().backward()
    assert z.grad is not None and z.grad.dtype == dtype and z.grad.isfinite().all()


def test_autocast_does_not_lower_it() -> None:
    z = (normal(1, 40, 6) + 0.5).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        under = InBatchWhitening()(z)
    assert torch.equal(under, InBatchWhitening()(z))


@pytest.mark.parametrize(
    "z, says",
    [
        (torch.ones(3), "embeddings must be (n, d), not (3,)"),
        (torch.ones(0, 3), "embeddings must be (n, d)"),
        (torch.ones(3, 2, dtype=torch.long), "must be floating-point"),
        (torch.tensor([[1.0, 0], [0, 0]]), "embedding 1 is zero"),
        (torch.tensor([[1.0, torch.nan]]), "not finite"),
    ],
)
def test_what_cannot_be_whitened(z: Tensor, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        InBatchWhitening()(z)


@pytest.mark.parametrize("scale", [1e-30, 1e-22, 1e30])
def test_rows_of_any_length_are_whitened_alike(scale: float) -> None:
    z = torch.randn(8, 3, generator=torch.Generator().manual_seed(2))
    whiten = InBatchWhitening()
    assert torch.allclose(whiten(z * scale), whiten(z), atol=1e-5)
    with pytest.raises(ValueError, match="too large to square"):
        InBatchWhitening(normalise=False)(z * 1e30)
