"""Supervised contrastive losses on views in instances in classes.

Conventions of ``lee2025ssem``, from equations (1)-(3): the positives of the self-supervised
term are all views of the anchor's own instance, the anchor itself included; those of the
supervised term are the views of *other* instances of its class; the denominator runs over all
embeddings, the anchor included; tau divides; everything is a mean.

The losses of public code leave the anchor out, of its positives and of its denominator
(:data:`OTHERS`), and need more than one view where other views are all the positives.
"""

from __future__ import annotations

from sympy import S, Symbol

from .softmax import SoftmaxLoss, SoftmaxTerm, tau

alpha = Symbol("alpha", nonnegative=True)
WEIGHT = {alpha: "weight of the self-supervised term"}
#: Where there are superclasses.
beta = Symbol("beta", nonnegative=True)

SELF, SAME_INSTANCE, SAME_CLASS, CROSS_CLASS = "self", "same_instance", "same_class", "cross_class"
EVERYTHING = (SELF, SAME_INSTANCE, SAME_CLASS, CROSS_CLASS)
OWN_CLASS = (SELF, SAME_INSTANCE, SAME_CLASS)
OWN_VIEWS = (SELF, SAME_INSTANCE)
OTHERS = (SAME_INSTANCE, SAME_CLASS, CROSS_CLASS)

SUPCL = SoftmaxLoss(
    "supcl",
    "SupCL loss (1-alpha) L_Sup + alpha L_Self",
    (
        SoftmaxTerm(1 - alpha, positives=(SAME_CLASS,), denominator=EVERYTHING),
        SoftmaxTerm(alpha, positives=OWN_VIEWS, denominator=EVERYTHING),
    ),
    tau,
    "lee2025ssem (1)-(3)",
    WEIGHT,
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
    WEIGHT,
)

SAME_SUPERCLASS, CROSS_SUPERCLASS = "same_superclass", "cross_superclass"
_FAR = (SELF, SAME_INSTANCE, SAME_CLASS, SAME_SUPERCLASS, CROSS_SUPERCLASS)

SUPERCLASSES = SoftmaxLoss(
    "superclasses",
    "SupCL loss with superclasses: one term per level",
    (
        SoftmaxTerm(1 - alpha - beta, positives=(SAME_SUPERCLASS,), denominator=_FAR),
        SoftmaxTerm(beta, positives=(SAME_CLASS,), denominator=_FAR),
        SoftmaxTerm(alpha, positives=OWN_VIEWS, denominator=_FAR),
    ),
    tau,
    "lee2025ssem (1)-(3), with one more level",
    {**WEIGHT, beta: "weight of the term on classes"},
)

SUPCL_EXCLUSIVE = SoftmaxLoss(
    "supcl-exclusive",
    "SupCL loss (1-alpha) L_Sup + alpha L_Self without the anchor",
    (
        SoftmaxTerm(1 - alpha, positives=(SAME_CLASS,), denominator=OTHERS),
        SoftmaxTerm(alpha, positives=(SAME_INSTANCE,), denominator=OTHERS),
    ),
    tau,
    "lee2025ssem (1)-(3), with the anchor left out as in public code",
    WEIGHT,
)

SUPCON = SoftmaxLoss(
    "supcon",
    "SupCon loss (the mean over positives is outside the logarithm)",
    (SoftmaxTerm(S.One, positives=(SAME_INSTANCE, SAME_CLASS), denominator=OTHERS),),
    tau,
    "Khosla et al. (2020), equation (2)",
)

SINCERE = SoftmaxLoss(
    "sincere",
    "SINCERE loss",
    (
        SoftmaxTerm(
            S.One,
            positives=(SAME_INSTANCE, SAME_CLASS),
            denominator=(CROSS_CLASS,),
            own_positive=True,
        ),
    ),
    tau,
    "Feeney and Hughes (2023), equation (6)",
)
