"""The optimum of the SupCL loss for classes of two sizes.

Classes of one size may collapse while those of the other do not. Found for numerical values,
with a certificate.
"""

from sympy import Rational

from ...decide.domain import between
from ...losses.supcl import SUPCL, alpha
from ._two_sizes import SIZES, TwoSizes

KEYWORDS = "long-tailed, imbalanced classes, imbalance"
RESULT = TwoSizes(
    "supcl-two-sizes",
    title="The optimum of the SupCL loss for classes of two sizes, for numerical values",
    source="beyond the papers; the loss is that of lee2025ssem (1)-(3)",
    loss=SUPCL,
    domain=SIZES.with_range(alpha, between(0, 1), Rational(1, 2)),
)
