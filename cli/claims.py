"""``cltheory claims``."""

from __future__ import annotations

import json

import click

from .parameters import short
from .progress import track
from .tables import Column, show_table
from .writing import formats


def complete_paper(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Paper keys."""
    from ..derive.papers import PAPERS

    return [k for k in PAPERS if k.startswith(incomplete)]


@click.command(
    "claims",
    epilog="""\b
Examples:
  cltheory claims lee2025ssem
  cltheory claims lee2025ssem --stored --format json
  cltheory claims lee2025ssem --section 4.1
""",
)
@click.argument("paper", shell_complete=complete_paper)
@formats("text", "json")
@click.option("--section", metavar="N", help="Check this section only, such as 4.1, A or A.3.")
@click.option("--stored", is_flag=True, help="Use the stored verdicts of unchanged records.")
def claims_command(paper: str, style: str, section: str | None, stored: bool) -> int:
    """Check every statement of PAPER as printed; exit 1 if any remains undecided.

    Verdicts: agrees; misprint (the printed line is wrong, its intended meaning is right);
    needs-condition (with the missing condition, or the reading of an ambiguous term, under which
    the statement holds); differs (with a point and both values there); undecided; not-mathematical.

    Checking a paper takes minutes, with --stored a second or two: a verdict that was stored counts
    while neither the record nor what checks it has changed.
    """
    from ..derive.papers import ledger_of
    from ..derive.papers.verdict import WORDS

    found = ledger_of(paper)
    asked = list(found) if section is None else found.of_section(section)
    if section is not None and not asked:
        known = ", ".join(name.replace("_", " ") for name in found.sections)
        raise click.UsageError(f"{paper} has no section {short(str(section))!r}; it has {known}")
    checked = [(c, c.known_verdict() if stored else c.verdict()) for c in track(asked, "checking")]
    open_claims = [c for c, v in checked if v.word == "undecided"]
    rows: list[dict[str, object]] = [
        {
            "paper": c.paper,
            "label": c.label,
            "statement": c.statement,
            "verdict": v.word,
            "evidence": str(v.evidence),
            "note": v.note,
            "witness": dict(v.witness),
            "readings": dict(v.readings),
            **c.as_data(),
        }
        for c, v in checked
    ]
    if style == "json":
        click.echo(json.dumps(rows, indent=2))
    else:
        words = [v.word for _, v in checked]
        counts = ", ".join(f"{words.count(w)} {w}" for w in WORDS if w in words)
        click.echo(f"{len(words)} claims: {counts}")
        show_table(found.title, COLUMNS, [_row(row) for row in rows], piped=160)
    return 1 if open_claims else 0


COLOURS = {
    "agrees": "green",
    "misprint": "yellow",
    "needs-condition": "yellow",
    "differs": "red",
    "undecided": "magenta",
    "not-mathematical": "dim",
}
COLUMNS = (
    Column("label"),
    Column("verdict", styles=COLOURS),
    Column("evidence"),
    Column("note"),
)


def _row(row: dict[str, object]) -> tuple[str, ...]:
    witness = row["witness"]
    note = str(row["note"])
    readings = row["readings"]
    if isinstance(readings, dict) and readings:
        said = "; ".join(f"under reading: {name} ({what})" for name, what in readings.items())
        note = f"{said}; {note}" if note else said
    if isinstance(witness, dict) and witness:
        note += (
            f" [at {_at(witness.get('point'))}: printed {witness.get('printed')}, "
            f"derived {witness.get('derived')}]"
        )
    evidence = str(row["evidence"]).partition(":")[0]
    return str(row["label"]), str(row["verdict"]), evidence, note


def _at(point: object) -> str:
    if isinstance(point, dict):
        return ", ".join(f"{k} = {v}" for k, v in point.items())
    return str(point)
