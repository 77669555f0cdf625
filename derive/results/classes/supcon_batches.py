"""The optimum of SupCon over random batches: classes collapse at every temperature.

All positives of an anchor have one weight, however many there are in a batch, and an anchor that is
alone in its class has its own other views. So in every batch what pulls is more than what pushes.
"""

from functools import partial

from ...losses.softmax import tau
from ...losses.supcl import SUPCON
from ...optimum.batches import BatchLoss, pure_over_batches
from ...problems.domains import TEMPERED, VIEWS
from ...proof.derivation import Derivation
from ...structures.draws import UNIFORM, B
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import inner_quantities, least_loss, segment_from

DOMAIN = UNIFORM.within(TEMPERED.with_range(p, VIEWS, 2))


def build(proof: Derivation) -> dict[str, Quantity]:
    mean = BatchLoss.from_draw(SUPCON, UNIFORM, DOMAIN, None)
    inner = pure_over_batches(mean, "classes", DOMAIN, proof)
    loss = mean.mean(part.loss.value(inner) for part in mean.parts)
    return {**inner_quantities(inner), "loss": least_loss(loss)}


RESULT = Result(
    "supcon-batches",
    title="SupCon over random batches collapses classes",
    source="beyond the papers; the loss is that of Khosla et al. (2020), the mean over batches",
    parameters=(m, n, p, B, tau),
    domain=DOMAIN,
    build=build,
    subject=Symmetric(
        loss=SUPCON,
        structure=UNIFORM.whole,
        segment=partial(segment_from, UNIFORM.whole, "classes", "instances", "same_class"),
        draw=UNIFORM,
    ),
)
