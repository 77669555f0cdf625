"""Softmax losses for Rocq: what each relation weighs in a denominator and among the positives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from sympy import Expr, S, exp

from ...losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...optimum.reduce import ReducedLoss
from ...structures.scheme import Scheme
from .declared import Declared, Defined
from .terms import PRODUCT, NotWritten, term


class SoftmaxTerms(Defined):
    """The terms of a softmax loss: what each weighs, its denominator and its positives."""

    fields = "weight denominator positives"
    kind = "term"

    @property
    def loss(self) -> SoftmaxLoss:
        """The declaration."""
        assert isinstance(self.problem.loss, SoftmaxLoss)
        return self.problem.loss

    @cached_property
    def tau(self) -> Expr:
        """The temperature."""
        return self.put(self.loss.temperature)

    @cached_property
    def tau_text(self) -> str:
        """The same as a term."""
        if any(s.is_integer for s in self.tau.free_symbols):
            raise NotWritten("the temperature depends on a size")
        return term(self.tau, None, 3)

    def weight(self, t: SoftmaxTerm) -> Expr:
        """What a term weighs."""
        return self.put(t.coefficient)

    @property
    def names(self) -> Mapping[Any, str]:
        """What the loss calls each relation."""
        raise NotImplementedError

    def below(self, t: SoftmaxTerm) -> dict[Any, Expr]:
        """What each relation weighs in the denominator."""
        found = {r: t.in_denominator(k) for r, k in self.names.items()}
        if not set(found.values()) <= {S.Zero, S.One}:
            raise NotWritten("what is in a denominator has another weight than 1")
        return found

    def above(self, t: SoftmaxTerm) -> dict[Any, Expr]:
        """What is written of the positives of a term."""
        raise NotImplementedError

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms of the loss."""
        weight, denominator, positives, *_ = self.fields.split()
        return tuple(
            f"{{| {weight} := {term(self.weight(t))};\n"
            f"      {denominator} := {self.by_pattern(self.below(t))};\n"
            f"      {positives} := {self.by_pattern(self.above(t))} |}}"
            for t in self.loss.terms
        )

    def convex_proof(self, known: str, partition: str) -> list[str]:
        """That it is convex, field by field."""
        return [
            f"constructor; [{known} | | |].",
            f"{{ intros t_ I_; each_term I_; cbn [weight]; {known}. }}",
            "{ intros t_ a_ I_; each_term I_; cbn [denominator]; each_case; lra. }",
            f"intros t_ I_; each_term I_; unfold partition_by; {partition}.",
        ]


class Softmax(SoftmaxTerms, Declared):
    """A softmax loss whose positives share a denominator."""

    unfolded: ClassVar[tuple[str, ...]] = ("gradient", "gradient_by", "partition_by")
    smooth = "softmax_smooth _ _ _ _ ok"
    valued = "value_by"
    library = ("loss", "gradient")
    #: Whether each positive has its own denominator.
    own: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        loss = self.problem.loss
        if not isinstance(loss, SoftmaxLoss) or loss.similarity is not None:
            raise NotWritten("its loss is not a softmax loss of inner products")
        if loss.over_batches:
            raise NotWritten("it stands for a mean over batches")
        if any(t.own_positive != self.own for t in loss.terms):
            raise NotWritten("some positives have their own denominator, and others share one")

    @property
    def names(self) -> Mapping[str, str]:
        """What the loss calls each relation."""
        return {r: r for r in self.counts}

    @property
    def seen(self) -> Scheme:
        """The structure with the numbers of partners that are in the loss of an anchor."""
        return self.scheme

    def above(self, t: SoftmaxTerm) -> dict[str, Expr]:
        """What each pair of a relation is of the mean over the positives."""
        total = t.total(self.seen)
        return {r: self.put(t.weight(r) / total) for r in self.counts}

    @cached_property
    def reduced(self) -> ReducedLoss:
        """The loss of one anchor for all."""
        return ReducedLoss(self.loss, self.seen)

    # --- text ------------------------------------------------------------------------------------
    @property
    def scale(self) -> str:
        """What the gradient, which is times the temperature, is to be multiplied by."""
        return f"/ {self.tau_text}"

    def given(self, sizes: str) -> str:
        """The sizes and the temperature."""
        return f"{sizes} {self.tau_text}"

    @cached_property
    def spelled(self) -> dict[str, Expr]:
        """Exponentials as they stand in the goals."""
        tau = term(self.tau, None, PRODUCT + 1)
        return {
            f"exp ({term(h, None, PRODUCT)} / {tau})": exp(h / self.tau)
            for r, h in self.inner.items()
            if any(self.below(t)[r] or (self.own and self.above(t)[r]) for t in self.loss.terms)
        }

    # --- convexity ----------------------------------------------------------------------------
    def anchor_sizes(self, sizes: str) -> str:
        """The sizes of what is in the loss of an anchor."""
        return sizes

    @property
    def weights(self) -> list[Expr]:
        """What its terms weigh."""
        return [self.weight(t) for t in self.loss.terms]

    def convex(self, sizes: str, terms: str, inner: str) -> str:
        """What is to be known of them."""
        return f"convex {self.anchor_sizes(sizes)} {self.tau_text} {terms} {inner}"


class OwnSoftmax(Softmax):
    """One in which each positive has a denominator of its own."""

    unfolded = ("own_gradient", "partition")
    cleared = ("rewrite ?Rmult_0_l, ?Rmult_0_r, ?Rplus_0_l, ?Rplus_0_r.",)
    smooth = "own_smooth _ _ _ _ (proj1 ok) (proj2 ok)"
    valued = "own_value"
    library = ("own_loss", "own_gradient")
    own = True

    @property
    def weights(self) -> list[Expr]:
        """What its terms weigh, and their positives."""
        values = (v for t in self.loss.terms for v in self.above(t).values() if v != 0)
        return [*super().weights, *dict.fromkeys(values)]

    def convex(self, sizes: str, terms: str, inner: str) -> str:
        """What is to be known of them."""
        more = f"forall term_ a_, In term_ {terms} -> 0 <= positives term_ a_"
        return f"{super().convex(sizes, terms, inner)} /\\ ({more})"

    def convex_proof(self, known: str, partition: str) -> list[str]:
        """Its proof, of which the second part goes through all patterns."""
        return [
            "split.",
            "{",
            *super().convex_proof(known, partition),
            "}",
            f"intros t_ a_ I_; each_term I_; cbn [positives]; each_case; first [lra | {known}].",
        ]
