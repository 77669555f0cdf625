"""Whether a representation has collapsed, and the numbers that say so."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import isfinite, nan
from typing import Any, Literal

import torch
from torch import Tensor

from .classes import class_variances, cosines, neural_collapse, simplex_distance
from .inputs import batch_of
from .pairs import alignment, modality_gap, uniformity
from .spectrum import effective_rank, perplexity, rankme, spectrum

Kind = Literal["total", "classes", "dimensional", "none"]
#: Most rows whose pairs are all compared: of more, as many are taken at random (seed 0).
PAIRED = 2048


@dataclass(frozen=True)
class Limits:
    """When embeddings count as collapsed; the first that holds is named.

    Attributes
    ----------
    total
        ``"total"``: the variance is at most this. For unit vectors it is 1 minus the mean cosine
        of two of them: 1 where their mean vanishes, 0 where all are equal.
    classes
        ``"classes"``: at most this part of the variance lies within classes.
    unused, rank
        ``"dimensional"``: of the directions that there are, the part ``unused`` or fewer have
        more than a thousandth of an even share of the variance; or the exponential of the entropy
        of the spectrum is below the part ``rank`` of their number. With labels it is the spectrum
        within classes, since class means span few directions in any case.
    """

    total: float = 0.05
    classes: float = 0.1
    unused: float = 0.5
    rank: float = 0.2


#: Part of an even share of the variance below which a direction is not used.
SHARE = 1e-3


@dataclass(frozen=True, eq=False)
class Collapse:
    """What is logged of embeddings of unit length. Numbers that need labels are nan without them.

    Attributes
    ----------
    collapse
        ``"total"``, ``"classes"``, ``"dimensional"`` or ``"none"``; see `Limits`.
    variance, within, between
        Mean squared distance from the mean, and its parts within and between classes. The mean of
        each of two towers is taken off first: their distance is ``modality_gap``.
    nc1, nc2_equinorm, nc2_equiangular, nc2_maximal, nc3
        See `neural_collapse`; nc3 needs a classifier.
    simplex_distance
        See there.
    effective_rank, rankme
        See there; not centred.
    used, spread_over, room
        Directions with variance, the exponential of the entropy of the spectrum, and how many
        directions there can be; centred, within classes if there are any.
    alignment, uniformity, modality_gap
        See there; the first and last need a second tower. Of many rows, uniformity is of 2048.
    n, d
        Embeddings in all, and their dimension.
    of_class, counts, classes
        Variance, size and label of each class; None without labels, not among the floats.
    nearest
        The two classes with the most similar centred means, by their position, and the cosine.
    limits
        Those that were used.
    """

    collapse: Kind
    variance: float
    within: float
    between: float
    nc1: float
    nc2_equinorm: float
    nc2_equiangular: float
    nc2_maximal: float
    nc3: float
    simplex_distance: float
    effective_rank: float
    rankme: float
    used: float
    spread_over: float
    room: int
    alignment: float
    uniformity: float
    modality_gap: float
    n: int
    d: int
    of_class: Tensor | None = field(default=None, repr=False)
    counts: Tensor | None = field(default=None, repr=False)
    classes: Tensor | None = field(default=None, repr=False)
    nearest: tuple[int, int, float] | None = None
    limits: Limits = field(default_factory=Limits, repr=False)

    def floats(self, prefix: str = "") -> dict[str, float]:
        """The numbers as plain floats, without those that are nan; the verdict is three flags.

        Parameters
        ----------
        prefix
            Put before each name, ``"collapse/"`` say.
        """
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        numbers = {k: float(v) for k, v in found.items() if isinstance(v, int | float)}
        kinds = {f"is_{k}": float(self.collapse == k) for k in ("total", "classes", "dimensional")}
        return {prefix + k: v for k, v in (numbers | kinds).items() if v == v}

    @property
    def within_share(self) -> float:
        """The part of the variance that lies within classes."""
        return self.within / self.variance if self.variance else nan

    @property
    def collapsed_classes(self) -> list[int]:
        """Positions of the classes whose own variance is within the limit of class collapse."""
        if self.of_class is None or self.counts is None:
            return []
        few = (self.of_class <= self.limits.classes * self.variance) & (self.counts > 1)
        found: list[int] = few.nonzero()[:, 0].tolist()
        return found

    @property
    def says(self) -> str:
        """The verdict in a sentence."""
        where = "within classes " if isfinite(self.within) else ""
        spread = (
            f"the variance {where}spreads over {self.spread_over:.3g} of {self.room} directions"
        )
        share = f"{max(100 * self.within_share, 0.01):.2g} % of the variance lies within classes"
        if self.within_share < 1e-4:
            share = f"less than {share}"
        says = {
            "total": "Total collapse: all embeddings are nearly equal, with a variance of "
            f"{self.variance:.3g} where 1 is an even spread.",
            "classes": f"Classes have collapsed: {share}.",
            "dimensional": f"Dimensional collapse: {spread}, and {self.used:.0f} of them are used.",
            "none": f"No collapse: {share}, and {spread}."
            if isfinite(self.within)
            else f"No total or dimensional collapse: the variance is {self.variance:.3g}, and "
            f"{spread}.",
        }
        return says[self.collapse]


class CollapseMonitor:
    """Says of a batch whether it has collapsed; nothing is differentiated.

    Parameters
    ----------
    normalise
        Whether rows are scaled to unit length. Without it they are taken as they are.
    limits
        When a batch counts as collapsed.
    """

    def __init__(self, *, normalise: bool = True, limits: Limits | None = None) -> None:
        self.normalise, self.limits = normalise, limits or Limits()

    @torch.no_grad()
    def __call__(
        self,
        z: Any,
        second: Any = None,
        *,
        labels: Any = None,
        classifier: Any = None,
        samples: int | None = None,
    ) -> Collapse:
        """The report of a batch.

        Parameters
        ----------
        z, second
            ``(n, d)``, and second views or another tower of the same samples.
        labels
            ``(n,)``, integers. Classes of one sample say nothing about their variance.
        classifier
            Weights ``(C, d)`` of the last layer, for NC3.
        samples
            How many samples there are, if rows of ``z`` are views; by default n.

        Raises
        ------
        ValueError
            If rows are not finite, or do not match; one line.
        """
        towers = [batch_of(z, "embeddings")]
        if second is not None:
            towers.append(batch_of(second, "second views").to(towers[0]))
            if towers[1].shape != towers[0].shape:
                raise ValueError(
                    f"second views {tuple(towers[1].shape)} do not match embeddings "
                    f"{tuple(towers[0].shape)}"
                )
        if towers[0].ndim != 2 or len(towers[0]) < 2:
            raise ValueError(f"embeddings must be (n, d), n >= 2, not {tuple(towers[0].shape)}")
        if self.normalise:
            towers = [torch.nn.functional.normalize(tower, dim=1) for tower in towers]
        rows = torch.cat(towers)
        centred = torch.cat([tower - tower.mean(0) for tower in towers])
        found: dict[str, Any] = {
            "variance": centred.square().sum(1).mean(),
            "effective_rank": effective_rank(rows, check=False),
            "rankme": rankme(rows),
            "uniformity": uniformity(rows[_some(len(rows)).to(rows.device)]),
        }
        if len(towers) == 2:
            found |= {"alignment": alignment(*towers), "modality_gap": modality_gap(*towers)}
        more: dict[str, Any] = {}
        residual, free = centred, (samples or len(towers[0])) - 1
        if labels is not None:
            labels = torch.as_tensor(labels, device=rows.device).repeat(len(towers))
            of = class_variances(centred, labels)
            counts = of.counts // len(towers)
            found["between"] = of.between
            many = counts[counts > 1]
            if len(many):
                weights = counts * (counts > 1)
                found["within"] = (of.of_class * weights).sum() / weights.sum()
                residual = centred - of.means[torch.searchsorted(of.classes, labels)]
                free = int(many.sum()) - len(many)
            if len(counts) > 1:
                found |= _of_means(rows, centred, labels, classifier)
                more["nearest"] = _nearest(of.means - of.means.mean(0))
            more |= {"of_class": of.of_class, "counts": counts, "classes": of.classes}
        room = max(1, min(free, rows.shape[1]))
        values = spectrum(residual)
        share = values / values.sum()
        found |= {"used": (share > SHARE / room).sum(), "spread_over": perplexity(values)}
        # One transfer from a device instead of many.
        numbers = torch.stack([x.to(rows.dtype) for x in found.values()]).tolist()
        given = dict.fromkeys(_NUMBERS, nan) | dict(zip(found, numbers, strict=True))
        return Collapse(
            collapse=self._kind(given, room),
            **given,
            room=room,
            n=len(rows),
            d=rows.shape[1],
            limits=self.limits,
            **more,
        )

    def _kind(self, of: dict[str, float], room: int) -> Kind:
        """The first kind of collapse that holds; what is nan does not."""
        limits = self.limits
        if of["variance"] <= limits.total:
            return "total"
        if of["within"] <= limits.classes * of["variance"]:
            return "classes"
        if of["used"] <= limits.unused * room or of["spread_over"] < limits.rank * room:
            return "dimensional"
        return "none"


def _of_means(rows: Tensor, centred: Tensor, labels: Tensor, classifier: Any) -> dict[str, Tensor]:
    """What class means say: neural collapse, and their distance to the simplex."""
    nc = neural_collapse(centred, labels, classifier)._asdict()
    nc["simplex_distance"] = simplex_distance(class_variances(rows, labels).means)
    return {k: v for k, v in nc.items() if v is not None}


def _some(n: int) -> Tensor:
    """All of n rows, or some at random."""
    return torch.randperm(n, generator=torch.Generator().manual_seed(0))[:PAIRED]


def _nearest(means: Tensor) -> tuple[int, int, float]:
    """The two most similar of several directions."""
    alike = cosines(means).fill_diagonal_(-torch.inf)
    first, second = divmod(int(alike.argmax()), len(means))
    return first, second, float(alike[first, second])


_NUMBERS = tuple(
    f.name for f in fields(Collapse) if f.type == "float" and f.name not in ("n", "d", "room")
)
