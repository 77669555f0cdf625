"""The losses as modules: ``loss(embeddings, labels)``.

Embeddings are ``(batch, d)``, or ``(batch, views, d)`` where the views of a sample share its label.
Lower precision than float32 is raised to it, also under autocast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack, get_args

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from .directions import check_directions, directions
from .infonce import weighted_infonce
from .tiles import Layout, Watch
from .weights import Classes, Dense, Kernel, Weights

#: Part of a weight by which its mirror image may differ: the rounding of float32.
SYMMETRY = 1e-6
Reduction = Literal["mean", "none"]
Isolated = Literal["skip", "zero", "error"]
Labels = Tensor | ArrayLike


class PairOptions(TypedDict, total=False):
    """What every loss may be given by name; see `Loss`."""

    normalize: bool
    reduction: Reduction
    anchor: bool
    towers: bool
    check: bool


class Options(PairOptions, total=False):
    """And what these may be given."""

    isolated: Isolated
    base: float | None


class PairLoss(nn.Module):
    """What losses with a denominator for each point share: which pairs are in it."""

    def __init__(
        self,
        *,
        normalize: bool = True,
        reduction: Reduction = "mean",
        anchor: bool = False,
        towers: bool = False,
        check: bool = True,
    ) -> None:
        super().__init__()
        one_of("reduction", reduction, get_args(Reduction))
        if anchor and towers:  # an anchor there sees no view of its own index
            raise ValueError("anchor=True and towers=True exclude each other: use one of them")
        self.normalize, self.reduction = normalize, reduction
        self.anchor, self.towers, self.check = anchor, towers, check
        self.watch: Watch | None = None

    def layout(self, n: int, views: int, device: torch.device) -> Layout:
        """Which pairs stand in denominators."""
        if self.towers and views < 2:
            raise ValueError("towers=True needs embeddings of shape (batch, views, d), views >= 2")
        return Layout.of_views(
            n, views, device, towers=self.towers, anchor=self.anchor, watch=self.watch
        )


class Loss(PairLoss):
    """What the modules share; ``watch`` is called with the tiles of a long evaluation.

    Parameters
    ----------
    tau
        Temperature; an ``nn.Parameter`` with one entry is learned.
    normalize
        Whether embeddings are scaled to unit length first.
    reduction
        ``"mean"`` over the anchors, or ``"none"``: the loss of each, in the shape of the batch.
    isolated
        Anchors that nothing is attracted to (a class of one sample, a row of zeros): ``"skip"``
        leaves them out of the mean, as pytorch-metric-learning does; ``"zero"`` counts them with a
        loss of zero; ``"error"`` refuses them. They stay in the denominators of others. A batch
        in which there are no other anchors has the loss zero.
    anchor
        Whether an anchor stands in its own denominator.
    towers
        Whether an anchor sees only views of other index than its own: CLIP with two of them. Then
        it does not see itself: ``anchor`` is refused.
    base
        Multiply by tau / base, as SupContrast does with base 0.07.
    check
        Whether values are looked at, to refuse bad ones in a line; without it a CUDA device is
        waited for only to see labels, and what is nan stays nan.
    """

    euclidean = False

    def __init__(
        self,
        tau: float | nn.Parameter = 0.1,
        *,
        isolated: Isolated = "skip",
        base: float | None = None,
        **options: Unpack[PairOptions],
    ) -> None:
        super().__init__(**options)
        if isinstance(tau, nn.Parameter) and tau.numel() != 1:
            raise ValueError(f"tau must have one entry, not {tau.numel()}")
        self.tau = tau if isinstance(tau, nn.Parameter) else positive("tau", tau)
        self.base = None if base is None else positive("base", base)
        one_of("isolated", isolated, get_args(Isolated))
        self.isolated = isolated

    def extra_repr(self) -> str:
        """The temperature and the similarity."""
        return f"tau={self.tau if isinstance(self.tau, float) else 'learned'}"

    def weights(self, labels: Tensor | None, batch: int, views: int, like: Tensor) -> Weights:
        """The weights of the pairs, view after view, from what the loss is given as labels."""
        raise NotImplementedError

    def entropic_bound(self, embeddings: Tensor, labels: Labels | None = None) -> Tensor:
        """The least loss of similarities that need not be those of any embeddings.

        It is the mean entropy of the weights of an anchor, each over their sum. Of the embeddings
        only the shape, the precision and the device matter.
        """
        z, batch, views = points(embeddings)
        weights = self.weights(as_tensor(labels, z), batch, views, z)
        if z.shape[0] == 1:
            return z.new_zeros(())
        rows, has = weights.entropy(z, self.layout(z.shape[0], views, z.device))
        least = rows.mean() if self.isolated == "zero" else rows.sum() / has.sum().clamp_min(1)
        return least if self.base is None else least * (self.tau / self.base)

    def forward(self, embeddings: Tensor, labels: Labels | None = None) -> Tensor:
        """The loss."""
        z, batch, views = points(embeddings)
        weights = self.weights(as_tensor(labels, z), batch, views, z)
        if self.check and isinstance(self.tau, nn.Parameter):
            positive("tau", float(self.tau.detach()))
        each = self.reduction == "none"
        with torch.autocast(z.device.type, enabled=False):
            loss: Tensor
            loss, has = weighted_infonce(
                z,
                weights,
                self.tau,
                euclidean=self.euclidean,
                normalize=self.normalize,
                layout=self.layout(z.shape[0], views, z.device),
                reduction="none" if each else "zero" if self.isolated == "zero" else "skip",
                check=self.check,
            )
        if self.isolated == "error" and not has.all():
            row = int((~has).nonzero()[0]) % batch
            raise ValueError(f"sample {row} has no other sample to be attracted to")
        if self.base is not None:
            loss = loss * (self.tau / self.base)
        return loss.view(views, -1).T if each and views > 1 else loss


def positive(name: str, value: float) -> float:
    """A number above zero."""
    value = float(value)
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} must be positive and finite, not {value:g}")
    return value


def one_of(name: str, value: str, known: Sequence[str]) -> None:
    """Refuse a word that means nothing."""
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")


def check_alike(first: Tensor, second: Tensor) -> None:
    """Refuse two views of different shapes."""
    if first.ndim != 2 or first.shape != second.shape:
        raise ValueError(
            f"two views must be (batch, d) both, not {tuple(first.shape)} and {tuple(second.shape)}"
        )


def as_tensor(labels: Labels | None, z: Tensor) -> Tensor | None:
    """Labels beside the embeddings; lists and arrays are taken as well.

    Raises
    ------
    ValueError
        If they are not numbers.
    """
    try:
        return None if labels is None else torch.as_tensor(labels, device=z.device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"labels must be numbers: {str(error).splitlines()[0]}") from error


def points(z: Tensor) -> tuple[Tensor, int, int]:
    """Embeddings as rows, view after view; the size of the batch, and the number of views."""
    if not isinstance(z, Tensor):
        raise TypeError(f"embeddings must be a torch.Tensor, not {type(z).__name__}")
    if z.ndim not in (2, 3):
        raise ValueError(
            f"embeddings must be (batch, d) or (batch, views, d), not {tuple(z.shape)}"
        )
    if not z.is_floating_point():
        raise ValueError(f"embeddings must be floating point, not {z.dtype}")
    batch, views = z.shape[0], 1 if z.ndim == 2 else z.shape[1]
    if not z.numel():
        raise ValueError(f"a batch of shape {tuple(z.shape)} is empty")
    if z.ndim == 3:
        z = z.transpose(0, 1).flatten(0, 1)
    return (z if z.dtype in (torch.float32, torch.float64) else z.float()), batch, views


def _repeated(labels: Tensor, views: int) -> Tensor:
    """Labels of all views."""
    return labels if views == 1 else torch.cat([labels] * views)


def class_labels(labels: Tensor, batch: int, views: int) -> Tensor:
    """Integers of samples, for all views.

    Raises
    ------
    ValueError
        If they are not integers, one for each sample.
    """
    if labels.shape != (batch,):
        raise ValueError(f"labels must be ({batch},), one per sample, not {tuple(labels.shape)}")
    if labels.is_floating_point() or labels.is_complex():
        raise ValueError(f"labels of classes must be integers, not {labels.dtype}")
    return _repeated(labels, views)


class SoftSupCon(Loss):
    """Soft SupCon: w_ij = 1 in the same class and epsilon in different ones.

    ``loss(embeddings, labels)`` with integer labels ``(batch,)`` of any kind. Without labels every
    sample is a class of its own; for epsilon = 0 that is `SimCLR` or `CLIP`, and refused here.
    """

    def __init__(
        self,
        epsilon: float,
        tau: float | nn.Parameter = 0.1,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(tau, **options)
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be within [0, 1], not {epsilon:g}")
        self.epsilon = float(epsilon)

    def weights(self, labels: Tensor | None, batch: int, views: int, like: Tensor) -> Weights:
        """Classes."""
        if labels is None:
            if not self.epsilon:
                name = type(self).__name__
                raise ValueError(
                    f"{name} needs labels: {name}(...)(z, labels); without labels use "
                    "SimCLR(tau)(z1, z2), or CLIP(tau)(u, v)"
                )
            labels = torch.arange(batch, device=like.device)  # each sample is a class
        return Classes(class_labels(labels, batch, views), self.epsilon)


class SupCon(SoftSupCon):
    """SupCon: w_ij = 1 in the same class and 0 in different ones; parameters as of `SoftSupCon`."""

    def __init__(self, tau: float | nn.Parameter = 0.1, **options: Unpack[Options]) -> None:
        super().__init__(0.0, tau, **options)


class _Labelled(Loss):
    """Labels that are vectors ``(batch, l)``, or numbers ``(batch,)``."""

    def _kernel(self, y: Tensor) -> Kernel:
        raise NotImplementedError

    def weights(self, labels: Tensor | None, batch: int, views: int, like: Tensor) -> Weights:
        """Weights by the labels."""
        if labels is None:
            raise ValueError(f"{type(self).__name__} needs labels")
        y = labels.detach()
        if y.dtype not in (torch.float32, torch.float64):
            is_short = y.is_floating_point() or like.device.type == "mps"
            y = y.to(torch.float32 if is_short else torch.float64)
        if y.ndim == 1:
            y = y[:, None]
        if y.ndim != 2 or len(y) != batch or not y.shape[1]:
            raise ValueError(
                f"labels must be ({batch}, l), one per sample, not {tuple(labels.shape)}"
            )
        if self.check and not y.isfinite().all():
            row = int((~y.isfinite()).any(1).nonzero()[0])
            raise ValueError(f"label {row} is not finite")
        return self._kernel(_repeated(y, views))


class YAware(_Labelled):
    """y-Aware: w_ij = exp(-gamma |y_i - y_j|^2), similarities are cosines over tau.

    ``loss(embeddings, labels)`` with labels ``(batch, l)`` or ``(batch,)``.
    """

    def __init__(
        self, tau: float | nn.Parameter = 0.1, *, gamma: float = 1.0, **options: Unpack[Options]
    ) -> None:
        super().__init__(tau, **options)
        self.gamma = positive("gamma", gamma)

    def _kernel(self, y: Tensor) -> Kernel:
        return Kernel(y * (2 * self.gamma) ** 0.5, euclidean=True)


class EuclideanWInfoNCE(YAware):
    """w_ij = exp(-gamma |y_i - y_j|^2), similarities are minus squared distances over tau.

    ``loss(embeddings, labels)`` with labels ``(batch, l)`` or ``(batch,)``. Embeddings are taken as
    they are.
    """

    euclidean = True

    def __init__(
        self, tau: float | nn.Parameter = 1.0, *, gamma: float = 1.0, **options: Unpack[Options]
    ) -> None:
        options.setdefault("normalize", False)
        super().__init__(tau, gamma=gamma, **options)


class XCLR(_Labelled):
    """X-CLR: w_ij = exp(cos(y_i, y_j) / tau'), similarities are cosines over tau.

    ``loss(embeddings, labels)`` with labels ``(batch, l)``, embeddings of captions for example.
    """

    def __init__(
        self, tau_prime: float = 0.1, tau: float | nn.Parameter = 0.1, **options: Unpack[Options]
    ) -> None:
        super().__init__(tau, **options)
        self.tau_prime = positive("tau_prime", tau_prime)

    def _kernel(self, y: Tensor) -> Kernel:
        if self.check:
            check_directions(y, "label")
        return Kernel(directions(y)[0] * self.tau_prime**-0.5, euclidean=False)


class WInfoNCE(Loss):
    """Weighted InfoNCE with a matrix of weights.

    ``loss(embeddings, weights)`` with weights ``(batch, batch)``, not negative. Of views of one
    sample and another all have the weight of the two; w_ii is that of two views of a sample.

    Parameters
    ----------
    euclidean
        Whether similarities are minus squared distances over tau, and not cosines.
    symmetric
        Whether weights that are not symmetric are refused; rows are anchors if not. What is known
        of optima is known of symmetric weights.
    """

    def __init__(
        self,
        tau: float | nn.Parameter = 0.1,
        *,
        euclidean: bool = False,
        symmetric: bool = True,
        **options: Unpack[Options],
    ) -> None:
        options.setdefault("isolated", "error")
        options.setdefault("normalize", not euclidean)
        super().__init__(tau, **options)
        self.euclidean, self.symmetric = euclidean, symmetric

    def weights(self, labels: Tensor | None, batch: int, views: int, like: Tensor) -> Weights:
        """The matrix itself."""
        if labels is None:
            raise ValueError("WInfoNCE needs weights")
        w = labels.detach().to(like.dtype)
        if w.shape != (batch, batch):
            raise ValueError(f"weights must be ({batch}, {batch}), not {tuple(w.shape)}")
        if self.check:
            self._look(w)
        return Dense(w if views == 1 else w.repeat(views, views))

    def _look(self, w: Tensor) -> None:
        least, most = (float(end) for end in w.aminmax())
        if not (least >= 0 and most < float("inf")):
            bad = ~(w >= 0) | w.isinf()
            i, j = (int(k) for k in bad.nonzero()[0])
            raise ValueError(
                f"weights must be finite and not negative: w[{i}, {j}] is {float(w[i, j]):g}"
            )
        if not self.symmetric or torch.equal(w, w.T):
            return
        apart = (w - w.T).abs() > SYMMETRY * torch.maximum(w, w.T)
        if apart.any():
            i, j = (int(k) for k in apart.nonzero()[0])
            raise ValueError(
                f"weights are not symmetric: w[{i}, {j}] is {float(w[i, j]):g} and w[{j}, {i}] is "
                f"{float(w[j, i]):g}; symmetric=False takes rows as anchors"
            )
