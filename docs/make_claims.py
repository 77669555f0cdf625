"""Write docs/claims.md from the ledgers, as ``cltheory claims PAPER --format json`` prints them.

python docs/make_claims.py           compare, exit 1 if the page is out of date
python docs/make_claims.py --write
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent / "claims.md"

HEAD = """\
# The ledger of claims

<!-- Written by docs/make_claims.py; do not edit. -->

A paper's statements are not the source of the results here; they are compared with them. Each
numbered equation, definition, theorem, remark and numeric statement has a record, and its
verdict is reached by running a check. `cltheory claims PAPER` runs all of them again.

| verdict | means |
| --- | --- |
| `agrees` | the statement holds as printed |
| `misprint` | the line is wrong, and what it means is right |
| `differs` | it does not, and a point is given with the printed value and the derived one |
| `needs-condition` | it holds under a condition that is not printed; the point violates it |
| `not-mathematical` | there is nothing to run; what is at odds with what is said |
| `undecided` | no check has settled it; `cltheory claims` then exits with 1 |

Most differences are slips of the pen inside a proof whose conclusion stands. Where a display has
several readings, the one that makes it true was preferred. Evidence: `exact` is a symbolic
proof or an exact counterexample; `sampled` compares both sides at 50 digits on many sets of
embeddings with exact rational inner products, and so supports but does not prove.
"""

TITLES = {
    "misprint": "Misprints",
    "differs": "Statements that differ",
    "needs-condition": "Statements that need a condition",
    "not-mathematical": "What is not mathematical, and at odds with something",
    "undecided": "Statements that are undecided",
}


def records(paper: str) -> list[dict[str, Any]]:
    """What the command line prints for a paper."""
    command = [sys.executable, "-c", "from cltheory.cli.main import main; main()"]
    done = subprocess.run(
        [*command, "claims", paper, "--stored", "--format", "json"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,  # 1 stands for an undecided record, which belongs on the page too
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def plain(text: object) -> str:
    """Text for a cell of a table, with nothing in it that Markdown or MathJax would read."""
    return re.sub(
        r"[\\|_*`<>&\[\]~^$#{}]", lambda c: f"&#{ord(c[0])};", " ".join(str(text).split())
    )


def at(point: object) -> str:
    """A witness point on one line."""
    if isinstance(point, dict):
        return ", ".join(f"{k} = {v}" for k, v in point.items())
    return str(point)


def correct(text: str) -> str:
    """What to use instead, where a record says it."""
    return f"<br>Correct: <code>{plain(text)}</code>" if text else ""


def table(rows: list[dict[str, Any]]) -> str:
    """One row per claim."""
    lines = [
        "| label and printed form | finding | at | printed there | derived there | evidence |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        witness = {"point": "", "printed": "", "derived": "", **row["witness"]}
        cells = [
            f"**{plain(row['label'])}**<br><code>{plain(row['statement'])}</code>",
            plain(row["note"]) + correct(row["correction"]),
            *(plain(x) for x in (at(witness["point"]), witness["printed"], witness["derived"])),
            plain(row["evidence"].partition(":")[0]),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The whole page."""
    from cltheory.derive.papers import PAPERS

    text = HEAD
    for paper in PAPERS:
        rows = records(paper)
        title = import_module(f"cltheory.derive.papers.{paper}").LEDGER.title
        words = [row["verdict"] for row in rows]
        counts = ", ".join(f"{words.count(w)} {w}" for w in ("agrees", *TITLES) if w in words)
        text += f"\n## {paper}\n\n*{title}.* {len(rows)} records: {counts}.\n"
        for word, title in TITLES.items():
            chosen = [
                row
                for row in rows
                if row["verdict"] == word and (row["note"] or word != "not-mathematical")
            ]
            if chosen:
                text += f"\n### {title}\n\n{table(chosen)}"
    return text


def main() -> int:
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != page():
        print("docs/claims.md is out of date: python docs/make_claims.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
