"""Tables on standard output, in which no number is ever cut."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

#: Wide enough for any row: a pipe or a file has no width of its own.
NO_LIMIT = 10_000


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    number
        To the right, and never broken over lines.
    spare
        Left out where there is no room: the highest goes first; 0 stays.
    styles
        Colours for some of its values.
    """

    title: str
    number: bool = False
    spare: int = 0
    styles: dict[str, str] | None = None


def show_table(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], *, piped: int = NO_LIMIT
) -> None:
    """Print a table as wide as the terminal, or ``piped`` characters wide where there is none.

    Words are wrapped. Where that is not enough columns are left out, and said to be; where even
    that is not enough the lines are longer than the terminal.
    """
    import click
    from rich.console import Console

    watched = sys.stdout is not None and sys.stdout.isatty()
    console = Console() if watched else Console(width=piped)
    left = list(range(len(columns)))
    while _needed(_least(columns, rows, left)) > console.width and any(
        columns[k].spare for k in left
    ):
        left.remove(max(left, key=lambda k: columns[k].spare))
    widths = _widths(columns, rows, left, console.width)
    console.width = max(console.width, _needed(widths))
    console.print(_table(title, columns, rows, widths))
    out = [c.title for k, c in enumerate(columns) if k not in left]
    if out:
        click.echo(f"(no room for {', '.join(out)}: a wider terminal, a pipe or --format json)")


Widths = dict[int, int]


def _needed(widths: Widths) -> int:
    """Characters in a line with its rules and blanks."""
    return 1 + sum(width + 3 for width in widths.values())


def _least(columns: Sequence[Column], rows: Sequence[Sequence[str]], left: Sequence[int]) -> Widths:
    """The least widths in which no number and no word is broken."""
    return {
        k: max(
            len(cell) if columns[k].number else max(map(len, cell.split()), default=0)
            for cell in _cells(columns, rows, k)
        )
        for k in left
    }


def _widths(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], left: Sequence[int], room: int
) -> Widths:
    """As wide as the cells are; where there is less room the widest columns give way."""
    least = _least(columns, rows, left)
    widths = {k: max(map(len, _cells(columns, rows, k))) for k in left}
    while _needed(widths) > room:
        loose = [k for k in left if widths[k] > least[k]]
        if not loose:
            break
        widths[max(loose, key=lambda k: widths[k])] -= 1
    return widths


def _cells(columns: Sequence[Column], rows: Sequence[Sequence[str]], k: int) -> list[str]:
    return [columns[k].title, *(row[k] for row in rows)]


def _table(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Widths
) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title))
    for k, width in widths.items():
        justify: Literal["left", "right"] = "right" if columns[k].number else "left"
        table.add_column(Text(columns[k].title), justify=justify, width=width)
    for row in rows:
        table.add_row(
            *(Text(row[k], style=(columns[k].styles or {}).get(row[k], "")) for k in widths)
        )
    return table
