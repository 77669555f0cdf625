"""The optimum of the decoupled contrastive loss: that of SimCLR, at another least loss.

Own views are in no denominator, so nothing pushes them; all negatives push alike.
"""

from .._pure import pure_result

RESULT = pure_result(
    "dcl",
    "instances",
    ("views", "same_instance"),
    title="The optimum of the decoupled contrastive loss",
    source="beyond the papers; the loss is that of Yeh et al. (2022)",
)
