"""Steps and derivations: a statement, why it follows, and the evidence that it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sympy import Basic, Expr, Symbol, Tuple

from ..decide.domain import Domain
from ..decide.evidence import Evidence, Holds, Outcome, weakest
from ..errors import Unproved
from ..frozen import Frozen
from .hooks import Shown
from .relations import eq
from .statement import Lemma, Relations, Statement, decided

#: What the name of a lemma stands after, where a step follows by it.
BY = "by the lemma '"


class StepFailed(Unproved, AssertionError):
    """A step of a derivation does not hold; the derivation is not built."""


class Step(Frozen, Shown):
    """One link of a derivation.

    Attributes
    ----------
    title
        What is stated, in words.
    says
        The same as data: what is printed and what was decided.
    because
        Why it follows from the steps before.
    evidence
        How that was checked when the derivation was built.
    lemma
        The inference in words that it uses, if it uses one.
    """

    title: str
    says: Statement
    because: str
    evidence: Evidence
    lemma: Lemma | None = None

    @property
    def statement(self) -> Basic:
        """What is printed."""
        return self.says.shown

    @property
    def why(self) -> str:
        """Why it follows, as words behind the statement."""
        alone = self.because.startswith(("so ", BY))
        return self.because if alone else f"because {self.because}"

    def __str__(self) -> str:
        return f"{self.title}  [{self.evidence.grade}]\n    {self.statement}\n    {self.why}"

    def __repr__(self) -> str:
        return f"<Step: {self.title} [{self.evidence.grade}]>"


class Derivation(Shown):
    """A list of steps that were checked, in order, while it was built."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, k: int) -> Step:
        return self.steps[k]

    def __str__(self) -> str:
        return "\n".join(f"{k}. {step.title}" for k, step in enumerate(self.steps))

    @property
    def evidence(self) -> Evidence:
        """The weakest link."""
        return weakest(s.evidence for s in self.steps)

    def add(self, title: str, says: Statement, because: str | Lemma) -> Step:
        """Decide a statement and append it as a step.

        Parameters
        ----------
        because
            Why it follows from the steps before, or the lemma that says so; a statement that a
            lemma concludes brings its own.

        Raises
        ------
        StepFailed
            If the statement, or what it is concluded from, is refuted or not decided.
        """
        outcome = decided(says)
        if not isinstance(outcome, Holds):
            raise StepFailed(f"{title}: {outcome}")
        lemma = because if isinstance(because, Lemma) else says.lemma
        known = weakest([outcome.evidence, *([lemma.evidence] if lemma is not None else [])])
        words = because if isinstance(because, str) else ""
        step = Step(title, says, ", ".join(filter(None, (words, self._by(lemma)))), known, lemma)
        self.steps.append(step)
        return step

    def _by(self, lemma: Lemma | None) -> str:
        """The lemma that is used, with what it says where it is used first."""
        if lemma is None:
            return ""
        known = any(step.lemma is lemma for step in self.steps)
        return f"{BY}{lemma.name}'" + ("" if known else f": {lemma.says.rstrip('.')}")

    def holds(
        self,
        title: str,
        relations: Basic | Iterable[Basic],
        because: str | Lemma,
        domain: Domain,
        *,
        names: Mapping[Symbol, Expr] | None = None,
        premises: Iterable[Statement | Outcome] = (),
    ) -> Step:
        """Append relations that hold everywhere on a domain; see :class:`Relations`."""
        shown = relations if isinstance(relations, Basic) else Tuple(*relations)
        says = Relations(shown, domain, premises=tuple(premises), names=names or {})
        return self.add(title, says, because)

    def equal(
        self,
        title: str,
        values: Mapping[str, tuple[Expr, object]],
        because: str | Lemma,
        domain: Domain,
        *,
        also: Iterable[Basic] = (),
    ) -> Step:
        """Append equations: by name, an expression as it is found and what it is equal to.

        Parameters
        ----------
        also
            More relations, in which the names stand for the expressions.
        """
        shown = [*(eq(name, value) for name, (_, value) in values.items()), *also]
        names = {Symbol(name): found for name, (found, _) in values.items()}
        alone = shown[0] if len(shown) == 1 else shown
        return self.holds(title, alone, because, domain, names=names)

    def __repr__(self) -> str:
        grade = f", {self.evidence.grade}" if self.steps else ""
        return f"<Derivation: {len(self.steps)} steps{grade}>"
