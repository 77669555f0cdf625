r"""Whether a row of a display goes on with the one before it, by a look at its text.

It does unless it is seen to be a formula of its own: nothing may be read without what follows.
"""

from __future__ import annotations

import re

_RELATION = (
    r"(?:[=<>]|:=|\\(?:l[et]|g[et]|[lg]eq|[lg]eqslant|neq?|in|coloneqq?|triangleq|eqdef|equiv|to"
    r"|approx|sim|propto|i?mplies|iff|[Rr]ightarrow|Leftrightarrow)(?![A-Za-z]))"
)
_SILENT = (
    r"(?:\s|&|~|\{\s*\}|\\[ ,;:!>]|\\q?quad(?![A-Za-z])|\\(?:nonumber|notag)(?![A-Za-z])"
    r"|\\(?:label|tag|[hv]?phantom|hspace)\*?\s*\{[^{}]*\})"
)
_START = re.compile(rf"{_SILENT}*")
_END = re.compile(rf"(?:[-+*/(\[]|{_RELATION}|\\(?:cdot|times|pm|mp|left\W)){_SILENT}*\Z")
_RELATED = re.compile(rf"\s*{_RELATION}")
_JOINED = re.compile(
    rf"[-+*/]|{_RELATION}|\\(?:cdot|times|pm|mp|right|forall|text|mbox|math[a-z]+\{{)"
)
_PART = re.compile(
    rf"(?P<end>[,;]|\\(?:q?quad|text\w*|mbox|hspace|forall)(?![A-Za-z]))|(?P<relation>{_RELATION})"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|\\[A-Za-z]+|\\.|.",
    re.DOTALL,
)
_BETWEEN = re.compile(r"\\(?:short)?intertext(?![A-Za-z])")

#: What may stand around an environment that prints nothing but its rows.
_AROUND = re.compile(
    rf"{_SILENT}|[.,;{{}}]|\\(?:boxed|displaystyle)(?![A-Za-z])|\\left\s*(?:\.|\\\{{|\\lbrace)|\\right\s*\."
    r"|\\(?:begin|end)\s*\{[A-Za-z]+\*?\}"
)


def is_beside(before: str, after: str) -> bool:
    """Whether more than punctuation stands beside an environment."""
    return bool(_AROUND.sub("", before) or _AROUND.sub("", after))


def goes_on(before: str, row: str) -> bool:
    """Whether a row goes on with the rows before it, of which the end is enough."""
    head, _, tail = row.partition("&")
    starts = _START.match(head).end() < len(head) and head.lstrip()[:1] != "+"  # type: ignore[union-attr]
    row = row[_START.match(row).end() :]  # type: ignore[union-attr]
    if (starts and _RELATED.match(tail)) or _BETWEEN.match(row):
        return False
    if _END.search(before) or _JOINED.match(row):
        return True
    depth = 0
    for part in _PART.finditer(row):
        depth += (part.lastgroup == "open") - (part.lastgroup == "close")
        if not depth and part.lastgroup in ("relation", "end"):
            return part.lastgroup == "end"
    return True
