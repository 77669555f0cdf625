r"""Displays of a text and the directives at them, in one pass over the text.

Two sorts of text: LaTeX, where a directive is a comment ``% cltheory: ...``, and Markdown,
where it is ``<!-- cltheory: ... -->`` (inside a display also a LaTeX comment, which is one
there too). Nothing is interpreted beyond what is needed to know where displays begin and end.

A display that is never closed is given up at the next blank line, which TeX does not allow
in a display either, so that one slip does not hide the rest of a paper.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..results import results
from .directives import MAX_LENGTH, unclosed
from .markdown import Code, code_of

MAX_LINES = 10  #: of text between a directive and its display
MAX_DEPTH = 60  #: environments in one another

_STARRED = ("equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign")
DISPLAYS = {
    *_STARRED,
    *(name + "*" for name in _STARRED),
    *("math", "displaymath", "dmath", "dmath*", "IEEEeqnarray", "IEEEeqnarray*"),
}
#: Environments with an argument before what they display.
_ARGUMENT = {"alignat", "alignat*", "IEEEeqnarray", "IEEEeqnarray*", "array", "alignedat"}
VERBATIM = {
    *("verbatim", "verbatim*", "Verbatim", "Verbatim*", "BVerbatim", "LVerbatim"),
    *("lstlisting", "minted", "comment", "filecontents", "filecontents*"),
}
#: Commands that define others, and how many arguments in braces follow the name.
_DEFINITIONS = {
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareMathOperator"), 1),
    **dict.fromkeys(("def", "gdef", "edef", "xdef", "DeclareRobustCommand"), 1),
    **dict.fromkeys(("newenvironment", "renewenvironment"), 2),
}

_TOKEN = re.compile(r"\\(?:[A-Za-z@]+|.|\Z)|%+|[{}]|\$\$?|<!--|\n(?=[ \t]*(?:\n|\Z))", re.DOTALL)
_COMMAND = re.compile(r"[ \t]*\\[A-Za-z@]+")
_SWITCH = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
#: What begins like a conditional and is none.
_NO_CONDITIONALS = {"iff", "ifthenelse", "iflanguage", "ifstrempty", "ifstrequal", "ifdefempty"}
#: Environments with displays in them that are not read: nothing after them is meant.
_OTHER_DISPLAYS = {"empheq", "numcases", "subnumcases", "dgroup", "dgroup*", "darray", "darray*"}
_ENVIRONMENT = re.compile(r"[ \t]*(?:\n[ \t]*)?\{([A-Za-z]+\*?)\}")
_DEFINED = re.compile(
    r"\*?[ \t]*(?:\n[ \t]*)?(?:\{[ \t]*\\?([A-Za-z@*]+|[^\sA-Za-z])[ \t]*\}|\\([A-Za-z@]+|.))"
)
_BRACE = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_OPTION = re.compile(r"[ \t]*\[[^\[\]{}\n]*\]")
_SIMPLE_ARGUMENT = re.compile(r"[ \t]*\{[^{}\n]*\}")
_ALIAS = re.compile(r"\{\s*(\\(?:begin|end)\s*\{[A-Za-z]+\*?\}|\\\[|\\\])\s*\}\Z")
_MARK = re.compile(r"%*[ \t]*cltheory[ \t]*:")
_MISS = re.compile(r"[ \t]*cl-?theory[ \t]*[:;=,.]?[ \t]+([a-z0-9-]+)\.[a-z]", re.IGNORECASE)
_NO_FORMULA = re.compile(r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])|&|\s")
_GOES_ON = re.compile(r"\n[ \t]*%+")


@dataclass(frozen=True)
class Found:
    """A directive and what it stands at: the source from ``start`` to ``end``, or an error.

    Attributes
    ----------
    at, body
        Where the directive begins, and what it says after ``cltheory:``.
    start, source
        Where the source begins in the text, and the source, in which everything that is no
        formula (comments) is spaces: places in it are places in the text.
    whole
        Whether the directive is about the whole display, not about one row.
    error
        Why there is no source.
    """

    at: int
    body: str
    start: int = 0
    source: str = ""
    whole: bool = True
    error: str = ""


@dataclass(frozen=True)
class _Directive:
    at: int
    end: int
    body: str
    switches: int = 0  #: conditionals passed before it
    conditional: str = ""  #: the innermost one it stands in


@dataclass
class _Frame:
    """An environment that is open in a display: its row so far."""

    name: str
    row: int
    braces: int
    directive: _Directive | None = None
    begun: bool = False  #: whether something of the row stands before its directive


@dataclass
class _Display:
    closer: str
    start: int
    above: _Directive | None
    frames: list[_Frame]
    blanks: list[tuple[int, int]] = field(default_factory=list)
    braces: int = 0
    inner: tuple[int, int] | None = None  #: $$\begin{align} .. \end{align}$$


def displays(text: str, kind: str) -> list[Found]:
    """Directives of a text and what they stand at, in the order of the directives.

    Parameters
    ----------
    text
        With ``\\n`` at the end of lines.
    kind
        ``tex`` or ``md``.
    """
    return sorted(_Scan(text, kind == "md").run(), key=lambda found: found.at)


class _Scan:
    def __init__(self, text: str, markdown: bool):
        self.markdown = markdown
        self.code = code_of(text) if markdown else Code(text, [])
        self.text = self.code.text
        self.found: list[Found] = []
        self.above: _Directive | None = None
        self.display: _Display | None = None
        self.inline = False
        #: conditionals that are open, and how many of if, else and fi were passed
        self.conditionals: list[str] = []
        self.switches = 0
        self.aliases: dict[str, str] = {}
        self.balanced = True  #: no definition so far ran to the end of the text

    def run(self) -> list[Found]:
        at, text = 0, self.text
        fences: Iterator[tuple[int, int, int]] = iter(self.code.math)
        fence = next(fences, None)
        while True:
            token = _TOKEN.search(text, at)
            if fence is not None and (token is None or token.start() >= fence[0]):
                if self.display is not None:
                    self._give_up("a code block begins in it")
                self._open("```", fence[0], fence[1])
                at = self._inside(fence[1], fence[2])
                if self.display is not None:
                    self._close(fence[2])
                fence = next(fences, None)
                continue
            if token is None:
                break
            at = self._token(token[0], token.start(), token.end())
        if self.display is not None:
            self._give_up("the text ends")
        self._unused()
        return self.found

    def _inside(self, at: int, end: int) -> int:
        """A fenced display: its end is known, and a blank line is none."""
        while True:
            token = _TOKEN.search(self.text, at, end)
            if token is None or self.display is None:
                return end
            at = token.end()
            if token[0][0] not in "$\n" and token[0] not in (r"\[", r"\]"):
                at = min(end, self._token(token[0], token.start(), at))

    # --- tokens --------------------------------------------------------------------------
    def _token(self, token: str, start: int, end: int) -> int:
        """Take one token; returns where to go on."""
        if token[0] == "%":
            if not self.markdown or self.display is not None:
                return self._comment(start)
            if _MARK.match(self.text, start):
                self._stray(start, "in Markdown a directive is written <!-- cltheory: ... -->")
            return end
        if token == "<!--":
            if self.markdown:
                return self._html_comment(start)
            if _MARK.match(self.text[end : end + 200].lstrip()):
                self._stray(start, "in LaTeX a directive is written % cltheory: ...")
            return end
        if token[0] == "\n":
            if self.display is not None and self.display.closer != "```":
                self._give_up("a blank line stands in it")
            self.inline = False
            return end
        if token[0] == "$":
            return self._dollar(token, start, end)
        if token in "{}":
            if self.display is not None:
                self.display.braces += 1 if token == "{" else -1
            return end
        return self._command(token[1:], start, end)

    def _dollar(self, token: str, start: int, end: int) -> int:
        display = self.display
        if display is not None:
            if token == "$$" and display.closer == "$$":
                self._close(start)
        elif token == "$$" and not self.inline:
            self._open("$$", start, end)
        elif token == "$" and not self.markdown:  # in Markdown it may be money
            self.inline = not self.inline
        return end

    def _command(self, name: str, start: int, end: int) -> int:
        if name in self.aliases:
            stands_for = self.aliases[name]
            if stands_for[1] in "[]":
                return self._command(stands_for[1], start, end)
            begins, _, environment = stands_for[1:-1].partition("{")
            return self._environment(begins == "begin", environment, start, end)
        if name in ("begin", "end"):
            found = _ENVIRONMENT.match(self.text, end)
            if found is None:
                return end
            return self._environment(name == "begin", found[1], start, found.end())
        if name == "[":
            # In Markdown a \[ in running text is a bracket.
            if self.markdown and self._line_before(start).strip(" \t>"):
                return end
            if self.display is not None and self.display.closer != "```":
                self._give_up("another display begins in it")
            if self.display is None:
                self._open(r"\]", start, end)
        elif name == "]" and self.display is not None and self.display.closer == r"\]":
            self._close(start)
        elif name == "\\" and self.display is not None:
            return self._row_end(start, end)
        elif self.markdown:
            return end
        elif name in ("verb", "lstinline", "mintinline"):
            return self._verbatim_words(name, end)
        elif name == "newif":
            found = _COMMAND.match(self.text, end)
            return found.end() if found else end
        elif name in ("else", "fi") or (name.startswith("if") and name not in _NO_CONDITIONALS):
            return self._conditional(name, start, end)
        elif name in _DEFINITIONS and self.display is None:
            return self._definition(_DEFINITIONS[name], end)
        return end

    def _conditional(self, name: str, start: int, end: int) -> int:
        r"""What \iffalse holds is a comment; of other conditionals it is not known what prints."""
        self.switches += 1
        if name == "iffalse":
            depth = 1
            for found in _SWITCH.finditer(self.text, end):
                depth += {"fi": -1, "else": 0}.get(found[1], found[1] not in _NO_CONDITIONALS)
                if depth == 0 or (depth == 1 and found[1] == "else"):
                    self._blank(start, found.end())
                    self.conditionals += ["iffalse"] if depth else []
                    return found.end()
            if "cltheory:" in self.text[end:]:
                self._stray(start, r"\iffalse has no \fi, and directives stand after it")
            return len(self.text)
        if name == "fi":
            self.conditionals[-1:] = []
        elif name != "else":
            self.conditionals.append(name)
        return end

    def _environment(self, begins: bool, name: str, start: int, end: int) -> int:
        display = self.display
        if not begins:
            if display is not None and display.closer == name:
                self._close(start)
            elif display is not None and display.frames[-1].name == name:
                self._frame_end(display, name, start)
            return end
        if name in VERBATIM and not self.markdown:
            return self._verbatim(name, start, end)
        if name in _OTHER_DISPLAYS and display is None and self.above is not None:
            self._fail(self.above, f"a display of the environment {name} cannot be read")
            self.above = None
        if name in DISPLAYS and (display is None or display.closer not in ("$$", "```", r"\]")):
            if display is not None:
                self._give_up("another display begins in it")
            self._open(name, start, self._arguments(name, end))
        elif display is not None:
            inside = self._arguments(name, end)
            if name in DISPLAYS and not self.text[display.start : start].strip():
                display.inner = (inside, -1)
            display.frames.append(_Frame(name, inside, display.braces))
            if len(display.frames) > MAX_DEPTH:
                self._give_up(f"more than {MAX_DEPTH} environments are open in it")
            return inside
        return end

    def _arguments(self, name: str, at: int) -> int:
        option = _OPTION.match(self.text, at) if name not in DISPLAYS else None
        at = option.end() if option else at
        argument = _SIMPLE_ARGUMENT.match(self.text, at) if name in _ARGUMENT else None
        return argument.end() if argument else at

    # --- what is no text -----------------------------------------------------------------
    def _comment(self, start: int) -> int:
        """A comment of LaTeX, to the end of the line; a directive with an open bracket goes on."""
        text = self.text
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        mark = _MARK.match(text, start, end)
        if mark is None:
            self._near_miss(start, text[start:end][:200].lstrip("%"))
            self._blank(start, end)
            return end
        body = text[mark.end() : end]
        for _ in range(MAX_LINES):
            if len(body) > MAX_LENGTH or not unclosed(body):
                break
            more = _GOES_ON.match(text, end)
            if more is None or _MARK.match(text, more.end()):
                break
            stop = text.find("\n", more.end())
            stop = len(text) if stop < 0 else stop
            body, end = body + " " + text[more.end() : stop], stop
        self._directive(_Directive(start, end, body))
        return end

    def _html_comment(self, start: int) -> int:
        text = self.text
        close = text.find("-->", start + 4)
        inside, end = (text[start + 4 : close], close + 3) if close >= 0 else ("", len(text))
        mark = _MARK.match(inside.lstrip()[:100])
        if mark is None:
            if close < 0 and _MARK.match(text[start + 4 : start + 200].lstrip()):
                self._stray(start, "the comment is not closed by -->")
            self._near_miss(start, inside[:200])
            self._blank(start, end)
            return end
        body = " ".join(inside.lstrip()[mark.end() : mark.end() + MAX_LENGTH + 1].split("\n"))
        self._directive(_Directive(start, end, body))
        return end

    def _near_miss(self, start: int, comment: str) -> None:
        """A comment that was meant as a directive marks nothing: that must not go unseen."""
        found = _MISS.match(comment)
        if found is not None and found[1] in results:
            self._stray(start, "write it 'cltheory: " + found[1] + ".QUANTITY' to mark an equation")

    def _stray(self, at: int, error: str) -> None:
        self.found.append(Found(at, "", error=error))

    def _verbatim(self, name: str, start: int, at: int) -> int:
        end = self.text.find(rf"\end{{{name}}}", at)
        if end >= 0:
            return end
        if "cltheory:" in self.text[at:]:
            error = rf"\begin{{{name}}} has no \end{{{name}}}, and directives stand after it"
            self._stray(start, error)
        return len(self.text)

    def _verbatim_words(self, name: str, at: int) -> int:
        text = self.text
        if text[at : at + 1] == "*":
            at += 1
        if name != "verb":
            option = _OPTION.match(text, at)
            at = option.end() if option else at
        if name == "mintinline":
            language = _SIMPLE_ARGUMENT.match(text, at)
            at = language.end() if language else at
        line = text.find("\n", at)
        line = len(text) if line < 0 else line
        if at >= line:
            return line
        end = text.find({"{": "}"}.get(text[at], text[at]), at + 1, line)
        return line if end < 0 else end + 1

    def _definition(self, arguments: int, at: int) -> int:
        r"""Step over a definition: ``\newcommand{\be}{\begin{equation}}`` begins no display."""
        text, start = self.text, at
        name = _DEFINED.match(text, at)
        if name is None:
            return start
        defined, at = name[1] or name[2], name.end()
        for _ in range(arguments):
            brace = text.find("{", at, at + 200)
            end = self._group(brace) if brace >= 0 else None
            if end is None:
                return at
            alias = _ALIAS.match(text, brace, end) if end - brace < 60 else None
            if alias and arguments == 1:
                self.aliases[defined] = re.sub(r"\s", "", alias[1])
            for mark in re.finditer(r"%[ \t]*cltheory[ \t]*:", text[brace:end]):
                error = "a directive inside a definition marks nothing"
                self._stray(brace + mark.start(), error)
            at = end
        return at

    def _line_before(self, at: int) -> str:
        """The line up to here; of a long one only the last piece, so that it costs nothing."""
        return self.text[max(0, at - 200) : at].rpartition("\n")[2]

    def _group(self, at: int) -> int | None:
        """The place after the group in braces that begins here."""
        depth = 0
        while self.balanced:
            brace = _BRACE.search(self.text, at)
            if brace is None:
                # Not looked for again: the text would be read once for each definition.
                self.balanced = False
                break
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            at = brace.end()
            if depth == 0 and brace[0] == "}":
                return at
        return None

    # --- directives and displays -----------------------------------------------------------
    def _blank(self, start: int, end: int) -> None:
        if self.display is not None:
            self.display.blanks.append((start, end))

    def _directive(self, directive: _Directive) -> None:
        inside = self.conditionals[-1] if self.conditionals else ""
        directive = replace(directive, switches=self.switches, conditional=inside)
        display = self.display
        if display is None:
            self._unused()
            self.above = directive
            return
        frame = display.frames[-1]
        if frame.directive is not None:
            self._fail(frame.directive, "another directive follows, and no row between them")
        elif frame.begun or _NO_FORMULA.sub("", self._cut(display, frame.row, directive.at)):
            frame.begun = True
            self._fail(directive, "it stands in the middle of a row: it belongs before the row")
            self._blank(directive.at, directive.end)
            return
        self._blank(directive.at, directive.end)
        frame.directive, frame.row = directive, directive.end

    def _unused(self) -> None:
        if self.above is not None:
            self._fail(self.above, "no display follows it")
            self.above = None

    def _fail(self, directive: _Directive, error: str) -> None:
        self.found.append(Found(directive.at, directive.body, error=error))

    def _open(self, closer: str, start: int, inside: int) -> None:
        above, self.above = self.above, None
        if above is not None:
            between = self.text[above.end : start].split("\n")
            lines = [s for s in (line.strip() for line in between) if s and s[0] != "%"]
            if len(lines) > MAX_LINES:
                self._fail(above, f"no display follows it within {MAX_LINES} lines of text")
                above = None
        self.inline = False
        self.display = _Display(closer, inside, above, [_Frame(closer, inside, 0)])

    def _row_end(self, start: int, end: int) -> int:
        display = self.display
        assert display is not None
        frame = display.frames[-1]
        if display.braces != frame.braces:  # \substack{a \\ b}
            return end
        if self.text[end : end + 1] == "*":
            end += 1
        space = _OPTION.match(self.text, end)
        # [2pt] is a distance; [ x ] may begin the next row.
        if space and re.search(r"\d\s*(pt|em|ex|mm|cm|in|\\[a-z]+)\s*\]", space[0]):
            end = space.end()
        self._row(frame, start)
        frame.row, frame.begun = end, False
        return end

    def _row(self, frame: _Frame, end: int) -> None:
        if frame.directive is not None:
            self._take(frame.directive, frame.row, end, whole=False)
            frame.directive = None

    def _frame_end(self, display: _Display, name: str, start: int) -> None:
        frame = display.frames.pop()
        self._row(frame, start)
        if display.inner is not None and len(display.frames) == 1 and name in DISPLAYS:
            display.inner = (display.inner[0], start)

    def _close(self, end: int) -> None:
        display = self.display
        assert display is not None
        for frame in display.frames:
            self._row(frame, end)
        if display.above is not None:
            start, stop = display.start, end
            if display.inner is not None and display.inner[1] >= 0:
                tail = self._cut(display, display.inner[1], end)
                if _ENVIRONMENT.sub("", tail.strip().removeprefix(r"\end"), count=1) == "":
                    start, stop = display.inner
            self._take(display.above, start, stop, whole=True)
        self.display = None

    def _give_up(self, why: str) -> None:
        display = self.display
        assert display is not None
        marks = [display.above, *(frame.directive for frame in display.frames)]
        for directive in marks:
            if directive is not None:
                self._fail(directive, f"its display is not closed: {why}")
        self.display = None

    def _cut(self, display: _Display, start: int, end: int) -> str:
        """A piece of the display, comments as spaces."""
        parts, at = [], start
        first = bisect_left(display.blanks, (start, 0))
        for left, right in display.blanks[first : bisect_left(display.blanks, (end, 0))]:
            parts += [self.text[at:left], re.sub(r"[^\n]", " ", self.text[left:right])]
            at = right
        return "".join([*parts, self.text[at:end]])

    def _take(self, directive: _Directive, start: int, end: int, *, whole: bool) -> None:
        display = self.display
        assert display is not None
        if directive.conditional or self.switches != directive.switches:
            which = "\\" + directive.conditional if directive.conditional else r"\if.. or \fi"
            self._fail(directive, f"with the conditional {which} it is not known what is printed")
            return
        source = self._cut(display, start, end)
        if self.markdown:
            source = self._unquoted(source, display.start)
        if not source.strip():
            self._fail(directive, "what follows it is empty")
            return
        start += len(source) - len(source.lstrip())
        self.found.append(Found(directive.at, directive.body, start, source.strip(), whole))

    def _unquoted(self, source: str, opened: int) -> str:
        """In a quotation of Markdown, > at the beginning of lines is no relation."""
        if self._line_before(opened).lstrip(" ")[:1] != ">":
            return source
        return re.sub(r"(?<=\n)[ \t]*>", lambda found: " " * len(found[0]), source)
