"""``cltheory list`` and ``cltheory show``."""

from __future__ import annotations

import json

import click

from .parameters import ResultId
from .writing import formats


@click.command("list", epilog="\b\nExample:\n  cltheory list --format json\n")
@formats("text", "json")
def list_command(style: str) -> int:
    """List the results, one line each."""
    from ..derive.results import results

    rows = [
        {
            "id": r.id,
            "title": r.title,
            "source": r.source,
            "parameters": [*r.lists, *(s.name for s in r.parameters)],
        }
        for r in results.values()
    ]
    if style == "json":
        click.echo(json.dumps(rows, indent=2))
        return 0
    width = max(len(str(row["id"])) for row in rows)
    for row in rows:
        click.echo(f"{row['id']:<{width}}  {row['title']} ({' '.join(row['parameters'])})")
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
        if conditions := beyond(q, r):
            click.echo(f"    {'':<24} for {'; '.join(conditions)}")
        for root, how in roots_of(q.expression, r).items():
            if root not in said:
                said.add(root)
                click.echo("\n".join(root_lines(root, *how, indent=6)))
    click.echo(f"  evidence    {r.evidence.grade}, {len(r.derivation)} checked steps")
    return 0
