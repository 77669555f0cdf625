"""Records about batches in pairs, laws of one anchor, and sets with candidates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cltheory.derive.papers.ochieng2025diversity.batch import Law, read_batch, read_law
from cltheory.derive.papers.ochieng2025diversity.sets import (
    batches_of,
    laws_of,
)
from cltheory.derive.papers.records.examine import examine
from records import printed as printed_record

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
