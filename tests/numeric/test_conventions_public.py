"""The declared losses of libraries against the losses of libraries, and the changes of parameters.

Losses are written out here from their source; that packages compute the same is seen in
test_losses_contrastive and test_landmarks_public, where they are installed:

* ``ClipLoss`` of open_clip, and CLIP: the mean of the cross-entropies of both towers;
* ``SigLipLoss`` of open_clip, and SigLIP: Zhai et al. (2023), Algorithm 1;
* SupContrast, ``losses.py`` of github.com/HobbitLong/SupContrast (02f458c): each anchor is
  left out of its own numerator and denominator, a mean over all other vectors of its label,
  times temperature / 0.07;
* NT-Xent, Chen et al. (2020), equation (1) and Algorithm 1: two views, the anchor left out.

Every tolerance is that of sums of a few hundred terms of order one in float64.
"""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.decide.domain import Domain
from cltheory.derive.losses.clip import INFONCE, SIGMOID
from cltheory.derive.losses.conventions import CONVENTIONS
from cltheory.derive.losses.softmax import SoftmaxLoss
from cltheory.derive.losses.supcl import SUPCL
from cltheory.derive.problems.problem import Loss, Problem
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.hierarchy import hierarchy
from cltheory.derive.structures.towers import towers
from cltheory.numeric import problems
from cltheory.numeric.problems.embeddings import random_embeddings, structured_embeddings
from torch import Tensor

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
SUPCON = CONVENTIONS["supcontrast"].readings[0].loss
NT_XENT = CONVENTIONS["simclr"].readings[0].loss
CLASSED, PAIRED = hierarchy(), towers(2)
NOTHING = Domain(ranges={}, witness={})  # is asked of parameters


def random_classes(seed: int, m: int, n: int, p: int) -> Tensor:
    return random_embeddings(arrange(CLASSED, {"m": m, "n": n, "p": p}), seed, d=5)


def random_towers(seed: int) -> Tensor:
    return random_embeddings(arrange(PAIRED, {"N": 6}), seed, d=5)


def ccem(**inner: float) -> Tensor:
    return structured_embeddings(arrange(PAIRED, {"N": 5}), inner, 5)


def evaluate(loss: SoftmaxLoss, u: Tensor, values: dict[str, float]) -> Tensor:
    return problems.evaluate(Problem(loss, CLASSED, NOTHING), u, values)


def evaluate_towers(loss: Loss, u: Tensor, values: dict[str, float]) -> Tensor:
    return problems.evaluate(Problem(loss, PAIRED, NOTHING), u, values)


def written_siglip(u: Tensor, v: Tensor, t: float, b: float) -> Tensor:
    labels = 2 * torch.eye(len(u), dtype=u.dtype) - 1
    return -torch.nn.functional.logsigmoid(labels * (t * u @ v.T + b)).sum() / len(u)


def written_clip(u: Tensor, v: Tensor, t: float) -> Tensor:
    logits, own, entropy = t * u @ v.T, torch.arange(len(u)), torch.nn.functional.cross_entropy
    return (entropy(logits, own) + entropy(logits.T, own)) / 2


# --- declarations against the libraries ------------------------------------------------------
@pytest.mark.parametrize("name", ["siglip", "open-clip"])
@pytest.mark.parametrize(("t", "b"), [(10.0, -10.0), (1.5, 0.7)])
def test_the_sigmoid_losses(name: str, t: float, b: float) -> None:
    u, v = both = random_towers(1)
    theirs = written_siglip(u, v, t, b)
    reading = CONVENTIONS[name].reading(SIGMOID)
    assert reading is not None
    declared = evaluate_towers(reading.loss, both, {"t": t, "b": b})
    changed = evaluate_towers(reading.of_loss(SIGMOID), both, {"t": t, "b": b})
    unchanged = evaluate_towers(SIGMOID, both, {"t": t, "b": b})
    torch.testing.assert_close(declared, theirs, **CLOSE)
    torch.testing.assert_close(changed, theirs, **CLOSE)
    assert abs(unchanged - theirs) > 0.1


@pytest.mark.parametrize("name", ["clip", "open-clip"])
@pytest.mark.parametrize("t", [0.7, 100.0])
def test_the_softmax_losses(name: str, t: float) -> None:
    u, v = both = random_towers(2)
    theirs = written_clip(u, v, t)
    reading = CONVENTIONS[name].reading(INFONCE)
    assert reading is not None
    for loss in (reading.loss, reading.of_loss(INFONCE)):
        torch.testing.assert_close(evaluate_towers(loss, both, {"t": t}), theirs, **CLOSE)
    # The other way round: theirs times two at 1/t is ours at t.
    ours = evaluate_towers(INFONCE, both, {"t": 1 / t})
    torch.testing.assert_close(ours, 2 * theirs, **CLOSE)


def supcontrast(features: Tensor, labels: Tensor, temperature: float) -> Tensor:
    """``features`` (bsz, views, d) with a label each, loop by loop."""
    vectors = features.flatten(0, 1)
    own = labels.repeat_interleave(features.shape[1])
    total = torch.zeros((), dtype=features.dtype)
    for a in range(len(vectors)):
        others = [k for k in range(len(vectors)) if k != a]
        logits = (vectors[others] @ vectors[a]) / temperature
        positive = own[others] == own[a]
        total -= (logits - torch.logsumexp(logits, 0))[positive].mean()
    return temperature / 0.07 * total / len(vectors)


def nt_xent(first: Tensor, second: Tensor, temperature: float) -> Tensor:
    """The mean over the 2 N views of a cross-entropy that leaves the anchor out."""
    vectors, size = torch.cat((first, second)), len(first)
    logits = vectors @ vectors.T / temperature
    logits.fill_diagonal_(-torch.inf)
    target = torch.arange(2 * size).roll(size)
    return torch.nn.functional.cross_entropy(logits, target)


@pytest.mark.parametrize("tau", [0.07, 0.5])
@pytest.mark.parametrize("sizes", [(3, 4, 2), (2, 2, 3)])
def test_the_loss_of_supcontrast(sizes: tuple[int, int, int], tau: float) -> None:
    m, n, p = sizes
    u = random_classes(4, m, n, p)
    theirs = supcontrast(u.flatten(0, 1), torch.arange(m).repeat_interleave(n), tau)
    torch.testing.assert_close(evaluate(SUPCON, u, {"tau": tau}), theirs, **CLOSE)
    for alpha in (0.0, 0.5, 1.0):  # of the paper's loss it is none
        assert abs(evaluate(SUPCL, u, {"tau": tau, "alpha": alpha}) - theirs) > 1e-3


@pytest.mark.parametrize("tau", [0.07, 0.5])
def test_the_loss_of_simclr(tau: float) -> None:
    u = random_classes(5, 2, 4, 2)
    theirs = nt_xent(*u.flatten(0, 1).unbind(1), tau)
    torch.testing.assert_close(evaluate(NT_XENT, u, {"tau": tau}), theirs, **CLOSE)
    assert abs(evaluate(SUPCL, u, {"tau": tau, "alpha": 1.0}) - theirs) > 1e-3


# --- values of results, in their terms ---------------------------------------------------------
@pytest.mark.parametrize(("t", "b"), [(2.0, -1.0), (10.0, -10.0), (1.0, 3.0)])
def test_the_least_sigmoid_loss_is_that_of_its_optimum(t: float, b: float) -> None:
    r = results["sigmoid-optimum"].in_convention("siglip")
    numbers = {"N": 5, "t": int(t), "b": int(b)}
    names = ("positive", "negative")
    inner = {name: float(r.value(name, **numbers)) for name in names}
    # The two vectors of an item differ by the same vector for every item.
    inner["within_modality"] = inner["negative"] + (1 - inner["positive"])
    u, v = ccem(**inner)
    found = float(written_siglip(u, v, t, b))
    assert found == pytest.approx(float(r.value("loss", **numbers)), rel=1e-12)


@pytest.mark.parametrize("t", [1.0, 7.0])
def test_the_least_clip_loss_is_that_of_its_optimum(t: float) -> None:
    r = results["infonce-optimum"].in_convention("clip")
    u, v = ccem(positive=1.0, negative=-1 / 4, within_modality=-1 / 4)
    found = float(written_clip(u, v, t))
    assert found == pytest.approx(float(r.value("loss", N=5, t=int(t))), rel=1e-11)
