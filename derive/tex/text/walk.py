r"""One walk over a document, in the order in which TeX reads it.

Two sorts of text: LaTeX, where a directive is a comment ``% cltheory: ...``, and Markdown,
where it is ``<!-- cltheory: ... -->`` (inside a display also a LaTeX comment, which is one
there too). Displays, directives, definitions, groups and inputs are met where they stand, so
that an equation is taken with the meanings that its names have there. Nothing is interpreted
beyond what is needed for that.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from . import commands as tables
from .defining import Defining
from .definitions import act
from .displays import Found, line_before
from .inputs import BEGIN, Opened
from .markdown import code_of
from .skipping import ANY_MARK, OPTION, SIMPLE, Skipping
from .source import Lines, Source

MAX_TOKENS = 3_000_000  #: of a document; ten megabytes of short commands have fewer

_TOKEN = re.compile(
    r"\\(?:[A-Za-z@]+|.|\Z)|%+|[{}]|\$\$?|<!--|<(?:pre|code|script|style|textarea)(?=[\s>])"
    r"|\n(?=[ \t]*(?:\n|\Z))",
    re.DOTALL,
)
_ENVIRONMENT = re.compile(r"[ \t]*(?:\n[ \t]*)?\{([A-Za-z@]+\*?)\}")
_SWITCH = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])|\\.|%[^\n]*", re.DOTALL)
#: A character by its number, outside of comments.
_CODED = re.compile(r"^(?:[^%\n\\]|\\.)*?(?:\^\^[0-9a-f]{2}|\\\^\^)", re.MULTILINE)
_UNLESS = re.compile(r"\\unless\s*\Z")
_ALIAS = re.compile(r"\s*(?:\\(begin|end)\s*\{([A-Za-z]+\*?)\}|(\\\[|\\\]))\s*\Z")
_OTHER_NAME = re.compile(r"\s*\\([A-Za-z@]+)\s*")
#: A box around a display, or a brace beside it, which say nothing.
_EMPHEQ = re.compile(
    r"\s*(?:\[\s*(?:(?:inner)?box\s*=\s*|(?:left|right)\s*=\s*(?=\\empheq))"
    r"(\\(?:f|oval|shadow|double)box|\\boxed|\\empheq[lr]brace)\s*\]\s*)?"
    r"\{((?:equation|align|gather|multline|flalign)\*?)\}"
)


class Walk(Defining, Skipping):
    """A walk over one document."""

    # --- texts ---------------------------------------------------------------------------
    def file(self, path: str, text: str, *, definitions: bool = False, until: bool = False) -> None:
        """Walk over a file of LaTeX; ``until`` its document begins, if so."""
        if until:
            found = BEGIN.search(text)
            text = text[: found.start()] if found else text
        folder = posixpath.dirname(path) if not self.files.stack else self.files.stack[-1].folder
        self.files.begin(Opened(path, folder, text), definitions=definitions)
        self.walk(Source(text, path, definitions=definitions))
        self.files.end()

    def markdown(self, text: str, path: str = "", lines: Lines | None = None) -> None:
        """Walk over a Markdown text."""
        code = code_of(text)
        self.walk(Source(code.text, path, markdown=True, lines=lines), list(code.math))

    def finish(self) -> list[Found]:
        """Everything that was found, in the order of the text."""
        self.displays.unused()
        return self.displays.found

    def walk(self, source: Source, fences: list[tuple[int, int, int]] | None = None) -> None:
        before, place = self.source, len(self.files.stack)
        inline, self._inline, self._money = self._inline, -1, -1
        branches, self._branches = self._branches, []
        self.source = source
        self.displays.enter(source, 0)
        at, text = 0, source.text
        coded = _CODED.search(text) if not source.markdown and "^^" in text else None
        if coded is not None:
            self.scope.touch_all("", f"may be changed by ^^ at {source.where(coded.end())}")
        waiting = (fences or [])[::-1]
        self._stop = ""
        while not (self._stop or self.finished):
            token = _TOKEN.search(text, at)
            if waiting and (token is None or token.start() >= waiting[-1][0]):
                at = self._fenced(*waiting.pop())
            elif token is None:
                break
            else:
                at = self._token(token[0], token.start(), token.end())
                self.tokens += 1
                if self.tokens > MAX_TOKENS:
                    self.finished = f"{MAX_TOKENS} commands, braces and comments"
                    error = f"what stands after {self.finished} is not checked"
                    self.problems.append(Found(at, "", source, error=error))
        if self._stop or self.finished:
            for mark in ANY_MARK.finditer(text, at):
                self.displays.stray(
                    mark.start(), f"the directive stands after {self._stop or self.finished}"
                )
        if self.displays.display is not None:
            self.displays.give_up("the text ends")
        if source.markdown:
            self.displays.unused()
        assert place == len(self.files.stack)
        self._stop = ""
        self.displays.leave(len(text))
        self._end_branches(len(text))
        self.source, self._inline, self._branches = before, inline, branches

    def _fenced(self, start: int, inside: int, end: int) -> int:
        """A fenced display: its end is known, and a blank line is none."""
        if self.displays.display is not None:
            self.displays.give_up("a code block begins in it")
        self._open("```", start, inside)
        at = inside
        while self.displays.display is not None:
            token = _TOKEN.search(self.source.text, at, end)
            if token is None:
                break
            at = token.end()
            if token[0][0] not in "$\n<" or token[0] == "<!--":
                if token[0] not in (r"\[", r"\]"):
                    at = min(end, self._token(token[0], token.start(), at))
        if self.displays.display is not None:
            self.displays.close(end)
        return end

    # --- tokens --------------------------------------------------------------------------
    def _token(self, token: str, start: int, end: int) -> int:
        """Take one token; returns where to go on."""
        source = self.source
        self._end_branches(start)
        if token[0] == "%":
            return self._percent(start, end)
        if token[0] == "<":
            return self._angle(token, start, end)
        if token[0] == "\n":
            if self.displays.display is not None and self.displays.display.closer != "```":
                self.displays.give_up("a blank line stands in it")
            self._inline = self._money = -1
            self.displays.blank_line(start)
            return end
        if token[0] == "$":
            return end if source.definitions else self._dollar(token, start, end)
        if token in "{}":
            self._brace(token)
            return end
        return self._command(token[1:], start, end)

    def _brace(self, token: str) -> None:
        if self.displays.display is not None:
            self.displays.display.braces += 1 if token == "{" else -1
        if token == "{":
            self.groups.begin("{")
        else:
            self.groups.end("{")

    def _dollar(self, token: str, start: int, end: int) -> int:
        display = self.displays.display
        if display is not None:
            if token == "$$" and display.closer == "$$":
                self.displays.close(start)
        elif token == "$$" and self._inline < 0:
            self._money = -1
            self._open("$$", start, end)
        elif token == "$" and self.source.markdown:  # it may be money
            self._in_markdown(start, end)
        elif token == "$":
            self._in_line(start, end)
        return end

    def _in_line(self, start: int, end: int) -> None:
        """An inline formula begins or ends."""
        if self._inline >= 0:
            self.displays.formula(self._inline, start)
            self._inline = -1
        else:
            self._inline = end

    def _in_markdown(self, start: int, end: int) -> None:
        """As Pandoc has it: no blank inside the dollars, no digit after them."""
        text = self.source.text
        closes = self._money >= 0 and not text[start - 1].isspace() and start > self._money
        if closes and not text[end : end + 1].isdigit():
            self.displays.formula(self._money, start)
            self._money = -1
        else:
            opens = not text[end : end + 1].isspace() and end < len(text)
            self._money = end if opens else -1

    def _command(self, name: str, start: int, end: int) -> int:
        """Take one command; returns where to go on."""
        self._refuse(start)
        known = self.scope.written("\\" + name)
        if known is not None:
            if known.meant[:1] == "\\":
                return self._builtin(known.meant[1:], start, end)
            if known.body and not (known.problem or known.arity) and len(known.body) < 60:
                alias = _ALIAS.match(known.body)
                if alias is not None:
                    return self._alias(alias, start, end)
                other = _OTHER_NAME.fullmatch(known.body)
                if other is not None and self._is_another_name(other[1]):
                    return self._builtin(other[1], start, end)
            if name not in ("[", "]", "(", ")"):
                return self._call(name, known, start, end)
        return self._builtin(name, start, end)

    def _is_another_name(self, name: str) -> bool:
        r"""Of a command that defines or inputs, as ``\newcommand{\nc}{\newcommand}``."""
        if self.scope.get("\\" + name) is not None:
            return False
        known = {*tables.INPUTS, *tables.BEGINS, *tables.ENDS}
        return name in known or act(Source(""), name, 0) is not None

    def _builtin(self, name: str, start: int, end: int) -> int:
        if name in ("begin", "end"):
            found = _ENVIRONMENT.match(self.source.text, end)
            if found is None:
                return end
            return self._environment(name == "begin", found[1], start, found.end())
        if name in ("[", "]", "(", ")"):
            return end if self.source.definitions else self._bracket(name, start, end)
        if name == "%" and self._printed_mark(end):
            self.displays.stray(start, r"\% begins no comment: a directive is % cltheory: ...")
        if name == "\\":
            return self.displays.row_end(start, end) if self.displays.display is not None else end
        handler = _HANDLERS.get(name)
        if handler is not None:
            return handler(self, name, start, end)
        if name.startswith("if") and name not in tables.NO_CONDITIONALS:
            return self._conditional(name, start, end)
        if name in tables.DISPLAYS and self.displays.above is not None:
            self.displays.refuse(f"\\{name} may begin a display, which is not read")
            return end
        done = act(self.source, name, end)
        return end if done is None else self._define(name, done, start, end)

    def _bracket(self, name: str, start: int, end: int) -> int:
        text, display = self.source.text, self.displays.display
        if name in "()":
            if display is None and not self.source.markdown:
                if (name == ")") == (self._inline >= 0):
                    self._in_line(start, end)
            return end
        if name == "]":
            if display is not None and display.closer == r"\]":
                self.displays.close(start)
            return end
        # In Markdown a \[ in running text is a bracket.
        if self.source.markdown and line_before(text, start).strip(" \t>"):
            return end
        if display is not None and display.closer != "```":
            self.displays.give_up("another display begins in it")
        if self.displays.display is None:
            self._open(r"\]", start, end, self._changed(r"\[", r"\]"))
        return end

    # --- environments and displays --------------------------------------------------------
    def _environment(self, begins: bool, name: str, start: int, end: int) -> int:
        display = self.displays.display
        if name == "document":
            return self._document(begins, end)
        if not begins:
            if display is not None and display.closer == name:
                self.displays.close(start)
            elif display is not None:
                self.displays.end(name, start)
            else:
                if self._doubts[-1:] == [name]:
                    self._doubts.pop()
                    self.displays.switches += 1
                    self.displays.conditionals[-1:] = []
                for ending in (f"end{{{name}}}", "end" + name):
                    self._code_of(ending, start, end)
                self.groups.end(name)
            return end
        key = f"\\begin{{{name}}}"
        known = self.scope.written(key)
        if name in self._hides and not self.source.markdown:
            if self._hides[name]:
                return self._skip_verbatim(name, start, end)
            self._doubts.append(name)
            self.displays.switches += 1
            self.displays.conditionals.append(name)
        opens = _ALIAS.match(known.body) if known is not None and not known.problem else None
        if opens is not None and opens[1] == "begin" and not (known and known.arity):
            if opens[2] in tables.DISPLAYS and display is None and not self.source.definitions:
                closes = self.scope.written(f"\\end{{{name}}}")
                matched = closes is not None and _ALIAS.match(closes.body)
                same = matched and (matched[1], matched[2]) == ("end", opens[2])
                why = "" if same else f"the environment {name} ends in a way that is not read"
                self._open(name, start, self._arguments(opens[2], end), why)
                return end
        boxed = _EMPHEQ.match(self.source.text, end) if name == "empheq" else None
        if boxed and not (display or self.source.definitions):
            why = self._changed(key, r"\end{empheq}", f"\\begin{{{boxed[2]}}}", boxed[1] or key)
            self._open(name, start, boxed.end(), why)
            return boxed.end()
        if name in tables.OTHER_DISPLAYS and display is None:
            self.displays.refuse(f"a display of the environment {name} cannot be read")
        if name in tables.DISPLAYS and not self.source.definitions:
            if display is None or display.closer not in ("$$", "```", r"\]"):
                if display is not None:
                    self.displays.give_up("another display begins in it")
                why = self._changed(key, f"\\end{{{name}}}", f"\\{name}", f"\\end{name}")
                self._open(name, start, self._arguments(name, end), why)
                return end
        if display is not None:
            inside = self._arguments(name, end)
            self.displays.begin(name, start, inside)
            return inside
        self.groups.begin(name)
        for beginning in (key[1:], name):
            self._code_of(beginning, start, end)
        return end

    def _code_of(self, name: str, start: int, end: int) -> None:
        """The code of an environment is run."""
        known = self.scope.written("\\" + name)
        if known is not None and known.body:
            self._apply(name, self.calls.call(self.source, name, end), end, start)

    def _arguments(self, name: str, at: int) -> int:
        text = self.source.text
        option = OPTION.match(text, at) if name not in tables.DISPLAYS else None
        at = option.end() if option else at
        argument = SIMPLE.match(text, at) if name in tables.WITH_ARGUMENT else None
        return argument.end() if argument else at

    def _alias(self, alias: re.Match[str], start: int, end: int) -> int:
        if alias[3]:
            return self._builtin(alias[3][1:], start, end)
        return self._environment(alias[1] == "begin", alias[2], start, end)

    def _changed(self, *names: str) -> str:
        for name in names:
            if self.scope.written(name) is not None:
                return f"{name} is redefined, so what it displays is not known"
        return ""

    def _open(self, closer: str, start: int, inside: int, unknown: str = "") -> None:
        self._inline = self._money = -1
        self.displays.open(closer, start, inside, unknown)

    def _document(self, begins: bool, end: int) -> int:
        if begins:
            self._code_of("document", end, end)
            return end
        declared = "\\documentclass" in self.files.stack[-1].text if self.files.stack else False
        if len(self.files.stack) > 1 and declared and not self.source.definitions:
            self._stop = r"\end{document}"
        else:
            self.finished = r"\end{document}"
        if self.displays.display is not None:
            self.displays.give_up("the document ends")
        return end

    # --- conditionals ----------------------------------------------------------------------
    def _test(self, name: str, start: int, end: int) -> int:
        """What stands in its braces may be left out."""
        at = end
        for _ in range(3):  # what is tested may be a token
            if self._braced(at):
                break
            token = self.source.argument(at)
            at = token[2] if token else at
        stop = after = at
        while after:
            stop, after = after, self._braced(after)
        if stop > at:
            self.displays.switches += 1
            self.displays.conditionals.append(name)
            self._branches.append(stop)
        return end

    def _end_branches(self, at: int) -> None:
        """Leave the branches that end before this place."""
        while self._branches and self._branches[-1] <= at:
            self._branches.pop()
            self.displays.switches += 1
            self.displays.conditionals[-1:] = []

    def _braced(self, at: int) -> int:
        """The place after the group here, and an option before it; 0 if there is none."""
        option = self.source.option(at)
        close = self.source.close(self.source.skip(option[1] if option else at))
        return 0 if close is None else close + 1

    def _conditional(self, name: str, start: int, end: int) -> int:
        r"""What \iffalse holds is a comment; of other conditionals it is not known what prints."""
        displays, text = self.displays, self.source.text
        if name not in tables.CONDITIONALS and name.startswith("if"):
            first = self._braced(end)
            if first and self._braced(first):
                return self._test(name, start, end)
        displays.switches += 1
        if name == "iffalse" and not _UNLESS.search(text, max(0, start - 20), start):
            ends = self._end_of_iffalse(end)
            if ends is not None:
                if ends == (len(text), "") and "cltheory:" in text[end:]:
                    displays.stray(start, r"\iffalse has no \fi, and directives stand after it")
                displays.blank(start, ends[0])
                displays.conditionals += ["iffalse"] if ends[1] == "else" else []
                return ends[0]
        if name in ("fi", "repeat"):  # \\loop ... \\if ... \\repeat has no \\fi
            displays.conditionals[-1:] = []
        elif name != "else":
            displays.conditionals.append(name)
        return end

    def _end_of_iffalse(self, at: int) -> tuple[int, str] | None:
        r"""Where what \iffalse hides ends, and by what; None if that is not certain."""
        if self._unclear[0] is self.source and at <= self._unclear[1]:
            return None
        depth = 1
        for found in _SWITCH.finditer(self.source.text, at):
            name = found[1]
            if name is None:  # a comment
                continue
            if name in ("fi", "else"):
                depth -= name == "fi"
                if depth == 0 or (depth == 1 and name == "else"):
                    return found.end(), name
            elif self.scope.written("\\" + name) is None and name in tables.CONDITIONALS:
                depth += 1
            elif self.scope.written(f"\\{name[2:]}true") is not None:  # by \newif
                depth += 1
            elif name not in tables.NO_CONDITIONALS:
                # It may be a conditional, a macro, or undefined and skipped.
                self._unclear = self.source, found.start()
                return None
        return len(self.source.text), ""


_Handler = Callable[[Walk, str, int, int], int]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("verb", "lstinline", "mintinline"), Walk._verb),
    **dict.fromkeys(("url", "nolinkurl", "path", "href", "hyperref@"), Walk._address),
    "pdfstringdefDisableCommands": Walk._aside,
    "string": Walk._string,
    **dict.fromkeys(("else", "fi", "repeat"), Walk._conditional),
    **dict.fromkeys(tables.TESTS, Walk._test),
    **dict.fromkeys(tables.INPUTS, Walk._input),
    **dict.fromkeys(tables.BEGINS | tables.ENDS, Walk._group),
    "endinput": Walk._end_of_input,
}
