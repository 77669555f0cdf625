"""Families of an anchor, of finite laws of negatives, and of batches; and the closed forms of two
large configurations of the appendices, against small ones that are written out."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from importlib.resources import files

import numpy as np
import pytest
from cltheory.derive.language.evaluate import Scene, value
from cltheory.derive.language.matrices import Matrix
from cltheory.derive.language.parser import LETTERS_OF_SETS, expression
from cltheory.derive.papers.ochieng2025diversity.sets import (
    dependent_of,
    independent_of,
    numerical_radius,
    operator_norm,
)
from cltheory.derive.papers.records.points import top_eigenvalue
from cltheory.derive.papers.records.predicates import TABLES

PAPER = "cltheory.derive.papers.ochieng2025diversity"


def readings(
    z: np.ndarray, own: int, others: list[int], anchor: int, tau: float
) -> tuple[float, ...]:
    """epsilon, the squared gradient and sigma of an anchor."""
    heat = np.exp(z[[own, *others]] @ z[anchor] / tau)
    p = heat / heat.sum()
    gap = p @ z[[own, *others]] - z[own]
    moment = z[others].T @ z[others] / len(others)
    return 1 - p[0], gap @ gap / tau**2, np.linalg.eigvalsh(moment)[-1]


def defined(section: str, name: str, **numbers: Fraction) -> float:
    """What a section defines, at a point."""
    text = (files(PAPER) / f"{section}.toml").read_text("utf-8")
    where = tomllib.loads(text)["where"]
    known = {}
    for key, body in where.items():
        if "{" in key.replace(r"\hat{\sigma}", "") or r"u^\top" in body or "Z" in body:
            continue
        tree = expression(key, LETTERS_OF_SETS)
        known[tree.base] = ((), expression(body, LETTERS_OF_SETS))
    return float(value(expression(name, LETTERS_OF_SETS), Scene(numbers, None, {}, known)))


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("tau", [Fraction(1, 3), Fraction(2)])
def test_the_batch_of_axes_is_that_of_its_closed_forms(d: int, tau: Fraction) -> None:
    axes = np.eye(d)
    z = np.concatenate([axes, axes, -axes, -axes])
    for anchor in range(4 * d):
        own = (anchor + 2 * d) % (4 * d)
        others = [j for j in range(4 * d) if j not in (anchor, own)]
        found = readings(z, own, others, anchor, float(tau))
        for name, one in zip((r"\epsilon", r"\gamma", r"\sigma"), found, strict=True):
            assert defined("appendix_a8", name, d=Fraction(d), tau=tau) == pytest.approx(one)
    sigma_hat = np.linalg.eigvalsh(z.T @ z / (4 * d))[-1]
    assert defined("appendix_a8", r"\hat{\sigma}", d=Fraction(d)) == pytest.approx(sigma_hat)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_independent_negatives_are_independent_and_of_mean_zero(n: int) -> None:
    for e in independent_of(n):
        weights = e.entries["w"][0]
        rows = [e.points["z"][k * n : (k + 1) * n] for k in range(len(weights))]
        assert sum(weights) == 1
        for j in range(n):
            mean = [sum(w * z[j][a] for w, z in zip(weights, rows, strict=True)) for a in (0, 1)]
            assert mean == [0, 0]
        if n > 1:
            seen = {(z[0], z[1]) for z in rows}
            alone = [{z[j] for z in rows} for j in (0, 1)]
            assert seen == {(a, b) for a in alone[0] for b in alone[1]}


def test_eigenvalues_and_norms() -> None:
    half = Fraction(1, 2)
    turn = Matrix.of([[0 * half, -half], [half, 0 * half]])
    assert numerical_radius(turn) == 0
    assert operator_norm(turn) == half
    assert top_eigenvalue(Matrix.of([[half, -half], [-half, half]])) == pytest.approx(1)
    down = Matrix.of([[-half, 0 * half], [0 * half, 0 * half]])
    assert (top_eigenvalue(down), numerical_radius(down)) == (0, half)


def test_symmetric_second_moments_of_two_negatives() -> None:
    """Against the same moments by numpy, on all laws of two negatives."""
    seen = set()
    for e in dependent_of(2):
        w = np.array([float(v) for v in e.numbers["w"].rows[0]])
        z = np.array([[float(v) for v in row] for row in e.points["z"]]).reshape(len(w), 2, 2)
        moment = np.einsum("k,ka,kb->ab", w, z[:, 1], z[:, 0])
        same = bool(np.abs(moment - moment.T).max() < 1e-12)
        assert TABLES["symmetric(Z)"](e) == same, e.note
        seen.add(same)
    assert seen == {True, False}
