"""What a step says, as data: the object that is printed is the object that is decided.

A statement holds what is shown, and decides that very object; nothing else is passed to the
check. So a statement whose shown part is changed by hand or by machine is decided anew, and
a false one does not get into a derivation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Self

from sympy import Basic, Eq, Expr, Ge, Gt, Indexed, Le, Lt, Symbol, Tuple

from ..decide.decide import all_zero, positive
from ..decide.domain import Domain
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Undecided, weakest
from ..frozen import Frozen, FrozenValue
from ..language.typed import typed
from .relations import put_in

#: Relations as (which side is larger, whether strictly).
ORDER = {Gt: (1, True), Ge: (1, False), Lt: (-1, True), Le: (-1, False)}


class Lemma(FrozenValue):
    """An inference that is made in words: what it says, and its proof.

    What it needs is given to the statement that applies it, and decided at each use.

    Attributes
    ----------
    name
        Plain text.
    statement, proof
        In LaTeX, with its hypotheses, as they stand in a paper.
    grade
        What a step is at most that uses it: exact where the inference is short or in the
        literature, argued where its proof is neither.
    """

    name: str
    statement: str
    proof: str
    grade: Grade = Grade.EXACT

    @property
    def says(self) -> str:
        """The statement as plain text."""
        return typed(self.statement)

    @property
    def evidence(self) -> Evidence:
        """The grade, and where it comes from."""
        return Evidence(self.grade, f"the lemma '{self.name}' is proved in words")

    @property
    def label(self) -> str:
        """What it is referred to by in LaTeX."""
        return "lem:" + self.name.lower().replace(" ", "-")


class Statement(Frozen, ABC):
    """A statement about all points of a domain.

    Attributes
    ----------
    shown
        What is printed, and what :meth:`decide` decides.
    domain
        Where it is meant.
    premises
        What it is concluded from, which has to hold too and is not printed with it.
    lemma
        The inference in words by which it follows from that.
    names
        What a name in it stands for: ``{Symbol("V_W"): expression}``. It comes from elsewhere
        than the other side of an equation, or the equation would say nothing; and it is not
        written like a symbol of the domain.
    """

    shown: Basic
    domain: Domain
    premises: tuple[Statement | Outcome, ...] = field(default=(), kw_only=True)
    lemma: Lemma | None = field(default=None, kw_only=True)
    names: Mapping[Symbol | Indexed, Expr] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def decide(self) -> Outcome:
        """Whether what is shown holds."""

    @property
    def displayed(self) -> Basic:
        """What a proof displays, where that has labels that what is decided lacks."""
        return self.shown

    @property
    def real(self) -> Basic | None:
        """The same as relations of real numbers with its names put in, if that is all it is."""
        return None

    @property
    def limit(self) -> tuple[Expr, Symbol, Expr, Expr] | None:
        """What converges, with which symbol, to which point, and its limit, if it is one."""
        return None

    @property
    def monotone(self) -> tuple[Expr, Symbol] | None:
        """What increases or decreases, and with which symbol, if it says that of something."""
        return None

    @property
    def structure(self) -> object | None:
        """The structure whose relations it introduces, if it does."""
        return None

    def saying(self, shown: Basic) -> Self:
        """The same kind of statement, saying something else."""
        return replace(self, shown=shown)


class Relations(Statement):
    """Equations and inequalities, each of which holds everywhere on the domain."""

    def decide(self) -> Outcome:
        """Whether each of them is proved."""
        relations = list(each(self.shown))
        if not relations or not all(type(r) in (Eq, *ORDER) for r in relations):
            return Undecided(f"{self.shown} is not a relation")
        if {s.name for s in self.names} & {s.name for s in self.domain.ranges}:
            return Undecided("a name is written like a symbol of the domain")
        gaps = [self._meaning(r.args[0]) - self._meaning(r.args[1]) for r in relations]
        equal = [gap for gap, r in zip(gaps, relations, strict=True) if type(r) is Eq]
        found = [all_zero(equal, self.domain)] if equal else []
        for gap, r in zip(gaps, relations, strict=True):
            if type(r) is not Eq:
                sign, strict = ORDER[type(r)]
                found.append(positive(sign * gap, self.domain, strict=strict))
        return every(found)

    @property
    def real(self) -> Basic:
        """What is shown, with what the names stand for."""
        return put_in(self.shown, self.names)

    def _meaning(self, side: Expr) -> Expr:
        return side.xreplace(dict(self.names))


def decided(premise: Statement | Outcome) -> Outcome:
    """The outcome of a statement and all it is concluded from, or one that was found elsewhere."""
    if not isinstance(premise, Statement):
        return premise
    in_words = [Holds(premise.lemma.evidence)] if premise.lemma is not None else []
    return every([*(decided(p) for p in premise.premises), premise.decide(), *in_words])


def every(outcomes: Iterable[Outcome]) -> Outcome:
    """The first that does not hold, or else that all do, by the weakest evidence."""
    found = list(outcomes)
    failed = next((o for o in found if not isinstance(o, Holds)), None)
    return failed or Holds(weakest(o.evidence for o in found if isinstance(o, Holds)))


def each(shown: Basic) -> Iterator[Basic]:
    """The relations of a statement, one after another."""
    if isinstance(shown, Tuple):
        for part in shown.args:
            yield from each(part)
    else:
        yield shown
