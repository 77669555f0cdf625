"""Files are replaced whole or not at all, and a reader sees the JSON in one as it is used."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def read_json(text: str, **options: Any) -> Any:
    """JSON in which no key stands twice, of which a reader may see one and the other be used.

    Raises
    ------
    ValueError
        If one does, or it is no JSON.
    """
    import json  # which a short command does not need

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice in an object")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once, **options)


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of ``path`` when the block ends without an error.

    Until then it stands beside it, named after it and ending in ``.partial``; what was at ``path``
    keeps its place and its permissions. A link stays a link, and a device or pipe is written to.

    Raises
    ------
    OSError
        If it cannot be written; its ``filename`` is ``path``.
    """
    place = Path(os.path.realpath(path))
    partial = place.with_name(f"{place.name}.{os.getpid()}.partial")
    try:
        if place.exists() and not place.is_file():
            with place.open("wb") as device:
                yield device
            return
        try:
            with partial.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # some file systems would move it before it is there
            if place.exists():
                shutil.copymode(place, partial)
            os.replace(partial, place)
        finally:
            with suppress(OSError):
                partial.unlink()
    except OSError as error:
        if error.filename in (None, str(partial)):  # or it is of another file
            error.filename = str(path)
        raise


def write(path: str | Path, data: str | bytes) -> None:
    """Write one file, whole or not at all; text is UTF-8, and what has none is escaped."""
    write_all({path: data})


def write_all(files: Mapping[Any, str | bytes]) -> None:
    """Write several files; none takes its place before all are written."""
    with ExitStack() as stack:
        for path, data in files.items():
            text = data.encode(errors="backslashreplace") if isinstance(data, str) else data
            file = stack.enter_context(replacing(path))
            file.write(text)
            file.flush()
