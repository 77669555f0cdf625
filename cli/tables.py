"""Tables on standard output, in which no number is ever cut, and rows with a label."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import Literal

from ..derive.frozen import FrozenValue

#: Wide enough for any row: a pipe or a file has no width of its own.
NO_LIMIT = 10_000
#: Characters of a line of text.
WIDTH = 100


def labelled(label: str, text: str, column: int = 12, hang: int = 0) -> list[str]:
    """A row of text under a label, which stands before its first line."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"  {label:<{column}}",
        subsequent_indent=" " * (column + 2 + hang),
        break_long_words=False,
    )


class Column(FrozenValue):
    """A column of a table.

    Attributes
    ----------
    number
        To the right, and never broken over lines.
    styles
        Colours for some of its values.
    """

    title: str
    number: bool = False
    styles: dict[str, str] | None = None


def show_table(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], *, piped: int = NO_LIMIT
) -> None:
    """Print a table as wide as the terminal, or ``piped`` characters wide where there is none.

    Words are wrapped between columns of numbers; where that is not enough, the lines are longer
    than the terminal.
    """
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title))
    for k, column in enumerate(columns):
        words = [
            word for cell in (column.title, *(row[k] for row in rows)) for word in cell.split()
        ]
        justify: Literal["left", "right"] = "right" if column.number else "left"
        table.add_column(
            Text(column.title),
            justify=justify,
            no_wrap=column.number,
            min_width=max(map(len, words), default=0),
        )
    for row in rows:
        styled = ((c.styles or {}).get(cell, "") for c, cell in zip(columns, row, strict=True))
        table.add_row(*map(Text, row, styled))
    watched = sys.stdout is not None and sys.stdout.isatty()
    console = Console() if watched else Console(width=piped)
    least = Measurement.get(console, console.options.update(max_width=NO_LIMIT), table).minimum
    console.width = max(console.width, least)
    console.print(table, crop=False)
