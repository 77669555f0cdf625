"""Files that a command writes: refused before the work, replaced whole after it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import Any

import click

from ..derive import files
from .parameters import short

LOOKED_AT = 2**24  #: bytes that a mark is looked for in


class NewFile(click.Path):
    """A file to write, whose name others are made of: it has one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse the empty name."""
        if not os.fspath(value):
            self.fail("the name of a file is empty", param, ctx)
        return super().convert(value, param, ctx)


class RocqFile(NewFile):
    """A file of theorems for Rocq to write, with others beside it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse a name that is not one of a module."""
        name = str(super().convert(value, param, ctx))
        if name != "-" and Path(name).suffix != ".v":
            self.fail(f"the name of a file for Rocq ends in .v, not {short(name)!r}", param, ctx)
        return name


FORCE = click.option("--force", is_flag=True, help="Replace existing files.")
RENAME = click.option(
    "--rename",
    metavar="SYMBOL=NAME",
    multiple=True,
    help="Rename a symbol; in JSON only its LaTeX, and not with --rocq. May be repeated.",
)
COLUMNS = click.option(
    "--columns",
    type=click.Choice(["1", "2"]),
    default="1",
    help="Columns of the page that LaTeX theorems and proofs are to fit.",
)


def formats(*names: str, says: str = "Output format.") -> Callable[[Any], Any]:
    """The option ``--format``; the first name is the default."""
    return click.option("--format", "style", type=click.Choice(names), default=names[0], help=says)


def json_text(found: Any, version: int = 1) -> str:
    """JSON of what a command found; each object on top has the version of its form.

    Fields may be added under one version; one that changes its meaning or goes raises it. What
    JSON has no number for is null.
    """
    import json  # the answer in text does without

    if isinstance(found, list):
        found = [{"version": version, **row} for row in found]
    else:
        found = {"version": version, **found}
    return json.dumps(_finite(found), indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    """The same with null for each float that is not finite."""
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def check_writable(
    path: str | Path,
    *,
    reads: Iterable[str | Path | None],
    force: bool = False,
    mark: str = "",
) -> None:
    """Refuse a file that cannot or must not be written.

    Parameters
    ----------
    path
        The file.
    reads
        Files that the command reads, which are never replaced; other words do no harm.
    force
        Whether a file that is there may be replaced.
    mark
        What stands in a file that cltheory wrote; such a file may be replaced.

    Raises
    ------
    click.UsageError
        If it is read, exists, has no folder or no permission.
    """
    path, name = Path(path), short(str(path))
    real = os.path.realpath(path)
    if real in {os.path.realpath(read) for read in reads if read is not None}:
        raise click.UsageError(f"{name} is an input of this command and is not replaced")
    folder = Path(real).parent
    if not folder.is_dir():
        missing = folder if path.is_symlink() else path.parent
        raise click.UsageError(f"the folder {short(str(missing))} does not exist")
    if path.is_dir():
        raise click.UsageError(f"{name!r} is a folder, not a file")
    if path.is_file() and not force and not (mark and _has(path, mark)):
        but = " and was not written by cltheory" if mark else ""
        raise click.UsageError(f"{name} exists{but}; --force replaces it")
    # A file is replaced by another, which its folder must take.
    if not os.access(path if path.exists() else folder, os.W_OK) or (
        path.is_file() and not os.access(folder, os.W_OK)
    ):
        raise click.UsageError(f"cannot write {name}: permission denied")


def check_different(files: Mapping[str, str | Path]) -> None:
    """Refuse two outputs, by the names of their options, that go to one file."""
    for one, other in combinations(files, 2):
        if os.path.realpath(files[one]) == os.path.realpath(files[other]):
            name = "standard output" if files[other] == "-" else short(str(files[other]))
            raise click.UsageError(f"--{one} and --{other} both write {name}: change one of them")


def _has(path: Path, mark: str) -> bool:
    """Whether a file holds a mark; an empty one holds nothing that could be lost."""
    try:
        with path.open("rb") as file:
            start = file.read(LOOKED_AT)
    except OSError as error:
        raise click.UsageError(f"{short(str(path))}: {error.strerror}") from None
    return not start or mark.encode() in start


def write(wanted: Mapping[Any, str | bytes]) -> None:
    """Write files, none before all of them are ready.

    Raises
    ------
    click.UsageError
        If one cannot be written; every file that was there is then still whole.
    """
    try:
        files.write_all(wanted)
    except OSError as error:
        name = short(str(error.filename))
        raise click.UsageError(f"cannot write {name}: {error.strerror or error}") from None
