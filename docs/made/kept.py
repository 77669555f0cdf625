"""Pages that are made and kept: whether they are as they would be made now."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]


def main(made: Mapping[Path, str]) -> int:
    """Write the pages with ``--write``; else name those that are out of date, and return 1."""
    stale = 0
    for path, text in made.items():
        if sys.argv[1:] == ["--write"]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            script = Path(sys.argv[0]).name
            page = path.relative_to(DOCS).as_posix()
            print(f"docs/{page} is out of date: python docs/{script} --write")
            stale = 1
    return stale
