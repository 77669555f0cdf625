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
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, TypeVar

import click

from ..derive.errors import Refusal
from ..derive.frozen import FrozenValue

T = TypeVar("T")
R = TypeVar("R")
Tell = Callable[[R], None]

GIB = 2**30
TOO_LONG = "a number of thousands of digits"
PATIENCE = 10  #: real time to processor time
MOST = 10**6  #: seconds, or GB
SOON = 0.05  #: seconds after which an interrupt comes again

_is_program = False


# --- limits ----------------------------------------------------------------------------------
class Limits(FrozenValue):
    """Seconds and GB; 0: no limit."""

    time: float = 0
    memory: float = 0


class Spent(FrozenValue):
    """Work that was given up, and why, in words."""

    why: str


class Amount(click.FloatRange):
    """A number of a range; a range alone would let nan through."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Refuse what is no number."""
        found: float = super().convert(value, param, ctx)
        if found != found:
            self.fail(f"{found} is not a number", param, ctx)
        return found


def options(*, time: float, memory: float, work: str) -> Callable[[Any], Any]:
    """The options ``--time`` and ``--memory`` of a command."""

    def option(flag: str, name: str, unit: str, default: float, what: str) -> Callable[[Any], Any]:
        says = f"Maximum {what} for {work}, in {name} (0: no limit)."
        amount = Amount(0, MOST)
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
    if is_possible():
        for ends in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            if signal.getsignal(ends) is not signal.SIG_IGN:
                signal.signal(ends, _interrupt)
        sys.unraisablehook = _interrupt_again


def _interrupt(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does, but after an import: it would leave half of a module, or end in C."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, SOON)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _interrupt_again(lost: Any) -> None:
    """Python drops an interrupt in a finalizer (``__del__``): it comes again when that is over."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, SOON)
    else:
        sys.__unraisablehook__(lost)


def limit_memory(gigabytes: float) -> None:
    """Let this process, where it is the command, have no more memory than so much."""
    if _is_program and is_possible():
        _limit(gigabytes)


class TooLarge(Refusal):
    """The copy was ended: what was asked for takes more than it may take."""

    exit_code = 1


def go_on_in_a_copy(limits: Limits) -> Callable[[], None]:
    """Go on in a copy, while the process itself waits, and ends as the copy does.

    The earlier the better: a copy of a process that has loaded SymPy copies its pages one by one.

    Returns
    -------
    Callable
        What sets the limits, called when everything is loaded, which does not count.

    Raises
    ------
    click.exceptions.Exit
        In the process that waited.
    """
    if not _is_program or not is_possible() or limits == Limits():
        return lambda: None
    pid = _fork()
    if not pid:
        _be_a_copy()
        return lambda: _start_budget(limits)
    try:
        _, status = os.waitpid(pid, 0)
    except BaseException:
        _kill(pid)
        raise
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        raise TooLarge(f"too large to decide: {_why(code, limits).why}")
    raise click.exceptions.Exit(code)


# --- one thing after the other -------------------------------------------------------------------
def each(
    work: Callable[[T, Tell[R]], R], items: Sequence[T], limits: Limits, *, workers: int = 1
) -> Generator[R | Spent, None, None]:
    """The work on each item, in order; by several copies at a time, each with its share.

    ``work`` gets an item and a function. What it tells by it is the outcome should the budget
    end later. Outcomes are plain data. Close the iterator to end the copies.
    """
    if not is_possible() or limits == Limits():
        yield from (_in_this_process(work, item, limits) for item in items)
        return
    from multiprocessing.connection import wait

    done: dict[int, R | Spent] = {}
    running: dict[Any, _Copy] = {}

    def start(todo: list[int]) -> None:
        copy = _Copy(todo, work, items, limits)
        running[copy.pipe] = copy

    try:
        for k in range(min(workers, len(items))):
            start(list(range(k, len(items), workers)))
        for number in range(len(items)):
            while number not in done:
                for pipe in wait(list(running)):
                    if not running[pipe].goes_on(done) and (left := running.pop(pipe).todo):
                        start(left)
            yield done.pop(number)
    finally:
        for copy in running.values():
            _kill(copy.pid)


def _in_this_process(work: Callable[[T, Tell[R]], R], item: T, limits: Limits) -> R | Spent:
    told: list[R] = []
    try:
        return work(item, told.append)
    except Exception as error:
        return told[-1] if told else _spent(error, limits)


class _Copy:
    """A copy at work on some of the items. It ends early where it has grown, or one failed."""

    def __init__(
        self,
        todo: list[int],
        work: Callable[[Any, Tell[Any]], Any],
        items: Sequence[Any],
        limits: Limits,
    ):
        from multiprocessing import Pipe

        # A copy closes what stands at 2, which must not be its pipe.
        while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(fd)
        self.todo, self.limits, self.told = todo, limits, None
        self.pipe, writer = Pipe(duplex=False)
        self.pid = _fork()
        if not self.pid:
            try:
                self._serve(work, items, writer)
                os._exit(0)
            finally:
                os._exit(1)
        writer.close()

    def _serve(self, work: Callable[[Any, Tell[Any]], Any], items: Sequence[Any], to: Any) -> None:
        _be_a_copy()
        # What is there stays, and is shared; what an item leaves behind is collected.
        gc.freeze()
        gc.enable()
        first = _size()
        for k in self.todo:
            _start_budget(self.limits)
            try:
                to.send((True, work(items[k], lambda value: to.send((False, value)))))
            except Exception as error:  # caches may hold what was half done
                to.send((False, _spent(error, self.limits)))
                os._exit(1)
            if _size() - first > (self.limits.memory or MOST) * GIB / 2:
                return

    def goes_on(self, done: dict[int, Any]) -> bool:
        """Hear one thing that the copy says; what it told of an item stays if it ends there."""
        try:
            is_last, outcome = self.pipe.recv()
        except (EOFError, OSError):
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            if code:
                done[self.todo.pop(0)] = self.told or _why(code, self.limits)
            return False
        if is_last:
            done[self.todo.pop(0)], self.told = outcome, None
        else:
            self.told = self.told or outcome
        return True


# --- copies --------------------------------------------------------------------------------------
def _fork() -> int:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or what is not yet written would be written twice
    # An interrupt during what Python does after a fork would be lost.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        with warnings.catch_warnings():
            # A thread that is not copied may hold a lock: copies do no more than mathematics.
            warnings.simplefilter("ignore", DeprecationWarning)
            return os.fork()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _be_a_copy() -> None:
    """Ctrl-C is for the parent, which ends its copies; the kernel ends them at their time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ends in (signal.SIGPROF, signal.SIGALRM, signal.SIGTERM):
        signal.signal(ends, signal.SIG_DFL)
    # Standard error is left to Python: libraries that give up would say so there too.
    if sys.stderr is not None:
        with suppress(OSError):
            own = os.dup(2)
            sys.stderr = open(own, "w", encoding=sys.stderr.encoding, errors=sys.stderr.errors)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _start_budget(limits: Limits) -> None:
    if limits.memory:
        _limit(limits.memory)
    signal.setitimer(signal.ITIMER_PROF, limits.time)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * limits.time)


def _limit(gigabytes: float) -> None:
    import resource

    if size := _size():
        soft, (_, hard) = size + int(gigabytes * GIB), resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or soft < hard:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


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
        return Spent(f"more than {limits.time:g} s (--time)")
    if ended in (signal.SIGABRT, signal.SIGKILL):  # GMP and FLINT without memory; the kernel
        return _of_memory(limits)
    name = signal.Signals(ended).name if ended in set(signal.Signals) else f"exit {code}"
    return Spent(f"its process died ({name})")


def _of_memory(limits: Limits) -> Spent:
    most = f"{limits.memory:g} GB" if limits.memory else "there is"
    return Spent(f"more memory than {most} (--memory)")


def is_too_long(error: BaseException) -> bool:
    """Whether Python refused to write or read an integer of thousands of digits."""
    return isinstance(error, ValueError) and "integer string conversion" in str(error)


def _spent(error: Exception, limits: Limits) -> Spent:
    if isinstance(error, MemoryError):
        return _of_memory(limits)
    if isinstance(error, RecursionError):
        return Spent("too deeply nested")
    if is_too_long(error):
        return Spent(TOO_LONG)
    return Spent(f"{type(error).__name__}: {error}")
