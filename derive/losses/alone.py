"""What a loss asks of an anchor that is alone in its class in a batch: four conventions.

It has no positives in the supervised term. Papers do not say what is then done, and libraries
differ; all keep the mean over all anchors of the batch. The same is done with an anchor whose
batch has no other class, if that is where the positives of a term would be.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from sympy import S

from ..decide.present import tidy
from ..frozen import FrozenValue
from .softmax import SoftmaxLoss, SoftmaxTerm

Terms = tuple[SoftmaxTerm, ...]


class Alone(FrozenValue):
    """What is done with the terms of which an anchor has no positives.

    Attributes
    ----------
    says
        In words, what such an anchor does.
    terms
        The terms that it then has, from those with positives and those without.
    """

    says: str
    terms: Callable[[Terms, Terms], Terms]

    def applied(self, loss: SoftmaxLoss, absent: Collection[str]) -> SoftmaxLoss:
        """The loss of an anchor without partners in some relations."""
        parts = [_without(t, absent) for t in loss.terms]
        kept = tuple(t for t in parts if t.positives)
        left = self.terms(kept, tuple(t for t in parts if not t.positives))
        return replace(loss, terms=left, over_batches=True)


def _without(t: SoftmaxTerm, absent: Collection[str]) -> SoftmaxTerm:
    left = tuple(r for r in t.positives if r not in absent)
    return replace(t, positives=left, weights=tuple(map(t.weight, left)) if t.weights else ())


def _renormalised(kept: Terms, lost: Terms) -> Terms:
    if not lost:
        return kept
    whole, left = (sum((t.coefficient for t in terms), S.Zero) for terms in (kept + lost, kept))
    return tuple(replace(t, coefficient=tidy(t.coefficient * whole / left)) for t in kept)


ALONE = {
    "attraction": Alone(
        "drops the attraction and keeps the logarithm",
        lambda kept, lost: kept + lost,
    ),
    "term": Alone("drops the supervised term", lambda kept, _: kept),
    "renormalise": Alone("gives the self-supervised term the whole weight", _renormalised),
    "skip": Alone(
        "drops all terms, and the mean is still over all anchors",
        lambda kept, lost: () if lost else kept,
    ),
}
