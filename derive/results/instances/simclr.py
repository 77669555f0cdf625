"""The optimum of the SimCLR (NT-Xent) loss: views coincide, instances form a simplex.

At that structure the gradient pulls views together and pushes instances apart, so its eigenvalue is
negative on contrasts of instances, positive on those of views and zero on the mean. The three are
compared with their signs alone, and nothing in them changes sign with the temperature.
"""

from .._pure import pure_result

KEYWORDS = "InfoNCE, self-supervised"
RESULT = pure_result(
    "simclr",
    "instances",
    ("views", "same_instance"),
    title="The optimum of the SimCLR loss",
    source="beyond the papers; the loss is that of Chen et al. (2020)",
)
