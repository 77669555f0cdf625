"""Embeddings optimised at one point, and everything that was derived of them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sympy import Expr, S

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.theorem.bounded import BOUND, bound_at
from ...derive.theorem.measure import LOSS, Entries, Face, Rank, Reading, product, share
from ...derive.theorem.number import as_float
from ...derive.theorem.result import Result
from ..problems.reduced import OCCUPIED
from ..search.optimiser import Optimum, StopCode, minimise
from .case import Case
from .checks import CLOSE_FLOAT32, Check
from .flat import flat_readings
from .readings import evaluate, is_readable, numbers_of, tolerance

# A direction with less of the trace than this is rounding; one that is there has far more.
_DIRECTION = 1e-9


class _Compared(NamedTuple):
    """A derived number, and for each seed what was measured and how close that has to be."""

    name: str
    predicted: float
    measured: npt.NDArray[np.float64]
    close: npt.NDArray[np.float64]
    readings: frozenset[str]  #: names of the readings behind it


def at_optimum(case: Case, point: Mapping[str, Any], wide: int) -> list[Check]:
    """Minimise the loss from every seed, and compare.

    ``wide`` is the dimension that all optima together need. Two more leave room to get there:
    where vectors leave a dimension unused, all that is stationary and not a saddle is optimal.
    On a circle, though, vectors can lock each other.
    """
    run, arrangement = case.run, case.arrangement
    where = case.where(point)
    run.tell(f"{case.result.id} at {where}")
    values = {k: float(exact(point[k])) for k in case.loss.parameters}
    predictions = case.predictions(point)
    predicted = {k: x for r in predictions for k, x in _predicted(r, case, point)}
    faces = [x for r in predictions for x in _faces(r, case, point)]
    ranks = {k: x for r in predictions for k, x in _ranks(r, case, point)}
    d = run.d or max(wide + 2, 3)
    found = minimise(
        case.problem,
        {**arrangement.sizes, **values},
        d=d,
        seeds=run.seeds,
        dtype=run.dtype,
        device=run.device,
    )
    numbers = numbers_of(arrangement, found.embeddings, found.loss)
    every = np.ones(len(run.seeds))
    compared = [
        _Compared(k, x, evaluate(e, numbers) * every, tolerance(e, numbers) * every, frozenset([k]))
        for k, (x, e) in predicted.items()
    ]
    shares = {share(e).name: share(e) for e in arrangement.table}
    for what, occupied in faces:
        signs = [(numbers[s] > OCCUPIED) * (1 if s in occupied else -1) for s in shares]
        seen = np.sum(signs, axis=0) * every
        compared.append(_Compared(what, len(occupied), seen, 0.5 * every, frozenset(shares)))
    singular = torch.linalg.svdvals(found.embeddings.double().flatten(1, -2))
    seen = (singular.square() > _DIRECTION * arrangement.size).sum(dim=-1).cpu().numpy()
    compared += [_Compared(k, x, seen, 0.5 * every, frozenset(shares)) for k, x in ranks.items()]
    readings = {k: e for k, (_, e) in predicted.items() if not e.has(LOSS)}
    readings |= shares if faces or ranks else {}
    optimum = case.loss.least(**values).kept[0]
    flat = flat_readings(case.loss, values, optimum, readings, run.dtype)
    checks = []
    for i, seed in enumerate(run.seeds):
        gap = float(found.certificate.gap[i])
        # Without end it was on its way, along a valley that need not be symmetric.
        is_on_its_way = found.stop[i] is StopCode.MAX_ITERATIONS and gap <= run.close_gap
        for one in compared:
            is_flat = bool((set(readings) if is_on_its_way else flat) & one.readings)
            close = float(one.close[i])
            checks.append(
                Check(
                    f"{one.name} (too flat to tell)" if is_flat else one.name,
                    f"{where}, seed {seed}",
                    one.predicted,
                    float(one.measured[i]),
                    close if run.dtype is torch.float64 else max(close, CLOSE_FLOAT32),
                    gap,
                    found.stop[i].value,
                    d >= max(wide, 3) and not is_flat,
                    run.close_gap,
                )
            )
    return [*checks, *_at_least(case, point, found, where)]


def _at_least(case: Case, point: Mapping[str, Any], found: Optimum, where: str) -> Iterator[Check]:
    """The best proved bound in the dimension that was given, against the best loss found there."""
    d, loss = case.run.d, case.problem.loss
    if d is None:
        return
    for r in case.predictions(point):
        if r.problem is None or r.problem.loss is not loss:
            continue
        with suppress(DomainError):
            bound = bound_at(r, **case.known(r, point), d=d)
            if bound is None:
                continue
            best = int(found.loss.argmin())
            yield Check(
                f"{BOUND} ({bound.which}, {bound.grade})",
                f"{where}, d={d}, best seed",
                as_float(bound.value),
                float(found.loss[best]),
                case.run.close_loss,
                stop=found.stop[best].value,
                is_bound=True,
            )
            return


def _predicted(
    r: Result, case: Case, point: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[float, Expr]]]:
    """Numbers that a result derives for the optimum there, by name, and what they are read from.

    Not all exist everywhere.
    """
    known = case.known(r, point)
    named = r.measures()
    # There are pairs of every relation that is read.
    counts = case.arrangement.counts
    readable = {LOSS.name, *(product(k).name for k, n in counts.items() if n)}
    for name, measure in named.items():
        if isinstance(measure, Entries):
            yield from _entries(name, measure, r, known)
        if not isinstance(measure, Reading):
            continue
        if r.quantity(name).limit_of is not None or not is_readable(measure.expression, readable):
            continue
        try:
            value = as_float(r.value(name, **known))
        except DomainError:
            continue
        if measure.through is not None:  # the quantity itself may be infinite
            (symbol,) = measure.through.variables
            value = float(evaluate(measure.through.expr, {symbol.name: np.float64(value)})[0])
        yield name, (value, measure.expression)
    # Inner products are derived without being quantities where all of the segment has them.
    for relation, inner in (r.segment().inner if r.segment is not None else {}).items():
        if counts[relation] and relation not in {*named, "self"} and inner == S.One:
            yield relation, (1.0, product(relation))


def _entries(
    name: str, measure: Entries, r: Result, known: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[float, Expr]]]:
    """The numbers of an array that are read from embeddings, those that are read alike once."""
    try:
        values = r.value(name, **known)
        assert isinstance(values, list)
    except DomainError:
        return
    seen: set[Expr] = set()
    for i, row in enumerate(measure.rows):
        for j, entry in enumerate(row):
            if entry.free_symbols and entry not in seen:
                seen.add(entry)
                yield f"{name}[{i + 1}][{j + 1}]", (as_float(values[i][j]), entry)


def _ranks(r: Result, case: Case, point: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, measure in r.measures().items():
        if isinstance(measure, Rank):
            yield name, as_float(r.value(name, **case.known(r, point)))


def _faces(r: Result, case: Case, point: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """What is said of occupied eigenspaces, and the shares they have."""
    for name, measure in r.measures().items():
        if isinstance(measure, Face):
            called = str(r.at(name, r.point(**case.known(r, point))))
            occupied = {share(e).name for e in measure.occupied(called)}
            yield f"{name} {called}: occupied eigenspaces", occupied
