"""The optimum of SupCon over random batches: classes collapse at every temperature.

All positives of an anchor have one weight, however many there are in a batch, and an anchor that is
alone of its class has its own other views. So in every batch what pulls is more than what pushes.
"""

from functools import partial

from ...losses.softmax import tau
from ...losses.supcl import SUPCON
from ...losses.supcl import alpha as weight
from ...optimum.batches import BatchLoss, batch_vertex
from ...optimum.vertex import pure_inner
from ...problems.domains import TEMPERED, VIEWS
from ...proof.derivation import Derivation, StepFailed
from ...structures.draws import UNIFORM, B
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import inner_quantities, least_loss, segment_from
from ._batches import drawn_from

DOMAIN = drawn_from(TEMPERED.with_range(p, VIEWS, 2), UNIFORM)


def build(proof: Derivation) -> dict[str, Quantity]:
    mean = BatchLoss.of(SUPCON, UNIFORM, DOMAIN, None)
    conditions = batch_vertex(mean, "classes", weight, DOMAIN, proof)
    if left := [e for e, condition in conditions.items() if not condition.holds]:
        raise StepFailed(f"it is not proved that no trace moves to {', '.join(left)}")
    inner = pure_inner(mean, "classes")
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
