"""The examples and formulas in README.md and docs/*.md: run them again, compare or rewrite.

    python docs/examples.py           compare, exit 1 on a difference
    python docs/examples.py --write   put what the tool prints now into the pages

A code block that starts with ``$ cltheory`` is an example. Lines ``...`` stand for output
left out; rewriting goes by the first and last line of each part that is shown. A line
``<!-- formula: ID QUANTITY -->`` stands above a display that shows that quantity; without a
display, ``--write`` makes one. Examples
that optimise embeddings are not run again: their last digits depend on the machine.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

BLOCK = re.compile(r"^```[^\n]*\n(?P<body>\$ cltheory .*?)^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(
    r"^<!-- formula: (?P<id>\S+) (?P<name>\S+) -->\n\n\$\$\n[^\n]*=\n(?P<tex>.*?)\n\$\$$",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"^<!-- formula: (?P<id>\S+) (?P<name>\S+) -->$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
#: Commands whose output is the same on every machine.
EXACT = (
    "derive", "show", "list", "claims", "check", "export", "realize", "diagnose", "explain",
    "advise",
    "--help",
)  # fmt: skip


@dataclass(frozen=True)
class Example:
    """A command and what a page says it prints."""

    page: str
    command: str
    shown: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the output is the same on every machine."""
        return self.command.split()[1] in EXACT


def examples(text: str, page: str) -> Iterator[Example]:
    """The examples of a page; one block may hold several commands."""
    for block in BLOCK.finditer(text):
        for part in re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield Example(page, command, tuple(line.rstrip() for line in shown))


@cache
def output(command: str) -> tuple[str, ...]:
    """Run a command, in this process: what several pages show is derived once.

    ``| tail -N`` and ``| head -N`` are understood.
    """
    from cltheory.cli.main import run

    command, _, pipe = command.partition(" | ")
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        run(shlex.split(command)[1:])
    lines = [line.rstrip() for line in said.getvalue().rstrip("\n").split("\n")]
    if pipe:
        program, count = pipe.split(" -")
        lines = lines[-int(count) :] if program == "tail" else lines[: int(count)]
    return tuple(lines)


def agrees(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether a page shows what was printed; ``...`` stands for any lines."""
    pattern = "".join(".*" if line == "..." else re.escape(line + "\n") for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed), re.DOTALL) is not None


def renewed(shown: tuple[str, ...], printed: tuple[str, ...]) -> tuple[str, ...]:
    """What a page should show: all of it, or the same parts of it as before."""
    if "..." not in shown:
        return printed
    lines: list[str] = []
    here = 0
    for is_gap, part in groupby(shown, key="...".__eq__):
        if is_gap:
            lines.append("...")
            continue
        kept = list(part)
        try:
            start = printed.index(kept[0], here)
            here = printed.index(kept[-1], start) + 1
        except ValueError:
            return shown  # a person has to look
        lines += printed[start:here]
    return tuple(lines)


def latex(id: str, name: str) -> str:
    """LaTeX of a quantity, as the tool prints it."""
    from cltheory.derive.results import results

    return results[id].latex(name)


def display(id: str, name: str) -> str:
    """The display of a quantity, to stand below its mark."""
    from cltheory.derive.results import results

    return f"\n\n$$\n{results[id].quantity(name).symbol} =\n{latex(id, name)}\n$$"


def bare_marks(text: str) -> list[re.Match[str]]:
    """The marks of formulas without the display of one below them; those in code are code."""
    shown = {found.start() for found in FORMULA.finditer(text)}
    code = [range(*found.span()) for found in FENCE.finditer(text)]
    return [
        mark
        for mark in MARK.finditer(text)
        if mark.start() not in shown and not any(mark.start() in part for part in code)
    ]


def differences(page: Path) -> list[str]:
    """What a page shows that the tool does not print."""
    text = page.read_text(encoding="utf-8")
    found = [
        f"{page.name}: $ {e.command}\n" + "\n".join(output(e.command))
        for e in examples(text, page.name)
        if e.exact and not agrees(e.shown, output(e.command))
    ]
    found += [
        f"{page.name}: {f['id']} {f['name']}\n{latex(f['id'], f['name'])}"
        for f in FORMULA.finditer(text)
        if f["tex"] != latex(f["id"], f["name"])
    ]
    found += [
        f"{page.name}: {mark[0]} has no display of a formula below it; --write makes one"
        for mark in bare_marks(text)
    ]
    return found


def rewritten(page: Path) -> str:
    """The page with outputs and formulas renewed."""

    def block(match: re.Match[str]) -> str:
        body = ""
        for e in examples(match[0], page.name):
            shown = renewed(e.shown, output(e.command)) if e.exact else e.shown
            body += "\n".join([f"$ {e.command}", *shown]) + "\n"
        return match[0].replace(match["body"], body)

    def formula(match: re.Match[str]) -> str:
        head, tail = match.start("tex") - match.start(), match.end("tex") - match.start()
        return match[0][:head] + latex(match["id"], match["name"]) + match[0][tail:]

    text = BLOCK.sub(block, page.read_text(encoding="utf-8"))
    for mark in reversed(bare_marks(text)):
        text = text[: mark.end()] + display(mark["id"], mark["name"]) + text[mark.end() :]
    return FORMULA.sub(formula, text)


def main() -> int:
    if sys.argv[1:] == ["--write"]:
        for page in PAGES:
            page.write_text(rewritten(page), encoding="utf-8")
    left = [d for page in PAGES for d in differences(page)]
    print("\n\n".join(left) or f"{len(PAGES)} pages show what the tool prints")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
