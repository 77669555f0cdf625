"""Processes that do the parts of long work: all of them, none twice, whoever is killed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from cltheory.derive.problems.catalogue import named
from cltheory.numeric.attack import Target, attack
from cltheory.numeric.figures import phases, ssem_fig2
from cltheory.numeric.figures.plane import plane
from cltheory.numeric.running import workers
from cltheory.numeric.running.table import Row, TableError, key
from cltheory.numeric.running.workers import Workers, WorkersError
from long_work import begun, dead, square
from toy_bounds import ALL

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="distributed, which a cluster needs, does not exist"
)


# --- processes of this machine -----------------------------------------------------------------
def test_a_process_that_dies_loses_nothing_and_what_was_finished_is_not_done_again(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    found = list(Workers(2).each(partial(square, log), range(6)))
    assert sorted(found) == [(k, k * k) for k in range(6)]
    # The other process is ended with it, so what may have been begun twice are two parts.
    again = [k for k in "012345" if begun(log).count(k) > 1]
    assert "3" in again and len(again) <= 2 and len(begun(log)) <= 8
    assert not multiprocessing.active_children()


def test_processes_that_die_over_and_over_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "TRIES", 2)
    with pytest.raises(WorkersError, match="died 2 times with nothing finished"):
        list(Workers(2).each(dead, [1, 2]))


def test_what_work_refuses_is_refused_and_the_processes_end(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no square is negative"):
        list(Workers(2).each(partial(square, tmp_path / "log"), [1, -1, 2]))
    deadline = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not multiprocessing.active_children()


def test_what_is_sent_has_nothing_that_cannot_be_sent() -> None:
    grid = phases.Grid(plane(named("siglip"), {"N": 4}, points=(2, 2), fine=4))
    target = Target.from_result(ALL, "upper")
    before = len(pickle.dumps(grid)), len(pickle.dumps(target))
    assert grid.cells() and target.compiled and "coarse" in vars(grid.on)  # functions of SymPy
    assert (len(pickle.dumps(grid)), len(pickle.dumps(target))) == before
    assert pickle.loads(pickle.dumps(grid)).cells() == grid.cells()


# --- the table of an attack --------------------------------------------------------------------
def attacked(table: Path | None, **options: Any) -> Any:
    sizes: dict[str, Any] = {"seeds": (0, 1), "n": (3, 4), "d": (2,), "starts": 6, "steps": 10}
    return attack(ALL, "short", **{**sizes, "table": table, **options})


def told(found: Any) -> Any:
    return found.record, found.smallest, found.sizes, found.violated, found.starts, found.ended


def test_an_attack_goes_on_from_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import cltheory.numeric.attack.adversary as adversary

    table, visits, visit = tmp_path / "t.csv", [], adversary._Search.visit

    def stopped(self: Any, seed: int, there: Any) -> None:
        visits.append(seed)
        if len(visits) == 3:
            raise KeyboardInterrupt
        return visit(self, seed, there)

    monkeypatch.setattr(adversary._Search, "visit", stopped)
    first = attacked(table)
    assert first.ended == "interrupted" and len(table.read_text().splitlines()) == 3
    whole = attacked(table)
    assert visits == [0, 0, 1, 1, 1]  # two of four were not visited again
    assert told(whole) == told(attacked(None))
    assert whole.violated == ((3, 2), (4, 2))
    with pytest.raises(TableError, match="starts = 6, not 7"):
        attacked(table, starts=7)


# --- the cells of a figure ---------------------------------------------------------------------
def test_cells_that_start_from_each_other_go_to_one_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    grid = ssem_fig2.Grid(2, 2, 1, 4, alphas=(0.0, 0.5, 1.0), taus=(0.5, 1.0))
    sent: list[Any] = []

    def each(self: Workers, work: Any, parts: Any) -> Iterator[Any]:
        sent.append([[(cell["tau"], cell["alpha"]) for cell in part] for part in parts])
        for part in reversed(pickle.loads(pickle.dumps(parts))):
            yield part, pickle.loads(pickle.dumps(work))(part)

    alone = grid.measure(tmp_path / "alone", device="cpu")
    monkeypatch.setattr(Workers, "each", each)
    rows = grid.measure(tmp_path / "t.csv", device="cpu", workers=Workers(3))
    assert sent == [[[(tau, alpha) for alpha in grid.alphas] for tau in (1.0, 0.5)]]
    assert sorted(map(str, rows)) == sorted(map(str, alone))


# --- killed at random --------------------------------------------------------------------------
SIZES: dict[str, Any] = {"m": 2, "n": 3, "p": 2, "d": 6, "seeds": (0, 1, 2)}
GRID = ssem_fig2.Grid(**SIZES, alphas=(0.0, 0.3, 0.6, 1.0), taus=(0.1, 0.2, 0.4, 0.6, 0.8, 1.0))


@contextmanager
def killing(processes: Callable[[], list[int]]) -> Iterator[list[int]]:
    """Kill one of some processes now and then, less often than makes an error of it."""
    over, killed, draw = Event(), [], random.Random(0)

    def kill() -> None:
        while len(killed) < workers.TRIES - 1 and not over.wait(draw.uniform(0.3, 1.5)):
            for pid in draw.sample(sorted(processes()), k=1) if processes() else ():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def as_one_process(rows: list[Row], tmp_path: Path) -> None:
    """Every cell once, with what one process finds to rounding."""
    alone = {key(row, ("alpha", "tau", "seed")): row for row in GRID.measure(tmp_path / "alone")}
    assert len(rows) == len(alone) == len(GRID.cells())
    for row in rows:
        other = alone.pop(key(row, ("alpha", "tau", "seed")))
        # A variance is quartic in the gap at the threshold, where 1e-12 leaves up to 5e-8 of it.
        assert row["within"] == pytest.approx(other["within"], abs=1e-7)
        assert row["loss"] == pytest.approx(other["loss"], abs=1e-12)


def lines_once(table: Path) -> None:
    lines = table.read_text().splitlines()
    assert len(lines) == len({*lines}) == len(GRID.cells()) + 1


@pytest.mark.slow
def test_a_sweep_whose_processes_are_killed_has_every_cell_once(tmp_path: Path) -> None:
    def children() -> list[int]:
        return [p.pid for p in multiprocessing.active_children() if p.pid is not None]

    for attempt in range(5):  # on a busy machine all may be done before one is killed
        table = tmp_path / f"{attempt}.csv"
        with killing(children) as killed:
            rows = GRID.measure(table, workers=Workers(2))
        lines_once(table)
        if killed:
            break
    assert killed
    as_one_process(rows, tmp_path)


# --- a cluster ---------------------------------------------------------------------------------
@needs_dask
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of packages that a cluster brings
def test_a_cluster_whose_processes_are_killed_has_every_cell_once(tmp_path: Path) -> None:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def pids() -> list[int]:
            return [n.pid for n in cluster.workers.values() if getattr(n, "pid", None)]

        there, table = Workers(scheduler=cluster.scheduler_address), tmp_path / "t.csv"
        with killing(pids) as killed:
            rows = GRID.measure(table, workers=there)
        assert killed
        lines_once(table)
        as_one_process(rows, tmp_path)
        found = attacked(None, workers=there)
        assert told(found) == told(attacked(None))


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.2)
    with pytest.raises(WorkersError, match="no scheduler answers at tcp"):
        list(Workers(scheduler="tcp://127.0.0.1:9").each(dead, [1]))
