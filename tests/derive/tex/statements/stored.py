"""What came of the whole corpus when it was last run, for the page in the docs.

A slow test compares it with what comes of every kind now; a quick one the page with it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from . import mended, run

PATH = Path(__file__).with_name("counts.json")


def of(rows: dict[str, run.Row]) -> dict[str, Any]:
    """What is stored of a run."""
    edits = {k: mended.count(r.every) for k, r in rows.items() if k.startswith(mended.KINDS)}
    return {
        "kinds": run.counts(rows),
        "edits": {
            kind: {size: dict(sorted(row.items())) for size, row in sorted(sizes.items())}
            for kind, sizes in edits.items()
        },
    }


def found() -> dict[str, Any]:
    """What is stored."""
    there: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return there


def put(rows: dict[str, run.Row]) -> None:
    """Store a run, which may have been of a few kinds only."""
    there = found() if PATH.exists() else {"kinds": {}, "edits": {}}
    for key, value in of(rows).items():
        there[key] |= value
        there[key] = {k: there[key][k] for k in sorted(there[key]) if k in run.EVERY_KIND}
    PATH.write_text(json.dumps(there, indent=1) + "\n", encoding="utf-8")


def edits() -> dict[str, Counter[str]]:
    """What came of slips by their size, of all kinds together."""
    out: dict[str, Counter[str]] = {}
    for sizes in found()["edits"].values():
        for size, row in sizes.items():
            out.setdefault(size, Counter()).update(row)
    return out
