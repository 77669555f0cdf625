r"""Definitions: the part of a walk that knows which names may be changed, and where.

Nothing is run. A definition outside of all braces, environments and conditionals is in force;
any other one makes its name one that is not read. A body is looked through where it stands, for
the names that it may change whenever it runs, and for what its call does that is not followed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from .. import exported
from . import commands as tables
from .definitions import Act, act
from .scope import Definition
from .skipping import Skipping

ENVIRONMENT = re.compile(r"[ \t]*(?:\n[ \t]*)?\{([A-Za-z@]+\*?)\}")
_COMMAND = re.compile(r"\\([A-Za-z@]+|.)|%[^\n]*|\$\$", re.DOTALL)
AFTER = re.compile(r"\\(unless|expandafter)\s*\Z")
#: What a conditional tests, and the braces of one that has its branches in them.
_TESTED = {
    name: re.compile(
        rf"(?:\s*\\(?:csname.{{0,200}}?\\endcsname|[A-Za-z@]+|.)){{0,{count}}}", re.DOTALL
    )
    for name, count in {"ifdefined": 1, "ifx": 2}.items()
}
_BRACED = re.compile(r"\s*(?:\[[^\]]*\]\s*)?\{")


class Defining(Skipping):
    """The part of a walk that meets definitions and calls."""

    def __init__(self) -> None:
        super().__init__()
        self._inline = -1  #: where the inside of an inline formula began
        #: braces, environments, groups and conditionals that are open; the numbers of the braces
        self._open: list[str] = []
        self._kinds, self._braces = Counter[str](), [0]
        self._count = 0
        self._switches: set[str] = set()  #: conditionals by \\newif
        #: environments whose inside is not text, and those of which that is not certain
        self._hides, self._doubtful = {*tables.VERBATIM}, set[str]()

    # --- what is open ----------------------------------------------------------------------
    def _begin(self, kind: str) -> None:
        """Something begins in which a definition is not read."""
        self._open.append(kind)
        self._kinds[kind] += 1
        if kind == "{":
            self._count += 1
            self._braces.append(self._count)
        self.displays.brace = self._braces[-1]

    def _end(self, kind: str) -> None:
        """It ends, and with it what was left open in it."""
        while self._kinds[kind]:
            ended = self._open.pop()
            self._kinds[ended] -= 1
            if ended == "{":
                self._braces.pop()
            if ended == kind:
                break
        self.displays.brace = self._braces[-1]

    def _is_switch(self, name: str, at: int) -> bool:
        r"""Whether a command begins a conditional that \fi ends; a test has branches in braces."""
        if name in tables.CONDITIONALS or name in self._switches:
            return True
        is_test = tables.TESTS.fullmatch(name) or _BRACED.match(self.source.text, at)
        return name.startswith("if") and not is_test

    def _after_test(self, name: str, at: int) -> int:
        """The place after the commands that a conditional only looks at."""
        tested = _TESTED[name].match(self.source.text, at) if name in _TESTED else None
        return tested.end() if tested else at

    # --- what is not followed ----------------------------------------------------------------
    def _call(self, name: str, start: int) -> None:
        """A macro of the paper may be called."""
        for what in sorted(self.scope.run_by(name)):
            if what == "displays":
                self.displays.refuse(f"{name} displays something in a way that is not read")
            elif what == "groups":  # one may be open from here on
                self._begin("group")
            else:
                self._lose(f"{name}, which {what},", start)

    def _lose(self, what: str, at: int) -> None:
        """No formula after this is read."""
        self.scope.lose(f"may be changed by {what} at {self.source.where(at)}")

    def _refuses(self, name: str, start: int) -> bool:
        """Whether no formula is read after a command."""
        text, at = self.source.text, start + 1
        if not (tables.is_unfollowed(name, self.source.is_package) or tables.activates(text, at)):
            return False
        if tables.is_fine(text, at):
            return False
        self._lose("\\" + name, start)
        return True

    # --- definitions -------------------------------------------------------------------------
    def _define(self, name: str, done: Act, start: int, end: int) -> int:
        """A definition stands here."""
        stop, where = max(end, done.end), f"\\{name} at {self.source.where(start)}"
        self._strays(start, stop, "a directive inside a definition marks nothing")
        why = self._uncertain(start)
        if self._change(name, done, start, why) and not self.source.is_package:
            self._lose(f"\\{name}", start)
        elif done.definition is not None and not why:
            self._put(done.name, done.definition, done.when, where)
        if name in tables.VERBATIM_MAKERS and not why:
            self._hides.update(one[1:] for one in done.touched)
        if done.body:
            self._scan(done.body, stop, done.names)
        if self.displays.display is not None:
            self.displays.blank(start, stop)
        return stop

    def _change(self, name: str, done: Act, start: int, why: str) -> bool:
        """Let what a command may change be unknown; whether that is more than is said."""
        scope, where = self.scope, f"\\{name} at {self.source.where(start)}"
        for prefix in done.prefixes:
            scope.lose(f"may be changed by {where}", prefix)
        for one in done.names:
            stem = one[7:-1] if one.startswith("\\begin{") else one[1:]
            if stem in self._hides:
                self._doubtful.add(stem)
            if stem.startswith("if") and name in ("newif", "let"):
                self._switches.add(stem)
            if one in tables.CORE or tables.is_unfollowed(one[1:], self.source.is_package):
                scope.lose(f"may be changed by {where}")
            elif why:
                scope.touch(one, f"may be defined by {where}, {why}")
            elif done.definition is None:
                scope.touch(one, f"may be changed by {where}")
        after = AFTER.search(self.source.text, max(0, start - 20), start)
        expands = after is not None and after[1] == "expandafter" and done.definition is not None
        meant = done.definition.meant if done.definition else ""
        hidden = meant in (r"\fi", r"\else", r"\or", r"\expandafter", r"\csname")
        return done.unfollowed or expands or hidden

    def _put(self, name: str, definition: Definition, when: str, where: str) -> None:
        scope, old = self.scope, self.scope.get(name)
        if (name, definition.body) in exported.KNOWN:
            definition = replace(definition, body=exported.READ)
        if definition.meant[:1] == "\\":  # the definition of the other name, or it as it is
            definition = scope.get(definition.meant) or definition
        if when == "provide" and old is not None and not old.problem:
            return
        if when == "provide" and (old is not None or name in tables.of_packages()):
            scope.touch(name, f"may be left as it was by {where}")
            return
        unset = old is None or old.meant in (r"\relax", r"\undefined", r"\@undefined")
        if when == "new" and (name in tables.KERNEL if old is None else not unset):
            if old != definition:
                scope.touch(name, f"is defined already, so that LaTeX refuses {where}")
            return
        scope.define(name, definition)

    def _uncertain(self, start: int) -> str:
        """Why a definition here may not be in force, if so."""
        display = self.displays.display
        if not self.source.markdown:
            if self._kinds["if"]:
                return "inside a conditional"
            inside = self._open or display is not None or self._inline >= 0
            return "in a group or an argument" if inside else ""
        # MathJax has no groups: it lasts to the end of the page
        if display is None and self._money < 0:
            return "outside of mathematics"
        if display is not None and (display.above or display.frames[-1].directive):
            return "in a display that is checked"
        if self._open:
            return "in a group or an argument"
        if display is None:  # inline; what is printed before it may be text or an error
            before = self.source.text[self._money : start]
            return "in the middle of a formula" if before.strip() else ""
        return "" if self.displays.is_empty(start) else "in the middle of a display"

    def _scan(self, start: int, stop: int, names: list[str]) -> None:
        """What a body may do, whenever it runs: the names that it defines are touched here."""
        text, package = self.source.text, self.source.is_package
        at, runs, conditionals, groups = start, set[str](), 0, 0
        while (token := _COMMAND.search(text, at, stop)) is not None:
            at, name = token.end(), token[1]
            if name is None:  # a comment or $$
                runs |= {"displays"} if token[0] == "$$" else set()
                continue
            named = ENVIRONMENT.match(text, at) if name in ("begin", "end") else None
            if named is not None:
                at, groups = named.end(), groups + (1 if name == "begin" else -1)
                name = named[1]
            if name in ("[", "]") or name in tables.DISPLAYS | tables.OTHER_DISPLAYS:
                runs.add("displays")
            elif self._refuses(name, token.start()) or named is not None:
                continue
            elif name in tables.INPUTS:
                runs.add("inputs a file")
            elif name in tables.BEGINS | tables.ENDS:
                groups += 1 if name in tables.BEGINS else -1
            elif name in ("fi", "repeat") or self._is_switch(name, at):
                conditionals += -1 if name in ("fi", "repeat") else 1
                at = self._after_test(name, at)
            elif (done := act(self.source, name, at)) is not None:
                if self._change(name, done, token.start(), "in the body of a macro"):
                    runs.add("defines what it is told to")
                ends = not done.names and self.source.skip(at) >= stop - 1
                runs |= {"defines what stands after it"} if ends else set()
                at = max(at, done.body or done.end)
            elif name == "expandafter" and self.source.skip(at) >= stop - 1:
                runs.add("expands what stands after it")
        if conditionals:
            runs.add("begins or ends a conditional")
        if groups:
            runs.add("groups")
        if package:  # what its macros do for one another is its own affair
            runs &= {"defines what it is told to", "displays"}
        for one in names:
            self.scope.runs(one, runs, "" if package else text[start:stop])
