"""Compute the verdicts of a paper's records, say what is wrong with the records, and store.

python -m cltheory.derive.papers.stamp PAPER [SECTION ...]            only look
python -m cltheory.derive.papers.stamp PAPER [SECTION ...] --write    store verdicts and witnesses
python -m cltheory.derive.papers.stamp PAPER [SECTION ...] --mutants  what becomes of mutants
"""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..files import write as write_whole
from . import ledger_of
from .records.examine import examine
from .records.mutate import holes
from .records.record import Witness, read_section
from .records.stored import row_of


def put_witness(text: str, label: str, witness: Witness) -> str:
    """Put a witness at the end of a record in the text of a section."""
    starts = [m.start() for m in re.finditer(r"^\[\[record\]\]", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        if re.search(rf"^label = {re.escape(json.dumps(label, ensure_ascii=False))}$", block, re.M):
            return text[:start] + block.rstrip() + "\n\n" + in_toml(witness) + "\n" + text[end:]
    raise KeyError(label)


def in_toml(witness: Witness) -> str:
    """A witness as lines of TOML."""
    at = ", ".join(f'{k} = "{v}"' for k, v in witness.at.items())
    lines = ["[record.witness]", f"at = {{ {at} }}" if at else "at = {}"]
    lines.append(f"says = {json.dumps(witness.says)}")
    if witness.gram:
        lines.append(f"sizes = {list(witness.sizes)}")
        rows = ",\n".join("  [" + ", ".join(f'"{v}"' for v in row) + "]" for row in witness.gram)
        lines.append(f"gram = [\n{rows},\n]")
    for letter, table in witness.tables.items():
        lines.append(f"tables.{letter} = [")
        lines += ["  [" + ", ".join(f'"{v}"' for v in row) + "]," for row in table] + ["]"]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Compute verdicts, show what is wrong with the records, and store them if asked."""
    paper, *sections = [a for a in arguments if not a.startswith("--")]
    wrong = 0
    for section in sections or list(ledger_of(paper).sections):
        path = Path(str(files(ledger_of(paper).package) / f"{section}.toml"))
        if path.is_file():
            run = mutated if "--mutants" in arguments else examined
            wrong += run(paper, section, path, "--write" in arguments)
    return 1 if wrong else 0


def examined(paper: str, section: str, path: Path, write: bool) -> int:
    """Examine the records of a section; how much is wrong with them."""
    text, package = path.read_text("utf-8"), ledger_of(paper).package
    rows: dict[str, Any] = {}
    wrong = 0
    for record in read_section(paper, section, text, package):
        found = examine(record)
        if write and record.witness is None and found.found is not None:
            text = put_witness(text, record.label, found.found)
            write_whole(path, text)
            record = next(
                r for r in read_section(paper, section, text, package) if r.label == record.label
            )
            found = examine(record)
        rows[record.label] = row_of(record.fingerprint(), found.verdict)
        verdict = found.verdict
        print(f"{record.label}: {verdict.word} ({verdict.evidence.grade}) {verdict.note}")
        for problem in found.problems:
            print(f"    {problem}")
        wrong += len(found.problems)
    if write:
        target = path.with_name(f"{section}.verdicts.json")
        write_whole(target, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return wrong


def mutated(paper: str, section: str, path: Path, write: bool) -> int:
    """Mutate the records of a section; how many mutants pass."""
    package = ledger_of(paper).package
    alive = 0
    for record in read_section(paper, section, path.read_text("utf-8"), package):
        if not record.mathematical:
            continue
        found = holes(record)
        print(
            f"{record.label}: {found.killed} killed, {found.same} the same, "
            f"{len(found.weaker)} weaker, {len(found.survivors)} survive"
        )
        for what in found.survivors:
            print(f"    survives: {what}")
        for what in found.weaker:
            print(f"    weaker: {what}")
        for what in set(record.also_true) - set(found.known):
            print(f"    is said to be true as well, and did not survive: {what}")
            alive += 1
        alive += len(found.survivors)
    return alive


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
