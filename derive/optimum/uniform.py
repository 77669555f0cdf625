"""What a softmax loss is at least in d dimensions, however many vectors there are.

A bound of 1/tau beside the logarithm of a number of vectors, from what a declaration sums over. Let
the denominator of each anchor be a sum over c others, and A the 0/1 matrix of these pairs. Anchors
have equal or disjoint denominators iff all eigenvalues of A are 0, c or -c; and A is that of an
equivalence iff they are 0 or c.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from sympy import Add, Eq, Expr, Integer, S, Symbol, Tuple, log

from ..decide.decide import positive, zero
from ..decide.domain import Domain
from ..decide.evidence import Holds, Outcome, Refuted, Undecided
from ..decide.hypergeometric import Log0F1
from ..decide.present import tidy
from ..losses.softmax import SoftmaxLoss, SoftmaxTerm
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.relations import eq
from ..proof.sphere import ONE_SET, TWO_SETS, WITHOUT_ANCHOR
from ..proof.statement import Lemma, Relations, Statement
from ..structures.scheme import Scheme
from .dimension import d
from .reduce import ReducedLoss

#: What a bound has the logarithm of.
NUMBER = Symbol("number")


def at_uniform(number: Expr, tau: Expr) -> Expr:
    """The loss where so many aligned vectors are as if uniform on the sphere."""
    return log(number) + Log0F1(d / 2, 1 / (4 * tau**2)) - 1 / tau


def alike(term: SoftmaxTerm, scheme: Scheme) -> tuple[Expr, Lemma] | None:
    """The number of vectors whose logarithm the bound has, and the lemma that says so, if any."""
    below, pulls = set(term.denominator), set(term.positives)
    if term.own_positive or any(w != 1 for w in term.denominator_weights):
        return None
    size = _count(scheme, below)
    if "self" in below:
        return (size, ONE_SET) if _has_only(scheme, below, (0, size)) else None
    if not pulls <= below:
        return None
    if _has_only(scheme, below, (0, size, -size)):
        return size, TWO_SETS
    group = _count(scheme, pulls) + 1
    fits = len({term.weight(r) for r in pulls}) == 1 and all(
        _has_only(scheme, {*names, "self"}, (0, count))
        for names, count in ((below, size + 1), (pulls, group))
    )
    return (tidy((group - 1) * (size + 1) / group), WITHOUT_ANCHOR) if fits else None


class Counted(Statement):
    """``number == ..``: so many vectors may be as if uniform, in the denominators of a term."""

    term: SoftmaxTerm
    scheme: Scheme

    @classmethod
    def from_term(cls, term: SoftmaxTerm, scheme: Scheme, domain: Domain) -> Counted:
        """What the lemma that applies to a term says.

        Raises
        ------
        ValueError
            If none does.
        """
        found = alike(term, scheme)
        if found is None:
            raise ValueError("no bound is known for these denominators")
        return cls(eq(NUMBER, found[0]), domain, term, scheme, lemma=found[1])

    def decide(self) -> Outcome:
        """Whether the eigenvalues of the denominators, and of the positives, are what it takes."""
        found = alike(self.term, self.scheme)
        if found is None or found[1] is not self.lemma:
            return Undecided("no bound is known for these denominators")
        if not isinstance(self.shown, Eq) or self.shown.args[0] != NUMBER:
            return Undecided(f"{self.shown} is not about the number of vectors")
        same = zero(self.shown.args[1] - found[0], self.domain)
        return Refuted(note=f"it is {found[0]}") if isinstance(same, Refuted) else same


def _count(scheme: Scheme, names: Collection[str]) -> Expr:
    return tidy(sum((r.count for r in scheme.relations if r.name in names), S.Zero))


def _has_only(scheme: Scheme, names: Collection[str], values: tuple[Expr | int, ...]) -> bool:
    """Whether the 0/1 matrix of these pairs has no other eigenvalues."""
    pairs = {r.name: Integer(r.name in names) for r in scheme.relations}
    found = scheme.eigenvalues(pairs).values()
    return all(any(tidy(e - value) == 0 for value in values) for e in found)


def least_on_sphere(problem: Problem, proof: Derivation | None = None) -> Expr | None:
    """The bound for a declared loss, in d and its own symbols; None where none is known.

    With a ``proof`` the number of vectors that each denominator counts as is a step of it.
    """
    loss, scheme = problem.loss, problem.structure
    if not isinstance(loss, SoftmaxLoss) or not isinstance(scheme, Scheme):
        return None
    totals: dict[Expr, Expr] = {}
    terms = loss.terms
    if loss.similarity is None and any(alike(term, scheme) is None for term in terms):
        terms = _nested(loss, scheme, problem.domain, proof)
    for k, term in enumerate(terms, 1):
        found = alike(term, scheme) if loss.similarity is None else None
        weights = (term.coefficient, *term.weights)
        signs = (positive(w, problem.domain, strict=False) for w in weights)
        if found is None or not all(isinstance(sign, Holds) for sign in signs):
            return None
        totals[found[0]] = totals.get(found[0], S.Zero) + term.coefficient
        if proof is not None:
            title = f"In d dimensions the denominators of term {k} count as so many vectors"
            says = Counted.from_term(term, scheme, problem.domain)
            proof.add(title, says, "anchors have equal denominators, up to the anchor itself")
    at = ((tidy(total), at_uniform(size, loss.temperature)) for size, total in totals.items())
    return Add(*(total * bound for total, bound in at))


def _nested(
    loss: SoftmaxLoss, scheme: Scheme, domain: Domain, proof: Derivation | None
) -> tuple[SoftmaxTerm, ...]:
    """The same loss with terms whose positives are nested, from the nearest relation outwards.

    Its own terms where they have different denominators, or not all positives in them.
    """
    first = loss.terms[0]
    for t in loss.terms:
        plain = not t.own_positive and not t.denominator_weights
        if not plain or t.denominator != first.denominator or {*t.positives} - {*t.denominator}:
            return loss.terms
    pulls = ReducedLoss(loss, scheme).pulls
    names = [r.name for r in scheme.relations if r.name in first.denominator]
    steps = zip(names, [*names[1:], ""], strict=True)
    terms = [
        SoftmaxTerm(tidy((pulls[r] - pulls.get(out, S.Zero)) * count), near, first.denominator)
        for k, (r, out) in enumerate(steps, 1)
        for near in [tuple(names[:k])]
        for count in [_count(scheme, near)]
    ]
    made = replace(loss, terms=tuple(t for t in terms if t.coefficient != 0))
    if proof is not None:
        same = ReducedLoss(made, scheme).pulls
        proof.add(
            "The loss is a sum of terms with nested positives",
            Relations(
                Tuple(*(eq(f"pull_{r}", pull) for r, pull in same.items())),
                domain,
                names={Symbol(f"pull_{r}"): pull for r, pull in pulls.items()},
            ),
            "a pair weighs the same as a positive, and the denominators are equal",
        )
    return made.terms


def of_groups(sizes: Collection[int], tau: Expr) -> Expr:
    """The bound where positives are the others of an anchor's group, and all others are below it.

    Raises
    ------
    ValueError
        If a group has one member: it has no positives.
    """
    if min(sizes) < 2:
        raise ValueError("a group of one member has no positives")
    size = Integer(sum(sizes))
    counts = ((Integer(k), Integer(n)) for k, n in Counter(sizes).items())
    shift = sum((n * k / size * log((k - 1) / k) for k, n in counts), S.Zero)
    return at_uniform(size, tau) + shift
