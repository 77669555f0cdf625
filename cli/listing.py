"""``cltheory list`` and ``cltheory show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .parameters import ResultId, short
from .writing import formats, json_text

if TYPE_CHECKING:
    from ..derive.theorem.result import Result


@click.command(
    "list",
    epilog="""\b
Examples:
  cltheory list
  cltheory list sigmoid
  cltheory list long-tailed
  cltheory list --format json
""",
)
@click.argument("word", required=False)
@formats("text", "json")
def list_command(word: str | None, style: str) -> int:
    """List the results by what they are about, one line each; with WORD those that mention it.

    WORD is searched in ids, titles, sources, losses, libraries, parameters and keywords; if none of
    these has it, also in quantities and proofs."""
    from ..derive.results import FAMILIES, OTHERS, results
    from ..derive.write.rocq.rungs import RUNGS, exported, limits

    everyone = list(results.values())
    if word is not None:
        everyone = _found(everyone, word.lower())
        if not everyone:
            raise click.UsageError(
                f"no result mentions {short(word)!r}; a loss of your own is declared in a file "
                "(docs/problem-files.md)"
            )
    rows = [
        {
            "id": r.id,
            "title": r.title,
            "source": r.source,
            "about": results.about(r.id),
            "parameters": [*r.lists, *(s.name for s in r.parameters)],
            "kernel": exported(r.id),
            "kernel_limits": limits(r.id),
        }
        for r in everyone
    ]
    if style == "json":
        click.echo(json_text(rows))
        return 0
    width = max(len(str(row["id"])) for row in rows)
    marks = {rung: mark for rung, (mark, _) in RUNGS.items()}
    groups = []
    for about in (*FAMILIES.values(), OTHERS):
        lines = [
            f"  {row['id']:<{width}} {marks.get(str(row['kernel']), ' ')} {row['title']}"
            for row in rows
            if row["about"] == about
        ]
        groups += ["\n".join([about, *lines])] if lines else []
    legend = ", ".join(map(" ".join, RUNGS.values()))
    click.echo("\n\n".join([*groups, f"For Rocq (cltheory prove ID): {legend}."]))
    return 0


def _found(among: list[Result], word: str) -> list[Result]:
    """The results that a word names; if it names none, those whose texts have it."""
    from ..derive.losses.conventions import CONVENTIONS
    from ..derive.results import results

    def about(r: Result) -> str:
        of_loss = [] if r.declared is None else [r.declared.title, r.declared.source]
        of_loss += [f"{c.name} {c.source}" for c in CONVENTIONS.values() if c.reading(r.declared)]
        said = (r.id, r.title, r.source, results.about(r.id), results.keywords(r.id), *r.lists)
        return "\n".join([*said, *of_loss, *map(str, r.parameters), *r.meanings.values()])

    named = [r for r in among if word in about(r).lower()]
    return named or [r for r in among if word in results.texts(r.id).lower()]


@click.command("show", epilog="\b\nExample:\n  cltheory show supcl-optimum\n")
@click.argument("id", type=ResultId())
def show_command(id: str) -> int:
    """Show the result ID: its source, parameters, quantities and conditions."""
    from ..derive.results import results
    from ..derive.write.report import beyond, roots_of
    from ..derive.write.rocq.rungs import exported, limits
    from .render import head_lines, root_lines, wrapped

    r = results[id]
    _ = r.quantities  # proved before anything is said
    lines = [f"{r.id}: {r.title}", *head_lines(r), *wrapped(f"source      {r.source}", 2, 14)]
    for of in r.lists.values():
        lines += wrapped(f"--{of.name:<9} {of.takes}", 2, 14)
    for s in r.parameters:
        lines += wrapped(f"--{s.name:<9} {r.domain.ranges[s]}", 2, 14)
    lines.append("  quantities")
    said: set[str] = set()
    for name, q in r.quantities.items():
        lines += wrapped(f"{name:<24} {q.meaning}", 4, 29)
        if conditions := beyond(q, r, {}):
            lines += wrapped(f"for {'; '.join(conditions).replace(' is an ', ' an ')}", 29)
        for root, how in roots_of(q.expression, r).items():
            if root not in said:
                said.add(root)
                lines += root_lines(root, *how, indent=6)
    lines += wrapped(f"evidence    {r.graded()}, {len(r.derivation)} checked steps", 2, 14)
    if rung := exported(r.id):
        says = f"{rung}, exported (cltheory prove {r.id} has Rocq check it)"
        lines += wrapped(f"kernel      {says}", 2, 14)
        if left := limits(r.id):
            lines += wrapped(left, 14)
    click.echo("\n".join(lines))
    return 0
