"""Random softmax losses on hierarchies, and their least value over invariant Gram matrices.

Nothing here uses the engine's reduction: a loss is walked pair by pair, anchor by anchor, on an
explicit Gram matrix that is put together from averages over blocks.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product

import numpy as np
from brute_force import over_shares
from cltheory.derive.decide.domain import Domain
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm
from cltheory.derive.problems.problem import Problem
from cltheory.derive.structures.hierarchy import hierarchy
from sympy import Integer, Rational

LEVELS = (("same_instance", "views"), ("same_class", "instances"), ("cross_class", "classes"))
FOURTH = ("cross_superclass", "superclasses")
TEMPERATURES = ("1/5", "1/3", "1/2", "1", "2")


@dataclass(frozen=True)
class Drawn:
    """A softmax loss with numbers on a hierarchy with sizes, coarsest last."""

    problem: Problem
    sizes: tuple[int, ...]
    relations: tuple[str, ...]
    terms: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    temperature: str
    values: Mapping[str, float]

    @classmethod
    def of(cls, problem: Problem, values: Mapping[str, float]) -> Drawn:
        """A declared loss on the hierarchy of views, instances and classes."""
        return cls(
            problem,
            tuple(int(values[k]) for k in ("p", "n", "m")),
            ("self", *(r for r, _ in LEVELS)),
            tuple((str(k.coefficient), k.positives, k.denominator) for k in problem.loss.terms),
            str(problem.loss.temperature),
            dict(values),
        )

    def with_values(self, **values: float) -> Drawn:
        """With other values of the symbols."""
        return replace(self, values={**self.values, **values})

    @property
    def spaces(self) -> list[str]:
        """Eigenspaces, finest first, the constants last."""
        names = [e for _, e in (*LEVELS, FOURTH)][: len(self.sizes)]
        return [*names, "mean"]

    @cached_property
    def points(self) -> list[tuple[int, ...]]:
        return list(product(*(range(size) for size in reversed(self.sizes))))

    def relation(self, a: tuple[int, ...], b: tuple[int, ...]) -> str:
        """The name of the finest level at which two points are together."""
        apart = next((k for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a))
        return self.relations[len(a) - apart]

    @cached_property
    def table(self) -> np.ndarray:
        """Index of the relation of each pair."""
        index = {r: k for k, r in enumerate(self.relations)}
        return np.array([[index[self.relation(a, b)] for b in self.points] for a in self.points])

    @cached_property
    def projections(self) -> list[np.ndarray]:
        """On the contrasts of each level and on the constants."""
        chain = []
        for depth in range(len(self.sizes) + 1):
            together = (self.table <= depth).astype(float)
            chain.append(together / together.sum(axis=1, keepdims=True))
        return [a - b for a, b in pairwise(chain)] + [chain[-1]]

    def gram(self, shares: np.ndarray) -> np.ndarray:
        """The invariant Gram matrix whose trace is split like this."""
        size = len(self.points)
        return sum(
            size * share / round(float(np.trace(part))) * part
            for share, part in zip(shares, self.projections, strict=True)
        )

    def loss(self, shares: np.ndarray) -> float:
        """The loss, anchor by anchor."""
        g = self.gram(np.asarray(shares, float))
        number = {k: float(v) for k, v in self.values.items()}
        temperature = self._number(self.temperature, number)
        total = 0.0
        for weight, positives, denominator in self.terms:
            pulled = np.isin(self.table, [self.relations.index(r) for r in positives])
            pushed = np.isin(self.table, [self.relations.index(r) for r in denominator])
            for u in range(len(g)):
                spread = np.log(np.exp(g[u][pushed[u]] / temperature).sum())
                total += self._number(weight, number) * (
                    spread - g[u][pulled[u]].mean() / temperature
                )
        return total / len(g)

    @staticmethod
    def _number(text: str, values: Mapping[str, float]) -> float:
        """Of ``1/3``, ``alpha`` or ``1 - alpha``."""
        if text.startswith("1 - "):
            return 1 - values[text[4:]]
        if text in values:
            return values[text]
        above, _, below = text.partition("/")
        return float(above) / float(below or 1)

    def least(self) -> float:
        """The least loss over all shares, from a few starts."""
        return self.loss(self.argmin())

    def argmin(self) -> np.ndarray:
        """Shares of the least loss: projected by softmax coordinates, then by SLSQP."""
        k = len(self.spaces)
        starts = [np.full(k, 1 / k), *(0.1 / k + 0.9 * np.eye(k))]
        found = []
        for start in starts[: k + 1]:
            out = over_shares(self.loss, start)
            found.append((out.fun, tuple(np.clip(out.x, 0, 1))))
        shares = np.array(min(found)[1])
        return shares / shares.sum()


def draw(seed: int) -> Drawn:
    """A random loss with one to three terms on two to four levels."""
    rng = random.Random(seed)
    depth = rng.choice((2, 3, 3, 4))
    sizes = tuple(rng.choice((2, 3)) for _ in range(depth))
    levels = (*LEVELS, FOURTH)[:depth]
    relations = ("self", *(r for r, _ in levels))
    terms = []
    for _ in range(rng.randint(1, 3)):
        positives = tuple(r for r in relations[:-1] if rng.random() < 0.5) or (relations[1],)
        denominator = tuple(r for r in relations if rng.random() < 0.7) or relations
        terms.append((rng.choice(("1/4", "1/2", "1", "2")), positives, denominator))
    temperature = rng.choice(TEMPERATURES)
    scheme = hierarchy(*((Integer(s), r, e) for s, (r, e) in zip(sizes, levels, strict=True)))
    loss = SoftmaxLoss(
        f"drawn-{seed}",
        "",
        tuple(SoftmaxTerm(Rational(w), ps, ds) for w, ps, ds in terms),
        Rational(temperature),
        "",
    )
    return Drawn(Problem(loss, scheme, Domain({})), sizes, relations, tuple(terms), temperature, {})
