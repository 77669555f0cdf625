"""Weights for given points: the loss with a relation for every pair, its bound, and its optimum.

No two pairs need be alike, so each point is an orbit of its own and the Gram matrix is one block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, Gt, S, Symbol, exp, oo
from sympy.core.symbol import Str

from ...decide.ball import Enclosures, NotEnclosed, enclosure, precision
from ...decide.domain import DomainError, Range
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ...losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ...optimum.blocks import BlockOptima, ReducedOnOrbits
from ...optimum.value import Digits, FaceValue, Handle
from ...proof.statement import Statement
from ...structures.configuration import Block, Configuration, Orbit, Pairs
from ...theorem.quantity import Quantity

q = Symbol("q", integer=True, positive=True)
DIMENSION = {q: "dimension of the embeddings; by default the number of points"}
#: Entries of matrices.
REAL = Range(-oo, oo)
#: Of more points the optimum takes too long, and of more a matrix is not written out.
MOST_POINTS, MOST_ROWS = 12, 40
#: Bits with which numbers are told apart.
LADDER = (128, 512, 2048)

Rows = Sequence[Sequence[Expr]]
#: The similarity of two points, by their numbers, in balls.
Similarity = Callable[[int, int], Any]


ATTAINED = r"\text{attained}"
#: How the quantities of an embedding of given points are written, and what they are.
WRITTEN = {
    "dimension": ("r", "dimension of the affine hull of the data"),
    "min_dimension": (r"q_{\min}", "least dimension in which the bound is attained"),
    "gap": (r"\Delta", "minimum of the loss minus the entropic bound"),
    "gap_at_most": (r"\bar\Delta", "upper bound on the gap: that of an explicit embedding"),
    "gap_at_least": (r"\underline\Delta", "proved lower bound on the gap, in any dimension"),
    "pca_gap": (
        r"\Delta_{\mathrm{PCA}}",
        "loss of the first q principal components, minus the entropic bound",
    ),
    "loss": (r"\mathcal{L}^\star", "minimum of the loss"),
    "rank": (r"\operatorname{rank}", "rank of the Gram matrix of the optimum"),
    "c_prime": (r"c^{\prime}", "constant c' of the cosines c' - tau d_ij"),
    "cosines": (r"\cos(z_i, z_j)", "optimal cosines of all pairs"),
    "squared_distances": (
        r"\lVert z_i - z_j \rVert^2",
        "optimal squared distances of all pairs",
    ),
    "embedding": ("Z", "an optimal embedding, a row for each point"),
    "unique": (r"\text{unique}", "whether the optimum is unique up to isometry"),
    "verdict": (r"\text{verdict}", "whether the bound is attained, and why, in words"),
}


def quantities(**values: Any) -> dict[str, Quantity]:
    """Quantities of :data:`WRITTEN` by name, without those that are None."""
    return {k: Quantity(e, *WRITTEN[k]) for k, e in values.items() if e is not None}


def two_or_more(data: Mapping[str, Rows]) -> Mapping[str, Rows]:
    """Refuse a single row."""
    for name, rows in data.items():
        if len(rows) < 2:
            raise DomainError(f"{name}: one row is too few; give two points or more, one per row")
    return data


def pair(i: int, j: int) -> str:
    """What the relation of two points is called."""
    return f"pair_{min(i, j)}_{max(i, j)}"


def points(size: int) -> Configuration:
    """Points without any symmetry."""
    names = [str(i) for i in range(size)]
    relations = [Pairs(f"self_{a}", "self", a, a, S.One, S.One) for a in names]
    relations += [
        Pairs(pair(i, j), pair(i, j), names[i], names[j], S.One, S.One)
        for i in range(size)
        for j in range(i + 1, size)
    ]
    block = Block("gram", S.One, tuple(names), ("constant",) * size)
    table = {"gram": {r.name: S.One for r in relations}}
    orbits = tuple(Orbit(a, S.One) for a in names)
    return Configuration(orbits, tuple(relations), (block,), table, {})


class Weights:
    """Positive symmetric weights, by their logarithms."""

    def __init__(self, log_weights: Rows):
        self.log = log_weights
        self.size = len(log_weights)

    @property
    def loss(self) -> SoftmaxLoss:
        """InfoNCE with these weights, the anchor left out of numerator and denominator."""
        pairs = [(i, j) for i in range(self.size) for j in range(i + 1, self.size)]
        kinds = tuple(pair(i, j) for i, j in pairs)
        weights = tuple(exp(self.log[i][j]) for i, j in pairs)
        term = SoftmaxTerm(S.One, positives=kinds, denominator=kinds, weights=weights)
        source = "vock2026unified Definition 3.1"
        return SoftmaxLoss("weighted-infonce", "Weighted InfoNCE", (term,), tau, source)

    @cached_property
    def bound(self) -> Expr:
        """The entropy of the normalised weights, the mean over rows."""
        return Digits(Handle(self, "entropic bound"), Str("bound"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around the bound: the loss where the similarities are the log-weights."""
        of = Enclosures(bits + 32, {})
        return self.loss_at(lambda i, j: of(self.log[i][j]), bits + 32)

    def loss_at(self, similarity: Similarity, bits: int) -> Any:
        """A ball around the loss at similarities."""
        with precision(bits):
            of = Enclosures(bits, {})
            k, total = range(self.size), of(S.Zero)
            for i in k:
                weights = {j: of(self.log[i][j]).exp() for j in k if j != i}
                s = {j: similarity(i, j) for j in weights}
                partition = sum((e.exp() for e in s.values()), of(S.Zero)).log()
                mean = sum((w * s[j] for j, w in weights.items()), of(S.Zero))
                total += partition - mean / sum(weights.values(), of(S.Zero))
            return total / self.size

    @cached_property
    def optima(self) -> BlockOptima:
        """Where the loss is least, in as many dimensions as there are points."""
        if self.size > MOST_POINTS:
            raise DomainError(
                f"the optimum is found for up to {MOST_POINTS} points, not for {self.size}"
            )
        return BlockOptima(ReducedOnOrbits(self.loss, points(self.size)), (tau,))

    def best(self, kind: str, heat: Expr, name: str = "") -> Expr:
        """A number of the optimum at a temperature."""
        return FaceValue.of(self.optima, kind, name).xreplace({tau: heat})

    def best_cosines(self, heat: Expr) -> list[list[Expr]]:
        """The cosines there."""
        k = range(self.size)
        return [[S.One if i == j else self.best("inner", heat, pair(i, j)) for j in k] for i in k]


class Gap:
    """The loss of an embedding minus the bound, at its similarities for a number of bits."""

    def __init__(self, weights: Weights, similarity: Callable[[int], Similarity]):
        self.weights, self.similarity = weights, similarity

    @property
    def number(self) -> Expr:
        """The gap, as an expression."""
        return Digits(Handle(self, "gap of an embedding"), Str("gap"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around it."""
        work = bits + 64
        with precision(work):
            loss = self.weights.loss_at(self.similarity(work), work)
            return loss - self.weights.ball("bound", "", work)


def by_distances(rows: Rows) -> Callable[[int], Similarity]:
    """Minus the squared distances of points."""

    def similarity(bits: int) -> Similarity:
        z = in_balls(rows, bits)
        return lambda i, j: -sum((a - b) * (a - b) for a, b in zip(z[i], z[j], strict=True))

    return similarity


def by_cosines(rows: Rows, heat: Expr) -> Callable[[int], Similarity]:
    """The cosines of points over the temperature."""

    def similarity(bits: int) -> Similarity:
        z = in_balls(rows, bits)
        norms = [sum(a * a for a in row).sqrt() * enclosure(heat, bits).sqrt() for row in z]
        return lambda i, j: (
            sum(a * b for a, b in zip(z[i], z[j], strict=True)) / (norms[i] * norms[j])
        )

    return similarity


def in_balls(rows: Rows, bits: int) -> list[list[Any]]:
    """A matrix of numbers, in balls."""
    of = Enclosures(bits, {})
    return [[of(e) for e in row] for row in rows]


@dataclass(frozen=True, eq=False)
class InBalls(Statement):
    """``left > right`` between numbers, which balls tell apart; ``names`` says what they are."""

    def decide(self) -> Outcome:
        """Whether it is so."""
        if not isinstance(self.shown, Gt):
            return Undecided(f"{self.shown} is not a strict inequality")
        left, right = (side.xreplace(dict(self.names)) for side in self.shown.args)
        for bits in LADDER:
            try:
                with precision(bits):
                    gap = enclosure(left, bits) - enclosure(right, bits)
            except NotEnclosed as error:
                return Undecided(str(error))
            if gap > 0:
                return Holds(Evidence(Grade.INTERVAL, f"balls with {bits} bits"))
            if gap < 0:
                return Refuted({}, f"the difference is {gap.str(3, radius=False)}")
        return Undecided(f"the difference is within {gap.abs_upper().str(3, radius=False)} of zero")
