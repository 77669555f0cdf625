"""A problem: a declared loss on a structure, with the values that its symbols may take.

It is what every result about an optimum is about, and all that has to be known to reduce the
loss, to certify embeddings, to minimise it and to check what was derived.
"""

from __future__ import annotations

from ..decide.domain import Domain, DomainError
from ..frozen import Frozen
from ..losses.pairwise import PairwiseLoss
from ..losses.softmax import SoftmaxLoss
from ..structures.configuration import Configuration
from ..structures.scheme import Scheme

Loss = SoftmaxLoss | PairwiseLoss


class Problem(Frozen):
    """Loss x structure x domain.

    Attributes
    ----------
    loss
        The declaration; its terms name relations of the structure, or kinds of them where there
        are several orbits of points.
    structure
        Relations and eigenspaces of the Gram matrices that the loss is asked for.
    domain
        What the sizes of the structure and the parameters of the loss may be.
    """

    loss: Loss
    structure: Scheme | Configuration
    domain: Domain

    def __repr__(self) -> str:
        return f"<Problem {self.loss.title}>"

    @property
    def scheme(self) -> Scheme:
        """The structure where all points are alike.

        Raises
        ------
        DomainError
            If they are not; one line.
        """
        if isinstance(self.structure, Scheme):
            return self.structure
        raise DomainError(f"{self.loss.title} has points of several kinds here, not of one")
