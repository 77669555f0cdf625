"""The optimum of a softmax loss on several orbits of points, at given numbers.

The loss is the mean over all anchors. An anchor of an orbit sees the relations of its orbit, and
its term is that of a :class:`ReducedLoss` on these; relations of one kind count together, as in a
denominator over all other points. One multiplier per orbit and a small PSD block for every
eigenspace make the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Integer, Rational, S, Symbol
from sympy.core.symbol import Str

from ..decide.ball import NotEnclosed, enclosure, precision
from ..decide.digits import sign
from ..decide.domain import DomainError
from ..decide.evidence import Evidence, Holds
from ..losses.softmax import SoftmaxLoss
from ..structures.configuration import Configuration
from ..structures.scheme import Relation
from .duality import Certificate
from .face import Digits, Handle
from .program import Program, Smooth, entry
from .reduce import ReducedLoss, check_relations
from .solve import NotDecided, Solved

#: What the gap of a certificate must be below.
TOLERANCE = Rational(1, 10**12)


@dataclass(frozen=True, eq=False)
class Row:
    """What an anchor of an orbit sees: its relations, with their numbers of partners."""

    orbit: str
    relations: tuple[Relation, ...]

    def relation(self, name: str) -> Relation:
        """Look a relation up by name."""
        return next(r for r in self.relations if r.name == name)


@dataclass(frozen=True, eq=False)
class ReducedOnOrbits:
    """A softmax loss on a configuration; its terms name kinds of relations.

    Raises
    ------
    DomainError
        If a term names a kind that there is not.
    """

    loss: SoftmaxLoss
    configuration: Configuration

    def __post_init__(self) -> None:
        kinds = list(dict.fromkeys(r.kind for r in self.configuration.relations))
        for term in self.loss.terms:
            check_relations(self.loss, (*term.positives, *term.denominator), kinds)

    @cached_property
    def rows(self) -> tuple[tuple[Expr, ReducedLoss], ...]:
        """For each orbit its part of all anchors, and the loss of one anchor of it."""
        found = []
        for orbit in self.configuration.orbits:
            seen = [r for r in self.configuration.relations if orbit.name in (r.left, r.right)]
            row = Row(orbit.name, tuple(Relation(r.name, r.partners(orbit.name)) for r in seen))

            def of(kinds: tuple[str, ...], seen: Any = seen) -> tuple[str, ...]:
                return tuple(r.name for r in seen if r.kind in kinds)

            terms = tuple(
                replace(t, positives=of(t.positives), denominator=of(t.denominator))
                for t in self.loss.terms
            )
            loss = replace(self.loss, terms=terms)
            part = orbit.size / self.configuration.size
            found.append((part, ReducedLoss(loss, row)))  # type: ignore[arg-type]
        return tuple(found)

    @cached_property
    def function(self) -> Smooth:
        """The loss and its slopes in the inner products."""
        names = [r.name for r in self.configuration.relations]
        g = {name: entry(name) for name in names}
        slopes = dict.fromkeys(names, S.Zero)
        value: Expr = S.Zero
        for part, reduced in self.rows:
            value += part * reduced.value(g)
            gradient = reduced.pair_gradient(g)
            for r in reduced.scheme.relations:
                slopes[r.name] += part * r.count * gradient[r.name] / reduced.scale
        return Smooth(self.configuration, value, slopes)


@dataclass(frozen=True, eq=False)
class BlockOptimum:
    """Where a loss is least on a configuration at given numbers.

    Attributes
    ----------
    ranks
        Rank of every block; 0 is not occupied.
    shares
        Entries of the shares by block and orbits, ``means[a, b]``.
    inner
        The inner product of each relation (those without pairs left out).
    loss
        The least value.
    multipliers
        One for each orbit.
    gap
        A proved bound on how far the loss at the certificate is from the least.
    certificate, program
        What can be checked again.
    """

    ranks: Mapping[str, int]
    shares: Mapping[str, Expr]
    inner: Mapping[str, Expr]
    loss: Expr
    multipliers: Mapping[str, Expr]
    gap: Rational
    certificate: Certificate
    program: Program
    evidence: Evidence

    def value(self, kind: str, name: str = "") -> Expr:
        """``share``, ``inner``, ``multiplier`` or ``rank`` of a name; ``loss`` or ``gap``."""
        if kind in ("loss", "gap"):
            return self.loss if kind == "loss" else self.gap
        if kind == "rank":
            if self.program.function.configuration.block(name).multiplicity == 0:
                return S.Zero
            return Integer(self.ranks.get(name, 0))
        table = {"share": self.shares, "inner": self.inner, "multiplier": self.multipliers}[kind]
        if name not in table:
            raise DomainError(f"there is no {kind} of {name} there; there are {', '.join(table)}")
        return table[name]


class BlockOptima:
    """The optima of a loss on a configuration, as a function of numbers for its symbols."""

    def __init__(self, reduced: ReducedOnOrbits, parameters: tuple[Symbol, ...]):
        self.reduced, self.parameters = reduced, parameters
        self.name = reduced.loss.name
        self._known: dict[tuple[Expr, ...], BlockOptimum] = {}

    def at(self, point: Mapping[Symbol, Expr]) -> BlockOptimum:
        """The optimum at numbers for all parameters.

        Raises
        ------
        DomainError
            If a symbol has no value, the loss is not defined or not convex there, or the face of
            the optimum is not decided; one line.
        """
        values = tuple(point.get(s, s) for s in self.parameters)
        if values not in self._known:
            if len(self._known) >= 256:
                self._known.clear()
            try:
                self._known[values] = self._solve(dict(zip(self.parameters, values, strict=True)))
            except NotEnclosed as error:
                raise NotDecided(f"the optimum is not decided: {error}") from None
        return self._known[values]

    def _solve(self, point: Mapping[Symbol, Expr]) -> BlockOptimum:
        for _, reduced in self.reduced.rows:
            for condition in reduced.declaration():
                value = condition.expression.xreplace(dict(point))
                bound = "> 0" if condition.strict else ">= 0"
                if value.free_symbols:
                    left = ", ".join(sorted(s.name for s in value.free_symbols))
                    raise DomainError(f"a face is found at numbers: give {left}")
                found = sign(value) if value.is_finite else None
                if found is None or found < 0 or (condition.strict and found == 0):
                    raise DomainError(f"{self.name}: {condition.says} must be {bound}, not {value}")
        program = Program(self.reduced.function, point)
        program.check_parameters()
        solved = Solved(program)
        numbers = _Numbers(solved)
        handle = Handle(numbers, self.name)
        ranks = {
            e.name: part.rank
            for e, part in zip(program.blocks, solved.found.face.parts, strict=True)
        }
        certificate = Certificate.of(program, solved.found)
        outcome = certificate.check(program, TOLERANCE)
        if not isinstance(outcome, Holds):
            raise NotDecided(f"the optimum has no certificate: {outcome}")

        def number(kind: str, name: str = "") -> Expr:
            return Digits(handle, Str(kind), Str(name))

        return BlockOptimum(
            ranks=ranks,
            shares={
                name: number("share", name) if ranks[program.blocks[slot.block].name] else S.Zero
                for name, slot in zip(numbers.slots, program.slots, strict=True)
            },
            inner={
                r.name: S.One if r.kind == "self" else number("inner", r.name)
                for r in program.relations
            },
            loss=number("loss"),
            multipliers={o: number("multiplier", o) for o in program.orbits},
            gap=_upper(certificate, program),
            certificate=certificate,
            program=program,
            evidence=outcome.evidence,
        )


def _upper(certificate: Certificate, program: Program) -> Rational:
    """The bound on the gap, rounded up to a power of ten."""
    gap = certificate.gap(program)
    k = 300
    while k > 0 and not gap < enclosure(Rational(1, 10**k), 256):
        k -= 1
    return Rational(1, 10**k)


class _Numbers:
    """Balls of the numbers of a solved program on several orbits."""

    def __init__(self, solved: Solved):
        self.solved = solved
        program = solved.program
        self.slots = []
        for s in program.slots:
            e = program.blocks[s.block]
            place = f"[{e.orbits[s.i]}, {e.orbits[s.j]}]" if e.size > 1 else ""
            self.slots.append(f"{e.name}{place}")

    def ball(self, kind: str, name: str, bits: int) -> Any:
        found, program = self.solved.within(bits), self.solved.program
        with precision(found.bits):
            if kind == "loss":
                return found.value
            if kind == "multiplier":
                return found.multipliers[program.orbits.index(name)]
            if kind == "share":
                return found.shares[self.slots.index(name)]
            return found.inner[[r.name for r in program.relations].index(name)]
