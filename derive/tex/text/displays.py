r"""Displays, their rows, and the directives that stand at them.

A display that is never closed is given up at the next blank line, which TeX does not allow
in a display either, so that one slip does not hide the rest of a paper.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...frozen import FrozenValue
from ..directives import DirectiveError, directive, is_map
from .commands import DISPLAYS
from .rows import goes_on, is_beside
from .scope import Definition, Scope
from .source import Source

MAX_LINES = 10  #: of text between a directive and its display
MAX_DEPTH = 60  #: environments in one another
MAX_LEAD = 2_000  #: characters of the rows before a row

_ENVIRONMENT = re.compile(r"[ \t]*(?:\n[ \t]*)?\{([A-Za-z]+\*?)\}")
_NO_FORMULA = re.compile(
    r"\\(?:label|(?:short)?intertext)\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\(?:nonumber|notag)(?![A-Za-z])|&|\s"
)
_COMMENT = re.compile(r"(\\.)|%[^\n]*", re.DOTALL)
_DISTANCE = re.compile(r"[ \t]*\[[^\[\]{}\n]*\d\s*(?:pt|em|ex|mm|cm|in|\\[a-z]+)\s*\]")
_RELATION = re.compile(
    r"[=<>]|\\(?:l[et]|g[et]|[lg]eq|[lg]eqslant|neq?|in|coloneqq?|triangleq|eqdef|equiv)(?![A-Za-z])"
)


class Found(FrozenValue):
    """A directive and what it stands at: the source from ``start`` to ``end``, or an error.

    Attributes
    ----------
    at, body, said_in
        Where the directive begins, what it says after ``cltheory:``, and in which text.
    start, source, stands_in
        Where the source begins in its text, and the source, in which everything that is no
        formula (comments) is spaces: places in it are places in the text.
    whole
        Whether the directive is about the whole display, not about one row.
    lead
        The rows before it, if it is about one row.
    meanings
        What the names in it mean there.
    error
        Why there is no source.
    """

    at: int
    body: str
    said_in: Source
    start: int = 0
    source: str = ""
    stands_in: Source | None = None
    whole: bool = True
    lead: str = ""
    meanings: Mapping[str, Definition] = field(default_factory=dict)
    error: str = ""


@dataclass
class Waiting:
    """A directive that waits for its equation."""

    at: int
    end: int
    body: str
    said_in: Source
    where: object = None  #: in which braces and branch of conditionals it stands
    inline: bool = False
    lines: int = 0  #: of text since, in files that were left
    since: int = 0  #: place in the present file from which lines are counted


@dataclass
class _Frame:
    """An environment that is open in a display: its row so far."""

    name: str
    row: int
    braces: int
    directive: Waiting | None = None
    begun: bool = False  #: whether something of the row stands before its directive
    rows: list[int] = field(default_factory=list)  #: where the rows before begin
    first: int = 0  #: where the statement of the directive begins
    last: int = -1  #: where its last row so far ends
    where: object = None  #: in which braces and branch it ends
    lead: str = ""
    opened: int = 0
    count: int = 0  #: of what was found before
    inner: list[tuple[int, int, int]] = field(default_factory=list)  #: environments, what in them


@dataclass
class _Display:
    closer: str
    start: int
    above: Waiting | None
    frames: list[_Frame]
    blanks: list[tuple[int, int]] = field(default_factory=list)
    braces: int = 0
    inner: tuple[int, int] | None = None  #: $$\begin{align} .. \end{align}$$


class Displays:
    """What is open at the present place of the text, and what was found so far."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.source = Source("")
        self.found: list[Found] = []
        self.above: Waiting | None = None
        self.display: _Display | None = None
        #: the innermost braces here, and how many of if, else and fi were passed
        self.brace = 0
        self.switches = 0

    @property
    def where(self) -> object:
        """What must be the same for a directive and its display: braces and branch."""
        return self.brace, self.switches

    # --- directives ------------------------------------------------------------------------
    def directive(self, at: int, end: int, body: str) -> None:
        """A directive stands here."""
        if is_map(body):
            self.found.append(Found(at, body, self.source))
            if self.display is not None:
                self.blank(at, end)
            return
        try:
            inline = directive(body).inline
        except DirectiveError:
            inline = False
        where = self.where
        waiting = Waiting(at, end, body, self.source, where, inline, since=end)
        display = self.display
        if display is None:
            self.unused()
            self.above = waiting
            return
        frame = display.frames[-1]
        self.blank(at, end)
        if frame.last >= 0:
            self._end_of_statement(frame)
        if frame.directive is not None:
            self.fail(frame.directive, "another directive follows, with no row between them")
        elif frame.begun or _NO_FORMULA.sub("", self._cut(frame.row, at)):
            frame.begun = True
            self.fail(waiting, "it stands in the middle of a row: move it before the row")
            return
        frame.directive, frame.row = waiting, end

    def unused(self, why: str = "no display follows it") -> None:
        """The directive that waits gets no display."""
        above, self.above = self.above, None
        if above is not None:
            self.fail(
                above, "no inline formula with a relation follows it" if above.inline else why
            )

    def fail(self, waiting: Waiting, error: str) -> None:
        """Say why a directive marks nothing."""
        self.found.append(Found(waiting.at, waiting.body, waiting.said_in, error=error))

    def stray(self, at: int, error: str) -> None:
        """Say what is wrong at a place."""
        self.found.append(Found(at, "", self.source, error=error))

    # --- files -------------------------------------------------------------------------------
    def leave(self, at: int) -> None:
        """The text is left here, for another file or at its end."""
        if self.above is not None:
            self.above.lines += _lines(self.source.text[self.above.since : at])
            self.above.since = 0

    def enter(self, source: Source, at: int) -> None:
        """A text is begun, or gone on with."""
        self.source = source
        if self.above is not None:
            self.above.since = at

    # --- inline formulas -----------------------------------------------------------------------
    def formula(self, start: int, end: int) -> None:
        """An inline formula stands here."""
        above, text = self.above, self.source.text
        if above is None or not above.inline or start < above.since:  # or it stands inside it
            return
        if not _RELATION.search(text, start, end):
            return
        self.above = None
        if above.lines + _lines(text[above.since : start]) > MAX_LINES + 1:
            self.fail(above, f"no formula with a relation follows within {MAX_LINES} lines")
            return
        plain = _COMMENT.sub(lambda found: found[1] or " " * len(found[0]), text[start:end])
        self._take(above, plain, start)

    # --- displays ------------------------------------------------------------------------------
    def open(self, closer: str, start: int, inside: int, unknown: str = "") -> None:
        """A display begins; ``unknown`` says why it may be none."""
        above = self.above
        if above is not None:
            lines = above.lines + _lines(self.source.text[above.since : start])
            if unknown:
                self.above = None
                self.fail(above, unknown)
            elif above.inline:
                self.unused()
            elif lines > MAX_LINES:
                self.unused(f"no display follows it within {MAX_LINES} lines of text")
        above, self.above = self.above, None
        self.display = _Display(closer, inside, above, [_Frame(closer, inside, 0)])

    def refuse(self, why: str) -> None:
        """Something stands here that may be a display and cannot be read."""
        above, self.above = self.above, None
        if above is not None:
            self.fail(above, why)

    def begin(self, name: str, start: int, inside: int) -> None:
        """An environment begins in the display."""
        display = self.display
        assert display is not None
        if name in DISPLAYS and not self.source.text[display.start : start].strip():
            display.inner = (inside, -1)
        frame = _Frame(name, inside, display.braces, opened=start, count=len(self.found))
        display.frames.append(frame)
        if len(display.frames) > MAX_DEPTH:
            self.give_up(f"more than {MAX_DEPTH} environments are open in it")

    def end(self, name: str, start: int) -> None:
        """An environment ends in the display."""
        display = self.display
        assert display is not None
        if display.frames[-1].name != name:
            return
        frame = display.frames.pop()
        self._row(frame, start)
        self._end_of_statement(frame)
        if frame.count < len(self.found):
            display.frames[-1].inner.append((frame.opened, start, frame.count))
        if display.inner is not None and len(display.frames) == 1 and name in DISPLAYS:
            display.inner = (display.inner[0], start)

    def row_end(self, start: int, end: int) -> int:
        """A row ends; returns the place after its end."""
        display = self.display
        assert display is not None
        frame = display.frames[-1]
        if display.braces != frame.braces:  # \substack{a \\ b}
            return end
        if self.source.text[end : end + 1] == "*":
            end += 1
        # [2pt] is a distance; [ x ] may begin the next row.
        space = _DISTANCE.match(self.source.text, end)
        end = space.end() if space else end
        self._row(frame, start)
        frame.rows.append(frame.row)
        frame.row, frame.begun = end, False
        return end

    def close(self, end: int) -> None:
        """The display ends."""
        display = self.display
        assert display is not None
        for frame in display.frames:
            self._row(frame, end)
            self._end_of_statement(frame)
        if display.above is not None:
            start, stop = display.start, end
            if display.inner is not None and display.inner[1] >= 0:
                tail = self._cut(display.inner[1], end)
                if _ENVIRONMENT.sub("", tail.strip().removeprefix(r"\end"), count=1) == "":
                    start, stop = display.inner
            self._take(display.above, self._cut(start, stop), start)
        self.display = None

    def give_up(self, why: str) -> None:
        """The display is not closed."""
        display = self.display
        assert display is not None
        marks = [display.above, *(frame.directive for frame in display.frames)]
        for waiting in marks:
            if waiting is not None:
                self.fail(waiting, f"its display is not closed: {why}")
        self.display = None

    def blank(self, start: int, end: int) -> None:
        """A part of the display is no formula."""
        if self.display is not None:
            self.display.blanks.append((start, end))

    def is_empty(self, at: int) -> bool:
        """Whether nothing stands in the display before this place."""
        display = self.display
        assert display is not None
        if at - display.start > MAX_LEAD * 10:
            return False
        return not _NO_FORMULA.sub("", self._cut(display.start, at))

    def _row(self, frame: _Frame, end: int) -> None:
        """A row ends; the statement of a directive goes on up to a formula of its own."""
        for opened, closed, count in frame.inner:
            if is_beside(self._cut(frame.row, opened), self._cut(closed, end)):
                self._refuse_since(count)
        frame.inner = []
        if frame.directive is None:
            return
        if frame.last < 0:
            rows = [row for row in frame.rows[-100:] if row >= frame.row - MAX_LEAD]
            frame.lead = self._cut(rows[0], frame.directive.at) if rows else ""
            frame.first = frame.row
        else:
            row, before = self._cut(frame.row, end), max(frame.first, frame.last - 200)
            if not row.strip():
                return
            if not goes_on(self._cut(before, frame.last), row):
                self._end_of_statement(frame)
                return
        frame.last, frame.where = end, self.where

    def _refuse_since(self, count: int) -> None:
        """What stands beside an environment may belong to the formulas in it."""
        error = "something stands beside the environment that its row is in: mark the whole display"
        for k in range(count, len(self.found)):
            if not self.found[k].error:
                self.found[k] = replace(self.found[k], error=error, stands_in=None)

    def _end_of_statement(self, frame: _Frame) -> None:
        if frame.directive is not None:
            source, where = self._cut(frame.first, frame.last), frame.where
            self._take(frame.directive, source, frame.first, row=True, lead=frame.lead, where=where)
        frame.directive, frame.last = None, -1

    def _cut(self, start: int, end: int) -> str:
        """A piece of the display, comments as spaces."""
        display, text = self.display, self.source.text
        assert display is not None
        parts, at = [], start
        first = bisect_left(display.blanks, (start, 0))
        for left, right in display.blanks[first : bisect_left(display.blanks, (end, 0))]:
            if left < at:
                continue
            parts += [text[at:left], re.sub(r"[^\n]", " ", text[left:right])]
            at = right
        return "".join([*parts, text[at:end]])

    def _take(
        self,
        waiting: Waiting,
        source: str,
        start: int,
        *,
        row: bool = False,
        lead: str = "",
        where: object = None,
    ) -> None:
        """A directive marks a piece of the text, if both stand in the same place."""
        if self.display is not None and self.source.markdown:
            depth = _quoted(self.source.text, self.display.start)
            source, lead = _unquoted(source, depth), _unquoted(lead, depth)
        if not source.strip():
            self.fail(waiting, "what follows it is empty")
        elif (where or self.where) != waiting.where:
            self.fail(waiting, "a brace or a conditional stands between it and what it marks")
        else:
            found = Found(
                waiting.at,
                waiting.body,
                waiting.said_in,
                start=start + len(source) - len(source.lstrip()),
                source=source.strip(),
                stands_in=self.source,
                whole=not row,
                lead=lead.strip(),
                meanings=self.scope.used(f"{source} {lead} {waiting.body}"),
            )
            self.found.append(found)


def line_before(text: str, at: int) -> str:
    """The line up to here; of a long one only the last piece, so that it costs nothing."""
    return text[max(0, at - 200) : at].rpartition("\n")[2]


def _quoted(text: str, at: int) -> int:
    """In how many quotations of Markdown a line begins."""
    before = re.match(r"[ \t]*((?:>[ \t]*)*)", line_before(text, at))
    assert before is not None
    return before[1].count(">")


def _unquoted(source: str, depth: int) -> str:
    """In a quotation of Markdown, > at the beginning of lines is no relation."""
    if not depth:
        return source
    marks = rf"(?<=\n)(?:[ \t]*>){{1,{min(depth, 50)}}}"
    return re.sub(marks, lambda found: " " * len(found[0]), source)


def _lines(text: str) -> int:
    """Lines of text; comments are none."""
    lines = (line.strip() for line in text.split("\n"))
    return sum(bool(line) and line[0] != "%" for line in lines)
