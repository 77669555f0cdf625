r"""What names mean, and from where to where in the text.

Definitions end with their group, as in TeX. Everything that was ever in force is kept, so that
the meaning of a name at any earlier place can be looked up later: a :class:`Moment`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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


#: When it was made, in which depth of groups, and what it is.
_Entry = tuple[int, int, Definition | None]
_Rule = tuple[int, str, str]


class Scope:
    """Names as the text goes on."""

    def __init__(self) -> None:
        self.now = 0
        self.crowded = False  #: there were more names than are kept
        self._current: dict[str, _Entry] = {}
        self._history: dict[str, list[tuple[int, _Entry]]] = {}
        self._saved: list[list[tuple[str, _Entry]]] = []
        self._rules: list[_Rule] = []
        self._counted = 0

    @property
    def depth(self) -> int:
        """How many groups are open."""
        return len(self._saved)

    # --- groups --------------------------------------------------------------------------
    def begin(self) -> None:
        """A group begins."""
        self._saved.append([])

    def end(self) -> None:
        """The innermost group ends; what was defined for everywhere stays."""
        level = len(self._saved)
        if not level:
            return
        saved = self._saved.pop()
        if saved:
            self.now += 1
        for name, old in reversed(saved):
            if self._current[name][1] == level:
                self._put(name, old)

    # --- definitions -----------------------------------------------------------------------
    def define(self, name: str, definition: Definition, *, everywhere: bool = False) -> None:
        """Let a name mean something, in this group or everywhere."""
        self.now += 1
        level = 0 if everywhere else len(self._saved)
        old = self._current.get(name, (0, 0, None))
        if level and old[1] != level:
            self._saved[-1].append((name, old))
        if name not in self._history and "@" not in name:
            self._counted += 1
            if self._counted > MAX_NAMES and not self.crowded:
                self.crowded = True
                self.touch_all("\\", f"is lost: more than {MAX_NAMES} macros are defined")
        self._put(name, (self.now, level, definition))

    def touch(self, name: str, problem: str, *, everywhere: bool = False, body: str = "") -> None:
        """From here on it is not known what a name means; ``body`` is one that it may have."""
        old = self._current.get(name, (0, 0, None))[2]
        if old is not None and old.meant[:1] == "\\":
            body = f"{old.meant} {body}"
        elif old is not None and body not in old.body:
            body = f"{old.body} {body}"
        elif old is not None:
            body = old.body
        if len(body) > MAX_BODIES:
            self.touch_all("", problem)  # too much to follow: it may do anything
            body = ""
        self.define(name, Definition(body=body, problem=problem), everywhere=everywhere)

    def touch_all(self, prefix: str, problem: str) -> None:
        r"""The same for all names that begin so; the empty one is about every character too."""
        if self._rules and not self._rules[-1][1]:
            return  # nothing is read any more
        self.now += 1
        prefix = prefix if len(self._rules) < MAX_RULES else ""
        self._rules.append((self.now, prefix, problem))

    def _put(self, name: str, entry: _Entry) -> None:
        self._current[name] = entry
        self._history.setdefault(name, []).append((self.now, entry))

    # --- looking up ------------------------------------------------------------------------
    def get(self, name: str) -> Definition | None:
        """What a name means now; None if nothing in the text defines it."""
        made, _, definition = self._current.get(name, (0, 0, None))
        if self._rules:
            problem = self.problem(name, made, self.now)
            if problem:
                return Definition(problem=problem)
        return definition

    def written(self, name: str) -> Definition | None:
        """The definition of a name in the text, though something may have changed it since."""
        return self._current.get(name, (0, 0, None))[2]

    def problem(self, name: str, made: int, now: int) -> str:
        """Why a name that was defined at this time may mean something else now."""
        for time, prefix, problem in reversed(self._rules):
            if made < time <= now and name.startswith(prefix):
                return problem
        return ""

    def at(self, name: str, now: int) -> Definition | None:
        """What a name meant at a time."""
        past = self._history.get(name, [])
        k = bisect_right(past, now, key=lambda entry: entry[0])
        made, _, definition = past[k - 1][1] if k else (0, 0, None)
        problem = self.problem(name, made, now) if self._rules else ""
        return Definition(problem=problem) if problem else definition

    def moment(self) -> Moment:
        """The names as they are now."""
        return Moment(self, self.now)

    # A moment that goes to another process takes along what it needs, and no more.
    def frozen(self, now: int) -> tuple[dict[str, Definition], list[_Rule]]:
        """What is in force at a time, as a scope of its own."""
        known = ((name, self.at(name, now)) for name in self._history)
        kept = {name: found for name, found in known if found is not None}
        return kept, [(1, prefix, text) for time, prefix, text in self._rules if time <= now]

    def restore(self, known: Mapping[str, Definition], rules: list[_Rule]) -> None:
        """Begin with what :meth:`frozen` gave."""
        self._rules = list(rules)
        for name, definition in known.items():
            self._put(name, (1, 0, definition))


class Moment(Mapping[str, Definition]):
    """What names mean at one place of a text."""

    def __init__(self, scope: Scope | None = None, now: int = 0):
        self._scope, self._now = scope or Scope(), now

    def __getitem__(self, name: str) -> Definition:
        found = self._scope.at(name, self._now)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._scope.frozen(self._now)[0])

    def __len__(self) -> int:
        return len(self._scope.frozen(self._now)[0])

    def __bool__(self) -> bool:
        return self._now > 0

    def __reduce__(self) -> tuple[object, ...]:
        return _thawed, self._scope.frozen(self._now)

    @property
    def characters(self) -> str:
        """Why not even a character means what it is, if so."""
        return self._scope.problem("", -1, self._now)

    def used(self, text: str) -> frozenset[tuple[str, Definition]]:
        """The definitions that a formula depends on, directly or through others."""
        waiting, found = [text], {}
        while waiting:
            for written in _NAMES.findall(waiting.pop()):
                stem = written[6:].strip(" {}") if written[:6] == r"\begin" else ""
                for name in (written, f"\\{stem}", f"\\end{stem}")[: 3 if stem else 1]:
                    known = None if name in found else self.get(name)
                    if known is not None:
                        found[name] = known
                        waiting += [known.body, known.default or ""]
        if self.characters:
            found[""] = Definition(problem=self.characters)
        return frozenset(found.items())


def _thawed(known: Mapping[str, Definition], rules: list[_Rule]) -> Moment:
    scope = Scope()
    scope.restore(known, rules)
    return Moment(scope, 1)
