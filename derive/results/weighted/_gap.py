"""Whether target cosines attain the entropic bound; if not, the best gap: found, or enclosed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
from sympy import Expr, Le, Rational, S, Symbol
from sympy.core.symbol import Str

from ...decide.ball import Enclosures, enclosure, precision
from ...decide.domain import POSITIVE, Domain, DomainError
from ...losses.softmax import tau
from ...optimum.blocks import Certified
from ...optimum.interior import pivots
from ...optimum.polish import Face, pivoted
from ...optimum.solve import Start
from ...optimum.value import Digits, Handle
from ...proof.derivation import Derivation
from ...proof.lemmas import DUALITY
from ...proof.relations import gt
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity
from ...vectors.sphere import Spherical
from .._for_data import NUMBERS
from ._descent import cosine_loss, lowest, rounded
from ._targets import BITS, TargetCosines, state_verdict
from ._weights import (
    ATTAINED,
    MOST_POINTS,
    MOST_ROWS,
    Gap,
    InBalls,
    Similarity,
    Weights,
    in_balls,
    q,
    quantities,
)

#: What a gap must be below.
TOLERANCE = Rational(1, 10**12)
#: Seeds of the starts of a descent.
SEEDS = range(12)
#: Points for which all choices of signs are tried.
MOST_SIGNS = 8
#: And for which the gap is enclosed.
MOST_BOUNDED = 100
#: Bits of a first proof, and what a pivot of an occupied direction is above.
GUESS_BITS, OCCUPIED = 256, Rational(1, 10**7)


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
        where = "with the cosines of a pair as of a point with itself, the only way in n - 2 "
        where += "dimensions or fewer, unless the labels span n - 1"
    found = temperatures(targets.D, fixed) if targets.exact else {}

    def decided(attained: bool) -> dict[str, Quantity]:
        return {"attained": Quantity(attained, ATTAINED, f"whether the bound is attained {where}")}

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
    meaning = f"temperatures at which the bound is attained in {where}"
    return {"temperatures": Quantity(found, "T", meaning, parameter=tau)}


def best(
    targets: TargetCosines, weights: Weights, size: int | None, proof: Derivation
) -> dict[str, Quantity]:
    """The minimum of the loss in ``size`` dimensions, or bounds on it."""
    n, heat = targets.size, targets.heat
    if size == 1 and n <= MOST_SIGNS:
        return quantities(gap=Gap(weights, partial(_signs, n, heat)).number)
    if n > MOST_BOUNDED:
        return {}
    wide = WrittenDown.found(weights, heat, n)
    unattained = enclosure(wide.least_gap, BITS) > 0
    if n <= MOST_POINTS and unattained:
        weights.optima.near = wide.start()
        try:
            rank = int(weights.optima.at({tau: heat}).dimension)
        except DomainError:  # the bounds are left
            rank = n + 1
        if rank <= (size or n):
            return _optimum(weights, heat, proof)
    narrow = WrittenDown.found(weights, heat, size) if size and size < n else wide
    above = quantities(gap_at_most=narrow.gap.number)
    if not unattained:
        return above
    proof.add(
        "The minimum of the loss in any dimension is above the bound",
        InBalls(gt("lower", S.Zero), NUMBERS, names={Symbol("lower"): wide.least_gap}),
        "loss >= that of an explicit embedding, plus <gradient - diag(y), G>, "
        "and gradient - diag(y) + eps is positive definite",
    )
    return above | quantities(gap_at_least=wide.least_gap)


def _optimum(weights: Weights, heat: Expr, proof: Derivation) -> dict[str, Quantity]:
    """The minimum of the loss, to any precision."""
    proof.add(
        f"The optimum is computed numerically and certified, at tau = {heat}",
        Certified(
            Le(Symbol("gap"), TOLERANCE), Domain({tau: POSITIVE}, {tau: heat}), weights.optima
        ),
        DUALITY,
    )
    loss, bound = weights.best("loss", heat), weights.bound
    proof.add(
        "The minimum of the loss is above the bound",
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


# --- explicit embeddings ------------------------------------------------------------
def _signs(size: int, heat: Expr, bits: int) -> Iterator[Similarity]:
    """The similarities of unit vectors in one dimension, for every choice of signs."""
    far = 1 / enclosure(heat, bits)

    def similarity(of: tuple[int, ...]) -> Similarity:
        return lambda i, j: far * of[i] * of[j]

    return (similarity((1, *rest)) for rest in product((1, -1), repeat=size - 1))


class WrittenDown:
    """An embedding with fractions as coordinates: its loss, and a bound on the loss of all.

    For unit vectors with the Gram matrix G the loss L is convex, so with A its gradient in G,
    y_i = (A G)_ii and any eps that makes A - diag(y) + eps positive definite, every other embedding
    of n points has a loss of at least L(G) - n eps.
    """

    def __init__(self, weights: Weights, heat: Expr, rows: Sequence[Sequence[Rational]]):
        self.weights, self.heat, self.rows = weights, heat, rows

    @classmethod
    def found(cls, weights: Weights, heat: Expr, size: int) -> WrittenDown:
        """The best of a few descents in so many dimensions."""
        n = weights.size
        logs = np.array([[float(e) for e in row] for row in weights.log])
        loss = cosine_loss(logs, float(heat))
        # In n dimensions a descent ends at the optimum, so a few starts are enough.
        seeds = SEEDS[: 2 if size == n else None]
        starts = [np.random.default_rng(seed).normal(size=(n, size)) for seed in seeds]
        ends = [lowest(loss, start) for start in starts]
        best = min(ends, key=lambda z: loss(z)[0])
        return cls(weights, heat, rounded(best / np.linalg.norm(best, axis=1, keepdims=True)))

    def start(self) -> tuple[Face, Start, int]:
        """Its Gram matrix and multipliers, and the face of their rank, to be polished."""
        with precision(BITS):
            cosines, slack = self._cosines(BITS), self._slack()
            rows = [[e.mid() for e in row] for row in cosines]
            n = range(len(rows))
            shares = [rows[i][j] for i in n for j in n if i <= j]
            part = pivoted(rows, enclosure(OCCUPIED, BITS))
            return Face((part,)), (shares, [-slack[i][i].mid() for i in n]), GUESS_BITS

    @cached_property
    def gap(self) -> Gap:
        """Its loss minus the bound."""
        return Gap(self.weights, lambda bits: [self._similarity(bits)])

    def _similarity(self, bits: int) -> Similarity:
        cosines, heat = self._cosines(bits), enclosure(self.heat, bits)
        return lambda i, j: cosines[i][j] / heat

    @property
    def least_gap(self) -> Expr:
        """A lower bound on every gap."""
        return Digits(Handle(self, "bound by duality"), Str("least"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around that bound."""
        with precision(bits + 64):
            return self.gap.ball("gap", "", bits) - self.weights.size * self._shift

    def _cosines(self, bits: int) -> list[list[Any]]:
        units = []
        for row in in_balls(self.rows, bits):
            norm = _inner(row, row).sqrt()
            units.append([a / norm for a in row])
        return [[_inner(u, v) for v in units] for u in units]

    @cached_property
    def _shift(self) -> Any:
        """The eps, a number without radius."""
        from flint import arb

        with precision(BITS):
            rows = self._slack()
            shift = arb((1, -50))
            while True:
                moved = [
                    [e + (shift if i == j else 0) for j, e in enumerate(row)]
                    for i, row in enumerate(rows)
                ]
                signs = pivots(moved)
                if len(signs) == len(rows) and all(p > 0 for p in signs):
                    return shift
                shift = 2 * shift

    def _slack(self) -> list[list[Any]]:
        """A - diag(y), in balls."""
        of = Enclosures(BITS, {})
        cosines, heat, n = self._cosines(BITS), of(self.heat), self.weights.size
        k = range(n)
        pull = [[of(S.Zero)] * n for _ in k]
        for i in k:
            wanted = {j: of(self.weights.log[i][j]).exp() for j in k if j != i}
            found = {j: (cosines[i][j] / heat).exp() for j in wanted}
            above, below = (sum(e.values(), of(S.Zero)) for e in (wanted, found))
            for j in wanted:
                pull[i][j] = (found[j] / below - wanted[j] / above) / (n * heat)
        slack = [[(pull[i][j] + pull[j][i]) / 2 for j in k] for i in k]
        for i in k:
            slack[i][i] = -sum((slack[i][j] * cosines[j][i] for j in k if j != i), of(S.Zero))
        return slack


def _inner(u: Sequence[Any], v: Sequence[Any]) -> Any:
    """The inner product of two vectors in balls."""
    return sum(a * b for a, b in zip(u, v, strict=True))
