"""The optimum of the SupCon loss: classes collapse at every temperature.

All embeddings of a class are positives of each other with one weight, so at collapse the gradient
is one number within a class, and it is negative: what pulls is more than what pushes.
"""

from .._pure import pure_result

KEYWORDS = "neural collapse, supervised contrastive"
RESULT = pure_result(
    "supcon",
    "classes",
    ("instances", "same_class"),
    title="The optimum of the SupCon loss",
    source="beyond the papers; the loss is that of Khosla et al. (2020)",
)
