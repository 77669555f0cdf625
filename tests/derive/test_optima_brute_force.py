"""The derived optima against brute force over invariant Gram matrices."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force import best_shares, gram, self_supervised, supervised
from cltheory.derive.results import results
from hypothesis import assume, given, settings
from hypothesis import strategies as st

# SLSQP stops when the loss is flat to 1e-14, so a minimiser is found to about 1e-6.
CLOSE = 2e-5

small = {
    "m": st.integers(2, 3),
    "n": st.integers(2, 3),
    "p": st.integers(1, 2),
    "alpha": st.integers(0, 20).map(lambda k: k / 20),
    "tau": st.integers(3, 20).map(lambda k: k / 10),
}


def losses(m: int, n: int, p: int, alpha: float, tau: float, own_class: bool):
    def loss(g: np.ndarray) -> float:
        total = 0.0
        if alpha < 1:
            total += (1 - alpha) * supervised(g, m, n, p, tau)
        if alpha > 0:
            total += alpha * self_supervised(g, m, n, p, tau, own_class)
        return total

    return loss


@settings(max_examples=20)
@given(**small)
def test_supcl_optimum(m, n, p, alpha, tau) -> None:
    r = results["supcl-optimum"]
    at = {"m": m, "n": n, "p": p, "alpha": alpha, "tau": tau}
    loss = losses(m, n, p, alpha, tau, own_class=False)
    views, instances, classes, mean = best_shares(m, n, p, loss)
    least = loss(gram(m, n, p, np.array([views, instances, classes, mean])))
    assert least == pytest.approx(float(r.value("loss", **at)), abs=1e-8)
    # Near the threshold the loss is flat in x, so the variance is compared through it.
    predicted = float(r.value("within_class_variance", **at))
    flat = abs(alpha - float(results["supcl-threshold"].value("alpha_min", m=m, n=n, tau=tau)))
    assume(flat > 0.02)
    assert views + instances == pytest.approx(predicted, abs=CLOSE * 10)
    assert mean == pytest.approx(0, abs=CLOSE)


@settings(max_examples=12)
@given(**small)
def test_sup_cnce_optimum(m, n, p, alpha, tau) -> None:
    r = results["sup-cnce-optimum"]
    at = {"m": m, "n": n, "p": p, "alpha": alpha, "tau": tau}
    loss = losses(m, n, p, alpha, tau, own_class=True)
    shares = best_shares(m, n, p, loss)
    assert loss(gram(m, n, p, shares)) == pytest.approx(float(r.value("loss", **at)), abs=1e-8)


def test_inversion_happens_where_it_is_said_to() -> None:
    m, n, p, tau = 2, 3, 1, 0.5
    r = results["sup-cnce-optimum"]
    edge = float(r.value("alpha_inversion", m=m, n=n, tau=tau))
    for alpha, inverted in ((edge - 0.05, False), (edge + 0.05, True)):
        g = gram(m, n, p, best_shares(m, n, p, losses(m, n, p, alpha, tau, own_class=True)))
        same, cross = g[0, 1], g[0, n * p]
        assert bool(same < cross) is inverted


@pytest.mark.parametrize("m, n, p, tau", [(2, 2, 2, 0.5), (3, 2, 1, 1.0), (2, 3, 1, 0.3)])
def test_cnce_optimum(m, n, p, tau) -> None:
    r = results["cnce-optimum"]
    shares = best_shares(m, n, p, lambda g: self_supervised(g, m, n, p, tau, True))
    least = self_supervised(gram(m, n, p, shares), m, n, p, tau, True)
    assert least == pytest.approx(float(r.value("loss", m=m, n=n, p=p, tau=tau)), abs=1e-8)
    assert shares[1] == pytest.approx(1, abs=CLOSE)


@pytest.mark.parametrize("m, n, p, tau", [(2, 2, 1, 0.5), (3, 2, 2, 1.0), (2, 3, 1, 0.25)])
def test_alpha_min_separates_collapse_from_spread(m, n, p, tau) -> None:
    edge = float(results["supcl-threshold"].value("alpha_min", m=m, n=n, tau=tau))
    for alpha, collapsed in ((edge - 0.04, True), (edge + 0.04, False)):
        shares = best_shares(m, n, p, losses(m, n, p, alpha, tau, own_class=False))
        assert bool(shares[1] < 1e-4) is collapsed
