"""The page on loss values and the oracles are what docs/make_landmarks.py writes."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
SPEC = importlib.util.spec_from_file_location("make_landmarks", DOCS / "make_landmarks.py")
assert SPEC is not None and SPEC.loader is not None
made = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(made)
ORACLES = json.loads((DOCS / "landmarks.json").read_text(encoding="utf-8"))


def test_the_page_is_up_to_date() -> None:
    text = (DOCS / "explain.md").read_text(encoding="utf-8")
    assert made.without_output(text) == made.page(), "python docs/make_landmarks.py --write"


def test_the_oracles_are_up_to_date() -> None:
    assert made.agree(made.oracles(), ORACLES), "python docs/make_landmarks.py --write"


@pytest.mark.parametrize("key, value", [("value", 1e-6), ("name", "x")])
def test_a_changed_oracle_is_noticed(key: str, value: object) -> None:
    wrong = copy.deepcopy(ORACLES)
    mark = wrong[0]["landmarks"][0]
    mark[key] = mark[key] + value
    assert not made.agree(ORACLES, wrong) and made.agree(ORACLES, copy.deepcopy(ORACLES))


def test_the_oracles_can_be_asked_for_again() -> None:
    import cltheory as cl

    one = ORACLES[1]
    found = cl.explain(one["loss"], convention=one["convention"], **one["options"])
    assert made.agree(found["landmarks"], one["landmarks"])
