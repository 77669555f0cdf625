"""Progress of long work, as a bar or as a call for every finished part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Called with the number of finished parts and the number of all parts.
Report = Callable[[int, int], None]


@contextmanager
def reporting(progress: bool | Report, total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Yield a function to be called with the number of parts just finished.

    Parameters
    ----------
    progress
        False for silence, True for a bar (drawn by tqdm), or a function of one's own.
    total, what
        How many parts there are, and what to call them.
    """
    if progress is False:
        yield lambda count: None
    elif progress is True:
        from tqdm.auto import tqdm

        with tqdm(total=total, unit=what) as bar:
            yield bar.update
    else:
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            progress(done, total)

        yield advance
