"""From a problem to its reduced loss: what is stated of any loss before its optimum is sought.

With values given, relations without a pair and eigenspaces without a dimension are left out
(views, where there is only one), and the problem is one in fewer symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from sympy import Abs, Expr, Max, Min, Piecewise, Pow, Rational, S, Symbol

from ..decide.ball import non_negative
from ..decide.decide import is_proved_positive, zero
from ..decide.domain import Domain, DomainError, Range, between
from ..decide.evidence import Holds
from ..decide.kinks import in_x
from ..losses.pairwise import PairwiseLoss, c
from ..losses.softmax import SoftmaxLoss, SoftmaxTerm
from ..problems.problem import Loss, Problem
from ..proof.derivation import Derivation
from ..proof.lemmas import AVERAGING
from ..proof.relations import eq
from ..proof.statement import every
from ..structures.scheme import Eigenspace, Relation, Scheme
from .reduce import Reduced, ReducedLoss, ReducedPairwise, inner_products
from .segment_facts import PairGradient, Spectrum, with_inner
from .shape import convex


def reduced(problem: Problem) -> Reduced:
    """The loss of a problem on its structure, one anchor for all.

    Raises
    ------
    DomainError
        If the declaration does not fit the structure, or has a kink.
    """
    loss, scheme = problem.loss, problem.scheme
    if isinstance(loss, SoftmaxLoss):
        return ReducedLoss(loss, scheme)
    kinked = next((k for k in loss.terms if not is_smooth(k.function, problem.domain)), None)
    if kinked is not None:  # there the derivative is not one number
        raise DomainError(f"{loss.name} has a kink or a root in {in_x(kinked.function, c)}")
    shape = every(convex(term.function, problem.domain) for term in loss.terms)
    return ReducedPairwise(loss, scheme, shape)


#: What a root is of, where intervals tell that it is positive on [-1, 1].
LEAST_BASE = Rational(1, 2**20)


def is_smooth(function: Expr, domain: Domain | None = None) -> bool:
    """Whether a function of ``c`` has a derivative everywhere, by how it is written.

    With a domain of its parameters, also where it has roots of what is proved positive on [-1, 1].
    """
    if function.has(Abs, Max, Min, Piecewise):
        return False
    powers = (e for e in function.atoms(Pow) if e.base.free_symbols)
    roots = [e.base for e in powers if not e.exp.is_Integer]
    if domain is None or not roots:
        return not roots
    near = domain.with_range(c, between(-1, 1), 0)
    return all(
        is_proved_positive(base, near)
        # By intervals, which takes numbers, something above zero is left.
        or isinstance(non_negative(base - LEAST_BASE, c, S.NegativeOne, S.One), Holds)
        for base in roots
    )


def state_reduction(reduced: Reduced, domain: Domain, proof: Derivation) -> None:
    """Record the loss with one inner product per relation, its convexity and its gradient."""
    g = inner_products(reduced.scheme)
    preconditions = reduced.preconditions(domain)
    value = reduced.value(g)
    loss = Symbol("L")
    proof.holds(
        "The loss as a function of one inner product per relation",
        eq(loss, value),
        "by symmetry all anchors have the same loss; terms with equal denominators are merged",
        with_inner(domain, g.values()),
        names={loss: reduced.declared(g)},
    )
    proof.add(
        "The loss is convex in the Gram matrix and invariant, so some optimum has one "
        "inner product per relation",
        preconditions,
        AVERAGING,
    )
    proof.add(
        "Derivative of the loss in the Gram entry of one pair, by relation"
        + ("" if reduced.scale == 1 else f", times {reduced.scale}"),
        PairGradient.from_reduced(reduced, g, domain),
        reduced.forces,
    )
    state_spectrum(reduced.scheme, domain, proof)


def state_spectrum(scheme: Scheme, domain: Domain, proof: Derivation) -> None:
    """Record the eigenvalues of a Gram matrix that is constant on relations, once per scheme."""
    if any(step.says.structure is scheme for step in proof):
        return
    proof.add(
        "Eigenvalues of the Gram matrix, with multiplicities",
        Spectrum.from_scheme(scheme, inner_products(scheme), domain),
        "they are linear in the inner products, and the table of coefficients "
        "satisfies the orthogonality relations of the symmetry",
    )


# --- where something is present -----------------------------------------------------------------
def where_positive(size: Expr, domain: Domain) -> Domain | None:
    """The part of a domain where a count or a dimension is not zero; None if that is nowhere.

    The least value of a whole number at which it vanishes is left out: one view has no contrasts.

    Raises
    ------
    DomainError
        If that does not make it positive.
    """
    if isinstance(zero(size, domain), Holds):
        return None
    if is_proved_positive(size, domain):
        return domain
    for s, r in domain.ranges.items():
        if not (r.integer and r.low.is_Integer and not r.low_open and s in size.free_symbols):
            continue
        if not isinstance(zero(size.xreplace({s: r.low}), domain), Holds):
            continue
        witness = max(domain.witness[s], r.low + 1)
        part = domain.with_range(s, replace(r, low=r.low + 1), witness)
        if is_proved_positive(size, part):
            return part
    raise DomainError(f"it is not known where {size} is positive")


def present(scheme: Scheme, names: Iterable[str], domain: Domain) -> dict[str, Domain]:
    """Where each of some eigenspaces has a dimension, of those that have one somewhere."""
    found = {e: where_positive(scheme.eigenspace(e).dimension, domain) for e in names}
    return {e: part for e, part in found.items() if part is not None}


def difference(part: Domain, whole: Domain) -> str:
    """In words, what the ranges of a part have beyond those of the whole: "for p >= 2"."""
    changed = [
        f"{s} >= {r.low}" if r.high == whole.ranges[s].high else f"{s} {r}"
        for s, r in part.ranges.items()
        if r != whole.ranges[s]
    ]
    return f"for {' and '.join(changed)}" if changed else ""


# --- putting values in ----------------------------------------------------------------------------
def at_values(problem: Problem, point: Mapping[Symbol, Expr]) -> Problem:
    """The problem with values put in, without what is then absent.

    Raises
    ------
    DomainError
        If a value is outside the domain, or the loss then has nothing left to compare.
    """
    problem.domain.check(point)
    domain = _rest(problem.domain, point)
    scheme = _scheme(problem.scheme, point)
    present = {r.name for r in scheme.relations}
    return Problem(_loss(problem.loss, point, present, problem.scheme), scheme, domain)


def _rest(domain: Domain, point: Mapping[Symbol, Expr]) -> Domain:
    ranges: dict[Symbol, Range] = {
        s: replace(r, low=r.low.xreplace(dict(point)), high=r.high.xreplace(dict(point)))
        for s, r in domain.ranges.items()
        if s not in point
    }
    part = Domain.of_ranges(ranges)
    witness = {s: v for s, v in domain.witness.items() if s in ranges}
    if not part.contains(witness):
        witness = next(iter(part.points()), witness)
    return Domain(ranges, witness)


def _scheme(scheme: Scheme, point: Mapping[Symbol, Expr]) -> Scheme:
    values = dict(point)
    relations = tuple(
        Relation(r.name, count)
        for r in scheme.relations
        if (count := r.count.xreplace(values)) != 0
    )
    spaces = tuple(
        Eigenspace(e.name, dimension)
        for e in scheme.eigenspaces
        if (dimension := e.dimension.xreplace(values)) != 0
    )
    table = {
        e.name: {r.name: scheme.table[e.name][r.name].xreplace(values) for r in relations}
        for e in spaces
    }
    axes = tuple(a.xreplace(values) for a in scheme.axes)
    return Scheme(scheme.size.xreplace(values), relations, spaces, table, axes, scheme.pattern)


def _loss(loss: Loss, point: Mapping[Symbol, Expr], present: set[str], scheme: Scheme) -> Loss:
    values = dict(point)
    known = {r.name for r in scheme.relations}

    def left(names: Iterable[str], kind: str) -> tuple[str, ...]:
        kept = tuple(r for r in names if r in present or r not in known)
        if not kept:
            at = ", ".join(f"{s} = {v}" for s, v in point.items())
            raise DomainError(f"{loss.name} has no {kind} at {at}")
        return kept

    if isinstance(loss, PairwiseLoss):
        terms = tuple(
            replace(k, function=k.function.xreplace(values), weight=k.weight.xreplace(values))
            for k in loss.terms
            if k.relation in present or k.relation not in known
        )
        return replace(loss, terms=terms)

    def weights(
        listed: tuple[Expr, ...], kept: tuple[str, ...], weight: Callable[[str], Expr]
    ) -> tuple[Expr, ...]:
        return tuple(weight(r).xreplace(values) for r in kept) if listed else ()

    def with_values(k: SoftmaxTerm) -> SoftmaxTerm:
        lacks = loss.over_batches and not k.positives
        positives = () if lacks else left(k.positives, "positives")
        denominator = left(k.denominator, "denominator")
        return replace(
            k,
            coefficient=k.coefficient.xreplace(values),
            positives=positives,
            denominator=denominator,
            weights=weights(k.weights, positives, k.weight),
            denominator_weights=weights(k.denominator_weights, denominator, k.in_denominator),
        )

    return replace(
        loss,
        temperature=loss.temperature.xreplace(values),
        terms=tuple(with_values(k) for k in loss.terms if k.coefficient.xreplace(values) != 0),
    )
