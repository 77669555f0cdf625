"""Reduce a declared loss on a symmetric structure to a function of a few inner products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sympy import Add, Expr, S, Symbol, Tuple, exp, log

from ..decide.calculus import derivative
from ..decide.convexity import log_sum_exp_is_convex
from ..decide.decide import positive
from ..decide.digits import sign
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Holds, Outcome, Refuted
from ..decide.present import as_count, tidy
from ..decide.product import over, times
from ..frozen import Frozen
from ..losses.pairwise import c
from ..losses.precondition import Precondition
from ..losses.softmax import SoftmaxLoss, SoftmaxTerm
from ..proof.relations import ge, gt
from ..proof.statement import Relations, Statement
from ..structures.scheme import Scheme

if TYPE_CHECKING:
    from ..losses.pairwise import PairwiseLoss

#: The product of more denominators is longer than what it clears.
MOST_CLEARED = 3
#: Inner products of a symmetric structure, by relation.
Inner = Mapping[str, Expr]


def inner_products(scheme: Scheme) -> dict[str, Symbol]:
    """One symbol per relation; ``self`` is one of them, so that nothing is assumed of it."""
    return {r.name: Symbol(f"g_{r.name}", real=True) for r in scheme.relations}


def check_relations(
    loss: SoftmaxLoss | PairwiseLoss, named: Iterable[str], known: Iterable[str]
) -> None:
    """Refuse a declaration that names a relation which the structure does not have.

    Raises
    ------
    DomainError
        Naming it and those there are.
    """
    names = list(known)
    for name in named:
        if name not in names:
            raise DomainError(
                f"{loss.name} has a term on {name!r}; the relations here are {', '.join(names)}"
            )


def check_preconditions(conditions: Iterable[Precondition], name: str, domain: Domain) -> None:
    """Prove what a declaration needs, before anything is proved from it.

    Raises
    ------
    DomainError
        Saying what is not positive, and where; or that it was not proved.
    """
    for condition in conditions:
        outcome = positive(condition.expression, domain, strict=condition.strict)
        if isinstance(outcome, Holds):
            continue
        bound = "> 0" if condition.strict else ">= 0"
        if isinstance(outcome, Refuted):
            why = f"it is not at {outcome.place()}" if outcome.witness else "it is not"
        else:
            why = f"that is not proved: {outcome.reason}"
        raise DomainError(f"{name}: {condition.says} must be {bound}; {why}")


class Pool(NamedTuple):
    """What one logarithm is over: all vectors of some relations, and one positive besides."""

    members: tuple[str, ...]
    own: str = ""  #: relation of the positive that is added, if one is
    weights: tuple[Expr, ...] = ()  #: of the exponentials of the members; 1 each without

    def weight(self, relation: str) -> Expr:
        """What the exponentials of a member weigh."""
        return self.weights[self.members.index(relation)] if self.weights else S.One


def check_at_numbers(
    conditions: Iterable[Precondition], name: str, point: Mapping[Symbol, Expr]
) -> None:
    """Refuse a declaration that does not hold what it needs at numbers.

    Raises
    ------
    DomainError
        Saying what is not positive, or which symbols have no number.
    """
    for condition in conditions:
        value = condition.expression.xreplace(dict(point))
        bound = "> 0" if condition.strict else ">= 0"
        if value.free_symbols:
            left = ", ".join(sorted(s.name for s in value.free_symbols))
            raise DomainError(f"a face is computed for numerical values: give {left}")
        found = sign(value) if value.is_finite else None
        if found is None or found < 0 or (condition.strict and found == 0):
            raise DomainError(f"{name}: {condition.says} must be {bound}, not {value}")


class ReducedLoss(Frozen):
    """A softmax loss on a structure: one anchor stands for all.

    All positives of a relation have the same inner product, so the mean over
    positives is a count-weighted mean over relations, and a denominator is a
    count-weighted sum of exponentials. Terms with the same denominator are merged.
    """

    loss: SoftmaxLoss
    scheme: Scheme
    _partitions: dict[Any, Expr] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = [r.name for r in self.scheme.relations]
        self.loss.check_linear()
        if not self.loss.terms:
            raise DomainError(f"{self.loss.name} has no terms")
        for term in self.loss.terms:
            for kind, names in (("positives", term.positives), ("denominator", term.denominator)):
                check_relations(self.loss, names, known)
                if not names and not (self.loss.over_batches and kind == "positives"):
                    raise DomainError(f"{self.loss.name} has a term without {kind}")
                twice = sorted({r for r in names if names.count(r) > 1})
                if twice:
                    raise DomainError(
                        f"{self.loss.name} names {', '.join(twice)} twice among the {kind}"
                    )
            if term.weights and len(term.weights) != len(term.positives):
                raise DomainError(
                    f"{self.loss.name} has {len(term.weights)} weights for the positives "
                    f"{', '.join(term.positives)}"
                )
            if len(term.denominator_weights) not in (0, len(term.denominator)):
                raise DomainError(
                    f"{self.loss.name} has {len(term.denominator_weights)} weights for the "
                    f"denominator {', '.join(term.denominator)}"
                )
            both = [r for r in term.positives if r in term.denominator]
            if term.own_positive and both:
                raise DomainError(
                    f"{self.loss.name} adds each positive to its denominator, and "
                    f"{', '.join(both)} is there already"
                )

    def declaration(self) -> Iterator[Precondition]:
        """What must hold on the domain: temperature, numbers of pairs, weights."""
        yield from self.loss.preconditions()
        for term in self.loss.terms:
            for kind, names in (("positives", term.positives), ("denominator", term.denominator)):
                if not names:  # of an anchor that is alone
                    continue
                count = self._count(names)
                says = f"the number {as_count(count)} of pairs in the {kind} {', '.join(names)}"
                yield Precondition(count, kind == "positives" or not term.own_positive, says)
            for r, weight in zip(term.positives, term.weights, strict=False):
                yield Precondition(weight, False, f"the weight {weight} of the positives {r}")
            for r, weight in zip(term.denominator, term.denominator_weights, strict=False):
                yield Precondition(weight, True, f"the weight {weight} of {r} in the denominator")
            if term.weights:
                total = term.total(self.scheme)
                yield Precondition(total, True, f"the weight {tidy(total)} of all positives")
        for pool, weight in self.denominators.items():
            over = ", ".join((*pool.members, f"one of {pool.own}") if pool.own else pool.members)
            yield Precondition(weight, False, f"the weight {weight} of the logarithm over {over}")

    def _count(self, names: Iterable[str]) -> Expr:
        return sum((self.scheme.relation(r).count for r in names), S.Zero)

    @cached_property
    def denominators(self) -> dict[Pool, Expr]:
        """What is in each denominator, with the total coefficient of its logarithm."""
        found: dict[Pool, Expr] = {}
        for term in self.loss.terms:
            for pool, coefficient in self._pools(term):
                found[pool] = found.get(pool, S.Zero) + coefficient
        return {pool: total.expand() for pool, total in found.items()}

    def _pools(self, term: SoftmaxTerm) -> Iterator[tuple[Pool, Expr]]:
        members = tuple(r.name for r in self.scheme.relations if r.name in term.denominator)
        weights = tuple(map(term.in_denominator, members)) if term.denominator_weights else ()
        if not (term.own_positive and term.positives):
            yield Pool(members, "", weights), term.coefficient
            return
        for r, share in term.shares(self.scheme).items():
            yield Pool(members, r, weights), tidy(term.coefficient * share)

    @cached_property
    def pulls(self) -> dict[str, Expr]:
        """Weight of one pair as a positive, by relation: its share of the means."""
        found = {r.name: S.Zero for r in self.scheme.relations}
        for term in self.loss.terms:
            positives = term.total(self.scheme)
            for r in term.positives:
                found[r] += term.coefficient * term.weight(r) / positives
        return found

    @property
    def scale(self) -> Expr:
        """Positive factor by which :meth:`pair_gradient` exceeds the derivative."""
        return self.loss.temperature

    #: in words, what :meth:`pair_gradient` adds up
    forces = (
        "a positive contributes minus its weight in the mean over positives, and a "
        "vector in the denominator contributes its softmax probability"
    )

    def preconditions(self, domain: Domain) -> Statement:
        """That weights are >= 0 and the temperature is > 0, so that the loss is convex.

        Raises
        ------
        DomainError
            If the declaration does not hold what it needs.
        """
        check_preconditions(self.declaration(), self.loss.name, domain)
        weights = (ge(weight, S.Zero) for weight in self.denominators.values())
        return Relations(
            Tuple(*weights, gt(self.loss.temperature, S.Zero)),
            domain,
            premises=(log_sum_exp_is_convex(len(self.scheme.relations)),),
        )

    def declared(self, g: Inner) -> Expr:
        """The loss term by term, as it is declared; :meth:`value` is the same, merged."""
        total = S.Zero
        for term in self.loss.terms:
            shares = term.shares(self.scheme)
            spread = Add(
                *(
                    (shares[pool.own] if pool.own else S.One)
                    * log(self.partition(pool, g), evaluate=False)
                    for pool, _ in self._pools(term)
                )
            )
            pulls = Add(*(share * g[r] for r, share in shares.items()))
            total += term.coefficient * (spread - pulls / self.loss.temperature)
        return total

    def clearing(self, g: Inner) -> Expr:
        """A positive factor that clears the denominators of the derivative.

        Each denominator, divided by its terms of inner product one: the shortest form. They are
        counted where there is one for certain, and there may be no other view.
        """
        factor = S.One
        if len(self.denominators) > MOST_CLEARED:
            return factor
        for pool in self.denominators:
            ones = [r for r in pool.members if g[r] == 1]
            own = pool.own if pool.own and g[pool.own] == 1 else ""
            weights = tuple(pool.weight(r) for r in ones if pool.weights)
            one = Pool(tuple(ones), own, weights)
            some = self.partition(one, g) if "self" in ones or own else S.One
            if ones and some == 1:
                some = exp(1 / self.loss.temperature, evaluate=False)
            factor *= self.partition(pool, g) / some
        return factor

    def partition(self, pool: Pool, g: Inner) -> Expr:
        """Sum of exponentials over the relations of a denominator, for an anchor."""
        parts = [(g[r], self.scheme.relation(r).count) for r in pool.members]
        if pool.weights:
            given = zip(parts, pool.weights, strict=True)
            parts = [(e, tidy(count * weight)) for (e, count), weight in given]
        counts = _grouped([*parts, (g[pool.own], S.One)] if pool.own else parts)
        key = tuple(counts.items())
        if key not in self._partitions:
            # Nothing in these exponents simplifies, and asking costs more than the proofs.
            terms = (
                times(count, exp(e / self.loss.temperature, evaluate=False)) for e, count in key
            )
            self._partitions[key] = Add(*terms)
        return self._partitions[key]

    def value(self, g: Inner) -> Expr:
        """The loss as a function of the inner products."""
        pools = _grouped((self.partition(d, g), k) for d, k in self.denominators.items())
        spread = Add(*(tidy(k) * log(d, evaluate=False) for d, k in pools.items()))
        pulls = _grouped((g[r.name], r.count * self.pulls[r.name]) for r in self.scheme.relations)
        attraction = Add(*(tidy(pull) * e for e, pull in pulls.items()))
        return spread - attraction / self.loss.temperature

    def pair_gradient(self, g: Inner) -> dict[str, Expr]:
        """Temperature times the derivative in the entry of one pair, by relation.

        The pull on a pair that is a positive (minus its share of the mean) plus the
        push on one that is in a denominator (its softmax probability).
        """
        found = {r: -pull for r, pull in self.pulls.items()}

        def push(coefficient: Expr, r: str, pool: Pool) -> None:
            weight = exp(g[r] / self.loss.temperature, evaluate=False)
            found[r] += times(over(coefficient, self.partition(pool, g)), weight)

        for pool, coefficient in self.denominators.items():
            for r in pool.members:
                push(coefficient * pool.weight(r), r, pool)
        for term in self.loss.terms:
            for pool, _ in self._pools(term):
                if pool.own:  # with the pair's own share, as its relation may be empty
                    share = term.weight(pool.own) / term.total(self.scheme)
                    push(term.coefficient * share, pool.own, pool)
        return found


class ReducedPairwise(Frozen):
    """A pairwise loss on a structure: every pair of a relation has the same inner product.

    ``shape`` is the evidence that each term is convex, found by whoever declared it.
    """

    loss: PairwiseLoss
    scheme: Scheme
    shape: Outcome

    def __post_init__(self) -> None:
        named = (term.relation for term in self.loss.terms)
        check_relations(self.loss, named, (r.name for r in self.scheme.relations))

    scale = S.One
    forces = "it is the derivative of the function that acts on the pair"

    def preconditions(self, domain: Domain) -> Statement:
        """That weights are >= 0, given that the functions are convex.

        Raises
        ------
        DomainError
            If a weight may be negative.
        """
        check_preconditions(self.loss.preconditions(), self.loss.name, domain)
        weights = (ge(term.weight, S.Zero) for term in self.loss.terms)
        return Relations(Tuple(*weights), domain, premises=(self.shape,))

    def declared(self, g: Inner) -> Expr:
        """The loss as it is declared; there is nothing to merge."""
        return self.value(g)

    def clearing(self, g: Inner) -> Expr:
        """Nothing is cleared: the functions are not known."""
        return S.One

    def value(self, g: Inner) -> Expr:
        """The loss per item as a function of the inner products."""
        return Add(
            *(
                self.scheme.relation(term.relation).count * term.weight * term.at(g[term.relation])
                for term in self.loss.terms
            )
        )

    def pair_gradient(self, g: Inner) -> dict[str, Expr]:
        """Derivative in the entry of one pair, by relation."""
        found = {r.name: S.Zero for r in self.scheme.relations}
        for term in self.loss.terms:
            slope = derivative(term.function, c)
            found[term.relation] += term.weight * slope.xreplace({c: g[term.relation]})
        return found


Reduced = ReducedLoss | ReducedPairwise


class Invariant(Protocol):
    """A loss with the symmetry of a structure, convex under its preconditions."""

    @property
    def scheme(self) -> Scheme:
        """The structure."""

    def preconditions(self, domain: Domain) -> Statement:
        """What makes it convex."""


def _grouped(parts: Iterable[tuple[Expr, Expr]]) -> dict[Expr, Expr]:
    """Add up the weights of equal inner products."""
    found: dict[Expr, Expr] = {}
    for e, weight in parts:
        if weight != 0:
            found[e] = found.get(e, S.Zero) + weight
    return found
