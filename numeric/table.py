"""Tables of sweeps as CSV: appended row by row, so that an interrupted run goes on."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

_TYPES = {"float": float, "int": int, "str": str}


class Record(Protocol):
    """A dataclass whose fields are numbers and strings; one line of a table."""

    def __init__(self, **columns: Any) -> None: ...

    def as_dict(self) -> dict[str, float | int | str]:
        """Columns by name."""


R = TypeVar("R", bound=Record)


class TableError(ValueError):
    """The file is not a table of this sweep; the message is one line."""


class Table(Generic[R]):
    """A CSV file of rows such as :class:`~cltheory.numeric.sweep.Row`, one line each.

    Parameters
    ----------
    path
        Created when the first row is written.
    setup
        Columns that tell one set-up from another, with the values that every row must have:
        rows of two do not mix in one table.
    row
        The class of its rows.

    Raises
    ------
    TableError
        If the file exists and is something else, or was made with another set-up.
    """

    def __init__(self, path: Path, setup: Mapping[str, float | int | str], row: type[R]):
        self.path, self.setup, self.row = path, setup, row
        self.rows = self._read() if path.exists() else []

    def _columns(self) -> list[str]:
        return [f.name for f in fields(self.row)]  # type: ignore[arg-type]

    def _read(self) -> list[R]:
        names = self._columns()
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TableError(f"cannot read {self.path}: {error}") from None
        lines = text.splitlines(keepends=True)
        # A run that was killed in the middle of a line leaves that line without its end.
        partial = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        if not lines:
            if not ",".join(names).startswith(partial.rstrip("\r")):
                raise TableError(f"{self.path} is not a table of a sweep: give another --table")
            self._drop_partial(partial)
            return []
        reader = csv.DictReader(lines)
        try:
            header = list(reader.fieldnames or ())
        except csv.Error:
            header = []
        if header != names:
            raise TableError(f"{self.path} is not a table of a sweep: give another --table")
        types = {f.name: _TYPES[str(f.type)] for f in fields(self.row)}  # type: ignore[arg-type]
        rows = []
        try:
            for record in reader:
                rows.append(self.row(**{k: types[k](record[k]) for k in names}))
        except (TypeError, ValueError, KeyError, csv.Error):
            number = len(rows) + 2
            raise TableError(f"{self.path}, line {number} is not a row of a sweep") from None
        for row in rows:
            for column, value in self.setup.items():
                if getattr(row, column) != value:
                    raise TableError(
                        f"{self.path} was made with {column} = {getattr(row, column)}, not "
                        f"{value}: give another --table"
                    )
        self._drop_partial(partial)  # only now that the file is known to be such a table
        return rows

    def _drop_partial(self, tail: str) -> None:
        if not tail:
            return
        size = self.path.stat().st_size - len(tail.encode())
        with self.path.open("r+b") as file:
            file.truncate(size)

    def append(self, rows: Iterable[R]) -> None:
        """Write rows at the end, at once."""
        fresh = not self.path.exists() or self.path.stat().st_size == 0
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow(self._columns())
            for row in rows:
                # repr keeps every digit of a float.
                writer.writerow(
                    [repr(v) if isinstance(v, float) else v for v in row.as_dict().values()]
                )
                self.rows.append(row)
