"""The optimum of SimCLR over batches: which families of batches have the simplex of all instances.

At that simplex all batches of one size are alike, and a pair of instances is pushed apart once in
each batch that has both. So over all batches the simplex is optimal; and over some of them iff
every pair is in the same number of batches, as in a 2-design: 7 of the 35 triples of 7 instances.
"""

from functools import partial

from sympy import Symbol

from ...losses.simclr import SIMCLR
from ...losses.softmax import tau
from ...optimum.batches import BatchLoss, pure_over_batches
from ...problems.domains import INSTANCES
from ...proof.derivation import Derivation
from ...proof.lemmas import DESIGN
from ...proof.relations import eq, gt
from ...structures.draws import B, instances_alone
from ...structures.hierarchy import n, p
from ...structures.towers import NEGATIVE
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import inner_quantities, least_loss, segment_from

DRAW = instances_alone(NEGATIVE)
#: The fraction of the batches that contain a pair.
PART = Symbol("pi_2")
DOMAIN = DRAW.within(INSTANCES)


def build(proof: Derivation) -> dict[str, Quantity]:
    mean = BatchLoss.of(SIMCLR, DRAW, DOMAIN, None)
    inner = pure_over_batches(mean, "instances", DOMAIN, proof)
    (part,) = mean.parts
    proof.holds(
        "The simplex is optimal for a family of batches of one size iff every pair of instances is "
        "in the same number of batches",
        gt(part.loss.pair_gradient(inner)[NEGATIVE], 0),
        DESIGN,
        DOMAIN,
    )
    share = B * (B - 1) / (n * (n - 1))
    proof.holds(
        "Each pair is in the fraction pi_2 of the batches, if all pairs are in equally many",
        eq(PART * n * (n - 1), B * (B - 1)),
        "a batch has B (B - 1) of the n (n - 1) ordered pairs",
        DOMAIN,
        names={PART: share},
    )
    return {
        **inner_quantities(inner),
        "loss": least_loss(part.loss.value(inner)),
        "pair_share": Quantity(
            share, r"\pi", "fraction of the batches that contain a pair, if it is the same for all"
        ),
        "batches": Quantity(
            1 / share, r"b", "number of batches, if every pair of instances is in exactly one"
        ),
    }


RESULT = Result(
    "simclr-batches",
    title="SimCLR over batches has the simplex iff every pair is in the same number of batches",
    source="beyond the papers; the loss is that of Chen et al. (2020), the mean over batches",
    parameters=(n, p, B, tau),
    domain=DOMAIN,
    build=build,
    subject=Symmetric(
        loss=SIMCLR,
        structure=DRAW.whole,
        segment=partial(segment_from, DRAW.whole, "instances", "views", "same_instance"),
        draw=DRAW,
    ),
)
