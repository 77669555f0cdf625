"""The optimum of a softmax loss on several orbits of points, at given numbers.

The loss is the mean over all anchors. An anchor of an orbit sees the relations of its orbit, and
its term is that of a :class:`ReducedLoss` on these; relations of one kind count together, as in a
denominator over all other points. One multiplier per orbit and a small PSD block for every
eigenspace make the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from sympy import Expr, Integer, Le, Rational, S, Symbol, Tuple

from ..decide.ball import enclosure
from ..decide.calculus import derivative
from ..decide.decide import all_zero
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Evidence, Holds, Outcome, Undecided
from ..frozen import Frozen
from ..losses.softmax import SoftmaxLoss
from ..proof.derivation import Derivation
from ..proof.lemmas import AVERAGING, DUALITY
from ..proof.relations import eq, gt
from ..proof.statement import Relations, Statement
from ..structures.configuration import Block, Configuration
from ..structures.scheme import Relation
from .duality import Certificate
from .program import Program, Smooth, entry
from .reduce import ReducedLoss, check_at_numbers, check_relations
from .segment_facts import with_reals
from .solve import NotDecided, Numbers, Optima, Solved, number_of

#: What the gap of a certificate must be below.
TOLERANCE = Rational(1, 10**12)
#: Below this temperature optima are followed from above, with so many bits over the temperature,
#: in steps that are halved as long as one is not above this part of the temperature.
WARM, BITS_PER_HEAT, SLOWEST = Rational(1, 16), 8, Rational(15, 16)


class Row(Frozen):
    """What an anchor of an orbit sees: its relations, with their numbers of partners."""

    orbit: str
    relations: tuple[Relation, ...]

    def relation(self, name: str) -> Relation:
        """Look a relation up by name."""
        return next(r for r in self.relations if r.name == name)


class ReducedOnOrbits(Frozen):
    """A softmax loss on a configuration; its terms name kinds of relations.

    Raises
    ------
    DomainError
        If a term names a kind that there is not.
    """

    loss: SoftmaxLoss
    configuration: Configuration

    def __post_init__(self) -> None:
        kinds = self.configuration.kinds
        for term in self.loss.terms:
            check_relations(self.loss, (*term.positives, *term.denominator), kinds)

    @cached_property
    def rows(self) -> tuple[tuple[Expr, ReducedLoss], ...]:
        """For each orbit its part of all anchors, and the loss of one anchor of it."""
        found = []
        for orbit in self.configuration.orbits:
            seen = self.configuration.seen(orbit.name)
            row = Row(orbit.name, tuple(Relation(r.name, r.partners(orbit.name)) for r in seen))
            loss = self.loss.seen({r.name: r.kind for r in seen})
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


class BlockOptimum(Frozen):
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
    certificate, program, solved
        What can be checked again, and made more precise.
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
    solved: Solved

    @property
    def dimension(self) -> Expr:
        """The rank of the Gram matrix: ranks of the blocks, times their multiplicities."""
        point = self.program.point
        parts = (self.ranks[e.name] * e.multiplicity.xreplace(point) for e in self.program.blocks)
        return sum(parts, S.Zero)

    def written(self, bits: int) -> tuple[Program, Certificate]:
        """A certificate with so many bits."""
        return self.program, Certificate.from_found(
            self.program, self.solved.within(2 * bits), bits
        )

    def value(self, kind: str, name: str = "") -> Expr:
        """``share``, ``inner``, ``multiplier``, ``rank`` of a name; ``loss``, ``gap``, ``rank``."""
        names = (e.name for e in self.program.function.configuration.blocks)
        tables = {
            "loss": {"": self.loss},
            "gap": {"": self.gap},
            "rank": {"": self.dimension} | {e: Integer(self.ranks.get(e, 0)) for e in names},
            "share": self.shares,
            "inner": self.inner,
            "multiplier": self.multipliers,
        }
        return number_of(tables, kind, name)


class BlockOptima(Optima[BlockOptimum]):
    """The optima of a loss on a configuration, as a function of numbers for its symbols."""

    def __init__(self, reduced: ReducedOnOrbits, parameters: tuple[Symbol, ...]):
        self.reduced = reduced
        super().__init__(reduced.loss.name, parameters)

    def solve(self, point: Mapping[Symbol, Expr]) -> BlockOptimum:
        """The optimum at numbers for all parameters, with its certificate."""
        for _, reduced in self.reduced.rows:
            check_at_numbers(reduced.declaration(), self.name, point)
        solved = self._solved(point)
        program, number = solved.program, Numbers(solved, self.name)
        certificate = Certificate.from_found(program, solved.found)
        outcome = certificate.check(program, TOLERANCE)
        if not isinstance(outcome, Holds):
            raise NotDecided(f"the optimum has no certificate: {outcome}")
        return BlockOptimum(
            ranks=number.ranks,
            shares={
                name: number("share", name)
                if number.ranks[program.blocks[slot.block].name]
                else S.Zero
                for name, slot in zip(number.slots, program.slots, strict=True)
            },
            inner=number.inner,
            loss=number("loss"),
            multipliers={o: number("multiplier", o) for o in program.orbits},
            gap=_upper(certificate, program),
            certificate=certificate,
            program=program,
            evidence=outcome.evidence,
            solved=solved,
        )

    def _solved(self, point: Mapping[Symbol, Expr]) -> Solved:
        """The optimum of the program; at small temperatures it is followed from a larger one.

        What is to be told from zero is as small as exp(-1/tau), and far from the central path no
        step is long. The face seldom changes there, and on it Newton's method follows the optimum.
        """

        def at(heat: Expr) -> Program:
            here = {**point, temperature: heat} if temperature.is_Symbol else point
            program = Program(self.reduced.function, here)
            program.check_parameters()
            return program

        temperature = self.reduced.loss.temperature
        target = temperature.xreplace(dict(point))
        if not (temperature.is_Symbol and target.is_Rational and target < WARM):
            return Solved(at(target))
        heat = target
        while heat < WARM:
            heat *= 2
        solved = Solved(at(heat))
        pace = Rational(1, 2)
        while heat != target:
            colder = max(heat * pace, target)
            bits = int(BITS_PER_HEAT / colder)
            last = solved.found
            try:
                nearer = Solved(at(colder), (last.face, (last.shares, last.multipliers), bits))
            except NotDecided:
                pace = (1 + pace) / 2
                if pace > SLOWEST:
                    raise
                continue
            solved, heat = nearer, colder
        return solved


def _upper(certificate: Certificate, program: Program) -> Rational:
    """The bound on the gap, rounded up to a power of ten."""
    gap = certificate.gap(program)
    k = 300
    while k > 0 and not gap < enclosure(Rational(1, 10**k), 256):
        k -= 1
    return Rational(1, 10**k)


# --- statements ------------------------------------------------------------------------------
class Blocks(Statement):
    """Rows ``(entry of a block, linear in the inner products; its multiplicity)``.

    The entries are those of the Gram matrix between unit vectors of the block, times the root of
    (size of the column's orbit)/(size of the row's). Their coefficients are a table, which must
    obey the relations of :meth:`Configuration.residuals`. A block that never occurs has no row.
    """

    configuration: Configuration

    @classmethod
    def from_configuration(cls, configuration: Configuration, domain: Domain) -> Blocks:
        """The statement about a configuration."""
        rows = []
        for e, i, j in places(configuration):
            entries = (
                table[r.name] * entry(r.name)
                for table in [configuration.table[e.name]]
                for r in configuration.relations
                if configuration.place(e, r) == (i, j)
            )
            rows.append(Tuple(sum(entries, S.Zero), e.multiplicity))
        return cls(Tuple(*rows), domain, configuration)

    @property
    def structure(self) -> Configuration:
        """The configuration."""
        return self.configuration

    def decide(self) -> Outcome:
        """Whether the rows obey them."""
        whole = self.configuration
        shown = list(places(whole))
        if len(self.shown.args) != len(shown):
            return Undecided("not one row for each entry of each block")
        never = {e.name: e.multiplicity for e in whole.blocks if e.multiplicity == 0}
        table = {e.name: dict(whole.table[e.name]) if e.name in never else {} for e in whole.blocks}
        multiplicity: dict[str, Expr] = dict(never)
        rest = []
        for (e, i, j), row in zip(shown, self.shown.args, strict=True):
            if not isinstance(row, Tuple) or len(row.args) != 2:
                return Undecided("a row is an entry and its multiplicity")
            left = row.args[0]
            for r in whole.relations:
                rate = derivative(row.args[0], entry(r.name))
                left -= rate * entry(r.name)
                if whole.place(e, r) == (i, j):
                    table[e.name][r.name] = rate
                else:
                    rest.append(rate)
            rest += [left.expand(), row.args[1] - multiplicity.setdefault(e.name, row.args[1])]
        blocks = tuple(replace(e, multiplicity=multiplicity[e.name]) for e in whole.blocks)
        read = replace(whole, blocks=blocks, table=table)
        return all_zero([*rest, *read.residuals()], self.domain)


def places(configuration: Configuration) -> Iterator[tuple[Block, int, int]]:
    """The entries of all blocks that occur."""
    for e in configuration.blocks:
        if e.multiplicity != 0:
            for i, j in e.slots():
                yield e, i, j


class Certified(Statement):
    """``gap <= bound``: at the witness of the domain a certificate is found, checked in balls."""

    optima: BlockOptima

    def decide(self) -> Outcome:
        """Whether it is."""
        if not isinstance(self.shown, Le) or self.shown.args[0] != Symbol("gap"):
            return Undecided("what is shown does not bound the gap")
        try:
            found = self.optima.at(self.domain.witness)
        except DomainError as error:
            return Undecided(str(error))
        return found.certificate.check(found.program, self.shown.args[1])


def state_reduction(reduced: ReducedOnOrbits, domain: Domain, proof: Derivation) -> None:
    """Record the loss with one inner product per relation, its convexity and the blocks."""
    g = {r.name: entry(r.name) for r in reduced.configuration.relations}
    loss = Symbol("L")
    declared = sum((part * row.declared(g) for part, row in reduced.rows), S.Zero)
    proof.holds(
        "The loss as a function of one inner product per relation",
        eq(loss, reduced.function.value),
        "by symmetry all anchors of an orbit have the same loss; each orbit counts "
        "with its fraction of all anchors",
        with_reals(domain, g.values()),
        names={loss: declared},
    )
    convex = [row.preconditions(domain) for _, row in reduced.rows]
    parts = Tuple(*(gt(part, S.Zero) for part, _ in reduced.rows))
    proof.add(
        "The loss is convex in the Gram matrix and invariant, so some optimum has one inner "
        "product per relation",
        Relations(parts, domain, premises=tuple(convex)),
        AVERAGING,
    )
    proof.add(
        "Entries of the blocks of the Gram matrix, with multiplicities",
        Blocks.from_configuration(reduced.configuration, domain),
        "the table of coefficients satisfies the orthogonality relations of the "
        "symmetry; a block that occurs in one orbit only is an eigenvalue, and the "
        "matrix is positive semidefinite iff all blocks are",
    )


def state_certificate(optima: BlockOptima, domain: Domain, proof: Derivation) -> None:
    """Record that the optimum is found and certified, at the witness of a domain."""
    at = ", ".join(f"{s} = {v}" for s, v in domain.witness.items())
    proof.add(
        f"The optimum is computed and certified for numerical values, here {at}",
        Certified(Le(Symbol("gap"), TOLERANCE), domain, optima),
        DUALITY,
    )
