"""Tables of sweeps as CSV: appended row by row, so that an interrupted run goes on."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ...derive.errors import Refusal

#: One line of a table, by the names of its columns.
Row: TypeAlias = dict[str, float | int | str]
#: Columns, in their order, with the types of what is in them.
Layout: TypeAlias = Mapping[str, type[float] | type[int] | type[str]]
M = TypeVar("M", bound=Mapping[str, Any])

#: Characters of a field, such as a configuration of an attack; the module refuses longer ones.
LONGEST = 2**31 - 1

# What counts steps or names something; everything else measured is a float.
_COUNTS = ("seed", "iterations", "evaluations", "hessian_products", "dead", "mismatched")
_NAMES = ("stop", "start", "dtype", "device", "encoder", "problem", "tolerance")


class TableError(Refusal, ValueError):
    """The file is not a table of this sweep; the message is one line."""


def layout(columns: Iterable[str], sizes: Iterable[str]) -> Layout:
    """Columns of these names; the sizes, ``d`` and what counts something hold integers."""
    whole = {*sizes, "d", *_COUNTS}
    return {k: str if k in _NAMES else int if k in whole else float for k in columns}


def key(cell: Mapping[str, Any], names: Iterable[str]) -> tuple[Hashable, ...]:
    """What tells a cell from others, proof against numbers that lost a digit in a table."""
    return tuple(_plain(cell[name]) for name in names)


def _plain(value: Any) -> Hashable:
    return float(f"{value:.12g}") if isinstance(value, (int, float)) else str(value)


def lacking(grid: Sequence[M], done: Iterable[Mapping[str, Any]]) -> list[M]:
    """Cells of a grid that are not among those done, or their rows."""
    told = (*grid[0],)
    known = {key(row, told) for row in done}
    return [cell for cell in grid if key(cell, told) not in known]


def alike(todo: Iterable[M], names: Sequence[str]) -> list[list[M]]:
    """Cells that differ in nothing of these names."""
    groups: dict[tuple[Hashable, ...], list[M]] = {}
    for cell in todo:
        groups.setdefault(key(cell, names), []).append(cell)
    return list(groups.values())


class Table:
    """A CSV file of rows, one line each.

    Parameters
    ----------
    path
        Created when the first row is written.
    setup
        Columns that tell one set-up from another, with the values that every row must have:
        rows of two do not mix in one table.
    columns
        What is in a row.

    Raises
    ------
    TableError
        If the file exists and is something else, or was made with another set-up.
    """

    def __init__(self, path: Path, setup: Mapping[str, float | int | str], columns: Layout):
        self.path, self.setup, self.columns = path, setup, columns
        self.rows = self._read() if path.exists() else []

    def _read(self) -> list[Row]:
        names = list(self.columns)
        alien = f"{self.path} is not a table of a sweep: choose another file"
        if not self.path.is_file():  # reading a device may never end
            raise TableError(f"{self.path} is not a file that cells can be stored in")
        try:
            text = self.path.read_bytes().decode("utf-8")
        except OSError as error:
            raise TableError(f"cannot read {self.path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise TableError(alien) from None
        lines = text.splitlines(keepends=True)
        # A run that was killed in the middle of a line leaves that line without its end.
        partial = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        if not lines:
            if not ",".join(names).startswith(partial.rstrip("\r")):
                raise TableError(alien)
            self._drop_partial(partial)
            return []
        rows: list[Row] = []
        csv.field_size_limit(LONGEST)
        try:
            header, *records = csv.reader(lines)
        except csv.Error:
            header, records = [], []
        if header != names:
            raise TableError(alien)
        for number, record in enumerate(records, 2):
            if record in (names, []):  # two runs that began at the same time both wrote a header
                continue
            try:
                pairs = zip(self.columns.items(), record, strict=True)
                rows.append({k: kind(value) for (k, kind), value in pairs})
            except ValueError:
                raise TableError(f"{self.path}, line {number} is not a row of a sweep") from None
        for row in rows:
            for column, value in self.setup.items():
                if row[column] != value:
                    raise TableError(
                        f"{self.path} was made with {column} = {row[column]}, not "
                        f"{value}: choose another file"
                    )
        self._drop_partial(partial)  # only now that the file is known to be such a table
        return rows

    def _drop_partial(self, tail: str) -> None:
        if not tail:
            return
        size = self.path.stat().st_size - len(tail.encode())
        with self.path.open("r+b") as file:
            file.truncate(size)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from filling the table meanwhile; what they added before is read.

        Where there is no ``flock`` (Windows) nobody is kept from it.

        Raises
        ------
        TableError
            If another process is filling it.
        """
        with self.path.open("a") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TableError(
                    f"another process is filling {self.path}: wait for it, or choose another file"
                ) from None
            except (ImportError, OSError):  # some network file systems have no locks
                pass
            try:
                self.rows = self._read()
                yield
            finally:
                if not self.path.stat().st_size:
                    self.path.unlink()

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows at the end, at once; what they do not say of the set-up is added."""
        fresh = not self.path.exists() or self.path.stat().st_size == 0
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow(self.columns)
            for row in ({**self.setup, **row} for row in rows):
                # repr keeps every digit of a float.
                values = (row[name] for name in self.columns)
                writer.writerow([repr(v) if isinstance(v, float) else v for v in values])
                self.rows.append(row)
