"""Parts of long work in several processes: of this machine, or those of a Dask cluster.

Both are executors as the standard library has them, and what waits for a free process is their
business. A process that is killed takes with it the parts that it had not handed back, and these
alone are given out again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from ...derive.errors import Refusal

T = TypeVar("T")
R = TypeVar("R")
#: What parts are given to, and the exceptions that mean that a process died.
Opened = tuple[Executor, tuple[type[BaseException], ...]]

#: How often in a row all parts left may be lost, with nothing handed back, before that is an error.
TRIES = 5
#: What says how many threads torch takes, once it is loaded.
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
#: Seconds in which a scheduler has to answer.
PATIENCE = 10


class WorkersError(Refusal, ValueError):
    """Processes are not there, or die over and over; the message is one line."""


class Sent:
    """A dataclass of which the fields go to other processes, without what was found from them."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore


@dataclass(frozen=True)
class Workers:
    """Where the parts of long work are done.

    Attributes
    ----------
    count
        Processes of this machine; 1 is this process.
    scheduler
        Address of the scheduler of a Dask cluster, such as ``tcp://10.0.0.1:8786``; its
        processes need cltheory of the same version. None for this machine.
    """

    count: int = 1
    scheduler: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether it is this process that works."""
        return self.scheduler is None and self.count == 1

    def each(self, work: Callable[[T], R], parts: Sequence[T]) -> Generator[tuple[T, R]]:
        """Yield every part with what ``work`` makes of it, as soon as it is there.

        Parameters
        ----------
        work
            A function that can be pickled, as parts and results can.
        parts
            In other processes they are finished in any order.

        Raises
        ------
        WorkersError
            If there is no such cluster, or processes die over and over.
        """
        if self.is_here:
            for part in parts:
                yield part, work(part)
            return
        left, lost = dict(enumerate(parts)), 0
        while left:
            before = len(left)
            with self._local() if self.scheduler is None else self._cluster() as (executor, deaths):
                futures: dict[Future[R], int] = {}
                with suppress(*deaths):  # which may be while parts are given out
                    for k, part in left.items():
                        futures[executor.submit(work, part)] = k
                for future in as_completed(list(futures)):
                    k = futures.pop(future)
                    try:
                        result = future.result()
                    except deaths:
                        continue
                    # While something refers to a result, Dask does it again if its worker dies.
                    del future
                    yield left.pop(k), result
            lost = 0 if len(left) < before else lost + 1
            if lost == TRIES:
                raise WorkersError(
                    f"worker processes died {TRIES} times with nothing finished in between; "
                    f"{len(left)} parts are left: try fewer workers, they may lack memory"
                )

    @contextmanager
    def _local(self) -> Iterator[Opened]:
        """A pool of processes."""
        others = set(multiprocessing.active_children())
        # A copy of this process would have locks of threads that it does not have.
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(self.count, context, _begin)
        try:
            yield executor, (BrokenExecutor,)
        except BaseException:  # the parts that are being worked on are not waited for
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        executor.shutdown()

    @contextmanager
    def _cluster(self) -> Iterator[Opened]:
        """What a cluster is used by."""
        from distributed import Client, KilledWorker

        try:
            client = Client(self.scheduler, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise WorkersError(f"no scheduler answers at {self.scheduler}: {said}") from None
        with client:
            try:
                versions = set(client.run(_version).values())
            except ModuleNotFoundError:
                raise WorkersError(f"workers of {self.scheduler} do not have cltheory") from None
            if versions - {_version()}:
                raise WorkersError(
                    f"workers of {self.scheduler} have cltheory {', '.join(sorted(versions))}, and "
                    f"this process has {_version()}: install the same version"
                )
            executor = client.get_executor(pure=False)
            try:
                yield executor, (KilledWorker, CancelledError)
            except BaseException:
                executor.shutdown(wait=False)  # which cancels what was given out
                raise


def _version() -> str:
    """What a process of a cluster has."""
    import cltheory

    return cltheory.__version__


def _begin() -> None:
    """A process leaves Ctrl-C to the one that it works for; there are processes, not threads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in THREADS:
        os.environ.setdefault(name, "1")
