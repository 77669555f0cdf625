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
from dataclasses import replace

from . import commands as tables
from .definitions import Act, act
from .directives import MAX_LENGTH, unclosed
from .displays import MAX_LINES, Displays, Found, line_before
from .effects import Calls, Effects
from .groups import Groups
from .inputs import BEGIN, Files, InputError, Opened, Reader, wanted
from .markdown import code_of
from .near_miss import near_miss
from .scope import Definition, Scope
from .source import Lines, Source

_TOKEN = re.compile(
    r"\\(?:[A-Za-z@]+|.|\Z)|%+|[{}]|\$\$?|<!--|<(?:pre|code|script|style|textarea)(?=[\s>])"
    r"|\n(?=[ \t]*(?:\n|\Z))",
    re.DOTALL,
)
_ENVIRONMENT = re.compile(r"[ \t]*(?:\n[ \t]*)?\{([A-Za-z@]+\*?)\}")
_SWITCH = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
_SIMPLE = re.compile(r"[ \t]*\{[^{}\n]*\}")
_OPTION = re.compile(r"[ \t]*\[[^\[\]{}\n]*\]")
_ALIAS = re.compile(r"\s*(?:\\(begin|end)\s*\{([A-Za-z]+\*?)\}|(\\\[|\\\]))\s*\Z")
_MARK = re.compile(r"%*[ \t]*cltheory[ \t]*:")
_ANY_MARK = re.compile(r"(?:%|<!--)[ \t]*cltheory[ \t]*:")
_GOES_ON = re.compile(r"\n[ \t]*%+")
_PREFIXES = {"global", "long", "protected", "outer"}
_EXPL = re.compile(
    r"\\(?:[a-z_@]+:[A-Za-z]+|(?:New|Renew|Provide|Declare)[A-Za-z]*Command|[gex]?def|let"
    r"|(?:re)?newcommand)\s*\{?\s*(\\[A-Za-z]+(?![A-Za-z_:@])|#)"
)
_EXPL_COMPUTED = re.compile(r"\\[a-z_]*(?:set|new|put|undefine)[a-z_]*:[A-Za-z]*c")
#: Characters of file names that are macros of the paper, written out.
_IN_NAME = re.compile(r"\\([A-Za-z@]+)[ ]*")


class Walk:
    """A walk over one document.

    Parameters
    ----------
    read
        Gives the text of a file, None if there is none. Without it no input is followed.
    root
        Path of the file that the walk begins with.
    """

    def __init__(self, read: Reader | None = None, root: str = ""):
        self.scope = Scope()
        self.files = Files(read, root)
        self.displays = Displays(self.scope)
        self.groups = Groups(self.scope)
        self.calls = Calls(self.scope)
        self.problems: list[Found] = []  #: with files, not with directives
        self.source = Source("")
        self.finished = ""  #: what ended the document
        self._stop = ""  #: what ended this file
        self._inline = -1  #: where the inside of an inline formula began
        self._money = -1  #: the same in Markdown, where it may be none
        self._everywhere = -1  #: the place after \global
        self._packages: set[str] = set()
        self._verbatim = set(tables.VERBATIM)
        self._unclosed: set[tuple[Source, str]] = set()  #: tags without an end

    # --- texts ---------------------------------------------------------------------------
    def file(self, path: str, text: str, *, definitions: bool = False, until: bool = False) -> None:
        """Walk over a file of LaTeX; ``until`` its document begins, if so."""
        if until:
            found = BEGIN.search(text)
            text = text[: found.start()] if found else text
        folder = posixpath.dirname(path) if not self.files.stack else self.files.stack[-1].folder
        self.files.begin(Opened(path, folder, text), definitions=definitions)
        self._walk(Source(text, path, definitions=definitions))
        self.files.end()

    def markdown(self, text: str, path: str = "", lines: Lines | None = None) -> None:
        """Walk over a Markdown text."""
        code = code_of(text)
        self._walk(Source(code.text, path, markdown=True, lines=lines), list(code.math))

    def finish(self) -> list[Found]:
        """Everything that was found, in the order of the text."""
        self.displays.unused()
        return self.displays.found

    def _walk(self, source: Source, fences: list[tuple[int, int, int]] | None = None) -> None:
        before, place = self.source, len(self.files.stack)
        inline, self._inline, self._money = self._inline, -1, -1
        self.source = source
        self.groups.forget()
        self.displays.enter(source, 0)
        at, text = 0, source.text
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
        if self._stop or self.finished:
            for mark in _ANY_MARK.finditer(text, at):
                self.displays.stray(mark.start(), f"it stands after {self._stop or self.finished}")
        if self.displays.display is not None:
            self._give_up("the text ends")
        if source.markdown:
            self.displays.unused()
        assert place == len(self.files.stack)
        self._stop = ""
        self.displays.leave(len(text))
        self.groups.forget()
        self.source, self._inline = before, inline

    def _fenced(self, start: int, inside: int, end: int) -> int:
        """A fenced display: its end is known, and a blank line is none."""
        if self.displays.display is not None:
            self._give_up("a code block begins in it")
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
            self._close(end)
        return end

    # --- tokens --------------------------------------------------------------------------
    def _token(self, token: str, start: int, end: int) -> int:
        """Take one token; returns where to go on."""
        source = self.source
        if token[0] == "%":
            return self._percent(start, end)
        if token[0] == "<":
            return self._angle(token, start, end)
        if token[0] == "\n":
            if self.displays.display is not None and self.displays.display.closer != "```":
                self._give_up("a blank line stands in it")
            if self._inline >= 0:
                self.groups.end("$")
            self._inline = self._money = -1
            self.displays.blank_line(start)
            return end
        if token[0] == "$":
            return end if source.definitions else self._dollar(token, start, end)
        if token in "{}":
            self._brace(token, start, end)
            return end
        return self._command(token[1:], start, end)

    def _brace(self, token: str, start: int, end: int) -> None:
        if self.displays.display is not None:
            self.displays.display.braces += 1 if token == "{" else -1
        if token == "{":
            branch = self.groups.open_brace(self.source, start, end)
            if branch:
                self.displays.switches += 1
                self.displays.conditionals.append(branch)
        elif self.groups.close_brace(end):
            self.displays.switches += 1
            self.displays.conditionals[-1:] = []

    def _dollar(self, token: str, start: int, end: int) -> int:
        display = self.displays.display
        if display is not None:
            if token == "$$" and display.closer == "$$":
                self._close(start)
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
            self.groups.end("$")
            self._inline = -1
        else:
            self._inline = end
            self.groups.begin("$")

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
        self.groups.after(name, end)
        known = self.scope.written("\\" + name)
        if known is not None:
            if known.meant[:1] == "\\":
                return self._builtin(known.meant[1:], start, end)
            if known.body and not known.problem:
                alias = _ALIAS.match(known.body) if len(known.body) < 60 else None
                if alias is not None and not known.arity:
                    return self._alias(alias, start, end)
            if name not in ("[", "]", "(", ")"):
                return self._call(name, known, start, end)
        return self._builtin(name, start, end)

    def _builtin(self, name: str, start: int, end: int) -> int:
        if name in ("begin", "end"):
            found = _ENVIRONMENT.match(self.source.text, end)
            if found is None:
                return end
            return self._environment(name == "begin", found[1], start, found.end())
        if name in ("[", "]", "(", ")"):
            return end if self.source.definitions else self._bracket(name, start, end)
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
                self._close(start)
            return end
        # In Markdown a \[ in running text is a bracket.
        if self.source.markdown and line_before(text, start).strip(" \t>"):
            return end
        if display is not None and display.closer != "```":
            self._give_up("another display begins in it")
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
                self._close(start)
            elif display is not None:
                self.displays.end(name, start)
            else:
                self.groups.end(name)
            return end
        if name in self._verbatim and not self.source.markdown:
            return self._skip_verbatim(name, start, end)
        key = f"\\begin{{{name}}}"
        known = self.scope.written(key)
        opens = _ALIAS.match(known.body) if known is not None and not known.problem else None
        if opens is not None and opens[1] == "begin" and not (known and known.arity):
            if opens[2] in tables.DISPLAYS and display is None and not self.source.definitions:
                closes = self.scope.written(f"\\end{{{name}}}")
                matched = closes is not None and _ALIAS.match(closes.body)
                same = matched and (matched[1], matched[2]) == ("end", opens[2])
                why = "" if same else f"the environment {name} ends in a way that is not read"
                self._open(name, start, self._arguments(opens[2], end), why)
                return end
        if name in tables.OTHER_DISPLAYS and display is None:
            self.displays.refuse(f"a display of the environment {name} cannot be read")
        if name in tables.DISPLAYS and not self.source.definitions:
            if display is None or display.closer not in ("$$", "```", r"\]"):
                if display is not None:
                    self._give_up("another display begins in it")
                why = self._changed(key, f"\\end{{{name}}}", f"\\{name}", f"\\end{name}")
                self._open(name, start, self._arguments(name, end), why)
                return end
        if display is not None:
            inside = self._arguments(name, end)
            self.displays.begin(name, start, inside)
            return inside
        self.groups.begin(name, end)
        if known is None or not known.body:
            return end
        found, _ = self.calls.call(self.source, key[1:], end)
        return self._apply(f"begin{{{name}}}", found, end, start)

    def _arguments(self, name: str, at: int) -> int:
        text = self.source.text
        option = _OPTION.match(text, at) if name not in tables.DISPLAYS else None
        at = option.end() if option else at
        argument = _SIMPLE.match(text, at) if name in tables.WITH_ARGUMENT else None
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
        if self._inline >= 0:
            self.groups.end("$")
            self._inline = -1
        self._money = -1
        self.groups.begin("display")
        self.displays.open(closer, start, inside, unknown)

    def _close(self, end: int) -> None:
        self.displays.close(end)
        self.groups.end("display")

    def _give_up(self, why: str) -> None:
        self.displays.give_up(why)
        self.groups.end("display")

    def _document(self, begins: bool, end: int) -> int:
        if begins:
            return end
        declared = "\\documentclass" in self.files.stack[-1].text if self.files.stack else False
        if len(self.files.stack) > 1 and declared and not self.source.definitions:
            self._stop = r"\end{document}"
        else:
            self.finished = r"\end{document}"
        if self.displays.display is not None:
            self._give_up("the document ends")
        return end

    # --- definitions -----------------------------------------------------------------------
    def _define(self, name: str, done: Act, start: int, end: int) -> int:
        """A definition stands here."""
        text, scope = self.source.text, self.scope
        stop = max(end, done.end)
        for mark in re.finditer(r"%[ \t]*cltheory[ \t]*:", text[start:stop]):
            if not self.source.definitions:
                error = "a directive inside a definition marks nothing"
                self.displays.stray(start + mark.start(), error)
        if name in tables.VERBATIM_MAKERS:
            self._verbatim |= {key[7:-1] for key, _ in done.defines if key.startswith("\\begin{")}
        where = f"\\{name} at {self.source.where(start)}"
        # MathJax has no groups: a definition lasts to the end of the page.
        everywhere = done.everywhere or self._everywhere == start or self.source.markdown
        why = self._uncertain(start)
        for prefix in done.prefixes:
            scope.touch_all(prefix, f"may be changed by {where}")
        for one, definition in done.defines:
            if one in tables.CORE:
                scope.touch_all("\\", f"is not certain: {one} is redefined by {where}")
            if why:
                scope.touch(one, f"may be defined by {where}, {why}", everywhere=everywhere)
            elif done.meant:
                scope.define(one, self._meaning(done.meant), everywhere=everywhere)
            elif definition is None:
                scope.touch(one, f"may be changed by {where}", everywhere=everywhere)
            else:
                if definition.problem:
                    definition = replace(definition, problem=f"{definition.problem}, by {where}")
                self._put(one, definition, done, where, everywhere)
        if self.displays.display is not None and not why:
            self.displays.blank(start, stop)
        return stop

    def _put(
        self, name: str, definition: Definition, done: Act, where: str, everywhere: bool
    ) -> None:
        scope, old = self.scope, self.scope.get(name)
        if done.when == "provide":
            if old is not None and not old.problem:
                return
            has = name in tables.KERNEL
            if has or (name in tables.AMSMATH and self._packages & tables.AMS_PACKAGES):
                return
            if old is not None or name in tables.AMSMATH or name in tables.of_packages():
                scope.touch(name, f"may be left as it was by {where}", everywhere=everywhere)
                return
        if done.when == "new" and name[:7] not in ("\\begin{", "\\end{"):
            if (old is not None and not old.problem and old != definition) or (
                old is None and name in tables.KERNEL
            ):
                why = f"is defined already, so that LaTeX refuses {where}"
                scope.touch(name, why, everywhere=everywhere)
                return
        scope.define(name, definition, everywhere=everywhere)

    def _meaning(self, token: str) -> Definition:
        """What ``\\let`` gives: the definition of the other name, or that name as it is."""
        known = self.scope.get(token) if token[:1] == "\\" else None
        return known if known is not None else Definition(meant=token)

    def _uncertain(self, start: int) -> str:
        """Why a definition here may not be in force, if so."""
        if self.displays.conditionals:
            return f"inside \\{self.displays.conditionals[-1]}"
        if self.groups.argument:
            return f"in an argument of \\{self.groups.argument}"
        if self.displays.display is not None and not self.displays.is_empty(start):
            return "in the middle of a display"
        if self.source.markdown and self.displays.display is None and self._money < 0:
            return "outside of mathematics"
        return ""

    def _call(self, name: str, known: Definition, start: int, end: int) -> int:
        """A macro of the paper is called."""
        if known.arity and not known.problem and "#" not in known.body:
            return self._swallow(known, end)
        if self.calls.is_quiet(name):
            return end
        found, end = self.calls.call(self.source, name, end)
        return self._apply(name, found, end, start)

    def _swallow(self, known: Definition, end: int) -> int:
        """The arguments of a macro that does not print them are a comment."""
        if self.displays.display is not None:  # the formula is read with them
            return end
        if known.default is not None and (option := self.source.option(end)) is not None:
            end = option[1]
        for _ in range(known.arity - (known.default is not None)):
            found = self.source.argument(end)
            if found is None:
                break
            end = found[2]
        return end

    def _apply(self, name: str, found: Effects, end: int, start: int) -> int:
        """Let the names that a call may change be unknown, and read the files that it inputs."""
        where = f"\\{name} at {self.source.where(start)}"
        for prefix in found.prefixes:
            self.scope.touch_all(prefix, f"may be changed by {where}")
        for one, everywhere in found.names.items():
            self.scope.touch(one, f"may be changed by {where}", everywhere=everywhere)
        if found.displays:
            self.displays.refuse(f"the macro \\{name} displays something in a way that is not read")
        if found.conditionals:
            self.displays.switches += 1
            if found.conditionals > 0:
                self.displays.conditionals.append(name)
            else:
                self.displays.conditionals[-1:] = []
        for command, file in found.files:
            kind = "sty" if command != "input" else "file"
            self._follow(kind, file, "", start, end)
        return end

    def _prefix(self, name: str, start: int, end: int) -> int:
        r"""\global, \long: the definition that follows."""
        goes_on = self._everywhere == start
        after = self.source.skip(end)
        if name == "global" or goes_on:
            self._everywhere = after
        return after

    def _expl(self, name: str, start: int, end: int) -> int:
        """Code in the syntax of LaTeX3: the names that its functions are given are touched."""
        text = self.source.text
        stop = text.find("\\ExplSyntaxOff", end)
        stop = len(text) if stop < 0 else stop
        where = f"may be changed by code of LaTeX3 at {self.source.where(start)}"
        for found in _EXPL.finditer(text, end, stop):
            if found[1] == "#":
                self.scope.touch_all("\\", where)
            else:
                self.scope.touch(found[1], where, everywhere=True)
        if _EXPL_COMPUTED.search(text, end, stop):
            self.scope.touch_all("\\", where)
        return stop

    def _loop(self, name: str, start: int, end: int) -> int:
        found = self.calls.loop(self.source, name, end)
        return self._apply(name, *found, start) if found is not None else end

    def _group(self, name: str, start: int, end: int) -> int:
        if name in ("begingroup", "bgroup"):
            self.groups.begin("begingroup")
        else:
            self.groups.end("begingroup")
        return end

    # --- conditionals ----------------------------------------------------------------------
    def _test(self, name: str, start: int, end: int) -> int:
        before, branches = tables.TESTS[name]
        self.groups.branches(self.source, name, end, before, branches)
        return end

    def _conditional(self, name: str, start: int, end: int) -> int:
        r"""What \iffalse holds is a comment; of other conditionals it is not known what prints."""
        displays, text = self.displays, self.source.text
        if name not in tables.CONDITIONALS and name.startswith("if"):
            if self.groups.branches(self.source, name, end, 0, 9, least=2):
                return end
        displays.switches += 1
        if name == "iffalse":
            depth = 1
            for found in _SWITCH.finditer(text, end):
                depth += {"fi": -1, "else": 0}.get(found[1], found[1] not in tables.NO_CONDITIONALS)
                if depth == 0 or (depth == 1 and found[1] == "else"):
                    displays.blank(start, found.end())
                    displays.conditionals += ["iffalse"] if depth else []
                    return found.end()
            if "cltheory:" in text[end:]:
                displays.stray(start, r"\iffalse has no \fi, and directives stand after it")
            return len(text)
        if name == "fi":
            displays.conditionals[-1:] = []
        elif name != "else":
            displays.conditionals.append(name)
        return end

    # --- what is no text -----------------------------------------------------------------
    def _percent(self, start: int, end: int) -> int:
        if not self.source.markdown or self.displays.display is not None:
            return self._comment(start)
        if _MARK.match(self.source.text, start):
            error = "in Markdown a directive is written <!-- cltheory: ... -->"
            self.displays.stray(start, error)
        return end

    def _comment(self, start: int) -> int:
        """A comment of LaTeX, to the end of the line; a directive with an open bracket goes on."""
        text = self.source.text
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        mark = None if self.source.definitions else _MARK.match(text, start, end)
        if mark is None:
            self._near_miss(start, text[start:end][:200].lstrip("%"))
            self.displays.blank(start, end)
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
        self.displays.directive(start, end, body)
        return end

    def _angle(self, token: str, start: int, end: int) -> int:
        if self.source.markdown:
            return self._html(token, start, end)
        if token == "<!--" and _MARK.match(self.source.text[end : end + 200].lstrip()):
            self.displays.stray(start, "in LaTeX a directive is written % cltheory: ...")
        return end

    def _html(self, token: str, start: int, end: int) -> int:
        text = self.source.text
        if token != "<!--":
            if self.displays.display is not None:
                return end
            return self._element(token[1:], start, end)
        self._money = -1
        close = text.find("-->", start + 4)
        inside, end = (text[start + 4 : close], close + 3) if close >= 0 else ("", len(text))
        mark = _MARK.match(inside.lstrip()[:100])
        if mark is None:
            if close < 0 and _MARK.match(text[start + 4 : start + 200].lstrip()):
                self.displays.stray(start, "the comment is not closed by -->")
            self._near_miss(start, inside[:200])
            self.displays.blank(start, end)
            return end
        body = " ".join(inside.lstrip()[mark.end() : mark.end() + MAX_LENGTH + 1].split("\n"))
        self.displays.directive(start, end, body)
        return end

    def _element(self, tag: str, start: int, end: int) -> int:
        """An element of HTML in which mathematics is not set."""
        key = (self.source, tag)
        found = None
        if key not in self._unclosed:
            found = re.compile(rf"</{tag}\s*>", re.IGNORECASE).search(self.source.text, end)
        if found is None:
            self._unclosed.add(key)
            if tag == "code":
                return end
        stop = found.start() if found else len(self.source.text)
        for mark in _ANY_MARK.finditer(self.source.text, end, stop):
            error = f"a directive inside <{tag}> marks nothing: no formula is set there"
            self.displays.stray(mark.start(), error)
        return stop

    def _near_miss(self, start: int, comment: str) -> None:
        """A comment that was meant as a directive marks nothing: that must not go unseen."""
        error = near_miss(comment) if not self.source.definitions else ""
        if error:
            self.displays.stray(start, error)

    def _skip_verbatim(self, name: str, start: int, at: int) -> int:
        text = self.source.text
        end = text.find(rf"\end{{{name}}}", at)
        if end >= 0:
            return end
        if "cltheory:" in text[at:]:
            error = rf"\begin{{{name}}} has no \end{{{name}}}, and directives stand after it"
            self.displays.stray(start, error)
        return len(text)

    def _verb(self, name: str, start: int, at: int) -> int:
        text = self.source.text
        if self.source.markdown:
            return at
        if text[at : at + 1] == "*":
            at += 1
        if name != "verb":
            option = _OPTION.match(text, at)
            at = option.end() if option else at
        if name == "mintinline":
            language = _SIMPLE.match(text, at)
            at = language.end() if language else at
        line = text.find("\n", at)
        line = len(text) if line < 0 else line
        if at >= line:
            return line
        end = text.find({"{": "}"}.get(text[at], text[at]), at + 1, line)
        return line if end < 0 else end + 1

    # --- files -----------------------------------------------------------------------------
    def _input(self, name: str, start: int, end: int) -> int:
        if self.source.markdown:
            return end
        if name == "documentclass" and len(self.files.stack) > 1 and not self.source.definitions:
            # A part of a document that can be typeset alone: its preamble is not used here.
            begins = BEGIN.search(self.source.text, end)
            return begins.end() if begins else end
        asked = wanted(self.source, name, end)
        if asked is None:
            return end
        if asked.kind == "sty":
            self._packages |= set(asked.names)
        for one in asked.names:
            self._follow(asked.kind, one, asked.folder, start, asked.end)
        return asked.end

    def _follow(self, kind: str, name: str, folder: str, start: int, end: int) -> None:
        """Read a file in place."""
        if not self.files.follows:
            return
        name, folder = self._written_out(name), self._written_out(folder)
        source = self.source
        try:
            if "\\" in name + folder or "#" in name + folder:
                raise InputError(f"which file is input by {name} is not known")
            opened = self.files.open(kind, name, folder)
            if opened is not None and self.displays.display is not None:
                raise InputError(f"{name} is input inside a display, where it is not followed")
        except ValueError as error:
            self.problems.append(Found(start, "", source, error=str(error)))
            return
        if opened is None:
            return
        self.displays.leave(start)
        only = source.definitions or kind in ("sty", "cls")
        self.files.begin(opened, definitions=only)
        self._walk(Source(opened.text, opened.path, definitions=only))
        self.files.end()
        self.displays.enter(source, end)

    def _written_out(self, name: str) -> str:
        def body(found: re.Match[str]) -> str:
            known = self.scope.written("\\" + found[1])
            plain = known is not None and not (known.problem or known.arity or known.meant)
            return known.body if known is not None and plain else found[0]

        if name.startswith("\\subfix"):  # found from the part of a document, as it is anyway
            name = name.removeprefix("\\subfix").strip().removeprefix("{").removesuffix("}")
        for _ in range(3):
            if "\\" not in name or len(name) > 500:
                break
            stem = posixpath.splitext(posixpath.basename(self.files.root))[0]
            name = _IN_NAME.sub(body, name.replace("\\jobname", stem))
        return name

    def _end_of_input(self, name: str, start: int, end: int) -> int:
        if not (self.displays.conditionals or self.groups.argument):
            self._stop = r"\endinput"
        return end


_Handler = Callable[[Walk, str, int, int], int]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("verb", "lstinline", "mintinline"), Walk._verb),
    **dict.fromkeys(("else", "fi"), Walk._conditional),
    **dict.fromkeys(tables.TESTS, Walk._test),
    **dict.fromkeys(tables.INPUTS, Walk._input),
    **dict.fromkeys(tables.LOOPS, Walk._loop),
    **dict.fromkeys(_PREFIXES, Walk._prefix),
    **dict.fromkeys(("begingroup", "endgroup", "bgroup", "egroup"), Walk._group),
    "ExplSyntaxOn": Walk._expl,
    "endinput": Walk._end_of_input,
}


def displays(text: str, kind: str) -> list[Found]:
    """Directives of one text and what they stand at, in the order of the directives.

    Parameters
    ----------
    text
        With ``\\n`` at the end of lines.
    kind
        ``tex`` or ``md``.
    """
    walk = Walk()
    if kind == "md":
        walk.markdown(text)
    else:
        walk.file("", text)
    return sorted(walk.finish(), key=lambda found: found.at)
