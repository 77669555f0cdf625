"""Embeddings optimised at one point, and everything that was derived of them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sympy import Expr, S

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.theorem.measure import LOSS, Face, Rank, Reading, product, share
from ...derive.theorem.result import Result
from ..reduced import OCCUPIED
from ..search import StopCode, minimise
from .checks import CLOSE_FLOAT32, Check
from .flat import flat_readings
from .readings import is_readable, numbers_of, read, tolerance

if TYPE_CHECKING:
    from .of_loss import OfLoss

Array = npt.NDArray[np.float64]

# A direction with less of the trace than this is rounding; one that is there has far more.
_DIRECTION = 1e-9


class Predicted(NamedTuple):
    """A derived number, and what of embeddings it is compared with."""

    value: float
    of: Expr


def at_optimum(of: OfLoss, point: Mapping[str, Any], wide: int) -> list[Check]:
    """Minimise the loss from every seed, and compare.

    ``wide`` is the dimension that all optima together need. Two more leave room to get there:
    where vectors leave a dimension unused, all that is stationary and not a saddle is optimal.
    On a circle, though, vectors can lock each other.
    """
    run, arrangement = of.run, of.arrangement
    where = of.where(point)
    run.tell(f"{of.result.id} at {where}")
    sizes = {k: float(exact(v)) for k, v in of.sizes.items()}
    values = {k: float(exact(point[k])) for k in of.loss.parameters}
    predictions = of.predictions(point)
    predicted = dict(item for r in predictions for item in _predicted(r, of, point))
    faces = dict(item for r in predictions for item in _faces(r, of, point))
    ranks = dict(item for r in predictions for item in _ranks(r, of, point))
    d = run.d or max(wide + 2, 3)
    found = minimise(
        of.problem,
        {**arrangement.sizes, **values},
        d=d,
        seeds=run.seeds,
        dtype=run.dtype,
        device=run.device,
    )
    assert found.certificate is not None
    numbers = numbers_of(arrangement, found.embeddings, found.loss)
    readings = {k: p.of for k, p in predicted.items() if not p.of.has(LOSS)}
    shares = {share(e).name: share(e) for e in arrangement.table} if faces or ranks else {}
    readings |= shares
    optimum = of.loss.least(**values).kept[0]
    felt = flat_readings(of.problem, of.loss, values, optimum, readings, sizes, run.dtype)

    def too_flat(i: int) -> set[str]:
        assert found.certificate is not None
        certified = float(found.certificate.gap[i]) <= run.close_gap
        norm = float(found.gradient_norm[i])
        if found.stop[i] is StopCode.MAX_ITERATIONS:
            norm = float("inf")  # it was on its way, along a valley that need not be symmetric
        flat = felt.readings(norm if certified else 0.0)
        if shares.keys() & flat:
            flat |= {f"{k} {called}: occupied eigenspaces" for k, (called, _) in faces.items()}
            flat |= ranks.keys()
        return flat

    flat = [too_flat(i) for i in range(len(run.seeds))]
    covered = d >= max(wide, 3)
    double = run.dtype is torch.float64

    def check(i: int, name: str, value: float, measured: float, close: float) -> Check:
        assert found.certificate is not None
        return Check(
            f"{name} (too flat to tell)" if name in flat[i] else name,
            f"{where}, seed {run.seeds[i]}",
            value,
            measured,
            close if double else max(close, CLOSE_FLOAT32),
            float(found.certificate.gap[i]),
            found.stop[i].value,
            covered and name not in flat[i],
            run.close_gap,
        )

    measured = {k: read(p.of, numbers, sizes) for k, p in predicted.items()}
    close = {k: tolerance(p.of, numbers, sizes) for k, p in predicted.items()}
    checks = []
    for i in range(len(run.seeds)):
        for name, one in predicted.items():
            checks.append(
                check(i, name, one.value, float(measured[name][i]), float(close[name][i]))
            )
        if ranks:
            singular = torch.linalg.svdvals(found.embeddings[i].double().flatten(0, -2))
            seen = float((singular.square() > _DIRECTION * arrangement.size).sum())
            checks += [check(i, name, rank, seen, 0.5) for name, rank in ranks.items()]
        for name, (called, occupied) in faces.items():
            count, seen = _compared(occupied, {k: float(x[i]) for k, x in numbers.items()})
            checks.append(check(i, f"{name} {called}: occupied eigenspaces", count, seen, 0.5))
    return checks


def _predicted(r: Result, of: OfLoss, point: Mapping[str, Any]) -> Iterator[tuple[str, Predicted]]:
    """Numbers that a result derives for the optimum there, by name; not all exist everywhere."""
    known = _known(r, of, point)
    for name, measure in r.measures().items():
        if not isinstance(measure, Reading) or measure.last:
            continue
        if r.quantity(name).limit_of is not None or not _is_there(measure.of, of):
            continue
        try:
            value = float(r.value(name, **known))
        except DomainError:
            continue
        if measure.through is not None:
            value = float(np.float64(1.0) * _through(measure, value))
        yield name, Predicted(value, measure.of)
    yield from _constant(r, of)


def _ranks(r: Result, of: OfLoss, point: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, measure in r.measures().items():
        if isinstance(measure, Rank):
            yield name, float(r.value(name, **_known(r, of, point)))


def _constant(r: Result, of: OfLoss) -> Iterator[tuple[str, Predicted]]:
    """Inner products that are derived without being quantities: the same all along the segment."""
    if r.segment is None:
        return
    segment, named = r.segment(), r.measures()
    for relation, inner in segment.inner.items():
        there = of.arrangement.counts[relation] > 0 and relation not in named
        if there and inner == S.One and relation != "self":
            yield relation, Predicted(1.0, product(relation))


def _faces(
    r: Result, of: OfLoss, point: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    known = _known(r, of, point)
    for name, measure in r.measures().items():
        if isinstance(measure, Face):
            called = str(r.at(name, r.point(**known)))
            yield name, (called, measure.occupied(called))


def _known(r: Result, of: OfLoss, point: Mapping[str, Any]) -> dict[str, Any]:
    names = {s.name for s in r.parameters}
    return {k: v for k, v in {**of.sizes, **point}.items() if k in names}


def _is_there(reading: Expr, of: OfLoss) -> bool:
    """Whether there are pairs of every relation that is read."""
    there = {product(r).name: 0 for r, count in of.arrangement.counts.items() if count}
    return is_readable(reading, {**there, LOSS.name: 0})


def _through(reading: Reading, value: float) -> float:
    """What is compared where the quantity itself may be infinite."""
    assert reading.through is not None
    symbol = reading.through.variables[0]
    return float(read(reading.through.expr, {}, {symbol.name: np.float64(value)})[0])


def _compared(occupied: tuple[str, ...], numbers: Mapping[str, float]) -> tuple[float, float]:
    """How many eigenspaces are to have a share, and how many of them do, less all others."""
    seen = {name for name, x in numbers.items() if name.startswith("s_") and x > OCCUPIED}
    wanted = {share(e).name for e in occupied}
    return float(len(wanted)), float(len(seen & wanted) - len(seen - wanted))
