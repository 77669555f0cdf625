"""Verdicts that were computed before, each for the record as it was then.

``cltheory derive`` names the claims that a result settles, and must not compute them all. The
verdicts of a section are stored beside its records, with a fingerprint of the record; a stored
verdict counts only while the record is the same, and the tests compute all of them again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ...decide.evidence import Evidence, Grade
from ..verdict import Verdict


@cache
def rows_of(package: str, section: str) -> dict[str, Any]:
    """What is stored of the verdicts of a section, by label."""
    if not package:
        return {}
    data = files(package) / f"{section}.verdicts.json"
    found: dict[str, Any] = json.loads(data.read_text("utf-8")) if data.is_file() else {}
    return found


def verdict_in(row: Mapping[str, Any]) -> Verdict:
    """The verdict that is stored in a row."""
    evidence = Evidence(Grade[row["grade"].upper()], row["how"])
    readings = row.get("readings", {})
    return Verdict(row["verdict"], evidence, row["note"], row["witness"], readings)


def row_of(fingerprint: str, verdict: Verdict) -> dict[str, Any]:
    """What is stored of a verdict."""
    readings = {"readings": dict(verdict.readings)} if verdict.readings else {}
    return {
        "record": fingerprint,
        "verdict": verdict.word,
        "grade": str(verdict.evidence.grade),
        "how": verdict.evidence.how,
        "note": verdict.note,
        "witness": dict(verdict.witness),
        **readings,
    }
