"""Contrastive losses without classes: instances, each with several views.

Conventions: the positives of an anchor are the *other* views of its instance, over which a mean
is taken; the anchor is in no denominator; tau divides.
"""

from __future__ import annotations

from sympy import S

from ..structures.towers import NEGATIVE
from .softmax import SoftmaxLoss, SoftmaxTerm, tau
from .supcl import SAME_INSTANCE

SIMCLR = SoftmaxLoss(
    "simclr",
    "SimCLR (NT-Xent) loss",
    (SoftmaxTerm(S.One, positives=(SAME_INSTANCE,), denominator=(SAME_INSTANCE, NEGATIVE)),),
    tau,
    "Chen et al. (2020), equation (1)",
)

DCL = SoftmaxLoss(
    "dcl",
    "decoupled contrastive loss",
    (SoftmaxTerm(S.One, positives=(SAME_INSTANCE,), denominator=(NEGATIVE,)),),
    tau,
    "Yeh et al. (2022), equation (6)",
)
