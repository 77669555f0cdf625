"""The supervised contrastive losses of ``lee2025ssem``.

Conventions, from equations (1)-(3): the positives of the self-supervised term are
all views of the anchor's own instance, the anchor itself included; those of the
supervised term are the views of *other* instances of its class; the denominator
runs over all embeddings, the anchor included; tau divides; everything is a mean.
"""

from __future__ import annotations

from sympy import S

from ..symbols import alpha, tau
from .softmax import SoftmaxLoss, SoftmaxTerm

SELF, SAME_INSTANCE, SAME_CLASS, CROSS_CLASS = "self", "same_instance", "same_class", "cross_class"
EVERYTHING = (SELF, SAME_INSTANCE, SAME_CLASS, CROSS_CLASS)
OWN_CLASS = (SELF, SAME_INSTANCE, SAME_CLASS)
OWN_VIEWS = (SELF, SAME_INSTANCE)

SUPCL = SoftmaxLoss(
    "supcl",
    "SupCL loss (1-alpha) L_Sup + alpha L_Self",
    (
        SoftmaxTerm(1 - alpha, positives=(SAME_CLASS,), denominator=EVERYTHING),
        SoftmaxTerm(alpha, positives=OWN_VIEWS, denominator=EVERYTHING),
    ),
    tau,
    "lee2025ssem (1)-(3)",
)

CNCE = SoftmaxLoss(
    "cnce",
    "class-conditional InfoNCE loss L_cNCE",
    (SoftmaxTerm(S.One, positives=OWN_VIEWS, denominator=OWN_CLASS),),
    tau,
    "lee2025ssem Proposition A.6",
)

SUP_CNCE = SoftmaxLoss(
    "sup-cnce",
    "(1-alpha) L_Sup + alpha L_cNCE",
    (
        SoftmaxTerm(1 - alpha, positives=(SAME_CLASS,), denominator=EVERYTHING),
        SoftmaxTerm(alpha, positives=OWN_VIEWS, denominator=OWN_CLASS),
    ),
    tau,
    "lee2025ssem Remark 1",
)
