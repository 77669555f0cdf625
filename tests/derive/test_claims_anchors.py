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
from cltheory.derive.language.quantities import dot
from cltheory.derive.papers.ochieng2025diversity.batch import Law, read_batch, read_law
from cltheory.derive.papers.ochieng2025diversity.sets import (
    batches_of,
    dependent_of,
    independent_of,
    laws_of,
    numerical_radius,
    operator_norm,
)
from cltheory.derive.papers.records.examine import examine
from cltheory.derive.papers.records.points import top_eigenvalue
from cltheory.derive.papers.records.predicates import TABLES
from records import printed as printed_record

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
    turn = Matrix.from_rows([[0 * half, -half], [half, 0 * half]])
    assert numerical_radius(turn) == 0
    assert operator_norm(turn) == half
    assert top_eigenvalue(Matrix.from_rows([[half, -half], [-half, half]])) == pytest.approx(1)
    down = Matrix.from_rows([[-half, 0 * half], [0 * half, 0 * half]])
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


ON_BATCHES = 'under = "n in 3.., d in 1.., tau in (0, oo)"\non = "batches"\n'


@pytest.mark.parametrize(
    "printed",
    [
        r"M_i = \sum_{k \in \mathcal{N}_i^-} p_{ik} z_k",
        r"\epsilon_i = 1 - p_{ii^+}^2",
        r"\sum_{j \in \mathcal{N}_i^-} p_{ij} = 1",
        r"\gamma_i = \|M_i - z_{i^+}\|^2",
        r"\hat{\Sigma} \preceq z_i z_i^\top",
        r"\sigma_*^{(i)} \le \hat{\sigma}",
        r"\tilde{\Sigma}_i = \hat{\Sigma} - z_i + z_i^\top",
    ],
)
def test_what_does_not_hold_on_batches_is_refuted(printed: str) -> None:
    assert examine(printed_record(printed, ON_BATCHES, r"i \in [n]")).verdict.word == "differs"


def test_an_expectation_where_there_is_no_law_is_not_known() -> None:
    found = examine(printed_record(r"\mathbb{E}[\epsilon_i] = 1", ON_BATCHES, r"i \in [n]"))
    assert found.verdict.word == "undecided"


def test_readings_against_numpy() -> None:
    batch = batches_of(5, 3)[0]
    z = np.array(batch.rows, dtype=float)
    tau = Fraction(1, 3)
    for i in range(1, 6):
        others = [j for j in range(5) if j != i - 1]
        heat = np.exp(z[others] @ z[i - 1] / float(tau))
        mean = heat @ z[others] / heat.sum()
        gap = (mean - z[batch.partner(i) - 1]) / float(tau)
        found = batch.gradient(i, tau)
        assert float(dot(found, found, batch)) == pytest.approx(gap @ gap, rel=1e-12)
        rows = z[[j - 1 for j in batch.negatives(i)]]
        top = np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1]
        assert float(batch.top(batch.negatives(i))) == pytest.approx(top, rel=1e-12)


def test_a_batch_and_a_law_are_read_again_from_their_text() -> None:
    batch = batches_of(4, 2)[1]
    assert read_batch(batch.written()).written() == batch.written()
    for law in laws_of(4, 2):
        again = read_law(law.written())
        assert again.written() == law.written()
        assert sum(share for share, _, _ in again.outcomes) == 1


def test_what_is_no_law_is_refused() -> None:
    one = [Fraction(1)]
    with pytest.raises(ValueError, match="probabilities"):
        Law([(Fraction(1, 2), one, one)], [(Fraction(1), one)], 3)
