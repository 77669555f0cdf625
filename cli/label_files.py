"""Labels, weights and embeddings in files of the user's: CSV, and arrays of NumPy.

Nothing is unpickled. What cannot be read is refused in one line that says where.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .array_files import arrays, file_of
from .numeric_options import is_count, is_number
from .parameters import from_file, short

if TYPE_CHECKING:
    from ..numeric.realize.pairs import Array

#: What stands where a value is missing.
MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))
#: Names that a column of classes has, where only the first line can tell.
HEADS = frozenset("class classes label labels y target targets category id name".split())


class Classes(NamedTuple):
    """Class names, the size of each, and the class of each sample."""

    names: list[str]
    sizes: list[int]
    of_sample: list[int]


def classes(name: str, column: str | None, header: bool | None) -> Classes:
    """One label a sample: text or numbers; the classes are in the order of their names."""
    rows = _column(name, column, header)
    found = sorted(set(rows), key=_natural)
    place = {label: k for k, label in enumerate(found)}
    index = [place[label] for label in rows]
    sizes = [0] * len(found)
    for k in index:
        sizes[k] += 1
    return Classes(found, sizes, index)


def _natural(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


def _column(name: str, column: str | None, header: bool | None) -> list[str]:
    if Path(name).suffix.lower() in (".npy", ".npz"):
        array = load(name)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1 or array.dtype.kind not in "biufUS":
            raise click.UsageError(
                f"{short(name)}: class labels are one number or word a sample, not an array of "
                f"shape {array.shape} and type {array.dtype}"
            )
        if array.dtype.kind == "f":
            import numpy as np

            if not np.isfinite(array).all():
                bad = int(np.argmin(np.isfinite(array)))
                raise click.UsageError(f"{short(name)}: the label of sample {bad + 1} is missing")
            # What int64 does not hold stays as it is; 0.0 and -0.0 are one label.
            whole = (array == np.round(array)).all() and float(np.abs(array).max()) < 2.0**63
            array = array.astype(np.int64) if whole else array + 0.0
        if array.dtype.kind == "S":
            array = _decoded(name, array)
        return _none_missing(name, [str(x) for x in array.tolist()])
    rows = _rows(name)
    wide = len(rows[0])
    here, is_head = _place(name, rows, column, header, wide)
    if is_head is None:
        is_head = _looks_like_a_head([row[here] for row in rows])
    rows = rows[1:] if is_head else rows
    if not rows:
        raise click.UsageError(f"{short(name)} has a header and no labels")
    return _none_missing(name, [row[here].strip() for row in rows])


def _decoded(name: str, array: Any) -> Any:
    import numpy as np

    try:
        return np.char.decode(array, "utf-8")
    except UnicodeDecodeError:
        raise click.UsageError(f"{short(name)} holds bytes that are not UTF-8 text") from None


def _none_missing(name: str, labels: list[str]) -> list[str]:
    for sample, label in enumerate(labels):
        if label.lower() in MISSING:
            raise click.UsageError(
                f"{short(name)}: the label of sample {sample + 1} is missing ({label!r})"
            )
    return labels


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in MISSING


def _looks_like_a_head(column: Sequence[str]) -> bool:
    """Whether the first is no label: a word over numbers, or a name that columns have."""
    first, rest = column[0].strip(), column[1:]
    if _is_number(first) or _is_missing(first):
        return False
    if rest and all(_is_number(cell) or _is_missing(cell) for cell in rest):
        return True
    return first.lower() in HEADS and first not in {cell.strip() for cell in rest}


def vectors(name: str, header: bool | None, what: str = "labels") -> Array:
    """A matrix of finite numbers, one row a sample."""
    import numpy as np

    if Path(name).suffix.lower() in (".npy", ".npz"):
        array = load(name)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise click.UsageError(
                f"{short(name)}: {what} are numbers, one row a sample, not an array of shape "
                f"{array.shape} and type {array.dtype}"
            )
        found = array.astype(np.float64)
        if not np.isfinite(found).all():
            row = int(np.argmin(np.isfinite(found).all(axis=1)))
            raise click.UsageError(f"{short(name)}: row {row + 1} has a value that is not a number")
        if not found.size:
            raise click.UsageError(f"{short(name)} is empty")
        return found
    rows = _rows(name)
    # A line of missing values is a sample: names are there, and are no numbers.
    is_named = not any(map(_is_number, rows[0])) and not all(map(_is_missing, rows[0]))
    if header or (header is None and is_named):
        rows = rows[1:]
    if not rows:
        raise click.UsageError(f"{short(name)} has a header and no {what}")
    for line, cells in enumerate(rows):
        for k, cell in enumerate(cells):
            if not _is_number(cell):
                said = "is missing" if _is_missing(cell) else "is not a number"
                raise click.UsageError(
                    f"{short(name)}: sample {line + 1}, column {k + 1}: {short(cell)!r} {said}"
                )
    found = np.array([[float(cell) for cell in row] for row in rows])
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found).all(axis=1)))
        raise click.UsageError(f"{short(name)}: sample {row + 1} has a value that is not finite")
    return found


def matrix(name: str) -> Any:
    """A matrix of numbers as it is; what is wrong with it is for others to say."""
    if Path(name).suffix.lower() in (".npy", ".npz"):
        return load(name)
    return vectors(name, None, "weights")


def listed(name: str, value: str) -> Any:
    """A list or a matrix that a result takes: text, or what is in the file that it names."""
    if Path(value).suffix.lower() in (".npy", ".npz"):
        return load(value)
    return from_file(name, value)


def load(name: str) -> Any:
    """The one array of a ``.npy`` or ``.npz`` file."""
    found = arrays(name)
    if len(found) != 1:
        raise click.UsageError(
            f"{short(name)} has {len(found)} arrays ({short(', '.join(found))}): give a file with "
            "one, as numpy.save writes it"
        )
    return _real(name, *found.values())


def _real(name: str, array: Any) -> Any:
    if array.dtype.kind not in "biufUS":
        raise click.UsageError(f"{short(name)} holds {array.dtype}, neither numbers nor text")
    if not array.size:
        raise click.UsageError(f"{short(name)} is empty")
    return array


def _rows(name: str) -> list[list[str]]:
    """The lines of a CSV file, all of one width, without empty ones at the end."""
    path = file_of(name)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"{short(name)} is not a UTF-8 text file") from None
    except OSError as error:
        raise click.UsageError(f"{short(name)} cannot be read: {error.strerror}") from None
    head = text.splitlines()[0] if text else ""
    delimiter = next((d for d in (",", ";", "\t") if d in head), ",")
    try:
        # Lines end as CSV says, and not where Unicode would end them within a label.
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise click.UsageError(f"{short(name)} is not a CSV file: {error}") from None
    # A line that is empty is a missing value among others, and nothing at the end.
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise click.UsageError(f"{short(name)} is empty")
    wide = len(rows[0])
    for line, row in enumerate(rows, 1):
        if len(row) != wide and not (wide == 1 and not row):
            raise click.UsageError(
                f"{short(name)}, line {line} has {len(row)} values, but the first has {wide}"
            )
    return [row or [""] for row in rows]


def _place(
    name: str, rows: list[list[str]], column: str | None, header: bool | None, wide: int
) -> tuple[int, bool | None]:
    """Which column it is, and whether the first line is known to be a header."""
    if column is None:
        if wide != 1:
            raise click.UsageError(
                f"{short(name)} has {wide} columns ({short(', '.join(rows[0]))}): say which holds "
                "the classes with --column, by its name or number"
            )
        return 0, header
    names = [cell.strip() for cell in rows[0]]
    if column in names and header is not False:
        return names.index(column), True
    if is_count(column) and 1 <= int(column[:9]) <= wide:
        return int(column) - 1, header
    raise click.UsageError(
        f"{short(name)} has no column {short(column)!r}: give 1 to {wide}, or a name in the "
        f"first line, {short(', '.join(names))}"
    )


def _is_number(cell: str) -> bool:
    return is_number(cell) and not _is_missing(cell)
