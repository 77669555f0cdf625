"""Whether target cosines attain the entropic bound; if not, the best gap: found, or enclosed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sympy import Expr, Le, Rational, S, Symbol

from ...decide.ball import NotEnclosed, enclosure
from ...decide.domain import POSITIVE, Domain, DomainError
from ...losses.softmax import tau
from ...optimum.blocks import Certified
from ...proof.derivation import Derivation
from ...proof.lemmas import DUALITY
from ...proof.relations import gt
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity
from ...vectors.sphere import Spherical
from .._for_data import NUMBERS
from ._descent import Floats, cosine_loss, lowest, rounded
from ._targets import TargetCosines, state_verdict
from ._weights import (
    ATTAINED,
    MOST_POINTS,
    MOST_ROWS,
    Gap,
    InBalls,
    Weights,
    by_cosines,
    q,
    quantities,
)

#: What a gap must be below.
TOLERANCE = Rational(1, 10**12)
#: Seeds of the starts of a descent, fewer where there are as many dimensions as points.
SEEDS, FEW_SEEDS = range(12), range(2)
#: Embeddings are optimised for up to so many points.
MOST_OPTIMISED = 100
#: Bits at which a gap is told from zero.
BITS = 128


def at_temperature(
    targets: TargetCosines, weights: Weights, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """Whether the bound is attained at a temperature, and the best that can be."""
    size = int(fixed[q]) if q in fixed else None
    everywhere = size or targets.size
    if size:
        attained = targets.in_dimensions(size)
        where = "in q dimensions"
    else:
        attained = None if targets.room is None else targets.room >= 0
        where = "with the constant c' = 1, the only one possible in n - 2 "
        where += "dimensions or fewer, unless the labels span n - 1"
    found = temperatures(targets.D, fixed) if targets.exact else {}

    def decided(attained: bool) -> dict[str, Quantity]:
        return {
            "attained": Quantity(
                attained, ATTAINED, f"whether the entropic bound is attained {where}"
            )
        }

    if attained is not None:
        found |= decided(attained)
        state_verdict(targets, size, attained, proof)
    found |= quantities(min_dimension=targets.least_dimension)
    if attained or targets.in_dimensions(everywhere):
        small = targets.size <= MOST_ROWS
        return found | quantities(
            gap=S.Zero,
            c_prime=targets.constant(everywhere),
            cosines=targets.cosines(everywhere) if small else None,
            embedding=targets.embedding(everywhere) if size and small else None,
        )
    found |= best(targets, weights, size, proof)
    if "attained" not in found and {"loss", "gap_at_least"} & found.keys():
        found |= decided(False)
    return found


def temperatures(D: Dissimilarity, fixed: Mapping[Symbol, Expr]) -> dict[str, Quantity]:
    """Those at which the bound is attained, where that is decided by algebra."""
    found = Spherical(D, int(fixed.get(q, D.size))).temperatures
    if found is None or found is S.EmptySet:
        return {}
    where = "q dimensions" if q in fixed else "n dimensions, n being the number of points"
    meaning = f"temperatures at which the entropic bound is attained in {where}"
    return {"temperatures": Quantity(found, "T", meaning, parameter=tau)}


def best(
    targets: TargetCosines, weights: Weights, size: int | None, proof: Derivation
) -> dict[str, Quantity]:
    """The minimum of the loss in ``size`` dimensions, or bounds on it.

    Of few points the minimum in any dimension is found, and is that in as many as it spans.
    """
    n, heat = targets.size, targets.heat
    if n > MOST_OPTIMISED:
        return {}
    found: dict[str, Quantity] = {}
    if n <= MOST_POINTS and not targets.in_dimensions(n):
        try:
            found = optimum(weights, heat, proof)
        except (DomainError, NotEnclosed):  # it was not found
            found = {}
    if found and weights.optima.at({tau: heat}).dimension <= (size or n):
        return found
    above = Gap(weights, by_cosines(rounded(descended(weights, heat, size or n)), heat)).number
    below = found["gap"].expression if found else None
    return quantities(gap_at_most=above, gap_at_least=below)


def optimum(weights: Weights, heat: Expr, proof: Derivation) -> dict[str, Quantity]:
    """The minimum of the loss in any dimension; nothing where it may be the bound."""
    loss, bound = weights.best("loss", heat), weights.bound
    if not enclosure(loss - bound, BITS) > 0:
        return {}
    proof.add(
        f"The optimum is computed numerically and certified, at tau = {heat}",
        Certified(
            Le(Symbol("gap"), TOLERANCE), Domain({tau: POSITIVE}, {tau: heat}), weights.optima
        ),
        DUALITY,
    )
    proof.add(
        "The minimum of the loss is larger than the entropic bound",
        InBalls(
            gt("least", Symbol("bound")),
            NUMBERS,
            names={Symbol("least"): loss, Symbol("bound"): bound},
        ),
        "both are computed in ball arithmetic",
    )
    return quantities(
        gap=loss - bound,
        loss=loss,
        rank=weights.best("rank", heat),
        cosines=weights.best_cosines(heat),
    )


def descended(weights: Weights, heat: Expr, size: int) -> Floats:
    """The best unit vectors of a few descents in so many dimensions."""
    n = weights.size
    loss = cosine_loss(np.array(weights.log, dtype=float), float(heat))
    # In n dimensions a descent ends at the optimum, so a few starts are enough.
    seeds = FEW_SEEDS if size == n else SEEDS
    ends = [lowest(loss, np.random.default_rng(seed).normal(size=(n, size))) for seed in seeds]
    best = min(ends, key=lambda z: loss(z)[0])
    found: Floats = best / np.linalg.norm(best, axis=1, keepdims=True)
    return found
