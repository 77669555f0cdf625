"""Batches drawn from a structure: what an anchor sees of it in one of them.

All views of an instance are in a batch or none. The sizes of the structure say which Gram matrices
there are; how many partners an anchor has in a relation is another thing, and in a batch random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr, S, Symbol

from ..decide.domain import Domain, Range, at_least
from ..decide.expectation import K, expectation
from ..frozen import Frozen
from .hierarchy import VIEWS, hierarchy, m, n, p
from .scheme import Scheme
from .towers import NEGATIVE, N, towers

B = Symbol("B", integer=True, positive=True)
#: Of a balanced batch.
C = Symbol("C", integer=True, positive=True)
k = Symbol("k", integer=True, positive=True)


class Draw(Frozen):
    """A way to draw batches of instances.

    Attributes
    ----------
    sampling
        Its name: ``uniform`` or ``balanced``.
    whole, drawn
        The structure; and the same with the numbers of partners that an anchor has in a batch,
        which may depend on the number :data:`~..decide.expectation.K` of others of its class.
    law
        Of the instances beside the anchor's: how many are of its class, how many are drawn, and
        how many there are. None where every batch is composed alike.
    others
        How many instances of other classes are in a batch.
    ranges, witness
        Values that the numbers of a batch may have.
    says
        In words; formulas in LaTeX stand between dollars.
    convention
        What is done with an anchor that is alone in its class, where a convention was chosen: a
        name in :data:`~..losses.alone.ALONE`.
    """

    sampling: str
    whole: Scheme
    drawn: Scheme
    law: tuple[Expr, Expr, Expr] | None
    others: Expr
    ranges: Mapping[Symbol, Range]
    witness: Mapping[Symbol, int]
    says: tuple[str, ...]
    convention: str = ""

    def mean(self, body: Expr, low: int, high: Expr) -> Expr:
        """The mean over batches of what depends on K, which is zero unless K in [low, high]."""
        return body if self.law is None else expectation(body, *self.law, low, high)

    def within(self, domain: Domain) -> Domain:
        """A domain of sizes and of a loss, with the numbers of a batch."""
        ranges = {**domain.ranges, **self.ranges}
        return Domain(ranges, {**domain.witness, **self.witness})

    def alone(self) -> Scheme:
        """What an anchor sees that is alone in its class."""
        counted = [replace(r, count=r.count.xreplace({K: S.Zero})) for r in self.drawn.relations]
        return replace(self.drawn, relations=tuple(counted))


def up_to(most: Expr, why: str) -> Range:
    """Two or more, and not more than there are."""
    return replace(at_least(2, why), high=most, high_open=False)


def _draw(
    sampling: str,
    whole: Scheme,
    counts: Mapping[str, Expr],
    others: Expr,
    law: tuple[Expr, Expr, Expr] | None,
    ranges: Mapping[Symbol, Range],
    witness: Mapping[Symbol, int],
    meanings: Mapping[Symbol, str],
    *says: str,
) -> Draw:
    """Batches in which an anchor has so many instances in some relations, with all views."""
    drawn = replace(
        whole,
        size=(1 + sum(counts.values())).expand() * p,
        relations=tuple(
            replace(r, count=counts[r.name] * p if r.name in counts else r.count)
            for r in whole.relations
        ),
        meanings={**whole.meanings, **meanings},
        axes=(),
    )
    return Draw(sampling, whole, drawn, law, others, ranges, witness, says)


def _classes(same: Expr, other: Expr, law: tuple[Expr, Expr, Expr] | None, *more: Any) -> Draw:
    """Batches in which an anchor has so many others of its class, and so many of other classes."""
    counts = {"same_class": same, "cross_class": other}
    return _draw("uniform" if law else "balanced", hierarchy(), counts, other, law, *more)


def instances_alone(other: str) -> Draw:
    """Batches of B of n instances that have no classes; ``other`` is the relation of two."""
    return _draw(
        "uniform",
        hierarchy(VIEWS, (n, other, "instances")),
        {other: B - 1},
        B - 1,
        None,
        {B: up_to(n, "a batch is drawn from the n instances")},
        {B: 2},
        {B: "instances in a batch"},
        "the mean is over all batches of $B$ of the $n$ instances, with all views",
    )


#: B of the m n instances, all sets of B alike.
UNIFORM = _classes(
    K,
    B - 1 - K,
    (n - 1, B - 1, m * n - 1),
    {B: up_to(m * n, "a batch is drawn from the m n instances")},
    {B: 3},
    {B: "instances in a batch"},
    "the mean is over all batches of $B$ of the $m n$ instances, with all views",
    (
        "$K$ of the others in a batch are of the anchor's class: hypergeometric, $B - 1$ draws "
        "from $m n - 1$ instances, $n - 1$ of them of its class"
    ),
)
#: k instances of each of C classes, all such sets alike.
BALANCED = _classes(
    k - 1,
    (C - 1) * k,
    None,
    {
        C: up_to(m, "a batch has at most the m classes there are"),
        k: up_to(n, "a batch has at least two instances of a class, at most all n"),
    },
    {C: 2, k: 2},
    {C: "classes in a batch", k: "instances of each of them"},
    "the mean is over all batches of $k$ instances of each of $C$ classes, with all views",
)
#: B of the N items, with the vectors of both towers.
PAIRS = Draw(
    "uniform",
    towers(),
    replace(towers(items=B), meanings={**towers().meanings, B: "items in a batch"}, axes=()),
    None,
    B - 1,
    {B: up_to(N, "a batch is drawn from the N items")},
    {B: 2},
    ("the mean is over all batches of $B$ of the $N$ items",),
)


def drawn_from(scheme: Scheme, sampling: str) -> Draw | None:
    """How batches are drawn from a structure, if it is one that they are drawn from."""

    def counts(structure: Scheme) -> dict[str, Expr]:
        return {r.name: r.count for r in structure.relations}

    for draw in (UNIFORM, BALANCED, instances_alone(NEGATIVE), PAIRS):
        if draw.sampling == sampling and counts(draw.whole) == counts(scheme):
            return draw
    return None
