"""Give statements to the checker and count what came of them, by kind.

python tests/derive/tex/statements/run.py               all of them
python tests/derive/tex/statements/run.py true/bound    one kind, or several
python tests/derive/tex/statements/run.py --few 6 --failures out.txt
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import FrameType

if __package__ in (None, ""):  # run as a script
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    __package__ = "statements"

from click.testing import CliRunner
from cltheory.cli.check import check_command
from cltheory.derive.tex.compare import check_equation
from cltheory.derive.tex.directives import DirectiveError, directive
from cltheory.derive.tex.explain import one_line, word_of
from cltheory.derive.tex.lookup import BadTarget

from . import documents, false, true, verbatim
from .statement import Maker, Written, made

KINDS: dict[str, tuple[int, Maker]] = {**true.KINDS, **false.KINDS, **documents.KINDS}
#: Seconds that one statement may take here, whatever the checker's own limit is.
LIMIT = 20


@dataclass(frozen=True)
class Verdict:
    """What came of a statement."""

    word: str
    message: str = ""
    edit: str = ""


@dataclass
class Row:
    """What came of a kind."""

    words: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[Written, Verdict]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def number(self) -> int:
        return sum(self.words.values())


def statements(kinds: Sequence[str] = (), few: int | None = None) -> Iterator[Written]:
    """Every statement, of these kinds (their beginnings), or a few of each kind."""
    for kind, (number, maker) in KINDS.items():
        if not kinds or kind.startswith(tuple(kinds)):
            for k in range(number if few is None else min(few, number)):
                found = made(kind, k, maker)
                yield Written(kind, found.directive, found.source, found.files, found.original)
    for written in verbatim.STATEMENTS:
        if not kinds or written.kind.startswith(tuple(kinds)):
            yield written


# --- one statement --------------------------------------------------------------------------
class _TooLong(BaseException):
    """Not an Exception, so that nothing on the way takes it for a refusal."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TooLong


def verdict(written: Written) -> Verdict:
    """What the checker says, within a limit."""
    before = signal.signal(signal.SIGALRM, _stop)
    signal.alarm(LIMIT)
    try:
        return _document(written) if written.files else _display(written)
    except _TooLong:
        return Verdict("too long", f"{LIMIT} s")
    except Exception as error:
        return Verdict("crash", f"{type(error).__name__}: {one_line(str(error))}")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _display(written: Written) -> Verdict:
    try:
        found = check_equation(written.source, directive(written.directive))
    except (DirectiveError, BadTarget) as error:
        return Verdict("refused", one_line(str(error)))
    edit = found.edit.source if found.edit else ""
    word = word_of(found)
    return Verdict("equal" if found.ok else word, one_line(found.message), edit)


def _document(written: Written) -> Verdict:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in written.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        main = Path(folder, "main.md" if "main.md" in written.files else "main.tex")
        done = CliRunner().invoke(check_command, [str(main), "--format", "json"])
    if isinstance(done.exception, Exception):
        raise done.exception
    report = json.loads(done.stdout)
    failed = [e for e in report["equations"] if e["verdict"] != "equal"]
    if failed:
        return Verdict(failed[0]["verdict"], one_line(failed[0]["message"] or ""))
    if report["problems"] or not report["equations"]:
        said = [p["message"] for p in report["problems"]]
        return Verdict("problem", one_line(said[0] if said else "nothing is marked"))
    return Verdict("equal")


# --- all ------------------------------------------------------------------------------------
def count(every: Iterator[Written]) -> dict[str, Row]:
    """What came of every kind."""
    rows: dict[str, Row] = {}
    for written in every:
        row = rows.setdefault(written.kind, Row())
        start = perf_counter()
        said = verdict(written)
        row.seconds += perf_counter() - start
        row.words[said.word] += 1
        if (said.word == "equal") is not written.true:
            row.failures.append((written, said))
    return rows


def table(rows: dict[str, Row]) -> str:
    """One line a kind, in Markdown."""
    lines = ["| kind | statements | as expected | otherwise |", "| --- | --- | --- | --- |"]
    for kind in sorted(rows, key=lambda k: (not k.startswith("true"), k)):
        row = rows[kind]
        if kind.startswith("true"):
            fine = row.words["equal"]
            other = [f"{n} {w}" for w, n in row.words.most_common() if w != "equal"]
        else:
            fine = row.number - row.words["equal"]
            other = [f"{row.words['equal']} accepted"] if row.words["equal"] else []
        lines.append(f"| {kind} | {row.number} | {fine} | {', '.join(other)} |")
    return "\n".join(lines)


def rates(rows: dict[str, Row]) -> tuple[float, int]:
    """The part of true statements that was proved, and how many false ones were accepted."""
    of_true = [r for k, r in rows.items() if k.startswith("true")]
    proved = sum(r.words["equal"] for r in of_true) / max(1, sum(r.number for r in of_true))
    return proved, sum(r.words["equal"] for k, r in rows.items() if not k.startswith("true"))


def shown(written: Written, said: Verdict) -> str:
    """A failure, to be looked at."""
    head = f"{written.kind}: {said.word}: {said.message}"
    if written.files:
        body = "\n".join(f"  --- {name}\n{text}" for name, text in written.files.items())
        return f"{head}\n{body}"
    return f"{head}\n  % cltheory: {written.directive}\n  {written.source}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", help="beginnings of kinds, such as true/bound")
    parser.add_argument("--few", type=int, help="at most so many of each kind")
    parser.add_argument("--failures", help="write what went otherwise there")
    parser.add_argument("--times", action="store_true", help="show the seconds of each kind")
    arguments = parser.parse_args()
    rows = count(statements(arguments.kinds, arguments.few))
    print(table(rows))
    proved, accepted = rates(rows)
    total = sum(r.number for r in rows.values())
    print(f"\n{total} statements: {proved:.1%} of the true ones proved, {accepted} false accepted")
    if arguments.times:
        for kind, row in sorted(rows.items(), key=lambda item: -item[1].seconds):
            print(f"{row.seconds:7.1f} s  {kind}")
    if arguments.failures:
        failures = [shown(*f) for row in rows.values() for f in row.failures]
        Path(arguments.failures).write_text("\n\n".join(failures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
