"""The optimum as sizes go to infinity, however many eigenspaces are occupied.

The loss of orthogonal vectors may diverge; what a loss has beyond it converges, as do the inner
products of given shares. The limit is a convex program in the shares again, solved and proved like
any other (:mod:`.face`). The loss feels an inner product with one Lipschitz constant for all sizes,
so on the simplex it converges uniformly: the least values go to the least value of the limit, and
the optima to its optimum, if it has only one. If it has more, nothing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sympy import Add, Expr, Mul, S, Symbol, Tuple, oo

from ..decide.calculus import derivative
from ..decide.decide import zero
from ..decide.domain import Domain, DomainError, between
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..decide.limits.limit import NoLimit, joint_limit
from ..losses.pairwise import c
from ..proof.derivation import Derivation
from ..proof.lemmas import UNIFORM
from ..proof.relations import eq
from ..proof.statement import Statement
from ..structures.configuration import single
from .face import ALL, FaceOptimum, Faces
from .program import Program, Smooth, entry
from .reduce import Reduced, ReducedPairwise
from .segment_facts import assignments

#: Names of what goes to a limit, beside ``g_r``.
EXCESS, BOUND = Symbol("L - L_0"), Symbol("bound")


class FarProgram(Program):
    """A program whose sizes are limits: some of them may be infinite."""

    def __init__(self, far: FarFaces, without: Collection[str] = ()):
        self.far = far
        super().__init__(far.function, {}, without)

    def without(self, names: Collection[str]) -> Program:
        """The same with blocks left out."""
        return FarProgram(self.far, names)

    def _number(self, e: Expr) -> Expr:
        value = self.far.limit(e)
        if not value.is_Rational:
            raise DomainError(f"{e} converges to {value} there, which is not a rational number")
        return value

    def _size(self, e: Expr) -> Expr:
        return self.far.limit(e)

    def start(self) -> list[Expr]:
        """Equal shares."""
        return [S.One / len(self.slots)] * len(self.slots)


class FarFaces(Faces):
    """The optimum of a reduced loss with numbers for all symbols but sizes that go to infinity."""

    def __init__(self, reduced: Reduced, domain: Domain):
        super().__init__(reduced, ())
        self.domain = domain

    def limit(self, e: Expr, domain: Domain | None = None) -> Expr:
        """Where an expression goes, in every order of the sizes.

        Raises
        ------
        NoLimit
            If there is no limit, or none is proved.
        """
        far = {s: oo for s in self.domain.ranges if s in e.free_symbols}
        return joint_limit(e, far, domain or self.domain) if far else e

    @cached_property
    def wide(self) -> Domain:
        """The sizes, and inner products of any size."""
        found = self.domain
        for r in self.reduced.scheme.relations:
            found = found.with_range(entry(r.name), between(-1, 1), 0)
        return found

    @property
    def excess(self) -> Expr:
        """The loss less that of orthogonal vectors."""
        g = {r.name: entry(r.name) for r in self.reduced.scheme.relations}
        return self.reduced.value(g) - self.orthogonal

    @property
    def orthogonal(self) -> Expr:
        """The loss of orthogonal vectors."""
        g = {r.name: S.Zero for r in self.reduced.scheme.relations}
        return self.reduced.value({**g, "self": S.One})

    @cached_property
    def function(self) -> Smooth:
        """The limit of the excess, and its slopes."""
        scheme = self.reduced.scheme
        value = self.limit(self.excess, self.wide)
        slopes = {r.name: derivative(value, entry(r.name)) for r in scheme.relations}
        return Smooth(single(scheme, ALL), value, slopes, self.reduced.scale)

    def _program(self, point: Mapping[Symbol, Expr]) -> Program:
        return FarProgram(self)

    def _check(self, point: Mapping[Symbol, Expr]) -> None:
        """A loss is stated to be convex, for all sizes, before its limit is taken."""

    @property
    def bound(self) -> Expr:
        """By how much the loss moves at most with the inner products, up to a factor."""
        reduced = self.reduced
        if isinstance(reduced, ReducedPairwise):
            ends = [
                reduced.scheme.relation(k.relation).count
                * k.weight
                * (1 + derivative(k.function, c).xreplace({c: end}) ** 2)
                for k in reduced.loss.terms
                for end in (-S.One, S.One)
            ]
            return Add(*ends)
        return 2 * Add(*reduced.denominators.values()) / reduced.loss.temperature


def far_optimum(
    reduced: Reduced, domain: Domain, proof: Derivation
) -> tuple[FarFaces, FaceOptimum]:
    """Where the optimum goes as all sizes that are left go to infinity, as steps of a derivation.

    Raises
    ------
    DomainError
        If a limit is not proved, or the limit of the loss has more than one optimum; one line.
    """
    far = FarFaces(reduced, domain)
    names = ", ".join(s.name for s in domain.ranges)
    try:
        says = FarLimits.of(far)
        found = far.at({})
    except NoLimit as error:
        raise DomainError(f"the loss does not converge as {names} -> oo: {error}") from None
    if found.unique is not True:
        why = f" ({found.note})" if found.note else ""
        raise DomainError(
            f"the limit of the optimum as {names} -> oo is not decided: the limit of the loss "
            f"may have other minimisers{why}"
        )
    proof.add(
        f"As {names} -> oo the loss minus that of orthogonal vectors converges, and so do the "
        "inner products for given fractions of the trace",
        says,
        "",
    )
    return far, found


@dataclass(frozen=True, eq=False)
class FarLimits(Statement):
    """Limits: of the excess of the loss, of inner products in the shares, of what bounds slopes."""

    far: FarFaces
    names: Mapping[Symbol, Expr] = field(default_factory=dict)

    @classmethod
    def of(cls, far: FarFaces) -> FarLimits:
        """The statement about a loss and the sizes that go to infinity."""
        scheme = far.reduced.scheme
        names = {EXCESS: far.excess, BOUND: far.bound}
        limits = {EXCESS: far.function.value, BOUND: far.limit(far.bound)}
        for r in scheme.relations[1:]:
            weights = {e.name: scheme.table[e.name][r.name] / r.count for e in scheme.eigenspaces}
            share = {e: Symbol(f"share_{e}", nonnegative=True) for e in weights}
            at = entry(r.name)
            names[at] = Add(*(Mul(w, share[e]) for e, w in weights.items()))
            limits[at] = Add(*(far.limit(w) * share[e] for e, w in weights.items()))
        shown = Tuple(*(eq(name, limits[name]) for name in names))
        return cls(shown, far.domain, far, names, lemma=UNIFORM)

    def decide(self) -> Outcome:
        """Whether all of them are limits, that of the bound being finite."""
        shown = assignments(self.shown)
        if set(shown) != set(self.names) or not shown[BOUND].is_finite:
            return Undecided("not one finite limit for each of them")
        domain = self.far.wide
        shares = set().union(*(e.free_symbols for e in self.names.values())) - set(domain.ranges)
        for s in sorted(shares, key=str):
            domain = domain.with_range(s, between(0, 1), S.Half)
        try:
            for name, e in self.names.items():
                gap = shown[name] - self.far.limit(e, domain)
                outcome = zero(gap, domain.restricted(gap.free_symbols))
                if not isinstance(outcome, Holds):
                    return Refuted(note=f"{name} does not go to {shown[name]}")
        except NoLimit as error:
            return Undecided(str(error))
        return Holds(Evidence(Grade.EXACT, "leading terms, with every sign proved; tried far out"))
