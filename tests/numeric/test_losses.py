"""The losses to train with, against plain sums, public packages, and bad input.

Compared with ``pytorch-metric-learning`` 2.9 and ``open_clip_torch`` 3.3 where they are installed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
import pytest
import torch
from cltheory import losses as losses_of_all
from cltheory.numeric.losses import (
    CLIP,
    XCLR,
    EuclideanWInfoNCE,
    KernelInfoNCE,
    Loss,
    SimCLR,
    SoftSupCon,
    SupCon,
    WInfoNCE,
    YAware,
    sums,
    tiles,
)
from draws import normal
from torch import Tensor

N, D = 23, 4
#: float64 sums of some hundred terms; at tau = 0.001 similarities are about 1000.
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


# --- the definition, written out in numpy, one anchor after the other -----------------------------
def plain(z: Any, w: Any, tau: float, euclidean: bool = False, seen: Any = None) -> float:
    z, w = (torch.as_tensor(part).numpy() for part in (z, w))
    n, found = len(z), []
    for i in range(n):
        others = [j for j in range(n) if (j != i if seen is None else seen[i, j])]
        if euclidean:
            s = {j: -float(np.sum((z[i] - z[j]) ** 2)) / tau for j in others}
        else:
            length = np.linalg.norm(z, axis=1)
            s = {j: float(z[i] @ z[j]) / (length[i] * length[j]) / tau for j in others}
        top = max(s.values())
        log_sum = top + log(sum(np.exp(s[j] - top) for j in others))
        pulls = [j for j in others if j != i and w[i, j] > 0]
        if pulls:
            total = sum(w[i, j] for j in pulls)
            found.append(-sum(w[i, j] / total * (s[j] - log_sum) for j in pulls))
    return float(np.mean(found))


def classes(seed: int, n: int = N, count: int = 5) -> Tensor:
    labels = torch.randint(0, count, (n,), generator=torch.Generator().manual_seed(seed))
    labels[0] = 99  # alone in its class
    return labels


Z, Y, LABELS = normal(1, N, D), normal(2, N, 3), classes(3)
W = normal(4, N, N).abs() * (normal(5, N, N) > 0)
SAME = (LABELS[:, None] == LABELS).double()
SQUARES = (Y[:, None] - Y).square().sum(-1)
COSINES = torch.nn.functional.cosine_similarity(Y[:, None], Y, dim=-1)

#: name: the module of a temperature, what it is given, the weights, whether it is Euclidean.
CASES: dict[str, tuple[Callable[[Any], Loss], Tensor, Tensor, bool]] = {
    "supcon": (SupCon, LABELS, SAME, False),
    "soft-supcon": (lambda t: SoftSupCon(0.3, t), LABELS, 0.3 + 0.7 * SAME, False),
    "y-aware": (lambda t: YAware(t, gamma=0.5), Y, torch.exp(-0.5 * SQUARES), False),
    "x-clr": (lambda t: XCLR(0.2, t), Y, torch.exp(COSINES / 0.2), False),
    "euclidean": (EuclideanWInfoNCE, Y, torch.exp(-SQUARES), True),
    "any": (lambda t: WInfoNCE(t, symmetric=False), W, W, False),
    "any-euclidean": (lambda t: WInfoNCE(t, euclidean=True, symmetric=False), W, W, True),
}


@pytest.fixture(params=[512, 6, 2], ids="block{}".format)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A matrix, some tiles, and many, of which some hold a point with itself only."""
    monkeypatch.setattr(tiles, "BLOCK", request.param)
    if request.param < N:
        monkeypatch.setattr(sums, "MATRIX", 0)
        monkeypatch.setattr(sums, "ROWS", 100)
    return int(request.param)


@pytest.mark.parametrize("tau", [0.5, 0.02, 0.001])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, tau: float, block: int) -> None:
    made, given, w, euclidean = CASES[name]
    assert float(made(tau)(Z, given)) == pytest.approx(plain(Z, w, tau, euclidean), rel=1e-10)
    single = float(made(tau)(Z.float(), given))
    assert single == pytest.approx(plain(Z, w, tau, euclidean), rel=2e-5)


def test_a_wrong_value_is_seen() -> None:
    found = float(SupCon(0.5)(Z, LABELS))
    for wrong in (plain(Z, SAME, 0.51), plain(Z, 1.0 - SAME, 0.5), plain(Z, SAME, 0.5, True)):
        assert abs(found - wrong) > 1e-3


@pytest.mark.parametrize("tau", [0.5, 0.02])
@pytest.mark.parametrize("name", CASES)
def test_gradients(name: str, tau: float, block: int) -> None:
    """Also of the temperature; 0.02 is shifted row by row in float32 only."""
    made, given, _, _ = CASES[name]

    def loss(z: Tensor, t: Tensor) -> Tensor:
        module = made(tau)
        module.tau = t  # type: ignore[assignment]
        return module(z, given)

    z, given = Z[:8].clone(), given[:8, :8] if len(given.shape) > 1 else given[:8]
    t = torch.tensor(tau, dtype=torch.float64)
    assert torch.autograd.gradcheck(loss, (z.requires_grad_(), t.requires_grad_()))


@pytest.mark.parametrize("name", CASES)
def test_small_temperatures_have_gradients(name: str, block: int) -> None:
    """Where sums have to be shifted, float64 and float32, against autograd of the definition."""
    made, given, w, euclidean = CASES[name]
    tau, w = 1e-3, w.clone().fill_diagonal_(0)
    z = Z.clone().requires_grad_()
    x = z if euclidean else torch.nn.functional.normalize(z)
    s = (-(x[:, None] - x).square().sum(-1) if euclidean else x @ x.T) / tau
    total, eye = w.sum(1), torch.eye(N, dtype=torch.bool)
    rows = torch.logsumexp(s.masked_fill(eye, -torch.inf), 1)
    has = total > 0
    ((w * (rows[:, None] - s)).sum(1)[has] / total[has]).mean().backward()
    assert z.grad is not None
    for dtype, tolerance in ((torch.float64, 1e-9), (torch.float32, 1e-3)):
        ours = Z.clone().to(dtype).requires_grad_()
        made(tau)(ours, given).backward()
        assert ours.grad is not None
        error = (ours.grad - z.grad).abs().max() / z.grad.abs().max()
        assert error < tolerance


def test_each_anchor_and_their_mean() -> None:
    each = SupCon(0.2, reduction="none")(Z, LABELS)
    alone = (SAME.sum(1) == 1).nonzero()[:, 0]
    assert each.shape == (N,) and 0 in alone and torch.equal((each == 0).nonzero()[:, 0], alone)
    assert float(SupCon(0.2)(Z, LABELS)) == pytest.approx(float(each[each > 0].mean()))
    assert float(SupCon(0.2, isolated="zero")(Z, LABELS)) == pytest.approx(float(each.mean()))
    z = Z.clone().requires_grad_()
    weights = normal(6, N)
    (SupCon(0.2, reduction="none")(z, LABELS) * weights).sum().backward()
    assert z.grad is not None

    def loss(v: Tensor) -> Tensor:
        return SupCon(0.2, reduction="none")(v, LABELS) @ weights

    assert torch.autograd.gradcheck(loss, (z,))


# --- views, towers, conventions -------------------------------------------------------------------
VIEWS = normal(7, 8, 3, D)
VIEW_LABELS = classes(8, 8, 3)


def seen_by_towers(views: int, batch: int) -> Any:
    view = np.repeat(np.arange(views), batch)
    return view[:, None] != view


@pytest.mark.parametrize("towers", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_views(epsilon: float, towers: bool, block: int) -> None:
    loss = SoftSupCon(epsilon, 0.3, towers=towers)
    flat, labels = VIEWS.transpose(0, 1).flatten(0, 1), VIEW_LABELS.repeat(3)
    w = epsilon + (1 - epsilon) * (labels[:, None] == labels).double()
    seen = seen_by_towers(3, 8) if towers else None
    found = plain(flat, w, 0.3, seen=seen)
    assert float(loss(VIEWS, VIEW_LABELS)) == pytest.approx(found, rel=1e-10)
    each = SoftSupCon(epsilon, 0.3, towers=towers, reduction="none")(VIEWS, VIEW_LABELS)
    assert each.shape == (8, 3) and float(each.mean()) == pytest.approx(found)
    z = VIEWS[:4].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda v: loss(v, VIEW_LABELS[:4] % 2), (z,))


@pytest.mark.parametrize("towers", [False, True])
def test_views_of_other_weights(towers: bool) -> None:
    y = normal(9, 8, 2)
    flat, all_y = VIEWS.transpose(0, 1).flatten(0, 1), y.repeat(3, 1)
    w = torch.exp(-(all_y[:, None] - all_y).square().sum(-1))
    seen = seen_by_towers(3, 8) if towers else None
    expected = plain(flat, w, 0.3, seen=seen)
    assert float(YAware(0.3, towers=towers)(VIEWS, y)) == pytest.approx(expected, rel=1e-10)
    given = torch.exp(-(y[:, None] - y).square().sum(-1))
    assert float(WInfoNCE(0.3, towers=towers)(VIEWS, given)) == pytest.approx(expected, rel=1e-10)


#: A loss of labels, and one of views.
BOTH = pytest.mark.parametrize(
    ("made", "z", "labels"),
    [(SupCon, Z, (LABELS,)), (lambda t, **o: KernelInfoNCE(1.0, t, **o), VIEWS, ())],
    ids=["classes", "kernel"],
)


@BOTH
@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_lower_precision_is_raised(kind: torch.dtype, made: Any, z: Tensor, labels: Any) -> None:
    low = z.to(kind).requires_grad_()
    loss = made(0.3)(low, *labels)
    loss.backward()
    assert loss.dtype == torch.float32 and low.grad is not None and low.grad.dtype == kind
    assert float(loss.detach()) == float(made(0.3)(z.to(kind).float(), *labels))
    expected = float(made(0.3)(z.float(), *labels))
    with torch.autocast("cpu", dtype=kind):
        assert float(made(0.3)(z.float(), *labels)) == expected


@pytest.mark.parametrize("options", [{}, {"anchor": True}, {"reduction": "none"}], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str, options: dict[str, Any]) -> None:
    """The first derivative is the one of tiles; the second is compared with differences."""
    made, given, _, _ = CASES[name]
    tau = torch.nn.Parameter(torch.tensor(0.3, dtype=torch.float64))
    loss = made(tau)
    loss.anchor, loss.reduction = options.get("anchor", False), options.get("reduction", "mean")
    z = Z.clone().requires_grad_()
    once, twice = (
        torch.autograd.grad(loss(z, given).sum(), (z, tau), create_graph=k) for k in (False, True)
    )
    torch.testing.assert_close(once, twice, **CLOSE)

    def slope(z: Tensor) -> Tensor:
        return loss(z, given).sum()

    assert torch.autograd.gradgradcheck(slope, z, fast_mode=True)


def test_second_derivatives_of_towers_and_of_far_labels() -> None:
    """Weights of other towers are all that is seen, however small they are beside the own ones."""
    labels = torch.cat([normal(7, 5, 2), normal(8, 5, 2) + 40])
    loss = YAware(0.3, towers=True)
    z = normal(9, 10, 2, D).requires_grad_()
    once, twice = (
        torch.autograd.grad(loss(z, labels), z, create_graph=k)[0] for k in (False, True)
    )
    torch.testing.assert_close(once, twice, **CLOSE)


@BOTH
def test_without_checks_nan_stays_nan(made: Any, z: Tensor, labels: Any) -> None:
    loss = made(0.3, check=False)
    for value in (float("nan"), 0.0):
        bad = z.clone()
        bad[3] = value
        bad.requires_grad_()
        found = loss(bad, *labels)
        assert found.isnan() == bool(value)
        found.backward()
        assert bad.grad is not None and bool(bad.grad.isfinite().all()) == (value == 0)


def test_distances_do_not_see_a_shift() -> None:
    """Rounding stays that of the distances, also far from zero."""
    near = EuclideanWInfoNCE(0.5)(Z.float(), Y)
    far = EuclideanWInfoNCE(0.5)((Z + 1000.0), Y)
    assert float(near) == pytest.approx(float(far), rel=1e-5)


# --- against the packages -------------------------------------------------------------------------
def agree(ours: Callable[[Tensor], Tensor], theirs: Callable[[Tensor], Tensor], z: Tensor) -> None:
    """Values and gradients; packages add a "small value" here and there."""
    found = []
    for loss in (ours, theirs):
        v = z.clone().requires_grad_()
        value = loss(v)
        value.backward()
        assert v.grad is not None
        found.append((value.detach(), v.grad))
    torch.testing.assert_close(found[0], found[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("tau", [0.05, 0.5])
def test_pytorch_metric_learning(tau: float) -> None:
    losses = pytest.importorskip(
        "pytorch_metric_learning.losses", reason="needs pytorch-metric-learning"
    )
    # A class of one sample is left out of both means.
    agree(lambda z: SupCon(tau)(z, LABELS), lambda z: losses.SupConLoss(tau)(z, LABELS), Z)


# --- hard cases -----------------------------------------------------------------------------------
def test_nothing_to_be_attracted_to() -> None:
    z = Z.clone().requires_grad_()
    loss = SupCon(0.1)(z, torch.arange(N))
    loss.backward()
    assert float(loss.detach()) == 0 and z.grad is not None and not z.grad.any()
    assert float(SupCon(0.1)(Z[:1], LABELS[:1])) == 0
    assert float(SoftSupCon(0.1, 0.1)(Z[:1], LABELS[:1])) == 0
    with pytest.raises(ValueError, match="sample 0 has no other sample"):
        SupCon(0.1, isolated="error")(Z, LABELS)


def spoiled(value: float, row: int = 3) -> Tensor:
    z = Z.clone()
    z[row] = value
    return z


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "nan": (lambda: SupCon()(spoiled(float("nan")), LABELS), "embedding 3 is not finite"),
    "nan in a label": (
        lambda: YAware()(Z, torch.where(torch.arange(N) == 2, torch.nan, Y[:, 0])),
        "label 2 is not finite",
    ),
    "zero": (lambda: SupCon()(spoiled(0.0), LABELS), "embedding 3 is zero"),
    "empty": (lambda: SupCon()(Z[:0], LABELS[:0]), r"a batch of shape \(0, 4\) is empty"),
    "float classes": (lambda: SupCon()(Z, LABELS.double()), "labels of classes must be integers"),
    "labels": (
        lambda: SupCon()(Z, LABELS[:4]),
        r"labels must be \(23,\), one per sample",
    ),
    "no labels": (lambda: YAware()(Z), "needs labels"),
    "tau": (lambda: SupCon(0.0), "tau must be positive and finite, not 0"),
    "learned tau": (
        lambda: SupCon(torch.nn.Parameter(torch.tensor(-0.3)))(Z, LABELS),
        "tau must be positive and finite, not -0.3",
    ),
    "towers": (lambda: SupCon(towers=True)(Z, LABELS), "towers=True needs embeddings of shape"),
    "shape of W": (lambda: WInfoNCE()(Z, W[:4]), r"weights must be \(23, 23\), not \(4, 23\)"),
    "negative W": (lambda: WInfoNCE()(Z, -torch.ones(N, N)), r"w\[0, 0\] is -1"),
    "asymmetric W": (lambda: WInfoNCE()(Z, torch.ones(N, N).triu()), "not symmetric: w"),
    "isolated row": (lambda: WInfoNCE()(Z, SAME), "sample 0 has no other sample"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_a_line(name: str) -> None:
    call, says = BAD[name]
    with pytest.raises(ValueError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_a_batch_of_one_has_no_pair(name: str) -> None:
    made, given, _, _ = CASES[name]
    z = Z[:1].clone().requires_grad_()
    loss = made(0.3)
    loss.isolated = "skip"
    one = given[:1, :1] if isinstance(loss, WInfoNCE) else given[:1]
    value = loss(z, one)
    value.backward()
    assert float(value.detach()) == 0 == float(loss.entropic_bound(z, one))
    assert z.grad is not None and not z.grad.any()
    loss.reduction = "none"
    assert loss(z, one).tolist() == [0]


@pytest.mark.parametrize("far", [1e3, 1e5])
def test_groups_that_are_far_apart_keep_their_distances(far: float) -> None:
    """In float32 the squares are 1e6 and more, the distances within groups are about 1."""
    apart = far * (torch.arange(N) % 2)[:, None]
    z, y = (Z + apart).float(), (Y + apart).float()
    for loss, labels in ((EuclideanWInfoNCE(), y), (WInfoNCE(1.0, euclidean=True), W + W.T)):
        exact = loss(z.double(), labels.double())
        found = loss(z, labels)
        assert found.dtype is torch.float32
        assert float(found) == pytest.approx(float(exact), rel=2e-5 * max(1, far / 1e3))
        bounds = [float(loss.entropic_bound(k, labels.to(k.dtype))) for k in (z, z.double())]
        assert bounds[0] == pytest.approx(bounds[1], rel=2e-5 * max(1, far / 1e3))


# --- entropic bounds ------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_the_entropic_bound(name: str, block: int) -> None:
    made, given, w, _ = CASES[name]
    p = w.numpy().copy()
    np.fill_diagonal(p, 0)
    p = p[p.sum(1) > 0]
    p /= p.sum(1, keepdims=True)
    entropy = -np.sum(p * np.log(np.where(p > 0, p, 1)), axis=1).mean()
    loss = made(0.5)
    assert float(loss.entropic_bound(Z, given)) == pytest.approx(entropy, rel=1e-12)
    assert float(loss(Z, given)) > entropy


@pytest.mark.parametrize("kind", [torch.uint16, torch.uint32, torch.uint64, torch.int64])
def test_labels_of_every_integer_type(kind: torch.dtype) -> None:
    whole = LABELS - LABELS.min()
    top = torch.iinfo(kind).max - int(whole.max())
    made = torch.from_numpy((whole.numpy().astype(object) + top).astype(str(kind)[6:]))
    assert float(SupCon(0.5)(Z, made)) == pytest.approx(float(SupCon(0.5)(Z, LABELS)), rel=1e-12)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, does not exist")
@pytest.mark.parametrize("name", CASES)
def test_cuda(name: str) -> None:
    made, given, _, _ = CASES[name]
    found = []
    for device in ("cpu", "cuda"):
        z = Z.clone().to(device).requires_grad_()
        loss = made(0.3)(z, given.to(device))
        loss.backward()
        assert z.grad is not None
        found.append((loss.detach().cpu(), z.grad.cpu()))
    torch.testing.assert_close(found[0], found[1], **CLOSE)


def test_forgotten_labels_are_not_a_loss_of_zero():
    z = torch.randn(8, 4, generator=torch.Generator().manual_seed(0))
    for given in (z, z[:, None].expand(8, 2, 4)):
        with pytest.raises(ValueError, match=r"SupCon needs labels.*SimCLR\(tau\)"):
            SupCon(0.1)(given)
        with pytest.raises(ValueError, match=r"SoftSupCon needs labels.*SimCLR"):
            SoftSupCon(0.0, 0.1)(given)
    assert float(SoftSupCon(0.2, 0.1)(z)) > 0  # each sample is a class of its own


def test_samples_that_all_differ_are_those_of_simclr_and_clip() -> None:
    u, v = VIEWS[:, 0], VIEWS[:, 1]
    views, differ = torch.stack((u, v), 1), torch.arange(len(u))
    assert float(SupCon(0.3)(views, differ)) == pytest.approx(float(SimCLR(0.3)(views)))
    both = SupCon(0.3, towers=True)(views, differ)
    assert float(both) == pytest.approx(float(CLIP(0.3)(u, v)))


@pytest.mark.parametrize("name", ["SupCon", "SupCL", "SimCLR", "CLIP", "SigmoidLoss"])
def test_arrays_are_refused_in_one_line(name: str) -> None:
    made = getattr(losses_of_all, name)
    loss = made(0.5) if name == "SupCL" else made()
    array = np.ones((4, 2))
    with pytest.raises(TypeError, match=r"must be a torch\.Tensor, not ndarray"):
        loss(array, LABELS[:4] if name in ("SupCon", "SupCL") else array)


def test_no_compiler_is_imported() -> None:
    """It takes seconds: not with the modules, and not with a loss or a metric that is called."""
    code = (
        "import sys, torch; from cltheory.losses import SupCon, SimCLR, KernelInfoNCE\n"
        "from cltheory.metrics import CollapseMonitor\n"
        "z = torch.randn(8, 2, 4, requires_grad=True); y = torch.arange(8) % 2\n"
        "(SupCon()(z, y) + SimCLR()(z) + KernelInfoNCE(2.0, 0.5)(z)).backward()\n"
        "CollapseMonitor()(z[:, 0].detach(), labels=y)\n"
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
