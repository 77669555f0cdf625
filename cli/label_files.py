"""Labels, weights and embeddings in files of the user's: CSV, and arrays of NumPy.

Nothing is unpickled. What cannot be read is refused in one line that says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .array_files import arrays, is_missing, matrix_of, rows_of
from .numeric_options import is_count, is_number
from .parameters import from_file, short

if TYPE_CHECKING:
    from ..derive.theorem.result import Result
    from ..numeric.realize.pairs import Array

#: Names that a column of classes has, where only the first line can tell.
HEADS = frozenset("class classes label labels y target targets category id name".split())


class Classes(NamedTuple):
    """Class names, the size of each, and the class of each sample."""

    names: list[str]
    sizes: list[int]
    of_sample: list[int]


def classes(name: str, column: str | None) -> Classes:
    """One label a sample: text or numbers; the classes are in the order of their names."""
    if _is_array(name):
        return classes_of(name, load(name), column)
    rows = rows_of(name)
    here, is_head = _place(name, rows, column)
    labels = [row[here] for row in rows]
    if is_head or _looks_like_a_head(labels):
        labels = labels[1:]
    if not labels:
        raise click.UsageError(f"{short(name)} has a header and no labels")
    return _of_text(name, labels)


def classes_of(name: str, array: Any, column: str | None = None) -> Classes:
    """The same of an array, where numbers are one class iff they are equal."""
    import numpy as np

    if column is not None:
        raise click.UsageError(
            f"--column needs --labels of a CSV file, and {short(name)} is one array"
        )
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1 or array.dtype.kind not in "biufUS":
        raise click.UsageError(
            f"{short(name)}: class labels are one number or word a sample, not an array of "
            f"shape {array.shape} and type {array.dtype}"
        )
    if array.dtype.kind == "S":
        try:
            array = np.char.decode(array, "utf-8")
        except UnicodeDecodeError:
            raise click.UsageError(f"{short(name)} holds bytes that are not UTF-8 text") from None
    if array.dtype.kind == "U":
        return _of_text(name, array.tolist())
    if not np.isfinite(array).all():
        bad = int(np.argmin(np.isfinite(array)))
        raise click.UsageError(f"{short(name)}: the label of sample {bad + 1} is missing")
    values, index, sizes = np.unique(array, return_inverse=True, return_counts=True)
    names = [str(value).removesuffix(".0") for value in values.tolist()]
    return Classes(names, sizes.tolist(), index.tolist())


def _of_text(name: str, labels: Sequence[str]) -> Classes:
    for sample, label in enumerate(labels):
        if is_missing(label):
            raise click.UsageError(
                f"{short(name)}: the label of sample {sample + 1} is missing ({label!r})"
            )
    place = {label: k for k, label in enumerate(sorted(set(labels), key=_natural))}
    index = [place[label] for label in labels]
    sizes = [0] * len(place)
    for k in index:
        sizes[k] += 1
    return Classes(list(place), sizes, index)


def _natural(label: str) -> tuple[int, float, str]:
    return (0, float(label), label) if is_number(label) else (1, 0.0, label)


def _looks_like_a_head(column: Sequence[str]) -> bool:
    """Whether the first is no label: a word over numbers, or a name that columns have."""
    first, rest = column[0], column[1:]
    if is_number(first) or is_missing(first):
        return False
    if rest and all(is_number(cell) or is_missing(cell) for cell in rest):
        return True
    return first.lower() in HEADS and first not in rest


def _place(name: str, rows: list[list[str]], column: str | None) -> tuple[int, bool]:
    """Which column it is, and whether the first line is known to be a header."""
    names = rows[0]
    if column is None:
        if len(names) != 1:
            raise click.UsageError(
                f"{short(name)} has {len(names)} columns ({short(', '.join(names))}): say which "
                "holds the classes with --column, by its name or number"
            )
        return 0, False
    if column in names:
        return names.index(column), True
    if is_count(column) and 1 <= int(column[:9]) <= len(names):
        return int(column) - 1, False
    raise click.UsageError(
        f"{short(name)} has no column {short(column)!r}: give 1 to {len(names)}, or a name in the "
        f"first line, {short(', '.join(names))}"
    )


def vectors(name: str, what: str = "labels") -> Array:
    """A matrix of finite numbers, one row a sample."""
    import numpy as np

    if _is_array(name):
        found = load(name)
        if found.ndim == 1:
            found = found[:, None]
        if found.ndim != 2 or found.dtype.kind not in "biuf":
            raise click.UsageError(
                f"{short(name)}: {what} are numbers, one row a sample, not an array of shape "
                f"{found.shape} and type {found.dtype}"
            )
        found = found.astype(np.float64)
    else:
        rows = rows_of(name)
        # A line of missing values is a sample: names are there, and are no numbers.
        if not any(map(is_number, rows[0])) and not all(map(is_missing, rows[0])):
            rows = rows[1:]
        if not rows:
            raise click.UsageError(f"{short(name)} has a header and no {what}")
        found = matrix_of(name, rows)
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found).all(axis=1)))
        raise click.UsageError(f"{short(name)}: row {row + 1} has a value that is not finite")
    return found


def matrix(name: str) -> Any:
    """A matrix of numbers as it is; what is wrong with it is for others to say."""
    return load(name) if _is_array(name) else vectors(name, "weights")


def listed(name: str, value: str) -> Any:
    """A list or a matrix that a result takes: text, or what is in the file that it names."""
    return load(value) if _is_array(value) else from_file(name, value)


def inputs_of(result: Result, values: dict[str, str]) -> dict[str, Any]:
    """Take out of the values the expressions and lists that a result takes, read from files."""
    made: dict[str, Any] = {k: values.pop(k) for k in result.texts if k in values}
    return made | {k: listed(k, values.pop(k)) for k in result.lists if k in values}


def _is_array(name: str) -> bool:
    return Path(name).suffix.lower() in (".npy", ".npz")


def load(name: str) -> Any:
    """The one array of a ``.npy`` or ``.npz`` file."""
    found = arrays(name)
    if len(found) != 1:
        raise click.UsageError(
            f"{short(name)} has {len(found)} arrays ({short(', '.join(found))}): give a file with "
            "one, as numpy.save writes it"
        )
    (array,) = found.values()
    if array.dtype.kind not in "biufUS":
        raise click.UsageError(f"{short(name)} holds {array.dtype}, neither numbers nor text")
    if not array.size:
        raise click.UsageError(f"{short(name)} is empty")
    return array
