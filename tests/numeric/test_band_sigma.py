"""The largest eigenvalues without two rows against one eigendecomposition each."""

from __future__ import annotations

import pytest
import torch
from cltheory.numeric.band import sigma
from cltheory.numeric.band.readings import views
from cltheory.numeric.band.sigma import largest_without
from draws import normal
from torch import Tensor
from torch.nn.functional import normalize

#: What the method guarantees by its own test.
TOLERANCE = 1e-11


def dense(rows: Tensor, removed: Tensor) -> Tensor:
    """The definition."""
    found = []
    for out in removed.tolist():
        rest = rows[[j for j in range(len(rows)) if j not in out]]
        found.append(torch.linalg.eigvalsh(rest.T @ rest / len(rest))[-1])
    return torch.stack(found)


def pairs(positive: Tensor) -> Tensor:
    return torch.stack([torch.arange(len(positive)), positive], 1)


def check(rows: Tensor, removed: Tensor) -> sigma.Sigmas:
    found, expected = largest_without(rows, removed), dense(rows, removed)
    error = (found.value - expected).abs() / expected
    assert float(error.max()) < TOLERANCE
    assert float((found.upper - expected).min()) > -1e-13
    assert float((found.upper / expected).max()) < 1 + TOLERANCE + 1e-13
    assert found.dense == 0
    return found


@pytest.mark.parametrize(
    "n, d", [(3, 1), (3, 2), (4, 1), (4, 4), (5, 3), (6, 2), (20, 7), (24, 24), (30, 60)]
)
@pytest.mark.parametrize("seed", range(3))
def test_random_rows(n: int, d: int, seed: int) -> None:
    rows = normalize(normal(seed, n, d), dim=1)
    check(rows, pairs((torch.arange(n) + 1) % n))
    check(rows, torch.arange(n)[:, None])


def classes(n: int, k: int, d: int = 0) -> Tensor:
    return torch.eye(max(k, d), dtype=torch.float64)[torch.arange(n) % k]


#: Before rows are moved and normalised: tops of every multiplicity, and rows off the top.
SPECTRA = {
    "simplex": classes(40, 5) - 1 / 5,
    "one direction": torch.ones(40, 3, dtype=torch.float64),
    "antipodes": torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64).repeat(20, 1),
    "two directions": classes(40, 2, 30),
    "three directions": classes(39, 3, 10),
    "orthogonal": classes(40, 40),
    "every row twice": classes(40, 20),
    "a top off most": torch.cat([classes(20, 1, 30), classes(20, 20, 30).roll(1, 1)]),
    "falling": normal(7, 40, 30) * torch.linspace(1, 0, 30, dtype=torch.float64) ** 6,
    "wide": normal(8, 40, 60) * 0.5 ** torch.arange(60, dtype=torch.float64),
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("moved", [0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3])
def test_adversarial_spectra(name: str, moved: float) -> None:
    rows = SPECTRA[name]
    rows = normalize(rows + moved * normal(3, *rows.shape), dim=1)
    n = len(rows)
    turned = rows @ torch.linalg.qr(normal(9, rows.shape[1], rows.shape[1]))[0]
    for positive in ((torch.arange(n) + 1) % n, (torch.arange(n) + n // 2) % n):
        check(turned, pairs(positive))


def test_what_is_not_certified_is_decomposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With too few rounds the bracket stays wide; the answer is as good, and it is told."""
    monkeypatch.setattr(sigma, "ROUNDS", 1)
    rows = normalize(normal(2, 30, 12), dim=1)
    found = largest_without(rows, pairs(views(30)))
    assert found.dense > 0
    assert torch.allclose(found.value, dense(rows, pairs(views(30))), rtol=1e-13)


@pytest.mark.parametrize("wrong", ["above", "vector"])
def test_a_wrong_count_or_vector_is_noticed(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = sigma._count

    def corrupted(*args: Tensor) -> tuple[Tensor, Tensor]:
        above, x = count(*args)
        return (torch.ones_like(above), x) if wrong == "above" else (above, x.flip(1))

    monkeypatch.setattr(sigma, "_count", corrupted)
    rows = normalize(normal(2, 30, 12), dim=1)
    found = largest_without(rows, pairs(views(30)))
    assert found.dense > 0
    assert torch.allclose(found.value, dense(rows, pairs(views(30))), rtol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("top", [1 / 1024, 0.3, 0.999])
def test_a_batch_as_large_as_it_is_meant_for(top: float) -> None:
    """n = 256 and d = 1024, against 256 eigendecompositions of the smaller Gram matrices."""
    n, d = 256, 1024
    share = torch.tensor([top, *[(1 - top) / (d - 1)] * (d - 1)], dtype=torch.float64)
    first = normalize(normal(1, n // 2, d) * share.sqrt(), dim=1)
    second = normalize(first + 0.5 * normalize(normal(2, n // 2, d), dim=1), dim=1)
    rows, removed = torch.cat([first, second]), pairs(views(n))
    found = largest_without(rows, removed)
    gram = rows @ rows.T
    for i, out in enumerate(removed.tolist()):
        keep = [j for j in range(n) if j not in out]
        expected = torch.linalg.eigvalsh(gram[keep][:, keep])[-1] / len(keep)
        assert float(found.value[i]) == pytest.approx(float(expected), rel=TOLERANCE)
    assert found.dense == 0
