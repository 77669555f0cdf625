"""SupCL without the anchor against a minimiser over embeddings that shares no code with it."""

from __future__ import annotations

from dataclasses import replace

import losses_by_hand as by_hand
import mpmath
import numpy as np
import pytest
from brute_force import best_shares, gram
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm
from cltheory.derive.optimum.edge import edge, edge_segment
from cltheory.derive.optimum.multiplier import AboveAtRoot, by_trace
from cltheory.derive.optimum.reduction import reduced
from cltheory.derive.optimum.vertex import vertex
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.theorem.about import head
from sympy import Gt, S, Symbol

EXCLUSIVE = CATALOGUE["supcl-exclusive"]
R = results["supcl-exclusive"]
SIZES = [(2, 2, 2), (3, 2, 2), (2, 3, 2), (2, 2, 3)]


def borders(sizes: tuple[int, int, int], tau: float) -> tuple[float, float]:
    at = dict(zip("mnp", sizes, strict=True), tau=tau)
    return float(R.value("alpha_low", **at)), float(R.value("alpha_high", **at))


def test_the_optimum_over_embeddings() -> None:
    sizes, tau = (2, 2, 2), 0.5
    size = int(np.prod(sizes))
    for alpha in (0.0, 0.3, 0.8):
        value, g = by_hand.least(by_hand.masked("supcl-exclusive", sizes, tau, alpha), size)
        at = dict(zip("mnp", sizes, strict=True), tau=tau, alpha=alpha)
        assert value == pytest.approx(float(R.value("loss", **at)), abs=1e-7)
        for relation, (least, largest) in by_hand.by_relation(g, sizes).items():
            expected = float(R.value(relation, **at))
            # The loss is flat to second order where an inner product is free.
            assert least == pytest.approx(expected, abs=5e-3)
            assert largest == pytest.approx(expected, abs=5e-3)


@pytest.mark.parametrize("tau", [0.05, 0.2, 5.0])
@pytest.mark.parametrize("sizes", SIZES)
def test_the_optimum_over_shares(sizes: tuple[int, int, int], tau: float) -> None:
    """Over the shares of the trace only, which is quick and goes to small temperatures."""
    low, high = borders(sizes, tau)
    for alpha in (0.0, max(low, 0) * 0.9, (max(low, 0) + high) / 2, (high + 1) / 2, 1.0):
        loss = by_hand.masked("supcl-exclusive", sizes, tau, alpha)
        shares = best_shares(*sizes, lambda g, k=loss: k.value_and_gradient(g)[0])
        found = loss.value_and_gradient(gram(*sizes, shares))[0]
        at = dict(zip("mnp", sizes, strict=True), tau=tau, alpha=alpha)
        # Never below what was proved to be least, and as near as SLSQP comes.
        least = float(R.value("loss", **at))
        assert least - 1e-12 < found < least + 1e-6


@pytest.mark.parametrize("tau", [0.3, 1.0])
@pytest.mark.parametrize("sizes", SIZES)
def test_collapse_is_lost_just_outside_the_interval(
    sizes: tuple[int, int, int], tau: float
) -> None:
    """Along the two edges, at the pair-by-pair loss: the slope at collapse changes sign."""
    m, n, p = sizes
    of = by_hand.labels(*sizes)
    label, inst = of
    same_class, same_instance = label[:, None] == label, inst[:, None] == inst
    eye = np.eye(len(label))

    def along(lower: str, x: float) -> np.ndarray:
        if lower == "views":
            own, same = 1 - x, 1 - x * (p - 1) / p
        else:
            own, same = 1.0, 1 - x
        cross = -(1 + (p - 1) * own + p * (n - 1) * same) / (n * p * (m - 1))
        g = np.where(same_class, np.where(same_instance, own, same), cross)
        return g * (1 - eye) + eye

    low, high = borders(sizes, tau)
    for towards, border, inwards in (("views", low, 1), ("instances", high, -1)):
        for way in (1, -1):
            alpha = border + way * inwards * 1e-3
            rise = [by_hand.supcl_exclusive(along(towards, x), of, tau, alpha) for x in (0.0, 1e-4)]
            assert bool(rise[1] > rise[0]) is (way > 0)


def test_the_interval_shrinks_with_the_temperature() -> None:
    """To (p - 1)/(n p - 1), which is neither 0 nor 1/n."""
    for tau, width in (("1/2", 0.4), ("1/10", 1e-5), ("1/50", 1e-30)):
        at = {"m": 3, "n": 2, "p": 2, "tau": tau}
        low, high = (R.value(k, digits=60, **at) for k in ("alpha_low", "alpha_high"))
        assert 0 < high - low < width
        with mpmath.workdps(60):
            assert abs(low - mpmath.mpf(1) / 3) < width
    hot = borders((3, 2, 2), 50.0)
    assert hot[0] < 0 and 0.99 < hot[1] < 1


def test_the_multiplier_matters() -> None:
    """Without it the third eigenvalue is not the larger one everywhere; no wrong one will do."""
    problem, proof = EXCLUSIVE, Derivation()
    collapse = vertex(problem, "classes", proof)
    found = edge(collapse.reduced, ("classes", "instances"), proof, problem.domain)
    domain, segment = found.along["views"].domain, found.segment
    shown = Gt(Symbol("theta_views"), Symbol("y"), evaluate=False)
    right = by_trace(collapse.reduced.scheme, segment, "views")
    says = AboveAtRoot(shown, domain, collapse.reduced, segment, "views", right)
    assert isinstance(says.decide(), Holds)
    for wrong in (S.Zero, -right, 3 * right):
        other = AboveAtRoot(shown, domain, collapse.reduced, segment, "views", wrong)
        assert not isinstance(other.decide(), Holds)
    for other in ("instances", "mean"):
        says = AboveAtRoot(shown, domain, collapse.reduced, segment, other, right)
        assert not isinstance(says.decide(), Holds)


def test_a_gap_that_is_zero_is_not_said_to_be_positive() -> None:
    """With one relation in numerator and denominator the loss is level everywhere."""
    term = SoftmaxTerm(S.One, ("same_instance",), ("same_instance",))
    problem = replace(
        EXCLUSIVE, loss=SoftmaxLoss("level", "", (term,), EXCLUSIVE.loss.temperature, "")
    )
    level = reduced(problem)
    found, _ = edge_segment(level, ("classes", "instances"), problem.domain)
    shown = Gt(Symbol("theta_views"), Symbol("y"), evaluate=False)
    says = AboveAtRoot(shown, problem.domain, level, found, "views", S.One)
    assert not isinstance(says.decide(), Holds)


def test_no_rank_is_promised_that_only_one_side_has() -> None:
    """Beyond the interval the rank is m n - 1, or m - 1 + m n (p - 1): only a bound is said."""
    assert head(R, point={m: S(10), n: S(20), p: S(2)}).dimension.endswith(
        "; d >= m*n*p = 400 suffices for the rest"
    )
