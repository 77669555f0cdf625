"""Steps and derivations: a statement, why it follows, and the evidence that it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sympy import Basic, Expr

from .decide import all_zero, positive, zero
from .domain import Domain
from .evidence import Evidence, Grade, Holds, Outcome, weakest


class StepFailed(AssertionError):
    """A step of a derivation does not hold; the derivation is not built."""


@dataclass(frozen=True, eq=False)
class Step:
    """One link of a derivation.

    Attributes
    ----------
    title
        What is stated, in words.
    statement
        The same as a SymPy object.
    because
        Why it follows from the steps before.
    evidence
        How that was checked when the derivation was built.
    """

    title: str
    statement: Basic
    because: str
    evidence: Evidence

    def _repr_latex_(self) -> str:
        from ..display import step_latex

        return step_latex(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from ..display import chosen, step_bundle

        return chosen(step_bundle(self), include, exclude)


class Derivation:
    """A list of steps that were checked, in order, while it was built."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def evidence(self) -> Evidence:
        """The weakest link."""
        return weakest(s.evidence for s in self.steps)

    def add(self, title: str, statement: Basic, because: str, outcome: Outcome) -> Basic:
        """Append a checked step and return its statement.

        Raises
        ------
        StepFailed
            If the check refuted the step or could not decide it.
        """
        if not isinstance(outcome, Holds):
            raise StepFailed(f"{title}: {outcome}")
        self.steps.append(Step(title, statement, because, outcome.evidence))
        return statement

    def equal(
        self, title: str, left: Expr, right: Expr, because: str, domain: Domain, shown: Basic
    ) -> Basic:
        """Append a step that holds because ``left - right`` vanishes identically."""
        return self.add(title, shown, because, zero(left - right, domain))

    def zero(
        self, title: str, parts: Iterable[Expr], because: str, domain: Domain, shown: Basic
    ) -> Basic:
        """Append a step that holds because every part vanishes identically."""
        return self.add(title, shown, because, all_zero(list(parts), domain))

    def positive(
        self,
        title: str,
        parts: Iterable[Expr],
        because: str,
        domain: Domain,
        shown: Basic,
        *,
        strict: bool = True,
    ) -> Basic:
        """Append a step that holds because every part is > 0 (>= 0) on the domain."""
        found = [positive(part, domain, strict=strict) for part in parts]
        failed = [o for o in found if not isinstance(o, Holds)]
        return self.add(title, shown, because, failed[0] if failed else _strongest_common(found))

    def __repr__(self) -> str:
        grade = f", {self.evidence.grade}" if self.steps else ""
        return f"<Derivation: {len(self.steps)} steps{grade}>"

    def _repr_latex_(self) -> str:
        from ..display import derivation_latex

        return derivation_latex(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from ..display import chosen, derivation_bundle

        return chosen(derivation_bundle(self), include, exclude)


def _strongest_common(outcomes: Iterable[Outcome]) -> Holds:
    return Holds(weakest(o.evidence for o in outcomes if isinstance(o, Holds)))


def by_construction(how: str) -> Holds:
    """Evidence for a step that only unfolds a definition that the code itself made."""
    return Holds(Evidence(Grade.EXACT, how))
