"""Kernel-InfoNCE and its mixtures, against the definition, NT-Xent, mpmath, and bad input.

The authors' code (yifanzhang-pro/Kernel-InfoNCE) is not run here.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from math import log
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from cltheory.numeric.losses import (
    KernelConcatenationInfoNCE,
    KernelInfoNCE,
    KernelLoss,
    KernelSumInfoNCE,
    LossConcatenationInfoNCE,
    LossSumInfoNCE,
    SimCLR,
    sums,
    tiles,
)
from cltheory.numeric.losses import kernel as evaluator
from draws import normal
from torch import Tensor, nn

B, D = 7, 4
GAMMAS = [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]


VIEWS, THREE = normal(1, B, 2, D), normal(2, B, 3, D)
#: The second view lies near the first, so that pairs are formed from differences.
NEAR = torch.stack((VIEWS[:, 0], VIEWS[:, 0] + 0.01 * VIEWS[:, 1]), 1)


# --- the definition, one anchor after the other ---------------------------------------------------
def plain(
    views: Tensor,
    terms: list[tuple[float, float, float, slice]],
    *,
    normalize: bool = True,
    eps: float = 0.0,
    anchor: bool = False,
    towers: bool = False,
    each: bool = False,
) -> Any:
    """Terms are gamma, tau, the weight, and the features; points are (sample, view)."""
    z = views.detach().numpy()
    if normalize:
        z = z / np.linalg.norm(z, axis=2, keepdims=True)

    def log_kernel(x: Any, y: Any) -> float:
        found = [
            log(weight) - (float(np.sum((x[part] - y[part]) ** 2)) + eps**2) ** (gamma / 2) / tau
            for gamma, tau, weight, part in terms
        ]
        return float(np.logaddexp.reduce(found))

    samples, count, _ = z.shape
    points = [(i, v) for i in range(samples) for v in range(count)]
    losses = np.zeros((samples, count))
    for i, v in points:
        if towers:
            seen = [other for other in points if other[1] != v]
        else:
            seen = [other for other in points if anchor or other != (i, v)]
        log_sum = np.logaddexp.reduce([log_kernel(z[i, v], z[other]) for other in seen])
        others = [w for w in range(count) if w != v]
        losses[i, v] = np.mean([log_sum - log_kernel(z[i, v], z[i, w]) for w in others])
    return losses if each else float(losses.mean())


ALL, FIRST, SECOND = slice(None), slice(0, D // 2), slice(D // 2, D)


def mixtures(lam: float, tau_1: float, tau_2: float) -> dict[str, tuple[KernelLoss, Any]]:
    """Each mixture, and the same from the definition."""

    def kernel(second: slice, first: slice) -> Callable[[Tensor], float]:
        return lambda z: plain(z, [(1.0, tau_1, lam, first), (2.0, tau_2, 1 - lam, second)])

    def losses(second: slice, first: slice) -> Callable[[Tensor], float]:
        return lambda z: (
            lam * plain(z, [(1.0, tau_1, 1.0, first)])
            + (1 - lam) * plain(z, [(2.0, tau_2, 1.0, second)])
        )

    taus = {"lam": lam, "tau_1": tau_1, "tau_2": tau_2}
    return {
        "kernel-sum": (KernelSumInfoNCE(**taus), kernel(ALL, ALL)),
        "kernel-concatenation": (KernelConcatenationInfoNCE(**taus), kernel(SECOND, FIRST)),
        "loss-sum": (LossSumInfoNCE(**taus), losses(ALL, ALL)),
        "loss-concatenation": (LossConcatenationInfoNCE(**taus), losses(SECOND, FIRST)),
    }


MIXTURES = list(mixtures(0.3, 1.0, 1.0))


@pytest.fixture(params=[512, 2], ids="block{}".format)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A matrix, and many tiles."""
    monkeypatch.setattr(tiles, "BLOCK", request.param)
    if request.param < B:
        monkeypatch.setattr(sums, "MATRIX", 0)
    return int(request.param)


def gradient(loss: KernelLoss, z: Tensor) -> Tensor:
    z = z.clone().requires_grad_()
    loss(z).backward()
    assert z.grad is not None
    return z.grad


@pytest.mark.parametrize("views", [VIEWS, THREE, NEAR], ids=["two", "three", "near"])
@pytest.mark.parametrize("tau", [1.0, 0.001])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_values(gamma: float, tau: float, views: Tensor) -> None:
    """float32: the exponents reach 16,000, and embeddings themselves are rounded."""
    expected = plain(views, [(gamma, tau, 1.0, ALL)])
    assert float(KernelInfoNCE(gamma, tau)(views)) == pytest.approx(expected, rel=1e-10)
    single = float(KernelInfoNCE(gamma, tau)(views.float()))
    assert single == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("tau", [0.5, 0.02])
@pytest.mark.parametrize("name", MIXTURES)
def test_mixtures(name: str, tau: float, block: int) -> None:
    for views in (VIEWS, THREE, NEAR):
        loss, definition = mixtures(0.3, tau, 1.3 * tau)[name]
        assert float(loss(views)) == pytest.approx(definition(views), rel=1e-10)


def test_a_wrong_value_is_seen() -> None:
    """A temperature, a power, the anchor, a kernel for a loss, and the halves exchanged."""
    found = float(KernelInfoNCE(1.0, 0.5)(VIEWS))
    for term, options in (
        ((1.0, 0.25, 1.0, ALL), {}),
        ((2.0, 0.5, 1.0, ALL), {}),
        ((1.0, 0.5, 1.0, ALL), {"anchor": True}),
        ((1.0, 0.5, 1.0, ALL), {"normalize": False}),
    ):
        assert abs(found - plain(VIEWS, [term], **options)) > 1e-2
    values = [definition(VIEWS) for _, definition in mixtures(0.3, 0.5, 0.5).values()]
    swapped = plain(VIEWS, [(1.0, 0.5, 0.3, SECOND), (2.0, 0.5, 0.7, FIRST)])
    assert min(abs(a - b) for i, a in enumerate(values) for b in [*values[:i], swapped]) > 1e-3


@pytest.mark.parametrize("views", [THREE, NEAR], ids=["three", "near"])
@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0, 3.0])
def test_gradients(gamma: float, views: Tensor, block: int) -> None:
    """Away from coincidence, with each anchor and the temperature; by finite differences."""

    def loss(z: Tensor, tau: Tensor) -> Tensor:
        module = KernelInfoNCE(gamma, reduction="none")
        module.tau = tau  # type: ignore[assignment]
        return module(z)

    given = views[:3].clone().requires_grad_(), torch.tensor(0.3).double().requires_grad_()
    assert torch.autograd.gradcheck(loss, given)
    assert has_second_derivatives(loss, given)


@pytest.mark.parametrize("options", [{"eps": 0.2}, {"towers": True}, {"anchor": True}])
@pytest.mark.parametrize("name", MIXTURES)
def test_gradients_of_mixtures(name: str, options: dict[str, Any], block: int) -> None:
    made = type(mixtures(0.3, 1.0, 1.0)[name][0])

    def loss(z: Tensor, tau_1: Tensor, tau_2: Tensor) -> Tensor:
        module = made(0.3, normalize=False, **options)
        module.tau_1, module.tau_2 = tau_1, tau_2
        return module(z)

    taus = [torch.tensor(t, dtype=torch.float64, requires_grad=True) for t in (0.5, 0.8)]
    given = NEAR[:3].clone().requires_grad_(), *taus
    assert torch.autograd.gradcheck(loss, given)
    assert has_second_derivatives(loss, given)


def test_second_derivatives_where_one_term_is_all_there_is() -> None:
    z = normal(1, 8, 2, 16).float().requires_grad_()
    value = KernelSumInfoNCE(0.5, 0.01, 0.2)(z)
    (slope,) = torch.autograd.grad(value, z, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), z)
    assert second.isfinite().all()


class Holding(torch.autograd.Function):
    """The identity, whose node in the graph holds something."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, held: object) -> Tensor:
        ctx.held = held
        return x.clone()


@pytest.mark.parametrize("made", [KernelInfoNCE, SimCLR])
def test_what_led_to_a_loss_is_freed_with_it(made: Any) -> None:
    gc.collect()
    gc.disable()  # a cycle would be freed by it, some time later
    try:
        held = nn.Identity()
        before = weakref.ref(held)
        loss = made()(Holding.apply(normal(1, 400, 2, D).requires_grad_(), held))
        del held
        assert before() is not None
        del loss
        assert before() is None
    finally:
        gc.enable()


def has_second_derivatives(loss: Callable[..., Tensor], given: tuple[Tensor, ...]) -> bool:
    """The gradient that can be differentiated is the one of tiles, and its own are right."""
    value = loss(*given).square().sum()
    once, again = (
        torch.autograd.grad(value, given, create_graph=k, retain_graph=True) for k in (False, True)
    )
    torch.testing.assert_close(again, once, rtol=1e-9, atol=1e-12)
    return torch.autograd.gradgradcheck(loss, given, fast_mode=True)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_a_penalty_on_gradients_is_finite_where_points_coincide(gamma: float) -> None:
    z = VIEWS[:, :1].expand(B, 2, D).clone().requires_grad_()
    (slope,) = torch.autograd.grad(KernelInfoNCE(gamma, 0.3)(z), z, create_graph=True)
    (found,) = torch.autograd.grad(slope.square().sum(), z)
    assert float(found.abs().max()) > 0 and bool(found.isfinite().all())


def test_a_wrong_gradient_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pull of near pairs is most of the gradient here; left out, it is missed."""
    right = gradient(KernelInfoNCE(0.5, 0.3), NEAR)
    monkeypatch.setattr(evaluator, "NEAR", -1.0)
    same = gradient(KernelInfoNCE(0.5, 0.3), NEAR)
    assert float((right - same).norm() / right.norm()) < 1e-10
    between = evaluator._Kernel.between
    monkeypatch.setattr(evaluator._Kernel, "between", lambda *of: between(*of).detach())
    wrong = gradient(KernelInfoNCE(0.5, 0.3), NEAR)
    assert float((right - wrong).norm() / right.norm()) > 0.1


# --- conventions ----------------------------------------------------------------------------------
@pytest.mark.parametrize("tau", [1.0, 0.2, 0.01])
def test_the_square_is_nt_xent_at_half_the_temperature(tau: float) -> None:
    for views in (VIEWS, THREE):
        ours, theirs = KernelInfoNCE(2.0, tau), SimCLR(tau / 2)
        assert float(ours(views)) == pytest.approx(float(theirs(views)), rel=1e-9)
        z = views.clone().requires_grad_()
        theirs(z).backward()
        assert z.grad is not None
        torch.testing.assert_close(gradient(ours, views), z.grad, rtol=1e-9, atol=1e-11)
        assert abs(float(ours(views)) - float(SimCLR(tau)(views))) > 1e-2


def test_two_views_or_a_batch_of_views() -> None:
    loss = KernelInfoNCE(1.0, 0.3)
    assert float(loss(VIEWS[:, 0], VIEWS[:, 1])) == float(loss(VIEWS))
    assert float(loss(VIEWS[:, 1], VIEWS[:, 0])) == pytest.approx(float(loss(VIEWS)), rel=1e-12)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("option", [{}, {"anchor": True}, {"towers": True}, {"eps": 0.3}])
def test_options(option: dict[str, Any], normalize: bool, block: int) -> None:
    """Each anchor, and their mean."""
    for views in (VIEWS, THREE):
        given = {"normalize": normalize, **option}
        expected = plain(views, [(0.5, 0.3, 1.0, ALL)], each=True, **given)
        each = KernelInfoNCE(0.5, 0.3, reduction="none", **given)(views)
        np.testing.assert_allclose(each.numpy(), expected, rtol=1e-10)
        mean = float(KernelInfoNCE(0.5, 0.3, **given)(views))
        assert mean == pytest.approx(expected.mean(), rel=1e-10)


# --- where it is hard -----------------------------------------------------------------------------
def hard(dtype: torch.dtype) -> dict[str, Tensor]:
    one = torch.tensor([3.0, -1.0, 2.0, 0.5])
    two = torch.tensor([0.25, 1.0, -1.0, 2.0])
    signs = torch.tensor([1.0, -1.0, 1.0, -1.0])[:, None]
    return {
        name: views.to(dtype)
        for name, views in {
            "all coincide": one.expand(4, 2, 4),
            "views coincide": VIEWS[:, :1].expand(B, 2, D),
            "samples coincide": torch.stack((one, two)).expand(4, 2, 4),
            "antipodal": torch.stack((one * signs, -one * signs), 1),
            "nearly coincide": VIEWS[:, :1] * (1 + 2.0**-9 * torch.tensor([[[0.0], [1.0]]])),
            "one sample": VIEWS[:1],
            "one sample, coincident": VIEWS[:1, :1].expand(1, 2, D),
        }.items()
    }


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("tau", [1e-4, 0.1, 10.0])
def test_no_nan(tau: float, dtype: torch.dtype) -> None:
    gammas = GAMMAS if dtype.itemsize > 2 else [0.1, 1.0, 4.0]
    for name, views in hard(dtype).items():
        made: list[KernelLoss] = [KernelInfoNCE(gamma, tau) for gamma in gammas]
        made += [loss for loss, _ in mixtures(0.3, tau, tau).values()]
        for loss in made:
            for check in (True, False) if dtype is torch.float32 else (True,):
                loss.check = check
                z = views.clone().requires_grad_()
                value = loss(z)
                value.backward()
                assert z.grad is not None and z.grad.dtype == dtype
                if dtype is not torch.float16:  # whose largest number gradients may exceed
                    assert z.grad.isfinite().all(), (name, loss)
                assert not z.grad.isnan().any() and value.isfinite(), (name, loss)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_coincident_points_pull_nothing(gamma: float) -> None:
    """All alike: log (2B - 1), gradient zero; views alike: only the other samples act."""
    views = VIEWS[:1, :1].expand(B, 2, D)
    assert float(KernelInfoNCE(gamma, 0.01)(views)) == pytest.approx(log(2 * B - 1), rel=1e-12)
    assert float(gradient(KernelInfoNCE(gamma, 0.01), views).abs().max()) < 1e-15
    found = gradient(KernelInfoNCE(gamma, 0.3), VIEWS[:, :1].expand(B, 2, D))
    z = VIEWS[:, 0].clone().requires_grad_()
    x = nn.functional.normalize(z)
    apart = (x[:, None] - x).square().sum(-1) + torch.eye(B)
    k = (torch.exp(-(apart ** (gamma / 2)) / 0.3) * (1 - torch.eye(B))).sum(1)
    (1 + 2 * k).log().mean().backward()
    assert z.grad is not None
    torch.testing.assert_close(found.sum(1), z.grad, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("gamma", [0.1, 0.5, 1.0, 1.5])
@pytest.mark.parametrize("apart", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_small_distances(gamma: float, apart: float, dtype: torch.dtype) -> None:
    """Value and gradient of the distance in the loss, against 50 digits.

    With 2 - 2 x.y in float32 a distance of 1e-5 would be 0 or 3e-4. What is left is rounding of
    the loss: some units in its last place.
    """
    base = nn.functional.normalize(VIEWS[:, 0], dim=-1)
    step = apart * nn.functional.normalize(VIEWS[:, 1], dim=-1)
    z = torch.stack((base, base + step), 1).to(dtype)
    z[0, 0], z[0, 1] = torch.tensor([0.0, 0.0, 1.0, 0.0]), torch.tensor([0.0, apart, 1.0, 0.0])
    tau = apart**gamma  # so that the distance is seen
    loss = KernelInfoNCE(gamma, tau, normalize=False, reduction="none")
    found = loss(z)
    x = z.clone().requires_grad_()
    loss(x)[0, 0].backward()
    with mpmath.workdps(50):
        points = [mpmath.matrix(row.tolist()) for row in z.double().flatten(0, 1)]
        power = [mpmath.norm(points[0] - p) ** gamma / mpmath.mpf(tau) for p in points]
        expected = power[1] + mpmath.log(sum(mpmath.exp(-p) for p in power[1:]))
        share = mpmath.exp(-power[1]) / sum(mpmath.exp(-p) for p in power[1:])
        pull = gamma * (1 - share) * power[1] / mpmath.norm(points[0] - points[1])
    unit = torch.finfo(dtype).eps
    assert abs(float(found[0, 0]) - expected) < 50 * unit * max(1, float(power[1]))
    slope = float(x.grad[0, 1, 1])  # type: ignore[index]
    assert slope == pytest.approx(float(pull), rel=1e-3 if dtype is torch.float32 else 1e-9, abs=1)


@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_clusters(gamma: float, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many near pairs, formed some at a time: float32 against autograd of the definition."""
    monkeypatch.setattr(evaluator, "CHUNK", 3)
    views = (normal(7, 2, 1, D).repeat(6, 1, 1) + 1e-3 * normal(8, 12, 2, D)).float()
    z = views.double().requires_grad_()
    x = z.transpose(0, 1).flatten(0, 1)
    eye = torch.eye(24, dtype=torch.bool)
    squares = (x[:, None] - x).square().sum(-1).masked_fill(eye, 1.0)
    s = -squares.pow(gamma / 2) / 0.3
    pairs = torch.arange(24), torch.arange(24).roll(12)
    (s.masked_fill(eye, -torch.inf).logsumexp(1) - s[pairs]).mean().backward()
    assert z.grad is not None
    found = gradient(KernelInfoNCE(gamma, 0.3, normalize=False), views).double()
    assert float((found - z.grad).norm() / z.grad.norm()) < 1e-5
    monkeypatch.setattr(evaluator, "NEAR", -1.0)  # all from squares and inner products
    rounded = gradient(KernelInfoNCE(gamma, 0.3, normalize=False), views).double()
    assert float((rounded - z.grad).norm() / z.grad.norm()) > 1e-3


def test_far_points_keep_their_distances() -> None:
    """Distances do not see a shift, and large exponents are computed in float64."""
    near = KernelInfoNCE(1.0, 0.5, normalize=False)(VIEWS.float())
    far = KernelInfoNCE(1.0, 0.5, normalize=False)(VIEWS + 1000.0)
    assert float(near) == pytest.approx(float(far), rel=1e-5)


# --- bad input ------------------------------------------------------------------------------------
def spoiled(value: float) -> Tensor:
    z = VIEWS.clone()
    z[3, 0] = value
    return z


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "gamma": (lambda: KernelInfoNCE(0.0), "gamma must be positive and finite, not 0"),
    "tau": (lambda: KernelInfoNCE(1.0, 0.0), "tau must be positive and finite, not 0"),
    "learned tau": (
        lambda: KernelInfoNCE(1.0, nn.Parameter(torch.tensor(-0.3)))(VIEWS),
        "tau must be positive and finite, not -0.3",
    ),
    "reduction": (
        lambda: KernelInfoNCE(reduction="sum"),  # type: ignore[arg-type]
        "reduction must be one of mean, none",
    ),
    "anchor and towers": (
        lambda: KernelInfoNCE(anchor=True, towers=True),
        "anchor=True and towers=True exclude each other",
    ),
    "one view": (lambda: KernelInfoNCE()(VIEWS[:, 0]), "two views are needed"),
    "other shape": (lambda: KernelInfoNCE()(VIEWS[:, 0], VIEWS[1:, 1]), r"\(7, 4\) and \(6, 4\)"),
    "odd": (
        lambda: KernelConcatenationInfoNCE()(VIEWS[..., :3]),
        "3 features cannot be divided into 2",
    ),
    "nan": (lambda: KernelInfoNCE()(spoiled(float("nan"))), "embedding 3 is not finite"),
    "zero": (lambda: KernelInfoNCE()(spoiled(0.0)), "embedding 3 is zero"),
    "far": (lambda: KernelInfoNCE(4.0, normalize=False)(spoiled(1e120)), "distances overflow"),
    "empty": (lambda: KernelInfoNCE()(VIEWS[:0]), r"a batch of shape \(0, 2, 4\) is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_a_line(name: str) -> None:
    call, says = BAD[name]
    with pytest.raises(ValueError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, does not exist")
@pytest.mark.parametrize("gamma", GAMMAS)
def test_cuda(gamma: float) -> None:
    loss = KernelInfoNCE(gamma, 0.3)
    for views in (VIEWS, NEAR):
        assert float(loss(views.cuda())) == pytest.approx(float(loss(views)), rel=1e-9)
        torch.testing.assert_close(gradient(loss, views.cuda()).cpu(), gradient(loss, views))
