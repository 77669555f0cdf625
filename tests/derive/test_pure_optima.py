"""SimCLR, decoupled contrastive, SupCon and SINCERE against a minimiser over embeddings.

L-BFGS on unit vectors in as many dimensions as there are vectors; the loss has no local minima
there that are not global, but at small tau it is flat, so inner products are only found to 1e-3.
"""

from __future__ import annotations

import losses_by_hand as by_hand
import numpy as np
import pytest
from brute_force import best_shares, gram
from cltheory.derive.optimum.vertex import UniqueGram, vertex
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.results import results
from cltheory.derive.results._pure import pure_optimum

NAMES = ("simclr", "dcl", "supcon", "sincere")


@pytest.mark.parametrize("tau", [0.05, 0.2, 10.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_over_shares(name: str, tau: float) -> None:
    """Over the shares of the trace only, which is quick and goes to small temperatures."""
    for sizes in ((2, 2, 2), (2, 3, 3)):
        if name in ("simclr", "dcl"):
            sizes = (1, *sizes[1:])
        loss = by_hand.masked(name, sizes, tau)
        shares = best_shares(*sizes, lambda g, k=loss: k.value_and_gradient(g)[0])
        found = loss.value_and_gradient(gram(*sizes, shares))[0]
        at = dict(zip("mnp", sizes, strict=True), tau=tau)
        least = float(
            results[name].value("loss", **{k: v for k, v in at.items() if k != "m" or v > 1})
        )
        # Never below what was proved to be least, and as near as SLSQP comes.
        assert least - 1e-12 < found < least + 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_the_masks_are_the_losses(name: str) -> None:
    u = np.random.default_rng(1).normal(size=(12, 5))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    g, sizes = u @ u.T, (2, 3, 2)
    expected = getattr(by_hand, name)(g, by_hand.labels(*sizes), 0.4)
    loss = by_hand.masked(name, sizes, 0.4)
    value, gradient = loss.value_and_gradient(g)
    assert value == pytest.approx(expected, rel=1e-12)
    step = np.zeros_like(g)
    step[0, 3] = 1e-6
    slope = (loss.value_and_gradient(g + step)[0] - loss.value_and_gradient(g - step)[0]) / 2e-6
    assert gradient[0, 3] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "structure"),
    [("supcon", "instances"), ("simclr", "views"), ("supcl-exclusive", "classes")],
)
def test_a_structure_that_is_not_always_optimal_is_refused(name: str, structure: str) -> None:
    with pytest.raises(StepFailed, match="not proved to be optimal everywhere"):
        pure_optimum(CATALOGUE[name], structure, Derivation())


def test_what_no_denominator_contains_is_not_settled() -> None:
    """Of the class-conditional loss there are many optima: other classes are not felt."""
    found = vertex(CATALOGUE["cnce"], "instances", Derivation())
    says = UniqueGram.from_loss(found.reduced, found.domain, found.inner)
    assert "cross_class" in str(says.decide())
    # Inner products of one need not be felt, others do.
    dcl = vertex(CATALOGUE["dcl"], "instances", Derivation())
    assert "same_instance" in str(UniqueGram.from_loss(dcl.reduced, dcl.domain).decide())
    felt = UniqueGram.from_loss(dcl.reduced, dcl.domain, dcl.inner).decide()
    assert felt.evidence.grade.name == "EXACT"
