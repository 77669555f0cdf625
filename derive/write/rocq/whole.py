"""Whole theorems: no unit vectors of any dimension have a smaller loss than a pure structure.

Where an eigenvalue is not always above the level of the structure, that it is so is the condition
of the theorem: beyond it another structure is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property

from sympy import Basic, Expr, Ge, Le, exp

from ...decide.domain import Domain, DomainError
from ...errors import Unproved
from ...frozen import FrozenValue
from ...optimum.batches import MeanCondition
from ...optimum.condition import Condition
from ...optimum.vertex import Vertex, vertex
from ...problems.batches import BatchProblem
from ...problems.declared import PROBLEMS
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...structures.scheme import Scheme
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .between import optima_between
from .declared import Kinds, listed
from .kinds import read
from .merging import merged, merging
from .signs import Signs
from .statements import Theorem, gap_of
from .structure import KNOWN, AtStructure
from .terms import NotWritten, lemma, relation

#: Of a threshold with more of them Rocq does not find that it is the condition.
MOST_EXPONENTIALS = 2


def whole(called: str, result: Result) -> Iterator[Theorem]:
    """The theorems about the structures that a result is about.

    Those are pure ones, always optimal, or iff a parameter is on one side of a threshold of the
    result; where there are none, all that are optimal somewhere. Those between two of them are
    optimal where a root of the result is, and then the two are among them.

    Raises
    ------
    NotWritten
        If the loss or the structure is of a kind that the library does not know.
    """
    if (condition := merging(result)) is not None:
        yield merged(called, result, condition)
        return
    if reason := _lacks(result):
        raise NotWritten(reason)
    problem = problem_of(result)
    read(called, problem, {})
    compared = problem.on_all_data({}) if isinstance(problem, BatchProblem) else problem
    reasons = ["no pure structure is optimal"]
    found: dict[str, AtVertex] = {}
    theorems: dict[str, Theorem] = {}
    for e in problem.scheme.eigenspaces:
        try:
            at_vertex = vertex(compared, e.name, Derivation())
            if at_vertex.verdict != "never":
                at = AtVertex(f"{called}_{e.name}", result, problem, at_vertex)
                found[e.name], theorems[e.name] = at, at.theorem
        except (NotWritten, Unproved, DomainError) as why:
            reasons.append(str(why))
    if not theorems:
        raise NotWritten(reasons[-1])
    edges = list(optima_between(called, result, problem))
    wanted = {e for e, at in found.items() if at.settled} or found.keys()
    ends = {e for at in edges for e in at.edge.names}
    yield from (theorem for e, theorem in theorems.items() if e in wanted | ends)
    for at_edge in edges:
        yield from at_edge.theorems


def _lacks(result: Result) -> str:
    """Why a result is about nothing that the library knows, if it is not."""
    if result.draw is not None:
        return ""
    if getattr(result.declared, "similarity", None) is not None:
        return "the similarity is a kernel, and the loss need not be convex in the Gram matrix"
    if result.declared is None:
        return "the result describes a structure, without a loss"
    if result.problem is None or not isinstance(result.problem.structure, Scheme):
        return "classes have different sizes, for which only numerical values are proved"
    return ""


def problem_of(result: Result) -> Problem:
    """The loss, the structure and the ranges that a result is about."""
    if result.draw is None:
        assert result.problem is not None
        return result.problem
    assert result.declared is not None
    # Thresholds in a parameter are meant for all of its values, and have no range of it.
    domain = next((d for loss, _, d in PROBLEMS if loss == result.declared), result.domain)
    domain = result.draw.within(domain)
    if result.draw.law is not None:
        domain = within(domain, result.domain)
    if not result.domain.ranges.items() <= domain.ranges.items():
        raise NotWritten("it is about other batches than those that are drawn for its loss")
    return BatchProblem(result.declared, result.draw.whole, domain, result.draw)


def within(domain: Domain, other: Domain) -> Domain:
    """A domain with the ranges that another has of its symbols."""
    ranges = {s: other.ranges.get(s, r) for s, r in domain.ranges.items()}
    return Domain(ranges, {**domain.witness, **other.restricted(ranges).witness})


class Compared(FrozenValue):
    """A pure structure over random batches, with a condition for each other eigenspace."""

    name: str
    inner: Mapping[str, Expr]
    domain: Domain
    conditions: Mapping[str, MeanCondition]

    @property
    def open(self) -> dict[str, MeanCondition]:
        """The conditions on which it depends whether it is optimal."""
        return {e: c for e, c in self.conditions.items() if not c.holds}


class AtVertex(AtStructure):
    """The theorem about one pure structure."""

    vertex: Vertex | Compared

    @property
    def domain(self) -> Domain:
        """Where."""
        return self.vertex.domain

    @property
    def inner(self) -> Mapping[str, Expr]:
        """Inner products of the structure, by relation."""
        return self.vertex.inner

    def _multiplier(self, kinds: Kinds, e: str) -> str:
        """The lemma that the eigenvalue on a space is at least the level, or when it is."""
        gap, goal, shown = self._gap(kinds), self._above(kinds), self.conditions.get(e)
        side = gap_of(shown)[0] if shown is not None else gap
        known = self.vertex.conditions.get(e)
        domain = known.domain if known else self.domain
        if shown is not None:
            goal = f"({relation(shown)} <-> {goal})"
        called, first = f"{self.called}_{self._name(kinds)}", self._first(e)
        if kinds != first:
            return lemma(called, domain, goal, self._as_of(first, kinds))
        signs = Signs([gap, side, *self.declared.gradient.values()], domain, self.declared.spelled)
        if shown is not None:
            proof = [f"gap; {signs.same_sign(side, gap)}"]
        elif e == self.vertex.name:
            signs.check_zero(gap)
            proof = ["right. eq."]
        else:
            proof = ["gap.", *signs.proof(gap, strict=False)]
        return lemma(called, domain, goal, [*self._unfolded(signs), *proof])

    def _as_of(self, first: Kinds, kinds: Kinds) -> list[str]:
        """The same by the lemma of another space of the eigenspace, whose eigenvalue it is."""
        one, other = (self._eigenvalue(k) for k in (first, kinds))
        return [
            f"replace ({other}) with ({one});",
            f"  [apply {self.called}_{self._name(first)}; assumption |].",
            *self._spelled_out(),
            "eq.",
        ]

    @cached_property
    def conditions(self) -> dict[str, Basic]:
        """What the theorem depends on, by eigenspace: a threshold of the result if it is one."""
        return {e: self._condition(e, c) for e, c in self.vertex.open.items()}

    @property
    def settled(self) -> bool:
        """Whether it is always optimal, or one of its conditions is a threshold of the result."""
        known = (q.threshold for q in self.result.quantities.values() if q.threshold)
        thresholds = {(q.parameter, q.value) for q in known}
        return not self.conditions or any(c.args in thresholds for c in self.conditions.values())

    @cached_property
    def deciding(self) -> dict[Basic, str]:
        """Each of them once, with an eigenspace that always has a dimension.

        Raises
        ------
        NotWritten
            If a condition is only there for some sizes.
        """
        found: dict[Basic, str] = {}
        for e, c in self.vertex.open.items():
            if c.domain.ranges == self.domain.ranges:
                found.setdefault(self.conditions[e], e)
        for e, shown in self.conditions.items():
            if shown not in found:
                when = self.vertex.open[e].when.lower()
                raise NotWritten(f"the condition on {e} is only there {when}")
        return found

    def _condition(self, e: str, c: Condition | MeanCondition) -> Basic:
        solved = self.solving(e)
        return solved[0] if solved else c.relation

    def solving(self, e: str) -> tuple[Basic, Quantity] | None:
        """A threshold of the result that is the condition on an eigenspace."""
        gap = self._gap(self._first(e))
        for q in self.result.quantities.values():
            if q.threshold is None or q.expression != q.threshold.value:
                continue
            parameter, shown = q.threshold.parameter, q.threshold.value
            value, domain = self._apart(shown, q)
            if len(value.atoms(exp)) > MOST_EXPONENTIALS:
                continue
            for kind, sign in ((Le, -1), (Ge, 1)):
                with suppress(NotWritten):
                    Signs([gap, value], domain).positive_ratio(sign * (parameter - value), gap)
                    return kind(parameter, shown, evaluate=False), q
        return None

    def _apart(self, value: Expr, _: Quantity) -> tuple[Expr, Domain]:
        """A value of a quantity as an expression in numbers, and the domain of those."""
        return value, self.domain

    # --- the theorem -----------------------------------------------------------------------------
    @cached_property
    def theorem(self) -> Theorem:
        """The statement, the definitions that it needs, and the proof with its lemmas."""
        deciding = self.deciding
        attained, least = self._least()
        needed = " /\\ ".join(relation(c, self._written) for c in deciding)
        claim = f"(({needed}) <-> {least})" if needed else least
        when = f", iff {' and '.join(map(str, deciding))}" if needed else ""
        return self._theorem(f"{attained} /\\ {claim}", when, self._lemmas())

    @property
    def _written(self) -> Mapping[Expr, str]:
        """What is written otherwise in the statement."""
        return self._naturals

    def _lemmas(self) -> Iterator[str]:
        """On real numbers: that the loss is convex, and all eigenvalues."""
        yield self._convexity()
        for kinds, e in self.spaces.items():
            yield self._multiplier(kinds, e)

    def _fact(self, kinds: Kinds) -> str:
        """What is known of a space: that it is above the level, or when it is."""
        return f"({self._at(self._name(kinds))})"

    def _applied(self, kinds: Kinds) -> str:
        """This applied to show that it is above the level."""
        side = "->" if self.spaces[kinds] in self.conditions else ""
        return f"apply {side} {self._fact(kinds)}; first [{KNOWN}]"

    def _proof(self) -> Iterator[str]:
        own = self.pure(self.vertex.name)
        yield self._there("th", own)
        yield from self._is("pu", f"pure {self._reals} {listed(own)} a_")
        yield "split; [exact (exists_at _ _ _ th pu) |]."
        if self.conditions:
            yield "split; [intro given | intro L; repeat split]."
        yield "{ refine (optimal _ _ _ _ _ one (smooth_tangent _ _ _ _ _ smooth_) _); each_space."
        for k in self.spaces:
            yield f"  - {self._applied(k)}."
        yield "}"
        for e in self.deciding.values():
            k = self._first(e)
            yield f"{{ apply <- {self._fact(k)}; first [{KNOWN} | idtac]."
            yield f"  refine (needed _ _ _ _ _ one _ th pu {listed(k)} smooth_ _ L);"
            yield "    simpl; repeat split; lra. }"
