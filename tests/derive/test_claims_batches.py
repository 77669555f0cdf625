"""Records about batches in pairs, laws of one anchor, and sets with candidates."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from cltheory.derive.language.matrices import Matrix
from cltheory.derive.papers.form.examine import examine
from cltheory.derive.papers.ochieng2025diversity.batch import Batch, Law, read_batch, read_law
from cltheory.derive.papers.ochieng2025diversity.sets import (
    batches_of,
    in_pairs,
    laws_of,
    next_ones,
)
from records import printed as printed_record

ON_BATCHES = 'under = "n in 3.., d in 1.., tau in (0, oo)"\non = "batches"\n'
ON_LAWS = 'under = "n in 3.., d in 1.., tau in (0, oo)"\non = "laws"\n'
ON_SETS = 'under = "b in 1.., d in 1.."\non = "set and candidates"\n'


@pytest.mark.parametrize(
    "printed",
    [
        r"M_i = \sum_{k \in \{i^+\} \cup \mathcal{N}_i^-} p_{ik} z_k",
        r"\epsilon_i = 1 - p_{ii^+}",
        r"\sum_{j \in \mathcal{N}_i^-} q_{ij} = 1",
        r"\|\nabla_{z_i} \mathcal{L}_i\|^2 = \frac{1}{\tau^2} \|M_i - z_{i^+}\|^2",
        r"\gamma_i = \|g_i\|^2",
        r"\rho_i = \langle M_i, z_i^+ \rangle",
        r"\bar{s}_i^- = z_i^\top \bar{z}_i^-",
        r"z_i^\top \tilde{\Sigma}_i z_i = \frac{1}{n-1} \sum_{j \in \mathcal{S}_i} s_{ij}^2",
        r"\sum_k \lambda_k = \operatorname{tr}(\hat{\Sigma})",
        r"\|\hat{\Sigma}\|_F^2 = \operatorname{tr}(\hat{\Sigma}^2)",
        r"z_i z_i^\top \preceq n \hat{\Sigma}",
    ],
)
def test_what_holds_on_batches(printed: str) -> None:
    of_an_anchor = any(sign in printed for sign in ("_i", "_{i", "^{(i)}"))
    found = examine(printed_record(printed, ON_BATCHES, r"i \in [n]" if of_an_anchor else ""))
    assert found.verdict.word == "agrees", found


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


@pytest.mark.parametrize(
    ("printed", "word"),
    [
        (r"\mathbb{E}\|\bar{z}_i^-\|^2 = \mathbb{E}[\|\bar{z}_i^-\|^2]", "agrees"),
        (r"\operatorname{Var}(\rho_i) = \mathbb{E}[\rho_i^2] - (\mathbb{E}[\rho_i])^2", "agrees"),
        (r"\mathbb{E}[\sigma_*^{(i)}] = \sigma_*", "agrees"),
        (r"\mathbb{E}[\epsilon_i^2] = (\mathbb{E}[\epsilon_i])^2", "differs"),
        (r"\mathbb{E}\|\bar{z}_i^-\|^2 = \frac{1}{N^-}", "differs"),
    ],
)  # fmt: skip
def test_laws(printed: str, word: str) -> None:
    assert examine(printed_record(printed, ON_LAWS, r"i \in [1]")).verdict.word == word


def test_a_condition_on_the_law_of_the_negatives() -> None:
    printed = r"\mathbb{E}\|\bar{z}_i^-\|^2 = \frac{1}{N^-}"
    more = ON_LAWS + 'condition = "centred(Z)"\norigin = "authors"\n'
    assert examine(printed_record(printed, more, r"i \in [1]")).verdict.word == "needs-condition"


@pytest.mark.parametrize(
    ("printed", "word"),
    [
        (r"z^\top \Sigma_B z = \frac{1}{b} \sum_{z' \in B} \langle z, z' \rangle^2", "agrees"),
        (r"(b+1) \Sigma_{B \cup \{z\}} = b \Sigma_B + z z^\top", "agrees"),
        (r"\|\Sigma_B - zz^\top\|_F^2 = 1", "differs"),
    ],
)
def test_sets_with_candidates(printed: str, word: str) -> None:
    assert examine(printed_record(printed, ON_SETS, r"z \in C")).verdict.word == word


def test_an_expectation_where_there_is_no_law_is_not_known() -> None:
    found = examine(printed_record(r"\mathbb{E}[\epsilon_i] = 1", ON_BATCHES, r"i \in [n]"))
    assert found.verdict.word == "undecided"


def test_partners() -> None:
    assert in_pairs(4) == [2, 1, 4, 3]
    assert in_pairs(5) == [2, 1, 4, 3, 1]
    assert next_ones(3) == [2, 3, 1]
    for n in (3, 4, 5, 6):
        for batch in batches_of(n, 2):
            assert all(batch.partner(i) != i for i in range(1, n + 1))


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
        assert float(batch.dot_any(found, found)) == pytest.approx(gap @ gap, rel=1e-12)
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


def test_eigenvalues_of_what_is_not_diagonal() -> None:
    rows = [[Fraction(3, 5), Fraction(4, 5)], [Fraction(1), Fraction(0)]]
    batch = Batch([*rows, rows[0]], [2, 3, 1])
    top = batch.top([1, 2])
    with mpmath.workdps(50):
        assert abs(top - (1 + mpmath.mpf(3) / 5) / 2) < mpmath.mpf(10) ** -40
    assert isinstance(batch.moment([1, 2]), Matrix)
