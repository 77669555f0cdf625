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
from .declared import listed
from .softmax import Softmax
from .terms import NotWritten, term


class BatchSoftmax(Softmax):
    """The mean of a softmax loss over all batches, whose positives count alike."""

    unfolded = ("batch_gradient", "partition")
    fields = "weight denominator positives in_batch shares"
    library = ("batch_loss", "batch_gradient")
    smooth = "alike_smooth _ _ _ _ _ ranges_ _ _ _ ok nested_"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._problem.draw.law is not None:
            raise NotWritten("batches differ in how many instances of a class they have")
        for pattern, relation in self.scheme.pattern.items():
            first = pattern.index(False) if False in pattern else None
            if relation != self._differing(first):
                raise NotWritten("its relations are not those of a hierarchy")
        if not 0 < len(self.drawn) <= 2 <= len(self.axes):
            raise NotWritten("its batches are not of classes and their instances")

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
    def inside(self) -> tuple[Expr, ...]:
        """How many indices are in a batch along each axis."""
        counts = {r.name: r.count for r in self.seen.relations}
        found: list[Expr] = []
        size: Expr = counts["self"]
        for k in reversed(range(len(self.axes))):
            found.insert(0, (1 + counts[self._differing(k)] / size).cancel())
            size = (size * found[0]).cancel()
        return tuple(map(self.put, found))

    @cached_property
    def drawn(self) -> tuple[Expr, ...]:
        """The same, up to the last axis along which not all are."""
        fewer = [k for k, n in enumerate(self.axes) if (self.inside[k] - n).expand() != 0]
        return self.inside[: max(fewer, default=-1) + 1]

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
        """The classes and instances in a batch, of real numbers where the sizes are."""
        text = listed(map(term, self.inside[:2]))
        return text if sizes == self.sizes else f"(map INR {text})"

    def anchor_sizes(self, sizes: str) -> str:
        """The sizes of a batch."""
        return f"(in_batch {sizes} {self._draws(sizes)})"

    def loss_of(self, terms: str) -> str:
        """The mean over batches, for sizes that are natural numbers."""
        draws = listed(map(term, self.drawn))
        return f"(batch_loss {self.numbers} {draws} {self.tau_text} {terms})"

    def given(self, sizes: str) -> str:
        """The sizes, the numbers that are drawn, and the temperature."""
        return f"{sizes} {self._draws(sizes)} {self.tau_text}"

    def prepared(self, terms: str, inner: str) -> list[str]:
        """How the batches are drawn, and that other instances and other classes are alike."""
        (m, n, *rest), (c, k) = map(term, self.axes), map(term, self.inside[:2])
        given = f"{m} {n} {listed(rest)} {c} {k} ranges_ {self.tau_text} {terms}"
        return [
            f"assert (ranges_ : (1 <= {c} <= {m})%nat /\\ (1 <= {k} <= {n})%nat) by lia.",
            *self.alike(inner, f"In t_ {terms}"),
            f"rewrite (alike_mean {given} {listed(map(term, self.drawn))} eq_refl).",
        ]

    def alike(self, inner: str, among: str) -> list[str]:
        """That other instances of a class are alike to an anchor, and so are other classes."""
        nested = f"nested {self.numbers}"
        return [
            f"assert (nested_ : {nested} {inner} /\\ forall t_, {among} ->",
            f"  {nested} (denominator t_) /\\ {nested} (positives t_)).",
            "{ split; [nest | intros t_ I_; each_term I_; cbn [denominator positives];",
            "  split; nest]. }",
        ]
