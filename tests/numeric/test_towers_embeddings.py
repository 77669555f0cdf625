"""Explicit two-tower structures and what is measured on them."""

from __future__ import annotations

from math import inf

import pytest
import torch
from cltheory.derive.results import results
from cltheory.numeric.tower_embeddings import (
    alignment,
    ccem_towers,
    random_towers,
    structured_towers,
)


@pytest.mark.parametrize("delta", [0, 0.3, 1, 5, inf])
@pytest.mark.parametrize("size", [2, 3, 4, 9])
def test_the_definition_has_the_derived_inner_products(size, delta, device):
    r, at = results["ccem"], {"N": size, "delta": "oo" if delta == inf else delta}
    expected = [float(r.value(k, **at)) for k in ("positive", "negative", "within_modality")]
    rank = int(float(r.value("min_dimension", **at)))
    u = ccem_towers(delta, N=size, d=rank, device=device)
    found = alignment(u)
    measured = [float(x) for x in (found.positive, found.negative, found.within_modality)]
    assert measured == pytest.approx(expected, abs=1e-14)
    spreads = (found.positive_spread, found.negative_spread, found.within_spread)
    assert max(map(float, spreads)) < 1e-14
    # Another construction, from the inner products, has the same Gram matrix.
    other = structured_towers(*expected, N=size, d=size).flatten(0, 1)
    flat = u.cpu().flatten(0, 1)
    torch.testing.assert_close(other @ other.T, flat @ flat.T, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match=f"needs d >= {rank}, got d={rank - 1}"):
        ccem_towers(delta, N=size, d=rank - 1)


def test_any_admissible_inner_products():
    u = structured_towers(0.5, 0.1, 0.2, N=4, d=8)
    found = alignment(u)
    assert float(found.positive) == pytest.approx(0.5, abs=1e-14)
    assert float(found.negative) == pytest.approx(0.1, abs=1e-14)
    assert float(found.within_modality) == pytest.approx(0.2, abs=1e-14)
    assert float(found.positive_similarity) == pytest.approx(0.75, abs=1e-14)


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ((1.1, 0, 0), "differing_contrasts"),
        ((-1.0, 0.5, 1.0), "shared_contrasts"),
        ((1, 0, 0.5), "differing_contrasts"),
        ((-0.5, -0.5, -0.3), "shared_mean"),
        ((1, 1, 0.8), "differing_means"),
    ],
)
def test_impossible_inner_products_are_refused(inner, part):
    with pytest.raises(ValueError, match=rf"eigenvalue -.* \({part}\)"):
        structured_towers(*inner, N=4, d=8)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="N >= 2"):
        structured_towers(1, 1, 1, N=1, d=2)
    with pytest.raises(ValueError, match="delta >= 0"):
        ccem_towers(-1, N=3, d=3)
    with pytest.raises(ValueError, match="delta >= 0"):
        ccem_towers(float("nan"), N=3, d=3)
    with pytest.raises(ValueError, match="have the shape"):
        alignment(torch.eye(3))


def test_means_and_spreads_by_hand():
    e = torch.eye(2, dtype=torch.float64)
    found = alignment(torch.stack([torch.stack([e[0], e[1]]), torch.stack([e[0], -e[1]])]))
    assert float(found.positive) == 0
    assert float(found.positive_spread) == 1
    assert float(found.negative) == float(found.within_modality) == 0


def test_a_seed_means_the_same_everywhere(device):
    here = random_towers([3, 4], N=3, d=5)
    there = random_towers([4, 3], N=3, d=5, device=device)
    assert torch.equal(there.cpu(), here.flip(0))
    assert torch.equal(random_towers(4, N=3, d=5), here[1])
    assert here.shape == (2, 2, 3, 5)
