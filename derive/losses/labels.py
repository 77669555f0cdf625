"""Losses of a sample and its label: one vector per sample, all others in the denominator.

Every other sample is a positive of the anchor with a weight: 1 in its class, epsilon in another
(nothing, where the labels are hard). The anchor itself is neither positive nor in its denominator.
"""

from __future__ import annotations

from sympy import S, Symbol

from .softmax import SoftmaxLoss, SoftmaxTerm, tau
from .supcl import CROSS_CLASS, SAME_CLASS

epsilon = Symbol("epsilon", positive=True)
OTHER_SAMPLES = (SAME_CLASS, CROSS_CLASS)

HARD_SUPCON = SoftmaxLoss(
    "hard-supcon",
    "SupCon loss with one vector per sample",
    (SoftmaxTerm(S.One, positives=(SAME_CLASS,), denominator=OTHER_SAMPLES),),
    tau,
    "vock2026unified Definition 3.1, with weights 1 and 0",
)

SOFT_SUPCON = SoftmaxLoss(
    "soft-supcon",
    "Soft SupCon loss: SupCon with a weight for pairs of two classes",
    (
        SoftmaxTerm(
            S.One,
            positives=OTHER_SAMPLES,
            denominator=OTHER_SAMPLES,
            weights=(S.One, epsilon),
        ),
    ),
    tau,
    "vock2026unified Corollary 3.9",
    {epsilon: "weight of a pair of two classes; one of a class weighs 1"},
)
