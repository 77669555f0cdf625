"""Write the tables of docs/real-training.md from docs/real-training.csv.

python docs/make_real_training.py           compare, exit 1 if the page is out of date
python docs/make_real_training.py --write

The CSV is the table of the figure; what it lacks is trained by (some minutes)

cltheory figure real-training --table docs/real-training.csv --workers 2
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from math import isnan
from pathlib import Path

from cltheory.numeric.digits.studies import WAYS

DOCS = Path(__file__).resolve().parent
PAGE, TABLE = DOCS / "real-training.md", DOCS / "real-training.csv"
START = "## The tables\n"
HEAD = f"""{START}
<!-- From here on written by docs/make_real_training.py; do not edit. -->

Largest difference between what was measured and what is derived, where something is, and by how
much the loss was at most above its minimum:

"""
#: What is varied in each study: its title, what is measured, and columns that tell cells apart.
STUDIES = {
    "alpha": ("Over alpha, tau = 0.5", "within-class variance", ("alpha",)),
    "tau": ("Over tau, alpha = 0.5", "within-class variance", ("tau",)),
    "batch": ("Random batches, tau = 0.2", "within-class variance", ("B", "threshold", "alpha")),
    "d": ("Few dimensions, alpha = 1, tau = 0.5", "loss on all images", ("d",)),
    "sizes": ("Unequal classes, SupCon, tau = 1", "cosine of the small classes", ("sizes",)),
}
Rows = list[dict[str, str]]


def rows() -> Rows:
    """The rows of the table."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def most(values: Iterable[float]) -> str:
    """The largest that is a number."""
    known = [v for v in values if not isnan(v)]
    return f"{max(known):.1g}" if known else ""


def summary(of: Rows) -> str:
    """How far measurements are from what is derived, by study and way."""
    text = f"| | {' | '.join(way.says for way in WAYS.values())} |\n| --- |{' --- |' * len(WAYS)}\n"
    for study, (title, number, _) in STUDIES.items():
        cells, gaps = [], []
        for way in WAYS:
            some = [r for r in of if (r["study"], r["by"]) == (study, way)]
            cells.append(most(abs(float(r["measured"]) - float(r["predicted"])) for r in some))
            gaps.append(most(float(r["loss"]) - float(r["least"]) for r in some))
        text += f"| {title}: {number} | {' | '.join(cells)} |\n"
        if any(gaps) and cells != gaps:
            text += f"| {title}: loss | {' | '.join(gaps)} |\n"
    return text


def table(of: Rows, study: str) -> str:
    """The cells of a study: what is derived, and what came out in each way."""
    title, number, told = STUDIES[study]
    own = [r for r in of if r["study"] == study]
    held = any(not isnan(float(r["held_out"])) for r in own)
    names = [
        *told,
        "derived",
        *(way.says for way in WAYS.values()),
        *(["held-out images"] if held else []),
    ]
    text = f"\n### {title}: {number}\n\n| {' | '.join(names)} |\n|{' --- |' * len(names)}\n"
    for place in dict.fromkeys(tuple(r[k] for k in told) for r in own):
        same = {r["by"]: r for r in own if tuple(r[k] for k in told) == place}
        found = [same["free"]["predicted"], *(same[way]["measured"] for way in WAYS)]
        found += [same["fresh"]["held_out"]] * held
        said = [v if ":" in v else f"{float(v):.4g}" for v in place]
        text += f"| {' | '.join(said + [shown(float(v)) for v in found])} |\n"
    return text


def shown(value: float) -> str:
    """Four digits behind the point; nothing where nothing is derived."""
    return "" if isnan(value) else f"{value:.4f}"


def section(of: Rows) -> str:
    """All tables."""
    return HEAD + summary(of) + "".join(table(of, study) for study in STUDIES)


def page() -> str:
    """The page with the tables at its end."""
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(START)
    return before + section(rows())


if __name__ == "__main__":
    from made.kept import main

    sys.exit(main({PAGE: page()}))
