"""Encoders: what each can reach, and that rows say so."""

from __future__ import annotations

from math import inf

import pytest
from cltheory.derive.results import results
from cltheory.numeric.figures.encoder import ENCODERS, train_encoders

WIDE, PAPER, SCRIPT = ENCODERS
SIGMOID = results["sigmoid-optimum"].problem
# The two ends and the middle, for N = 10.
TEMPERATURES = (0.5, 1.0, 2.5)
SIMILARITY = results["sigmoid-optimum"].function("positive_similarity")


def train(encoder, size=10, d=10, at=TEMPERATURES, seeds=(0,), **options):
    cells = [
        {"encoder": encoder, "N": size, "d": d, "t": t, "b": t, "seed": seed}
        for seed in seeds
        for t in at
    ]
    return list(train_encoders(SIGMOID, cells, **{"device": "cpu", **options}))


def test_a_linear_output_reaches_the_predicted_optimum(device):
    rows = train(WIDE, device=device)
    expected = [float(SIMILARITY(N=10, t=t, b=t)) for t in TEMPERATURES]
    assert [row["similarity"] for row in rows] == pytest.approx(expected, abs=1e-6)
    assert expected[0] == 0
    assert expected[2] == 1
    assert max(row["gap"] for row in rows) < 1e-6
    assert [row["dead"] for row in rows] == [0, 0, 0]


def test_a_relu_output_cannot_go_below_one_half():
    rows = train(SCRIPT)
    assert min(row["similarity"] for row in rows) >= 0.5
    assert all(row["gap"] > 0.1 for row in rows)
    assert all((row["dead"] > 0) == (row["gap"] == inf) for row in rows)
    assert any(row["dead"] for row in rows)


def test_rows_are_measured_on_the_outputs():
    row = train(PAPER, size=3, d=3, at=(1.0,), steps=20, polish=5, seeds=(4,))[0]
    told = {"encoder": "linear-d", "N": 3, "d": 3, "t": 1.0, "b": 1.0, "seed": 4}
    assert {name: row[name] for name in told} == told
    assert row["similarity"] == pytest.approx((1 + row["positive"]) / 2, abs=1e-15)
    assert row["evaluations"] > 20
    again = train(PAPER, size=3, d=3, at=(1.0,), steps=20, polish=5, seeds=(4,))[0]
    assert again == row
    for name, value in row.items():
        assert type(value) in (int, float, str), name
