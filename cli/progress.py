"""Progress of long work, on standard error: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TypeVar

import click

T = TypeVar("T")
PATIENCE = 10  #: seconds between two lines


def track(todo: Sequence[T], what: str) -> Iterable[T]:
    """The same things one by one, with a bar or lines."""
    if len(todo) < 2:
        return todo
    if not _is_watched():
        return _told(todo, what)
    from rich.console import Console
    from rich.progress import track as bar

    # Without a thread of its own, so that work may go on in copies of this process.
    return bar(todo, what, console=Console(stderr=True), transient=True, auto_refresh=False)


def _told(todo: Sequence[T], what: str) -> Iterator[T]:
    with counting(what) as show:
        for done, one in enumerate(todo):
            show(done, len(todo), "")
            yield one


@contextmanager
def telling(what: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that says what is done now, for work of unknown length."""
    if _is_watched():
        with counting(what) as show:
            yield lambda now: show(0, None, now)
        return
    start, said, ended = monotonic(), "", Event()

    def tell(now: str) -> None:
        nonlocal said
        said = f"{now}, "

    def lines() -> None:
        while not ended.wait(PATIENCE):
            click.echo(f"{what}: {said}{monotonic() - start:.0f} s", err=True)

    thread = Thread(target=lines, daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        ended.set()
        thread.join()


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int | None, str], None]]:
    """Yield a function of parts done, all parts and a word on how it goes; it shows them."""
    if not _is_watched():
        last = monotonic()

        def line(done: int, whole: int | None, said: str) -> None:
            nonlocal last
            if monotonic() - last >= PATIENCE:
                parts = ("" if whole is None else f"{done} of {whole} done", said)
                click.echo(f"{what}: {', '.join(filter(None, parts))}", err=True)
                last = monotonic()

        yield line
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def show(done: int, whole: int | None, said: str) -> None:
            shown = f"{what}: {escape(said)}" if said else what
            progress.update(task, completed=done, total=whole, description=shown)

        yield show


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
