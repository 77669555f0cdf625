"""Random and structured embeddings, and what is measured on them."""

from __future__ import annotations

import pytest
import torch
from cltheory.numeric.embeddings import perturb, random_embeddings, structured_embeddings
from cltheory.numeric.variance import variances

SIZES = {"m": 3, "n": 2, "p": 2}


def test_a_seed_means_the_same_on_every_device(device):
    here = random_embeddings([3, 4], **SIZES, d=5)
    there = random_embeddings([4, 3], **SIZES, d=5, device=device)
    assert torch.equal(there.cpu(), here.flip(0))
    assert torch.equal(random_embeddings(4, **SIZES, d=5), here[1])
    assert not torch.equal(here[0], here[1])
    torch.testing.assert_close(here.norm(dim=-1), torch.ones(2, 3, 2, 2, dtype=torch.float64))


def test_perturbation_has_the_size_asked_for():
    u = random_embeddings([0, 1], m=3, n=10, p=2, d=50)
    moved = perturb(u, [5, 6], 1e-3)
    distance = (moved - u).square().sum(-1).mean().sqrt()
    # Mean of 3000 squared Gaussians, less the radial part, 1 in 50.
    assert float(distance) == pytest.approx(1e-3, rel=0.1)
    assert torch.equal(moved, perturb(u, [5, 6], 1e-3))


@pytest.mark.parametrize(
    ("inner", "rank"),
    [
        ((1.0, 1.0, 1.0), 1),
        ((1.0, 1.0, -0.5), 2),
        ((1.0, -0.2, -0.2), 5),
        ((0.5, 0.2, -0.1), 12),
        ((1.0, 0.3, 0.1), 6),
    ],
)
def test_structures_have_their_inner_products_in_the_least_dimension(inner, rank):
    u = structured_embeddings(*inner, **SIZES, d=rank)
    rows = u.reshape(-1, rank)
    gram = rows @ rows.T
    for i in range(12):
        for j in range(12):
            level = 0 if i == j else 1 if i // 2 == j // 2 else 2 if i // 4 == j // 4 else 3
            assert float(gram[i, j]) == pytest.approx((1.0, *inner)[level], abs=1e-14)
    wide = structured_embeddings(*inner, **SIZES, d=rank + 3)
    torch.testing.assert_close(wide[..., :rank], u)
    assert not wide[..., rank:].any()
    if rank > 1:
        with pytest.raises(ValueError, match=f"needs d >= {rank}, got d={rank - 1}"):
            structured_embeddings(*inner, **SIZES, d=rank - 1)


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ((1.1, 0, 0), "views"),
        ((0.5, 0.9, 0), "instances"),
        ((1, 0, 0.6), "classes"),
        ((1, 0, -0.3), "mean"),
    ],
)
def test_impossible_inner_products_are_refused(inner, part):
    with pytest.raises(ValueError, match=rf"eigenvalue -.* \({part}\)"):
        structured_embeddings(*inner, **SIZES, d=12)


def test_inner_products_no_pair_has_are_ignored():
    u = structured_embeddings(7.0, 7.0, -1.0, m=2, n=1, p=1, d=1)
    assert u.flatten().tolist() == [1.0, -1.0]


def test_variances():
    """A hand-made case: class 0 is one point, class 1 two opposite ones."""
    e = torch.eye(2, dtype=torch.float64)
    u = torch.stack([torch.stack([e[0], e[0]]), torch.stack([e[1], -e[1]])])[:, :, None]
    found = variances(u)
    assert found.within_each.tolist() == [0.0, 1.0]
    assert float(found.within) == 0.5
    assert float(found.centroid_norm) == 0.5
    assert float(found.between) == 0.25


def test_variance_of_unit_vectors_adds_up():
    u = random_embeddings(range(4), m=3, n=4, p=2, d=3)
    v = variances(u)
    assert v.within_each.shape == (4, 3)
    assert v.within.shape == (4,)
    torch.testing.assert_close(
        v.within + v.between + v.centroid_norm**2, torch.ones(4, dtype=torch.float64)
    )
