"""``cltheory new-theorem`` and ``cltheory new-paper``: the files that an author fills in.

In a clone they are laid where the project's own are; anywhere else they become, or join, a package
of the author's own, which registers them as entry points.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click

from ..writing import write
from .files import Laid, lay_paper, lay_theorem

TO = click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder of a cltheory clone or of your own package.",
)


def _named(pattern: str, says: str) -> Callable[..., str]:
    def check(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise click.UsageError(f"{param.name} {value[:60]!r} is not {says}")
        return value

    return check


@click.command(
    "new-theorem",
    epilog="""\b
Examples:
  cltheory new-theorem my-threshold --to my-theory
  cltheory new-theorem supcl-orthogonal --family classes
""",
)
@click.argument(
    "id", callback=_named(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", "lower-case words with hyphens, my-bound")
)
@TO
@click.option(
    "--family",
    type=click.Choice(["classes", "instances", "towers", "sizes"]),
    default="classes",
    help="Family of the result, its folder in a clone.",
)
def new_theorem_command(id: str, folder: Path, family: str) -> int:
    """Write the files of a new theorem ID: the result and its test.

    The files run as written, on an example, and mark where your loss, your text and your check
    belong. The test fails until all of them are filled in.
    """
    from ...derive.results import results

    if id in results:
        raise click.UsageError(f"the result {id!r} already exists")
    return _laid(lay_theorem(id, folder, family))


@click.command(
    "new-paper",
    epilog="""\b
Examples:
  cltheory new-paper doe2030spheres --to my-theory
""",
)
@click.argument(
    "key", callback=_named(r"[a-z]+[0-9]{4}[a-z]*", "a name, a year and a word, doe2030spheres")
)
@TO
def new_paper_command(key: str, folder: Path) -> int:
    """Write the files of the ledger of the paper KEY: its records and their test.

    A record quotes the paper exactly as printed and names the place; its verdict is computed.
    """
    from ...derive.papers import PAPERS, PLUGINS

    if key in PAPERS or key in PLUGINS.names:
        raise click.UsageError(f"the paper {key!r} already exists")
    return _laid(lay_paper(key, folder))


def _laid(laid: Laid) -> int:
    """Write what there is to write, and say what is left to do."""
    existing = [path for path in laid.files if path.exists()]
    if existing:
        raise click.UsageError(f"{existing[0]} already exists; nothing was written")
    texts = laid.files | laid.changed
    for path in texts:
        path.parent.mkdir(parents=True, exist_ok=True)
    write(texts)
    for path in texts:
        click.echo(f"{'changed' if path in laid.changed else 'wrote  '} {path}")
    click.echo("\n".join(["", "Next:", *(f"  {k}. {step}" for k, step in enumerate(laid.next, 1))]))
    return 0
