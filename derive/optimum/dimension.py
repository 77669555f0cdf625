"""In how many dimensions a condition at a structure says what is optimal among embeddings.

Conditions are about Gram matrices of any rank. Where they say that a structure is optimal, it is
so wherever it fits, in as many dimensions as its rank. Where they say that it is not, the Gram
matrices that are better have larger rank, but one more dimension is enough: along it the vectors
move apart as the entries of an eigenvector do. And with no more dimensions than the rank the
structure stays optimal beyond the condition, since near it the other embeddings cost more, to
second order, than the condition gains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import lru_cache
from itertools import islice

from sympy import Expr, Ge, Lt, S, Symbol, nan, oo, zoo

from ..decide.cases import opened
from ..decide.decide import is_proved_positive, zero
from ..decide.digits import sign
from ..decide.domain import Domain
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..decide.present import tidy
from ..frozen import FrozenValue
from ..proof.derivation import Derivation, StepFailed
from ..proof.lemmas import ONE_MORE, RANK, STAYS
from ..proof.statement import Statement
from ..structures.scheme import Scheme
from .reduce import Inner, Reduced

#: Of embeddings; a parameter of results that hold in all dimensions only.
d = Symbol("d", integer=True, positive=True)
Names = tuple[str, ...]
#: Points besides the witness at which the structure may be optimal.
TRIED = 8
#: What is in a formula where it has no value.
NO_NUMBERS = (oo, -oo, zoo, nan)


class Dimension(FrozenValue):
    """The least dimension in which something holds.

    Attributes
    ----------
    least
        In the sizes of the structure.
    sharp
        Whether it is proved that it fails in one dimension less.
    """

    least: Expr
    sharp: bool

    def at(self, point: Mapping[Symbol, Expr]) -> Dimension:
        """The same with sizes put in; what goes to infinity stays a letter."""
        sizes = {s: value for s, value in point.items() if value is not oo}
        return Dimension(self.least.xreplace(sizes), self.sharp)


def occupied(scheme: Scheme, inner: Inner, domain: Domain) -> Names:
    """Eigenspaces on which the Gram matrix is not proved to vanish."""
    return _occupied(scheme, tuple(inner.items()), domain)


@lru_cache(maxsize=256)  # all thresholds of a structure ask for the same
def _occupied(scheme: Scheme, inner: tuple[tuple[str, Expr], ...], domain: Domain) -> Names:
    values = scheme.eigenvalues(dict(inner))
    return tuple(e for e, value in values.items() if not isinstance(zero(value, domain), Holds))


def rank(scheme: Scheme, inner: Inner, domain: Domain) -> Expr:
    """The rank of a Gram matrix, or more where an eigenvalue may vanish."""
    spaces = occupied(scheme, inner, domain)
    return tidy(sum((scheme.eigenspace(e).dimension for e in spaces), S.Zero))


def has_one_optimum(loss: Reduced, inner: Inner, domain: Domain) -> bool:
    """Whether a loss that is least at a Gram matrix is proved to be least at no other one.

    Rows of two optima differ by one number within each logarithm (over batches, of each batch). It
    is zero where the vector itself is in it. Where a vector is that coincides with it, it is not
    positive; and if that is so in all rows it is zero, as the vectors of this Gram matrix add up to
    zero.
    """
    weights = getattr(loss, "denominators", {})
    pools = [pool for pool, weight in weights.items() if is_proved_positive(weight, domain)]
    ones = {r for r, value in inner.items() if value == 1}
    felt = {r for pool in pools for r in (*pool.members, pool.own)}
    distinct = {r.name for r in loss.scheme.relations} - {"self"}
    if not pools or not distinct <= felt | ones:
        return False
    if all("self" in pool.members for pool in pools):
        return True
    balanced = tidy(sum((r.count * inner[r.name] for r in loss.scheme.relations), S.Zero)) == 0
    return balanced and all(ones & {*pool.members, pool.own} for pool in pools)


def state_dimension(
    loss: Reduced,
    inner: Inner,
    along: Mapping[str, Expr],
    threshold: Mapping[Symbol, Expr],
    domain: Domain,
    proof: Derivation,
) -> Dimension | None:
    """Record in how many dimensions the sign of a condition at a structure says what is optimal.

    Parameters
    ----------
    inner
        Inner products of the structure.
    along
        How they change along the way that the condition is about; empty if it leads from an end of
        a segment, to an eigenspace that the structure does not occupy.
    threshold
        The parameter and its value at which the condition changes sign.

    Returns
    -------
    Dimension or None
        None if the structure occupies several eigenspaces and the way leads to another one.
    """
    enough = state_enough(loss.scheme, inner, along, domain, proof)
    if enough is None:
        return None
    least = enough.least
    leaves = not along or not _stays(loss.scheme, inner, along, domain)
    below = Fails(
        Lt(d, least, evaluate=False), domain, loss.scheme, inner, leaves, loss, dict(threshold)
    )
    why = "close to the threshold the structure stays optimal where nothing can leave its span"
    try:
        proof.add(
            f"In {least - 1} dimensions this equivalence fails",
            replace(below, lemma=STAYS if leaves else RANK),
            why if leaves else "the only optimum does not fit",
        )
    except StepFailed:  # it is not proved to fail there
        return enough
    return Dimension(least, True)


def state_enough(
    scheme: Scheme, inner: Inner, along: Inner, domain: Domain, proof: Derivation
) -> Dimension | None:
    """The first half of :func:`state_dimension`, for any convex loss with the symmetry."""
    leaves = not along or not _stays(scheme, inner, along, domain)
    if leaves and len(occupied(scheme, inner, domain)) != 1:
        return None
    least = rank(scheme, inner, domain) + int(leaves)
    says = Enough(Ge(d, least, evaluate=False), domain, scheme, inner, leaves)
    why = "where the structure is not optimal, the vectors move apart along one more dimension"
    proof.add(
        f"In {least} dimensions the condition is the same",
        replace(says, lemma=ONE_MORE if leaves else RANK),
        why if leaves else "there the structure has room, and it is the only one",
    )
    return Dimension(least, False)


def state_fits(
    what: str, scheme: Scheme, inner: Inner, domain: Domain, proof: Derivation
) -> Dimension:
    """Record in how many dimensions vectors with these inner products exist."""
    least = rank(scheme, inner, domain)
    says = Enough(Ge(d, least, evaluate=False), domain, scheme, inner, False, lemma=RANK)
    proof.add(f"{what} exists in {least} dimensions", says, "its rank is no larger")
    return Dimension(least, False)


def _stays(scheme: Scheme, inner: Inner, along: Inner, domain: Domain) -> bool:
    """Whether a way leads to no other eigenspace than those that are occupied."""
    return set(occupied(scheme, along, domain)) <= set(occupied(scheme, inner, domain))


class Enough(Statement):
    """``d >= least``: there the condition says whether the structure is optimal."""

    scheme: Scheme
    inner: Inner
    leaves: bool

    def decide(self) -> Outcome:
        """Whether that many dimensions hold the structure, and one more where it is left."""
        if not isinstance(self.shown, Ge) or self.shown.args[0] != d:
            return Undecided(f"{self.shown} is not about the dimension")
        if self.leaves and len(occupied(self.scheme, self.inner, self.domain)) != 1:
            return Undecided("the gradient may have several eigenvalues on the structure")
        needed = rank(self.scheme, self.inner, self.domain) + int(self.leaves)
        room = zero(self.shown.args[1] - needed, self.domain)
        return room if not isinstance(room, Refuted) else Refuted(note=f"it takes {needed}")


class Fails(Enough):
    """``d < least``: there the condition does not always say whether the structure is optimal.

    ``threshold`` is the parameter and its value at which the condition changes sign.
    """

    loss: Reduced | None = None
    threshold: Mapping[Symbol, Expr] = field(default_factory=dict)

    def decide(self) -> Outcome:
        """Whether the number is the least one, and somewhere no other Gram matrix is as good."""
        if not isinstance(self.shown, Lt):
            return Undecided(f"{self.shown} is not about fewer dimensions")
        same = Ge(*self.shown.args, evaluate=False)
        enough = Enough(same, self.domain, self.scheme, self.inner, self.leaves).decide()
        if not isinstance(enough, Holds):
            return enough
        if self.loss is None or not has_one_optimum(self.loss, self.inner, self.domain):
            return Undecided("other Gram matrices may be optimal, of smaller rank")
        theta = self.scheme.eigenvalues(self.loss.pair_gradient(self.inner))
        start = theta[occupied(self.scheme, self.inner, self.domain)[0]]
        gaps = {e: value - start for e, value in theta.items()}
        if not any(self._all_rise(gaps, point) for point in self._points()):
            return Undecided("the structure is not known to be optimal where the threshold is")
        return Holds(Evidence(Grade.EXACT, "the optimal Gram matrix is unique at the threshold"))

    def _points(self) -> Iterator[Mapping[Symbol, Expr]]:
        yield self.domain.witness
        yield from islice(opened(self.domain).points(), TRIED)

    def _all_rise(self, gaps: Mapping[str, Expr], point: Mapping[Symbol, Expr]) -> bool:
        """Whether no direction lowers the loss at a point of the threshold."""
        at = {**point, **{s: e.xreplace(dict(point)) for s, e in self.threshold.items()}}
        if any(value.has(*NO_NUMBERS) for value in at.values()) or not self.domain.contains(at):
            return False
        occurring = (e for e in gaps if self.scheme.eigenspace(e).dimension.xreplace(at) > 0)
        return all(sign(gaps[e].xreplace(at)) in (0, 1) for e in occurring)
