"""Run the command line on one hostile input, in a copy of this process that can be stopped.

The copy runs in an empty folder, which is its HOME too, with 10 seconds and 1 GB. What it does
there is compared with what a command may do: end with code 0, 1 or 2, say one line where it
refuses, and write nothing that was not asked for.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SECONDS = 10  #: a guard against what never ends, not a measurement: inputs take far less
PATIENCE = 12  #: real time to processor time, on a busy machine
MEMORY = 2**30
#: What any evaluation of an input as code would leave behind.
CANARY = "canary"


@dataclass(frozen=True)
class Input:
    """Words of a command, and the files that it finds."""

    args: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    #: names of files that the command was told to write
    writes: tuple[str, ...] = ()

    def __str__(self) -> str:
        files = ", ".join(f"{name}: {data[:2000]!r}" for name, data in self.files.items())
        return f"{self.args!r} {{{files}}}"


class Outcome(NamedTuple):
    """How it ended: an exit code, or minus a signal."""

    code: int
    out: str
    err: str
    there: frozenset[str]


def run(given: Input) -> Outcome:
    """Run a command on an input, in a copy of this process."""
    folder = Path(tempfile.mkdtemp(prefix="cltheory-fuzz-"))
    try:
        here = folder / "here"
        here.mkdir()
        for name, data in given.files.items():
            (here / name).write_bytes(data)
        pid = os.fork()
        if not pid:
            _in_copy(given, folder, here)
        _, status = os.waitpid(pid, 0)
        texts = [(folder / n).read_bytes().decode("utf-8", "replace") for n in ("out", "err")]
        there = frozenset(str(p.relative_to(here)) for p in here.rglob("*"))
        return Outcome(os.waitstatus_to_exitcode(status), texts[0], texts[1], there)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _in_copy(given: Input, folder: Path, here: Path) -> None:
    code = 99
    try:
        import sys

        for fd, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), fd)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
        os.environ["HOME"] = str(here)
        os.chdir(here)
        for ends in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(ends, signal.SIG_DFL)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, hard))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE * SECONDS)
        from cltheory.cli import guard
        from cltheory.cli.main import run as command

        guard.program()

        try:
            code = command(list(given.args))
        except BaseException:
            import traceback

            traceback.print_exc()
            code = 70
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def faults(given: Input, outcome: Outcome) -> list[str]:
    """What is wrong with the way a command ended; empty if nothing is."""
    found = []
    if outcome.code < 0:
        name = signal.Signals(-outcome.code).name
        found.append({"SIGPROF": "it ran on", "SIGALRM": "it ran on"}.get(name, f"died of {name}"))
    elif outcome.code not in (0, 1, 2):
        found.append(f"exit code {outcome.code}")
    said = outcome.out + outcome.err
    if "Traceback" in outcome.err:
        found.append(f"a traceback: {outcome.err.strip().splitlines()[-1][:300]}")
    if defect := re.search("which is a defect: .*|please report", said):
        found.append(defect[0][:300])
    if outcome.err.count("\n") > 1:
        found.append("more than one line on standard error")
    if outcome.code == 2 and not said:
        found.append("nothing is said")
    new = outcome.there - set(given.files) - set(given.writes)
    # The sources go into a .bib file beside the macros.
    new = {n for n in new if not (n.endswith(".bib") and _begins(n[:-4], given.writes))}
    if new:
        found.append(f"it wrote {sorted(new)[:3]}")
    return found


def _begins(stem: str, names: Iterable[str]) -> bool:
    return any(name.startswith(stem) for name in names)
