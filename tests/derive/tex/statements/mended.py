"""How often the edit that is suggested for a slip takes the slip back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from cltheory.derive.language.tokens import Token, tokenise

from .run import Verdict
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


def count(every: Iterable[tuple[Written, Verdict]]) -> dict[str, Counter[str]]:
    """What came of the slips, by their size."""
    found: dict[str, Counter[str]] = {}
    for written, said in every:
        if said.word != "differs":
            continue  # nothing is said about how to mend it
        size, what = came_of(written, said)
        key = str(size) if size < LARGE else f"{LARGE} and more"
        found.setdefault(key, Counter())[what] += 1
    return found


def table(found: Mapping[str, Mapping[str, int]]) -> str:
    """One line a size, in Markdown."""
    lines = ["| tokens | slips | taken back | another, as small | larger | none |",
             "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for size in sorted(found):
        row = found[size]
        cells = " | ".join(str(row.get(w, 0)) for w in WORDS)
        lines.append(f"| {size} | {sum(row.values())} | {cells} |")
    return "\n".join(lines)
