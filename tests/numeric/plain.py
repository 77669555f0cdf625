"""Declared losses read off their declarations, with plain operations and loops over pairs.

Nothing here is shared with the numeric layer: relations are told by hand, pair by pair, sums are
taken as they are declared, and derivatives are left to autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import torch
from cltheory.derive.decide.domain import Domain
from cltheory.derive.losses.pairwise import PairwiseLoss, c
from cltheory.derive.losses.softmax import SoftmaxLoss
from cltheory.derive.problems.problem import Problem
from cltheory.derive.structures.classes import groups_of_classes
from cltheory.derive.structures.configuration import Configuration
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy
from cltheory.derive.structures.scheme import Scheme
from cltheory.derive.structures.towers import K, p, towers, towers_of_views
from sympy import Expr, lambdify
from torch import Tensor

Point = tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """A structure at sizes, and by hand: the relation of two of its points."""

    name: str
    scheme: Scheme | Configuration
    sizes: Mapping[str, int]
    points: Sequence[Point]
    relation: Callable[[Point, Point], str]

    def mask(self, relation: str) -> Tensor:
        rows = [[self.relation(a, b) == relation for b in self.points] for a in self.points]
        return torch.tensor(rows, dtype=torch.float64)

    def problem(self, loss: SoftmaxLoss | PairwiseLoss) -> Problem:
        return Problem(loss, self.scheme, Domain(ranges={}, witness={}))


def _nested(a: Point, b: Point) -> str:
    names = ("cross_superclass", "cross_class", "same_class", "same_instance")[-len(a) :]
    return next((names[k] for k in range(len(a)) if a[k] != b[k]), "self")


def _towers(a: Point, b: Point) -> str:
    (k, i), (other, j) = a[:2], b[:2]
    if k == other and i == j:
        return "self" if a == b else "twin"
    if k == other:
        return "within_modality"
    if i != j:
        return "negative"
    return "positive" if a[2:] == b[2:] else "positive_sibling"


THREE = hierarchy()
FOUR = hierarchy(VIEWS, INSTANCES, CLASSES, (2, "cross_superclass", "superclasses"))
VIEWED = towers_of_views(K, p)


def _grid(shape: Iterable[int]) -> list[Point]:
    return list(product(*map(range, shape)))


def _levels(*shape: int) -> Place:
    sizes = dict(zip("mnp", shape[-3:], strict=True))
    scheme = FOUR if len(shape) == 4 else THREE
    return Place(f"levels {shape}", scheme, sizes, _grid(shape), _nested)


def _modalities(*shape: int) -> Place:
    scheme = towers(2) if len(shape) == 2 else VIEWED
    sizes = {"N": shape[1]} if len(shape) == 2 else dict(zip("KNp", shape, strict=True))
    return Place(f"towers {shape}", scheme, sizes, _grid(shape), _towers)


PLACES = [
    *(_levels(*s) for s in ((3, 2, 2), (2, 3, 1), (2, 1, 3), (3, 1, 1), (2, 2, 2, 2))),
    *(_modalities(*s) for s in ((2, 4), (2, 3, 2), (3, 4, 1), (3, 2, 2))),
]
#: Classes of three sizes, with two views: points of several orbits.
GROUPS = [("a", 1, 2), ("b", 2, 3), ("c", 1, 4)]
ORBITS = Place(
    "orbits",
    groups_of_classes(GROUPS, 2),
    {},
    [
        (10 * g + c, i, v)
        for g, (_, classes, instances) in enumerate(GROUPS)
        for c, i, v in _grid((classes, instances, 2))
    ],
    _nested,
)


class _Masks(dict[str, Tensor]):
    def __init__(self, place: Place) -> None:
        self.place = place

    def __missing__(self, relation: str) -> Tensor:
        self[relation] = self.place.mask(relation)
        return self[relation]


def _number(e: Expr, values: Mapping[str, float]) -> float:
    return float(e.subs({s: values[s.name] for s in e.free_symbols}))


def _max(x: float, y: Tensor) -> Tensor:
    return torch.where(y > x, y, torch.full_like(y, x))


def loss_of_gram(
    loss: SoftmaxLoss | PairwiseLoss, place: Place, gram: Tensor, values: Mapping[str, float]
) -> Tensor:
    """The loss of one Gram matrix, differentiable by autograd."""
    values = {**place.sizes, **values}
    masks = _Masks(place)
    size = len(gram)
    total = torch.zeros((), dtype=torch.float64)
    if isinstance(loss, PairwiseLoss):
        for term in loss.terms:
            names = sorted(term.function.free_symbols - {c}, key=str)
            modules = [{"exp": torch.exp, "log": torch.log, "max": _max}]
            function = lambdify([c, *names], term.function, modules)
            entries = gram[masks[term.relation] > 0]
            found = function(entries, *(values[s.name] for s in names)) + 0 * entries
            total = total + _number(term.weight, values) * found.sum() / size
        return total
    logits = gram / _number(loss.temperature, values)
    for term in loss.terms:
        pairs = sum(masks[r] * _number(term.weight(r), values) for r in term.positives)
        share = pairs / pairs.sum(dim=1, keepdim=True)
        inside = sum(masks[r] * _number(term.in_denominator(r), values) for r in term.denominator)
        bottom = (logits.exp() * inside).sum(dim=1, keepdim=True)
        if term.own_positive:
            bottom = bottom + logits.exp()
        mean = (share * (bottom.log() - logits)).sum() / size
        total = total + _number(term.coefficient, values) * mean
    return total


def loss_of(
    loss: SoftmaxLoss | PairwiseLoss, place: Place, u: Tensor, values: Mapping[str, float]
) -> Tensor:
    """The loss of one set of embeddings ``(*shape, d)``."""
    rows = u.reshape(-1, u.shape[-1])
    return loss_of_gram(loss, place, rows @ rows.T, values)
