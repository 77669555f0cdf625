"""The previews of the figures in docs/figures: what draws them, and the results they are about.

python docs/made/previews.py           draw them again (needs torch; some minutes)
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "figures"


class Preview(NamedTuple):
    """A command that takes seconds, and the results that its figure is about."""

    command: str
    of: tuple[str, ...]


PREVIEWS = {
    "ssem-fig2": Preview("cltheory figure ssem-fig2 --m 4 --n 5 --grid 8x10", ("supcl-threshold",)),
    "ccem-fig2": Preview(
        "cltheory figure ccem-fig2 --N 4,8 --t 0.5:4:8", ("sigmoid-optimum", "sigmoid-threshold")
    ),
    "ccem-fig3": Preview("cltheory figure ccem-fig3 --N 4,8 --t 0.5:3:4", ("sigmoid-optimum",)),
    "phases": Preview(
        "cltheory figure phases --loss supcl-exclusive --x alpha --y tau --m 3 --n 3 --p 2",
        ("phases", "supcl-exclusive"),
    ),
}


def main() -> int:
    from cltheory.cli.main import run

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, preview in PREVIEWS.items():
            table, out = f"{folder}/{name}.csv", str(FOLDER / f"{name}.png")
            code = run([*shlex.split(preview.command)[1:], "--table", table, "--out", out])
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
