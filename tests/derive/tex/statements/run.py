"""Give statements to the checker and count what came of them, by kind.

python tests/derive/tex/statements/run.py               all of them
python tests/derive/tex/statements/run.py true/bound    one kind, or several
python tests/derive/tex/statements/run.py --few 6 --failures out.txt
python tests/derive/tex/statements/run.py --store       and write what docs/checking.md shows
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
from types import FrameType

if __package__ in (None, ""):  # run as a script
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    __package__ = "statements"

from click.testing import CliRunner
from cltheory.cli.check import check_command
from cltheory.derive.tex.check import check_equation
from cltheory.derive.tex.directives import DirectiveError, directive
from cltheory.derive.tex.judge.explain import one_line, word_of
from cltheory.derive.tex.judge.lookup import BadTarget

from . import documents, false, true, verbatim
from .statement import Maker, Written, made

KINDS: dict[str, tuple[int, Maker]] = {**true.KINDS, **false.KINDS, **documents.KINDS}
EVERY_KIND = (*KINDS, *dict.fromkeys(w.kind for w in verbatim.STATEMENTS))
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
    every: list[tuple[Written, Verdict]] = field(default_factory=list)

    @property
    def failures(self) -> list[tuple[Written, Verdict]]:
        """What did not come out as it is written."""
        return [(w, said) for w, said in self.every if (said.word == "equal") is not w.true]

    @property
    def number(self) -> int:
        return sum(self.words.values())


def statements(kinds: Sequence[str] = (), few: int | None = None) -> Iterator[Written]:
    """Every statement, of these kinds (their beginnings), or a few of each kind."""
    for kind in EVERY_KIND:
        if not kinds or kind.startswith(tuple(kinds)):
            yield from of_kind(kind, few)


def of_kind(kind: str, few: int | None = None) -> Iterator[Written]:
    """Every statement of one kind, or a few; those found by hand are not thinned."""
    if kind not in KINDS:
        yield from (w for w in verbatim.STATEMENTS if w.kind == kind)
        return
    number, maker = KINDS[kind]
    for k in range(number if few is None else min(few, number)):
        found = made(kind, k, maker)
        yield Written(kind, found.directive, found.source, found.files, found.original)


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
        said = verdict(written)
        row.words[said.word] += 1
        row.every.append((written, said))
    return rows


#: Kind -> what came of it, and how often; of false ones only whether they were accepted.
Counts = dict[str, dict[str, int]]


def counts(rows: dict[str, Row]) -> Counts:
    """The numbers alone."""
    out = {}
    for kind, row in rows.items():
        accepted = row.words["equal"]
        told = {"accepted": accepted, "refused": row.number - accepted}
        out[kind] = dict(sorted(row.words.items())) if kind.startswith("true") else told
    return out


def table(found: Counts) -> str:
    """One line a kind, in Markdown."""
    lines = ["| kind | statements | as expected | otherwise |", "| --- | --- | --- | --- |"]
    for kind in sorted(found, key=lambda k: (not k.startswith("true"), k)):
        words = found[kind]
        fine = "equal" if kind.startswith("true") else "refused"
        other = [f"{n} {w}" for w, n in sorted(words.items()) if n and w != fine]
        lines.append(
            f"| {kind} | {sum(words.values())} | {words.get(fine, 0)} | {', '.join(other)} |"
        )
    return "\n".join(lines)


def rates(found: Counts) -> tuple[float, int]:
    """The part of true statements that was proved, and how many false ones were accepted."""
    of_true = [words for kind, words in found.items() if kind.startswith("true")]
    proved = sum(w.get("equal", 0) for w in of_true)
    return proved / max(1, sum(sum(w.values()) for w in of_true)), sum(
        words["accepted"] for kind, words in found.items() if not kind.startswith("true")
    )


def shown(written: Written, said: Verdict) -> str:
    """A failure, to be looked at."""
    head = f"{written.kind}: {said.word}: {said.message}"
    if written.files:
        body = "\n".join(f"  --- {name}\n{text}" for name, text in written.files.items())
        return f"{head}\n{body}"
    return f"{head}\n  % cltheory: {written.directive}\n  {written.source}"


def main() -> None:
    from . import stored

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", help="beginnings of kinds, such as true/bound")
    parser.add_argument("--few", type=int, help="at most so many of each kind")
    parser.add_argument("--failures", help="write what went otherwise there")
    parser.add_argument("--store", action="store_true", help="for docs/checking.md")
    arguments = parser.parse_args()
    rows = count(statements(arguments.kinds, arguments.few))
    print(table(counts(rows)))
    proved, accepted = rates(counts(rows))
    total = sum(r.number for r in rows.values())
    print(f"\n{total} statements: {proved:.1%} of the true ones proved, {accepted} false accepted")
    if arguments.store and arguments.few is None:
        stored.put(rows)
    if arguments.failures:
        failures = [shown(*f) for row in rows.values() for f in row.failures]
        Path(arguments.failures).write_text("\n\n".join(failures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
