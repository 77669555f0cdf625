"""Arrays in files: npz, npy, CSV, parquet, safetensors. Nothing is unpickled.

What cannot be read is refused in one line that says what was found, or what to install.
"""

from __future__ import annotations

import csv
import io
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .numeric_options import is_number
from .parameters import read_text, short

if TYPE_CHECKING:
    import numpy as np

    Arrays = Mapping[str, np.ndarray[Any, Any]]

#: Bytes of a file, beyond which it is not read.
LARGEST = 4_000_000_000
#: What NumPy and zipfile raise of a file that is none: a header is read as Python, sizes are
#: multiplied, and what is packed may be in a way that is not known.
UNREADABLE = (
    *(ValueError, TypeError, OverflowError, KeyError, RuntimeError, EOFError, OSError, SyntaxError),
    *(tokenize.TokenError, struct.error, zlib.error, zipfile.BadZipFile),
)
#: Endings that are read, and those of files that hold pickles.
KNOWN = (".npz", ".npy", ".csv", ".tsv", ".txt", ".parquet", ".safetensors")
PICKLED = (".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".bin", ".joblib")
#: What stands where a value is missing.
MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))
#: What the numbers of a table are called, where no name is given to them together.
COLUMNS = "columns"
#: Columns of a table that are labels, unless they are said to be others.
LABELS = ("label", "labels", "target", "targets", "class", "classes")


def arrays(name: str, labels: str | None = None) -> Arrays:
    """All arrays of a file, by name; the one of an ``.npy`` or of a table has its own.

    Parameters
    ----------
    name
        The file.
    labels
        In a table, the column of the labels, which is no number of an embedding; by default one
        of a usual name.

    Raises
    ------
    click.UsageError
        If it cannot be read.
    """
    path = file_of(name)
    kind = path.suffix.lower()
    if kind in PICKLED:
        raise click.UsageError(
            f"{short(name)} may hold a pickle, which is not read: save the array with numpy.savez"
        )
    if kind not in KNOWN:
        raise click.UsageError(f"{short(name)} must end in one of {', '.join(KNOWN)}")
    if not path.stat().st_size:
        raise click.UsageError(f"{short(name)} is empty")
    readers = {".npz": _npz, ".npy": _npy, ".parquet": _parquet, ".safetensors": _safetensors}
    if kind in readers:
        found = readers[kind](path)
    else:
        found = _table(path, labels)
    if not found:
        raise click.UsageError(f"{short(name)} has no arrays")
    for array in found.values():
        _check_text(name, array)
    return found


def file_of(name: str) -> Path:
    """A file of a size that is read.

    Raises
    ------
    click.UsageError
        If there is none, or it is larger.
    """
    path = Path(name)
    if not path.exists():
        raise click.UsageError(f"the file {short(name)!r} does not exist")
    if not path.is_file():
        raise click.UsageError(f"{short(name)!r} is not a file")
    if path.stat().st_size > LARGEST:
        raise click.UsageError(f"{short(name)} has more than {LARGEST} bytes")
    return path


def _no_array(path: Path, error: Exception) -> click.UsageError:
    """The refusal of a file of which NumPy said this."""
    why = (str(error).splitlines() or [type(error).__name__])[0]
    if "pickle" in str(error) or "Python objects" in str(error):
        why = "it holds Python objects, which are not unpickled"
    return click.UsageError(f"{short(str(path))} is not a NumPy array: {short(why)}")


def _check_text(name: str, array: Any) -> None:
    """Refuse code points that are no characters of Unicode; nothing could print them."""
    import numpy as np

    if array.dtype.kind != "U" or not array.dtype.itemsize:
        return
    points = np.ascontiguousarray(array).reshape(-1).view(f"{array.dtype.byteorder}u4")
    if ((points > sys.maxunicode) | ((points >= 0xD800) & (points < 0xE000))).any():
        raise click.UsageError(f"{short(name)} holds text that is not Unicode")


def _npy(path: Path) -> Arrays:
    import numpy as np

    try:
        return {path.stem: np.lib.format.open_memmap(path, mode="r")}
    except UNREADABLE as error:
        raise _no_array(path, error) from None


def _npz(path: Path) -> Arrays:
    import numpy as np

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > LARGEST:
            raise click.UsageError(f"{short(str(path))} unpacks to more than {LARGEST} bytes")
        with np.load(path, allow_pickle=False) as found:
            if not hasattr(found, "files"):
                raise ValueError("it is not an archive")
            members = {name: found[name] for name in found.files}
            # What is no array comes as bytes.
            return {k: v for k, v in members.items() if isinstance(v, np.ndarray)}
    except UNREADABLE as error:
        raise _no_array(path, error) from None
    except MemoryError:
        raise click.UsageError(f"{short(str(path))} has more numbers than memory holds") from None


def rows_of(name: str) -> list[list[str]]:
    """The lines of a CSV file, all of one width, without empty ones at the end.

    Raises
    ------
    click.UsageError
        If it cannot be read, or is empty.
    """
    said, text = short(name), read_text(name, LARGEST)
    head = text.splitlines()[0] if text else ""
    delimiter = next((d for d in (",", ";", "\t") if d in head), ",")
    try:
        # Lines end as CSV says, and not where Unicode would end them within a label.
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise click.UsageError(f"{said} is not a CSV file: {error}") from None
    # A line that is empty is a missing value among others, and nothing at the end.
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise click.UsageError(f"{said} is empty")
    wide = len(rows[0])
    for line, row in enumerate(rows, 1):
        if len(row or [""]) != wide:
            raise click.UsageError(
                f"{said}, line {line} has {len(row)} values, but the first has {wide}"
            )
    return [[cell.strip() for cell in row] or [""] for row in rows]


def matrix_of(name: str, rows: list[list[str]]) -> Any:
    """The numbers of lines of text.

    Raises
    ------
    click.UsageError
        If a cell is not a number; one line that says where.
    """
    import numpy as np

    for k, row in enumerate(rows):
        for column, cell in enumerate(row):
            if not is_number(cell) or is_missing(cell):
                why = "is missing" if is_missing(cell) else "is not a number"
                raise click.UsageError(
                    f"{short(name)}: sample {k + 1}, column {column + 1}: {short(cell)!r} {why}"
                )
    return np.array(rows, dtype=np.float64)


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a value that is not there."""
    return cell.lower() in MISSING


def _table(path: Path, labels: str | None) -> Arrays:
    """The numbers of a CSV file, and a column of labels as text."""
    import numpy as np

    name, rows = str(path), rows_of(str(path))
    head: list[str] = [] if any(map(is_number, rows[0])) else rows.pop(0)
    if labels is None:
        called = [cell for cell in head if cell.lower() in LABELS]
        labels = called[0] if len(called) == 1 else None
    if not rows:
        raise click.UsageError(f"{short(name)} has no numbers")
    if labels is None or labels not in head:
        return {COLUMNS: matrix_of(name, rows)}
    _is_free(name, labels)
    place = head.index(labels)
    text = np.array([row.pop(place) for row in rows])
    return {COLUMNS: matrix_of(name, rows), labels: text}


def _is_free(name: str, column: str) -> None:
    if column == COLUMNS:
        raise click.UsageError(
            f"{name}: rename column {COLUMNS!r}: the name is reserved for all columns of numbers"
        )


def _parquet(path: Path) -> Arrays:
    """Columns of lists as arrays, columns of numbers together as one, and others as they are."""
    import numpy as np

    _need("pyarrow", "parquet")
    import pyarrow
    import pyarrow.parquet

    name = short(str(path))
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        why = str(error).splitlines()[0]
        raise click.UsageError(f"{name} is not a parquet file: {why}") from None
    found: dict[str, Any] = {}
    plain: list[Any] = []
    for column in table.column_names:
        values, kind = table[column].combine_chunks(), table[column].type
        if values.null_count:
            raise click.UsageError(f"{name}: column {short(column)!r} has missing values")
        if pyarrow.types.is_list(kind) or pyarrow.types.is_fixed_size_list(kind):
            if len(set(pyarrow.compute.list_value_length(values).to_pylist())) != 1:
                raise click.UsageError(f"{name}: rows of {short(column)!r} have different lengths")
            flat = values.flatten().to_numpy(zero_copy_only=False)
            found[column] = flat.reshape(len(table), -1)
        elif pyarrow.types.is_floating(kind):
            plain.append(values.to_numpy(zero_copy_only=False))
        else:
            found[column] = np.asarray(values.to_pylist())
    if plain:
        for called in found:
            _is_free(name, called)
        found[COLUMNS] = np.stack(plain, axis=1)
    return found


def _safetensors(path: Path) -> Arrays:
    _need("safetensors", "safetensors")
    import torch
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="pt") as file:
            found = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, OSError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise click.UsageError(f"{short(str(path))} is not a safetensors file: {why}") from None
    # NumPy has no bfloat16.
    return {k: (v.float() if v.dtype == torch.bfloat16 else v).numpy() for k, v in found.items()}


def _need(package: str, kind: str) -> None:
    if find_spec(package) is None:
        raise click.UsageError(
            f"a {kind} file needs {package}: pip install {package}; or save it with numpy.savez"
        )
