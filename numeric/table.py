"""Tables of sweeps as CSV: appended row by row, so that an interrupted run goes on."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from .sweep import Row

_TYPES = {"float": float, "int": int, "str": str}
#: Columns that tell one set-up from another; rows of two do not mix in one table.
SETUP = ("m", "n", "p", "d", "dtype")


class TableError(ValueError):
    """The file is not a table of this sweep; the message is one line."""


class Table:
    """A CSV file of :class:`~cltheory.numeric.sweep.Row`, one line each.

    Parameters
    ----------
    path
        Created when the first row is written.
    setup
        Values of the columns in :data:`SETUP` that every row must have.

    Raises
    ------
    TableError
        If the file exists and is something else, or was made with another set-up.
    """

    def __init__(self, path: Path, setup: dict[str, int | str]):
        self.path, self.setup = path, setup
        self.rows = self._read() if path.exists() else []

    def _read(self) -> list[Row]:
        names = [f.name for f in fields(Row)]
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TableError(f"cannot read {self.path}: {error}") from None
        lines = text.splitlines(keepends=True)
        # A run that was killed in the middle of a line leaves that line without its end.
        if lines and not lines[-1].endswith("\n"):
            self._drop_partial(lines.pop())
        if not lines:
            return []
        reader = csv.DictReader(lines)
        if reader.fieldnames is None or list(reader.fieldnames) != names:
            raise TableError(f"{self.path} is not a table of a sweep: give another --table")
        types = {f.name: _TYPES[str(f.type)] for f in fields(Row)}
        rows = []
        for number, record in enumerate(reader, 2):
            try:
                rows.append(Row(**{k: types[k](record[k]) for k in names}))
            except (TypeError, ValueError, KeyError):
                raise TableError(f"{self.path}, line {number} is not a row of a sweep") from None
        for row in rows:
            for column, value in self.setup.items():
                if getattr(row, column) != value:
                    raise TableError(
                        f"{self.path} was made with {column} = {getattr(row, column)}, not "
                        f"{value}: give another --table"
                    )
        return rows

    def _drop_partial(self, tail: str) -> None:
        size = self.path.stat().st_size - len(tail.encode())
        with self.path.open("r+b") as file:
            file.truncate(size)

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows at the end, at once."""
        fresh = not self.path.exists() or self.path.stat().st_size == 0
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow([f.name for f in fields(Row)])
            for row in rows:
                # repr keeps every digit of a float.
                writer.writerow(
                    [repr(v) if isinstance(v, float) else v for v in row.as_dict().values()]
                )
                self.rows.append(row)
