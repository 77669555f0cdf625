"""Random and structured embeddings, and what is measured on them."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.hierarchy import hierarchy
from cltheory.derive.structures.towers import K, p, towers, towers_of_views
from cltheory.numeric.problems.embeddings import perturb, random_embeddings, structured_embeddings
from cltheory.numeric.problems.measure import (
    inner_products,
    shares,
    spreads,
    variances,
)

CLASSED = arrange(hierarchy(), {"m": 3, "n": 2, "p": 2})
PAIRS = arrange(towers(2), {"N": 4})
MANY = arrange(towers_of_views(K, p), {"K": 3, "N": 2, "p": 2})
everywhere = pytest.mark.parametrize("at", [CLASSED, PAIRS, MANY], ids=lambda at: str(at.shape))


@everywhere
def test_a_seed_means_the_same_on_every_device(at, device):
    here = random_embeddings(at, [3, 4], d=5)
    there = random_embeddings(at, [4, 3], d=5, device=device)
    assert here.shape == (2, *at.shape, 5)
    assert torch.equal(there.cpu(), here.flip(0))
    assert torch.equal(random_embeddings(at, 4, d=5), here[1])
    assert not torch.equal(here[0], here[1])
    torch.testing.assert_close(here.norm(dim=-1), torch.ones_like(here[..., 0]))
    assert random_embeddings(at, 4, d=5, dtype=torch.float32).dtype == torch.float32


def test_perturbation_has_the_size_asked_for():
    u = random_embeddings(arrange(hierarchy(), {"m": 3, "n": 10, "p": 2}), [0, 1], d=50)
    moved = perturb(u, [5, 6], 1e-3)
    distance = (moved - u).square().sum(-1).mean().sqrt()
    # Mean of 3000 squared Gaussians, less the radial part, 1 in 50.
    assert float(distance) == pytest.approx(1e-3, rel=0.1)
    assert torch.equal(moved, perturb(u, [5, 6], 1e-3))


@everywhere
def test_structures_are_measured_as_they_were_made(at, device):
    count = len(at.dimensions)
    weights = [2 * k / (count * (count + 1)) for k in range(1, count + 1)]
    wanted = dict(zip(at.dimensions, weights, strict=True))
    inner = at.inner(wanted)
    u = structured_embeddings(at, inner, at.size).to(device)
    both = torch.stack((u, random_embeddings(at, 0, d=at.size, device=device)))
    seen, parts, apart = inner_products(at, both), shares(at, both), spreads(at, both)
    for relation in at.counts:
        assert float(seen[relation][0]) == pytest.approx(inner[relation], abs=1e-14)
        assert float(apart[relation][0]) < 1e-14
        assert relation == "self" or float(apart[relation][1]) > 0.01
    for name, share in wanted.items():
        assert float(parts[name][0]) == pytest.approx(share, abs=1e-14)
    total = sum(parts.values())
    torch.testing.assert_close(total, torch.ones_like(total))
    # Shares are sums of inner products, whatever the embeddings.
    means = {name: float(x[1]) for name, x in seen.items()}
    for name, share in at.shares(means).items():
        assert float(parts[name][1]) == pytest.approx(share, abs=1e-13)


def test_inner_products_by_hand():
    e = torch.eye(2, dtype=torch.float64)
    u = torch.stack([torch.stack([e[0], e[1]]), torch.stack([e[0], -e[1]])])
    at = arrange(towers(2), {"N": 2})
    seen, apart = inner_products(at, u), spreads(at, u)
    assert {k: float(v) for k, v in seen.items()} == {
        "self": 1,
        "within_modality": 0,
        "positive": 0,
        "negative": 0,
    }
    assert float(apart["positive"]) == 1
    assert float(apart["negative"]) == 0
    one = arrange(hierarchy(), {"m": 2, "n": 1, "p": 1})
    assert torch.isnan(inner_products(one, e[:, None, None])["same_class"])
    with pytest.raises(ValueError, match=r"the shape \(..., 2, 4, d\)"):
        inner_products(PAIRS, torch.eye(3))


def test_variances():
    """A hand-made case: class 0 is one point, class 1 two opposite ones."""
    e = torch.eye(2, dtype=torch.float64)
    u = torch.stack([torch.stack([e[0], e[0]]), torch.stack([e[1], -e[1]])])[:, :, None]
    found = variances(arrange(hierarchy(), {"m": 2, "n": 2, "p": 1}), u)
    assert float(found.within) == 0.5
    assert float(found.centroid_norm) == 0.5
    assert float(found.between) == 0.25
