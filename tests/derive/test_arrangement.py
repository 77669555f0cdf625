"""Structures at concrete sizes: pairs, eigenspaces and vectors."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cltheory.derive.structures.arrangement import Arrangement, arrange, contrasts
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy
from cltheory.derive.structures.towers import K, p, towers, towers_of_views

THREE, TWO, MANY = hierarchy(), towers(2), towers_of_views(K, p)
FOUR = hierarchy(VIEWS, INSTANCES, CLASSES, (3, "cross_superclass", "superclasses"))
EXAMPLES = [
    *(arrange(THREE, dict(zip("mnp", s, strict=True))) for s in ((3, 2, 2), (2, 3, 1), (1, 1, 4))),
    arrange(FOUR, {"m": 2, "n": 2, "p": 2}),
    *(arrange(TWO, {"N": n}) for n in (2, 5)),
    *(arrange(MANY, dict(zip("KNp", s, strict=True))) for s in ((2, 3, 1), (3, 2, 2), (1, 3, 2))),
]
everywhere = pytest.mark.parametrize("at", EXAMPLES, ids=lambda a: f"{a.shape}")


def close(a, b, atol=1e-13):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


@everywhere
def test_relations_have_their_counts(at: Arrangement):
    for name, count in at.counts.items():
        mask = at.mask(name)
        assert set(mask.sum(axis=1)) == {count}
        assert (mask == mask.T).all()
    assert (sum(at.mask(name).astype(int) for name in at.counts) == 1).all()
    assert (at.mask("self") == np.eye(at.size, dtype=bool)).all()
    assert (at.mask(*at.counts)).all()


def test_relations_are_told_by_indices():
    at = arrange(MANY, {"K": 3, "N": 2, "p": 2})
    places = list(product(range(3), range(2), range(2)))
    for (a, (k, i, v)), (b, (o, j, z)) in product(enumerate(places), repeat=2):
        same = "self" if v == z else "twin"
        own = same if i == j else "within_modality"
        across = ("positive" if v == z else "positive_sibling") if i == j else "negative"
        assert at.mask(own if k == o else across)[a, b]
    at = arrange(FOUR, {"m": 2, "n": 2, "p": 2})
    assert at.shape == (3, 2, 2, 2)
    names = list(at.counts)
    assert [names[r] for r in at.relations[0][[0, 1, 2, 4, 8]]] == names
    assert names[-1] == "cross_superclass"


@everywhere
def test_eigenspaces_are_those_of_the_relations(at: Arrangement):
    total = np.zeros((at.size, at.size))
    for name, dimension in at.dimensions.items():
        basis = at.basis(name)
        projection = at.gram(at.inner({name: 1.0})) * dimension / at.size
        assert basis.shape == (at.size, dimension)
        close(basis.T @ basis, np.eye(dimension))
        close(basis @ basis.T, projection)
        for relation in at.counts:
            close(at.mask(relation) @ basis, at.table[name][relation] * basis, 1e-12)
        total += projection
    close(total, np.eye(at.size))


@everywhere
def test_shares_inner_products_and_vectors(at: Arrangement):
    weights = np.random.default_rng(1).random(len(at.dimensions))
    shares = dict(zip(at.dimensions, weights / weights.sum(), strict=True))
    inner = at.inner(shares)
    assert inner["self"] == pytest.approx(1, abs=1e-14)
    assert at.shares(inner) == pytest.approx(shares, abs=1e-13)
    u = at.vectors(inner, at.size + 1)
    assert u.shape == (*at.shape, at.size + 1)
    rows = u.reshape(at.size, -1)
    close(rows @ rows.T, at.gram(inner))
    close(np.linalg.eigvalsh(at.gram(inner)).sum(), at.size)
    for name, share in shares.items():
        close(np.square(at.basis(name).T @ rows).sum() / at.size, share)


@everywhere
def test_one_eigenspace_needs_its_dimension(at: Arrangement):
    for name, dimension in at.dimensions.items():
        inner = at.inner({name: 1.0})
        assert at.vectors(inner).shape[-1] == dimension
        with pytest.raises(ValueError, match=f"needs d >= {dimension}, not {dimension - 1}"):
            at.vectors(inner, dimension - 1)


def test_structures_that_do_not_exist_are_refused():
    at = arrange(THREE, {"m": 3, "n": 2, "p": 2})
    inner = {"same_instance": 1.0, "same_class": 1.0, "cross_class": -0.6}
    with pytest.raises(ValueError, match=r"1, 1, -0.6: .* eigenvalue -.* \(mean\)"):
        at.vectors(inner)
    with pytest.raises(ValueError, match="missing: cross_class"):
        at.vectors({"same_instance": 1.0, "same_class": 1.0})
    one = arrange(THREE, {"m": 3, "n": 2, "p": 1})
    assert one.vectors({"same_class": 1.0, "cross_class": -0.5}).shape == (3, 2, 1, 2)
    assert np.isnan(one.inner({"classes": 1.0})["same_instance"])


def test_a_wrong_table_is_noticed():
    wrong = {name: dict(row) for name, row in TWO.table.items()}
    wrong["shared_mean"]["positive"] = -wrong["shared_mean"]["positive"]
    with pytest.raises(ValueError, match="no eigenspace of the structure"):
        arrange(replace(TWO, table=wrong), {"N": 3}).basis("shared_mean")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"m": 2, "n": 2}, "the sizes m, n, p; got m, n"),
        ({"m": 2, "n": 2, "p": 2, "N": 2}, "the sizes m, n, p; got m, n, p, N"),
        ({"m": 2, "n": 0, "p": 2}, "m and n and p must be integers of at least 1, got m=2, n=0"),
        ({"m": 2, "n": 2.5, "p": 2}, "integers"),
    ],
)
def test_bad_sizes_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        arrange(THREE, sizes)


def test_the_same_sizes_are_the_same_object():
    assert arrange(TWO, {"N": 3}) is arrange(TWO, {"N": 3})
    assert arrange(TWO, {"N": 3}) is not arrange(TWO, {"N": 4})


def test_contrasts():
    for size in (1, 2, 5):
        columns = contrasts(size)
        assert columns.shape == (size, size - 1)
        close(columns.T @ columns, np.eye(size - 1))
        close(columns.sum(axis=0), 0)
