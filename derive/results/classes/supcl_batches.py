"""When SupCL over random batches collapses classes (beyond lee2025ssem, Theorem 2).

An anchor may be alone in its class in a batch; what is then done with it decides much, and there
are four conventions. Views separate only where its attraction alone is dropped, and that needs
batches in which an anchor can be alone.
"""

from functools import partial

from ...decide.domain import at_least
from ...losses.supcl import SUPCL
from ...problems.domains import COMBINED
from ...structures.draws import UNIFORM, B, up_to
from ...structures.hierarchy import m, n, p
from ._batches import intervals, over_batches

DOMAIN = UNIFORM.within(COMBINED)
NEVER_ALONE = "in larger batches no anchor is alone in its class, and views never separate"
ONE_VIEW = "an instance with one view has no views to separate"
#: Where views may separate.
VIEWS = DOMAIN.with_range(p, at_least(2, ONE_VIEW), 2)
SPLIT = VIEWS.with_range(B, up_to(m * n - n + 1, NEVER_ALONE), 3)

RESULT = over_batches(
    "supcl-batches",
    SUPCL,
    UNIFORM,
    DOMAIN,
    partial(intervals, low={"attraction": SPLIT}),
    title="When SupCL over random batches collapses classes",
    source="beyond lee2025ssem, Theorem 2: the mean over batches",
)
