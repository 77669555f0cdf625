r"""What names mean, as the text goes on.

A name is read if all that may define it stands at the top level and is read. Whatever else may
define it, in a group, a conditional, a call, makes it one that is not read from there on, and no
later definition mends that. Groups of TeX need not be followed so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import commands as tables

MAX_NAMES = 1_500  #: that formulas can use; a widely used preamble defines 300
MAX_RULES = 200
MAX_BODIES = 20_000  #: characters of the bodies that a name may have

_NAMES = re.compile(r"\\(?:begin\s*\{[A-Za-z]+\*?\}|[A-Za-z@]+|[^A-Za-z@])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name stands for.

    Attributes
    ----------
    arity, body, default
        As in ``\\newcommand``: number of arguments, replacement, first argument if it is left out.
    problem
        Why a formula must not use the name, if it must not. The body, if there is one, still
        says what a call may do.
    meant
        For ``\\let``: the one token that it is another name of, as that was, whatever is
        defined later.
    fences
        For ``\\DeclarePairedDelimiter``: left and right.
    """

    arity: int = 0
    body: str = ""
    default: str | None = None
    problem: str = ""
    meant: str = ""
    fences: tuple[str, str] | None = None


class Scope:
    """Names as the text goes on."""

    def __init__(self) -> None:
        self.now = 0  #: how often something has changed
        self.crowded = False  #: there were more names than are kept
        self._known: dict[str, Definition] = {}
        self._rules: list[tuple[str, str]] = []  #: beginnings of names, and what may change them
        self._counted = 0

    def define(self, name: str, definition: Definition) -> None:
        """Let a name mean something, unless it is not read any more."""
        self.now += 1
        old = self._known.get(name)
        if old is None and "@" not in name:
            self._counted += 1
            if self._counted > MAX_NAMES and not self.crowded:
                self.crowded = True
                self.touch_all("\\", f"is lost: more than {MAX_NAMES} macros are defined")
        if old is not None and (old.problem or definition.problem):
            definition = self._either(old, definition)
        self._known[name] = definition

    def touch(self, name: str, problem: str, body: str = "") -> None:
        """From here on it is not known what a name means; ``body`` is one that it may have."""
        self.define(name, Definition(body=body, problem=problem))

    def _either(self, old: Definition, new: Definition) -> Definition:
        """A name that is not read, with all that a call of it may run."""
        problem = old.problem or new.problem
        body = f"{old.meant} {old.body}".strip()
        more = f"{new.meant} {new.body}".strip()
        body = body if more in body else f"{body} {more}"
        if len(body) > MAX_BODIES:
            self.touch_all("", problem)  # too much to follow: it may do anything
            body = ""
        return Definition(body=body, problem=problem)

    def touch_all(self, prefix: str, problem: str) -> None:
        r"""The same for all names that begin so; the empty one is about every character too."""
        if self._rules and not self._rules[-1][0]:
            return  # nothing is read any more
        self.now += 1
        self._rules.append((prefix if len(self._rules) < MAX_RULES else "", problem))

    # --- looking up ------------------------------------------------------------------------
    def get(self, name: str) -> Definition | None:
        """What a name means now; None if nothing in the text defines it."""
        for prefix, problem in self._rules:
            if name.startswith(prefix):
                return Definition(problem=problem)
        return self._known.get(name)

    def written(self, name: str) -> Definition | None:
        """The definition of a name in the text, though something may have changed it since."""
        return self._known.get(name)

    def used(self, text: str) -> dict[str, Definition]:
        """The definitions that a formula depends on, directly or through others.

        Those of names that LaTeX has are always among them: an edit may use them.
        """
        waiting, found = [text, "".join(self._known.keys() & tables.of_packages())], {}
        while waiting:
            for written in _NAMES.findall(waiting.pop()):
                stem = written[6:].strip(" {}") if written[:6] == r"\begin" else ""
                for name in (written, f"\\{stem}", f"\\end{stem}")[: 3 if stem else 1]:
                    known = None if name in found else self.get(name)
                    if known is not None:
                        found[name] = known
                        waiting += [known.body, known.default or ""]
        if (characters := self.get("")) is not None:
            found[""] = characters
        return found

    def everything(self) -> dict[str, Definition]:
        """What all names mean, also those that only LaTeX defines."""
        return self.used("".join(self._known) + "".join(tables.of_packages()))
