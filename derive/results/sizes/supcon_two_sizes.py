"""The optimum of the SupCon loss for classes of two sizes.

A class collapses to a point, but the points are no simplex: large classes push each other
farther apart than small ones. Found for numerical values, certified.
"""

from ...losses.supcl import SUPCON
from ._two_sizes import SIZES, TwoSizes

KEYWORDS = "long-tailed, imbalanced classes, imbalance"
RESULT = TwoSizes(
    "supcon-two-sizes",
    title="The optimum of the SupCon loss for classes of two sizes, for numerical values",
    source="beyond the papers; the loss is that of Khosla et al. (2020)",
    loss=SUPCON,
    domain=SIZES,
)
