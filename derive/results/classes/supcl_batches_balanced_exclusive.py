"""When SupCL, anchor excluded, collapses classes in balanced batches.

As over all data there are two ends of an interval.
"""

from ...losses.supcl import SUPCL_EXCLUSIVE
from ...problems.domains import SEVERAL_VIEWS
from ...structures.draws import BALANCED
from ._batches import one_interval, over_batches

RESULT = over_batches(
    "supcl-batches-balanced-exclusive",
    SUPCL_EXCLUSIVE,
    BALANCED,
    BALANCED.within(SEVERAL_VIEWS),
    one_interval,
    title="When SupCL, anchor excluded, collapses classes in balanced batches",
    source="beyond lee2025ssem, Theorem 2: as in public code, the mean over balanced batches",
)
