"""Statements about a loss on a symmetry and about a segment of Gram matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sympy import Basic, Dummy, Eq, Expr, Ge, Gt, Le, Lt, S, Symbol, Tuple

from ..decide.calculus import derivative
from ..decide.decide import all_zero, any_positive, positive, zero
from ..decide.domain import Domain, Range, between
from ..decide.evidence import Holds, Outcome, Refuted, Undecided
from ..decide.present import collected, tidy
from ..proof.derivation import Derivation, StepFailed
from ..proof.lemmas import MONOTONE, RANK, SLACKNESS, WEAK_SLACKNESS
from ..proof.relations import Iff, eq
from ..proof.statement import Statement, decided, each, every
from ..structures.scheme import Relation, Scheme
from .reduce import Reduced
from .segment import Segment


def state_segment(proof: Derivation, s: Segment, domain: Domain) -> None:
    """Record what is left when the active eigenvalues vanish, and where it ends."""
    values = s.scheme.eigenvalues({r.name: Symbol(f"g_{r.name}") for r in s.scheme.relations})
    ends = Symbol("x_max")
    proof.add(
        "The Gram matrices whose other eigenvalues vanish form a segment",
        Segments(
            Tuple(
                *(eq(f"g_{r}", e) for r, e in s.inner.items() if r != "self"),
                eq(ends, s.length),
            ),
            domain,
            s,
            values,
        ),
        f"along it the eigenvalue of {s.low} increases from zero at x = 0, and that of "
        f"{s.high} decreases to zero at x_max",
    )


class Segments(Statement):
    """Inner products along a segment, in x, and its length: ``g_r = ...``, ``x_max = ...``.

    With them every active eigenvalue vanishes, the low one is zero at 0 and rises, the high one
    falls and is zero at x_max. ``eigenvalues`` are those of the Gram matrix in the ``g_r``.
    """

    segment: Segment
    eigenvalues: Mapping[str, Expr]

    def decide(self) -> Outcome:
        """Whether the inner products shown do that."""
        shown = assignments(self.shown)
        s, x_ = self.segment, self.segment.x
        length = shown.pop(Symbol("x_max"), None)
        wanted = {Symbol(f"g_{r.name}") for r in s.scheme.relations}
        shown.setdefault(Symbol("g_self"), S.One)
        if length is None or set(shown) != wanted or shown[Symbol("g_self")] != 1:
            return Undecided("not one value for each inner product and the length")
        along = {e: v.xreplace(shown) for e, v in self.eigenvalues.items()}
        low, high = along[s.low], along[s.high]
        zeros = [
            *(along[e] for e in s.active),
            low.xreplace({x_: S.Zero}),
            high.xreplace({x_: length}),
        ]
        moving = [derivative(low, x_), -derivative(high, x_), length]
        straight = [derivative(derivative(shown[g], x_), x_) for g in shown]
        unit = derivative(shown[Symbol(f"g_{s.coordinate}")], x_) + 1
        return every(
            [all_zero([*zeros, *straight, unit], self.domain)]
            + [positive(e, self.domain) for e in moving]
        )


class PairGradient(Statement):
    """``a_r = ...`` for every relation that has pairs: the loss's derivative in the entry of one.

    The derivative in the inner product of a relation is that, times the number of its pairs.
    """

    reduced: Reduced
    g: Mapping[str, Symbol]

    @classmethod
    def from_reduced(
        cls, reduced: Reduced, g: Mapping[str, Symbol], domain: Domain
    ) -> PairGradient:
        """The statement about a loss on its structure."""
        entries = reduced.pair_gradient(g)
        rows = (eq(f"a_{r.name}", entries[r.name]) for r in _with_pairs(reduced.scheme))
        return cls(Tuple(*rows), domain, reduced, g)

    def decide(self) -> Outcome:
        """Whether each is what differentiation of the loss gives."""
        shown = assignments(self.shown)
        relations, value = _with_pairs(self.reduced.scheme), self.reduced.value(self.g)
        if set(shown) != {Symbol(f"a_{r.name}") for r in relations}:
            return Undecided("not one derivative for each relation")
        return all_zero(
            [
                self.reduced.scale * derivative(value, self.g[r.name])
                - r.count * shown[Symbol(f"a_{r.name}")]
                for r in relations
            ],
            with_inner(self.domain, self.g.values()),
        )


def _with_pairs(scheme: Scheme) -> list[Relation]:
    return [r for r in scheme.relations if r.count != 0]


class Spectrum(Statement):
    """Rows of an eigenvalue, linear in the entries, and its multiplicity.

    The coefficients are a table; it must have as many rows as there are relations and obey the
    orthogonality relations of a commutative algebra of matrices.
    """

    scheme: Scheme
    entries: Mapping[str, Expr]

    @classmethod
    def from_scheme(cls, scheme: Scheme, entries: Mapping[str, Expr], domain: Domain) -> Spectrum:
        """The statement about a scheme and the entries of a matrix that is constant on it."""
        rows = (Tuple(scheme.eigenvalue(e.name, entries), e.dimension) for e in scheme.eigenspaces)
        return cls(Tuple(*rows), domain, scheme, entries)

    @property
    def displayed(self) -> Basic:
        """The eigenvalues by name; their multiplicities stand with the structure."""
        rows = zip(self.scheme.eigenspaces, self.shown.args, strict=True)
        return Tuple(*(eq(f"lambda_{e.name}", row.args[0]) for e, row in rows))

    @property
    def structure(self) -> Scheme:
        """The scheme."""
        return self.scheme

    def decide(self) -> Outcome:
        """Whether the rows obey them."""
        symbols = {r: Dummy(r) for r in self.entries}
        spaces, table = [], {}
        for row, space in zip(self.shown.args, self.scheme.eigenspaces, strict=True):
            if not isinstance(row, Tuple) or len(row.args) != 2:
                return Undecided("a row is an eigenvalue and its multiplicity")
            value = row.args[0].xreplace({e: symbols[r] for r, e in self.entries.items()})
            rates = {r: derivative(value, s) for r, s in symbols.items()}
            rest = value - sum(rate * symbols[r] for r, rate in rates.items())
            if any(set(symbols.values()) & rate.free_symbols for rate in rates.values()):
                return Undecided("an eigenvalue is not linear in the entries")
            if not isinstance(
                zero(rest.xreplace(dict.fromkeys(symbols.values(), S.Zero)), self.domain), Holds
            ):
                return Refuted(note="an eigenvalue has a constant")
            table[space.name] = rates
            spaces.append(replace(space, dimension=row.args[1]))
        read = replace(self.scheme, eigenspaces=tuple(spaces), table=table)
        # The orthogonality relations do not see which relation is called which.
        same = [
            table[e.name][r.name] - self.scheme.table[e.name].get(r.name, S.Zero)
            for e in spaces
            for r in self.scheme.relations
        ]
        return all_zero([*read.residuals(), *same], self.domain)


class Ranks(Statement):
    """``rank_start``, ``rank_inside`` and ``rank_end`` of the Gram matrices of a segment."""

    segment: Segment

    @classmethod
    def from_segment(cls, segment: Segment, domain: Domain) -> Ranks:
        """The statement about the dimensions that are occupied along a segment."""
        shown = (eq(f"rank_{part}", rank) for part, rank in segment.ranks()._asdict().items())
        return cls(Tuple(*shown), domain, segment, lemma=RANK)

    def decide(self) -> Outcome:
        """Whether the ranks shown are those."""
        shown, found = assignments(self.shown), _ranks(self.segment, self.domain)
        if set(shown) != {Symbol(name) for name in found}:
            return Undecided("not one rank for each part of the segment")
        return all_zero([shown[Symbol(k)] - v for k, v in found.items()], self.domain)


def _ranks(segment: Segment, domain: Domain) -> dict[str, Expr]:
    """The sum of the dimensions of eigenspaces with a positive eigenvalue, by part.

    Raises
    ------
    StepFailed
        If an eigenvalue is neither proved positive nor zero.
    """
    x, length, values = segment.x, segment.length, segment.eigenvalues()
    middle = domain.witness_of(length) / 2
    inside = domain.with_range(x, between(0, length, "()"), middle)
    found = {}
    for name, at in (("rank_start", S.Zero), ("rank_inside", x), ("rank_end", length)):
        total = S.Zero
        for space in segment.scheme.eigenspaces:
            value = values[space.name].xreplace({x: at})
            if isinstance(positive(value, inside), Holds):
                total += space.dimension
            elif not isinstance(zero(value, inside), Holds):
                raise StepFailed(f"the sign of an eigenvalue, {value}, is not decided")
        found[name] = tidy(total)
    return found


class Active(Statement):
    """``lambda_e = 0`` for the eigenspaces that vanish at every optimum (not strict: at some).

    There the eigenvalue of the gradient exceeds the smaller one of the two that stay free.
    """

    reduced: Reduced
    segment: Segment
    strict: bool
    spaces: tuple[str, ...]

    @classmethod
    def from_segment(
        cls,
        reduced: Reduced,
        segment: Segment,
        strict: bool,
        domain: Domain,
        spaces: tuple[str, ...] = (),
    ) -> Active:
        """The statement about some eigenspaces, by default all that are zero along a segment."""
        spaces = spaces or segment.active
        zeros = [eq(f"lambda_{e}", S.Zero) for e in spaces]
        shown = zeros[0] if len(zeros) == 1 else Tuple(*zeros)
        lemma = SLACKNESS if strict else WEAK_SLACKNESS
        return cls(shown, domain, reduced, segment, strict, spaces, lemma=lemma)

    def decide(self) -> Outcome:
        """Whether those shown are the ones, and the gradient's eigenvalues say so."""
        s = self.segment
        if assignments(self.shown) != {Symbol(f"lambda_{e}"): S.Zero for e in self.spaces}:
            return Refuted(note=f"zero along the segment are those of {', '.join(self.spaces)}")
        theta = self.reduced.scheme.eigenvalues(self.reduced.pair_gradient(s.inner))
        free = (theta[s.high], theta[s.low])
        return every(
            any_positive([theta[e] - other for other in free], self.domain, strict=self.strict)
            for e in self.spaces
        )


class AtEnd(Statement):
    """``x_star = 0`` or ``x_star = length``: the loss rises, or falls, all along a segment."""

    reduced: Reduced
    segment: Segment

    @classmethod
    def from_segment(cls, reduced: Reduced, segment: Segment, end: Expr, domain: Domain) -> AtEnd:
        """The statement that the optimum on a segment is this end of it."""
        return cls(eq("x_star", end), domain, reduced, segment, lemma=MONOTONE)

    def decide(self) -> Outcome:
        """Whether the slope has that sign everywhere."""
        end = assignments(self.shown).get(Symbol("x_star"))
        slope = slope_along(self.reduced, self.segment)
        for place, sign in ((S.Zero, 1), (self.segment.length, -1)):
            if end is not None and isinstance(zero(end - place, self.domain), Holds):
                same = zero(slope - _slope(self.reduced, self.segment), self.domain)
                return every([same, positive(sign * slope, self.domain)])
        return Refuted(note=f"{end} is not an end of the segment")


@lru_cache(maxsize=64)
def slope_along(reduced: Reduced, segment: Segment) -> Expr:
    """The derivative of the loss along a segment, times something positive."""
    return collected(_slope(reduced, segment), segment.x)


def _slope(reduced: Reduced, segment: Segment) -> Expr:
    """The same as differentiation gives it, which no way of presenting has touched."""
    weight = reduced.scale * reduced.clearing(segment.inner)
    return weight * derivative(reduced.value(segment.inner), segment.x)


class FirstOrder(Statement):
    """An optimum's place against a point, iff the slope there compares with zero.

    ``x_star`` is the first minimiser of the convex loss along a segment and ``x_last`` its last.
    Read are ``x_star > point`` iff ``slope < 0``, and at the ends ``x_star = 0`` iff ``slope >=
    0``, ``x_last = length`` iff ``slope <= 0``; the slope may lack the positive factor ``over``.
    """

    reduced: Reduced
    segment: Segment
    over: Expr = S.One

    def decide(self) -> Outcome:
        """Whether this is one of them, with the slope of the loss at that point."""
        if not isinstance(self.shown, Iff):
            return Undecided(f"{self.shown} is not an equivalence")
        where, relation = self.shown.args
        place, point = where.args
        condition, level = relation.args
        kinds = (type(where), str(place), type(relation))
        if level != 0 or kinds not in (
            (Gt, "x_star", Lt),
            (Eq, "x_star", Ge),
            (Eq, "x_last", Le),
        ):
            return Refuted(note=f"{self.shown} is not a first-order condition")
        x, length = self.segment.x, self.segment.length
        end = {"x_star": S.Zero, "x_last": length}[str(place)]
        if kinds[0] is Eq:
            at_point = zero(point - end, self.domain)
        else:  # short of the far end, beyond which nothing lies
            at_point = every(
                positive(gap, self.domain, strict=strict)
                for gap, strict in ((point, False), (length - point, True))
            )
        slope = _slope(self.reduced, self.segment).xreplace({x: point})
        outside = self.domain.restricted(set(self.domain.ranges) - {x})
        return every(
            [
                at_point,
                zero(self.over * condition - slope, self.domain),
                positive(self.over, self.domain),
                decided(self.reduced.preconditions(outside)),
            ]
        )


def with_reals(domain: Domain, symbols: Iterable[Symbol]) -> Domain:
    """The domain with further symbols that may be any real number."""
    for s in symbols:
        domain = domain.with_range(s, Range(-S.Infinity), 0)
    return domain


def with_inner(domain: Domain, symbols: Iterable[Symbol]) -> Domain:
    """The domain with further symbols that are inner products of unit vectors."""
    for s in symbols:
        domain = domain.with_range(s, between(-1, 1), 0)
    return domain


def assignments(shown: Basic) -> dict[Symbol, Expr]:
    """Name and value of each equation of a statement; nothing for what is not one."""
    return {r.args[0]: r.args[1] for r in each(shown) if type(r) is Eq and r.args[0].is_Symbol}
