"""Whether a representation has collapsed, and the numbers that say so."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan
from typing import Literal

import torch
from torch import Tensor

from .classes import ClassVariances, class_variances, neural_collapse, simplex_distance
from .inputs import Points, batch_of
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
    """What is logged of embeddings of unit length.

    Attributes
    ----------
    collapse
        ``"total"``, ``"classes"``, ``"dimensional"`` or ``"none"``; see `Limits`.
    numbers
        By name, those that can be told.

        - ``variance``, ``within``, ``between``: mean squared distance from the mean, and its parts
          within and between classes. The mean of each of two towers is taken off first.
        - ``nc1``, ``nc2_equinorm``, ``nc2_equiangular``, ``nc2_maximal``, ``nc3`` (with a
          classifier): see `neural_collapse`.
        - ``closest_means``: the least squared distance of two class means (of 2048 at most).
        - ``simplex_distance``, ``effective_rank``, ``rankme``, ``uniformity`` (of at most 2048
          rows), and with a second tower ``alignment`` and ``modality_gap``: see there.
        - ``used``, ``spread_over``, ``room``: directions with variance, the exponential of the
          entropy of the spectrum, and how many directions there can be; within classes if there
          are any.
    classes
        Variances, sizes and labels of the classes; None without labels.
    limits
        Those that were used.
    """

    collapse: Kind
    numbers: dict[str, float]
    classes: ClassVariances | None = field(repr=False)
    limits: Limits

    def floats(self, prefix: str = "") -> dict[str, float]:
        """The numbers, and the verdict as three flags of 0 and 1; ``prefix`` begins each name."""
        flags = {f"is_{k}": float(self.collapse == k) for k in ("total", "classes", "dimensional")}
        return {prefix + name: value for name, value in (self.numbers | flags).items()}

    @property
    def collapsed_classes(self) -> list[int]:
        """Positions of the classes whose own variance is within the limit of class collapse."""
        if self.classes is None:
            return []
        low = self.classes.of_class <= self.limits.classes * self.numbers["variance"]
        found: list[int] = (low & (self.classes.counts > 1)).nonzero()[:, 0].tolist()
        return found

    @property
    def says(self) -> str:
        """The verdict in a sentence."""
        seen = self.numbers
        part = 100 * seen.get("within", 0) / (seen["variance"] or 1)
        share = f"{part:.3g}" if part >= 0.01 else "less than 0.01"
        variance = f"the variance is {seen['variance']:.3g}"
        if "within" in seen:
            variance = f"{share} % of the variance ({seen['variance']:.3g}) lies within classes"
            if self.classes is not None and (self.classes.counts == 1).any():
                # Parts of a whole they are not then: classes of one are in the variance only.
                variance = (
                    f"within classes of two samples or more the variance is {share} % of that of "
                    f"all ({seen['variance']:.3g})"
                )
        each = " of each array" if "modality_gap" in seen else ""
        apart = seen.get("closest_means", inf) > self.limits.classes * seen["variance"]
        merged = "" if apart else ", and some classes have the same mean"
        spread = f"spread over {seen.get('spread_over', 0):.3g} of {seen['room']:.0f} directions"
        return {
            "total": f"Total collapse: all embeddings{each} are nearly equal, with a "
            f"variance of {seen['variance']:.3g}.",
            "classes": f"Classes have collapsed: {variance}{merged}.",
            "dimensional": f"Dimensional collapse: {variance}, {spread}.",
            "none": f"No collapse: {variance}, {spread}.",
        }[self.collapse]


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
        z: Points,
        second: Points | None = None,
        *,
        labels: Points | None = None,
        classifier: Points | None = None,
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
                shapes = " and ".join(str(tuple(tower.shape)) for tower in towers)
                raise ValueError(f"embeddings and second views do not match: {shapes}")
        if towers[0].ndim != 2 or len(towers[0]) < 2:
            raise ValueError(f"embeddings must be (n, d), n >= 2, not {tuple(towers[0].shape)}")
        if self.normalise:
            towers = [torch.nn.functional.normalize(tower, dim=1) for tower in towers]
        # Mixed precision is for training: sums of squares of bfloat16 have two digits.
        with torch.autocast(towers[0].device.type, enabled=False):
            return self._measured(towers, labels, classifier, samples or len(towers[0]))

    def _measured(
        self,
        towers: list[Tensor],
        labels: Points | None,
        classifier: Points | None,
        samples: int,
    ) -> Collapse:
        rows = torch.cat(towers)
        centred = torch.cat([tower - tower.mean(0) for tower in towers])
        some = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0))[:PAIRED]
        found = {
            "variance": centred.square().sum(1).mean(),
            "effective_rank": effective_rank(rows, check=False),
            # A dead encoder gives zeros, which have no rank and are as collapsed as can be.
            "rankme": rankme(rows) if rows.any() else rows.new_tensor(nan),
            "uniformity": uniformity(rows[some.to(rows.device)]),
        }
        if len(towers) == 2:
            found["alignment"] = alignment(towers[0], towers[1])
            found["modality_gap"] = modality_gap(towers[0], towers[1])
        residual, groups, classes = centred, 1, None
        views = len(rows) / samples
        if labels is not None:
            labels = torch.as_tensor(labels, device=rows.device).repeat(len(towers))
            spread = class_variances(centred, labels)
            counts = spread.counts // len(towers)
            classes = spread._replace(counts=counts)
            found["between"] = spread.between
            many = counts[counts > 1]
            if len(many):
                weights = counts * (counts > 1)
                found["within"] = (spread.of_class * weights).sum() / weights.sum()
                own, groups = torch.searchsorted(spread.classes, labels), len(many)
                residual = (centred - spread.means[own])[counts[own] > 1]
            if len(counts) > 1:
                nc = neural_collapse(centred, labels, classifier)
                found |= {k: v for k, v in nc._asdict().items() if v is not None}
                means = class_variances(rows, labels).means
                found["simplex_distance"] = simplex_distance(means)
                if len(means) <= PAIRED:
                    found["closest_means"] = torch.pdist(means).min().square()
        room = max(1, min(len(residual) - groups, rows.shape[1]))
        # As many directions as there are where the views of a sample are equal.
        least = max(1, min(int(len(residual) / views) - groups, rows.shape[1]))
        values = spectrum(residual)
        used = (values > SHARE / room * values.sum()).sum()
        found |= {"used": used, "spread_over": perplexity(values)}
        # One transfer from a device instead of many.
        told = torch.stack([x.to(rows.dtype) for x in found.values()]).tolist()
        numbers = {k: x for k, x in zip(found, told, strict=True) if x == x} | {"room": float(room)}
        return Collapse(self._kind(numbers, least), numbers, classes, self.limits)

    def _kind(self, seen: dict[str, float], room: int) -> Kind:
        """The first kind of collapse that holds."""
        limits = self.limits
        if seen["variance"] <= limits.total:
            return "total"
        if seen.get("within", inf) <= limits.classes * seen["variance"]:
            return "classes"
        if seen["used"] <= limits.unused * room or seen.get("spread_over", 0) < limits.rank * room:
            return "dimensional"
        return "none"
