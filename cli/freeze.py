"""``cltheory freeze``."""

from __future__ import annotations

import click

from .parameters import OWN_LOSS, ResultId
from .progress import track


@click.command(
    "freeze",
    epilog="""\b
Examples:
  cltheory freeze > cltheory.lock
  cltheory freeze supcl-threshold > cltheory.lock
  cltheory check --frozen cltheory.lock paper.tex
""",
)
@click.argument("ids", nargs=-1, type=ResultId())
@OWN_LOSS
def freeze_command(ids: tuple[str, ...], losses: tuple[str, ...]) -> int:
    """Print the current formulas of the results IDS (default: all).

    Keep the output with the paper: `cltheory check --frozen FILE` then reports which formulas have
    changed since, and whether old and new formulas are still equal. Files of losses are named from
    the folder of the lock, so run this there.
    """
    from ..derive.results import results
    from ..derive.write.lock import freeze

    ids = (*ids, *losses)
    for id in track(ids or tuple(results), "deriving"):
        _ = results[id].quantities  # kept, and so written at once below
    click.echo(freeze(ids), nl=False)
    return 0
