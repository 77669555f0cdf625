"""Checks of results without a loss: vectors written down, and identities of any vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from sympy import Expr, Symbol
from torch import Tensor

from ...derive.decide.exact import exact
from ...derive.decide.limits.limit import joint_limit
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.measure import AtMost, Rank, Reading
from ...derive.theorem.result import Result
from ..certificate import certify
from ..embeddings import random_embeddings, structured_embeddings
from ..measure import spreads
from .checks import CLOSE_EXPLICIT, Check, Run
from .points import along_range
from .readings import is_readable, numbers_of, read

# Singular values of explicit vectors below this are rounding.
_SINGULAR = 1e-6


def checks(
    result: Result,
    arrangement: Arrangement,
    sizes: Mapping[str, Any],
    given: Mapping[str, Any],
    run: Run,
) -> list[Check]:
    """Structures along a segment, if the result has one, and else random vectors."""
    if result.position is not None:
        return list(_structures(result, arrangement, sizes, given, run))
    return list(_identities(result, arrangement, given, run))


# --- structures -------------------------------------------------------------------------------
def _structures(
    result: Result,
    arrangement: Arrangement,
    sizes: Mapping[str, Any],
    given: Mapping[str, Any],
    run: Run,
) -> Iterator[Check]:
    assert result.segment is not None and result.position is not None
    segment = result.segment()
    position = result.position(segment)
    at = {s: exact(sizes[s.name]) for s in result.domain.ranges if s.name in sizes}
    (free,) = (s for s in result.domain.ranges if s not in at)
    chosen = along_range(free, result.domain, at)
    for value in [exact(given[free.name])] if free.name in given else chosen:
        point = {**at, free: value}
        x = joint_limit(position, point, result.domain)
        inner = {r: float(e.xreplace({segment.x: x, **at})) for r, e in segment.inner.items()}
        where = ", ".join([*(f"{k}={v}" for k, v in sizes.items()), f"{free}={value}"])
        u = structured_embeddings(arrangement, inner, run.d)
        yield from _compared(result, arrangement, point, u, where)


def _compared(
    result: Result, arrangement: Arrangement, point: Mapping[Symbol, Expr], u: Tensor, where: str
) -> Iterator[Check]:
    numbers = numbers_of(arrangement, u[None])
    values = {s.name: v for s, v in point.items() if s in result.parameters}
    sizes = {s.name: float(v) for s, v in point.items()}
    for name, measure in result.measures().items():
        limit = result.quantity(name).limit_of
        if limit is not None and point[limit[1]] != limit[2]:
            continue
        if isinstance(measure, Rank):
            singular = torch.linalg.svdvals(u.flatten(0, -2))
            measured = float((singular > _SINGULAR).sum())
        elif isinstance(measure, Reading) and is_readable(measure.of, numbers):
            measured = float(read(measure.of, numbers, sizes)[0])
        else:
            continue
        known = {k: v for k, v in values.items() if limit is None or k != limit[1].name}
        predicted = float(result.value(name, **known))
        yield Check(name, where, predicted, measured, CLOSE_EXPLICIT)
        if isinstance(measure, Reading) and measure.least_of is not None:
            problem = Problem(measure.least_of, arrangement.scheme, result.domain)
            excess = float(certify(problem, u, {}).gap)
            what = f"least mean {name}: certified excess"
            yield Check(what, where, 0.0, excess, CLOSE_EXPLICIT)
    for relation, spread in spreads(arrangement, u).items():
        if relation != "self":
            what = f"{relation}: largest deviation"
            yield Check(what, where, 0.0, float(spread), CLOSE_EXPLICIT)


# --- identities -------------------------------------------------------------------------------
def _identities(
    result: Result, arrangement: Arrangement, given: Mapping[str, Any], run: Run
) -> Iterator[Check]:
    """Expressions in mean inner products, against the same read off another way."""
    lengths = [s.name for s in result.parameters if s.name not in arrangement.sizes]
    length = {k: float(exact(given.get(k, 1))) for k in lengths}
    scale = next(iter(length.values()), 1.0)
    sizes = {**arrangement.sizes, **length}
    for seed in run.seeds:
        u = scale * random_embeddings(arrangement, [seed], d=run.d or arrangement.size)
        numbers = numbers_of(arrangement, u)
        close = CLOSE_EXPLICIT * max(1.0, scale**2)
        for name, measure in result.measures().items():
            expression = result.quantity(name).expression
            if isinstance(measure, AtMost):
                bound = float(read(expression, numbers, sizes)[0])
                other = result.measures()[measure.quantity]
                assert isinstance(other, Reading)
                measured = float(read(other.of, numbers, sizes)[0])
                what = f"{measure.quantity} <= {bound:g}"
                yield Check(what, f"seed {seed}", min(bound, measured), measured, close)
            elif isinstance(measure, Reading):
                predicted = float(read(expression, numbers, sizes)[0])
                measured = float(read(measure.of, numbers, sizes)[0])
                where = f"random embeddings, seed {seed}"
                yield Check(name, where, predicted, measured, close)
