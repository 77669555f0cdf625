"""Comments that were meant as directives and are none."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from ...results import results

_RESULT = re.compile(r"(?:^|[^a-z0-9-])(?:not[ \t]+)?([a-z0-9]+(?:-[a-z0-9]+)*)\.[A-Za-z]")
_HEAD = re.compile(r"(?P<before>.*?)(?P<word>cl[ -]theory|[\w-]+)[ \t]*(?P<sign>[:;=,.]?)[ \t]*\Z")
_ALIKE = 0.75  #: of letters, one wrong or missing, or two in the wrong order
_MAX_HEAD = 60
_CONCERNS = re.compile("|".join(["theory", *map(re.escape, results)]))


def concerns(text: str) -> bool:
    """Whether there may be a directive in a text, or what was meant as one."""
    return _CONCERNS.search(text.lower()) is not None


def names_result(comment: str) -> bool:
    """Whether it goes on with a quantity of a result that there is."""
    found = _RESULT.search(comment[:200])
    return found is not None and found[1] in results


def near_miss(comment: str) -> str:
    """What to write instead of a comment that names a result; empty for any other comment."""
    found = _RESULT.search(comment[:200])
    if found is None or found[1] not in results:
        return ""
    before = re.sub(r"\bnot[ \t]*\Z", "", comment[: found.start(1)])
    head = _HEAD.match(_plain(before)[-_MAX_HEAD:])
    if head is None or (
        head["before"].strip(" \t!-*#/%<>{[(") and head["sign"] not in (":", "=", ";")
    ):
        return ""
    word = re.sub(r"[\W_]", "", head["word"]).lower()
    if word == "theory" and head["before"].strip():
        return ""
    if SequenceMatcher(None, word, "cltheory", autojunk=False).ratio() < _ALIKE:
        return ""
    return "write it 'cltheory: " + found[1] + ".QUANTITY' to mark an equation"


def _plain(text: str) -> str:
    """Without characters that cannot be seen, and with one form of those that can."""
    text = unicodedata.normalize("NFKC", text)
    return "".join(" " if c.isspace() else c for c in text if unicodedata.category(c) != "Cf")
