"""Means of softmax losses over all batches, for Rocq: the loss in one, and how it is drawn.

Every batch is composed alike here: so many indices are drawn along each of the outer axes. So the
loss of an anchor is that of a smaller structure, and a pair weighs the fraction of the batches with
its first point that have the second, too.
"""

from __future__ import annotations

from functools import cached_property

from sympy import Expr

from ...losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...optimum.reduce import ReducedLoss
from ...problems.batches import BatchProblem
from ...structures.scheme import Scheme
from .softmax import Softmax
from .terms import NotWritten, term


class BatchSoftmax(Softmax):
    """The mean of a softmax loss over all batches, whose positives count alike."""

    unfolded = ("batch_gradient", "partition")
    fields = "weight denominator positives in_batch shares part"
    library = ("batch_loss", "batch_gradient")
    smooth = "alike_smooth _ _ drawn_ _ _ _ ok nested_"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._problem.draw.law is not None:
            raise NotWritten("batches differ in how many instances of a class they have")
        for pattern, relation in self.scheme.pattern.items():
            first = pattern.index(False) if False in pattern else None
            if relation != self._differing(first):
                raise NotWritten("its relations are not those of a hierarchy")

    def _differing(self, axis: int | None) -> str:
        """The relation of two points that differ along one axis only."""
        return self.scheme.pattern[tuple(k != axis for k in range(len(self.scheme.axes)))]

    @property
    def _problem(self) -> BatchProblem:
        assert isinstance(self.problem, BatchProblem)
        return self.problem

    @property
    def seen(self) -> Scheme:
        """What an anchor sees in a batch."""
        return self._problem.draw.drawn

    @cached_property
    def drawn(self) -> tuple[Expr, ...]:
        """How many indices are drawn along each axis, up to the last along which not all are."""
        counts = {r.name: r.count for r in self.seen.relations}
        found: list[Expr] = []
        size: Expr = counts["self"]
        for k in reversed(range(len(self.axes))):
            here = 1 + counts[self._differing(k)] / size
            if found or self.put(here - self.axes[k]).expand() != 0:
                found.insert(0, self.put(here).cancel())
            size = (size * here).cancel()
        return tuple(found)

    @cached_property
    def reduced(self) -> ReducedLoss:
        """The mean of the loss, where each relation has one inner product."""
        loss = self._problem.on_all_data({}).loss
        assert isinstance(loss, SoftmaxLoss)
        return ReducedLoss(loss, self.scheme)

    # --- text ------------------------------------------------------------------------------------
    def above(self, t: SoftmaxTerm) -> dict[str, Expr]:
        """What the positives weigh, of which the mean is over those in a batch."""
        return {r: self.put(t.weight(r)) for r in self.counts}

    def _draws(self, sizes: str) -> str:
        """The numbers that are drawn, of real numbers where the sizes are."""
        text = f"[{'; '.join(map(term, self.drawn))}]"
        return text if sizes in (self.sizes, self.numbers) else f"(map INR {text})"

    def anchor_sizes(self, sizes: str) -> str:
        """The sizes of a batch."""
        return f"(in_batch {sizes} {self._draws(sizes)})"

    def given(self, sizes: str) -> str:
        """The sizes, the numbers that are drawn, and the temperature."""
        return f"{sizes} {self._draws(sizes)} {self.tau_text}"

    def prepared(self, terms: str, inner: str) -> list[str]:
        """That the batches can be drawn, that what is not together at an axis is one relation."""
        sizes = f"{self.numbers} {self._draws(self.numbers)}"
        both = f"nested {sizes} (denominator t_) /\\ nested {sizes} (positives t_)"
        return [
            f"assert (drawn_ : drawn {sizes}) by (simpl; lia).",
            f"assert (nested_ : nested {sizes} {inner} /\\ (forall t_, In t_ {terms} -> {both})).",
            "{ split; [nest | intros t_ I_; each_term I_; cbn [denominator positives];",
            "  split; nest]. }",
            f"rewrite (alike_mean {self.numbers} {self._draws(self.numbers)} one drawn_).",
        ]
