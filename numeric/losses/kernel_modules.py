r"""Kernel-InfoNCE as modules: ``loss(z1, z2)``, or ``loss(views)``.

Two ways of mixing are told apart by their names. `KernelSumInfoNCE` and
`KernelConcatenationInfoNCE` are one loss of a sum of two kernels (tan2024spectral, section 5.2).
`LossSumInfoNCE` and `LossConcatenationInfoNCE` are a sum of two losses of one kernel each
(tan2024spectral, table 2), which is what the authors trained with.
"""

from __future__ import annotations

from typing import Literal, Unpack

import torch
from torch import Tensor, nn

from .kernel import Exponential, kernel_infonce
from .modules import PairLoss, PairOptions, check_alike, points, positive

Tau = float | nn.Parameter


class KernelOptions(PairOptions, total=False):
    """What every kernel loss may be given by name; see `KernelLoss`."""

    eps: float


class KernelLoss(PairLoss):
    """What the modules share.

    ``loss(z1, z2)`` with two views ``(batch, d)`` each, or ``loss(views)`` with
    ``(batch, views, d)``. All N points of all views are anchors; an anchor is attracted to the
    other views of its sample, and its denominator has all points but itself. Precision below
    float32 is raised to it, also under autocast.

    Parameters
    ----------
    eps
        Distances are (|x - y|^2 + eps^2)^(1/2), which has a bounded slope also for gamma <= 1. The
        kernel stays positive definite for gamma <= 2. By default 0: then the gradient of a
        distance is taken to be zero where it is zero, and is large nearby for gamma < 1.
    normalize
        Whether embeddings are scaled to unit length first, as the authors do; all features
        together, also where parts of them are looked at.
    reduction
        ``"mean"`` over the anchors, or ``"none"``: the loss of each, ``(batch, views)``.
    anchor
        Whether an anchor stands in its own denominator, with K(x, x).
    towers
        Whether an anchor sees only views of other index than its own: CLIP with two of them. Then
        it does not see itself: ``anchor`` is refused.
    check
        Whether values are looked at, to refuse bad ones in a line.
    """

    def __init__(self, *, eps: float = 0.0, **options: Unpack[PairOptions]) -> None:
        super().__init__(**options)
        if not 0 <= eps < float("inf"):
            raise ValueError(f"eps must be finite and not negative, not {eps:g}")
        self.eps = float(eps)

    def kernels(self) -> list[tuple[float, list[Exponential], int]]:
        """The losses that are summed: weight, terms of the kernel, parts of the features."""
        raise NotImplementedError

    def forward(self, embeddings: Tensor, other: Tensor | None = None) -> Tensor:
        """The loss of two views, or of a batch of views."""
        if other is not None:
            check_alike(embeddings, other)
            embeddings = torch.stack((embeddings, other), 1)
        z, batch, views = points(embeddings)
        if views < 2:
            raise ValueError(
                "two views are needed: loss(z1, z2), or embeddings (batch, views, d), not "
                f"{tuple(embeddings.shape)}"
            )
        each = self.reduction == "none"
        total = z.new_zeros((batch * views,) if each else ())
        with torch.autocast(z.device.type, enabled=False):
            for weight, terms, parts in self.kernels():
                if z.shape[1] % parts:
                    raise ValueError(
                        f"{z.shape[1]} features cannot be divided into {parts} equal parts"
                    )
                if self.check:
                    for term in terms:
                        positive("tau", float(torch.as_tensor(term.tau).detach()))
                total = total + weight * kernel_infonce(
                    z,
                    terms,
                    views,
                    parts=parts,
                    eps=self.eps,
                    normalize=self.normalize,
                    layout=self.layout(z.shape[0], views, z.device),
                    each=each,
                    check=self.check,
                )
        return total.view(views, batch).T if each else total


def _tau(name: str, tau: Tau) -> Tau:
    """A temperature; a parameter with one entry is learned."""
    if not isinstance(tau, nn.Parameter):
        return positive(name, tau)
    if tau.numel() != 1:
        raise ValueError(f"{name} must have one entry, not {tau.numel()}")
    return tau


def _shown(tau: Tau) -> str:
    return "learned" if isinstance(tau, nn.Parameter) else f"{tau:g}"


class KernelInfoNCE(KernelLoss):
    """InfoNCE with the exponential kernel exp(-|x - y|^gamma / tau) (tan2024spectral, (7), (8)).

    With unit embeddings gamma = 2 is NT-Xent at temperature tau / 2, since |x - y|^2 is
    2 - 2 x.y; gamma = 1 is the Laplacian kernel. Further options as of `KernelLoss`.

    Parameters
    ----------
    gamma
        The power of the distance, positive. The kernel is positive definite for gamma <= 2.
    tau
        Temperature; an ``nn.Parameter`` with one entry is learned.
    """

    def __init__(
        self, gamma: float = 2.0, tau: Tau = 0.2, **options: Unpack[KernelOptions]
    ) -> None:
        super().__init__(**options)
        self.gamma, self.tau = positive("gamma", gamma), _tau("tau", tau)

    def extra_repr(self) -> str:
        """The kernel."""
        return f"gamma={self.gamma:g}, tau={_shown(self.tau)}"

    def kernels(self) -> list[tuple[float, list[Exponential], int]]:
        """One loss of one term."""
        return [(1.0, [Exponential(self.gamma, self.tau)], 1)]


class _Mixture(KernelLoss):
    """Two exponential kernels; lam is the share of the first.

    Parameters
    ----------
    lam
        The share of the first, within [0, 1].
    tau_1, tau_2
        Temperatures; an ``nn.Parameter`` with one entry is learned.
    gamma_1, gamma_2
        The powers of the distance.
    """

    mixed: Literal["kernel", "loss"] = "kernel"
    parts = 1

    def __init__(
        self,
        lam: float = 0.5,
        tau_1: Tau = 0.2,
        tau_2: Tau = 0.2,
        *,
        gamma_1: float = 1.0,
        gamma_2: float = 2.0,
        **options: Unpack[KernelOptions],
    ) -> None:
        super().__init__(**options)
        if not 0 <= lam <= 1:
            raise ValueError(f"lam must be within [0, 1], not {lam:g}")
        self.lam = float(lam)
        self.tau_1, self.tau_2 = _tau("tau_1", tau_1), _tau("tau_2", tau_2)
        self.gamma_1, self.gamma_2 = positive("gamma_1", gamma_1), positive("gamma_2", gamma_2)

    def extra_repr(self) -> str:
        """Both kernels."""
        return (
            f"lam={self.lam:g}, gamma_1={self.gamma_1:g}, tau_1={_shown(self.tau_1)}, "
            f"gamma_2={self.gamma_2:g}, tau_2={_shown(self.tau_2)}"
        )

    def kernels(self) -> list[tuple[float, list[Exponential], int]]:
        """One loss of two terms, or two losses of one."""
        shares = self.lam, 1 - self.lam
        gammas, taus = (self.gamma_1, self.gamma_2), (self.tau_1, self.tau_2)
        is_kernel = self.mixed == "kernel"
        terms = [
            Exponential(gamma, tau, share if is_kernel else 1.0, part % self.parts)
            for part, (gamma, tau, share) in enumerate(zip(gammas, taus, shares, strict=True))
        ]
        kept = [(share, term) for share, term in zip(shares, terms, strict=True) if share]
        if is_kernel:
            return [(1.0, [term for _, term in kept], self.parts)]
        return [(share, [term], self.parts) for share, term in kept]


class KernelSumInfoNCE(_Mixture):
    """One loss, of the kernel lam K_1 + (1 - lam) K_2 (tan2024spectral, section 5.2).

    The paper's simple sum kernel is lam = 1/2: a factor of the kernel cancels. Parameters as of
    `LossSumInfoNCE`.
    """


class KernelConcatenationInfoNCE(_Mixture):
    """One loss, of lam K_1 on the first half of the features + (1 - lam) K_2 on the second.

    tan2024spectral, section 5.2, has gamma = 2 on the first half; that is ``gamma_1=2, gamma_2=1``.
    Parameters as of `LossSumInfoNCE`.
    """

    parts = 2


class LossSumInfoNCE(_Mixture):
    """lam times the loss of K_1 + (1 - lam) times the loss of K_2 (tan2024spectral, table 2, Sum).

    Parameters
    ----------
    lam
        The share of the first, within [0, 1].
    tau_1, tau_2
        Temperatures; an ``nn.Parameter`` with one entry is learned.
    gamma_1, gamma_2
        The powers of the distance.
    """

    mixed = "loss"


class LossConcatenationInfoNCE(_Mixture):
    """As `LossSumInfoNCE`, each loss on its half of the features (table 2, Concatenation Sum)."""

    mixed, parts = "loss", 2
