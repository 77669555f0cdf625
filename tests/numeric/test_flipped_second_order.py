"""Flipped labels in m - 1 dimensions: the ends against Hessians, and where embeddings go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from brute_force import least
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.losses.supcl import SUPCL
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.optimum.tangent import BEND, Bends
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from sympy import Integer
from torch import Tensor
from torch.nn.functional import normalize

SUPCON, WITH_SELF = results["supcon-noise-second-order"], results["supcl-noise-second-order"]
#: (m, n, p, alpha, tau); alpha is None for SupCon. Every way to leave collapse is among them.
CASES = [
    (3, 2, 1, None, 0.3, "instances"),
    (4, 2, 2, None, 0.5, "instances"),
    (9, 3, 2, None, 2.0, "simplex"),
    (4, 3, 1, 0.02, 0.3, "simplex"),
    (3, 2, 2, 0.3, 2.0, "instances"),
    (3, 3, 1, 0.3, 0.3, "instances"),
    (4, 2, 3, 0.1, 2.0, "views"),
]


def collapsed(m: int, n: int, p: int) -> Tensor:
    """Class means on a simplex in m - 1 dimensions; a row per vector."""
    axes = np.linalg.svd(np.eye(m) - 1 / m)[2]
    means = normalize(torch.tensor((np.eye(m) - 1 / m) @ axes[: m - 1].T), dim=1)
    return means.repeat_interleave(n * p, 0)


def flipped(u: Tensor, case: tuple, rho: float) -> Tensor:
    """The loss, written out; SupCon excludes the anchor."""
    m, n, p, alpha, tau = case[:5]
    index = torch.arange(m * n * p)
    me = torch.eye(m * n * p, dtype=torch.float64)
    views = (index[:, None] // p == index // p).double()
    kin = (index[:, None] // (n * p) == index // (n * p)).double()
    other = (1 - rho) * (kin - me if alpha is None else kin - views)
    other = other / other.sum(1, keepdim=True) * (1 - rho) + rho * (1 - kin) / (n * p * (m - 1))
    pulls = other if alpha is None else (1 - alpha) * other + alpha * views / p
    g = u @ u.T / tau
    below = g if alpha is not None else g.masked_fill(me.bool(), -torch.inf)
    return (torch.logsumexp(below, 1) - (pulls * g).sum(1)).mean()


def hessian(case: tuple, rho: float) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors at collapse, over free vectors that are normalised."""
    u = collapsed(*case[:3])

    def loss(w: Tensor) -> Tensor:
        return flipped(normalize(u + w.reshape(u.shape), dim=1), case, rho)

    zero = torch.zeros(u.numel(), dtype=torch.float64)
    return np.linalg.eigh(torch.autograd.functional.hessian(loss, zero).numpy())


def at(case: tuple) -> dict[str, object]:
    given = dict(zip(("m", "n", "p", "alpha", "tau"), case, strict=False))
    return {k: v for k, v in given.items() if v is not None}


def result_of(case: tuple):
    return SUPCON if case[3] is None else WITH_SELF


@pytest.mark.parametrize("case", CASES)
def test_curvature_changes_sign_at_the_end(case: tuple) -> None:
    result = result_of(case)
    rho = float(result.value("rho_local", **at(case)))
    assert str(result.value("left_by", **at(case))) == case[5]
    assert rho == pytest.approx(float(result.value(f"rho_{case[5]}", **at(case))))
    # Rotations and lengths are flat; a step of 1e-2 moves the eigenvalue far more than 1e-9.
    assert hessian(case, 0.99 * rho)[0][0] > -1e-9
    assert hessian(case, 1.01 * rho)[0][0] < -1e-6


@pytest.mark.parametrize("case", [CASES[2], CASES[3]])
def test_beyond_the_end_embeddings_bend_the_simplex_and_stay_collapsed(case: tuple) -> None:
    m, n, p = case[:3]
    rho = float(result_of(case).value("rho_local", **at(case)))
    values, vectors = hessian(case, 1.002 * rho)
    moved = torch.tensor(vectors[:, 0]).reshape(m, n * p, m - 1)
    assert values[m - 2] < -1e-7 < values[m - 1]  # one for each direction of the means
    assert float((moved - moved.mean(1, keepdim=True)).abs().max()) < 1e-6


def fallen(case: tuple, rho: float, seed: int, size: float) -> float:
    """How far the loss falls below that of collapse in a descent that starts at this distance."""
    u = collapsed(*case[:3])
    chance = torch.Generator().manual_seed(seed)
    start = u + size * torch.randn(u.shape, dtype=torch.float64, generator=chance)
    found = least(lambda w: flipped(normalize(w, dim=1), case, rho), [start], ftol=0, gtol=1e-9)
    return float(flipped(u, case, rho)) - found.fun


@pytest.mark.parametrize("case", [CASES[0], CASES[5]])
def test_descent_returns_to_collapse_below_the_end_and_leaves_it_above(case: tuple) -> None:
    rho = float(result_of(case).value("rho_local", **at(case)))
    assert abs(fallen(case, 0.95 * rho, 1, 1e-2)) < 1e-7
    assert fallen(case, 1.1 * rho, 1, 1e-2) > 1e-5


def test_below_the_end_collapse_may_be_no_optimum_any_more() -> None:
    case = (4, 3, 1, None, 0.3)
    rho = 0.995 * float(SUPCON.value("rho_local", **at(case)))
    assert hessian(case, rho)[0][0] > -1e-9
    assert max(fallen(case, rho, seed, 0.5) for seed in range(6)) > 1e-5


def test_two_classes_are_refused() -> None:
    for result, more in ((SUPCON, {}), (WITH_SELF, {"alpha": 0.1})):
        with pytest.raises(DomainError, match="m = 2"):
            result.value("rho_local", m=2, n=3, p=1, tau=1, **more)


def test_a_wrong_bend_is_refused() -> None:
    for result in (SUPCON, WITH_SELF):
        (one,) = (s.says for s in result.derivation if isinstance(s.says, Bends))
        value = one.shown.args[1]
        assert isinstance(one.decide(), Holds)
        for wrong in (eq(BEND, value + 1), eq(BEND, -value), eq("P", value)):
            assert not isinstance(one.saying(wrong).decide(), Holds)
        # No simplex, another trace, two classes, and a denominator without the anchor's class.
        assert not isinstance(
            replace(one, inner={**one.inner, "cross_class": Integer(0)}).decide(), Holds
        )
        assert not isinstance(replace(one, trace="instances").decide(), Holds)
        assert not isinstance(replace(one, domain=SUPCL_DOMAIN).decide(), Holds)
        terms = tuple(replace(term, denominator=("cross_class",)) for term in SUPCL.terms)
        lone = ReducedLoss(replace(SUPCL, terms=terms), one.loss.scheme)
        assert "denominator" in str(replace(one, loss=lone).decide())


SUPCL_DOMAIN = results["supcon-noise"].domain
