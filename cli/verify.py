"""``cltheory verify``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from .numeric_options import (
    DEVICE,
    DTYPE,
    SEEDS,
    need_torch,
    parse_device,
    parse_dtype,
    parse_seeds,
)
from .parameters import ResultCommand, complete_id, split


@click.command(
    "verify",
    cls=ResultCommand,
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  cltheory verify supcl-threshold --m 10 --n 10 --p 2 --tau 0.2
  cltheory verify supcl-optimum --m 4 --n 5 --alpha 0.7 --tau 0.3 --seeds 0,1,2
  cltheory verify towers-threshold --K 3 --N 6 --p 2 --w 1/2
""",
)
@click.argument("id", shell_complete=complete_id)
@click.argument("parameters", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--d",
    type=click.IntRange(min=1),
    help="Embedding dimension; by default m n, for two towers max(N, 3), for K towers N + K.",
)
@SEEDS
@DTYPE
@DEVICE
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text")
def verify_command(
    id: str,
    parameters: tuple[str, ...],
    d: int | None,
    seeds: str,
    dtype: str,
    device: str,
    style: str,
) -> int:
    """Check the result ID on embeddings optimised by torch; exit 1 on disagreement.

    PARAMETERS are --name value pairs; what is not given takes small defaults, and alpha is
    picked on both sides of the threshold. The gap certifies how far the loss found can be
    from its global minimum.
    """
    values = split(parameters, id)
    chosen = parse_seeds(seeds)
    from ..derive.engine.domain import DomainError
    from ..derive.results import UnknownResult

    need_torch()
    where = parse_device(device)
    from ..numeric.verify import verify

    try:
        checks = verify(id, d=d, seeds=chosen, dtype=parse_dtype(dtype), device=where, **values)
    except (DomainError, UnknownResult, ValueError) as refusal:
        raise click.UsageError(str(refusal)) from None
    failed = [c for c in checks if c.verdict == "disagrees"]
    if style == "json":
        rows = [asdict(c) | {"difference": c.difference, "verdict": c.verdict} for c in checks]
        click.echo(json.dumps(rows, indent=2))
        return 1 if failed else 0
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{id}: derived against optimised embeddings")
    for name in ("quantity", "at"):
        table.add_column(name)
    for name in ("predicted", "measured", "difference", "tolerance", "certified gap"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    colours = {"agrees": "green", "disagrees": "red", "not covered": "yellow"}
    for c in checks:
        gap = "" if c.gap is None else f"{c.gap:.1e}"
        if c.stop not in ("", "converged"):
            gap += f" ({c.stop})"
        table.add_row(
            c.what,
            c.at,
            f"{c.predicted:.9f}",
            f"{c.measured:.9f}",
            f"{c.difference:+.1e}",
            f"{c.tolerance:.0e}",
            gap,
            f"[{colours[c.verdict]}]{c.verdict}[/]",
        )
    console = Console()
    (console if console.is_terminal else Console(width=140)).print(table)
    click.echo(f"{len(checks)} checks, {len(failed)} disagree")
    return 1 if failed else 0
