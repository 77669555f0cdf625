"""The previews of the figures in docs/figures: what draws them, and the results they are about.

Beside each picture lies its caption, which is read where there is no torch.

python docs/made/previews.py [NAME ...]     draw them again (needs torch; some minutes)
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
    "ssem-fig2": Preview(
        "cltheory figure ssem-fig2 --m 4 --n 5 --grid 11x10", ("supcl-threshold",)
    ),
    "ccem-fig2": Preview(
        "cltheory figure ccem-fig2 --N 4,6,8,12,16,24 --t 0.25:4:16",
        ("sigmoid-optimum", "sigmoid-threshold"),
    ),
    "ccem-fig3": Preview(
        "cltheory figure ccem-fig3 --N 4,6,8,12 --t 0.5:3:6", ("sigmoid-optimum",)
    ),
    "imbalance-fig4": Preview(
        "cltheory figure imbalance-fig4 --tau 1/10", ("supcon-imbalanced", "soft-supcon")
    ),
    "soft-supcon-fig2": Preview(
        "cltheory figure soft-supcon-fig2 --q 2:12", ("soft-supcon", "dgp-euclidean")
    ),
    "y-aware-fig5": Preview(
        "cltheory figure y-aware-fig5 --seeds 0,1,2", ("y-aware", "euclidean-winfonce")
    ),
    "band-fig1": Preview(
        "cltheory figure band-fig1 --seeds 0,1,2,3", ("spectral-band", "spectral-band-printed")
    ),
    "band-fig2": Preview(
        "cltheory figure band-fig2 --seeds 0,1,2,3", ("spectral-band", "spectral-band-printed")
    ),
    "spectral-fig3": Preview(
        "cltheory figure spectral-fig3 --seeds 0,1,2 --width 6", ("spectral-clustering",)
    ),
    "real-training": Preview(
        "cltheory figure real-training --seeds 0",
        ("supcl-optimum", "supcl-batches", "uniform-bound", "supcon-imbalanced"),
    ),
    "phases": Preview(
        "cltheory figure phases --loss supcl-exclusive --x alpha --y tau --m 3 --n 3 --p 2",
        ("phases", "supcl-exclusive"),
    ),
}


def caption(name: str) -> str:
    """What the preview of a figure shows, in Markdown: what is derived, and what was measured."""
    tex = (FOLDER / f"{name}.tex").read_text(encoding="utf-8")
    return tex.strip().replace(r"\%", "%")


def main(names: list[str]) -> int:
    from cltheory.cli.main import run

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in names or PREVIEWS:
            words = shlex.split(PREVIEWS[name].command)[1:]
            style = Path(folder) / "screen.mplstyle"
            style.write_text("savefig.dpi: 200\n", encoding="utf-8")
            files = {
                "--table": f"{folder}/{name}.csv",
                "--out": str(FOLDER / f"{name}.png"),
                "--caption": str(FOLDER / f"{name}.tex"),
                "--style": str(style),
            }
            code = run([*words, *(word for pair in files.items() for word in pair)])
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
