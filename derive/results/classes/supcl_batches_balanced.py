"""When SupCL over balanced batches collapses classes: k instances of each of C classes.

No anchor is alone, and every batch is composed alike, so the condition is that of one batch; but
the simplex is that of all m classes.
"""

from ...losses.supcl import SUPCL
from ...problems.domains import COMBINED
from ...structures.draws import BALANCED
from ._batches import one_interval, over_batches

RESULT = over_batches(
    "supcl-batches-balanced",
    SUPCL,
    BALANCED,
    BALANCED.within(COMBINED),
    one_interval,
    title="When SupCL over balanced batches collapses classes",
    source="beyond lee2025ssem, Theorem 2: the mean over balanced batches",
)
