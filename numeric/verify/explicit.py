"""Checks of results without a loss: vectors written down, and identities of any vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from sympy import Expr, Symbol
from torch import Tensor

from ...derive.decide.exact import exact
from ...derive.decide.limits.limit import joint_limit
from ...derive.problems.problem import Problem
from ...derive.theorem.measure import AtMost, Rank, Reading
from ...derive.theorem.number import as_float
from ..problems.embeddings import random_embeddings, structured_embeddings
from ..problems.measure import spreads
from ..search.certificate import certify
from .case import Case
from .checks import CLOSE_EXPLICIT, Check
from .points import along_range
from .readings import evaluate, is_readable, numbers_of

# Singular values of explicit vectors below this are rounding.
_SINGULAR = 1e-6


def checks(case: Case) -> Iterator[Check]:
    """Structures along a segment, if the result has one, and else random vectors."""
    result = case.result
    if result.placed_at is None:
        yield from _identities(case)
        return
    assert result.segment is not None
    segment = result.segment()
    position = result.placed_at(segment)
    at = {s: exact(case.sizes[s.name]) for s in result.domain.ranges if s.name in case.sizes}
    (free,) = (s for s in result.domain.ranges if s not in at)
    chosen = along_range(free, result.domain, at)
    for value in [exact(case.fixed[free.name])] if free.name in case.fixed else chosen:
        point = {**at, free: value}
        x = joint_limit(position, point, result.domain)
        inner = {r: float(e.xreplace({segment.x: x, **at})) for r, e in segment.inner.items()}
        where = ", ".join(f"{k}={v}" for k, v in {**case.sizes, free: value}.items())
        u = structured_embeddings(case.arrangement, inner, case.run.d)
        for what, predicted, measured in _compared(case, point, u):
            yield Check(what, where, predicted, measured, CLOSE_EXPLICIT)


def _compared(
    case: Case, point: Mapping[Symbol, Expr], u: Tensor
) -> Iterator[tuple[str, float, float]]:
    """What is derived of a structure, and what its vectors have."""
    result = case.result
    numbers = numbers_of(case.arrangement, u[None]) | {s.name: float(v) for s, v in point.items()}
    values = {s.name: v for s, v in point.items() if s in result.parameters}
    for name, measure in result.measures().items():
        limit = result.quantity(name).limit_of
        if limit is not None and point[limit[1]] != limit[2]:
            continue
        if isinstance(measure, Rank):
            singular = torch.linalg.svdvals(u.flatten(0, -2))
            measured = float((singular > _SINGULAR).sum())
        elif isinstance(measure, Reading) and is_readable(measure.expression, numbers):
            measured = float(evaluate(measure.expression, numbers)[0])
        else:
            continue
        known = {k: v for k, v in values.items() if limit is None or k != limit[1].name}
        yield name, as_float(result.value(name, **known)), measured
        if isinstance(measure, Reading) and measure.least_of is not None:
            problem = Problem(measure.least_of, case.arrangement.scheme, result.domain)
            excess = float(certify(problem, u, {}).gap)
            yield f"least mean {name}: certified excess", 0.0, excess
    for relation, spread in spreads(case.arrangement, u).items():
        if relation != "self":
            yield f"{relation}: largest deviation", 0.0, float(spread)


def _identities(case: Case) -> Iterator[Check]:
    """Expressions in mean inner products, against the same read off another way."""
    result, arrangement = case.result, case.arrangement
    lengths = [s.name for s in result.parameters if s.name not in arrangement.sizes]
    length = {k: float(exact(case.fixed.get(k, 1))) for k in lengths}
    scale = next(iter(length.values()), 1.0)
    close = CLOSE_EXPLICIT * max(1.0, scale**2)
    measures = result.measures()
    for seed in case.run.seeds:
        u = scale * random_embeddings(arrangement, [seed], d=case.run.d or arrangement.size)
        numbers = numbers_of(arrangement, u) | length
        for name, measure in measures.items():
            predicted = float(evaluate(result.quantity(name).expression, numbers)[0])
            if isinstance(measure, AtMost):
                other = measures[measure.quantity]
                assert isinstance(other, Reading)
                measured = float(evaluate(other.expression, numbers)[0])
                what, where = f"{measure.quantity} <= {predicted:g}", f"seed {seed}"
                predicted = min(predicted, measured)
            else:
                assert isinstance(measure, Reading)
                what, where = name, f"random embeddings, seed {seed}"
                measured = float(evaluate(measure.expression, numbers)[0])
            yield Check(what, where, predicted, measured, close)
