r"""A step of a derivation as a paragraph of a proof: what is stated, the formula, why it follows.

What stands in a formula and was not met before is said what it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Basic, Indexed, Limit, Symbol

from ...decide.root import ClampedRoot
from ...frozen import FrozenValue
from ...proof.derivation import BY, Step
from ...proof.statement import Lemma
from ..layout.displays import NUMBER, Shown, shown
from ..layout.statement import without_evident
from .notation import Notation


class Paragraph(FrozenValue):
    """Words before a formula, the formula, words after it.

    Attributes
    ----------
    before, after
        Sentences; those before lead to the formula, if there is one.
    formula
        What is displayed.
    lemma
        The lemma that is cited.
    """

    before: str
    formula: Shown | None = None
    after: str = ""
    lemma: Lemma | None = None


class Teller:
    """Tells the steps of one derivation, each after those before it."""

    def __init__(self, notation: Notation, met: set[str]):
        self.notation = notation
        self.met = met | notation.tabulated
        self._sums: dict[str, Symbol] = {}

    def tell(self, step: Step) -> Paragraph:
        """A step as a paragraph; names that are new in it are said what they are."""
        formula = self._show(step)
        title = step.title
        for name in self._unknown(step):  # is written out
            title = title.replace(f" of {name} ", " ")
        before = self._within(step, self.notation.sentence(title))
        if formula is not None:
            factor = "; up to a positive factor," if formula.signs else ":"
            before = f"{before[:-1]}{factor}"
        new = self._introduced(step, formula) if formula is not None else []
        return Paragraph(" ".join([*new, before]), formula, self._because(step), step.lemma)

    def _show(self, step: Step) -> Shown | None:
        domain = step.says.domain
        left = without_evident(self._named(step), domain)
        if left is None:
            return None
        room = self.notation.room - NUMBER
        return shown(left, domain, self.notation.symbol, room=room, keep=self._sums)

    def _named(self, step: Step) -> Basic:
        """What a step displays: roots by name, and limits of what has no name written out."""
        statement = step.says.displayed
        roots = {root: self._root(root) for root in statement.atoms(ClampedRoot)}
        limits = {
            at: Limit(step.says.names[at.args[0]], *at.args[1:])
            for at in statement.atoms(Limit)
            if at.args[0] in self._unknown(step)
        }
        return statement.xreplace({**roots, **limits})

    def _unknown(self, step: Step) -> set[Symbol]:
        """Names in limits that mean nothing outside the step."""
        found = {at.args[0] for at in step.statement.atoms(Limit)}
        return {s for s in found if not self.notation.is_known(s)}

    def _root(self, root: ClampedRoot) -> Symbol:
        known = self.notation.roots
        return known[root].symbol if root in known else self.notation.root(root)

    def _within(self, step: Step, said: str) -> str:
        """A sentence, with the part of the domain that the step is about."""
        where = self.notation.within(step.says.domain)
        if not where or where.lower().replace(" ", "") in said.lower().replace(" ", ""):
            return said
        start = f"{where[:1].upper()}{where[1:]}"
        if not said[:2].isalpha():
            return f"{start.rstrip()}: {said}"
        return f"{start}{said[:1].lower()}{said[1:]}"

    def _introduced(self, step: Step, formula: Shown) -> list[str]:
        """Sentences about names in a step that were not met."""
        said = []
        ranges = step.says.domain.ranges
        written = {s for node in formula.nodes for s in node.symbols}
        for s in sorted(written, key=str):
            if s.name in self.met:
                continue
            self.met.add(s.name)
            meaning = "" if s.name == "y" and s in ranges else self.notation.introduced(s.name)
            if meaning:
                said.append(f"Let ${self.notation.symbol(s)}$ be {meaning}.")
            elif s in ranges:
                said.append(f"Let ${self.notation.range(s, ranges[s])}$.")
        return [*said, *self._entries(step, written)]

    def _entries(self, step: Step, written: Iterable[Symbol | Indexed]) -> list[str]:
        """Sentences about what has indices, one for all entries."""
        said = []
        entries = (s for s in written if isinstance(s, Indexed))
        for s in sorted(entries, key=lambda s: (not all(k.is_Symbol for k in s.indices), str(s))):
            family = f"{s.base}["
            if family in self.met or any(name.startswith(f"{s.base}_") for name in self.met):
                continue
            self.met.add(family)
            name, stands_for = self.notation.symbol(s), step.says.names.get(s)
            if stands_for is not None:
                said.append(f"Let ${name} = {self.notation.expression(stands_for)}$.")
                continue
            sign = "> 0" if s.is_positive else r"\ge 0" if s.is_nonnegative else r"\in \mathbb{R}"
            said.append(f"Let ${name} {sign}$.")
        return said

    def _because(self, step: Step) -> str:
        """Why, without the lemma, which is cited."""
        why = step.because.partition(BY)[0].rstrip(", ")
        return self.notation.sentence(why) if why else ""
