"""Work under a budget of time and memory.

The work is done by copies of this process (``fork``), which the kernel stops when their budget
is spent: so native code is stopped too, whatever it is doing. What the parent imported and
derived before is there in every copy, so a new one costs milliseconds.

Time is processor time, which does not depend on what else the machine does; real time counts
only beyond ten times as much. Memory is what the work takes beyond what the process had; it is
limited where ``/proc`` tells that (Linux). Where there is no ``fork`` (Windows) the work is done
here, and only what Python itself refuses is noticed: nesting and allocations without end.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, NoReturn, TypeVar

import click

from ..derive.errors import Refusal

T = TypeVar("T")
R = TypeVar("R")
Tell = Callable[[R], None]

GIB = 2**30
TOO_LONG = "a number of thousands of digits"
PATIENCE = 10  #: real time to processor time
MOST = 10**6  #: seconds, or GB

_is_program = False


# --- limits ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Limits:
    """Seconds and GB; None: no limit."""

    time: float | None = None
    memory: float | None = None


Kind = Literal["time", "memory", "depth", "digits", "crash", "defect"]


@dataclass(frozen=True)
class Spent:
    """Work that was given up, and why, in words."""

    kind: Kind
    why: str


class _Amount(click.ParamType):
    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | None:
        if value is None or str(value).lower() == "none":
            return None
        try:
            found = float(value)
        except ValueError:
            found = -1
        if not 0 <= found <= MOST:
            self.fail(f"{str(value)[:60]!r} is not a number from 0 to {MOST}, or none", param, ctx)
        return found or None


def options(*, time: float, memory: float, of: str) -> Callable[[Any], Any]:
    """The options ``--time`` and ``--memory`` of a command."""

    def option(flag: str, name: str, unit: str, default: float, what: str) -> Callable[[Any], Any]:
        says = f"Maximum {what} for {of}, in {name} (0: no limit)."
        amount = _Amount()
        return click.option(flag, name, type=amount, metavar=unit, default=default, help=says)

    with_time = option("--time", "seconds", "SECONDS", time, "processor time")
    with_memory = option("--memory", "gigabytes", "GB", memory, "memory")
    return lambda command: with_time(with_memory(command))


def is_possible() -> bool:
    """Whether there are copies that can be stopped."""
    return hasattr(os, "fork") and hasattr(signal, "setitimer")


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- a whole command ---------------------------------------------------------------------------
def program() -> None:
    """This process is the command, and no program that calls it: a command may leave it."""
    global _is_program
    _is_program = True
    # Whoever asks the command to end gets what Ctrl-C gets: nothing is left half done.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def limit_memory(gigabytes: float) -> None:
    """Let this process, where it is the command, have no more memory than so much."""
    if _is_program and is_possible():
        _limit(gigabytes)


class TooLarge(Refusal):
    """The copy was ended: what was asked for takes more than it may take."""

    exit_code = 1


def go_on_in_a_copy(limits: Limits) -> None:
    """Go on in a copy under limits, while the process itself waits, and ends as the copy does.

    Raises
    ------
    click.exceptions.Exit
        In the process that waited.
    """
    if not _is_program or not is_possible() or limits == Limits():
        return
    pid = _fork()
    if pid:
        raise click.exceptions.Exit(_wait(pid, limits))
    _be_a_copy()
    _speak_alone()
    _start_budget(limits)


def _wait(pid: int, limits: Limits) -> int:
    try:
        _, status = os.waitpid(pid, 0)
    except BaseException:
        _kill(pid)
        raise
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        raise TooLarge(f"too large to decide: {_why(code, limits).why}")
    return code


# --- one thing after the other -------------------------------------------------------------------
def each(
    work: Callable[[T, Tell[R]], R], items: Sequence[T], limits: Limits, *, workers: int = 1
) -> Generator[R | Spent, None, None]:
    """The work on each item, in order; by several workers at a time.

    ``work`` gets an item and a function. What it tells by it is the outcome should the budget
    end later. Outcomes are plain data. The items are in the copies: nothing but their numbers
    goes there. Close the iterator to end the workers.
    """
    if not items:
        return
    if not is_possible() or limits == Limits():
        yield from (_here(work, item) for item in items)
        return
    crew = _Crew(work, items, limits)
    try:
        yield from crew.outcomes(min(workers, len(items)))
    finally:
        crew.end()


def _here(work: Callable[[T, Tell[R]], R], item: T) -> R | Spent:
    told: list[R] = []
    try:
        return work(item, told.append)
    except Exception as error:
        return told[-1] if told else _spent(error, Limits())


class _Message(NamedTuple):
    kind: Literal["told", "done", "spent"]
    value: Any
    is_last: bool = False  #: whether the worker ends


@dataclass(eq=False)
class _Worker:
    process: Any
    pipe: Any
    item: int | None = None
    told: Any = None


class _Crew(Generic[T, R]):
    def __init__(self, work: Callable[[T, Tell[R]], R], items: Sequence[T], limits: Limits):
        self.work, self.items, self.limits = work, items, limits
        self.workers: list[_Worker] = []

    def outcomes(self, workers: int) -> Iterator[R | Spent]:
        from multiprocessing.connection import wait

        done: dict[int, R | Spent] = {}
        waiting = iter(range(len(self.items)))
        for number in range(len(self.items)):
            while number not in done:
                while sum(w.item is not None for w in self.workers) < workers:
                    item = next(waiting, None)
                    if item is None:
                        break
                    self._order(item)
                busy = {w.pipe: w for w in self.workers if w.item is not None}
                for pipe in wait(list(busy)):
                    done |= self._answer(busy[pipe])
            yield done.pop(number)

    def _order(self, item: int) -> None:
        worker = next((w for w in self.workers if w.item is None), None) or self._hire()
        worker.item, worker.told = item, None
        # Should it have died meanwhile, that is seen where its answer is awaited.
        with suppress(OSError):
            worker.pipe.send(item)

    def _hire(self) -> _Worker:
        from multiprocessing import get_context

        # A copy closes what stands at 0, 1 and 2, which must not be its pipe.
        while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(fd)
        context = get_context("fork")
        here, there = context.Pipe()
        process = context.Process(target=self._serve, args=(there, os.getpid()), daemon=True)
        with _in_spite_of_threads():
            process.start()
        there.close()
        self.workers.append(_Worker(process, here))
        return self.workers[-1]

    def _answer(self, worker: _Worker) -> dict[int, R | Spent]:
        """What one worker has to say; nothing if it is not done yet."""
        item = worker.item
        assert item is not None
        try:
            message = _Message(*worker.pipe.recv())
        except (EOFError, OSError):  # it has gone
            worker.process.join()
            message = _Message("spent", _why(worker.process.exitcode, self.limits), True)
        if message.is_last:
            self._dismiss(worker)
        if message.kind == "told":
            worker.told = message
            return {}
        worker.item = None
        if message.kind == "spent" and worker.told is not None:
            message = worker.told
        return {item: message.value}

    def _dismiss(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()

    def end(self) -> None:
        """Leave nobody behind."""
        for worker in list(self.workers):
            self._dismiss(worker)

    # -- in the copy
    def _serve(self, pipe: Any, parent: int) -> NoReturn:
        try:
            _be_a_copy()
            _be_quiet()
            _end_with(parent)
            # What is there stays, and is shared; what an item leaves behind is collected.
            gc.freeze()
            gc.enable()
            first = _size()
            while True:
                message = self._done(self.items[pipe.recv()], pipe)
                # One that has grown is replaced: what it kept is no item's budget.
                grown = _size() - first > (self.limits.memory or MOST) * GIB / 2
                pipe.send(tuple(message._replace(is_last=message.is_last or grown)))
        finally:
            os._exit(0)

    def _done(self, item: T, pipe: Any) -> _Message:
        try:
            _start_budget(self.limits)
            found = self.work(item, lambda value: pipe.send(("told", value)))
            _end_budget()
            return _Message("done", found)
        except Exception as error:
            _end_budget()
            # Caches may hold what was half done.
            return _Message("spent", _spent(error, self.limits), isinstance(error, MemoryError))


# --- copies --------------------------------------------------------------------------------------
@contextmanager
def _in_spite_of_threads() -> Iterator[None]:
    """A thread that is not copied may hold a lock: the copies do no more than mathematics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _fork() -> int:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or what is not yet written would be written twice
    with _in_spite_of_threads():
        return os.fork()


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _be_a_copy() -> None:
    """Ctrl-C is for the parent, which ends its copies; the kernel ends them at their time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ends in (signal.SIGPROF, signal.SIGALRM, signal.SIGTERM):
        signal.signal(ends, signal.SIG_DFL)


def _speak_alone() -> None:
    """Leave standard error to Python: libraries that give up would say so there too."""
    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):
        own = os.dup(sys.stderr.fileno())
        sys.stderr = open(own, "w", encoding=sys.stderr.encoding, errors=sys.stderr.errors)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _be_quiet() -> None:
    """What a worker has to say goes through its pipe."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(nowhere, fd)


def _end_with(parent: int) -> None:
    if sys.platform == "linux":
        from ctypes import CDLL

        set_death_signal = 1
        CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended already
        os._exit(0)


def _start_budget(limits: Limits) -> None:
    if limits.memory is not None:
        _limit(limits.memory)
    if limits.time is not None:
        signal.setitimer(signal.ITIMER_PROF, limits.time)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE * limits.time)


def _limit(gigabytes: float) -> None:
    import resource

    if _size():
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = _size() + int(gigabytes * GIB)
        resource.setrlimit(resource.RLIMIT_AS, (_least(soft, hard), hard))


def _end_budget() -> None:
    import resource

    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _least(soft: int, hard: int) -> int:
    import resource

    return soft if hard == resource.RLIM_INFINITY else min(soft, hard)


def _size() -> int:
    """Bytes of address space; 0 if that is not known."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


# --- why -----------------------------------------------------------------------------------------
def _why(code: int, limits: Limits) -> Spent:
    """What ended a copy."""
    ended = -code
    if ended in (signal.SIGPROF, signal.SIGALRM):
        return Spent("time", f"more than {limits.time or 0:g} s (--time)")
    if ended in (signal.SIGABRT, signal.SIGKILL):  # GMP and FLINT without memory; the kernel
        return _of_memory(limits)
    try:
        name = signal.Signals(ended).name
    except ValueError:
        name = f"exit {code}"
    return Spent("crash", f"its process died ({name})")


def _of_memory(limits: Limits) -> Spent:
    most = "there is" if limits.memory is None else f"{limits.memory:g} GB"
    return Spent("memory", f"more memory than {most} (--memory)")


def is_too_long(error: BaseException) -> bool:
    """Whether Python refused to write or read an integer of thousands of digits."""
    return isinstance(error, ValueError) and "integer string conversion" in str(error)


def _spent(error: Exception, limits: Limits) -> Spent:
    if isinstance(error, MemoryError):
        return _of_memory(limits)
    if isinstance(error, RecursionError):
        return Spent("depth", "too deeply nested")
    if is_too_long(error):
        return Spent("digits", TOO_LONG)
    return Spent("defect", f"{type(error).__name__}: {error}")
