"""The least loss where the entropic bound is not attained: found, or enclosed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
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
from ._asked import BITS, Asked
from ._descent import cosine_loss, lowest, rounded
from ._geometry import NOWHERE
from ._of_points import MOST_POINTS, InBalls, Weights

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


def best(
    asked: Asked, weights: Weights, size: int | None, proof: Derivation
) -> dict[str, Quantity]:
    """The least loss in ``size`` dimensions, or what it is between."""
    n, heat = asked.size, asked.heat
    if size == 1 and n <= MOST_SIGNS:
        return {
            "gap": Quantity(
                Signs(weights, heat).gap,
                r"\Delta",
                "least loss minus the entropic bound: the least of all choices of signs",
            )
        }
    if n > MOST_BOUNDED:
        return {}
    wide = WrittenDown.found(weights, heat, n)
    nowhere = enclosure(wide.least_gap, BITS) > 0
    if n <= MOST_POINTS and nowhere:
        weights.optima.near = wide.start()
        try:
            rank = int(weights.optima.at({tau: heat}).dimension)
        except DomainError:  # the bounds are left
            rank = n + 1
        if rank <= (size or n):
            return _optimum(weights, heat, proof)
    return _between(wide, nowhere, size or n, proof)


def _optimum(weights: Weights, heat: Expr, proof: Derivation) -> dict[str, Quantity]:
    """The least loss, to any precision."""
    proof.add(
        f"The optimum is found at numbers, and certified: here at tau = {heat}",
        Certified(Le(Symbol("gap"), TOLERANCE), at_heat(heat), weights.optima),
        DUALITY,
    )
    loss = weights.best("loss", heat)
    gap = loss - weights.bound
    proof.add(
        "The least loss is above the bound",
        InBalls(
            gt("least", Symbol("bound")),
            NOWHERE,
            names={
                Symbol("least"): loss,
                Symbol("bound"): weights.bound,
            },
        ),
        "both in balls",
    )
    return {
        "gap": Quantity(gap, r"\Delta", "least loss minus the entropic bound"),
        "loss": Quantity(loss, r"\mathcal{L}^\star", "least loss"),
        "rank": Quantity(
            weights.best("rank", heat), r"\operatorname{rank}", "dimensions that the optimum spans"
        ),
        "cosines": Quantity(
            weights.best_cosines(heat), r"\cos(z_i, z_j)", "optimal cosines of all pairs"
        ),
    }


def _between(wide: WrittenDown, nowhere: bool, size: int, proof: Derivation) -> dict[str, Quantity]:
    """Bounds on the least loss, from embeddings that are written down."""
    weights, heat = wide.weights, wide.heat
    narrow = WrittenDown.found(weights, heat, size) if size < weights.size else wide
    above, below = narrow.gap, wide.least_gap
    found = {
        "gap_at_most": Quantity(
            above,
            r"\bar\Delta",
            "loss of an embedding that was written down, minus the entropic bound: the best "
            "attainable gap is no larger",
        )
    }
    if nowhere:
        proof.add(
            "The least loss in any dimension is above the bound",
            InBalls(gt("lower", S.Zero), NOWHERE, names={Symbol("lower"): below}),
            "loss >= that of an embedding that was written down, plus <gradient - diag(y), G>, "
            "and gradient - diag(y) + eps is positive definite",
        )
        found["gap_at_least"] = Quantity(
            below,
            r"\underline\Delta",
            "proved: the gap of no embedding is smaller, in any dimension",
        )
    return found


def at_heat(heat: Expr) -> Domain:
    """A domain with a temperature as its witness."""
    return Domain({tau: POSITIVE}, {tau: heat})


# --- embeddings that are written down ------------------------------------------------------------
class Signs:
    """Unit vectors in one dimension: every choice of signs is tried."""

    def __init__(self, weights: Weights, heat: Expr):
        self.weights, self.heat = weights, heat

    @property
    def gap(self) -> Expr:
        """The least loss minus the bound."""
        return Digits(Handle(self, "least of all signs"), Str("gap"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around it."""
        with precision(bits + 64):
            far = 1 / enclosure(self.heat, bits + 64)

            def gap(of: tuple[int, ...]) -> Any:
                return self.weights.gap_of(lambda i, j: far * of[i] * of[j], bits + 64)

            rest = product((1, -1), repeat=self.weights.size - 1)
            found = [gap((1, *of)) for of in rest]
            return reduce(lambda a, b: a.min(b), found)


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

    @property
    def gap(self) -> Expr:
        """Its loss minus the bound."""
        return Digits(Handle(self, "gap of an embedding"), Str("gap"), Str(""))

    @property
    def least_gap(self) -> Expr:
        """What no gap is below."""
        return Digits(Handle(self, "bound by duality"), Str("least"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around one of them."""
        with precision(bits + 64):
            cosines = self._cosines(bits + 64)
            heat = enclosure(self.heat, bits + 64)
            gap = self.weights.gap_of(lambda i, j: cosines[i][j] / heat, bits + 64)
            return gap if kind == "gap" else gap - self.weights.size * self._shift

    def _cosines(self, bits: int) -> list[list[Any]]:
        of = Enclosures(bits, {})
        rows = [[of(e) for e in row] for row in self.rows]
        units = []
        for row in rows:
            norm = sum((a * a for a in row), of(S.Zero)).sqrt()
            units.append([a / norm for a in row])
        return [
            [sum((a * b for a, b in zip(u, v, strict=True)), of(S.Zero)) for v in units]
            for u in units
        ]

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
            there = {j: (cosines[i][j] / heat).exp() for j in wanted}
            above, below = (sum(e.values(), of(S.Zero)) for e in (wanted, there))
            for j in wanted:
                pull[i][j] = (there[j] / below - wanted[j] / above) / (n * heat)
        slack = [[(pull[i][j] + pull[j][i]) / 2 for j in k] for i in k]
        for i in k:
            slack[i][i] = -sum((slack[i][j] * cosines[j][i] for j in k if j != i), of(S.Zero))
        return slack
