"""Code in Markdown, where a formula is none: blocks in fences, indented blocks, code spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from ...frozen import FrozenValue

_FENCE = re.compile(
    r"(?P<before>[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+|>)*+)"
    r"(?P<fence>`{3,}+|~{3,}+|:{3,}+)[ \t]*+(?P<language>[^`\n]*)\Z"
)
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)[ \t]*[^ \t]")
#: Of a list, or of a block whose text is indented: !!! note, === "Tab", [^1]: and definitions.
_LIST = re.compile(
    r" {0,3}(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)|(?:!!!|\?\?\?\+?|===\+?)[ \t]"
    r"|\[\^[^\]\n]{1,80}\]:|:[ \t])"
)
#: ```{NAME} of MyST and Quarto with code in it; in any other there is text.
_OF_CODE = re.compile(
    r"\{(?:code|ipython|literalinclude|eval-rst|mermaid|raw|parsed-literal|include|csv-table|jupyter"
    r"|graphviz|python|r\b|julia|bash|[=.])",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\\.|`+|<!--")
_MATH = {"math", "{math}"}
_OPTION = re.compile(r"[ \t]*:[a-z]+:")


class Code(FrozenValue):
    """Markdown with its code as spaces, and the fences of mathematics.

    Attributes
    ----------
    text
        As long as it was, with the line ends where they were.
    math
        Places of each ```math fence: where it begins, its inside begins, its inside ends.
    """

    text: str
    math: list[tuple[int, int, int]]


@dataclass
class _Fence:
    """A block in a fence that is open."""

    marks: str
    math: bool
    opened: int
    inside: int
    quotes: int
    in_list: bool = False
    options: bool = True  #: of MyST, ``:label: x`` in the first lines

    def left(self, line: str) -> bool:
        """Whether this line is outside of the quotation or the list that it stands in."""
        if not line.strip():
            return self.quotes > 0
        return (
            line.count(">", 0, 100) < self.quotes
            if self.quotes
            else (self.in_list and line[0] not in " \t")
        )

    def line(self, line: str) -> str:
        """A line of it: mathematics without what stands before it, code as spaces."""
        if not self.math:
            return " " * len(line)
        self.options = self.options and _OPTION.match(line) is not None
        if self.options:
            return " " * len(line)
        quoted = re.match(rf"(?:[ \t]*>){{0,{self.quotes}}}", line) if self.quotes else None
        return " " * quoted.end() + line[quoted.end() :] if quoted else line


def code_of(text: str) -> Code:
    """Find the code of a Markdown text."""
    out: list[str] = []
    math: list[tuple[int, int, int]] = []
    fence: _Fence | None = None
    around: list[str] = []  #: marks of the blocks of text that are open
    comment, in_list, blank, indented = False, False, True, False
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        found = _fence(line) if fence is not None or not comment else None
        if fence is not None and fence.left(line):
            if fence.math:
                math.append((fence.opened, fence.inside, start))
            fence = None
        if found and not in_list and _INDENTED.match(line):
            found = None
        if fence is not None:
            if found and found["fence"].startswith(fence.marks) and not found["language"]:
                if fence.math:
                    math.append((fence.opened, fence.inside, start))
                fence = None
                out.append(" " * len(line))
            else:
                out.append(fence.line(line))
            continue
        if comment:
            end = line.find("-->") + 3
            masked, comment = _spans(line[end:]) if end > 2 else (line[end:], True)
            out.append(line[:end] + masked)
            continue
        language = found["language"].strip() if found else ""
        if found and (found["fence"][0] != ":" or language == "{math}"):
            quotes = min(found["before"].count(">"), 50)
            out.append(" " * len(line))
            blank = False
            if around and not language and found["fence"].startswith(around[-1]):
                around.pop()
            elif language[:1] == "{" and language not in _MATH and not _OF_CODE.match(language):
                around.append(found["fence"])
            else:
                inside = (in_list and line[:2].isspace()) or _LIST.match(line) is not None
                fence = _Fence(found["fence"], language in _MATH, start, at, quotes, inside)
            continue
        if not line.strip():
            out.append(line)
            blank = True
            continue
        if _LIST.match(line):
            in_list = True
        elif blank and line[0] not in " \t":
            in_list = False
        indented = not in_list and (blank or indented) and _INDENTED.match(line) is not None
        blank = False
        if indented:
            out.append(" " * len(line))
            continue
        masked, comment = _spans(line)
        out.append(masked)
    if fence is not None and fence.math:  # as CommonMark has it, the end of the text closes it
        math.append((fence.opened, fence.inside, len(text)))
    return Code("\n".join(out), math)


def _fence(line: str) -> re.Match[str] | None:
    if "```" not in line and "~~~" not in line and ":::" not in line:
        return None
    return _FENCE.match(line)


def _spans(line: str) -> tuple[str, bool]:
    """The line without its code spans, and whether a comment is open at its end."""
    if "`" not in line:
        return line, line.rfind("<!--") > line.rfind("-->")
    runs: dict[int, list[int]] = {}
    for run in re.finditer("`+", line):
        runs.setdefault(len(run[0]), []).append(run.start())
    out: list[str] = []
    at = 0
    while True:
        found = _SPAN.search(line, at)
        if found is None:
            return "".join([*out, line[at:]]), False
        end = found.end()
        if found[0] == "<!--":
            close = line.find("-->", end)
            if close < 0:
                return "".join([*out, line[at:]]), True
            end = close + 3
        elif found[0][0] == "`":
            same = runs[len(found[0])] if len(found[0]) in runs else []
            k = bisect_right(same, found.start())
            if k < len(same):
                end = same[k] + len(found[0])
                out += [line[at : found.start()], " " * (end - found.start())]
                at = end
                continue
        out.append(line[at:end])
        at = end
