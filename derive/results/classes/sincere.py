"""The optimum of the SINCERE loss: that of SupCon, at another least loss.

A positive is compared with itself and the other classes only, so no positive pushes another; at
collapse the gradient within a class is negative all the more.
"""

from .._pure import pure_result

RESULT = pure_result(
    "sincere",
    "classes",
    ("instances", "same_class"),
    title="The optimum of the SINCERE loss",
    source="beyond the papers; the loss is that of Feeney and Hughes (2023)",
)
