"""The optimum of SimCLR over batches: which families of batches have the simplex of all instances.

At that simplex all batches of one size are alike, and a pair of instances is pushed apart once in
each batch that has both. So over all batches the simplex is optimal; and over some of them iff
every pair is in the same number of batches, as in a 2-design: 7 of the 35 triples of 7 instances.
Batches that share no instances leave each its own simplex, and what they have to do with each other
is free.
"""

from functools import partial

from sympy import Mod, Symbol

from ...losses.simclr import SIMCLR
from ...losses.softmax import tau
from ...optimum.batches import BatchLoss, pure_over_batches
from ...optimum.dimension import rank
from ...optimum.vertex import UniqueGram, vertex
from ...problems.domains import INSTANCES
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import DESIGN, FREE_BLOCKS
from ...proof.relations import eq, gt
from ...structures.draws import B, instances_alone
from ...structures.hierarchy import VIEWS as EACH
from ...structures.hierarchy import hierarchy, n, p
from ...structures.towers import NEGATIVE
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import inner_quantities, least_loss, segment_from

DRAW = instances_alone(NEGATIVE)
#: The fraction of the batches that contain a pair.
PART = Symbol("pi_2")
FREE = Symbol("f")
# At the witness the batches make up a partition.
DOMAIN = DRAW.within(INSTANCES).with_range(n, INSTANCES.ranges[n], 4)


def build(proof: Derivation) -> dict[str, Quantity]:
    mean = BatchLoss.from_draw(SIMCLR, DRAW, DOMAIN, None)
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
        **_partition(proof),
    }


def _partition(proof: Derivation) -> dict[str, Quantity]:
    """What is free where each instance is in one batch only."""
    own = hierarchy(EACH, (B, NEGATIVE, "instances"))
    found = vertex(Problem(SIMCLR, own, DOMAIN), "instances", Derivation())
    unique = UniqueGram.from_loss(found.reduced, found.domain, found.inner)
    proof.add(
        "If each instance is in one batch only, each batch has a simplex of its own, and no other "
        "optimum",
        unique,
        "it is the theorem on all data, simclr, with B instances",
    )
    dimensions, parts = rank(own, found.inner, DOMAIN), n / B
    proof.holds(
        "The Gram matrices that are then optimal have this many dimensions, if there is room",
        eq(FREE, n / B * (n / B - 1) / 2 * (B - 1) ** 2),
        FREE_BLOCKS,
        DOMAIN,
        names={FREE: parts * (parts - 1) / 2 * dimensions**2},
    )
    whole = (1 - Mod(n, B), "n instances are dealt into batches of B only if B divides n")
    says = "if each instance is in one of n/B batches only"
    return {
        "partition_loss": Quantity(
            found.loss, r"\mathcal{L}_{\mathrm{part}}", f"minimum of the loss {says}", needs=whole
        ),
        "partition_free": Quantity(
            parts * (parts - 1) / 2 * dimensions**2,
            "f",
            f"dimension of the set of optimal Gram matrices {says}: how the simplices of two "
            "batches lie to each other is free",
            needs=whole,
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
