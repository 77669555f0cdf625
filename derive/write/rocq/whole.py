"""Whole theorems: no unit vectors of any dimension have a smaller loss than a structure.

The statement has the loss written out, from its declaration: what each relation weighs in the
denominator and among the positives, or the function of an inner product. The proof is generated
from the declaration too: the gradient by relation at the candidate, which by the library is at
least its least eigenvalue on unit vectors, and for each eigenvalue an inequality between real
numbers that none is below the level of the candidate. Where one is open, it is the condition of
the theorem: beyond it another structure is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import product

from sympy import Basic, Expr, Ge, Le, Symbol, exp, expand

from ...decide.domain import Domain, DomainError
from ...errors import Unproved
from ...frozen import FrozenValue
from ...optimum.condition import Condition
from ...optimum.vertex import Vertex, vertex
from ...problems.batches import BatchProblem
from ...problems.declared import PROBLEMS
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...structures.scheme import Scheme
from ...theorem.result import Result
from .declared import ALL, CONTRAST, MEAN, Declared, Kinds, listed
from .kinds import read
from .merging import merged, merging
from .signs import Signs
from .statements import Theorem, gap_of
from .terms import NotWritten, bounds, hypotheses, lemma, name, relation, term

#: Of a threshold with more of them Rocq does not find that it is the condition.
MOST_EXPONENTIALS = 2
#: That numbers are in ranges.
SOMEWHERE = "repeat split; try lia; rewrite ?INR_IZR_INZ; cbn; lra"


def whole(called: str, result: Result) -> Iterator[Theorem]:
    """The theorems about the pure structures that a result is about.

    Those are always optimal, or iff a parameter is on one side of a threshold of the result; where
    there are none, all that are optimal somewhere.

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
    problem = _problem(result)
    read(called, problem, {})
    compared = problem.on_all_data({}) if isinstance(problem, BatchProblem) else problem
    reasons = ["no pure structure is optimal"]
    found: list[tuple[bool, Theorem]] = []
    for e in problem.scheme.eigenspaces:
        try:
            at_vertex = vertex(compared, e.name, Derivation())
            if at_vertex.verdict != "never":
                at = AtVertex(f"{called}_{e.name}", result, problem, at_vertex)
                found.append((at.settled, at.theorem))
        except (NotWritten, Unproved, DomainError) as why:
            reasons.append(str(why))
    if not found:
        raise NotWritten(reasons[-1])
    any_settled = any(settled for settled, _ in found)
    yield from (theorem for settled, theorem in found if settled or not any_settled)


def _lacks(result: Result) -> str:
    """Why a result is about nothing that the library knows, if it is not."""
    if result.draw is not None:
        differ = "batches differ in how many instances of a class they have"
        return differ if result.draw.law is not None else ""
    if getattr(result.declared, "similarity", None) is not None:
        return "the similarity is a kernel, and the loss need not be convex in the Gram matrix"
    if result.declared is None:
        return "it describes a structure and is about no loss"
    if result.problem is None or not isinstance(result.problem.structure, Scheme):
        return "its classes have several sizes, proved for numerical values only"
    return ""


def _problem(result: Result) -> Problem:
    """The loss, the structure and the ranges that a result is about."""
    if result.draw is None:
        assert result.problem is not None
        return result.problem
    assert result.declared is not None
    # Thresholds in a parameter are meant for all of its values, and have no range of it.
    domain = next((d for loss, _, d in PROBLEMS if loss == result.declared), result.domain)
    domain = result.draw.within(domain)
    if not result.domain.ranges.items() <= domain.ranges.items():
        raise NotWritten("it is about other batches than those that are drawn for its loss")
    return BatchProblem(result.declared, result.draw.whole, domain, result.draw)


class AtVertex(FrozenValue):
    """The theorem about one pure structure: that its loss is the least, and when."""

    called: str
    result: Result
    problem: Problem
    vertex: Vertex

    @cached_property
    def domain(self) -> Domain:
        """Where."""
        return self.vertex.domain

    @cached_property
    def declared(self) -> Declared:
        """The loss, and the inner products of the structure."""
        return read(self.called, self.problem, self.vertex.inner)

    # --- eigenspaces as tensor products -----------------------------------------------------
    @cached_property
    def spaces(self) -> dict[Kinds, str]:
        """The eigenspace of each product of means and contrasts."""
        found = {}
        for kinds in product((MEAN, CONTRAST), repeat=len(self.problem.scheme.axes)):
            values = self.declared.eigenvalues(kinds)
            rows = self.problem.scheme.table.items()
            same = [e for e, row in rows if all(expand(row[r] - v) == 0 for r, v in values.items())]
            if len(same) != 1:
                raise NotWritten("an eigenspace is not a product of means and contrasts")
            found[kinds] = same[0]
        return found

    @cached_property
    def own(self) -> Kinds:
        """The product that the structure itself is, where ``All`` is both of an axis."""
        mine = {k for k, e in self.spaces.items() if e == self.vertex.name}
        for kinds in product((MEAN, CONTRAST, ALL), repeat=len(self.problem.scheme.axes)):
            both = (((MEAN, CONTRAST) if k == ALL else (k,)) for k in kinds)
            if set(product(*both)) == mine:
                return kinds
        raise NotWritten("the structure is not one product of means and contrasts")

    # --- text ---------------------------------------------------------------------------------
    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols, in order."""
        return tuple(self.domain.ranges)

    def _given(self, *, real: bool) -> str:
        """The symbols as arguments; sizes are natural numbers, or have become real ones."""
        return " ".join(
            name(s) if real or not s.is_integer else f"(INR {name(s)})" for s in self.symbols
        )

    # --- lemmas about real numbers ----------------------------------------------------------------
    def _unfolded(self, signs: Signs) -> list[str]:
        return [
            f"unfold {self.declared.all_unfolded};",
            f"  cbn [nth row eigen split_off over {self.declared.fields}].",
            *self.declared.cleared,
            *signs.lines,
        ]

    def _convexity(self) -> str:
        data = self._data(real=True)
        lines = []
        for part in self.declared.signs(*data):
            spelled = self.declared.spelled if part.value.has(exp) else None
            signs = Signs([part.value], self.domain, spelled)
            proof = signs.proof(part.value, strict=part.strict)
            lines += [f"assert ({part.goal}).", "{ idtac.", *self._unfolded(signs), *proof, "}"]
        lines += self.declared.convex_proof("assumption", "assumption")
        goal = f"({self.declared.convex(self.declared.sizes, *data)})"
        return lemma(f"{self.called}_convex", self.domain, goal, lines)

    def _data(self, *, real: bool) -> tuple[str, str]:
        given = self._given(real=real)
        return f"({self.called}_terms {given})", f"({self.called}_inner {given})"

    def _above(self, kinds: Kinds) -> str:
        """That the eigenvalue on a space is at least the level, for real sizes."""
        sizes, (terms, inner) = self.declared.sizes, self._data(real=True)
        gradient = self.declared.gradient_of(sizes, terms, inner)
        return f"level {sizes} {gradient} {inner} <= eigen {sizes} {listed(kinds)} {gradient}"

    def _gap(self, kinds: Kinds) -> Expr:
        return self.declared.eigenvalue(kinds) - self.declared.level

    def _multiplier(self, kinds: Kinds, e: str) -> str:
        """The lemma that the eigenvalue on a space is at least the level, or when it is."""
        gap, goal, shown = self._gap(kinds), self._above(kinds), self.conditions.get(e)
        side = gap_of(shown)[0] if shown is not None else gap
        known = self.vertex.conditions.get(e)
        domain = known.domain if known else self.domain
        signs = Signs([gap, side, *self.declared.gradient.values()], domain, self.declared.spelled)
        if shown is not None:
            goal, factor = f"({relation(shown)} <-> {goal})", signs.positive_ratio(side, gap)
            proof = [f"gap; apply same_sign_or_zero with ({factor}); [eq | pos]."]
        elif e == self.vertex.name:
            signs.check_zero(gap)
            proof = ["right. eq."]
        else:
            proof = ["gap.", *signs.proof(gap, strict=False)]
        return lemma(self._name(kinds), domain, goal, [*self._unfolded(signs), *proof])

    def _name(self, kinds: Kinds) -> str:
        return f"{self.called}_{''.join(k[0] for k in kinds)}"

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

    def _condition(self, e: str, c: Condition) -> Basic:
        gap = self._gap(self._first(e))
        for q in self.result.quantities.values():
            if q.threshold is None or q.expression != q.threshold.value:
                continue
            parameter, value = q.threshold.parameter, q.threshold.value
            if len(value.atoms(exp)) > MOST_EXPONENTIALS:
                continue
            for kind, sign in ((Le, -1), (Ge, 1)):
                with suppress(NotWritten):
                    Signs([gap, value], self.domain).positive_ratio(sign * (parameter - value), gap)
                    found: Basic = kind(parameter, value, evaluate=False)
                    return found
        return c.criterion.relation

    def _first(self, e: str) -> Kinds:
        """The product in an eigenspace with the fewest contrasts."""
        return min(
            (k for k, own in self.spaces.items() if own == e), key=lambda k: k.count(CONTRAST)
        )

    # --- the theorem -----------------------------------------------------------------------------
    @cached_property
    def theorem(self) -> Theorem:
        """The statement, the definitions that it needs, and the proof with its lemmas."""
        deciding = self.deciding
        lemmas = [self._convexity(), *(self._multiplier(k, e) for k, e in self.spaces.items())]
        sizes = self.declared.numbers
        terms, inner = self._data(real=False)
        least = f"least {sizes} {self.declared.loss_of(terms)} {inner}"
        conditions = [relation(c, self._naturals) for c in deciding]
        needed = " /\\ ".join(conditions)
        claim = f"(({needed}) <-> {least})" if conditions else least
        somewhere = " /\\ ".join(self._ranges())
        statement = (
            f"(exists {self._quantified()}, {somewhere}) /\\\n"
            f"  forall {self._quantified()}, {' -> '.join(self._ranges())} ->\n"
            f"  attained {sizes} {inner} /\\ {claim}"
        )
        when = " and ".join(map(str, deciding))
        relations = ", ".join(f"{r} = {v}" for r, v in self.vertex.inner.items() if r != "self")
        mean = " in the mean over batches" if isinstance(self.problem, BatchProblem) else ""
        title = f"No unit vectors of any dimension have a smaller loss{mean} than {relations}"
        return Theorem(
            self.called,
            f"{title}{f', iff {when}' if when else ''}",
            statement,
            tuple(self._proof()),
            definitions=self.declared.definitions(self.symbols),
            lemmas=tuple(lemmas),
            whole=True,
        )

    def _quantified(self) -> str:
        naturals = " ".join(name(s) for s in self.symbols if s.is_integer)
        reals = " ".join(name(s) for s in self.symbols if not s.is_integer)
        return f"({naturals} : nat)" + (f" ({reals} : R)" if reals else "")

    def _witness(self, s: Symbol) -> str:
        value = self.domain.witness_of(s)
        return f"{value}%nat" if s.is_integer else f"({term(value)})"

    @cached_property
    def _naturals(self) -> dict[Symbol, str]:
        """Sizes where they are natural numbers and a real number is meant."""
        return {s: f"(INR {name(s)})" for s in self.symbols if s.is_integer}

    def _ranges(self) -> list[str]:
        found = []
        for s, r in self.domain.ranges.items():
            if s.is_integer:
                bounded = r.high.is_finite is not False
                if not r.low.is_Integer or r.low_open or (bounded and not r.high.is_Symbol):
                    raise NotWritten(f"the range of {s} is not from a number on, or up to a size")
                upto = f" <= {name(r.high)}" if bounded else ""
                found.append(f"({r.low} <= {name(s)}{upto})%nat")
            else:
                found += bounds(s, r, self._naturals).values()
        return found

    def _proof(self) -> Iterator[str]:
        sizes, own, data = self.declared.numbers, listed(self.own), self._data(real=False)
        values, reals, inner = self._given(real=False), f"(map INR {sizes})", data[1]
        hyps: list[str] = []
        for s, r in self.domain.ranges.items():
            given = list(bounds(s, r))
            hyps += [f"[{' '.join(given)}]"] if s.is_integer and len(given) > 1 else given
        naturals = sorted(self.symbols, key=lambda s: not s.is_integer)
        yield f"split; [exists {', '.join(map(self._witness, naturals))}; {SOMEWHERE} |]."
        yield f"intros {' '.join(map(name, naturals))} {' '.join(hyps)}."
        for s in self._naturals:
            for end in bounds(s, self.domain.ranges[s]):
                yield f"assert (R{end} := le_INR _ _ {end}); simpl in R{end}."
        yield f"assert (one : forall size_, In size_ {sizes} -> (1 <= size_)%nat)"
        yield "  by (simpl; intros; intuition lia)."
        yield f"assert (ok : {self.declared.convex(reals, *data)})."
        holes = " _" * len(hypotheses(self.domain))
        yield f"{{ refine ({self.called}_convex {values}{holes}); first [assumption | lra]. }}"
        yield from self.declared.prepared(*data)
        smooth = self.declared.smooth.format(sizes=sizes, inner=inner)
        yield f"assert (smooth_ := {smooth})."
        yield f"assert (th : there {reals} {own}) by (simpl; repeat split; lra)."
        yield f"assert (pu : forall a_, length a_ = length {sizes} ->"
        yield f"  {inner} a_ = pure {reals} {own} a_)."
        yield "{ intros a_ e_; each_pattern a_ e_; clear e_;"
        yield f"  unfold {self.called}_inner; cbn [map pure off INR]; field; repeat split; lra. }}"
        yield "split; [exact (exists_at _ _ _ th pu) |]."
        if self.conditions:
            yield "split; [intro given | intro L; repeat split]."
        yield "{ refine (optimal _ _ _ _ _ one (smooth_tangent _ _ _ _ _ smooth_) _); each_space."
        for k, e in self.spaces.items():
            side = "->" if e in self.conditions else ""
            yield f"  - apply {side} ({self._name(k)} {values}); first [assumption | lra]."
        yield "}"
        for e in self.deciding.values():
            k = self._first(e)
            yield f"{{ apply <- ({self._name(k)} {values}); first [assumption | lra | idtac]."
            yield f"  refine (needed _ _ _ _ _ one _ th pu {listed(k)} smooth_ _ L);"
            yield "    simpl; repeat split; lra. }"
