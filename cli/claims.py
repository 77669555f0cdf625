"""``cltheory claims``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from .parameters import short
from .progress import track
from .tables import WIDTH
from .writing import formats, json_text

if TYPE_CHECKING:
    from ..derive.papers.verdict import Verdict


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
    from ..derive.decide.spelling import listed
    from ..derive.papers import ledger_of
    from ..derive.papers.ledger import number_of
    from ..derive.papers.verdict import WORDS

    found = ledger_of(paper)
    asked = list(found) if section is None else found.of_section(section)
    if section is not None and not asked:
        known = listed(list(dict.fromkeys(map(number_of, found.sections))))
        raise click.UsageError(f"{paper} has no section {short(str(section))!r}; it has {known}")
    checked = [(c, c.known_verdict() if stored else c.verdict()) for c in track(asked, "checking")]
    open_claims = [c for c, v in checked if v.word == "undecided"]
    if style == "json":
        rows = [
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
        click.echo(json_text(rows))
    else:
        words = [v.word for _, v in checked]
        some = "statement" if len(words) == 1 else "statements"
        counts = [f"{n} {SAID[w][1 + (n > 1)]}" for w in WORDS if (n := words.count(w))]
        said = f"{found.title} has no statements to check."
        if counts:
            said = f"Of {len(words)} {some} in {found.title}, {listed(counts)}."
        lines = [line for c, v in checked for line in _lines(c.label, v)]
        click.echo("\n".join([textwrap.fill(said, WIDTH), "", *lines]))
    return 1 if open_claims else 0


INDENT = " " * 6
#: The colour of a verdict, and how many have it: one, or more.
SAID = {
    "agrees": ("green", "agrees", "agree"),
    "misprint": ("yellow", "is a misprint", "are misprints"),
    "needs-condition": ("yellow", "needs a condition", "need a condition"),
    "differs": ("red", "differs", "differ"),
    "undecided": ("magenta", "is undecided", "are undecided"),
    "not-mathematical": (None, "is not mathematical", "are not mathematical"),
}


def _lines(label: str, v: Verdict) -> list[str]:
    """The verdict on a statement, and its note."""
    read = [f"under reading: {name} ({what})" for name, what in v.readings.items()]
    note = "; ".join([*read, *([v.note] if v.note else [])])
    head = f"  {click.style(f'{v.word:<16}', fg=SAID[v.word][0])}  {label}  [{v.evidence.grade}]"
    return [head, *textwrap.wrap(note, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)]
