"""Checks of results about batches: all batches of small data, one by one.

The loss of every batch is evaluated from the declaration of its terms, anchor by anchor; nothing is
reduced by symmetry, and no distribution of the number of others of a class is used. Borders are
where the derivative along the way out of class collapse changes sign; on both sides of them
embeddings are optimised, which may or may not get below the loss of collapse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import comb
from operator import itemgetter
from typing import Any

import torch
from sympy import Expr
from torch import Tensor

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.losses.alone import ALONE
from ...derive.losses.pairwise import PairTerm
from ...derive.losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...derive.structures.arrangement import Arrangement, arrange
from ...derive.theorem.measure import Border
from ...derive.theorem.number import as_float
from ...derive.theorem.result import Result
from ..problems.scalar import compile_scalar
from ..search.smooth import lowered
from .checks import CLOSE_LOSS, CLOSE_THRESHOLD, Check, Run, refuse_infinite, refuse_unknown

#: Sizes when not given: several classes and instances, and few batches.
TYPICAL = {"m": "3", "n": "2", "p": "2", "B": "3", "C": "2", "k": "2", "tau": "1/2"}
TYPICAL |= {"N": "5", "t": "4", "b": "0"}
#: A weight on both sides of where classes collapse.
WEIGHTS = {"alpha": ("1/10", "9/10")}
#: What a batch takes of the data: not more than there is.
TAKEN = ("B", "C", "k")
#: More batches than these are not enumerated.
MOST = 20_000
#: Iterations of the search; how far beside a border it is made, where there is room.
STEPS, BESIDE = 300, 0.1
#: Inner products of embeddings must match to this: the square of it is a loss within CLOSE_LOSS.
NEAR = 1e-4


def checks(result: Result, values: Mapping[str, object], run: Run) -> list[Check]:
    """All ends that the result derived, at one set of sizes.

    Raises
    ------
    DomainError
        For values that are not accepted, or more batches than can be enumerated.
    """
    names = [s.name for s in result.parameters]
    refuse_unknown(result, values, [*names, *result.texts])
    refuse_infinite(values)
    typical = TYPICAL if "m" in names else {**TYPICAL, "n": "4"}
    free = [k for k in names if k in WEIGHTS and k not in values]
    if free:
        several = ({**values, free[0]: weight} for weight in WEIGHTS[free[0]])
        return [check for more in several for check in checks(result, more, run)]
    everything: dict[str, Any] = {
        k: values[k] if k in values else typical.get(k) or str(result.domain.witness[s])
        for k, s in zip(names, result.parameters, strict=True)
    }
    result.point(**{k: v for k, v in everything.items() if k in values or k not in TAKEN})
    size = {k: int(exact(everything.get(k, 1))) for k in ("m", "n", "N")}
    most = {"B": size["m"] * size["n"] * size["N"], "C": size["m"], "k": size["n"]}
    everything |= {
        k: str(min(int(TYPICAL[k]), most[k])) for k in TAKEN if k in everything and k not in values
    }
    point = result.point(**everything)
    at = {s.name: e for s, e in point.items()}
    where = ", ".join(f"{k}={v}" for k, v in at.items())
    made = result.at_point(point)
    found: list[Check] = []
    ends: dict[str, dict[float, bool]] = {}
    for name, border in made.measures().items():
        if not isinstance(border, Border):
            continue
        try:
            predicted = as_float(result.value(name, **everything))
        except DomainError:  # there is no such end at these sizes
            continue
        alone = next((k for k in ALONE if name.endswith(f"_{k}")), "")
        loss = BatchesLoss(result, at, alone, run)
        run.tell(f"{name} at {where}")
        measured = loss.border(border)
        found.append(Check(name, where, predicted, measured, CLOSE_THRESHOLD))
        # Above it or below the loss falls, and collapse is left.
        ends.setdefault(alone, {})[predicted] = border.above
    if not ends:  # there is one optimum, for all weights or these
        run.tell(f"embeddings at {where}")
        loss = BatchesLoss(result, at, result.draw.convention if result.draw else "", run)
        best, gram = min((loss.searched(0.0, seed) for seed in run.seeds), key=itemgetter(0))
        seen = {"loss": best, **{r: float(gram[m].mean()) for r, m in loss.masks().items()}}
        return [
            Check(k, where, as_float(made.value(k, **everything)), measured, close)
            for k, measured in seen.items()
            for close in [CLOSE_LOSS if k == "loss" else NEAR]
            if k in made.quantities
        ]
    for alone, about in ends.items():
        loss = BatchesLoss(result, at, alone, run)
        for alpha in _beside(about):
            optimal = all(alpha <= end if left else alpha >= end for end, left in about.items())
            run.tell(f"embeddings at {where}, alpha={alpha:.4g}")
            what = f"collapse is optimal{f' ({alone})' * bool(alone)}"
            measured = loss.collapse_is_least(alpha)
            found.append(Check(what, f"{where}, alpha={alpha:.4g}", optimal, measured, 0.0))
    return found


def _beside(ends: Mapping[float, bool]) -> list[float]:
    """Values of alpha in [0, 1] on both sides of ends and between them, not next to an end."""
    near = {end + side * BESIDE for end in ends for side in (-1, 1)} | {sum(ends) / len(ends)}
    return sorted(a for a in near if 0 <= a <= 1 and all(abs(a - e) > BESIDE / 3 for e in ends))


class BatchesLoss:
    """The mean of a declared loss over all batches, as a function of a Gram matrix.

    Parameters
    ----------
    at
        Sizes and the temperature.
    alone
        What is done with an anchor that is alone in its class, a name in ``ALONE``; or empty.
    """

    def __init__(self, result: Result, at: Mapping[str, Expr], alone: str, run: Run):
        assert result.draw is not None and result.declared is not None
        self.loss, self.run, self.at = result.declared, run, at
        sizes = {k: int(at[k]) for k in ("m", "n", "p", "N") if k in at}
        self.whole = result.draw.whole
        self.arrangement: Arrangement = arrange(result.draw.whole, sizes)
        chosen = torch.tensor(_batches(sizes, {k: int(at[k]) for k in at if k in TAKEN}))
        if "N" in sizes:  # the vectors of an item are in two towers
            self.points = torch.cat([chosen, chosen + sizes["N"]], -1)
        else:
            views = torch.arange(sizes["p"])
            self.points = (chosen[:, :, None] * sizes["p"] + views).flatten(1)
        named = [r.name for r in result.draw.whole.relations]
        # What collapses lies on the simplex of the outermost level.
        self.corners, self.apart = next(iter(sizes.values())), named[-1]
        self.relations = {
            name: torch.tensor(self.arrangement.mask(name))[self._pairs] for name in named
        }
        self.anchors = tuple(self._anchors(alone))

    def _anchors(self, alone: str) -> Iterator[tuple[Tensor, Sequence[SoftmaxTerm | PairTerm]]]:
        """Anchors that see vectors of the same relations in their batch, and their terms."""
        names = list(self.relations)
        seen = torch.stack([mask.any(-1) for mask in self.relations.values()], -1)
        for some in seen.flatten(0, 1).unique(dim=0):
            own = self.loss
            if alone and isinstance(own, SoftmaxLoss):
                absent = [name for name, is_drawn in zip(names, some, strict=True) if not is_drawn]
                own = ALONE[alone].applied(own, absent)
            yield (seen == some).all(-1), own.terms

    @property
    def _pairs(self) -> tuple[Tensor, Tensor]:
        return self.points[:, :, None], self.points[:, None, :]

    def __call__(self, gram: Tensor, alpha: float) -> Tensor:
        """The loss; ``alpha`` is its weight, if that is not among the numbers."""
        g = gram[self._pairs]
        total = g.new_zeros(())
        for where, terms in self.anchors:
            for term in terms:
                if isinstance(term, SoftmaxTerm):
                    of_anchors = self._term(term, g, alpha)
                else:
                    of_anchors = self._sum(term, g)
                total = total + (of_anchors * where).sum()
        return total / self.points.numel()

    def _term(self, term: SoftmaxTerm, g: Tensor, alpha: float) -> Tensor:
        """One term of all anchors, whether it is theirs or not."""
        assert isinstance(self.loss, SoftmaxLoss)
        g = g / self._number(self.loss.temperature, alpha)
        below = self._weighed(term.denominator, term.in_denominator)
        tiny = torch.finfo(g.dtype).tiny
        spread = (g + below.clamp(min=tiny).log()).logsumexp(-1, keepdim=True)
        weight = self._number(term.coefficient, alpha)
        if not term.positives:
            return weight * spread[..., 0]
        if term.own_positive:
            spread = torch.logaddexp(spread, g)
        above = self._weighed(term.positives, term.weight)
        mean = above / above.sum(-1, keepdim=True).clamp(min=tiny)
        return weight * (mean * (spread - g)).sum(-1)

    def _weighed(self, names: tuple[str, ...], weight: Callable[[str], Expr]) -> Tensor:
        """What each pair of some relations weighs."""
        parts = [self.relations[r].double() * self._number(weight(r)) for r in names]
        return torch.stack(parts).sum(0)

    def _sum(self, term: PairTerm, g: Tensor) -> Tensor:
        """One function of inner products, of all anchors."""
        function = compile_scalar(term.function)
        numbers = (torch.tensor(float(self.at[k]), dtype=g.dtype) for k in function.names)
        (value,) = function.expand(g, *numbers, order=0)
        return self._number(term.weight) * (value * self.relations[term.relation]).sum(-1)

    def _number(self, e: Expr, alpha: float = 0.0) -> float:
        known = {"alpha": exact(alpha), **self.at}
        return float(e.xreplace({s: known[s.name] for s in e.free_symbols}))

    def gram(self, inner: Mapping[str, Expr]) -> Tensor:
        """The Gram matrix with given inner products, or a way from one to another."""
        values = {s: exact(n) for s, n in self.arrangement.sizes.items()}
        named = {s: v for e in inner.values() for s in e.free_symbols if (v := values.get(s.name))}
        numbers = {r: float(e.xreplace(named)) for r, e in inner.items()}
        return torch.tensor(self.arrangement.gram(numbers))

    def border(self, border: Border) -> float:
        """Where in alpha the derivative along the way out of a structure is zero."""
        start = self.gram(border.inner).requires_grad_()
        way = self.gram(border.along)
        slopes = []
        for alpha in (0.0, 1.0):
            (slope,) = torch.autograd.grad(self(start, alpha), start)
            slopes.append(float((slope * way).sum()))
        return slopes[0] / (slopes[0] - slopes[1])

    def collapse_is_least(self, alpha: float) -> float:
        """1 if no embeddings that are found have a smaller loss than the pure structure, else 0."""
        across = torch.tensor(self.arrangement.mask(self.apart)).double()
        least = float(self(1 - across * self.corners / (self.corners - 1), alpha))
        best = min(self.searched(alpha, seed)[0] for seed in self.run.seeds)
        return float(best >= least - CLOSE_LOSS)

    def masks(self) -> dict[str, Tensor]:
        """Which pairs are in a relation, of those in which there are some."""
        felt = {t.relation for t in self.loss.terms if isinstance(t, PairTerm)}
        named = (r.name for r in self.whole.relations if not felt or r.name in felt)
        found = {name: torch.tensor(self.arrangement.mask(name)) for name in named}
        return {name: mask for name, mask in found.items() if mask.any()}

    def searched(self, alpha: float, seed: int) -> tuple[float, Tensor]:
        """The smallest loss on the way from random embeddings, and the Gram matrix there."""
        random = torch.Generator().manual_seed(seed)
        size = self.arrangement.size
        u = torch.randn(size, self.run.d or size, generator=random, dtype=torch.float64)

        def gram(u: Tensor) -> Tensor:
            v = torch.nn.functional.normalize(u, dim=-1)
            return v @ v.T

        found = gram(lowered(lambda u: self(gram(u), alpha), u, STEPS))
        return float(self(found, alpha)), found


def _batches(sizes: Mapping[str, int], batch: Mapping[str, int]) -> list[tuple[int, ...]]:
    """The instances of every batch."""
    m, n = sizes.get("m", 1), sizes.get("n", sizes.get("N", 1))
    if "B" in batch:
        many = comb(m * n, batch["B"])
    else:
        many = comb(m, batch["C"]) * comb(n, batch["k"]) ** batch["C"]
    if many > MOST:
        raise DomainError(f"there are {many} batches, and {MOST} at most are enumerated")
    if "B" in batch:
        return list(combinations(range(m * n), batch["B"]))
    own = list(combinations(range(n), batch["k"]))
    return [
        tuple(c * n + i for c, some in zip(classes, parts, strict=True) for i in some)
        for classes in combinations(range(m), batch["C"])
        for parts in product(own, repeat=batch["C"])
    ]
