"""``cltheory list`` and ``cltheory show``."""

from __future__ import annotations

import json

import click

from .parameters import ResultId, short
from .writing import formats


@click.command(
    "list",
    epilog="""\b
Examples:
  cltheory list
  cltheory list sigmoid
  cltheory list --format json
""",
)
@click.argument("word", required=False)
@formats("text", "json")
def list_command(word: str | None, style: str) -> int:
    """List the results by what they are about, one line each; with WORD those that mention it."""
    from ..derive.results import FAMILIES, OTHERS, results

    rows = [
        {
            "id": r.id,
            "title": r.title,
            "source": r.source,
            "about": results.about(r.id),
            "parameters": [*r.lists, *(s.name for s in r.parameters)],
        }
        for r in results.values()
    ]
    if word is not None:
        rows = [row for row in rows if word.lower() in " ".join(map(str, row.values())).lower()]
        if not rows:
            raise click.UsageError(f"no result mentions {short(word)!r}")
    if style == "json":
        click.echo(json.dumps(rows, indent=2))
        return 0
    width = max(len(str(row["id"])) for row in rows)
    groups = []
    for about in (*FAMILIES.values(), OTHERS):
        lines = [f"  {row['id']:<{width}}  {row['title']}" for row in rows if row["about"] == about]
        groups += ["\n".join([about, *lines])] if lines else []
    click.echo("\n\n".join(groups))
    return 0


@click.command("show", epilog="\b\nExample:\n  cltheory show supcl-optimum\n")
@click.argument("id", type=ResultId())
def show_command(id: str) -> int:
    """Show the result ID: its source, parameters, quantities and conditions."""
    from ..derive.results import results
    from ..derive.write.report import beyond, roots_of
    from .render import head_lines, root_lines

    r = results[id]
    _ = r.quantities  # proved before anything is said
    click.echo("\n".join([f"{r.id}: {r.title}", *head_lines(r), f"  source      {r.source}"]))
    for of in r.lists.values():
        click.echo(f"  --{of.name:<9} {of.takes}")
    for s in r.parameters:
        click.echo(f"  --{s.name:<9} {r.domain.ranges[s]}")
    click.echo("  quantities")
    said: set[str] = set()
    for name, q in r.quantities.items():
        click.echo(f"    {name:<24} {q.meaning}")
        if conditions := beyond(q, r, {}):
            click.echo(f"    {'':<24} for {'; '.join(conditions)}")
        for root, how in roots_of(q.expression, r).items():
            if root not in said:
                said.add(root)
                click.echo("\n".join(root_lines(root, *how, indent=6)))
    click.echo(f"  evidence    {r.evidence.grade}, {len(r.derivation)} checked steps")
    return 0
