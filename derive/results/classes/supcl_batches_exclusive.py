"""When SupCL without the anchor collapses classes over random batches.

As over all data there are two ends of an interval; under each convention for an anchor that is
alone in its class they are others, and the lower one may be negative.
"""

from ...losses.supcl import SUPCL_EXCLUSIVE
from ...problems.domains import SEVERAL_VIEWS
from ...structures.draws import UNIFORM
from ._batches import intervals, over_batches

RESULT = over_batches(
    "supcl-batches-exclusive",
    SUPCL_EXCLUSIVE,
    UNIFORM,
    UNIFORM.within(SEVERAL_VIEWS),
    intervals,
    title="When SupCL without the anchor collapses classes over random batches",
    source="beyond lee2025ssem, Theorem 2: the loss as public code has it, the mean over batches",
)
