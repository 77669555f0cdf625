"""Landmarks against the losses of public packages, and gradients against torch.

The packages are optional: pytorch-metric-learning 2.9, lightly 1.6, solo-learn 1.0.2 and open_clip
3.3 were compared. Of lightly and solo-learn only the files with the losses are imported, since the
packages want torchvision and Lightning. In float64 sums of some hundred terms of order one agree to
1e-9; SupContrast adds 1e-9 to a sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import pytest
import torch
from cltheory import explain
from cltheory.derive.landmarks.explain import completed, find
from cltheory.derive.landmarks.similar import Drawn, Similar
from sympy import Rational
from torch import Tensor

CLOSE = {"rel": 1e-8, "abs": 1e-8}
TAU = 0.2


def landmark(loss: str, name: str, convention: str | None = None, **options: object) -> float:
    found = explain(loss, convention=convention, **options)
    return next(mark["value"] for mark in found["landmarks"] if mark["name"] == name)


def simplex(k: int) -> Tensor:
    u = torch.eye(k, dtype=torch.float64) - 1 / k
    return u / u.norm(dim=1, keepdim=True)


def rows(name: str, images: int, classes: int) -> Tensor:
    """One vector for each image."""
    label = torch.arange(images) // (images // classes)
    return {
        "all_equal": torch.ones(images, 4, dtype=torch.float64) / 2,
        "classes_collapsed": simplex(classes)[label],
        "orthogonal": torch.eye(images, dtype=torch.float64),
        "simplex": simplex(images),
    }[name]


FIXED = ["all_equal", "orthogonal", "simplex"]
LABELLED = [*FIXED, "classes_collapsed"]


# --- contrastive losses ----------------------------------------------------------------------
def supcontrast(z: Tensor, labels: Tensor, tau: float, mended: bool = False) -> Tensor:
    """losses.py of HobbitLong/SupContrast (02f458c), no package; z is (batch, views, d).

    ``mended``: later, where an anchor has no positives their number is taken to be 1.
    """
    flat = torch.cat(torch.unbind(z, dim=1))
    same = labels.repeat(z.shape[1])
    logits = flat @ flat.T / tau
    logits = logits - logits.max(1, keepdim=True).values
    others = 1 - torch.eye(len(flat), dtype=z.dtype)
    mask = (same[:, None] == same[None, :]).to(z.dtype) * others
    log_prob = logits - torch.log((torch.exp(logits) * others).sum(1, keepdim=True) + 1e-9)
    count = mask.sum(1).clamp_min(1 if mended else 0)
    return (-(tau / 0.07) * (mask * log_prob).sum(1) / count).mean()


@pytest.mark.parametrize("name", LABELLED)
def test_supcontrast(name: str) -> None:
    u = rows(name, 8, 4)
    theirs = supcontrast(torch.stack([u, u], 1), torch.arange(8) // 2, TAU)
    ours = landmark("supcon", name, "supcontrast", batch=8, classes=4, tau=TAU)
    assert ours == pytest.approx(float(theirs), rel=1e-6)


def test_an_anchor_without_positives_of_supcontrast_is_nan_or_0() -> None:
    u = rows("orthogonal", 4, 4)
    given = u[:, None], torch.tensor([0, 0, 1, 2]), TAU
    assert math.isnan(float(supcontrast(*given)))
    two_of_four = float(supcontrast(*given, mended=True))
    assert two_of_four == pytest.approx(TAU / 0.07 * math.log(3) / 2, rel=1e-6)


@pytest.mark.parametrize("name", LABELLED)
@pytest.mark.parametrize("loss, kind", [("supcon", "SupConLoss"), ("simclr", "NTXentLoss")])
def test_pytorch_metric_learning(loss: str, kind: str, name: str) -> None:
    theirs = pytest.importorskip("pytorch_metric_learning.losses")
    u = rows(name, 8, 4).repeat(2, 1)
    value = getattr(theirs, kind)(temperature=TAU)(u, (torch.arange(8) // 2).repeat(2))
    ours = landmark(loss, name, "pytorch-metric-learning", batch=8, classes=4, tau=TAU)
    assert ours == pytest.approx(float(value), **CLOSE)


def test_an_anchor_without_positives_of_pytorch_metric_learning_is_dropped() -> None:
    theirs = pytest.importorskip("pytorch_metric_learning.losses")
    u = rows("orthogonal", 4, 4)
    value = theirs.SupConLoss(temperature=TAU)(u, torch.tensor([0, 0, 1, 2]))
    assert float(value) == pytest.approx(math.log(3))  # the mean over two anchors, not four


@pytest.mark.parametrize("name", FIXED)
def test_simclr_of_lightly(bare: Callable[[str], ModuleType], name: str) -> None:
    u = rows(name, 6, 6)
    value = bare("lightly.loss.ntx_ent_loss").NTXentLoss(temperature=TAU)(u, u)
    ours = landmark("simclr", name, "lightly", batch=6, tau=TAU)
    assert ours == pytest.approx(float(value), **CLOSE)


@pytest.mark.parametrize("name", FIXED)
def test_dcl_of_lightly(bare: Callable[[str], ModuleType], name: str) -> None:
    u = rows(name, 6, 6)
    value = bare("lightly.loss.dcl_loss").DCLLoss(temperature=TAU)(u, u)
    ours = landmark("dcl", name, "lightly", batch=6, tau=TAU)
    assert ours == pytest.approx(float(value), **CLOSE)


@pytest.mark.parametrize("name", FIXED)
def test_moco_of_lightly(bare: Callable[[str], ModuleType], name: str) -> None:
    """A queue of the other images of the configuration."""
    queue = 7
    loss = bare("lightly.loss.ntx_ent_loss").NTXentLoss(TAU, memory_bank_size=(queue, 8))
    u = torch.nn.functional.pad(rows(name, queue + 1, queue + 1), (0, 8))[:, :8]
    loss.memory_bank.bank = u[1:]
    loss.memory_bank.bank_ptr = torch.zeros(1, dtype=torch.long)
    value = loss(u[:1], u[:1])
    ours = landmark("moco", name, "lightly", queue=queue, tau=TAU)
    assert ours == pytest.approx(float(value), **CLOSE)


@pytest.mark.parametrize("name", FIXED)
def test_simclr_of_solo_learn(bare: Callable[[str], ModuleType], name: str) -> None:
    u = rows(name, 6, 6)
    value = bare("solo.losses.simclr").simclr_loss_func(u, u, temperature=TAU)
    ours = landmark("simclr", name, "solo-learn", batch=6, tau=TAU)
    assert ours == pytest.approx(float(value), **CLOSE)


def solo_labels(z: Tensor, labels: Tensor, tau: float) -> Tensor:
    """simclr_loss_func of solo-learn since 1.0.3 (00ce246); the package 1.0.2 has no labels."""
    sim = torch.exp(z @ z.T / tau)
    positive = labels[:, None] == labels[None, :]
    other = ~positive
    positive = positive & ~torch.eye(len(z), dtype=torch.bool)
    top, below = (sim * positive).sum(1), (sim * other).sum(1)
    return -torch.log(top / (top + below)).mean()


@pytest.mark.parametrize("name", LABELLED)
def test_supcon_of_solo_learn(name: str) -> None:
    u = rows(name, 8, 4).repeat(2, 1)
    value = solo_labels(u, (torch.arange(8) // 2).repeat(2), TAU)
    ours = landmark("supcon", name, "solo-learn", batch=8, classes=4, tau=TAU)
    assert ours == pytest.approx(float(value), **CLOSE)


def test_an_anchor_without_positives_of_solo_learn_is_infinite() -> None:
    u = rows("orthogonal", 4, 4)
    assert float(solo_labels(u, torch.tensor([0, 0, 1, 2]), TAU)) == math.inf


@pytest.mark.parametrize("name", FIXED)
def test_open_clip(bare: Callable[[str], ModuleType], name: str) -> None:
    open_clip = bare("open_clip.loss")
    u = rows(name, 6, 6)
    clip = open_clip.ClipLoss()(u, u, 5.0)
    assert landmark("clip", name, "open-clip", batch=6, t=5) == pytest.approx(float(clip), **CLOSE)
    siglip = open_clip.SigLipLoss()(u, u, 5.0, -3.0)
    ours = landmark("siglip", name, "open-clip", batch=6, t=5, b=-3)
    assert ours == pytest.approx(float(siglip), **CLOSE)


# --- prototypes --------------------------------------------------------------------------------
def scores(name: str, batch: int, count: int) -> Tensor:
    """Cosines of samples with prototypes."""
    if name == "all_equal":
        return torch.full((batch, count), 0.3, dtype=torch.float64)
    found = torch.zeros(batch, count, dtype=torch.float64)
    found[torch.arange(batch), torch.arange(batch) % count] = 1
    return found


@pytest.mark.parametrize("name", ["all_equal", "orthogonal"])
def test_dino(bare: Callable[[str], ModuleType], name: str) -> None:
    s = scores(name, 4, 12)
    ours = landmark("dino", name, prototypes=12)
    lightly = bare("lightly.loss.dino_loss").DINOLoss(output_dim=12)
    assert ours == pytest.approx(float(lightly([s, s], [s, s])), rel=1e-6)  # its center is float32
    solo = bare("solo.losses.dino").DINOLoss(12, 0.04, 0.04, 1, 2)
    assert ours == pytest.approx(float(solo(s.repeat(2, 1), s.repeat(2, 1))), rel=1e-6)


@pytest.mark.parametrize("name", ["all_equal", "orthogonal"])
def test_ibot_of_lightly(bare: Callable[[str], ModuleType], name: str) -> None:
    s = scores(name, 4, 12)
    loss = bare("lightly.loss.ibot_loss").IBOTPatchLoss(output_dim=12)
    value = loss(s, s, torch.ones(1, 2, 2, dtype=torch.bool))
    ours = landmark("ibot", name, "lightly", prototypes=12)
    assert ours == pytest.approx(float(value), rel=1e-6)
    assert landmark("ibot", name, prototypes=12) == pytest.approx(2 * ours)


@pytest.mark.parametrize("name", ["all_equal", "orthogonal"])
@pytest.mark.parametrize("batch", [5, 12, 17, 24, 40])
def test_swav_of_lightly(bare: Callable[[str], ModuleType], name: str, batch: int) -> None:
    s = scores(name, batch, 12)
    value = bare("lightly.loss.swav_loss").SwaVLoss()([s, s], [])
    ours = landmark("swav", name, "lightly", prototypes=12, batch=batch)
    assert ours == pytest.approx(float(value), **CLOSE)


# --- features and cosines -------------------------------------------------------------------------
def whitened(batch: int, d: int) -> Tensor:
    """Features with mean 0, sample variance 1 and no correlation."""
    torch.manual_seed(0)
    z = torch.randn(batch, d, dtype=torch.float64)
    q, _ = torch.linalg.qr(z - z.mean(0))
    return q * (batch - 1) ** 0.5


def vicregs(bare: Callable[[str], ModuleType]) -> dict[str, Callable[[Tensor, Tensor], Tensor]]:
    return {
        "lightly": bare("lightly.loss.vicreg_loss").VICRegLoss(),
        "solo-learn": bare("solo.losses.vicreg").vicreg_loss_func,
    }


def barlows(bare: Callable[[str], ModuleType]) -> dict[str, Callable[[Tensor, Tensor], Tensor]]:
    return {
        "lightly": bare("lightly.loss.barlow_twins_loss").BarlowTwinsLoss(),
        "solo-learn": bare("solo.losses.barlow").barlow_loss_func,
    }


@pytest.mark.parametrize("convention", ["lightly", "solo-learn"])
@pytest.mark.parametrize("loss, functions", [("vicreg", vicregs), ("barlow-twins", barlows)])
def test_losses_of_features(
    bare: Callable[[str], ModuleType], loss: str, functions: Callable, convention: str
) -> None:
    function, batch, d = functions(bare)[convention], 16, 5
    ours = {k: landmark(loss, k, convention, batch=batch, dim=d) for k in ("all_equal", "random")}
    one = torch.ones(batch, d)
    assert ours["all_equal"] == pytest.approx(float(function(one, one)), rel=1e-6)
    apart = whitened(batch, d).float()
    assert float(function(apart, apart)) == pytest.approx(0, abs=1e-4)  # batch norm's epsilon
    torch.manual_seed(0)
    each = torch.stack([function(torch.randn(batch, d), torch.randn(batch, d)) for _ in range(600)])
    error = float(each.std()) / 600**0.5
    assert ours["random"] == pytest.approx(float(each.mean()), abs=5 * error)


def test_cosine_losses(bare: Callable[[str], ModuleType]) -> None:
    u = rows("simplex", 5, 5)
    lightly = float(
        bare("lightly.loss.negative_cosine_similarity").NegativeCosineSimilarity()(u, u)
    )
    solo = float(bare("solo.losses.byol").byol_loss_func(u, u))
    simsiam = float(bare("solo.losses.simsiam").simsiam_loss_func(u, u))
    assert landmark("byol", "simplex", "lightly") == pytest.approx(lightly)
    assert landmark("simsiam", "simplex", "lightly") == pytest.approx(lightly)
    assert landmark("simsiam", "simplex", "solo-learn") == pytest.approx(simsiam)
    assert landmark("byol", "simplex", "solo-learn") == pytest.approx(solo, abs=1e-12)


# --- gradients --------------------------------------------------------------------------------
def of_hierarchy(loss: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    labels = (torch.arange(6) // 2).repeat(2)
    return lambda z: loss(torch.nn.functional.normalize(z, dim=1), labels)


GRADIENTS: dict[tuple[str, str], Callable[[Tensor], Tensor]] = {
    ("supcon", "supcontrast"): of_hierarchy(
        lambda u, labels: supcontrast(torch.stack(u.chunk(2), 1), labels[:6], TAU)
    ),
    ("supcon", "solo-learn"): of_hierarchy(lambda u, labels: solo_labels(u, labels, TAU)),
}


@pytest.mark.parametrize("row", GRADIENTS)
@pytest.mark.parametrize("name", LABELLED)
def test_gradient_norms(row: tuple[str, str], name: str) -> None:
    z = rows(name, 6, 3).repeat(2, 1).requires_grad_()
    GRADIENTS[row](z).backward()
    assert z.grad is not None
    found = gradient(*row, name, batch=6, classes=3, tau="1/5")
    assert found == pytest.approx(float(z.grad.norm()), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("loss", ["clip", "siglip"])
def test_gradient_norms_of_two_towers(loss: str) -> None:
    z = torch.eye(5, dtype=torch.float64).repeat(2, 1).requires_grad_()
    u, v = torch.nn.functional.normalize(z, dim=1).chunk(2)
    logits = 5 * u @ v.T
    if loss == "clip":
        at = torch.arange(5)
        entropy = torch.nn.functional.cross_entropy
        value = (entropy(logits, at) + entropy(logits.T, at)) / 2
    else:
        sign = 2 * torch.eye(5) - 1
        value = -torch.nn.functional.logsigmoid(sign * (logits - 3)).sum() / 5
    value.backward()
    assert z.grad is not None
    more = {"b": -3} if loss == "siglip" else {}
    found = gradient(loss, "open-clip", "orthogonal", batch=5, t=5, **more)
    assert found == pytest.approx(float(z.grad.norm()), rel=1e-9)


def gradient(loss: str, convention: str, name: str, **options: object) -> float | None:
    row = find(loss, convention)
    given = completed(row, {k: Rational(str(v)) for k, v in options.items()})
    return next(mark.gradient for mark in row.family.landmarks(given) if mark.name == name)


def test_no_gradient_is_told_of_a_draw() -> None:
    row = find("supcon", None)
    assert isinstance(row.family, Similar)
    assert row.family.gradient({"self": Drawn(1)}, completed(row, {})) is None
