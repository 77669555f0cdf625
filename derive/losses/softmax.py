"""Softmax (InfoNCE-type) losses as declarations.

A declaration is read by the symbolic side (which reduces it on a structure) and
by the torch side (which evaluates it on embeddings), so it names every
convention on which papers and libraries differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from sympy import Expr, S, Symbol

from ..decide.domain import DomainError
from ..frozen import FrozenValue
from ..structures.scheme import Scheme
from .pairwise import c
from .precondition import Precondition

tau = Symbol("tau", positive=True)


class SoftmaxTerm(FrozenValue):
    r"""One softmax cross-entropy, averaged over anchors and their positives.

    .. math:: -\operatorname{mean}_{u}\operatorname{mean}_{v \in P(u)}
              \log\frac{e^{u \cdot v/\tau}}{\sum_{w \in D(u)} e^{u \cdot w/\tau}}

    Parameters
    ----------
    coefficient
        Weight of the term in the loss, an expression such as ``1 - alpha``.
    positives
        Relations whose pairs are positives.
    denominator
        Relations summed in the denominator. ``"self"`` is the anchor with itself.
    weights
        What a pair of each relation of ``positives`` weighs in the mean over them, in their
        order; without, all pairs weigh the same. Only their ratios count.
    denominator_weights
        What the exponential of a pair of each relation of ``denominator`` is multiplied by, in
        their order; 1 without. Hard negatives count more, a debiased loss counts fewer.
    own_positive
        Whether every positive stands in a denominator of its own: it alone is added to the
        vectors of ``denominator``, and no other positive is there.
    """

    coefficient: Expr
    positives: tuple[str, ...]
    denominator: tuple[str, ...]
    weights: tuple[Expr, ...] = ()
    own_positive: bool = False
    denominator_weights: tuple[Expr, ...] = ()

    def in_denominator(self, relation: str) -> Expr:
        """What the exponential of a pair of a relation is multiplied by; 0 if it is not there."""
        if relation not in self.denominator:
            return S.Zero
        given = self.denominator_weights
        return given[self.denominator.index(relation)] if given else S.One

    def weight(self, relation: str) -> Expr:
        """What a pair of a relation weighs among the positives; 0 if it is none of them."""
        if relation not in self.positives:
            return S.Zero
        return self.weights[self.positives.index(relation)] if self.weights else S.One

    def total(self, scheme: Scheme) -> Expr:
        """What all positives of an anchor weigh together."""
        return sum((scheme.relation(r).count * self.weight(r) for r in self.positives), S.Zero)

    def shares(self, scheme: Scheme) -> dict[str, Expr]:
        """The share of each relation in the mean over the positives."""
        total = self.total(scheme)
        return {r: scheme.relation(r).count * self.weight(r) / total for r in self.positives}


class SoftmaxLoss(FrozenValue):
    """A sum of softmax terms at one temperature (``u.v / tau``, mean over anchors).

    ``others`` says what its symbols beside the temperature are. With a ``similarity``, an
    expression in the inner product ``c``, that stands in the place of ``u.v``: see
    :mod:`~cltheory.derive.losses.kernel`. Such a loss need not be convex in the Gram matrix, and
    whatever rests on that refuses it. One that is ``over_batches`` is their mean where each
    relation has one inner product: an anchor may lack the positives of a term, and what is in one
    logarithm here may be in several.
    """

    name: str
    title: str
    terms: tuple[SoftmaxTerm, ...]
    temperature: Expr
    source: str
    others: Mapping[Symbol, str] = field(default_factory=dict, compare=False)
    similarity: Expr | None = None
    over_batches: bool = False

    def similar(self, inner: Expr) -> Expr:
        """What stands over the temperature, for an inner product."""
        return inner if self.similarity is None else self.similarity.xreplace({c: inner})

    @property
    def meanings(self) -> dict[Symbol, str]:
        """What its symbols are."""
        heat = self.temperature
        own = (
            {heat: "temperature, by which inner products are divided"}
            if isinstance(heat, Symbol)
            else {}
        )
        return {**self.others, **own}

    def seen(self, kinds: Mapping[str, str]) -> SoftmaxLoss:
        """The loss of an anchor whose relations are of these kinds, which the terms name."""

        def spelled(t: SoftmaxTerm) -> SoftmaxTerm:
            pulls = tuple(r for r, kind in kinds.items() if kind in t.positives)
            pushes = tuple(r for r, kind in kinds.items() if kind in t.denominator)
            weights = tuple(t.weight(kinds[r]) for r in pulls) if t.weights else ()
            below = tuple(t.in_denominator(kinds[r]) for r in pushes)
            return replace(
                t,
                positives=pulls,
                denominator=pushes,
                weights=weights,
                denominator_weights=below if t.denominator_weights else (),
            )

        return replace(self, terms=tuple(map(spelled, self.terms)))

    def preconditions(self) -> Iterator[Precondition]:
        """What must hold before anything is proved from the declaration."""
        yield Precondition(self.temperature, True, f"the temperature {self.temperature}")

    def check_linear(self) -> None:
        """Refuse a loss that is not one of the inner products themselves.

        Raises
        ------
        DomainError
            One line.
        """
        if self.similarity is not None:
            raise DomainError(
                f"{self.name} has a similarity that is not the inner product, so it need not be "
                "convex in the Gram matrix; kernel-infonce has the optima that are known"
            )
