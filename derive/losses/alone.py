"""What a loss asks of an anchor that is alone of its class in a batch: four conventions.

It has no positives in the supervised term. Papers do not say what is then done, and libraries
differ; all keep the mean over all anchors of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from sympy import S

from ..decide.present import tidy
from .softmax import SoftmaxLoss, SoftmaxTerm

Terms = tuple[SoftmaxTerm, ...]


@dataclass(frozen=True)
class Alone:
    """What is done with the terms of which an anchor has no positives.

    Attributes
    ----------
    says
        In words.
    terms
        The terms that it then has, from those with positives and those without.
    """

    says: str
    terms: Callable[[Terms, Terms], Terms]

    def of(self, loss: SoftmaxLoss, absent: Collection[str]) -> SoftmaxLoss:
        """The loss of an anchor without partners in some relations."""
        parts = [
            replace(t, positives=tuple(r for r in t.positives if r not in absent))
            for t in loss.terms
        ]
        kept = tuple(t for t in parts if t.positives)
        left = self.terms(kept, tuple(t for t in parts if not t.positives))
        return replace(loss, terms=left, over_batches=True)


def _renormalised(kept: Terms, _: Terms) -> Terms:
    total = sum((t.coefficient for t in kept), S.Zero)
    return tuple(replace(t, coefficient=tidy(t.coefficient / total)) for t in kept)


ALONE = {
    "attraction": Alone(
        "the attraction is dropped and the logarithm stays",
        lambda kept, lost: kept + lost,
    ),
    "term": Alone("the supervised term is dropped", lambda kept, _: kept),
    "renormalise": Alone("the self-supervised term gets the weight 1", _renormalised),
    "skip": Alone(
        "all terms are dropped, and the mean is still over all anchors",
        lambda kept, lost: () if lost else kept,
    ),
}
