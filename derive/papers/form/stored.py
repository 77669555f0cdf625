"""Verdicts that were computed before, each for the record as it was then.

``cltheory derive`` names the claims that a result settles, and must not compute them all. The
verdicts of a section are stored beside its records, with a fingerprint of the record; a stored
verdict counts only while the record is the same, and the tests compute all of them again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...decide.evidence import Evidence, Grade
from ..verdict import Verdict
from .record import Record

if TYPE_CHECKING:
    from .examine import Examined


def load_checks(package: str) -> None:
    """Register the named checks of a paper: of ``named.py`` and of every ``named_TOPIC.py``."""
    if not package:
        return
    found = (path.name for path in files(package).iterdir())
    for name in sorted(n for n in found if n.startswith("named") and n.endswith(".py")):
        import_module(f"{package}.{name.removesuffix('.py')}")


def computed(record: Record, find: Callable[[str], Record | None]) -> Examined:
    """Examine a record, its named checks loaded, and hold it against the one it restates.

    ``find`` gives the record of the same paper with a label.
    """
    from .examine import examine

    load_checks(record.package)
    found = examine(record)
    if not record.restates:
        return found
    other = find(record.restates)
    if other is None:
        problem = f"it restates {record.restates!r}, and there is no such record"
        return replace(found, problems=(*found.problems, problem))
    from .restated import differences

    told = "; ".join(differences(record, other))
    text = f"restates {other.label}, but {told}" if told else f"restates {other.label}"
    note = f"{found.verdict.note}; {text}" if found.verdict.note else text
    return replace(found, verdict=found.verdict.with_note(note))


# --- stored verdicts ---------------------------------------------------------------------------
def stored(record: Record) -> Verdict | None:
    """The stored verdict, if the record is still what it was computed for."""
    row = _rows(record.package, record.section).get(record.label)
    if row is None or row["record"] != record.fingerprint():
        return None
    return Verdict(
        row["verdict"],
        Evidence(Grade[row["grade"].upper()], row["how"]),
        row["note"],
        row["witness"],
        row.get("readings", {}),
    )


@cache
def _rows(package: str, section: str) -> dict[str, Any]:
    data = files(package) / f"{section}.verdicts.json"
    found: dict[str, Any] = json.loads(data.read_text("utf-8")) if data.is_file() else {}
    return found


def row_of(record: Record, verdict: Verdict) -> dict[str, Any]:
    """What is stored of a verdict."""
    readings = {"readings": dict(verdict.readings)} if verdict.readings else {}
    return {
        "record": record.fingerprint(),
        "verdict": verdict.word,
        "grade": str(verdict.evidence.grade),
        "how": verdict.evidence.how,
        "note": verdict.note,
        "witness": dict(verdict.witness),
        **readings,
    }
