r"""Definitions and calls of macros: the part of a walk that knows what names mean."""

from __future__ import annotations

import re
from dataclasses import replace

from .. import exported
from . import commands as tables
from .definitions import Act
from .effects import Effects
from .following import Following
from .scope import Definition

_COMMENT = re.compile(r"\\comment(?![A-Za-z@])")


class Defining(Following):
    """The part of a walk that meets definitions and calls."""

    def _refuse(self, start: int, end: int = 0) -> None:
        """Let no formula after this be read if a word here changes what a formula prints."""
        words = tables.UNREAD_IN_PACKAGE if self.source.is_package else tables.UNREAD
        text = self.source.text
        for found in words.finditer(text, start, end) if end else [words.match(text, start)]:
            if found and found["word"]:
                where = f"\\{found['word']} at {self.source.where(found.start())}"
                self.scope.touch_all("", f"may be changed by {where}")

    def _define(self, name: str, done: Act, start: int, end: int) -> int:
        """A definition stands here."""
        text, scope = self.source.text, self.scope
        stop = max(end, done.end)
        self._refuse(start, stop)
        for mark in re.finditer(r"%[ \t]*cltheory[ \t]*:", text[start:stop]):
            if not self.source.definitions:
                error = "a directive inside a definition marks nothing"
                self.displays.stray(start + mark.start(), error)
        where = f"\\{name} at {self.source.where(start)}"
        why = self._uncertain(start)
        for prefix in done.prefixes:
            scope.touch_all(prefix, f"may be changed by {where}")
        hides = name in tables.VERBATIM_MAKERS
        for one, definition in done.defines:
            stem = one[7:-1] if one.startswith("\\begin{") else one[1:]
            if hides and not why:
                self._hides.setdefault(stem, True)
            elif hides or stem in self._hides or (definition and _COMMENT.search(definition.body)):
                self._hides[stem] = False
            if one in tables.CORE:
                scope.touch_all("\\", f"is not certain: {one} is redefined by {where}")
            body = definition.body if definition else done.body or done.meant.rstrip() + " "
            if why:
                scope.touch(one, f"may be defined by {where}, {why}", body)
            elif done.meant:
                scope.define(one, self._meaning(done.meant))
            elif definition is None:
                scope.touch(one, f"may be changed by {where}", done.body)
            else:
                if definition.problem:
                    definition = replace(definition, problem=f"{definition.problem}, by {where}")
                self._put(one, definition, done, where)
        if self.displays.display is not None:
            self.displays.blank(start, stop)
        return stop

    def _put(self, name: str, definition: Definition, done: Act, where: str) -> None:
        scope, old = self.scope, self.scope.get(name)
        if (name, definition.body) in exported.KNOWN:
            definition = replace(definition, body=exported.READ)
        if done.when == "provide":
            if old is not None and not old.problem:
                return
            if old is not None or name in tables.of_packages():
                scope.touch(name, f"may be left as it was by {where}")
                return
        if done.when == "new" and name[:7] not in ("\\begin{", "\\end{"):
            unset = old is not None and old.meant in (r"\relax", r"\undefined", r"\@undefined")
            if (old is not None and not (unset or old.problem or old == definition)) or (
                old is None and name in tables.KERNEL
            ):
                scope.touch(name, f"is defined already, so that LaTeX refuses {where}")
                return
        scope.define(name, definition)

    def _meaning(self, token: str) -> Definition:
        """What ``\\let`` gives: the definition of the other name, or that name as it is."""
        known = self.scope.get(token) if token[:1] == "\\" else None
        return known if known is not None else Definition(meant=token)

    def _uncertain(self, start: int) -> str:
        """Why a definition here may not be in force, if so."""
        display = self.displays.display
        if self.displays.conditionals:
            return f"inside \\{self.displays.conditionals[-1]}"
        if self.source.markdown:  # MathJax has no groups: it lasts to the end of the page
            if display is None and self._money < 0:
                return "outside of mathematics"
            marked = display is not None and (display.above or display.frames[-1].directive)
            if marked:
                return "in a display that is checked"
            if self.groups:
                return "in a group or an argument"
            if display is None:  # inline; what is printed before it may be text or an error
                before = self.source.text[self._money : start]
                return "in the middle of a formula" if before.strip() else ""
            return "" if self.displays.is_empty(start) else "in the middle of a display"
        inside = self.groups or display is not None or self._inline >= 0
        return "in a group or an argument" if inside else ""

    def _call(self, name: str, known: Definition, start: int, end: int) -> int:
        """A macro of the paper is called."""
        found = self.calls.call(self.source, name, end)
        self.groups.unknown = self.groups.unknown or found.groups != 0
        self._apply(name, found, end, start)
        prints = not known.arity or known.problem or "#" in known.body
        return end if prints else self._swallow(known, end)

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

    def _apply(self, name: str, found: Effects, end: int, start: int) -> None:
        """Let the names that a call may change be unknown, and read the files that it inputs."""
        where = f"\\{name} at {self.source.where(start)}"
        for prefix in found.prefixes:
            self.scope.touch_all(prefix, f"may be changed by {where}")
        for one, body in found.names.items():
            self.scope.touch(one, f"may be changed by {where}", body)
        if found.displays:
            self.displays.refuse(f"the macro \\{name} displays something in a way that is not read")
        if found.conditionals:
            self.displays.switches += 1
            if found.conditionals > 0:
                self.displays.conditionals.append(name)
            else:
                self.displays.conditionals[-1:] = []
        for asked in found.files:
            for file in asked.names:
                self._follow(asked.kind, file, asked.folder, start, end)

    def _group(self, name: str, start: int, end: int) -> int:
        if name in tables.BEGINS:
            self.groups.begin("begingroup")
        else:
            self.groups.end("begingroup")
        return end
