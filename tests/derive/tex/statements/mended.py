"""How often the edit that is suggested for a slip takes the slip back.

python tests/derive/tex/statements/mended.py --few 100
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import perf_counter

if __package__ in (None, ""):  # run as a script
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    __package__ = "statements"

from cltheory.derive.language.tokens import Token, tokenise

from .run import Verdict, statements, verdict
from .statement import Written

#: The kinds of slips that have an inverse.
KINDS = ("false/value", "false/bound")
#: Slips of more tokens than this count as one class.
LARGE = 4
WORDS = ("taken back", "as small", "larger", "none")


def tokens(text: str) -> list[Token]:
    return [t for t in tokenise(text) if t.kind != "space"]


def distance(one: list[Token], other: list[Token]) -> int:
    """How many tokens must be put in, taken out or replaced."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1,
                                           previous + (a.text != b.text))  # fmt: skip
    return row[-1]


def came_of(written: Written, said: Verdict) -> tuple[int, str]:
    """The size of a slip in tokens, and what came of it."""
    wrong, right = tokens(written.source), tokens(written.original)
    size = distance(wrong, right)
    if not said.edit:
        return size, "none"
    found = tokens(said.edit)
    if not distance(found, right):
        return size, "taken back"
    return size, "as small" if distance(found, wrong) <= size else "larger"


Missed = list[tuple[Written, Verdict]]


def count(every: Iterable[tuple[Written, Verdict]]) -> tuple[dict[str, Counter[str]], Missed]:
    """What came of the slips, by their size, and those that no edit was found for."""
    found: dict[str, Counter[str]] = {}
    missed = []
    for written, said in every:
        if said.word != "differs":
            continue  # nothing is said about how to mend it
        size, what = came_of(written, said)
        key = str(size) if size < LARGE else f"{LARGE} and more"
        found.setdefault(key, Counter())[what] += 1
        if what in ("none", "larger") and size < LARGE:
            missed.append((written, said))
    return found, missed


def table(found: Mapping[str, Mapping[str, int]]) -> str:
    """One line a size, in Markdown."""
    lines = ["| tokens | slips | taken back | another, as small | larger | none |",
             "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for size in sorted(found):
        row = found[size]
        cells = " | ".join(str(row.get(w, 0)) for w in WORDS)
        lines.append(f"| {size} | {sum(row.values())} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--few", type=int)
    parser.add_argument("--missed", action="store_true", help="show what no edit was found for")
    arguments = parser.parse_args()
    start = perf_counter()
    every = statements(arguments.kinds, arguments.few)
    found, missed = count((written, verdict(written)) for written in every)
    print(table(found))
    print(f"{perf_counter() - start:.0f} s")
    if arguments.missed:
        for written, said in missed:
            print(f"{written.directive}\n  {written.source}\n  was {written.original}")
            print(f"  edit {said.edit}")


if __name__ == "__main__":
    main()
