"""Whole theorems about optima between two pure structures: where the derivative is zero, if so.

There the gradient's eigenvalues on the two agree; every other is larger than one of them all along
the edge, which is an inequality between real numbers. That the derivative has a zero, where it has
different signs at the ends, is a theorem of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import permutations

from sympy import Expr, Rational, Symbol

from ...decide.decide import is_proved_positive
from ...decide.domain import Domain, DomainError, between
from ...decide.present import tidy
from ...decide.root import ClampedRoot
from ...errors import Unproved
from ...optimum.condition import stated
from ...optimum.edge import Edge, edge, edge_segment
from ...optimum.segment_facts import slope_along
from ...problems.batches import BatchProblem
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...theorem.result import Result
from .declared import Kinds, listed
from .signs import Signs, shown_positive
from .statements import Theorem
from .structure import KNOWN, AtStructure
from .terms import ATOM, NotWritten, lemma, quantified, term


def places(result: Result) -> dict[Expr, list[str]]:
    """What is zero at the roots that quantities of a result depend on, and which these are."""
    found: dict[Expr, list[str]] = {}
    for name, q in result.quantities.items():
        for root in q.expression.atoms(ClampedRoot):
            found.setdefault(root.function.expr, []).append(name)
    return found


def optima_between(called: str, result: Result, problem: Problem) -> Iterator[AtEdge]:
    """The edges on which a quantity of a result is the place where the loss is least."""
    slopes = places(result)
    if not slopes or isinstance(problem, BatchProblem):
        return
    reduced, domain = stated(problem, None, Derivation())
    for names in permutations([e.name for e in problem.scheme.eigenspaces], 2):
        with suppress(DomainError, NotWritten, Unproved):
            segment, inside = edge_segment(reduced, names, domain)
            along = slope_along(reduced, segment)
            own = (s for s in slopes if _is_multiple(s, along, segment.x, inside))
            if inside == domain and (slope := next(own, None)) is not None:
                found = edge(problem, names, Derivation())
                at = AtEdge(f"{called}_{'_'.join(names)}", result, problem, found, slope)
                if found.is_whole and at.theorems:
                    yield at


def _is_multiple(one: Expr, other: Expr, x: Symbol, domain: Domain) -> bool:
    ratio = one / other
    return x not in ratio.free_symbols and is_proved_positive(ratio, domain)


class AtEdge(AtStructure):
    """The theorem about the place on an edge where the loss is least."""

    edge: Edge
    #: What has the sign of the derivative of the loss along it, as the result has it.
    slope: Expr

    @cached_property
    def domain(self) -> Domain:
        """Where, with the position along the edge."""
        length = self.edge.segment.length
        middle = self.edge.domain.witness_of(length) * Rational(1, 2)
        return self.edge.domain.with_range(self.edge.x, between(0, length), middle)

    @property
    def inner(self) -> Mapping[str, Expr]:
        """Inner products of the structure, by relation."""
        return self.edge.segment.inner

    @cached_property
    def ends(self) -> tuple[Kinds, Kinds]:
        """The pure structures at x = 0 and at the other end."""
        return self.pure(self.edge.segment.high), self.pure(self.edge.segment.low)

    @cached_property
    def share(self) -> Expr:
        """How far along the edge the position is, of 1."""
        return tidy(self.edge.x / self.edge.segment.length)

    # --- lemmas about real numbers ----------------------------------------------------------------
    def _theta(self, e: str) -> Expr:
        return self.declared.eigenvalue(self._first(e))

    def _same(self) -> str:
        """That the eigenvalues of the ends agree where the derivative is zero."""
        segment, slope = self.edge.segment, self.slope
        gap = self._theta(segment.low) - self._theta(segment.high)
        signs = self._signs(gap, slope)
        factor = signs.positive_ratio(gap, slope)
        start, end = map(self._eigenvalue, self.ends)
        return lemma(
            f"{self.called}_same",
            self.domain,
            f"({term(slope)} = 0 -> {end} = {start})",
            [*self._unfolded(signs), f"apply same_zero with ({factor}). eq."],
        )

    def _signs(self, *e: Expr) -> Signs:
        every = [*e, *self.declared.gradient.values()]
        return Signs(every, self.domain, self.declared.spelled)

    def _free(self, kinds: Kinds) -> tuple[int, str]:
        """Which end has no larger eigenvalue than a space all along the edge, and the lemma."""
        for k, end in enumerate((self.edge.segment.high, self.edge.segment.low)):
            gap = self.declared.eigenvalue(kinds) - self._theta(end)
            with suppress(NotWritten):
                signs = self._signs(gap)
                proof = ["gap.", *signs.proof(gap, strict=False)]
                goal = f"{self._eigenvalue(self.ends[k])} <= {self._eigenvalue(kinds)}"
                lines = [*self._unfolded(signs), *proof]
                return k, lemma(f"{self.called}_{self._name(kinds)}", self.domain, goal, lines)
        raise NotWritten("an eigenvalue is not proved to be larger than those of the ends")

    @cached_property
    def _frees(self) -> dict[Kinds, tuple[int, str]]:
        return {kinds: self._free(kinds) for kinds in self.spaces}

    def _inside(self) -> str:
        lines = ["split; [| apply le_gap]."]
        for part in (self.share, 1 - self.share):
            lines += shown_positive("", part, self.domain, strict=False)
        goal = f"0 <= {term(self.share)} <= 1"
        return lemma(f"{self.called}_inside", self.domain, goal, lines)

    # --- theorems ---------------------------------------------------------------------------------
    @cached_property
    def theorems(self) -> tuple[Theorem, Theorem]:
        """Both, with the definitions that they need, and the proofs with their lemmas."""
        return self._zero(), self._optimum()

    def _zero(self) -> Theorem:
        """That the equation has a solution between ends where its left side differs in sign."""
        x, length, slope = self.edge.x, self.edge.segment.length, self.slope
        ends = self.domain.restricted(slope.free_symbols | length.free_symbols)
        outside = ends.restricted(set(ends.ranges) - {x})
        far = term(length, None, ATOM)
        goal = (
            f"let h := fun {x} : R => {term(slope)} in\n  h 0 <= 0 -> 0 <= h {far} -> "
            f"exists {x} : R, 0 <= {x} /\\ {x} <= {far} /\\ h {x} = 0"
        )
        statement, lines = quantified(outside, goal)
        return Theorem(
            f"{self.called}_zero",
            f"The equation of the next theorem has a solution {x}, if its left side is not "
            f"positive at {x} = 0 and not negative at {x} = {length}",
            statement,
            (
                *lines,
                "intros falls_ rises_.",
                f"apply (zero_between (fun {x} => {term(slope)}) 0 {far});",
                "  [| | exact falls_ | exact rises_].",
                f"{{ intros {x} [{x}_low {x}_high].",
                "auto_derive; divisors. }",
                *shown_positive("", length, outside, strict=False),
            ),
        )

    def _optimum(self) -> Theorem:
        """That the loss is least where the derivative is zero."""
        attained, least = self._least()
        slope = self.slope
        claim = f"{term(slope, self._naturals)} = 0 -> {attained} /\\ {least}"
        lemmas = [self._inside(), self._same(), *(text for _, text in self._frees.values())]
        said = self._theorem(claim, f", if {slope} = 0", [self._convexity(), *lemmas])
        return replace(said, place=slope)

    def _proof(self) -> Iterator[str]:
        start, end = map(listed, self.ends)
        share, reals = term(self.share, self._naturals), self._reals
        yield f"intro zero_. {self._there('th', self.ends[0])} {self._there('th_', self.ends[1])}"
        one, other = f"pure {reals} {start} a_", f"pure {reals} {end} a_"
        yield from self._is("pu", f"{one} + {share} * ({other} - {one})")
        known = f"first [{KNOWN}]"
        same = " = ".join(self._eigenvalue(kinds, real=False) for kinds in reversed(self.ends))
        yield f"assert (same_ : {same}) by (apply ({self._at('same')}); {known})."
        yield f"refine (between_structures _ _ _ _ {start} {end} ({share}) _ one th th_ _ pu"
        yield "  (smooth_tangent _ _ _ _ _ smooth_) same_ _)."
        yield f"{{ apply ({self._at('inside')}); {known}. }}"
        yield "each_space."
        for kinds, (k, _) in self._frees.items():
            swap = "refine (Rle_trans _ _ _ (Req_le _ _ (eq_sym same_)) _); " if k else ""
            yield f"- {swap}apply ({self._at(self._name(kinds))}); {known}."
