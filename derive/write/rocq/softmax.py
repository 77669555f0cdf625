"""A declared softmax loss for Rocq, and its gradient at one inner product per relation.

The library states such losses by what each relation weighs in a denominator and among the
positives; a relation is a pattern of which indices of two points agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from sympy import Expr, S, Symbol, exp

from ...losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...problems.problem import Problem
from ...structures.scheme import Scheme
from .terms import NotWritten, name, term

#: Axes on which a projection takes the mean, or what is left.
MEAN, CONTRAST, ALL = "Mean", "Contrast", "All"
Kinds = tuple[str, ...]


@dataclass(frozen=True)
class Declared:
    """A loss on a structure, and inner products by relation.

    Attributes
    ----------
    called
        What names in Rocq begin with.
    problem
        The loss and the structure.
    inner
        Inner products by relation.
    at
        Values that are put in for symbols.
    """

    called: str
    problem: Problem
    inner: Mapping[str, Expr]
    at: Mapping[Symbol, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        structure, loss = self.problem.structure, self.problem.loss
        if not isinstance(structure, Scheme):
            raise NotWritten("it has points of several kinds")
        if not isinstance(loss, SoftmaxLoss) or loss.similarity is not None:
            raise NotWritten("its loss is not a softmax loss of inner products")
        if any(t.own_positive for t in loss.terms):
            raise NotWritten("each positive has its own denominator")

    def put(self, e: Expr) -> Expr:
        """An expression with the values."""
        return e.xreplace(dict(self.at))

    # --- the declaration -------------------------------------------------------------------
    @property
    def scheme(self) -> Scheme:
        """The relations and eigenspaces."""
        return self.problem.scheme

    @property
    def loss(self) -> SoftmaxLoss:
        """The declaration."""
        assert isinstance(self.problem.loss, SoftmaxLoss)
        return self.problem.loss

    @cached_property
    def axes(self) -> tuple[Expr, ...]:
        """How many points there are along each index."""
        return tuple(map(self.put, self.scheme.axes))

    @cached_property
    def counts(self) -> dict[str, Expr]:
        """Partners of a point, by relation."""
        return {r.name: self.put(r.count) for r in self.scheme.relations}

    @cached_property
    def tau(self) -> Expr:
        """The temperature."""
        return self.put(self.loss.temperature)

    def weight(self, t: SoftmaxTerm) -> Expr:
        """What a term weighs."""
        return self.put(t.coefficient)

    def below(self, t: SoftmaxTerm) -> dict[str, Expr]:
        """What each relation weighs in the denominator."""
        found = {r: t.in_denominator(r) if r in t.denominator else S.Zero for r in self.counts}
        if not set(found.values()) <= {S.Zero, S.One}:
            raise NotWritten("what is in a denominator has another weight than 1")
        return found

    def pulls(self, t: SoftmaxTerm) -> dict[str, Expr]:
        """What each pair of a relation is of the mean over the positives."""
        total = t.total(self.scheme)
        return {
            r: self.put(t.weight(r) / total) if r in t.positives else S.Zero for r in self.counts
        }

    # --- at the inner products ----------------------------------------------------------------
    def partition(self, t: SoftmaxTerm) -> Expr:
        """The denominator of a term."""
        below = self.below(t)
        parts = (k * below[r] * exp(self.inner[r] / self.tau) for r, k in self.counts.items())
        return sum(parts, S.Zero)

    @cached_property
    def gradient(self) -> dict[str, Expr]:
        """The derivative in the entry of a pair, by relation, times the temperature."""
        found = dict.fromkeys(self.counts, S.Zero)
        for t in self.loss.terms:
            z, below, pulls = self.partition(t), self.below(t), self.pulls(t)
            for r in found:
                share = below[r] * exp(self.inner[r] / self.tau) / z
                found[r] += self.weight(t) * (share - pulls[r])
        return found

    @cached_property
    def level(self) -> Expr:
        """The product of the gradient with the inner products, by row."""
        parts = (k * self.gradient[r] * self.inner[r] for r, k in self.counts.items())
        return sum(parts, S.Zero)

    def eigenvalues(self, kinds: Kinds) -> dict[str, Expr]:
        """The eigenvalue of each relation on a product of means and contrasts."""
        found = dict.fromkeys(self.counts, S.Zero)
        for pattern, r in self.scheme.pattern.items():
            found[r] += prod(
                (
                    S.One if same else (size - 1 if kind == MEAN else -S.One)
                    for same, size, kind in zip(pattern, self.axes, kinds, strict=True)
                ),
                start=S.One,
            )
        return found

    def eigenvalue(self, kinds: Kinds) -> Expr:
        """The eigenvalue of the gradient on such a product."""
        values = self.eigenvalues(kinds)
        return sum((values[r] * g for r, g in self.gradient.items()), S.Zero)

    # --- text ------------------------------------------------------------------------------------
    @property
    def numbers(self) -> str:
        """The axes as natural numbers."""
        texts = (f"{a}%nat" if a.is_Integer else term(a) for a in self.axes)
        return f"[{'; '.join(texts)}]"

    @property
    def sizes(self) -> str:
        """The axes as real numbers."""
        return f"[{'; '.join(map(term, self.axes))}]"

    def by_pattern(self, values: Mapping[str, Expr]) -> str:
        """A function of which indices agree."""
        cases = [
            f"[{'; '.join('true' if same else 'false' for same in pattern)}] => {term(values[r])}"
            for pattern, r in self.scheme.pattern.items()
            if values[r] != 0
        ]
        return f"fun a => match a with {' | '.join([*cases, '_ => 0'])} end"

    def definitions(self, symbols: tuple[Symbol, ...] = ()) -> str:
        """The loss and the inner products, by which indices agree."""
        terms = [
            f"{{| weight := {term(self.weight(t))};\n"
            f"      denominator := {self.by_pattern(self.below(t))};\n"
            f"      positives := {self.by_pattern(self.pulls(t))} |}}"
            for t in self.loss.terms
        ]
        given = f" ({' '.join(map(name, symbols))} : R)" if symbols else ""
        every = ";\n    ".join(terms)
        return (
            f"Definition {self.called}_terms{given} : list term :=\n  [ {every} ].\n"
            f"Definition {self.called}_inner{given} : list bool -> R :=\n"
            f"  {self.by_pattern(self.inner)}."
        )


def listed(kinds: Kinds) -> str:
    """A product of means and contrasts as a list of Rocq."""
    return f"[{'; '.join(kinds)}]"
