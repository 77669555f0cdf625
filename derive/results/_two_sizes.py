"""What the results about classes of two sizes share: structure, domain, and the quantities.

There is no closed form: every number is that of an optimum found at its point, proved by balls.
"""

from __future__ import annotations

from sympy import Rational, S

from ..decide.domain import POSITIVE, Domain, at_least
from ..losses.softmax import SoftmaxLoss, tau
from ..optimum.blocks import BlockOptima, ReducedOnOrbits, state_certificate, state_reduction
from ..optimum.face import FaceValue
from ..proof.derivation import Derivation
from ..structures.classes import MEANINGS, m1, m2, n1, n2, two_sizes
from ..structures.hierarchy import n, p
from ..structures.scheme import Relation, Scheme
from ..theorem.measure import Rank
from ..theorem.quantity import Quantity

STRUCTURE = two_sizes()
SIZES = Domain(
    {
        m1: at_least(1),
        n1: at_least(2),
        m2: at_least(1),
        n2: at_least(2),
        p: at_least(1),
        tau: POSITIVE,
    },
    {m1: 3, n1: 4, m2: 2, n2: 2, p: 1, tau: Rational(1, 2)},
)

#: What an anchor sees: its class has n instances, n being n1 or n2.
SEEN = Scheme(
    STRUCTURE.size,
    (
        Relation("self", S.One),
        Relation("same_instance", p - 1),
        Relation("same_class", p * (n - 1)),
        Relation("cross_class", STRUCTURE.size - n * p),
    ),
    (),
    {},
    (),
    {},
    MEANINGS,
)

#: Inner products by kind of relation: how they are written, and between what.
INNER = {
    "same_instance": (r"u_{}^\top u_{}'", "views of an instance"),
    "same_class": (r"u_{}^\top v_{}", "instances of a class"),
    "cross_class": (r"u_{}^\top w_{}", "classes"),
}


def optima(loss: SoftmaxLoss, domain: Domain) -> BlockOptima:
    """The optima of a loss, as a function of the symbols of a domain."""
    return BlockOptima(ReducedOnOrbits(loss, STRUCTURE), domain.symbols())


def quantities(found: BlockOptima, domain: Domain, proof: Derivation) -> dict[str, Quantity]:
    """Prove what is said of all sizes, and give the numbers of the optimum by name."""
    state_reduction(found.reduced, domain, proof)
    state_certificate(found, domain, proof)
    given = {"loss": Quantity(FaceValue.of(found, "loss"), r"\mathcal{L}^\star", "least loss")}
    for r in STRUCTURE.relations:
        if r.kind == "self":
            continue
        written, between = INNER[r.kind]
        where = f"in group {r.left}" if r.left == r.right else "of the two groups"
        given[r.name] = Quantity(
            FaceValue.of(found, "inner", r.name),
            written.format(r.left, r.right),
            f"inner product of {between} {where}",
            needs=(r.count, f"there are no such pairs: {r.count} is zero"),
        )
    given["rank"] = Quantity(
        FaceValue.of(found, "rank"), "d", "rank of the Gram matrix", measured=Rank()
    )
    given["rank_of_means"] = Quantity(
        FaceValue.of(found, "rank", "means"),
        r"\mathrm{rank}\,M",
        "rank of the block of the means of the groups",
    )
    given["gap"] = Quantity(
        FaceValue.of(found, "gap"),
        r"\mathrm{gap}",
        "proved bound on how far the loss of the certificate is from the least",
    )
    return given
