"""The training on digits, short."""

from __future__ import annotations

import math

import pytest
from cltheory.numeric.digits.batches import (
    MEASURED,
    METHODS,
    Setup,
    compare,
    runs,
)
from cltheory.numeric.running.table import Row

pytest.importorskip("sklearn")
SHORT = Setup(batch=32, steps=4, d=8, pool=128, every=3)


def test_every_method_runs_and_is_measured() -> None:
    seen: list[tuple[int, int]] = []
    found = list(runs(seeds=(3,), setup=SHORT, progress=lambda *at: seen.append(at)))
    assert [run.row["method"] for run in found] == list(METHODS)
    assert seen[-1] == (6, 6)
    for run in found:
        assert set(run.row) == {"method", "seed", *MEASURED}
        assert all(math.isfinite(float(run.row[name])) for name in MEASURED)
        assert [at["step"] for at in run.curve] == [3, 4]
        assert 1 <= float(run.row["rank"]) <= 8
        assert 1 / 8 <= float(run.row["sigma"]) <= float(run.row["peak_sigma"]) <= 1


def test_an_unknown_method_is_refused_before_any_training() -> None:
    for name in ("P4", "greedy-", "greedy-x", "greedy"):
        with pytest.raises(ValueError, match="method must be one of random"):
            next(runs(("random", name), (0,), SHORT))
    with pytest.raises(ValueError, match="probe must be 1 or more"):
        next(runs(("greedy-0",), (0,), SHORT))


def test_a_comparison_is_seed_by_seed() -> None:
    def row(method: str, seed: int, value: float) -> Row:
        return {"method": method, "seed": seed, **dict.fromkeys(MEASURED, value)}

    rows = [row("random", s, 10.0 * s) for s in range(3)]
    rows += [row("P1", s, 10.0 * s + 1 + 0.1 * s) for s in (2, 0, 1)]
    found = {(line["method"], line["measure"]): line for line in compare(rows)}
    line = found["P1", "rank"]
    assert (line["mean"], line["difference"]) == (pytest.approx(11.1), pytest.approx(1.1))
    assert line["difference_error"] == pytest.approx(0.1 / 3**0.5)
    assert line["error"] > 5 and line["p"] == pytest.approx(0.0027, rel=0.02)
    assert math.isnan(float(found["random", "rank"]["p"]))
    with pytest.raises(ValueError, match="not run with the same seeds"):
        compare(rows[:-1])
    with pytest.raises(ValueError, match="no runs found of 'P2'"):
        compare(rows, "P2")
