"""The attack: many starts on every size, climbed in float64, the best confirmed at 50 digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import exp, isfinite
from time import monotonic
from typing import Any

import mpmath
import torch
from torch import Tensor

from ...derive.results import results
from ...derive.theorem.bounds import About
from ...derive.theorem.result import Result
from ..running.device import resolve_device, threads_for
from ..running.progress import Report, reporting
from .optimise import climb
from .replay import DIGITS, Sides, Undetermined, replay
from .spaces import KINDS, Space, space
from .stored import BadRecord, Record
from .target import NoTarget, Target

#: Vectors of a configuration, and dimensions, that are tried.
SIZES, DIMENSIONS = (3, 4, 6, 10), (1, 2, 3, 8)
#: Starts of a size and a seed, and steps of each.
STARTS, ADAM, STEPS = 48, 40, 150
#: Of one size, of each sort: configurations that are looked at with many digits.
CONFIRMED = 5
#: By how much, relatively, a ratio has to be larger to be better.
BETTER = 1e-12


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
        ``finished``, ``budget`` or ``interrupted``.
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
    budget: float | None = None,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
    tell: Callable[[str], None] | None = None,
    given: Mapping[str, object] | None = None,
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
    budget
        Seconds, shared among the sizes; what is not done by then is left out.
    device
        ``"auto"`` is CUDA where there is one.
    progress, tell
        Called after each size with numbers done and to do; and with a line on how far it came.
    given
        Values of numbers in the bound that are no readings, such as ``{"c": "1/2"}``.

    Returns
    -------
    Attack
        Also after an interruption: what was found until then.

    Raises
    ------
    NoTarget
        If there is nothing to attack; one line.
    """
    found = results[result] if isinstance(result, str) else result
    target = Target.of(found, quantity, given)
    taus = () if isinstance(tau, str) else tuple(float(t) for t in tau)
    where = resolve_device(device)
    todo = [(seed, there) for seed in seeds for there in spaces_of(target, n, d, taus)]
    begun = monotonic()
    search = _Search(target, where, starts, steps)
    ended = "finished"
    try:
        with reporting(progress, len(todo), "size") as advance, threads_for(10, 10):
            for k, (seed, there) in enumerate(todo):
                left = None if budget is None else begun + budget - monotonic()
                if left is not None and left <= 0 and k:
                    ended = "budget"
                    break
                until = None if left is None else monotonic() + left / (len(todo) - k)
                if search.visit(seed, there, until):
                    ended = "budget"
                if tell is not None:
                    tell(f"largest ratio {search.best_ratio:.6g}")
                advance(1)
    except KeyboardInterrupt:
        ended = "interrupted"
    return Attack(
        target,
        search.best[0] if search.best else None,
        search.best[1] if search.best else None,
        search.sizes,
        tuple(sorted(search.breaks, key=lambda size: (sum(size), size))),
        search.smallest(),
        ended,
        tuple(seeds),
        search.starts_done,
        "float64",
        str(where),
        monotonic() - begun,
    )


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


@dataclass
class _Search:
    """What was found so far."""

    target: Target
    device: torch.device
    starts: int
    steps: int
    sizes: dict[tuple[int, int], float] = field(default_factory=dict)
    best: tuple[Record, Sides] | None = None
    breaks: dict[tuple[int, int], tuple[Record, Sides]] = field(default_factory=dict)
    starts_done: int = 0

    @property
    def best_ratio(self) -> float:
        return 0.0 if self.best is None else _ratio(self.best[1])

    def visit(self, seed: int, there: Space, until: float | None) -> bool:
        """Attack configurations of one size; whether time ended it."""

        def objective(x: Tensor) -> Tensor:
            return self.target.score(*there.unpack(x))

        def stop() -> str:
            return "budget" if until is not None and monotonic() > until else ""

        generator = torch.Generator().manual_seed(seed)
        fixed, names = there.structured()
        with torch.no_grad():
            fixed_values = objective(fixed.to(self.device)).cpu()
        x, how = self._starts(there, fixed, fixed_values, names, generator)
        adam = min(ADAM, self.steps)
        climbed = climb(objective, x.to(self.device), adam=adam, iterations=self.steps, stop=stop)
        again, origin = self._again(climbed.value.cpu(), climbed.x.cpu(), generator)
        polished = climb(objective, again.to(self.device), adam=0, iterations=self.steps, stop=stop)
        self.starts_done += len(fixed) + len(x) + len(again)
        fixed_ones = list(zip(fixed_values.tolist(), fixed, names, strict=True))
        climbed_ones = [
            (value, row, f"optimised from {name}")
            for value, row, name in zip(climbed.value.tolist(), climbed.x.cpu(), how, strict=True)
        ]
        polished_ones = [
            (value, row, f"optimised from {how[k]}, moved and optimised again")
            for value, row, k in zip(polished.value.tolist(), polished.x.cpu(), origin, strict=True)
        ]
        for some in (fixed_ones, climbed_ones, polished_ones):
            self._confirm(there, seed, some)
        return "budget" in (climbed.ended, polished.ended)

    def _starts(
        self,
        there: Space,
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
        moved = fixed[chosen] + size * noise * _movable(there, fixed)
        random = there.random(max(self.starts - len(chosen), 1), generator)
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
        self, there: Space, seed: int, candidates: list[tuple[float, Tensor, str]]
    ) -> None:
        """Look at the best with many digits; a rounded ratio that was too large is passed over."""
        where = size_of(there)
        best = self.sizes.get(where, 0.0)
        looked_at = 0
        # Sorted by value only; equal ones as they come.
        for value, row, how in sorted(candidates, key=lambda c: -round(c[0], 9)):
            if not isfinite(value) or looked_at >= CONFIRMED:
                break
            if best >= exp(min(value, 700.0)) * (1 - 1e-9):
                break
            looked_at += 1
            record = self._record(there, seed, row, how)
            try:
                sides = replay(self.target, record)
            except Undetermined:
                continue
            if sides.ratio is None or not self._counts(sides):
                continue
            record = replace(record, ratio=mpmath.nstr(sides.ratio, DIGITS))
            best = max(best, _ratio(sides))
            if sides.is_violated and _is_better(sides, self.breaks.get(where)):
                self.breaks[where] = record, sides
            if _is_better(sides, self.best):
                self.best = record, sides
        self.sizes[where] = best

    def _counts(self, sides: Sides) -> bool:
        """Whether the configuration meets the hypotheses: else a ratio above 1 says nothing."""
        assert sides.ratio is not None
        return sides.is_violated or sides.ratio <= 1 + MARGIN_OF_EQUALITY

    def _record(self, there: Space, seed: int, row: Tensor, how: str) -> Record:
        vectors, tau = there.unpack(row[None])
        return Record(
            self.target.id,
            self.target.name,
            self.target.about,
            {name: _texts(value[0].tolist()) for name, value in vectors.items()},
            None if tau is None else repr(float(tau[0])),
            seed=seed,
            how=how,
            given={s.name: str(v) for s, v in self.target.given.items()},
        )

    def smallest(self) -> Record | None:
        """A violation of the smallest size, written as short as it may be to stay one."""
        if not self.breaks:
            return None
        where = min(self.breaks, key=lambda size: (sum(size), size))
        known = self.breaks[where][0]
        for short in sorted(
            [*_rounded(known), known], key=lambda r: _digits(r.vectors) + len(r.tau or "")
        ):
            try:
                sides = replay(self.target, short)
            except (Undetermined, BadRecord, ValueError, ZeroDivisionError):
                continue
            if sides.is_violated and sides.ratio is not None:
                return replace(short, ratio=mpmath.nstr(sides.ratio, DIGITS))
        return known


MARGIN_OF_EQUALITY = mpmath.mpf(10) ** -30


def size_of(there: Space) -> tuple[int, int]:
    """Vectors of a configuration, and their dimension; logits have none."""
    kind = KINDS[there.about]
    shape = there.shapes[kind.largest]
    count, d = shape[-2:] if len(shape) > 1 else (shape[0], 0)
    return count + kind.others, d


def _movable(there: Space, rows: Tensor) -> Tensor:
    """1 for what may be moved: all but the number of a temperature that was given."""
    found = torch.ones(rows.shape[1], dtype=rows.dtype)
    if there.has_tau and there.taus:
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
