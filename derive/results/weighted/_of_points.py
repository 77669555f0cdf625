"""Weights for given points: the loss with a relation for every pair, its bound, and its optimum.

No two pairs need be alike, so each point is an orbit of its own and the Gram matrix is one block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, Gt, S, Symbol, exp
from sympy.core.symbol import Str

from ...decide.ball import Enclosures, NotEnclosed, enclosure, precision
from ...decide.domain import Domain, DomainError
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ...losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ...optimum.blocks import BlockOptima, ReducedOnOrbits
from ...optimum.polish import Face
from ...optimum.program import Program
from ...optimum.solve import NotDecided, Solved, Start
from ...optimum.value import Digits, FaceValue, Handle
from ...proof.derivation import Derivation
from ...proof.statement import Statement
from ...structures.configuration import Block, Configuration, Orbit, Pairs
from ...theorem.at_numbers import AtNumbers
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...theorem.subject import Subject

q = Symbol("q", integer=True, positive=True)
#: Of more points the optimum takes too long, and of more a matrix is not written out.
MOST_POINTS, MOST_ROWS = 12, 40
#: Bits with which numbers are told apart.
LADDER = (128, 512, 2048)

Rows = Sequence[Sequence[Expr]]
#: What is derived for data, at values of the parameters.
OfData = Callable[[Mapping[str, Any], Mapping[Symbol, Expr], Derivation], dict[str, Quantity]]


def two_or_more(name: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """What refuses a single row."""

    def check(data: Mapping[str, Any]) -> Mapping[str, Any]:
        if len(data[name]) < 2:
            raise DomainError(f"{name}: one row is one point; give two rows or more")
        return data

    return check


def pair(i: int, j: int) -> str:
    """What the relation of two points is called."""
    return f"pair_{min(i, j)}_{max(i, j)}"


def points(size: int) -> Configuration:
    """Points without any symmetry."""
    names = [str(i) for i in range(size)]
    relations = [Pairs(f"self_{a}", "self", a, a, S.One, S.One) for a in names]
    relations += [
        Pairs(pair(i, j), pair(i, j), names[i], names[j], S.One, S.One)
        for i in range(size)
        for j in range(i + 1, size)
    ]
    block = Block("gram", S.One, tuple(names), ("constant",) * size)
    table = {"gram": {r.name: S.One for r in relations}}
    orbits = tuple(Orbit(a, S.One) for a in names)
    return Configuration(orbits, tuple(relations), (block,), table, {})


class PointOptima(BlockOptima):
    """The optima, found from a start nearby if there is one."""

    near: tuple[Face, Start, int] | None = None

    def _solved(self, point: Mapping[Symbol, Expr]) -> Solved:
        if self.near is not None:
            program = Program(self.reduced.function, point)
            program.check_parameters()
            try:
                return Solved(program, self.near)
            except NotDecided:
                pass
        return super()._solved(point)


class Weights:
    """Positive symmetric weights, by their logarithms."""

    def __init__(self, log_weights: Rows):
        self.log = log_weights
        self.size = len(log_weights)

    @property
    def loss(self) -> SoftmaxLoss:
        """InfoNCE with these weights, the anchor left out of numerator and denominator."""
        pairs = [(i, j) for i in range(self.size) for j in range(i + 1, self.size)]
        kinds = tuple(pair(i, j) for i, j in pairs)
        weights = tuple(exp(self.log[i][j]) for i, j in pairs)
        term = SoftmaxTerm(S.One, positives=kinds, denominator=kinds, weights=weights)
        source = "vock2026unified Definition 3.1"
        return SoftmaxLoss("weighted-infonce", "Weighted InfoNCE", (term,), tau, source)

    @cached_property
    def bound(self) -> Expr:
        """The entropy of the normalised weights, the mean over rows."""
        return Digits(Handle(self, "entropic bound"), Str("bound"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around the bound."""
        with precision(bits + 32):
            of = Enclosures(bits + 32, {})
            total = of(S.Zero)
            for i, row in enumerate(self.log):
                logs = [of(e) for j, e in enumerate(row) if j != i]
                weights = [e.exp() for e in logs]
                whole = sum(weights, of(S.Zero))
                mean = sum((w * e for w, e in zip(weights, logs, strict=True)), of(S.Zero)) / whole
                total += whole.log() - mean
            return total / self.size

    def gap_of(self, similarity: Callable[[int, int], Any], bits: int) -> Any:
        """A ball around the loss at similarities, minus the bound."""
        with precision(bits):
            of = Enclosures(bits, {})
            k, total = range(self.size), -self.ball("bound", "", bits)
            for i in k:
                logs = {j: of(self.log[i][j]) for j in k if j != i}
                weights = {j: e.exp() for j, e in logs.items()}
                whole = sum(weights.values(), of(S.Zero))
                s = {j: similarity(i, j) for j in logs}
                below = sum((e.exp() for e in s.values()), of(S.Zero)).log()
                mean = sum((w * s[j] for j, w in weights.items()), of(S.Zero)) / whole
                total += (below - mean) / self.size
            return total

    @cached_property
    def optima(self) -> PointOptima:
        """Where the loss is least, in as many dimensions as there are points."""
        if self.size > MOST_POINTS:
            raise DomainError(
                f"the optimum is found for up to {MOST_POINTS} points, not for {self.size}"
            )
        return PointOptima(ReducedOnOrbits(self.loss, points(self.size)), (tau,))

    def best(self, kind: str, heat: Expr, name: str = "") -> Expr:
        """A number of the optimum at a temperature."""
        return FaceValue.of(self.optima, kind, name).xreplace({tau: heat})

    def best_cosines(self, heat: Expr) -> list[list[Expr]]:
        """The cosines there."""
        k = range(self.size)
        return [[S.One if i == j else self.best("inner", heat, pair(i, j)) for j in k] for i in k]


@dataclass(frozen=True, eq=False)
class InBalls(Statement):
    """``left > right`` between numbers, which balls tell apart; ``names`` says what they are."""

    def decide(self) -> Outcome:
        """Whether it is so."""
        if not isinstance(self.shown, Gt):
            return Undecided(f"{self.shown} is no strict inequality")
        left, right = (side.xreplace(dict(self.names)) for side in self.shown.args)
        for bits in LADDER:
            try:
                with precision(bits):
                    gap = enclosure(left, bits) - enclosure(right, bits)
            except NotEnclosed as error:
                return Undecided(str(error))
            if gap > 0:
                return Holds(Evidence(Grade.INTERVAL, f"balls with {bits} bits"))
            if gap < 0:
                return Refuted({}, f"the difference is {gap.str(3, radius=False)}")
        return Undecided(f"the difference is within {gap.abs_upper().str(3, radius=False)} of zero")


class OfPoints(AtNumbers):
    """A theorem for given points; with all it needs given, found at these numbers.

    Parameters
    ----------
    id, title, source
        As of any result.
    parameters, lists
        What may be given; with data, ``with_data`` are the parameters instead.
    domain
        Of all of them.
    derive
        What is derived for data, at values of parameters.
    check
        Refuses data, or makes of them what ``derive`` gets.
    weighted, setting
        The loss that it is about, or what there is where that is no loss of weights.
    data, at
        What was given.
    """

    def __init__(
        self,
        id: str,
        *,
        title: str,
        source: str,
        parameters: tuple[Symbol, ...],
        with_data: tuple[Symbol, ...],
        lists: tuple[ListOf, ...],
        domain: Domain,
        meanings: Mapping[Symbol, str],
        derive: OfData,
        check: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
        subject: Subject | None = None,
        data: Mapping[str, Any] | None = None,
        at: Mapping[Symbol, Expr] | None = None,
    ):
        chosen = with_data if data else parameters
        super().__init__(
            id,
            title=title,
            source=source,
            parameters=chosen,
            domain=domain.restricted(chosen),
            build=lambda proof: derive(self.data, self.fixed, proof),
            lists=lists,
            read=lambda at=None, **given: self._again(check(given), {}),
            meanings=meanings,
            subject=subject,
        )
        self._made: dict[str, Any] = {
            "title": title,
            "source": source,
            "parameters": parameters,
            "with_data": with_data,
            "lists": lists,
            "domain": domain,
            "meanings": meanings,
            "derive": derive,
            "check": check,
            "subject": subject,
        }
        self.data, self.fixed = dict(data or {}), dict(at or {})

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> OfPoints:
        """The same for the data at these values."""
        return self._again(self.data, fixed)

    def found_at_numbers(self, name: str) -> bool:
        """Whether there are data."""
        return bool(self.data)

    @property
    def takes_oo(self) -> bool:
        """Whether it is a formula: without data values are put in later."""
        return not self.data

    def there(self, point: Mapping[Symbol, Expr]) -> AtNumbers:
        """The same where parameters have these values; without data they are put in later."""
        return super().there(point) if self.data else self

    def _again(self, data: Mapping[str, Any], at: Mapping[Symbol, Expr]) -> OfPoints:
        made = OfPoints(self.id, data=data, at=at, **self._made)
        made.made_for = dict(self.made_for)
        return made
