"""The smallest edit of the source that makes a false statement true.

A change is made at one place: another sign, symbol, number or relation, a factor or a term
more or less, a fraction upside down. Changes of one token are tried first. At each place
the statement is read once, with a probe where the change would be, and evaluated at a few
points in floating point for everything that could stand there. What agrees is read as it would
be written, and put to the same check as the statement itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Symbol

from ...decide.evidence import Grade
from ...language.statement import Statement, TexError
from ...language.vocabulary import LETTERS
from ..directives import Directive
from ..formula.reader import read_formula
from ..judge.compare import judge
from ..judge.finding import Edit, Finding
from ..judge.lookup import Meant
from .changes import Change, Changes
from .floats import screen

if TYPE_CHECKING:
    from ..text.macros import Macros

#: How many characters of sources are read (a second or so), how many changes are evaluated at
#: points, and how many sources that agree there are put to the proof.
READ, SCREENED, PROVED = 60_000, 6_000, 6


def suggest(
    source: str, meant: Meant, directive: Directive, macros: Macros | None, lead: str = ""
) -> Edit | None:
    """The first edit, by how likely it is, with which the statement is proved."""
    try:
        search = _Search(source, meant, directive, macros, lead)
        return search.best()
    except TexError:
        return None


class _Search:
    def __init__(
        self, source: str, meant: Meant, directive: Directive, macros: Macros | None, lead: str
    ):
        self.source, self.meant, self.directive = source, meant, directive
        self.macros, self.lead = macros, lead
        self.length = self.screened = 0  # what was read and evaluated so far
        self.statement = self.read(source)
        self.screen = screen(meant)
        spelling = next(
            name
            for name in sorted(LETTERS, reverse=True)
            if name not in source and not any(name in known for known in meant.names)
        )
        self.probe = spelling, Symbol("probe", real=True)
        self.probed: dict[str, Statement | None] = {}

    def read(self, text: str, **more: Expr) -> Statement:
        self.length += len(text)
        names = {**self.meant.names, **more}
        return read_formula(
            text,
            names,
            self.macros,
            relations=self.directive.relations,
            lead=self.lead,
            phrases=self.meant.phrases,
        )

    def best(self) -> Edit | None:
        """The likeliest change that is proved."""
        changes = Changes(self.source, self.meant, self.statement, self.probe[0])
        # Where the values agree, only what they do not show can be wrong.
        every = [*changes.of_shape()]
        if not self.screen.allows(self.statement):
            every += changes.of_value()
        seen, tried = {self.source}, 0
        for change in sorted(every, key=lambda c: c.rank):
            if self.length > READ or self.screened > SCREENED:
                break
            if not self._may_hold(change):
                continue
            text = change.applied(self.source)
            if text in seen:
                continue
            seen.add(text)
            proof = self._proved(text)
            if proof:
                return Edit(change.words, text)
            tried += proof is False
            if tried == PROVED:
                break
        return None

    def _may_hold(self, change: Change) -> bool:
        """Whether the statement agrees with the derived values when a change is made."""
        if change.probe is None or change.value is None:
            return True
        if change.probe not in self.probed:
            self.probed[change.probe] = self._with_probe(change.probe)
        statement = self.probed[change.probe]
        self.screened += 1
        return statement is not None and self.screen.allows(statement, self.probe[1], change.value)

    def _with_probe(self, text: str) -> Statement | None:
        try:
            return self.read(text, **{self.probe[0]: self.probe[1]})
        except (TexError, RecursionError):
            return None

    def _proved(self, text: str) -> bool | None:
        """Whether it is; None if the check was not even tried."""
        try:
            statement = self.read(text)
            if not self.screen.allows(statement):
                return None
            found: Finding = judge(statement, self.meant, self.directive)
        except (TexError, RecursionError):
            return None
        return found.verdict == "equal" and found.evidence == str(Grade.EXACT)
