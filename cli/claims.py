"""``cltheory claims``."""

from __future__ import annotations

import json
import sys

import click


def complete_paper(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Paper keys."""
    from ..derive.papers import PAPERS

    return [k for k in PAPERS if k.startswith(incomplete)]


@click.command(
    "claims",
    epilog="""\b
Examples:
  cltheory claims lee2025ssem
  cltheory claims lee2025ssem --only differs --format json
""",
)
@click.argument("paper", shell_complete=complete_paper)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--only",
    type=click.Choice(["agrees", "differs", "needs-condition", "undecided"]),
    help="Show only the claims with this verdict.",
)
def claims_command(paper: str, style: str, only: str | None) -> int:
    """Check every statement of PAPER as printed; exit 1 if any is left undecided.

    Verdicts: agrees; differs (with a point and both values there); needs-condition (the
    condition is named); undecided.
    """
    from rich.progress import track

    from ..derive.papers import UnknownPaper, ledger_of

    try:
        found = ledger_of(paper)
    except UnknownPaper as refusal:
        raise click.UsageError(str(refusal)) from None
    quiet = style == "json" or not sys.stderr.isatty()
    from rich.console import Console

    progress = track(
        list(found), "checking", console=Console(stderr=True), disable=quiet, transient=True
    )
    checked = [(c, c.verdict()) for c in progress]
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
        }
        for c, v in checked
        if only in (None, v.word)
    ]
    if style == "json":
        click.echo(json.dumps(rows, indent=2))
    else:
        _table(found.title, rows)
        words = [v.word for _, v in checked]
        counts = ", ".join(f"{words.count(w)} {w}" for w in dict.fromkeys(words))
        click.echo(f"{len(words)} claims: {counts}")
    return 1 if open_claims else 0


def _table(title: str, rows: list[dict[str, object]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    colours = {"agrees": "green", "differs": "red", "needs-condition": "yellow"}
    table = Table(title=title, expand=False, show_lines=False)
    for column in ("label", "verdict", "evidence", "note"):
        table.add_column(column)
    for row in rows:
        witness = row["witness"]
        note = str(row["note"])
        if isinstance(witness, dict) and witness:
            note += (
                f" [at {_at(witness.get('point'))}: printed {witness.get('printed')}, "
                f"derived {witness.get('derived')}]"
            )
        word = str(row["verdict"])
        table.add_row(
            Text(str(row["label"])),
            Text(word, style=colours.get(word, "magenta")),
            Text(str(row["evidence"]).partition(":")[0]),
            Text(note),
        )
    # A pipe has no width; a wide one keeps every row on few lines.
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(table)


def _at(point: object) -> str:
    if isinstance(point, dict):
        return ", ".join(f"{k} = {v}" for k, v in point.items())
    return str(point)
