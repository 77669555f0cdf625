"""SupCL in m - 1 dimensions: the second-order threshold against Hessians on products of spheres."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.losses.supcl import SUPCL
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.optimum.tangent import VARIATION, SecondVariation
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from sympy import Integer
from test_flipped_second_order import collapsed, flipped
from test_flipped_second_order import hessian as hessian_of
from torch import Tensor

RESULT = results["supcl-second-order"]
SIZES = [(3, 2, 1), (3, 3, 1), (4, 2, 2), (4, 3, 1), (5, 2, 1)]


def supcl(u: Tensor, alpha: float, tau: float) -> Tensor:
    """Of unit vectors, (m, n, p, d)."""
    *sizes, d = u.shape
    return flipped(u.reshape(-1, d), (*sizes, alpha, tau), 0)


def hessian(sizes: tuple[int, int, int], alpha: float, tau: float) -> np.ndarray:
    """Eigenvalues of the loss over free vectors that are normalised."""
    return hessian_of((*sizes, alpha, tau), 0)[0]


def local(sizes: tuple[int, int, int], tau: float) -> float:
    return float(RESULT.value("alpha_local", m=sizes[0], n=sizes[1], tau=tau))


@pytest.mark.parametrize("sizes", SIZES)
def test_curvature_changes_sign_at_the_threshold(sizes: tuple[int, int, int]) -> None:
    for tau in np.random.default_rng(sizes[0]).uniform(0.1, 2, 2):
        alpha = local(sizes, tau)
        # Rotations and lengths are flat; a step of 1e-2 moves the eigenvalue far more than 1e-9.
        assert hessian(sizes, 0.99 * alpha, tau)[0] > -1e-9
        assert hessian(sizes, 1.01 * alpha, tau)[0] < -1e-6


def test_the_second_variation_is_an_eigenvalue_of_its_multiplicity() -> None:
    says = {s.says.contrasts: s.says for s in RESULT.derivation if hasattr(s.says, "contrasts")}
    for sizes, alpha, tau in (((4, 3, 2), 0.3, 0.4), ((3, 2, 2), 0.9, 1.5)):
        m, n, p = sizes
        found = hessian(sizes, alpha, tau)
        at = {"m": m, "n": n, "p": p, "alpha": alpha, "tau": tau}
        for contrasts, count in (("views", m * n * (p - 1)), ("instances", m * (n - 1))):
            e = says[contrasts].shown.args[1]
            q = float(e.subs({s: at[s.name] for s in e.free_symbols}))
            near = np.isclose(found, 2 * q / (tau * m * n * p), rtol=1e-9)
            assert near.sum() >= count * (m - 2)


def test_on_a_line_two_classes_collapse_at_every_alpha() -> None:
    with pytest.raises(DomainError, match="for m = 2 and d = 1"):
        RESULT.value("alpha_local", m=2, n=3, tau=1)
    signs = torch.tensor(list(product((1.0, -1.0), repeat=6)), dtype=torch.float64)
    for alpha, tau in ((0.0, 0.5), (0.5, 0.1), (0.9, 2.0), (1.0, 0.3)):
        *others, best = (
            supcl(u.reshape(2, 3, 1, 1), alpha, tau).item() for u in (*signs, collapsed(2, 3, 1))
        )
        assert min(others) >= best - 1e-12


@pytest.mark.parametrize(("m", "n", "falls"), [(4, 3, True), (5, 4, True), (3, 3, False)])
def test_the_global_threshold_is_smaller_for_four_classes_of_three(
    m: int, n: int, falls: bool
) -> None:
    """The cubic term: one instance moves by 2, two by -1, towards another class."""
    u, tau = collapsed(m, n, 1).reshape(m, n, 1, m - 1), 0.5
    alpha = local((m, n, 1), tau)
    t = u[1, 0, 0] - (u[1, 0, 0] @ u[0, 0, 0]) * u[0, 0, 0]
    t /= t.norm()

    def change(step: float) -> float:
        moved = u.clone()
        for i, f in enumerate((2, -1, -1)):
            a = torch.tensor(f * step, dtype=torch.float64)
            moved[0, i] = torch.cos(a) * u[0, i] + torch.sin(a) * t
        return (supcl(moved, alpha, tau) - supcl(u, alpha, tau)).item()

    near = np.exp((u[0, 0, 0] @ u[1, 0, 0]).item() / tau)
    q = near / (n * np.exp(1 / tau) + n * (m - 1) * near)
    cubes = 6 * ((u.reshape(-1, m - 1) @ t) ** 3).sum().item()
    step = 0.01
    odd = (change(step) - change(-step)) / 2 / step**3
    # The next odd term is smaller by step^2 and the factors of the moves.
    assert odd == pytest.approx(q * cubes / (3 * tau**3 * m * n), rel=1e-2, abs=1e-8)
    # One way the loss falls at the threshold; 1e-12 is far above rounding.
    assert (min(change(s) for s in np.linspace(-0.1, 0.1, 41)) < -1e-12) == falls


def test_a_wrong_second_variation_is_refused() -> None:
    says = [s.says for s in RESULT.derivation if isinstance(s.says, SecondVariation)]
    assert len(says) == 2
    for one in says:
        value = one.shown.args[1]
        assert isinstance(one.decide(), Holds)
        for wrong in (eq(VARIATION, value + 1), eq(VARIATION, -value), eq("P", value)):
            assert not isinstance(one.saying(wrong).decide(), Holds)
        for contrasts in {"views", "instances", "classes", "mean"} - {one.contrasts}:
            assert not isinstance(replace(one, contrasts=contrasts).decide(), Holds)
        # A denominator without any point that coincides with the anchor.
        terms = tuple(replace(term, denominator=("cross_class",)) for term in SUPCL.terms)
        other = ReducedLoss(replace(SUPCL, terms=terms), one.loss.scheme)
        assert "denominator" in str(replace(one, loss=other).decide())
        # A structure that is no collapse.
        apart = {**one.inner, "same_class": Integer(0)}
        assert not isinstance(replace(one, inner=apart).decide(), Holds)
