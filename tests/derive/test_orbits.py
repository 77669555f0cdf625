"""Several orbits at concrete sizes: pairs, blocks and vectors, against indices compared by hand."""

from __future__ import annotations

import numpy as np
import pytest
from cltheory.derive.structures.arrangement import Orbits, arrange
from cltheory.derive.structures.classes import classes_of_sizes, groups_of_classes, two_sizes

from .explicit import explicit

GROUPS = ([("a", 2, 3), ("b", 3, 2)], [("a", 1, 2), ("b", 2, 3), ("c", 2, 1)], [("a", 1, 4)])
EXAMPLES = [(groups, views) for groups in GROUPS for views in (1, 2)]
everywhere = pytest.mark.parametrize(("groups", "views"), EXAMPLES)


def at(groups: list, views: int) -> Orbits:
    found = arrange(groups_of_classes(groups, views), {})
    assert isinstance(found, Orbits)
    return found


def close(a, b, atol=1e-12):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


def random_gram(found: Orbits, seed: int) -> tuple[np.ndarray, dict[str, float]]:
    """The mean over each relation of the Gram matrix of random unit vectors is one as well."""
    u = np.random.default_rng(seed).normal(size=(found.size, found.size))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    inner = {r: float((u @ u.T)[found.mask(r)].mean()) for r, k in found.counts.items() if k}
    return found.gram(inner), inner


@everywhere
def test_relations_are_told_by_indices(groups: list, views: int) -> None:
    found = at(groups, views)
    names = list(found.counts)
    by_hand = np.vectorize(names.index)(explicit(groups, views)[0])
    assert (found.relations == by_hand).all()
    assert {r: (by_hand == k).sum() for k, r in enumerate(names)} == found.pairs
    for anchors in found.anchors:
        for r, count in anchors.counts.items():
            assert set((by_hand[anchors.where] == names.index(r)).sum(axis=1)) == {count}
            assert r.startswith(anchors.kinds[r])


@everywhere
def test_blocks_span_everything_and_have_the_eigenvalues(groups: list, views: int) -> None:
    found = at(groups, views)
    bases = [found.basis(block) for block in found.dimensions]
    assert [b.shape[1] for b in bases] == list(found.dimensions.values())
    whole = np.concatenate(bases, axis=1)
    close(whole.T @ whole, np.eye(found.size))
    gram, inner = random_gram(found, 1)
    shares = found.shares(inner)
    for entry, share in shares.items():
        left, right = found.bases(entry)
        close(np.trace(left.T @ gram @ right) / found.norms[entry], share)
        block = entry.partition("[")[0]
        for other, basis in zip(found.dimensions, bases, strict=True):
            if other != block:
                close(left.T @ gram @ basis, 0)
    close(found.traces @ list(shares.values()), 1)
    close(found.corners @ list(shares.values()), [found.inner(shares)[r] for r in inner])
    back = found.inner(shares)
    assert {r: back[r] for r in inner} == pytest.approx(inner, abs=1e-13)
    assert all(np.isnan(back[r]) for r in back if r not in inner)


@everywhere
def test_vectors_have_the_inner_products(groups: list, views: int) -> None:
    found = at(groups, views)
    gram, inner = random_gram(found, 2)
    u = found.vectors({r: g for r, g in inner.items() if not r.startswith("self")}, found.size + 1)
    assert u.shape == (found.size, found.size + 1)
    close(u @ u.T, gram)
    with pytest.raises(ValueError, match="needs d >="):
        found.vectors(inner, 1)


def test_vectors_that_do_not_exist_are_refused() -> None:
    found = at([("a", 2, 2), ("b", 1, 2)], 1)
    inner = {"same_class_a": 1.0, "cross_class_a": -0.5, "same_class_b": 1.0}
    with pytest.raises(ValueError, match=r"eigenvalue -.* \(means\)"):
        found.vectors({**inner, "cross_class_a_b": -0.8})
    with pytest.raises(ValueError, match="missing: cross_class_a_b"):
        found.vectors(inner)
    collapsed = found.vectors({**inner, "cross_class_a_b": -0.5})
    assert collapsed.shape == (6, 2)  # the means of the two groups point in one direction


def test_any_list_of_sizes() -> None:
    found = arrange(classes_of_sizes([2, 4, 2], 3), {})
    assert [part.shape for part in found.parts.values()] == [(2, 2, 3), (1, 4, 3)]
    assert found.shape == (24,)
    two = arrange(two_sizes(), {"m1": 2, "n1": 2, "m2": 1, "n2": 4, "p": 3})
    assert (found.relations == two.relations).all()
    with pytest.raises(ValueError, match="sizes m1, m2, n1, n2, p"):
        arrange(two_sizes(), {"m1": 2})
    with pytest.raises(ValueError, match="integers of at least 1"):
        arrange(two_sizes(), {"m1": 2, "n1": 2, "m2": 0, "n2": 4, "p": 3})
