"""Write docs/claims.md, docs/claims/PAPER.md and a page for each section from the ledgers.

What a page says is what ``cltheory claims PAPER --format json`` prints.

python docs/make_claims.py           compare, exit 1 if a page is out of date
python docs/make_claims.py --write
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from made.printed import escaped, typeset

DOCS = Path(__file__).resolve().parent
Row = dict[str, Any]

HEAD = """\
# The ledger of claims

<!-- Written by docs/make_claims.py; do not edit. -->

A paper's statements are not the source of the results here; they are compared with them. Every
statement has a record, transcribed unrepaired, and its verdict is computed: the print is run at the
corners of its own hypotheses, on random and degenerate embeddings, and proved where the engine can.
`cltheory claims PAPER` runs all of them again, which takes minutes (`--section 4.1` those of a
section, `--stored` shows the stored verdicts at once); [how a record is written](claims-format.md).

{papers}
| verdict | means |
| --- | --- |
| `agrees` | the statement holds as printed |
| `misprint` | the line is wrong, and what it means is right |
| `differs` | what it means is false, also under every other fair reading |
| `needs-condition` | it holds under a condition that is not printed, or under one fair reading |
| `not-mathematical` | there is nothing to run; a note names what is at odds, if anything is |
| `undecided` | no check has settled it; `cltheory claims` then exits with 1 |

Most differences are slips of the pen inside a proof whose conclusion stands: *used in* says what
is concluded from a line, and whether that stands. *At* is where the print fails. Each correction
was put through the same check, and holds. Whose slip it may be is said as far as it can be told:
of the *authors*, of the *extraction* of the text from a PDF, or *unclear*. Evidence: `exact` is a
symbolic proof or an exact counterexample; `sampled` compares both sides at 50 digits on many sets
of embeddings with exact rational inner products, and so supports but does not prove.

Each section of a paper has a page. What does not hold as printed comes first there: headlines, then
formulas that one might copy. A record opens with a click; the search finds what is in it.
"""

MADE = "<!-- Written by docs/make_claims.py; do not edit. -->\n\n"
VERDICTS = (
    "agrees", "misprint", "differs", "needs-condition", "not-mathematical", "undecided",
)  # fmt: skip
WEIGHTS = {"headline": "headlines", "used later": "used later", "aside": "asides"}
#: In the order in which they matter to who wants to use a formula.
WRONG = ("differs", "misprint", "needs-condition", "undecided")
SAID = {
    "differs": "does not hold",
    "misprint": "misprint",
    "needs-condition": "needs a condition",
    "undecided": "undecided",
}
#: Conditions that leave out only the smallest sizes: one class, instance, view or item.
SMALL = re.compile(r"[mnpN] (>= 2|= 1)( (and|or) [mnpN] (>= 2|= 1))*")


def records(paper: str) -> list[Row]:
    """What the command line prints for a paper."""
    command = [sys.executable, "-c", "from cltheory.cli.main import main; main()"]
    done = subprocess.run(
        [*command, "claims", paper, "--stored", "--format", "json"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,  # 1 stands for an undecided record, which belongs on the page too
    )
    found: list[Row] = json.loads(done.stdout)
    return found


# --- one record --------------------------------------------------------------------------------
def plain(text: object) -> str:
    """Text with nothing in it that Markdown or MathJax would read; commands of TeX as code."""
    words = (
        f"<code>{escaped(word)}</code>" if re.search(r"\\[A-Za-z]", word) else escaped(word)
        for word in str(text).split()
    )
    return " ".join(words)


def code(text: object) -> str:
    """Text as it is typed."""
    return f"<code>{escaped(text)}</code>"


def at(row: Row) -> str:
    """Where a print fails, and what it comes to there."""
    witness = row["witness"]
    if not witness:
        return ""
    point = witness.get("point", "")
    place = ", ".join(f"{k} = {v}" for k, v in point.items()) if isinstance(point, dict) else point
    says = witness.get("printed", "")
    if witness.get("derived", "does not hold") != "does not hold":
        says = f"printed {says}, derived {witness['derived']}"
    return f"{code(place)}: {plain(says)}" if place else plain(says)


def vectors(row: Row) -> str:
    """The vectors of a witness, folded."""
    gram = row["witness"].get("gram") if row["witness"] else None
    if not gram or len(gram) > 8:
        return ""
    width = max(len(v) for line in gram for v in line)
    rows = "\n".join("  ".join(v.rjust(width) for v in line) for line in gram)
    sizes = " x ".join(map(str, row["witness"]["sizes"]))
    return fold(f"Gram matrix ({sizes} vectors)", f"```text\n{rows}\n```\n")


def uses(row: Row, known: dict[str, Row]) -> str:
    """What is concluded from it, each with its verdict."""
    labels = row.get("used_in", [])
    return ", ".join(f"{plain(label)} ({known[label]['verdict']})" for label in labels)


def under_readings(row: Row) -> list[str]:
    """How a loose word may be read, and what each reading comes to."""
    return [
        f"- Under reading: *{plain(name)}*: {plain(what)}"
        for name, what in row.get("readings", {}).items()
    ]


def result(id: str) -> str:
    """The page of a result."""
    return f"[`{id}`](../../results/{id}.md)" if id else ""


def entry(row: Row, known: dict[str, Row]) -> str:
    """A record that does not hold as printed."""
    said = SAID[row["verdict"]]
    if row["verdict"] == "needs-condition" and not row["condition"]:
        said = "depends on the reading"
    origin = {"authors": "the authors'", "extraction": "of the extraction"}.get(
        row.get("origin", ""), "unclear whose"
    )
    evidence = str(row["evidence"]).partition(":")[0]
    weight = "headline; " if row["weight"] == "headline" else ""
    title = f"**{plain(row['label'])}**: {said} ({weight}{origin}; {evidence})"
    lines = []
    under = f" for {code(row['under'])}" if row.get("under") else ""
    lines.append(f"- Printed{under}: {typeset(row['printed'])}")
    if row["correction"]:
        text, _, condition = str(row["correction"]).partition("  [")
        where = f", where {code(condition.removesuffix(']'))}" if condition else ""
        if text == row["printed"]:
            lines.append(f"- Correct{where.removeprefix(',')}.")
        else:
            lines.append(f"- Correct{where}: {typeset(text)}")
    lines += under_readings(row)
    for name, text in (
        ("At", at(row)),
        ("Remark", plain(row.get("remark") or ("" if row["witness"] else row["note"]))),
        ("Used in", uses(row, known)),
        ("Says again", plain(row.get("restates", ""))),
        ("Derived", result(row.get("settled", ""))),
    ):
        if text:
            lines.append(f"- {name}: {text}")
    return record(title, "\n".join(lines) + "\n\n" + vectors(row))


def record(title: str, text: str) -> str:
    """A record that a click opens, its title in Markdown."""
    return (
        f'<details class="record" markdown="1"><summary markdown="span">{title}</summary>\n\n'
        f"{text.strip()}\n\n</details>\n"
    )


def fold(title: str, text: str) -> str:
    """Text that a click opens."""
    return (
        f'<details markdown="1"><summary>{plain(title)}</summary>\n\n{text.strip()}\n\n</details>\n'
    )


# --- the parts of a page -------------------------------------------------------------------------
def is_corner(row: Row) -> bool:
    """Whether it fails at the smallest sizes only."""
    return row["verdict"] == "needs-condition" and bool(SMALL.fullmatch(row.get("condition", "")))


def entries(rows: Iterable[Row], known: dict[str, Row]) -> str:
    ordered = sorted(rows, key=lambda row: WRONG.index(row["verdict"]))
    return "\n".join(entry(row, known) for row in ordered)


def corners(rows: list[Row], known: dict[str, Row]) -> str:
    """What holds but for the smallest sizes, by condition."""
    text = "| condition | statements |\n| --- | --- |\n"
    by: dict[str, list[Row]] = {}
    for row in rows:
        by.setdefault(row["condition"], []).append(row)
    for condition, some in sorted(by.items(), key=lambda item: (-len(item[1]), item[0])):
        some.sort(key=lambda row: list(WEIGHTS).index(row["weight"]))
        labels = ", ".join(
            f"**{plain(r['label'])}**" if r["weight"] == "headline" else plain(r["label"])
            for r in some
        )
        text += f"| {code(condition)} | {labels} |\n"
    return text + "\n" + fold("Each of them", entries(rows, known))


def counts(rows: list[Row]) -> str:
    """Records by verdict and weight."""
    text = f"| | {' | '.join(WEIGHTS.values())} |\n|{' --- |' * (len(WEIGHTS) + 1)}\n"
    for verdict in VERDICTS:
        some = [row["weight"] for row in rows if row["verdict"] == verdict]
        if some:
            text += f"| `{verdict}` | {' | '.join(str(some.count(w)) for w in WEIGHTS)} |\n"
    return text


def contents(first: str, parts: Iterable[tuple[str, list[Row]]]) -> str:
    """A line for each part: a link to it, and how many records have which verdict."""
    parts = list(parts)
    used = [v for v in VERDICTS if any(row["verdict"] == v for _, rows in parts for row in rows)]
    text = f"| {first} | {' | '.join(f'`{v}`' for v in used)} |\n|{' --- |' * (len(used) + 1)}\n"
    for link, rows in parts:
        verdicts = [row["verdict"] for row in rows]
        text += f"| {link} | {' | '.join(str(verdicts.count(v) or '') for v in used)} |\n"
    return text


def agreeing(rows: list[Row]) -> str:
    """Labels of what holds as printed, with what proves it."""
    lines = []
    for row in rows:
        how = str(row["evidence"]).partition(":")[0]
        lines.append(f"- {plain(row['label'])} ({how}): {typeset(row['printed'])}")
        if row["under_reading"]:
            lines[-1] += f" (under reading: {plain(row['under_reading'])})"
    return fold(f"What holds as printed: {len(rows)}", "\n".join(lines))


def odd(rows: list[Row]) -> str:
    """What there is nothing to run for, and what it is at odds with."""
    lines = []
    for row in rows:
        told = str(row["note"]).removeprefix("at odds: ")
        told = re.sub(r"\A(a|[a-z]{2,})(?= )", lambda word: word[0].capitalize(), told)
        printed = typeset(row["printed"]).removesuffix(".")
        lines.append(f"- **{plain(row['label'])}**: {printed}. {plain(told)}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Ledger:
    """A paper, its records, and in which section each stands."""

    paper: str
    title: str
    rows: list[Row]
    sections: dict[str, list[Row]]

    @classmethod
    def of(cls, paper: str) -> Ledger:
        found = import_module(f"cltheory.derive.papers.{paper}").LEDGER
        rows = records(paper)
        known = {row["label"]: row for row in rows}
        sections: dict[str, list[Row]] = {name: [] for name in found.sections}
        for record in found.records():
            sections[record.section].append(known[record.label])
        return cls(paper, found.title, rows, sections)

    def pages(self) -> dict[str, str]:
        """The page of the paper, and one for each of its sections."""
        known = {row["label"]: row for row in self.rows}
        titles = {name: plain(heading(self.paper, name)) for name in self.sections}
        parts = [
            (f"[{titles[name]}]({self.paper}/{name}.md)", rows)
            for name, rows in self.sections.items()
        ]
        found = {
            f"claims/{self.paper}.md": f"# {self.title}\n\n{MADE}"
            f"`{self.paper}`, {len(self.rows)} records; [what the verdicts mean](../claims.md).\n\n"
            f"{contents('section', parts)}\n{counts(self.rows)}"
        }
        for name, rows in self.sections.items():
            found[f"claims/{self.paper}/{name}.md"] = (
                f"# {titles[name]}\n\n{MADE}[{self.title}](../{self.paper}.md), `{self.paper}`.\n\n"
                f"{section(rows, known)}"
            )
        return found


def heading(paper: str, section: str) -> str:
    """What the file of a section says that it is about: its first sentence."""
    package = import_module(f"cltheory.derive.papers.{paper}")
    file = Path(str(package.__file__)).with_name(f"{section}.toml")
    comment = takewhile(lambda line: line.startswith("#"), file.read_text("utf-8").splitlines())
    return re.split(r"\.(?:\s|$)", " ".join(line[1:].strip() for line in comment))[0]


def section(rows: list[Row], known: dict[str, Row]) -> str:
    """A section: first what does not hold as printed."""
    wrong = [row for row in rows if row["verdict"] in WRONG and not is_corner(row)]
    headlines, later, asides = ([r for r in wrong if r["weight"] == w] for w in WEIGHTS)
    small = [row for row in rows if is_corner(row)]
    others = [row for row in rows if row["verdict"] == "not-mathematical" and row["note"]]
    right = [row for row in rows if row["verdict"] == "agrees"]
    parts = (
        entries(headlines, known),
        entries(later, known),
        fold(f"Asides: {len(asides)}", entries(asides, known)) if asides else "",
        f"True but for the smallest sizes:\n\n{corners(small, known)}" if small else "",
        f"Not mathematical, and at odds with something:\n\n{odd(others)}" if others else "",
        agreeing(right) if right else "",
    )
    return "\n".join(part for part in parts if part) or "Nothing here is mathematical.\n"


def pages() -> dict[str, str]:
    """Every page, by its place in docs/."""
    from cltheory.derive.papers import PAPERS

    ledgers = [Ledger.of(paper) for paper in PAPERS]
    links = [(f"[{one.title}](claims/{one.paper}.md)", one.rows) for one in ledgers]
    overview = HEAD.replace("{papers}", contents("paper", links))
    return {"claims.md": overview} | {k: v for one in ledgers for k, v in one.pages().items()}


if __name__ == "__main__":
    from made.kept import main

    sys.exit(main({DOCS / path: text for path, text in pages().items()}))
