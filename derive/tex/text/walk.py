r"""One walk over a document, in the order in which TeX reads it.

Two sorts of text: LaTeX, where a directive is a comment ``% cltheory: ...``, and Markdown,
where it is ``<!-- cltheory: ... -->`` (inside a display also a LaTeX comment, which is one
there too). Displays, directives, definitions and inputs are met where they stand, so that an
equation is taken with the meanings that its names have there.

Nothing is interpreted. A plain definition outside of all braces, environments and conditionals
is read; whatever else may define a name makes it one that is not read; and after what may
change more than that, a macro that inputs a file or one of the commands in
:func:`~.commands.is_unfollowed`, no formula is read at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from . import commands as tables
from .defining import AFTER, ENVIRONMENT, Defining
from .definitions import act
from .displays import Found, line_before
from .inputs import BEGIN, Files, InputError, Reader, wanted
from .markdown import code_of
from .skipping import OPTION, SIMPLE
from .source import Lines, Source

MAX_TOKENS = 3_000_000  #: of a document; ten megabytes of short commands have fewer

_TOKEN = re.compile(
    r"\\(?:[A-Za-z@]+|.|\Z)|%+|[{}]|\$\$?|<!--|<(?:pre|code|script|style|textarea)(?=[\s>])"
    r"|\n(?=[ \t]*(?:\n|\Z))",
    re.DOTALL,
)
_SWITCH = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])|\\.|%[^\n]*", re.DOTALL)
#: A character by its number, outside of comments.
_CODED = re.compile(r"^(?:[^%\n\\]|\\.)*?(?:\^\^[0-9a-f]{2}|\\\^\^)", re.MULTILINE)
_ALIAS = re.compile(r"\s*(?:\\(begin|end)\s*\{([A-Za-z]+\*?)\}|(\\\[|\\\]))\s*\Z")
_OTHER_NAME = re.compile(r"\s*\\(?!expandafter)([A-Za-z@]+)\s*")
_BIBLIOGRAPHY = re.compile(r"(?:\s*\[[^\[\]]*\])?\s*\{[^{}]*\.bib\}")


class Walk(Defining):
    """A walk over one document.

    Parameters
    ----------
    read
        Gives the text of a file, None if there is none. Without it no input is followed.
    root
        Path of the file that the walk begins with.
    """

    def __init__(self, read: Reader | None = None, root: str = ""):
        super().__init__()
        self.files = Files(read, root)
        self.problems: list[Found] = []  #: with files, not with directives
        self.finished = ""  #: what ended the document
        self.tokens = 0  #: that were met
        self._stop = ""  #: what ended this file

    # --- texts ---------------------------------------------------------------------------
    def file(self, path: str, text: str, *, definitions: bool = False) -> None:
        """Walk over a file of LaTeX."""
        self.files.begin(path, text, definitions=definitions)
        self.walk(Source(text, path, definitions=definitions))
        self.files.stack.pop()

    def markdown(self, text: str, path: str = "", lines: Lines | None = None) -> None:
        """Walk over a Markdown text."""
        code = code_of(text)
        self.walk(Source(code.text, path, markdown=True, lines=lines), list(code.math))

    def finish(self) -> list[Found]:
        """Everything that was found, in the order of the text."""
        self.displays.unused()
        return self.displays.found

    def walk(self, source: Source, fences: list[tuple[int, int, int]] | None = None) -> None:
        """Walk over a text."""
        before, inline, depth = self.source, self._inline, len(self._open)
        self.source, self._inline, self._money = source, -1, -1
        self.displays.enter(source, 0)
        at, text = 0, source.text
        coded = _CODED.search(text) if not source.markdown and "^^" in text else None
        if coded is not None:
            self._lose("^^", coded.end())
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
            self._strays(at, len(text), f"the directive stands after {self._stop or self.finished}")
        if self.displays.display is not None:
            self.displays.give_up("the text ends")
        if source.markdown:
            self.displays.unused()
        if source.is_package:  # it ends what it begins, in ways that are its own affair
            while len(self._open) > depth:
                self._end(self._open[-1])
        self._stop = ""
        self.displays.leave(len(text))
        self.source, self._inline = before, inline

    def _fenced(self, start: int, inside: int, end: int) -> int:
        """A fenced display: its end is known, and a blank line is none."""
        if self.displays.display is not None:
            self.displays.give_up("a code block begins in it")
        self._display("```", start, inside)
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
        if token[0] == "%":
            return self._percent(start, end)
        if token[0] == "<":
            return self._angle(token, start, end)
        if token[0] == "\n":
            if self.displays.display is not None and self.displays.display.closer != "```":
                self.displays.give_up("a blank line stands in it")
            self._inline = self._money = -1
            return end
        if token[0] == "$":
            return end if self.source.definitions else self._dollar(token, start, end)
        if token in "{}":
            if self.displays.display is not None:
                self.displays.display.braces += 1 if token == "{" else -1
            self._begin("{") if token == "{" else self._end("{")
            return end
        return self._command(token[1:], start, end)

    def _dollar(self, token: str, start: int, end: int) -> int:
        display = self.displays.display
        if display is not None:
            if token == "$$" and display.closer == "$$":
                self.displays.close(start)
        elif token == "$$" and self._inline < 0:
            self._money = -1
            self._display("$$", start, end)
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

    # --- commands --------------------------------------------------------------------------
    def _command(self, name: str, start: int, end: int) -> int:
        """Take one command; returns where to go on."""
        known = self.scope.written("\\" + name)
        if known is not None and known.meant[:1] == "\\":
            return self._builtin(known.meant[1:], start, end)
        if known is not None and known.body and not known.arity and len(known.body) < 60:
            alias = _ALIAS.match(known.body)
            if alias is not None:
                if alias[3]:
                    return self._builtin(alias[3][1:], start, end)
                return self._environment(alias[1] == "begin", alias[2], start, end)
            other = _OTHER_NAME.fullmatch(known.body)
            if other is not None and self.scope.written("\\" + other[1]) is None:
                return self._builtin(other[1], start, end)
        if not self.source.is_package:
            self._call("\\" + name, start)
        if known is not None and name not in ("[", "]", "(", ")") and name not in self._switches:
            return end
        return self._builtin(name, start, end)

    def _builtin(self, name: str, start: int, end: int) -> int:
        text = self.source.text
        if name in ("begin", "end"):
            found = ENVIRONMENT.match(text, end)
            if found is None:
                return end
            return self._environment(name == "begin", found[1], start, found.end())
        if name in ("[", "]", "(", ")"):
            return end if self.source.definitions else self._bracket(name, start, end)
        if name == "%" and self._printed_mark(end):
            self._stray(start, r"\% begins no comment: a directive is % cltheory: ...")
        if name == "\\":
            return self.displays.row_end(start, end) if self.displays.display is not None else end
        if self._refuses(name, start):
            return end
        handler = _HANDLERS.get(name)
        if handler is not None:
            return handler(self, name, start, end)
        if name.startswith("if"):
            return self._conditional(name, start, end)
        if name in tables.DISPLAYS:
            self.displays.refuse(f"\\{name} may begin a display, which is not read")
            return end
        done = act(self.source, name, end)
        return end if done is None else self._define(name, done, start, end)

    def _group(self, name: str, start: int, end: int) -> int:
        if name in tables.BEGINS:
            self._begin("begingroup")
        else:
            self._end("begingroup")
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
                self._call("\\end" + name, start)
                self._end(name)
            return end
        if "\\" + name in tables.CORE or name.endswith("def") or self._refuses(name, start):
            self._lose(f"\\begin{{{name}}}", start)
        if name in self._hides and not self.source.markdown:
            stop = self._skip_verbatim(name, start, end)
            file = name[:12] == "filecontents" and not _BIBLIOGRAPHY.match(self.source.text, end)
            if file or name in self._doubtful:
                self._lose(f"\\begin{{{name}}}", start)
            if name in self._doubtful:
                self._strays(end, stop, f"it is not known whether {name} hides what stands in it")
            return stop
        if name in tables.OTHER_DISPLAYS and display is None:
            self.displays.refuse(f"a display of the environment {name} cannot be read")
        if name in tables.DISPLAYS and not self.source.definitions:
            if display is None or display.closer not in ("$$", "```", r"\]"):
                if display is not None:
                    self.displays.give_up("another display begins in it")
                names = f"\\begin{{{name}}}", f"\\end{{{name}}}", f"\\{name}", f"\\end{name}"
                self._display(name, start, self._arguments(name, end), *names)
                return end
        inside = self._arguments(name, end)
        if display is not None:
            self.displays.begin(name, start, inside)
            return inside
        self._begin(name)
        self._call("\\" + name, start)
        return end

    def _arguments(self, name: str, at: int) -> int:
        text = self.source.text
        option = OPTION.match(text, at) if name not in tables.DISPLAYS else None
        at = option.end() if option else at
        argument = SIMPLE.match(text, at) if name in tables.WITH_ARGUMENT else None
        return argument.end() if argument else at

    def _display(self, closer: str, start: int, inside: int, *names: str) -> None:
        """A display begins, unless one of the names that make it is redefined."""
        self._inline = self._money = -1
        changed = next((name for name in names if self.scope.written(name) is not None), "")
        why = f"{changed} is redefined, so what it displays is not known" if changed else ""
        self.displays.open(closer, start, inside, why)

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
            self._display(r"\]", start, end, r"\[", r"\]")
        return end

    def _document(self, begins: bool, end: int) -> int:
        if begins:
            self._call("\\document", end)
            return end
        declared = "\\documentclass" in self.files.stack[-1][1] if self.files.stack else False
        if len(self.files.stack) > 1 and declared and not self.source.definitions:
            self._stop = r"\end{document}"
        else:
            self.finished = r"\end{document}"
        if self.displays.display is not None:
            self.displays.give_up("the document ends")
        return end

    # --- conditionals ----------------------------------------------------------------------
    def _conditional(self, name: str, start: int, end: int) -> int:
        r"""What \iffalse holds is a comment; of other conditionals it is not known what prints."""
        displays, text = self.displays, self.source.text
        if name in ("else", "or", "fi", "repeat"):  # \loop ... \if ... \repeat has no \fi
            displays.switches += 1
            if name in ("fi", "repeat"):
                self._end("if")
            return end
        if not self._is_switch(name, end):
            return end
        displays.switches += 1
        after = AFTER.search(text, max(0, start - 20), start)
        if name == "iffalse" and not (after and after[1] == "unless"):
            stop, last = self._end_of_iffalse(end)
            if last in ("", "fi", "else"):
                if not last and "cltheory:" in text[end:]:
                    self._stray(start, r"\iffalse has no \fi, and directives stand after it")
                displays.blank(start, stop)
                if last == "else":
                    self._begin("if")
                return stop
            self._lose(f"\\iffalse, of which \\{last} may be the end,", start)
        self._begin("if")
        return self._after_test(name, end)

    def _end_of_iffalse(self, at: int) -> tuple[int, str]:
        r"""Where what \iffalse hides ends, and by what, or by what that is not certain."""
        depth = 1
        for found in _SWITCH.finditer(self.source.text, at):
            name = found[1]
            if name is None:  # a comment
                continue
            if name in ("fi", "else"):
                depth -= name == "fi"
                if depth == 0 or (depth == 1 and name == "else"):
                    return found.end(), name
            elif name in tables.CONDITIONALS or name in self._switches:
                depth += 1
            elif not tables.TESTS.fullmatch(name):
                # It may be a conditional, a macro, or undefined and skipped.
                return found.start(), name
        return len(self.source.text), ""

    # --- inputs --------------------------------------------------------------------------------
    def _input(self, name: str, start: int, end: int) -> int:
        if self.source.markdown or not self.files.follows:
            return end
        if name == "documentclass" and len(self.files.stack) > 1 and not self.source.definitions:
            # A part of a document that can be typeset alone: its preamble is not used here.
            begins = BEGIN.search(self.source.text, end)
            return begins.end() if begins else end
        kind = tables.INPUTS[name]
        asked = wanted(self.source, name, end)
        if asked is None:
            shown = self.source.text.endswith((r"\string", r"\noexpand"), 0, start)
            if kind in ("file", "folder") and not (shown or self.source.definitions):
                error = f"which file \\{name} means here is not known: what it says is not checked"
                self.problems.append(Found(start, "", self.source, error=error))
            return end
        for one in asked[0]:
            self._follow(kind, one, start, asked[1])
        return asked[1]

    def _follow(self, kind: str, name: str, start: int, end: int) -> None:
        """Read a file in place."""
        source = self.source
        try:
            opened = self.files.open(kind, name)
            if opened is not None and self.displays.display is not None:
                raise InputError(f"{name} is input inside a display, where it is not followed")
        except ValueError as error:
            self.problems.append(Found(start, "", source, error=str(error)))
            return
        if opened is None:
            return
        self.displays.leave(start)
        self.file(*opened, definitions=source.definitions or kind in ("sty", "cls"))
        self.displays.enter(source, end)

    def _end_of_input(self, name: str, start: int, end: int) -> int:
        if not (self._kinds["{"] or self._kinds["if"]):
            self._stop = r"\endinput"
        return end


_Handler = Callable[[Walk, str, int, int], int]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("verb", "lstinline", "mintinline"), Walk._verb),
    **dict.fromkeys(("url", "nolinkurl", "path", "href"), Walk._address),
    "pdfstringdefDisableCommands": Walk._aside,
    "string": Walk._string,
    **dict.fromkeys(("else", "or", "fi", "repeat"), Walk._conditional),
    **dict.fromkeys(tables.INPUTS, Walk._input),
    **dict.fromkeys(tables.BEGINS | tables.ENDS, Walk._group),
    "endinput": Walk._end_of_input,
}
