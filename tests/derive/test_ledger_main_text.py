"""Sections 3 to 6 and Appendices A.1 and A.2: witnesses by hand, and what checks refuse."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from cltheory.derive.losses.supcl import CNCE, SUPCL
from cltheory.derive.papers.evaluate import value
from cltheory.derive.vectors.embeddings import Embeddings

HALF = Fraction(1, 2)


# --- witnesses, redone by other means --------------------------------------------------------
def sign_patterns(size: int) -> list[Embeddings]:
    """Two classes of two instances in R^1, all of them."""
    patterns = product((1, -1), repeat=size)
    return [Embeddings.from_vectors(2, 2, 1, [[s] for s in signs]) for signs in patterns]


@pytest.mark.parametrize(("a", "collapses"), [("2/5", True), ("1/2", True), ("3/5", False)])
def test_the_threshold_of_one_class_is_one_over_n(a: str, collapses: bool) -> None:
    merged, apart = (Embeddings.ssem(1, 2, 1, e) for e in (Fraction(0), Fraction(1, 100)))
    losses = [value(SUPCL, u, alpha=Fraction(a), tau=HALF) for u in (merged, apart)]
    assert (losses[0] < losses[1]) == collapses


def test_classes_that_share_a_pair_minimise_cnce() -> None:
    shared = Embeddings.from_vectors(2, 2, 1, [[1, 0, 0], [-1, 0, 0]] * 2)
    least = float(value(CNCE, shared, tau=HALF))
    others = sign_patterns(4) + [Embeddings.random(2, 2, 1, 3, seed) for seed in range(6)]
    # 1e-12: rounding to float64
    assert all(float(value(CNCE, u, tau=HALF)) > least - 1e-12 for u in others)
    assert shared.ip((0, 0, 0), (0, 1, 0)) == shared.ip((0, 0, 0), (1, 1, 0)) == -1


def test_a_loss_without_positives_has_no_value() -> None:
    with pytest.raises(ZeroDivisionError):
        value(SUPCL, Embeddings.simplex(2, 1), alpha=HALF, tau=HALF)
