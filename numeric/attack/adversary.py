"""The attack: many starts on every size, climbed in float64, the best confirmed at 50 digits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import product
from math import exp, inf, isfinite
from pathlib import Path
from time import monotonic
from typing import Any

import mpmath
import torch
from torch import Tensor

from ...derive.results import results
from ...derive.theorem.bounds import About
from ...derive.theorem.result import Result
from ..running.device import resolve_device, threads_for
from ..running.progress import Progress, unheard
from ..running.table import Layout, Row, Table, key, lacking
from ..running.workers import Workers
from .optimise import climb
from .replay import DIGITS, Sides, Undetermined, replay
from .spaces import KINDS, Space, space
from .stored import BadRecord, Record, load
from .target import NoTarget, Target

#: Vectors of a configuration, and dimensions, that are tried.
SIZES, DIMENSIONS = (3, 4, 6, 10), (1, 2, 3, 8)
#: Starts of a size and a seed, and steps of each.
STARTS, ADAM, STEPS = 48, 40, 150
#: Of one size, of each sort: configurations that are looked at with many digits.
CONFIRMED = 5
#: By how much, relatively, a ratio has to be larger to be better.
BETTER = 1e-12
#: What tells a visit (of one size, from one seed) from others, and what all of an attack share.
TOLD, SHARED = ("quantity", "given", "seed", "n", "d"), ("result", "tau", "starts", "steps")
#: A table of visits: the largest ratio, the record that has it, and that of a violation.
COLUMNS: Layout = {
    **dict.fromkeys((*SHARED, *TOLD), int),
    **dict.fromkeys(("result", "tau", "quantity", "given"), str),
    **{"ratio": float, "tried": int},
    **dict.fromkeys(("dtype", "device", "record", "broken"), str),
}


#: A visit: what of a row is in ``TOLD``.
Cell = dict[str, Any]


@dataclass(frozen=True)
class Attack:
    """How far an attack on a bound came.

    Attributes
    ----------
    target
        The bound.
    record
        The configuration with the largest ratio, replayable; None if none has both sides.
    sides
        Both sides there, at 50 digits.
    sizes
        The largest ratio of each (n, d) that was tried, at 50 digits.
    violated
        The sizes at which the bound is violated, smallest first.
    smallest
        A violation of the smallest of them, in few digits if some do; None if there is none.
    ended
        ``finished`` or ``interrupted``.
    seeds, starts, dtype, device, seconds
        What was done.
    """

    target: Target
    record: Record | None = None
    sides: Sides | None = None
    sizes: dict[tuple[int, int], float] = field(default_factory=dict)
    violated: tuple[tuple[int, int], ...] = ()
    smallest: Record | None = None
    ended: str = "finished"
    seeds: tuple[int, ...] = ()
    starts: int = 0
    dtype: str = "float64"
    device: str = "cpu"
    seconds: float = 0.0

    @property
    def ratio(self) -> float:
        """The largest ratio reached: above 1 is a violation."""
        if self.sides is None or self.sides.ratio is None:
            return 0.0
        return float(self.sides.ratio)

    @property
    def is_violated(self) -> bool:
        """Whether the bound is violated, beyond rounding at 50 digits."""
        return bool(self.violated)


def attack(
    result: str | Result,
    quantity: str,
    *,
    seeds: Sequence[int] = (0, 1),
    n: Sequence[int] = SIZES,
    d: Sequence[int] = DIMENSIONS,
    tau: Sequence[float] | str = "free",
    starts: int = STARTS,
    steps: int = STEPS,
    device: str | torch.device = "auto",
    progress: Progress = unheard,
    tell: Callable[[str], None] | None = None,
    constants: Mapping[str, object] | None = None,
    table: Path | None = None,
    workers: Workers = Workers(),
) -> Attack:
    """Look for the configuration that comes closest to breaking a bound, or breaks it.

    Parameters
    ----------
    result, quantity
        A result or its id, and the name of one of its bounds.
    seeds
        Of the random starts.
    n, d
        Numbers of vectors and dimensions; all pairs of them are tried.
    tau
        Temperatures, or ``"free"``: then it is searched as well.
    starts, steps
        Starts of each seed and size, and steps of each.
    device
        ``"auto"`` is CUDA where there is one.
    progress, tell
        Called after each size with numbers done and to do; and with a line on how far it came.
    constants
        Values of numbers in the bound that are no readings, such as ``{"c": "1/2"}``.
    table
        A CSV file that sizes are appended to as they are finished, and not attacked again if they
        are there; it may have several bounds of a result.
    workers
        The processes that sizes are attacked in.

    Returns
    -------
    Attack
        Also after an interruption: what was found until then.

    Raises
    ------
    NoTarget
        If there is nothing to attack; one line.
    BadRecord, TableError
        If the table has something else; one line.
    WorkersError
        If there are no such workers; one line.
    """
    found = results[result] if isinstance(result, str) else result
    target = Target.from_result(found, quantity, constants)
    taus = () if isinstance(tau, str) else tuple(float(t) for t in tau)
    where = resolve_device(device)
    about: Cell = {
        "quantity": quantity,
        "given": ",".join(f"{s}={v}" for s, v in target.constants.items()),
    }
    sizes = [size_of(searched) for searched in spaces_of(target, n, d, taus)]
    grid: list[Cell] = [{**about, "seed": seed, "n": n, "d": d} for seed in seeds for n, d in sizes]
    spelled = ",".join(map(repr, taus)) or "free"
    shared: Cell = dict(zip(SHARED, (found.id, spelled, starts, steps), strict=True))
    kept = None if table is None else Table(table, {**shared, "dtype": "float64"}, COLUMNS)
    begun, ended, largest = monotonic(), "finished", 0.0
    rows: list[Row] = []
    with nullcontext() if kept is None else kept.alone():
        wanted = {key(cell, TOLD) for cell in grid}
        rows += [row for row in (kept.rows if kept else ()) if key(row, TOLD) in wanted]
        todo = lacking(grid, rows)
        visits = workers.each(_Visits(target, taus, starts, steps, where), todo)
        try:
            with closing(visits):
                for done, (_, row) in enumerate(visits, 1):
                    rows.append(row)
                    largest = max(largest, float(row["ratio"]))
                    if kept is not None:
                        kept.append([row])
                    if tell is not None:
                        tell(f"largest ratio {largest:.6g}")
                    progress(done, len(todo))
        except KeyboardInterrupt:
            ended = "interrupted"
    place = {key(cell, TOLD): k for k, cell in enumerate(grid)}
    rows.sort(key=lambda row: place[key(row, TOLD)])
    by_size = {size: [row for row in rows if (row["n"], row["d"]) == size] for size in sizes}
    broken = {size: _best(target, some, "broken") for size, some in by_size.items()}
    violated = sorted((size for size in sizes if broken[size]), key=lambda s: (sum(s), s))
    best = _best(target, rows, "record")
    least = broken[violated[0]] if violated else None
    return Attack(
        target,
        best and best[0],
        best and best[1],
        {s: max(float(row["ratio"]) for row in some) for s, some in by_size.items() if some},
        tuple(violated),
        least and smallest(target, least[0]),
        ended,
        tuple(seeds),
        sum(int(row["tried"]) for row in rows),
        "float64",
        str(where),
        monotonic() - begun,
    )


def _best(target: Target, rows: Iterable[Row], column: str) -> tuple[Record, Sides] | None:
    """The record with the largest ratio in a column, the first of equal ones; and its sides."""
    best, largest = None, -1.0
    for text in (str(row[column]) for row in rows):
        for record in load(text) if text else ():
            try:
                ratio = float(record.ratio)
            except ValueError:
                ratio = inf  # which it is not: refused below
            if ratio > largest * (1 + BETTER):
                best, largest = record, ratio
    if best is None:
        return None
    sides = replay(target, best)  # what a table says may be of another version, or by hand
    is_so = sides.ratio is not None and mpmath.nstr(sides.ratio, DIGITS) == best.ratio
    if not is_so or (column == "broken" and not sides.is_violated):
        raise BadRecord(
            f"the ratio {best.ratio[:20]} of {target.name} in the table is not that of its "
            "configuration: choose another table"
        )
    return best, sides


def spaces_of(
    target: Target, n: Sequence[int], d: Sequence[int], taus: tuple[float, ...] = ()
) -> list[Space]:
    """Configurations of these sizes that a bound is about.

    Raises
    ------
    NoTarget
        If there are none; one line.
    """
    every = [space(target.about, k, dim, taus) for k, dim in product(sorted(n), sorted(d))]
    # Logits have no dimension, so that sizes differ in n only.
    found = list({tuple(s.shapes.items()): s for s in every if s is not None}.values())
    if not found:
        least = {About.BATCH: "n even, 4 or more", About.VECTORS: "n of 2 or more"}
        raise NoTarget(
            f"{target.name}: no size among those given is one of {target.about.value} "
            f"({least.get(target.about, 'n of 3 or more')})"
        )
    return found


@dataclass(frozen=True)
class _Visits:
    """Visits sizes: what a process is sent."""

    target: Target
    taus: tuple[float, ...]
    starts: int
    steps: int
    device: torch.device

    def __call__(self, cell: Cell) -> Row:
        """The row of a visit."""
        searched = space(self.target.about, cell["n"], cell["d"], self.taus)
        assert searched is not None
        search = _Search(self.target, self.device, self.starts, self.steps)
        with threads_for(10, 10):
            search.visit(cell["seed"], searched)
        return {
            **cell,
            "ratio": 0.0 if search.best is None else _ratio(search.best[1]),
            "tried": search.starts_done,
            "device": str(self.device),
            "record": _written(search.best),
            "broken": _written(search.broken),
        }


def _written(found: tuple[Record, Sides] | None) -> str:
    return "" if found is None else json.dumps(found[0].as_json(), separators=(",", ":"))


@dataclass
class _Search:
    """What one visit found."""

    target: Target
    device: torch.device
    starts: int
    steps: int
    best: tuple[Record, Sides] | None = None
    broken: tuple[Record, Sides] | None = None
    starts_done: int = 0

    def visit(self, seed: int, searched: Space) -> None:
        """Attack configurations of one size."""

        def objective(x: Tensor) -> Tensor:
            return self.target.score(*searched.unpack(x))

        generator = torch.Generator().manual_seed(seed)
        fixed, names = searched.structured()
        with torch.no_grad():
            fixed_values = objective(fixed.to(self.device)).cpu()
        x, how = self._starts(searched, fixed, fixed_values, names, generator)
        adam = min(ADAM, self.steps)
        best, values = climb(objective, x.to(self.device), adam=adam, iterations=self.steps)
        again, origin = self._again(values.cpu(), best.cpu(), generator)
        last, polished = climb(objective, again.to(self.device), adam=0, iterations=self.steps)
        self.starts_done += len(fixed) + len(x) + len(again)
        fixed_ones = list(zip(fixed_values.tolist(), fixed, names, strict=True))
        climbed_ones = [
            (value, row, f"optimised from {name}")
            for value, row, name in zip(values.tolist(), best.cpu(), how, strict=True)
        ]
        polished_ones = [
            (value, row, f"optimised from {how[k]}, moved and optimised again")
            for value, row, k in zip(polished.tolist(), last.cpu(), origin, strict=True)
        ]
        for some in (fixed_ones, climbed_ones, polished_ones):
            self._confirm(searched, seed, some)

    def _starts(
        self,
        searched: Space,
        fixed: Tensor,
        values: Tensor,
        names: list[str],
        generator: torch.Generator,
    ) -> tuple[Tensor, list[str]]:
        """A third the best structured ones, a third others, moved a little, a third random."""
        third = max(self.starts // 3, 1)
        best = torch.argsort(values, descending=True, stable=True)[:third]
        others = torch.randperm(len(fixed), generator=generator)[:third]
        chosen = torch.cat([best, others])
        noise = torch.randn(len(chosen), fixed.shape[1], generator=generator, dtype=fixed.dtype)
        size = 10.0 ** -(2 * torch.rand(len(chosen), 1, generator=generator, dtype=fixed.dtype))
        moved = fixed[chosen] + size * noise * _movable(searched, fixed)
        random = searched.random(max(self.starts - len(chosen), 1), generator)
        how = [names[int(k)] for k in chosen] + ["random vectors"] * len(random)
        return torch.cat([moved, random]), how

    def _again(
        self, values: Tensor, x: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, list[int]]:
        """The best quarter, moved by as little as a kink may hold a climb."""
        order = torch.argsort(values, descending=True, stable=True)[: max(self.starts // 4, 1)]
        noise = torch.randn(len(order), x.shape[1], generator=generator, dtype=x.dtype)
        size = 10.0 ** -(1 + 3 * torch.rand(len(order), 1, generator=generator, dtype=x.dtype))
        moved = x[order] + size * noise
        return moved, [int(k) for k in order]

    def _confirm(
        self, searched: Space, seed: int, candidates: list[tuple[float, Tensor, str]]
    ) -> None:
        """Look at the best with many digits; a rounded ratio that was too large is passed over."""
        best = 0.0 if self.best is None else _ratio(self.best[1])
        looked_at = 0
        # Sorted by value only; equal ones as they come.
        for value, row, how in sorted(candidates, key=lambda c: -round(c[0], 9)):
            if not isfinite(value) or looked_at >= CONFIRMED:
                break
            if best >= exp(min(value, 700.0)) * (1 - 1e-9):
                break
            looked_at += 1
            record = self._record(searched, seed, row, how)
            try:
                sides = replay(self.target, record)
            except Undetermined:
                continue
            if sides.ratio is None or not self._counts(sides):
                continue
            record = replace(record, ratio=mpmath.nstr(sides.ratio, DIGITS))
            best = max(best, _ratio(sides))
            if sides.is_violated and _is_better(sides, self.broken):
                self.broken = record, sides
            if _is_better(sides, self.best):
                self.best = record, sides

    def _counts(self, sides: Sides) -> bool:
        """Whether the configuration meets the hypotheses: else a ratio above 1 says nothing."""
        assert sides.ratio is not None
        return sides.is_violated or sides.ratio <= 1 + MARGIN_OF_EQUALITY

    def _record(self, searched: Space, seed: int, row: Tensor, how: str) -> Record:
        vectors, tau = searched.unpack(row[None])
        return Record(
            self.target.id,
            self.target.name,
            self.target.about,
            {name: _texts(value[0].tolist()) for name, value in vectors.items()},
            None if tau is None else repr(float(tau[0])),
            seed=seed,
            how=how,
            constants={s.name: str(v) for s, v in self.target.constants.items()},
        )


def smallest(target: Target, known: Record) -> Record:
    """A violation, written as short as it may be to stay one."""
    for short in sorted(
        [*_rounded(known), known], key=lambda r: _digits(r.vectors) + len(r.tau or "")
    ):
        try:
            sides = replay(target, short)
        except (Undetermined, BadRecord, ValueError, ZeroDivisionError):
            continue
        if sides.is_violated and sides.ratio is not None:
            return replace(short, ratio=mpmath.nstr(sides.ratio, DIGITS))
    return known


MARGIN_OF_EQUALITY = mpmath.mpf(10) ** -30


def size_of(searched: Space) -> tuple[int, int]:
    """Vectors of a configuration, and their dimension; logits have none."""
    kind = KINDS[searched.about]
    shape = searched.shapes[kind.largest]
    count, d = shape[-2:] if len(shape) > 1 else (shape[0], 0)
    return count + kind.others, d


def _movable(searched: Space, rows: Tensor) -> Tensor:
    """1 for what may be moved: all but the number of a temperature that was given."""
    found = torch.ones(rows.shape[1], dtype=rows.dtype)
    if searched.has_tau and searched.taus:
        found[-1] = 0
    return found


def _ratio(sides: Sides) -> float:
    return 0.0 if sides.ratio is None else float(sides.ratio)


def _is_better(sides: Sides, than: tuple[Record, Sides] | None) -> bool:
    if than is None or than[1].ratio is None:
        return True
    assert sides.ratio is not None
    return bool(sides.ratio > than[1].ratio * (1 + BETTER))


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(part) for part in value]
    return repr(float(value)) if value else "0"


def _rounded(record: Record) -> Iterator[Record]:
    """The record with numbers of few decimal places, at temperatures of few digits."""
    taus: dict[str | None, None] = {None: None}
    if record.tau is not None:
        near = (f"{float(record.tau):.{k}g}" for k in (1, 2, 3))
        taus = dict.fromkeys(("1", "0.5", "0.1", *near))
    for places in range(4):

        def cut(value: Any, places: int = places) -> Any:
            if isinstance(value, list):
                return [cut(part) for part in value]
            text = f"{float(value):.{places}f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            return "0" if text == "-0" else text

        vectors = {name: cut(value) for name, value in record.vectors.items()}
        for tau in taus:
            yield replace(record, vectors=vectors, tau=tau, how=f"{record.how}, rounded")


def _digits(value: Any) -> int:
    """How long the numbers are to write."""
    if isinstance(value, str):
        return len(value)
    parts = value.values() if hasattr(value, "values") else value
    return sum(map(_digits, parts))
