"""What the benchmarks share: sides that take turns, and code that is not installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from types import ModuleType
from typing import Any

Clock = Callable[[], float]


def by_turns(
    sides: Mapping[str, Callable[[], Any]], runs: int, clock: Clock = perf_counter
) -> dict[str, float]:
    """Median seconds of each side; the first round loads and fills what it needs, uncounted."""
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for run in range(runs + 1):
        for side, work in sides.items():
            start = clock()
            work()
            if run:
                seconds[side].append(clock() - start)
    return {side: median(times) for side, times in seconds.items()}


def load(path: Path, name: str) -> ModuleType:
    """A file of a checkout, or of a package, as a module of its own."""
    if not path.is_file():
        sys.exit(f"{path} is not there")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
