"""A problem over random batches: the same structure, and the mean of the loss over the batches.

Where each relation has one inner product the mean is itself a loss on all data: in a batch an
anchor has a fraction of its partners, so pairs in a denominator weigh that fraction. Where the
composition of a batch is random there is such a loss for each number K of others of the anchor's
class, and they add up with the probabilities of K. So whatever is known of losses on all data
answers for batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import comb

from sympy import Expr, Integer, Rational, S, Symbol

from ..decide.domain import DomainError
from ..decide.expectation import K
from ..decide.present import tidy
from ..frozen import FrozenValue
from ..losses.alone import ALONE
from ..losses.pairwise import PairwiseLoss
from ..losses.softmax import SoftmaxLoss, SoftmaxTerm
from ..losses.supcl import CROSS_CLASS, SAME_CLASS, SAME_INSTANCE
from ..structures.draws import Draw, drawn_from
from ..structures.hierarchy import p
from ..structures.scheme import Scheme
from .domains import VIEWS
from .problem import Loss, Problem

#: So many numbers of others of a class are added up as losses of their own: where all is known,
#: and where something is left free.
MOST, FEW = 12, 4
#: How batches are drawn.
SAMPLINGS = ("uniform", "balanced")
#: Which anchor has no positives of a term that has them in one relation only.
WITHOUT = {
    SAME_CLASS: "an anchor alone in its class",
    CROSS_CLASS: "an anchor in a batch of one class",
}
#: The positives of a term that are all missing in some batch if there is one view.
NEEDS_VIEWS = [{SAME_INSTANCE, r} for r in WITHOUT]


class Kind(FrozenValue):
    """Batches of one composition: how probable they are, what an anchor has there, its loss."""

    probability: Expr
    drawn: Scheme
    loss: Loss


class BatchProblem(Problem):
    """A loss on a structure, as a mean over batches that are drawn from it.

    Attributes
    ----------
    draw
        How batches are drawn, and what is done with an anchor that lacks positives there.
    """

    draw: Draw

    @property
    def sizes(self) -> set[Symbol]:
        """What must be known for the probabilities of K."""
        law = self.draw.law or ()
        return {s for e in law for s in e.free_symbols if isinstance(s, Symbol)}

    def compositions(self, point: Mapping[Symbol, Expr]) -> range:
        """The numbers K that are possible; one where every batch is composed alike."""
        if self.draw.law is None:
            return range(1)
        marked, drawn, total = (int(e.xreplace(dict(point))) for e in self.draw.law)
        return range(max(0, drawn + marked - total), min(marked, drawn) + 1)

    def is_long(self, point: Mapping[Symbol, Expr]) -> bool:
        """Whether the compositions are too many to be told one by one, or not known."""
        if not self.sizes <= point.keys():
            return True
        most = MOST if self.domain.ranges.keys() <= point.keys() else FEW
        return len(self.compositions(point)) > most

    def kinds(self, point: Mapping[Symbol, Expr]) -> Iterator[Kind]:
        """All compositions of batches, at numbers for :attr:`sizes`."""
        if self.draw.law is None:
            yield Kind(S.One, self.draw.drawn, self.loss)
            return
        marked, drawn, total = (int(e.xreplace(dict(point))) for e in self.draw.law)
        for k in self.compositions(point):
            ways = comb(marked, k) * comb(total - marked, drawn - k)
            place = {**point, K: Integer(k)}
            counts = [replace(r, count=r.count.xreplace(place)) for r in self.draw.drawn.relations]
            loss = self.loss
            if self.draw.convention:
                assert isinstance(loss, SoftmaxLoss)
                absent = [r.name for r in counts if r.count == 0]
                loss = ALONE[self.draw.convention].applied(loss, absent)
            scheme = replace(self.draw.drawn, relations=tuple(counts))
            yield Kind(Rational(ways, comb(total, drawn)), scheme, loss)

    def on_all_data(self, point: Mapping[Symbol, Expr]) -> Problem:
        """The loss on all data that is the mean where each relation has one inner product."""
        whole = {r.name: r.count.xreplace(dict(point)) for r in self.scheme.relations}
        found: list[Loss] = []
        for kind in self.kinds(point):
            counts = {r.name: r.count.xreplace(dict(point)) for r in kind.drawn.relations}
            found.append(_weighed(kind, {r: _ratio(counts[r], whole[r]) for r in counts}))
        loss = found[0]
        if isinstance(loss, SoftmaxLoss):
            terms = tuple(t for part in found if isinstance(part, SoftmaxLoss) for t in part.terms)
            loss = replace(loss, terms=terms, over_batches=True)
        return Problem(loss, self.structure, self.domain)


def over_batches(problem: Problem, sampling: str, alone: str = "") -> BatchProblem:
    """The problem as a mean over batches.

    Parameters
    ----------
    sampling
        ``uniform`` or ``balanced``.
    alone
        What is done with an anchor that lacks positives, as one alone in its class does.

    Raises
    ------
    DomainError
        If such batches are not drawn from this structure, or it must be said what is done with an
        anchor alone, or that says nothing; one line.
    """
    loss, draw = problem.loss, drawn_from(problem.scheme, sampling)
    if sampling not in SAMPLINGS:
        raise DomainError(f"sampling is {' or '.join(SAMPLINGS)}, not {sampling!r}")
    if draw is None:
        raise DomainError(
            f"{sampling} batches cannot be drawn from the structure of {loss.name}: uniform ones "
            "need n instances, perhaps in m classes, or N items of two towers; balanced ones need "
            "m classes of n; the sizes must have these names, and p is the number of views"
        )
    who = lacking(loss) if draw.law is not None and isinstance(loss, SoftmaxLoss) else ""
    if alone and (alone not in ALONE or not who):
        why = f"no anchor of {loss.name} lacks positives in a batch" if alone in ALONE else ""
        raise DomainError(why or f"alone is one of {', '.join(ALONE)}, not {alone!r}")
    if who and not alone:
        raise DomainError(
            f"{who} lacks positives of {loss.name}: choose what is then dropped "
            f"(alone: {', '.join(ALONE)})"
        )
    domain = draw.within(problem.domain)
    if draw.law is not None and isinstance(loss, SoftmaxLoss) and p in domain.ranges:
        if any(set(t.positives) in NEEDS_VIEWS for t in loss.terms):
            domain = domain.with_range(p, VIEWS, max(2, domain.witness[p]))
    says = draw.says
    if alone:
        says = (*says, f"{who} {ALONE[alone].says}")
    return BatchProblem(loss, problem.structure, domain, replace(draw, says=says, convention=alone))


def lacking(loss: SoftmaxLoss) -> str:
    """Which anchors have no positives of some term in some batch; empty if none do."""
    only = {t.positives[0] for t in loss.terms if len(t.positives) == 1}
    return " or ".join(who for r, who in WITHOUT.items() if r in only)


def _ratio(drawn: Expr, whole: Expr) -> Expr:
    """The fraction of the partners that are in a batch; there may be none at all."""
    return S.One if drawn == whole else tidy(drawn / whole)


def _weighed(kind: Kind, ratio: Mapping[str, Expr]) -> Loss:
    loss = kind.loss
    if isinstance(loss, PairwiseLoss):
        return replace(
            loss, terms=tuple(replace(k, weight=k.weight * ratio[k.relation]) for k in loss.terms)
        )

    def weights(names: tuple[str, ...], weight: Callable[[str], Expr]) -> tuple[Expr, ...]:
        found = tuple(weight(r) * ratio[r] for r in names)
        return () if all(e == 1 for e in found) else found

    def weighed(t: SoftmaxTerm) -> SoftmaxTerm:
        above = tuple(r for r in t.positives if ratio[r] != 0)
        below = tuple(r for r in t.denominator if ratio[r] != 0)
        return replace(
            t,
            coefficient=t.coefficient * kind.probability,
            positives=above,
            weights=weights(above, t.weight),
            denominator=below,
            denominator_weights=weights(below, t.in_denominator),
        )

    terms = tuple(map(weighed, loss.terms))
    if empty := [t for t in terms if not (t.denominator or t.own_positive)]:
        below = next(u.denominator for t, u in zip(terms, loss.terms, strict=True) if t in empty)
        raise DomainError(
            f"{loss.name} is not defined in every batch: in some an anchor has no vector in its "
            f"denominator, {', '.join(below)}"
        )
    # A positive that is alone in its denominator has probability one.
    return replace(loss, terms=tuple(t for t in terms if t.denominator))
