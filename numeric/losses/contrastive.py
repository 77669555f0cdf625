"""SupCL, SimCLR, DCL, SINCERE, CLIP, SigLIP and MoCo as modules.

They are the losses that the catalogue declares (MoCo is CLIP's one direction against a queue), and
all are made of `sums.py` and of sums over classes. What they differ in is which points an anchor
does not see, and what it is attracted to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, Literal, TypedDict, Unpack

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from .directions import check_directions, directions, longest_length
from .gathering import gathered, world
from .modules import as_tensor, check_alike, class_labels, one_of, points, positive
from .sums import Unseen, log_sums, queue_mean, softplus_sum, tower_mean
from .weights import Groups, numbered

Alone = Literal["attraction", "term", "renormalise", "skip"]
#: For an anchor alone in its class, by alpha: the weight of its log-sum-exp, and that of the
#: attraction to its own views. Its attraction to others is 0.
ALONE: dict[str, Callable[[float], tuple[float, float]]] = {
    "attraction": lambda alpha: (1.0, alpha),
    "term": lambda alpha: (alpha, alpha),
    "renormalise": lambda alpha: (1.0, 1.0),
    "skip": lambda alpha: (0.0, 0.0),
}


#: Lengths between this and its reciprocal have squares in every precision.
PLAIN = 1e-15


class ContrastiveOptions(TypedDict, total=False):
    """What every loss may be given by name; see `Contrastive`."""

    learn: bool
    normalize: bool
    gather_distributed: bool
    check: bool


class Contrastive(nn.Module):
    """What the modules share.

    Precision below float32 is raised to it, also under autocast; float64 stays. Small batches are
    plain operations; large ones need memory O(n d) and some tiles, unless a gradient is
    differentiated again (``create_graph=True``), which needs an n x n matrix.

    Parameters
    ----------
    tau
        Divides cosines; positive.
    learn
        Whether it is learned: then ``logit_scale``, minus its logarithm, is a parameter (float64),
        as in CLIP.
    normalize
        Whether embeddings are scaled to unit length first.
    gather_distributed
        Whether anchors see the embeddings of all processes of ``torch.distributed``, each of which
        has a batch of the same size. A process has the loss of its own anchors. The mean over the
        processes is the loss of the whole batch, and the mean of gradients by the parameters of an
        encoder, which ``DistributedDataParallel`` takes, is its gradient.
    check
        Whether embeddings that are not finite, or are zero and have no direction, are refused in a
        line, which waits for the device. Compiled code does not check.

    Raises
    ------
    ValueError
        For bad parameters when it is made, for bad shapes and values when it is called.
    """

    def __init__(
        self,
        tau: float = 0.1,
        *,
        learn: bool = False,
        normalize: bool = True,
        gather_distributed: bool = False,
        check: bool = True,
    ) -> None:
        super().__init__()
        scale = torch.tensor(-log(positive("tau", tau)), dtype=torch.float64)
        self.logit_scale = nn.Parameter(scale) if learn else None
        self.fixed = float(tau)
        self.normalize, self.gather, self.check = normalize, gather_distributed, check

    @property
    def tau(self) -> float | Tensor:
        """What divides cosines; a tensor if it is learned."""
        return self.fixed if self.logit_scale is None else (-self.logit_scale).exp()

    @tau.setter
    def tau(self, value: float) -> None:
        if self.logit_scale is not None:
            raise ValueError("the temperature is learned: set logit_scale, minus its logarithm")
        self.fixed = positive("tau", value)

    def extra_repr(self) -> str:
        """The temperature."""
        return f"tau={'learned' if self.logit_scale is not None else f'{self.fixed:g}'}"

    def forward(self, *inputs: Any, **named: Any) -> Tensor:
        """The loss, a number."""
        tensors = (k for k in (*inputs, *named.values()) if isinstance(k, Tensor))
        device = next((k.device.type for k in tensors), "cpu")
        if torch.is_autocast_enabled(device):
            with torch.autocast(device, enabled=False):
                return self.loss(*inputs, **named)
        return self.loss(*inputs, **named)

    def loss(self, *arguments: Any, **named: Any) -> Tensor:
        """The loss in the precision of the embeddings, or in float32."""
        raise NotImplementedError

    def scaled(self, z: Tensor, power: float) -> Tensor:
        """Rows, scaled to unit length, over a power of the temperature."""
        looked_at = self.check and not torch.compiler.is_compiling()
        if self.normalize:
            z = self._directions(z, looked_at)
        elif looked_at:
            longest_length(z.detach())
        return z * (1 / self.tau) ** power if power else z

    def _directions(self, z: Tensor, looked_at: bool) -> Tensor:
        if looked_at:
            lengths = torch.linalg.vector_norm(z, dim=1, keepdim=True)
            least, most = (float(end) for end in lengths.detach().aminmax())
            if PLAIN < least <= most < 1 / PLAIN:
                return z / lengths
            check_directions(z, "embedding")
        return directions(z)[0]


@dataclass(frozen=True)
class _Batch:
    """Anchors, view after view, beside all points that they may see.

    Attributes
    ----------
    x, y
        Anchors ``(n, d)``; points ``(N, d)``, x itself in one process.
    views
        Runs of anchors that are views of the same samples.
    offset
        Anchor i is point ``offset + i``.
    ids, count
        Numbers of the points, equal where they attract each other, and how many numbers there are.
    labelled
        Whether these come from labels; else points of one number are views of one sample.
    """

    x: Tensor
    y: Tensor
    views: int
    offset: int
    ids: Tensor
    count: int
    labelled: bool

    def own(self, v: Tensor) -> Tensor:
        """Those of the anchors."""
        return v if self.x is self.y else v[self.offset : self.offset + self.x.shape[0]]

    def siblings(self) -> Tensor:
        """Sums over the other views of an anchor's sample."""
        run = self.x.unflatten(0, (self.views, -1))
        return (run.flip(0) if self.views == 2 else run.sum(0) - run).flatten(0, 1)

    def mates(self) -> Tensor:
        """Sums over the other points of an anchor's number."""
        return self.own(self._groups().sums(self.y)) if self.labelled else self.siblings()

    def others(self) -> Tensor:
        """How many other points each of all points shares its number with."""
        ones = self.y.new_ones(self.y.shape[0])
        return self._groups().sums(ones) if self.labelled else ones * (self.views - 1)

    def _groups(self) -> Groups:
        return Groups(0.0, self.ids, self.count)

    def unseen(self, hidden: str) -> Unseen:
        """What a table calls by name."""
        return {
            "nothing": Unseen(),
            "anchor": Unseen(self.offset),
            "mates": Unseen(self.offset, (self.own(self.ids), self.ids)),
        }[hidden]


class OneTower(Contrastive):
    """Losses of one tower: all views of all samples are anchors.

    ``loss(z, labels)`` with z ``(batch, d)`` or ``(batch, views, d)`` and integer labels
    ``(batch,)``. Without labels, ``loss(z)`` or ``loss(z1, z2)``, each sample is a class of its own
    and needs several views. Parameters as of `Contrastive`.
    """

    needs_labels = False

    def loss(self, embeddings: Tensor, labels: Any = None) -> Tensor:
        """The mean over the anchors."""
        if isinstance(labels, Tensor) and labels.is_floating_point() and labels.ndim == 2:
            check_alike(embeddings, labels)
            embeddings, labels = torch.stack((embeddings, labels), 1), None
        z, batch, views = points(embeddings)
        x = self.scaled(z, 0.5)
        rank, processes = world() if self.gather else (0, 1)
        y = gathered(x) if processes > 1 else x
        if (given := as_tensor(labels, z)) is not None:
            ids = class_labels(given, batch, views)
            ids, count = numbered(gathered(ids) if processes > 1 else ids)
        elif self.needs_labels or views == 1:
            name = type(self).__name__
            raise ValueError(
                f"{name} needs labels: {name}(...)(z, labels)"
                if self.needs_labels
                else f"{name} of single views needs labels; or give two views, loss(z1, z2), or "
                "embeddings of shape (batch, views, d)"
            )
        else:
            count = processes * batch
            ids = torch.arange(count, device=z.device).view(-1, 1, batch)
            ids = ids.expand(-1, views, batch).flatten()
        labelled = labels is not None
        return self.on_batch(_Batch(x, y, views, rank * x.shape[0], ids, count, labelled))

    def on_batch(self, batch: _Batch) -> Tensor:
        """The loss of points over the root of the temperature."""
        raise NotImplementedError


class SupCL(OneTower):
    r"""SupCL, (1 - alpha) L_Sup + alpha L_Self (lee2025ssem (1)-(3)): ``loss(z, labels)``.

    L_Sup attracts an anchor to the views of other samples of its class, L_Self to the views of its
    own sample. Options as of `Contrastive`.

    Parameters
    ----------
    alpha
        The weight of L_Self, in [0, 1].
    tau
        Divides cosines; positive.
    anchor
        ``"included"``: an anchor is a view of its own sample and stands in its denominator, as in
        the paper; ``"excluded"``: neither, as in public code. Then alpha > 0 needs two views.
    base
        Multiply by tau / base, as SupContrast does with 0.07.
    alone
        An anchor that is alone in its class in the batch: ``"attraction"`` leaves out its
        attraction to others; ``"term"`` the whole of L_Sup, so that its log-sum-exp weighs alpha;
        ``"renormalise"`` gives its own views weight 1; ``"skip"`` gives it a loss of 0. The mean
        divides by all anchors.
    """

    needs_labels = True

    def __init__(
        self,
        alpha: float,
        tau: float = 0.1,
        *,
        anchor: Literal["included", "excluded"] = "included",
        base: float | None = None,
        alone: Alone = "attraction",
        **options: Unpack[ContrastiveOptions],
    ) -> None:
        super().__init__(tau, **options)
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must be within [0, 1], not {alpha:g}")
        one_of("anchor", anchor, ("included", "excluded"))
        one_of("alone", alone, tuple(ALONE))
        self.alpha, self.included, self.alone = float(alpha), anchor == "included", alone
        self.base = None if base is None else positive("base", base)

    def extra_repr(self) -> str:
        """Alpha, the anchor, and the temperature."""
        anchor = "included" if self.included else "excluded"
        return f"alpha={self.alpha:g}, anchor={anchor!r}, {super().extra_repr()}"

    def on_batch(self, batch: _Batch) -> Tensor:
        """By sums over classes and samples."""
        own = batch.views if self.included else batch.views - 1
        if not own and self.alpha:
            raise ValueError(
                'anchor="excluded" with alpha > 0 needs embeddings of shape (batch, views, d) with '
                "several views: a single view has no other view to be attracted to"
            )
        siblings = batch.siblings()
        others = batch.own(batch.others()) - (batch.views - 1)
        is_alone = others == 0
        sum_weight, self_weight = ALONE[self.alone](self.alpha)
        to_self = torch.full_like(others, self.alpha).masked_fill_(is_alone, self_weight)
        to_others = torch.where(is_alone, 0.0, (1 - self.alpha) / others)
        pull = to_others[:, None] * (batch.mates() - siblings)
        pull = pull + to_self[:, None] / max(own, 1) * (
            siblings + batch.x if self.included else siblings
        )
        sums = log_sums(batch.x, batch.y, batch.unseen("nothing" if self.included else "anchor"))
        if sum_weight != 1:
            sums = torch.where(is_alone, sum_weight * sums, sums)
        value = (sums - torch.linalg.vecdot(batch.x, pull)).mean()
        return value if self.base is None else value * (self.tau / self.base)


class SimCLR(OneTower):
    """SimCLR, NT-Xent (Chen et al., 2020, equation (1)): ``loss(z1, z2)``, ``loss(z)``.

    An anchor is attracted to the other views of its sample, and its denominator has all points but
    itself. ``loss(z, ids)`` with z ``(batch, d)``: rows of one id are the views of one sample, the
    same number of each. Other labels are refused, since classes are for `SupCon`. Parameters as of
    `Contrastive`.
    """

    hidden = "anchor"

    def on_batch(self, batch: _Batch) -> Tensor:
        """The mean over the positives is outside the logarithm."""
        others = batch.others()
        if batch.labelled:  # by classes it would be another loss without a word
            name = type(self).__name__
            if batch.views > 1:
                raise ValueError(
                    f"{name} takes no labels together with views, (batch, views, d): leave them "
                    "out, or use SupCon for classes"
                )
            if not torch.compiler.is_compiling():
                least, most = (int(end) + 1 for end in others.aminmax())
                if not 1 < least == most:
                    raise ValueError(
                        f"labels of {name} are ids of samples, each of the same number of rows, "
                        f"two or more, not {least} to {most}: use SupCon for classes"
                    )
        others = batch.own(others)
        sums = log_sums(batch.x, batch.y, batch.unseen(self.hidden))
        return (sums - torch.linalg.vecdot(batch.x, batch.mates()) / others).mean()


class DCL(SimCLR):
    """Decoupled contrastive loss (Yeh et al., 2022, equation (6)): ``loss(z1, z2)``, ``loss(z)``.

    As `SimCLR`, and positives are in no denominator. That needs two samples, or two labels.
    """

    hidden = "mates"

    def on_batch(self, batch: _Batch) -> Tensor:
        """As that of `SimCLR`, where there are others."""
        if batch.count == 1:
            raise ValueError("DCL needs samples of two classes: denominators are empty")
        return super().on_batch(batch)


class SINCERE(OneTower):
    """SINCERE (Feeney and Hughes, 2023, equation (6)): ``loss(z, labels)``.

    Each positive is compared with other classes only, not with other positives. Anchors that are
    alone in their class are left out of the mean. Parameters as of `Contrastive`.
    """

    def on_batch(self, batch: _Batch) -> Tensor:
        """log(1 + exp(sum of others - similarity)) over the positives."""
        sums = log_sums(batch.x, batch.y, batch.unseen("mates"))
        all_others = batch.others()
        others = batch.own(all_others)
        # Anchors with positives in all processes; the mean over these divides by their number.
        counted = (all_others > 0).sum().clamp_min(1) * others.numel() / all_others.numel()
        weight = torch.where(others > 0, 1 / (others * counted), 0.0)
        among = batch.own(batch.ids), batch.ids
        pairs = softplus_sum(-batch.x, batch.y, sums, weight, among=among)
        return pairs + weight @ logsigmoid(batch.x.square().sum(1) - sums)  # all but itself


class TwoTowers(Contrastive):
    """Losses of pairs: ``loss(u, v)`` with two towers ``(batch, d)``, or one ``(batch, 2, d)``."""

    def pair(self, u: Tensor, v: Tensor | None) -> tuple[Tensor, Tensor]:
        """Both in the precision that is computed in."""
        if v is not None:
            check_alike(u, v)
            u, v = points(u)[0], points(v)[0]
            precision = torch.promote_types(u.dtype, v.dtype)
            return u.to(precision), v.to(precision)
        if u.ndim != 3 or u.shape[1] != 2:
            raise ValueError(f"two towers are needed: loss(u, v), not one of {tuple(u.shape)}")
        first, second = points(u)[0].chunk(2)
        return first, second


class CLIP(TwoTowers):
    """CLIP, the mean of both directions (Radford et al., 2021, Figure 3): ``loss(u, v)``.

    Parameters as of `Contrastive`; ``learn=True`` learns the temperature as CLIP does.
    """

    def __init__(self, tau: float = 0.07, **options: Unpack[ContrastiveOptions]) -> None:
        super().__init__(tau, **options)

    def loss(self, u: Tensor, v: Tensor | None = None) -> Tensor:
        """The mean over anchors of both towers."""
        u, v = self.pair(u, v)
        x, y = self.scaled(u, 1.0), self.scaled(v, 0.0)
        if not self.gather or world()[1] == 1:
            return tower_mean(x, y)
        sums = [log_sums(a, gathered(b), Unseen()).mean() for a, b in ((x, y), (y, x))]
        return (sums[0] + sums[1]) / 2 - torch.linalg.vecdot(x, y).mean()


class SigmoidLoss(TwoTowers):
    """SigLIP's sigmoid loss (Zhai et al., 2023, Algorithm 1): ``loss(u, v)``.

    log(1 + exp(-(t cos + b))) of positive pairs and log(1 + exp(t cos + b)) of all others, over the
    number of pairs. Options as of `Contrastive`.

    Parameters
    ----------
    t
        Multiplies cosines; positive.
    b
        Is added.
    learn
        Whether both are learned, as ``logit_scale`` (the logarithm of t) and ``logit_bias``.
    """

    def __init__(
        self, t: float = 10.0, b: float = -10.0, **options: Unpack[ContrastiveOptions]
    ) -> None:
        options.setdefault("learn", True)
        super().__init__(1 / positive("t", t), **options)
        bias = torch.tensor(float(b), dtype=torch.float64)
        if not bias.isfinite():
            raise ValueError(f"b must be finite, not {b:g}")
        self.logit_bias = nn.Parameter(bias, requires_grad=self.logit_scale is not None)

    @property
    def t(self) -> float | Tensor:
        """What multiplies cosines."""
        return 1 / self.tau

    @property
    def b(self) -> Tensor:
        """What is added."""
        return self.logit_bias

    def extra_repr(self) -> str:
        """Both parameters."""
        return "learned" if self.logit_scale is not None else f"t={self.t:g}, b={self.b.item():g}"

    def loss(self, u: Tensor, v: Tensor | None = None) -> Tensor:
        """The sum over pairs, over the number of items."""
        u, v = self.pair(u, v)
        x, y = self.scaled(u, 1.0), self.scaled(v, 0.0)
        offset = 0
        if self.gather and world()[1] > 1:
            y, offset = gathered(y), world()[0] * len(x)
        return softplus_sum(x, y, self.b.to(x), 1 / len(x), offset)


class MoCo(TwoTowers):
    """InfoNCE against a queue (He et al., 2020): ``loss(query, key)``.

    A query is attracted to its key, and its denominator has that and the queue. Keys have no
    gradient; while training they are put in the queue, in the place of the oldest, those of all
    processes with ``gather_distributed``. Options as of `Contrastive`.

    Parameters
    ----------
    tau
        Divides cosines; positive.
    queue_size
        Keys in the queue, which begins with random directions.
    dim
        The dimension of the embeddings.
    """

    queue: Tensor
    position: Tensor

    def __init__(
        self,
        tau: float = 0.07,
        queue_size: int = 65536,
        dim: int = 128,
        **options: Unpack[ContrastiveOptions],
    ) -> None:
        super().__init__(tau, **options)
        if queue_size < 1 or dim < 1:
            raise ValueError(f"queue_size and dim must be positive, not {queue_size} and {dim}")
        self.register_buffer("queue", directions(torch.randn(queue_size, dim))[0])
        self.register_buffer("position", torch.zeros((), dtype=torch.long))

    def loss(self, query: Tensor, key: Tensor | None = None) -> Tensor:
        """The mean over the queries."""
        query, key = self.pair(query, key)
        if query.shape[1] != self.queue.shape[1]:
            raise ValueError(f"dim is {self.queue.shape[1]}, and embeddings have {query.shape[1]}")
        x, y = self.scaled(query, 1.0), self.scaled(key.detach(), 0.0)
        # A copy: what the gradient needs is not the queue that keys are put in.
        value = queue_mean(x, y, self.queue.to(x, copy=True))
        if self.training:
            self._put(gathered(y) if self.gather else y)
        return value

    @torch.no_grad()
    def _put(self, keys: Tensor) -> None:
        size, count = len(self.queue), len(keys)
        if count > size:
            raise ValueError(f"a batch of {count} keys does not fit a queue of {size}")
        places = (self.position + torch.arange(count, device=keys.device)) % size
        self.queue[places] = keys.to(self.queue)
        self.position.add_(count).remainder_(size)
