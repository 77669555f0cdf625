"""Every sentence that a user meets, listed from the source; what a machine can see is refused.

Strings are those of errors, titles, meanings, steps, lemmas and options. What they should say is
for readers to judge; the words below were found in them too often.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("derive", "numeric", "cli")
#: Keyword arguments that are shown, and functions whose arguments are.
SHOWN = {"help", "title", "meaning", "reason", "because", "text", "short_help", "note", "why"}
TELLING = {
    "step",
    "Quantity",
    "Lemma",
    "Step",
    "cite",
    "lemma",
    "add",
    "holds",
    "show",
    "by",
    "fact",
}

#: Words of a text that is yielded and taken for one that users read: a note, say.
LONG = 5

#: A pattern, what is wrong with it, and a string that has it.
REFUSED = {
    r"^Of\b": ("begins with 'Of'", "Of the loss."),
    r"\b(is|are|was|were) no\b(?! (more|longer|less|larger|smaller|greater|fewer|better)\b)": (
        "'is no': 'is not a', or 'does not exist'",
        "same_clas is no relation",
    ),
    r"\b(is|are|was|were) none\b": ("'is none'", "what is none"),
    r"because so\b|^so\b": ("a reason is printed after 'because'", "so the limit is 0"),
    r"\b(least|smallest) loss\b": ("minimum of the loss", "above the least loss"),
    r"\bleast values?\b": ("minimum", "the least value there"),
    r"\b(comes|goes|come|go) to (0|zero|infinity|1|oo|the limit)\b": ("converges", "goes to 0"),
    r"\bslopes?\b": ("derivative", "the slope vanishes"),
    r"\bon one line\b": ("collinear", "points on one line"),
    r"\bis one point\b": ("collapses to one point", "a class is one point"),
    r"\bin balls\b": ("in ball arithmetic", "decided in balls"),
    r"\bput back\b": ("verified by substitution", "put back into it"),
    r"\bat numbers\b": ("for numerical values", "found at numbers"),
    r"\bnot felt\b": ("absent from the loss", "a relation is not felt"),
    r"\bas many\b(?! as)": ("the same number of", "as many points"),
    r"\bwhat is (said|told|taken|done)\b": ("who says it?", "what is said of it"),
    r"\b(iff|alpha|tau) > it\b": ("'it' has no noun", "collapse iff alpha > it"),
    r"\bvouched\b": ("say what is certain", "digits that are vouched for"),
    r"\bis not told from\b": ("cannot be distinguished", "a slope is not told from 0"),
    r"\bcold\b|\bhot\b": ("tau -> 0, tau -> oo", "where it is cold"),
    r"\bfor certain\b|\bwithout end\b": ("certainly; without bound", "they move apart without end"),
    r"\balone ?=|\bgot [a-z]+=": ("read on the command line as well", "choose alone = skip"),
    r"\bof what is\b(?! not positive)": ("name the thing", "the seed of what is in a batch"),
}  # fmt: skip


def text_of(node: ast.expr) -> str | None:
    """A string as it stands in the source, with {} for what is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
        return "".join(map(str, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        one, other = text_of(node.left), text_of(node.right)
        return None if one is None or other is None else one + other
    return None


def shown(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The strings of a module that users read, with their lines."""
    for node in ast.walk(tree):
        found: list[ast.expr] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            found = node.exc.args[:2]
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            found = [k.value for k in node.keywords if k.arg in SHOWN]
            found += [a for a in node.args if called in TELLING and " " in (text_of(a) or "")]
        elif isinstance(node, ast.Yield) and node.value is not None:
            found = [node.value] if len((text_of(node.value) or "").split()) >= LONG else []
        yield from ((a.lineno, text) for a in found if (text := text_of(a)))


def wrong(text: str) -> list[str]:
    return [why for pattern, (why, _) in REFUSED.items() if re.search(pattern, text)]


def test_what_users_read_is_in_standard_terms() -> None:
    count, found = 0, []
    for file in sorted(f for room in ROOMS for f in (ROOT / room).rglob("*.py")):
        for line, text in shown(ast.parse(file.read_text(encoding="utf-8"))):
            count += 1
            found += [f"{file.relative_to(ROOT)}:{line}: {why}: {text}" for why in wrong(text)]
    assert count > 2000
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", [bad for _, bad in REFUSED.values()])
def test_what_is_refused_is_noticed(text: str) -> None:
    assert wrong(text)
    for source in (f"raise E({text!r})", f"raise E(f'{{x}}: ' + {text!r})", f"f(title={text!r})"):
        assert any(text in read for _, read in shown(ast.parse(source)))


@pytest.mark.parametrize(
    "text", ["there is no more than one", "the minimum of the loss", "as many as", "x is not one"]
)
def test_what_is_well_said_is_left_alone(text: str) -> None:
    assert not wrong(text)
