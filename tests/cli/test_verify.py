"""``cltheory verify``: agreement, and exit 1 when a prediction is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("torch")

from cltheory.derive.results import results
from cltheory.derive.structures.towers import K
from cltheory.derive.theorem.result import Result

SMALL = ("--m", "2", "--n", "2", "--p", "1", "--seeds", "0")


CHECKED = [id for id, r in results.items() if r.structure is not None and r.structure.axes]


@pytest.mark.sample(5)
@pytest.mark.parametrize("id", CHECKED)
def test_embeddings_agree_with_the_result(
    cltheory: Any, request: pytest.FixtureRequest, id: str
) -> None:
    r = results[id]
    sizes = {s for axis in r.structure.axes for s in axis.free_symbols} - {K}
    domain = r.problem.domain if r.problem is not None else r.domain
    words = [w for s in sizes for w in (f"--{s}", str(domain.ranges[s].low))]
    code, out, err = cltheory("verify", id, *words, "--seeds", "0")
    assert (code, err) == (0, "")
    assert "0 disagree" in out
    assert "agrees" in out
    assert "\x1b" not in out


def test_json(cltheory: Any) -> None:
    code, out, err = cltheory(
        "verify", "supcl-threshold", *SMALL, "--tau", "0.3", "--format", "json"
    )
    assert (code, err) == (0, "")
    rows = json.loads(out)
    keys = {"what", "at", "predicted", "measured", "difference", "tolerance", "gap", "verdict"}
    assert all(set(row) >= keys for row in rows)
    assert {row["verdict"] for row in rows} == {"agrees"}
    variances = [r["predicted"] for r in rows if r["what"] == "within_class_variance"]
    assert min(variances) == 0 < max(variances)  # both sides of the threshold


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_wrong_prediction_is_exit_1(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    value = Result.value

    def wrong(self: Result, name: str, /, digits: int = 15, **values: object) -> Any:
        return value(self, name, digits, **values) * (1.001 if name == "loss" else 1)

    monkeypatch.setattr(Result, "value", wrong)
    code, out, _ = cltheory("verify", "supcl-optimum", *SMALL, "--format", style)
    assert code == 1
    assert "disagrees" in out


def test_too_small_a_dimension_is_not_covered(cltheory: Any) -> None:
    code, out, _ = cltheory("verify", "supcl-threshold", "--d", "2", "--seeds", "0")
    assert code == 0
    assert "not covered" in out
