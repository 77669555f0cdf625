"""A problem: a declared loss on a structure, with the values that its symbols may take.

It is what every result about an optimum is about, and all that has to be known to reduce the
loss, to certify embeddings, to minimise it and to check what was derived.
"""

from __future__ import annotations

from sympy import Symbol

from ..decide.domain import Domain
from ..decide.frozen import dataclass
from ..losses.pairwise import PairwiseLoss
from ..losses.softmax import SoftmaxLoss
from ..structures.scheme import Scheme

Loss = SoftmaxLoss | PairwiseLoss


@dataclass(frozen=True, eq=False)
class Problem:
    """Loss x structure x domain.

    Attributes
    ----------
    loss
        The declaration; its terms name relations of the structure.
    structure
        Relations and eigenspaces of the Gram matrices that the loss is asked for.
    domain
        What the sizes of the structure and the parameters of the loss may be.
    """

    loss: Loss
    structure: Scheme
    domain: Domain

    @property
    def meanings(self) -> dict[Symbol, str]:
        """What the sizes of the structure and the parameters of the loss are."""
        return {**self.structure.meanings, **self.loss.meanings}
