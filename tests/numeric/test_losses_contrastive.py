"""SupCL, SimCLR, DCL, SINCERE, CLIP, SigLIP and MoCo against their declarations, plain sums, public
packages, and bad input.

Compared with ``pytorch-metric-learning`` 2.9, ``lightly`` 1.6, ``open_clip_torch`` 3.3 and
``solo-learn`` 1.0 where they are installed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import product
from math import log
from types import ModuleType
from typing import Any

import pytest
import torch
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.losses import CLIP, DCL, SINCERE, Contrastive, MoCo, SigmoidLoss, SimCLR, SupCL
from cltheory.numeric import problems
from cltheory.numeric.losses import sums, tiles
from draws import normal
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.utils._python_dispatch import TorchDispatchMode

#: float64 sums of some hundred terms of order one; public packages add a "small value" of 1e-16
#: under a logarithm, or divide by lengths once more.
CLOSE, PUBLIC = {"rtol": 1e-10, "atol": 1e-12}, {"rtol": 1e-7, "atol": 1e-9}


def with_gradient(loss: Callable[[Tensor], Tensor], z: Tensor) -> tuple[Tensor, Tensor]:
    z = z.detach().clone().requires_grad_()
    value = loss(z)
    return value.detach(), torch.autograd.grad(value, z)[0]


def agree(ours: Any, theirs: Any, z: Tensor, close: dict[str, float] = CLOSE) -> None:
    torch.testing.assert_close(with_gradient(ours, z), with_gradient(theirs, z), **close)


@pytest.fixture(params=["matrix", "tiles"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One matrix, and tiles of which many are needed."""
    if request.param == "tiles":
        monkeypatch.setattr(sums, "MATRIX", 0)
        monkeypatch.setattr(sums, "ROWS", 30)
        for room in (sums, tiles):
            monkeypatch.setattr(room, "BLOCK", 4)
    return str(request.param)


# --- the declarations of the catalogue ------------------------------------------------------------
M, N, P, D = 3, 2, 2, 5
CLASSES = torch.arange(M).repeat_interleave(N)
VALUES = {"tau": 0.3, "alpha": 0.35}
#: name in the catalogue: the module.
OF_CLASSES: dict[str, Callable[[], Contrastive]] = {
    "supcl": lambda: SupCL(0.35, 0.3),
    "supcl-exclusive": lambda: SupCL(0.35, 0.3, anchor="excluded"),
    "sincere": lambda: SINCERE(0.3),
}
OF_VIEWS = {"simclr": SimCLR, "dcl": DCL}


def declared(name: str, u: Tensor, **values: float) -> Tensor:
    """Of embeddings that are not scaled: autograd then differentiates the directions."""
    return problems.evaluate(CATALOGUE[name], normalize(u, dim=-1), values)


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize("views", [1, 2, 3])
def test_classes_are_as_declared(name: str, views: int, way: str) -> None:
    if name == "supcl-exclusive" and views == 1:
        pytest.skip("the declaration has no pairs there")
    names = {"tau", "alpha"} if "supcl" in name else {"tau"}
    values = {k: VALUES[k] for k in names}
    u = normal(1, M, N, views, D)
    agree(
        lambda z: OF_CLASSES[name]()(z.flatten(0, 1), CLASSES),
        lambda z: declared(name, z, **values),
        u,
    )
    permuted = torch.randperm(M * N, generator=torch.Generator().manual_seed(2))
    found = OF_CLASSES[name]()(u.flatten(0, 1)[permuted], 7 - CLASSES[permuted])
    torch.testing.assert_close(found, declared(name, u, **values), **CLOSE)


@pytest.mark.parametrize("name", OF_VIEWS)
@pytest.mark.parametrize("views", [2, 3])
def test_views_are_as_declared(name: str, views: int, way: str) -> None:
    loss, u = OF_VIEWS[name](0.3), normal(2, 5, views, D)
    agree(loss, lambda z: declared(name, z, tau=0.3), u)
    flat = u.flatten(0, 1)
    labelled = loss(flat, torch.arange(5).repeat_interleave(views))
    torch.testing.assert_close(labelled, loss(u), **CLOSE)
    if views == 2:
        torch.testing.assert_close(loss(*u.unbind(1)), loss(u), **CLOSE)


def test_pairs_are_as_declared(way: str) -> None:
    u = normal(3, 2, 9, D)
    agree(lambda z: CLIP(0.3)(*z), lambda z: declared("clip", z, tau=0.3), u)
    agree(lambda z: SigmoidLoss(3, -2)(*z), lambda z: declared("siglip", z, t=3.0, b=-2.0), u)
    torch.testing.assert_close(CLIP(0.3)(u.transpose(0, 1)), CLIP(0.3)(*u), **CLOSE)


def test_another_loss_is_not_as_declared() -> None:
    u = normal(1, M, N, P, D)
    right = declared("supcl", u, **VALUES)
    for wrong in (SupCL(0.36, 0.3), SupCL(0.35, 0.31), SupCL(0.35, 0.3, anchor="excluded")):
        assert abs(wrong(u.flatten(0, 1), CLASSES) - right) > 1e-3


# --- SupCL, one anchor after the other: classes of all sizes, and anchors alone in theirs ---------
LABELS = torch.tensor([4, 0, 4, 1, 4, 0, 9])  # 1 and 9 are alone


def plain_supcl(z: Tensor, alpha: float, tau: float, included: bool, alone: str) -> Tensor:
    batch, views, _ = z.shape
    u = normalize(z, dim=-1)
    points = list(product(range(batch), range(views)))
    total = z.new_zeros(())
    for i, v in points:
        s = {(j, w): u[i, v] @ u[j, w] / tau for j, w in points if included or (j, w) != (i, v)}
        log_sum = torch.stack(list(s.values())).logsumexp(0)
        own = [s[k] for k in s if k[0] == i]
        others = [s[k] for k in s if k[0] != i and LABELS[k[0]] == LABELS[i]]
        self_term = log_sum - sum(own) / len(own)
        if others:
            term = log_sum - sum(others) / len(others)
            total = total + (1 - alpha) * term + alpha * self_term
        elif alone == "attraction":
            total = total + (1 - alpha) * log_sum + alpha * self_term
        elif alone == "term":
            total = total + alpha * self_term
        elif alone == "renormalise":
            total = total + self_term
    return total / len(points)


@pytest.mark.parametrize("alone", ["attraction", "term", "renormalise", "skip"])
@pytest.mark.parametrize("anchor", ["included", "excluded"])
def test_anchors_alone_of_their_class(anchor: Any, alone: Any, way: str) -> None:
    loss = SupCL(0.3, 0.4, anchor=anchor, alone=alone)
    agree(
        lambda z: loss(z, LABELS),
        lambda z: plain_supcl(z, 0.3, 0.4, anchor == "included", alone),
        normal(4, len(LABELS), 2, D),
    )


def test_the_four_conventions_differ_only_where_an_anchor_is_alone() -> None:
    z = normal(4, len(LABELS), 2, D)
    ways = [SupCL(0.3, 0.4, alone=k) for k in ("attraction", "term", "renormalise", "skip")]
    found = [float(loss(z, LABELS)) for loss in ways]
    assert min(abs(a - b) for i, a in enumerate(found) for b in found[:i]) > 1e-2
    together = [float(loss(z, LABELS % 2)) for loss in ways]
    assert max(together) == min(together)


def test_base() -> None:
    z = normal(5, 6, 2, D)
    scaled, plain = (SupCL(0.3, 0.4, base=k)(z, CLASSES) for k in (0.07, None))
    torch.testing.assert_close(scaled, plain * 0.4 / 0.07)


# --- other losses, where their declarations do not reach ------------------------------------------
def test_sincere_of_any_classes(way: str) -> None:
    def plain(z: Tensor) -> Tensor:
        s = normalize(z) @ normalize(z).T / 0.3
        each = []
        for i in range(len(z)):
            others = s[i][LABELS != LABELS[i]]
            found = [
                torch.cat((others, s[i, j, None])).logsumexp(0) - s[i, j]
                for j in range(len(z))
                if j != i and LABELS[j] == LABELS[i]
            ]
            each += [torch.stack(found).mean()] if found else []
        return torch.stack(each).mean()

    agree(lambda z: SINCERE(0.3)(z, LABELS), plain, normal(6, len(LABELS), D))


def test_sincere_of_one_class_is_zero(way: str) -> None:
    value, gradient = with_gradient(lambda z: SINCERE()(z, torch.zeros(6).long()), normal(6, 6, D))
    assert value == 0 and not gradient.any()


def test_moco_and_its_queue(way: str) -> None:
    loss = MoCo(0.2, queue_size=7, dim=D)
    queue = loss.queue.clone().double()
    for step in range(4):
        q, k = normal(7 + step, 2, 3, D)
        keys = normalize(k)

        def plain(q: Tensor, keys: Tensor = keys, queue: Tensor = queue) -> Tensor:
            u = normalize(q)
            logits = torch.cat(((u * keys).sum(1, keepdim=True), u @ queue.T), 1) / 0.2
            return torch.nn.functional.cross_entropy(logits, torch.zeros(3).long())

        loss.eval()
        agree(lambda q, k=k: loss(q, k), plain, q, {"rtol": 1e-6, "atol": 1e-8})  # float32 queue
        loss.train()
        k.requires_grad_()
        loss(q.requires_grad_(), k).backward()
        assert q.grad is not None and k.grad is None
        places = [(3 * step + i) % 7 for i in range(3)]
        queue = queue.clone()
        queue[places] = keys.float().double()
        torch.testing.assert_close(loss.queue.double(), queue)


# --- learned parameters, precision, second derivatives, compilation -------------------------------
U, V = normal(11, 2, 6, D)
#: name: a loss of one tensor (6, 2, 5).
ALL: dict[str, Callable[[], Contrastive]] = {
    "supcl": lambda: SupCL(0.35, 0.3, learn=True),
    "supcl-excluded": lambda: SupCL(0.35, 0.3, anchor="excluded"),
    "sincere": lambda: SINCERE(0.3),
    "simclr": lambda: SimCLR(0.3, learn=True),
    "dcl": lambda: DCL(0.3),
    "clip": lambda: CLIP(0.3, learn=True),
    "siglip": lambda: SigmoidLoss(3, -2),
    "moco": lambda: MoCo(0.3, 50, D).eval(),
}
PAIRS = torch.stack((U, V), 1)


def at(loss: nn.Module, z: Tensor, labels: Tensor = CLASSES) -> Tensor:
    """The loss of views, with labels if it takes them; it may be compiled."""
    is_labelled = isinstance(getattr(loss, "_orig_mod", loss), SupCL | SINCERE)
    value: Tensor = loss(z, labels) if is_labelled else loss(z)
    return value


@pytest.mark.parametrize("name", ALL)
def test_first_and_second_derivatives(name: str, way: str) -> None:
    torch.manual_seed(0)
    loss = (MoCo(0.3, 50, 3).eval() if name == "moco" else ALL[name]()).double()
    learned = list(loss.parameters())
    given = (PAIRS[:4, :, :3].clone().requires_grad_(), *learned)

    def value(z: Tensor, *_: Tensor) -> Tensor:
        if isinstance(loss, MoCo):  # its keys have no gradient
            z = torch.stack((z[:, 0], PAIRS[:4, 1, :3]), 1)
        return at(loss, z, torch.tensor([0, 0, 1, 1]))

    assert torch.autograd.gradcheck(value, given)
    assert torch.autograd.gradgradcheck(value, given)


def test_what_is_learned_is_named_as_in_libraries() -> None:
    loss = SigmoidLoss(t=10, b=-10)
    assert {k: float(p.detach()) for k, p in loss.named_parameters()} == {
        "logit_scale": pytest.approx(log(10)),
        "logit_bias": -10,
    }
    optimiser = torch.optim.SGD(loss.parameters(), 0.1)
    loss(U, V).backward()
    optimiser.step()
    assert loss.t != 10 and loss.b > -10
    assert [k for k, _ in SupCL(0.5, learn=True).named_parameters()] == ["logit_scale"]
    assert not list(SupCL(0.5).parameters())
    fixed = SigmoidLoss(10, -10, learn=False)
    assert not any(p.requires_grad for p in fixed.parameters())
    torch.testing.assert_close(fixed(U, V), SigmoidLoss(10, -10)(U, V))


def test_a_temperature_that_is_not_learned_can_be_set() -> None:
    loss = SimCLR(0.5)
    loss.tau = 0.3
    torch.testing.assert_close(loss(embeddings=PAIRS), SimCLR(0.3)(PAIRS), rtol=0, atol=0)
    with pytest.raises(ValueError, match="must be positive"):
        loss.tau = 0
    with pytest.raises(ValueError, match="the temperature is learned: set logit_scale"):
        SimCLR(learn=True).tau = 0.3


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", ["supcl", "sincere", "simclr", "dcl", "clip", "moco"])
def test_small_temperatures(name: str, dtype: torch.dtype, way: str) -> None:
    """Similarities of 1000, where sums have to be shifted; float32 knows these to 1e-4."""
    torch.manual_seed(0)
    loss = ALL[name]()
    loss.logit_scale, loss.tau = None, 1e-3
    found = with_gradient(lambda z: at(loss, z.to(dtype)), PAIRS)
    sums.MATRIX, before = 10**9, sums.MATRIX
    expected = with_gradient(lambda z: at(loss, z), PAIRS)
    sums.MATRIX = before
    close = {"rtol": 1e-9, "atol": 1e-9} if dtype is torch.float64 else {"rtol": 1e-3, "atol": 1e-1}
    torch.testing.assert_close(found, expected, check_dtype=False, **close)


@pytest.mark.parametrize("name", ["clip", "siglip", "moco"])
def test_towers_may_differ_in_precision(name: str) -> None:
    torch.manual_seed(0)
    loss = ALL[name]().eval()
    assert loss(U, V.float()) == loss(U, V.float().double())
    assert loss(U.half(), V).dtype is torch.float64


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ALL)
def test_lower_precision_is_raised(name: str, kind: torch.dtype) -> None:
    torch.manual_seed(0)
    loss = ALL[name]()
    low = PAIRS.to(kind).requires_grad_()
    value = at(loss, low)
    value.backward()
    assert value.dtype is torch.float32 and low.grad is not None and low.grad.dtype is kind
    assert value == at(loss, PAIRS.to(kind).float())
    expected = at(loss, PAIRS.float())
    with torch.autocast("cpu", dtype=kind):
        assert at(loss, PAIRS.float()) == expected
    torch.testing.assert_close(expected.double(), at(loss, PAIRS), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_every_device_has_the_values_and_gradients_of_the_cpu(
    name: str, device: str, way: str
) -> None:
    torch.manual_seed(0)
    loss = ALL[name]()
    expected = with_gradient(lambda z: at(loss, z), PAIRS)
    loss, labels = loss.to(device), CLASSES.to(device)
    value, gradient = with_gradient(lambda z: at(loss, z, labels), PAIRS.to(device))
    torch.testing.assert_close((value.cpu(), gradient.cpu()), expected, **CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_compiled(name: str) -> None:
    """One graph, also with labels; what was compiled for one set of labels is right for others."""
    torch.manual_seed(0)
    torch.compiler.reset()
    loss = ALL[name]()
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for labels in (CLASSES, CLASSES.flip(0) * 40 - 7, CLASSES % 2):
        agree(lambda z, y=labels: at(compiled, z, y), lambda z, y=labels: at(loss, z, y), PAIRS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_large_batches_are_right_where_they_cannot_be_compiled(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "MATRIX", 0)
    torch.manual_seed(0)
    torch.compiler.reset()
    loss = ALL[name]()
    compiled = torch.compile(loss, backend="aot_eager")
    with warnings.catch_warnings():  # torch looks at a .grad where it leaves the graph
        warnings.filterwarnings("ignore", "The .grad attribute of a Tensor that is not a leaf")
        agree(lambda z: at(compiled, z), lambda z: at(loss, z), PAIRS)


# --- public packages ------------------------------------------------------------------------------
def test_pytorch_metric_learning() -> None:
    public = pytest.importorskip(
        "pytorch_metric_learning.losses", reason="needs pytorch-metric-learning"
    )
    ids = torch.arange(6).repeat_interleave(2)
    theirs = public.NTXentLoss(temperature=0.3)
    agree(SimCLR(0.3), lambda z: theirs(z.flatten(0, 1), ids), PAIRS, PUBLIC)
    supcon = public.SupConLoss(temperature=0.3)
    # With n classmates' views beside p - 1 own ones: alpha such that all weigh the same.
    loss = SupCL(1 / 3, 0.3, anchor="excluded")
    agree(
        lambda z: loss(z, CLASSES),
        lambda z: supcon(z.flatten(0, 1), CLASSES.repeat_interleave(2)),
        PAIRS,
        PUBLIC,
    )


def test_lightly(bare: Callable[[str], ModuleType]) -> None:
    nt_xent = bare("lightly.loss.ntx_ent_loss").NTXentLoss
    for ours, theirs in ((SimCLR, nt_xent), (DCL, bare("lightly.loss.dcl_loss").DCLLoss)):
        agree(ours(0.3), lambda z, f=theirs(0.3): f(z[:, 0], z[:, 1]), PAIRS, PUBLIC)


@pytest.mark.parametrize("t", [2.0, 100.0])
def test_open_clip(bare: Callable[[str], ModuleType], t: float) -> None:
    open_clip = bare("open_clip.loss")
    unit = normalize(PAIRS, dim=-1)
    clip, siglip = CLIP(1 / t, normalize=False), SigmoidLoss(t, -3, normalize=False)
    theirs = open_clip.ClipLoss()
    agree(clip, lambda z: theirs(z[:, 0], z[:, 1], t), unit, PUBLIC)
    theirs = open_clip.SigLipLoss()
    agree(siglip, lambda z: theirs(z[:, 0], z[:, 1], t, -3.0), unit, PUBLIC)


def test_solo_learn(bare: Callable[[str], ModuleType]) -> None:
    loss, solo = MoCo(0.3, 50, D).eval(), bare("solo.losses.moco")

    def theirs(z: Tensor) -> Tensor:
        q, k = normalize(z[:, 0]), normalize(z[:, 1])
        found: Tensor = solo.moco_loss_func(q, k.detach(), loss.queue.T.to(z), 0.3)
        return found

    agree(loss, theirs, PAIRS, PUBLIC)


# --- bad input ------------------------------------------------------------------------------------
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "alpha": (lambda: SupCL(1.5), "alpha must be within [0, 1], not 1.5"),
    "temperature": (lambda: SimCLR(0), "tau must be positive and finite, not 0"),
    "base": (
        lambda: SupCL(0.5, base=0),
        "base must be positive and finite",
    ),
    "t": (lambda: SigmoidLoss(-1), "t must be positive and finite, not -1"),
    "b": (lambda: SigmoidLoss(1, float("nan")), "b must be finite, not nan"),
    "anchor": (lambda: SupCL(0.5, anchor="in"), "anchor must be one of included, excluded"),  # type: ignore[arg-type]
    "alone": (lambda: SupCL(0.5, alone="none"), "alone must be one of attraction, term"),  # type: ignore[arg-type]
    "no labels": (lambda: SupCL(0.5)(PAIRS), "SupCL needs labels"),
    "one view": (lambda: SimCLR()(U), "SimCLR of single views needs labels; or give two views"),
    "excluded": (
        lambda: SupCL(0.5, anchor="excluded")(U, CLASSES),
        'anchor="excluded" with alpha > 0 needs embeddings of shape (batch, views, d)',
    ),
    "shape": (lambda: CLIP()(U, V[:3]), "two views must be (batch, d) both, not (6, 5) and (3, 5)"),
    "one tower": (lambda: CLIP()(U), "two towers are needed: loss(u, v), not one of (6, 5)"),
    "labels": (lambda: SINCERE()(U, [0, 1]), "labels must be (6,), one per sample, not (2,)"),
    "names": (lambda: SINCERE()(U, ["a", "b"] * 3), "labels must be numbers: "),
    "missing": (lambda: SupCL(0.5)(U, [0, None] * 3), "labels must be numbers: "),
    "no negatives": (lambda: DCL()(PAIRS[:1]), "DCL needs samples of two classes"),
    "one class": (lambda: DCL()(U, [4] * 6), "DCL needs samples of two classes"),
    "alone in SimCLR": (
        lambda: SimCLR()(U, [0, 0, 1, 1, 2, 3]),
        "ids of samples, each of the same number of rows, two or more, not 1 to 2: use SupCon",
    ),
    "classes in SimCLR": (lambda: SimCLR()(U, [0, 0, 1, 1, 1, 1]), "not 2 to 4: use SupCon"),
    "classes beside views": (
        lambda: DCL()(PAIRS, CLASSES),
        "DCL takes no labels together with views",
    ),
    "nan": (lambda: DCL()(PAIRS / 0), "embedding 0 is not finite"),
    "zero": (lambda: CLIP()(U, V * 0), "embedding 0 is zero, which has no direction"),
    "not scaled": (lambda: CLIP(normalize=False)(U, V / 0), "embedding 0 is not finite"),
    "queue": (lambda: MoCo(0.1, 3, D)(U, V), "a batch of 6 keys does not fit a queue of 3"),
    "dim": (lambda: MoCo(0.1, 8, 7)(U, V), "dim is 7, and embeddings have 5"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_a_line(name: str) -> None:
    call, says = BAD[name]
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("check", [True, False])
def test_values_do_not_depend_on_lengths(name: str, check: bool) -> None:
    torch.manual_seed(0)
    loss = ALL[name]()
    loss.check = check
    for size in (1e-150, 1e150):
        torch.testing.assert_close(at(loss, PAIRS * size), at(loss, PAIRS))


# --- memory ---------------------------------------------------------------------------------------
class _Largest(TorchDispatchMode):
    """The most entries of a tensor that any operation comes to."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        for one in found if isinstance(found, tuple | list) else (found,):
            if isinstance(one, Tensor):
                self.most = max(self.most, one.untyped_storage().nbytes() // one.element_size())
        return found


@pytest.mark.parametrize("name", ALL)
def test_many_points_need_no_matrix(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit nothing has more entries than the points, or a tile."""
    n, block = 256, 16
    z = normal(12, n, 2, D).requires_grad_()

    def largest() -> int:
        with _Largest() as seen:
            loss = MoCo(0.3, 4 * n, D) if name == "moco" else ALL[name]()
            at(loss, z, torch.arange(n) // 4).backward()
        return seen.most

    assert largest() >= n * n
    monkeypatch.setattr(sums, "MATRIX", n)
    monkeypatch.setattr(sums, "ROWS", 8 * n)
    for room in (sums, tiles):
        monkeypatch.setattr(room, "BLOCK", block)
    assert largest() <= 8 * n + 4 * n * D
