r"""What names mean, as the text goes on.

A name is read if all that may define it stands at the top level, in a form that is known.
Whatever else may define it, in a group, a conditional, the body of a macro, makes it one that is
not read from there on, and no later definition mends that. Nothing of TeX need be followed so:
neither groups nor what a macro does where it is called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import commands as tables

MAX_NAMES = 1_500  #: that formulas can use; a widely used preamble defines 300

_NAMES = re.compile(r"\\(?:begin\s*\{[A-Za-z]+\*?\}|[A-Za-z@]+|[^A-Za-z@])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Definition:
    r"""What a name stands for.

    Attributes
    ----------
    arity, body, default
        As in ``\newcommand``: number of arguments, replacement, first argument if it is left out.
    problem
        Why a formula must not use the name, if it must not.
    meant
        For ``\let``: the one token that it is another name of, as that was, whatever is
        defined later.
    fences
        For ``\DeclarePairedDelimiter``: left and right.
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
        self.crowded = False  #: there were more names than are kept
        self._known: dict[str, Definition] = {}
        self._rules: dict[str, str] = {}  #: beginnings of names, and what may change them
        self._counted = 0
        #: what the bodies of a name mention, and what its call does that is not followed
        self._mentions: dict[str, set[str]] = {}
        self._runs: dict[str, set[str]] = {}
        self._run_by: dict[str, set[str]] = {}

    def define(self, name: str, definition: Definition) -> None:
        """Let a name mean something, unless it is not read any more."""
        old = self._known.get(name)
        if old is None and "@" not in name:
            self._counted += 1
            if self._counted > MAX_NAMES and not self.crowded:
                self.crowded = True
                self.lose(f"is lost: more than {MAX_NAMES} macros are defined")
        if old is None or not old.problem:
            self._known[name] = definition

    def touch(self, name: str, problem: str) -> None:
        """From here on it is not known what a name means."""
        self.define(name, Definition(problem=problem))

    def lose(self, problem: str, prefix: str = "") -> None:
        """The same for all names that begin so; without a beginning for every character too."""
        self._rules.setdefault(prefix, problem)

    # --- calls -----------------------------------------------------------------------------
    def runs(self, name: str, what: set[str], body: str) -> None:
        """What a call of a name does that is not followed, and a body that it may have."""
        self._mentions.setdefault(name, set()).update(
            "\\" + one[6:].strip(" {}") if one[:6] == r"\begin" else one
            for one in _NAMES.findall(body)
        )
        self._runs.setdefault(name, set()).update(what)
        self._run_by.clear()

    def run_by(self, name: str) -> set[str]:
        """What a call does that is not followed, directly or by others."""
        if name not in self._run_by:
            waiting, seen = [name], {name}
            while waiting:
                further = self._mentions.get(waiting.pop(), set()) - seen
                seen |= further
                waiting += further
            self._run_by[name] = set().union(*(self._runs.get(one, ()) for one in seen))
        return self._run_by[name]

    # --- looking up ------------------------------------------------------------------------
    def get(self, name: str) -> Definition | None:
        """What a name means now; None if nothing in the text defines it."""
        for prefix, problem in self._rules.items():
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
