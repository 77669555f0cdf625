"""Comments, verbatim text and HTML: what a walk does not read, but for directives."""

from __future__ import annotations

import re

from ..directives import MAX_LENGTH, unclosed
from .displays import MAX_LINES, Displays
from .near_miss import names_result, near_miss
from .scope import Scope
from .source import Source

OPTION = re.compile(r"[ \t]*\[[^\[\]{}\n]*\]")
SIMPLE = re.compile(r"[ \t]*\{[^{}\n]*\}")
ANY_MARK = re.compile(r"(?:%|<!--)[ \t]*cltheory[ \t]*:")
_MARK = re.compile(r"%*[ \t]*cltheory[ \t]*:")
_ADDRESS = re.compile(r"[ \t]*\{(?:[^{}\n]|\{[^{}\n]{0,200}\}){0,2000}+\}")
_INSIDE = re.compile(r"%[ \t%]*[^\s%][^\n]*?%[ \t]*cltheory[ \t]*:")
_GOES_ON = re.compile(r"\n[ \t]*%+")


class Skipping:
    """The part of a walk that steps over what is no text."""

    def __init__(self) -> None:
        self.scope = Scope()
        self.displays = Displays(self.scope)
        self.source = Source("")
        self._money = -1  #: where the inside of an inline formula of Markdown began, if it is one
        self._unclosed: set[tuple[Source, str]] = set()  #: tags without an end

    # --- comments ------------------------------------------------------------------------------
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
        mark = _MARK.match(text, start, end)
        if mark is None or self.source.definitions:
            inside = _INSIDE.match(text[start:end][:4000])
            if inside and names_result(text[start:end][inside.end() : 4000]):
                self._stray(start, "a directive in the middle of a comment marks nothing")
            elif self.source.is_package and mark is not None:
                self.displays.stray(start, "a directive in a package or class marks nothing")
            else:
                self._stray(start, near_miss(text[start:end][:200].lstrip("%")))
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

    def _stray(self, start: int, error: str) -> None:
        """What looks like a directive marks nothing: that must not go unseen."""
        if error and not self.source.definitions:
            self.displays.stray(start, error)

    def _strays(self, start: int, end: int, error: str) -> None:
        """The same for every directive in a piece of the text."""
        for mark in ANY_MARK.finditer(self.source.text, start, end):
            self._stray(mark.start(), error)

    # --- HTML ----------------------------------------------------------------------------------
    def _angle(self, token: str, start: int, end: int) -> int:
        if self.source.markdown:
            return self._html(token, start, end)
        if token == "<!--" and _MARK.match(self.source.text[end : end + 200].lstrip()):
            self.displays.stray(start, "in LaTeX a directive is written % cltheory: ...")
        return end

    def _html(self, token: str, start: int, end: int) -> int:
        text = self.source.text
        if token != "<!--":
            return end if self.displays.display is not None else self._element(token[1:], end)
        self._money = -1
        close = text.find("-->", start + 4)
        inside, end = (text[start + 4 : close], close + 3) if close >= 0 else ("", len(text))
        inside = inside.strip("-")  # <!--- ... --->
        mark = _MARK.match(inside.lstrip()[:100])
        if mark is None:
            if close < 0 and _MARK.match(text[start + 4 : start + 200].lstrip()):
                self.displays.stray(start, "the comment is not closed by -->")
            elif any(names_result(inside[m.end() :][:200]) for m in ANY_MARK.finditer(inside)):
                error = "a directive in a comment marks nothing: a comment ends at the first -->"
                self.displays.stray(start, error)
            else:
                self._stray(start, near_miss(inside[:200]))
            self.displays.blank(start, end)
            return end
        body = " ".join(inside.lstrip()[mark.end() : mark.end() + MAX_LENGTH + 1].split("\n"))
        self.displays.directive(start, end, body)
        return end

    def _element(self, tag: str, end: int) -> int:
        """An element of HTML in which mathematics is not set."""
        found = None
        if (self.source, tag) not in self._unclosed:
            found = re.compile(rf"</{tag}\s*>", re.IGNORECASE).search(self.source.text, end)
        if found is None:
            self._unclosed.add((self.source, tag))
            if tag == "code":
                return end
        stop = found.start() if found else len(self.source.text)
        self._strays(
            end, stop, f"a directive inside <{tag}> marks nothing: no formula is set there"
        )
        return stop

    # --- text that is printed as it stands, or not at all --------------------------------------
    def _printed_mark(self, at: int) -> bool:
        mark = None if self.source.markdown else _MARK.match(self.source.text, at)
        return mark is not None and names_result(self.source.text[mark.end() : mark.end() + 200])

    def _skip_verbatim(self, name: str, start: int, at: int) -> int:
        text = self.source.text
        end = text.find(rf"\end{{{name}}}", at)
        if end >= 0:
            return end
        if "cltheory:" in text[at:]:
            error = rf"\begin{{{name}}} has no \end{{{name}}}, and directives stand after it"
            self._stray(start, error)
        return len(text)

    def _address(self, name: str, start: int, at: int) -> int:
        """In the address of a page, % is a character, but not in an argument."""
        if self.source.markdown or self.displays.brace:
            return at
        option = OPTION.match(self.source.text, at)
        found = _ADDRESS.match(self.source.text, option.end() if option else at)
        return found.end() if found else at

    def _string(self, name: str, start: int, at: int) -> int:
        r"""What follows \string is printed."""
        found = self.source.command(at)
        return found[1] if found else at

    def _aside(self, name: str, start: int, at: int) -> int:
        """What is said for bookmarks only."""
        found = self.source.argument(at)
        return found[2] if found else at

    def _verb(self, name: str, start: int, at: int) -> int:
        text = self.source.text
        if self.source.markdown:
            return at
        at += text[at : at + 1] == "*"
        if name != "verb" and (option := OPTION.match(text, at)):
            at = option.end()
        if name == "mintinline" and (language := SIMPLE.match(text, at)):
            at = language.end()
        line = text.find("\n", at)
        line = len(text) if line < 0 else line
        if at >= line:
            return line
        end = text.find({"{": "}"}.get(text[at], text[at]), at + 1, line)
        return line if end < 0 else end + 1
