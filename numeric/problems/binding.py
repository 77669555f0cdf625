"""Puts sizes and parameters into a problem of the symbolic side."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import torch
from sympy import Expr, S
from torch import Tensor

from ...derive.losses.pairwise import PairwiseLoss
from ...derive.losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement, arrange
from .bound import BoundProblem
from .parameters import Values, compiled, parameter_names, per_problem, size_names, split
from .parts import Acts, Joined, LogSum, Pairwise, Part, Weighted
from .scalar import Scalar, compile_scalar
from .views import Blocks, Cross, View, wide

__all__ = ["bind", "evaluate", "parameter_names"]


def bind(
    problem: Problem,
    values: Values,
    *,
    batch: int = 1,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> BoundProblem:
    """Put sizes and parameters into a problem.

    Parameters
    ----------
    problem
        A declared loss on a structure.
    values
        By name: sizes of the structure (integers), and for each of :func:`parameter_names` a
        number, or a tensor of ``batch`` numbers.
    batch
        Number of problems.
    dtype, device
        Those of the embeddings it will be given.

    Raises
    ------
    ValueError
        If values are missing, unknown, not finite or of the wrong shape, a temperature is
        not positive, or the loss names relations that the structure has not, or has no pairs in.
    DomainError
        If its similarity is not the inner product.
    """
    sizes, parameters = split(problem, values)
    arrangement = arrange(problem.structure, sizes)
    numbers = {k: per_problem(k, v, batch, dtype, device) for k, v in parameters.items()}
    one = torch.ones(batch, dtype=dtype, device=device)
    numbers |= {k: v * one for k, v in sizes.items()}
    bench = _Bench(arrangement, numbers, one)
    loss = problem.loss
    if isinstance(loss, SoftmaxLoss):
        return bench.softmax(loss)
    if len(arrangement.anchors) > 1:
        raise ValueError(f"loss {loss.name!r} is pairwise, and the points have several orbits")
    return bench.pairwise(loss)


class Denominator(NamedTuple):
    """The relations in a denominator, and what their exponentials are multiplied by, if not 1."""

    names: tuple[str, ...]
    factors: tuple[Expr, ...] = ()


class _Bench:
    """What binding a loss needs: the arrangement, and the numbers of each problem."""

    def __init__(
        self, arrangement: Arrangement, numbers: Mapping[str, Tensor], one: Tensor
    ) -> None:
        self.arrangement, self.numbers, self.one = arrangement, numbers, one
        self.at = ", ".join(f"{k}={v}" for k, v in arrangement.sizes.items())
        self.kinds = list(dict.fromkeys(k for a in arrangement.anchors for k in a.kinds.values()))

    def number(self, expression: Expr) -> Tensor:
        """An expression in sizes and parameters, for each problem."""
        names, function = compiled(expression)
        found = function(*(self.numbers[name] for name in names))
        return torch.as_tensor(found, dtype=self.one.dtype, device=self.one.device) * self.one

    # --- softmax -----------------------------------------------------------------------------
    def softmax(self, loss: SoftmaxLoss) -> BoundProblem:
        """A softmax loss: denominators, positives that are linear, positives that are joined."""
        loss.check_linear()
        tau = self.number(loss.temperature)
        if not bool((tau > 0).all()):
            raise ValueError(f"the temperature must be positive, got {float(tau.min()):g}")
        size, scale = self.arrangement.size, 1 / tau
        per_pair: dict[str, Tensor] = {}
        weights: dict[Denominator, Tensor] = {}
        joined: list[tuple[list[dict[str, Tensor]], Denominator]] = []
        for term in loss.terms:
            self._check_names(loss, "positives", term.positives)
            self._check_names(loss, "denominator", term.denominator)
        seen = [loss.seen(anchors.kinds).terms for anchors in self.arrangement.anchors]
        denominators = [self._denominator(loss, terms) for terms in zip(*seen, strict=True)]
        for k, (term, denominator) in enumerate(zip(loss.terms, denominators, strict=True)):
            pulls = [
                self._pulls(loss, terms[k], anchors.counts)
                for terms, anchors in zip(seen, self.arrangement.anchors, strict=True)
            ]
            own = term.own_positive
            if not own and denominators.count(denominator) == 1:
                rest = self._alone(pulls, denominator)
                own, denominator = rest is not None, rest or denominator
            if own:
                joined.append((pulls, denominator))
                continue
            weights[denominator] = weights.get(denominator, 0) + self.number(term.coefficient)
            for relation, pull in ((r, p) for own in pulls for r, p in own.items()):
                # Seen from both its ends, a pair of two orbits has the mean of what they pull.
                ends = sum(relation in anchors.kinds for anchors in self.arrangement.anchors)
                per_pair[relation] = per_pair.get(relation, 0) + pull / (size * ends)
        used = {r for d in weights for r in d.names}
        used |= {r for pulls, d in joined for r in (*(r for p in pulls for r in p), *d.names)}
        used |= set(per_pair)
        cross = self._is_bipartite(used)
        parts: list[Part] = []
        for below, weight in weights.items():
            view: View = Cross(2) if cross else Blocks(self._blocks(below.names))
            shown = self._shown(view)
            parts.append(LogSum(view, scale, *self._rows(shown, below, cross), weight / size))
        for pulls, below in joined:
            felt = {*(r for own in pulls for r in own), *below.names}
            view = Cross(2) if cross else Blocks(self._blocks(felt))
            shown = self._shown(view)
            columns, weight = self._positives(shown, pulls)
            rows = self._rows(shown, below, cross)
            parts.append(Joined(view, scale, *rows, columns, weight / size))
        if per_pair:
            # A view that is there shows these pairs too, and costs no more products.
            coarse = [p.view.k for p in parts if isinstance(p.view, Blocks)]
            view = Cross(2) if cross else Blocks(min([self._blocks(per_pair), *coarse]))
            weighted = sum(
                -wide(pull, 3) * _mask(self.arrangement, self._shown(view), (r,), self.one.device)
                for r, pull in per_pair.items()
            )
            assert isinstance(weighted, Tensor)
            parts.append(Weighted(view, weighted, scale))
        return BoundProblem(self.arrangement, scale, _by_view(parts), bool(weights), self.one)

    def _check_names(self, loss: SoftmaxLoss, role: str, named: Sequence[str]) -> None:
        if len(set(named)) != len(named) or any(r not in self.kinds for r in named):
            raise ValueError(
                f"{role} of loss {loss.name!r} must be distinct names among {tuple(self.kinds)}"
            )

    def _felt(
        self, loss: SoftmaxLoss, role: str, named: Sequence[str], counts: Mapping[str, int]
    ) -> tuple[str, ...]:
        """The relations named that anchors have partners in, in the order of the structure."""
        felt = tuple(r for r in counts if r in named and counts[r])
        if not felt:
            raise ValueError(
                f"loss {loss.name!r} has a term whose {role} ({', '.join(named)}) "
                f"has no pairs when {self.at}"
            )
        return felt

    def _denominator(self, loss: SoftmaxLoss, terms: Sequence[SoftmaxTerm]) -> Denominator:
        """What is in the denominator of a term, from all anchors."""
        found: dict[str, Expr] = {}
        for term, anchors in zip(terms, self.arrangement.anchors, strict=True):
            felt = self._felt(loss, "denominator", term.denominator, anchors.counts)
            found |= {r: term.in_denominator(r) for r in felt}
        factors = tuple(found.values())
        return Denominator(tuple(found), factors if set(factors) != {S.One} else ())

    def _logs(self, shown: tuple[int, int, int], below: Denominator) -> Tensor | None:
        """Logarithms of the factors of pairs in a denominator, ``(B, s, s)``."""
        found: Tensor | None = None
        for r, factor in zip(below.names, below.factors, strict=False):
            number = self.number(factor)
            if not bool((number > 0).all()):
                raise ValueError(f"the weight {factor} in a denominator must be positive")
            where = _mask(self.arrangement, shown, (r,), self.one.device)
            part = wide(number.log(), 3) * where
            found = part if found is None else found + part
        return found

    def _pulls(
        self, loss: SoftmaxLoss, term: SoftmaxTerm, counts: Mapping[str, int]
    ) -> dict[str, Tensor]:
        """Weight of one pair of each relation among the positives of an anchor."""
        felt = self._felt(loss, "positives", term.positives, counts)
        weights = {r: self.number(term.weight(r)) for r in felt}
        total = sum(counts[r] * weight for r, weight in weights.items())
        return {r: self.number(term.coefficient) * w / total for r, w in weights.items()}

    def _alone(
        self, pulls: Sequence[Mapping[str, Tensor]], below: Denominator
    ) -> Denominator | None:
        """The denominator without the positives, if each anchor has one and it is another point."""
        own = [r for pull in pulls for r in pull]
        single = all(
            len(pull) == 1 and anchors.counts[r] == 1 and anchors.kinds[r] != "self"
            for pull, anchors in zip(pulls, self.arrangement.anchors, strict=True)
            for r in pull
        )
        rest = tuple(r for r in below.names if r not in own)
        found = single and rest and set(own) <= set(below.names) and not below.factors
        return Denominator(rest) if found else None

    # --- where pairs are ---------------------------------------------------------------------
    def _is_bipartite(self, used: Iterable[str]) -> bool:
        """Whether only pairs across the two halves of the first axis are felt."""
        felt = [pattern for r in used for pattern in self.arrangement.agreements[r]]
        return self.arrangement.shape[0] == 2 and not any(pattern[0] for pattern in felt)

    def _blocks(self, relations: Iterable[str]) -> int:
        """The most diagonal blocks that no pair of these relations leaves."""
        felt = [pattern for r in relations for pattern in self.arrangement.agreements[r]]
        blocks = 1
        for axis, size in enumerate(self.arrangement.shape):
            if not all(pattern[axis] for pattern in felt):
                break
            blocks *= size
        return blocks

    def _shown(self, view: View) -> tuple[int, int, int]:
        """First row, first column and size of the (first) matrix of a view."""
        size = self.arrangement.size
        if isinstance(view, Blocks):
            return 0, 0, size // view.k
        return 0, size // 2, size // 2

    def _outside(self, shown: tuple[int, int, int], relations: tuple[str, ...]) -> Tensor | None:
        found = _mask(self.arrangement, shown, relations, self.one.device)
        return None if bool(found.all()) else ~found

    def _rows(
        self, shown: tuple[int, int, int], below: Denominator, cross: bool
    ) -> tuple[Tensor | None, bool, Tensor | None]:
        """What a softmax in rows does not mean, whether it has the anchor, and what is added."""
        own_self = self._self(below.names, cross)
        return self._outside(shown, below.names), own_self, self._logs(shown, below)

    def _positives(
        self, shown: tuple[int, int, int], pulls: Sequence[Mapping[str, Tensor]]
    ) -> tuple[Tensor, Tensor]:
        """Columns of the positives in each row, and their weights, relation by relation.

        Rows with fewer positives than others have some of weight zero.
        """
        size = shown[2]
        most = max(
            sum(anchors.counts[r] for r in felt)
            for felt, anchors in zip(pulls, self.arrangement.anchors, strict=True)
        )
        alike = len(pulls) == 1
        columns = torch.zeros(size, most, dtype=torch.long, device=self.one.device)
        weights = self.one.new_zeros(len(self.one), 1 if alike else size, most)
        for felt, anchors in zip(pulls, self.arrangement.anchors, strict=True):
            rows = slice(0, size) if alike else anchors.where
            done = 0
            for relation, pull in felt.items():
                where = _mask(self.arrangement, shown, (relation,), self.one.device)[rows]
                some = slice(done, done := done + anchors.counts[relation])
                columns[rows, some] = where.nonzero()[:, 1].reshape(len(where), -1)
                weights[:, slice(None) if alike else rows, some] = wide(pull, 3)
        return columns, weights

    def _self(self, relations: Collection[str], cross: bool) -> bool:
        """Whether every anchor stands in its own denominator."""
        own = [r for a in self.arrangement.anchors for r, k in a.kinds.items() if k == "self"]
        return set(own) <= set(relations) and not cross

    # --- pairwise ----------------------------------------------------------------------------
    def pairwise(self, loss: PairwiseLoss) -> BoundProblem:
        """A pairwise loss: functions of single inner products."""
        counts = self.arrangement.counts
        for term in loss.terms:
            if term.relation not in counts:
                raise ValueError(
                    f"loss {loss.name!r} has a term on {term.relation!r}; "
                    f"the relations here are {', '.join(counts)}"
                )
        functions = [(rs, f) for rs, f in _functions(loss) if any(counts[r] for r in rs)]
        used = {r for relations, _ in functions for r in relations}
        cross = self._is_bipartite(used)
        view: View = Cross(1) if cross else Blocks(self._blocks(used))
        # Anchors of one half stand for the other, which feels the same.
        points = self.arrangement.size // 2 if cross else self.arrangement.size
        where = [self._flat(view, relations) for relations, _ in functions]
        everything = sum(int(w.sum()) for w in where)
        size = len(where[0]) if where else 0
        order = sorted(range(len(where)), key=lambda k: -int(where[k].sum()))
        acts = []
        for place, k in enumerate(order):
            _, function = functions[k]
            # What acts on most pairs is computed for all, and replaced where others act.
            most = place == 0 and 2 * int(where[k].sum()) >= size
            pairs = None if most else _positions(where[k])
            acts.append(Acts(pairs, function, tuple(self.numbers[n] for n in function.names)))
        outside = None
        if acts and acts[0].pairs is None and everything < size:
            outside = (~torch.stack(where).any(dim=0)).nonzero().flatten()
        part = Pairwise(view, tuple(acts), outside, points, self.one)
        return BoundProblem(self.arrangement, None, _by_view([part]), False, self.one)

    def _flat(self, view: View, relations: tuple[str, ...]) -> Tensor:
        """True where pairs of some relations are in the flattened entries of a view."""
        mask = _mask(self.arrangement, self._shown(view), relations, self.one.device)
        return mask.flatten().repeat(view.k if isinstance(view, Blocks) else 1)


def _by_view(parts: Iterable[Part]) -> tuple[tuple[View, tuple[Part, ...]], ...]:
    found: dict[View, tuple[Part, ...]] = {}
    for part in parts:
        found[part.view] = (*found.get(part.view, ()), part)
    return tuple(found.items())


@lru_cache(maxsize=64)
def _mask(
    arrangement: Arrangement,
    shown: tuple[int, int, int],
    relations: tuple[str, ...],
    device: torch.device,
) -> Tensor:
    row, column, size = shown
    mask = arrangement.mask(*relations)[row : row + size, column : column + size]
    return torch.tensor(mask, device=device)


def _positions(where: Tensor) -> Tensor | slice:
    """Flat positions where it is True; as a slice if they are evenly spaced."""
    found = where.nonzero().flatten()
    steps = found.diff()
    if len(found) > 1 and bool((steps == steps[0]).all()):
        first, step = int(found[0]), int(steps[0])
        return slice(first, int(found[-1]) + 1, step)
    return found


@lru_cache(maxsize=64)
def _functions(loss: PairwiseLoss) -> tuple[tuple[tuple[str, ...], Scalar], ...]:
    """Functions of a loss, each with the relations that it acts on."""
    functions: dict[str, Expr] = {}
    for term in loss.terms:
        functions[term.relation] = (
            functions.get(term.relation, S.Zero) + term.weight * term.function
        )
    merged: dict[Expr, tuple[str, ...]] = {}
    for relation, function in functions.items():
        merged[function] = (*merged.get(function, ()), relation)
    return tuple((relations, compile_scalar(f)) for f, relations in merged.items())


# --- for single calls -------------------------------------------------------------------------


def bind_to(problem: Problem, u: Tensor, values: Values) -> tuple[BoundProblem, Tensor]:
    """Bind a problem to embeddings ``(*batch, *shape, d)``; also returns them as one flat batch.

    Sizes that are not given are those of the embeddings, where an axis is called by one of them.
    """
    axes = problem.structure.axes
    if u.ndim < len(axes) + 1:
        raise ValueError(
            f"embeddings have the shape (..., {', '.join(map(str, axes))}, d), got {tuple(u.shape)}"
        )
    shape = u.shape[-1 - len(axes) : -1]
    batch = u.shape[: -1 - len(axes)]
    names = size_names(problem)
    seen = {axis.name: n for axis, n in zip(axes, shape, strict=True) if axis.is_Symbol}
    spread = {
        name: torch.broadcast_to(x, batch).reshape(-1)
        if isinstance(x, Tensor) and name not in names
        else x
        for name, x in values.items()
    }
    flat = u.reshape(-1, *shape, u.shape[-1])
    bound = bind(problem, {**seen, **spread}, batch=len(flat), dtype=u.dtype, device=u.device)
    if bound.arrangement.shape != tuple(shape):
        raise ValueError(
            f"embeddings are arranged as {tuple(shape)}, the problem as {bound.arrangement.shape}"
        )
    return bound, flat


def evaluate(problem: Problem, u: Tensor, values: Values) -> Tensor:
    """Loss of embeddings ``(*batch, *shape, d)``, of shape ``batch``; differentiable by autograd.

    Parameters are numbers, or tensors that broadcast to the shape of the batch. Sizes need not
    be given: the embeddings have them.
    """
    bound, flat = bind_to(problem, u, values)
    return bound.value(flat).reshape(u.shape[: u.ndim - 1 - len(problem.structure.axes)])
