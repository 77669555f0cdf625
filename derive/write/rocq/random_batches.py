"""Whole theorems on means over random batches, of B of all instances with all their views.

An anchor with K others of its class in a batch has the loss of a smaller structure, as if there
were B/(K + 1) classes of K + 1 instances there, and the gradient of the mean is the mean of theirs.
So an eigenvalue is compared with the level for each K; where that leaves it open, it is a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from sympy import Expr, S, Symbol, oo

from ...decide.calculus import derivative
from ...decide.decide import is_proved_positive
from ...decide.domain import FREE, LINE, POSITIVE, Domain, DomainError, at_least
from ...decide.expectation import Expectation, K, expectation
from ...errors import Unproved
from ...frozen import FrozenValue
from ...losses.alone import ALONE
from ...losses.softmax import SoftmaxLoss
from ...optimum.batches import BatchLoss, batch_vertex
from ...optimum.vertex import pure_inner
from ...problems.batches import BatchProblem, lacking
from ...proof.derivation import Derivation
from ...structures.scheme import Scheme
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .batches import BatchSoftmax
from .declared import Kinds, listed
from .signs import Signs
from .statements import Theorem, gap_of
from .structure import KNOWN, arguments
from .terms import NotWritten, lemma, name, relation, term
from .whole import AtVertex, Compared, problem_of, within


def at_random(called: str, result: Result, left: dict[str, str]) -> Iterator[Theorem]:
    """The theorems about the pure structures that a result is about, by what an anchor alone does.

    Parameters
    ----------
    left
        To it is added where a theorem is not about all parameters.

    Raises
    ------
    NotWritten
        If there is none, or the loss is of a kind that the library does not know.
    """
    problem = problem_of(result)
    if not isinstance(problem, BatchProblem) or not isinstance(problem.loss, SoftmaxLoss):
        raise NotWritten("over random batches, only softmax losses are written")
    found: dict[str, list[AtRandom]] = {}
    for alone in ALONE if lacking(problem.loss) else [""]:
        for e in problem.scheme.eigenspaces:
            with suppress(NotWritten, Unproved, DomainError):
                at = AtRandom.of(f"{called}_{e.name}", result, problem, e.name, alone)
                found.setdefault(e.name, []).append(at)
    settled = [every for every in found.values() if any(at.settled for at in every)]
    if not settled:
        raise NotWritten("no pure structure is optimal")
    for every in settled:
        # What is said of an anchor with others in its class is the same for all.
        known: set[str] = set()
        for at in every:
            theorem = at.theorem
            definitions = [d for d in at.defined if d not in known]
            lemmas = tuple(text for text in theorem.lemmas if text not in known)
            known |= {*definitions, *lemmas}
            yield replace(theorem, definitions="\n".join(definitions), lemmas=lemmas)
            if at.lacks:
                left[theorem.title] = at.lacks


class Composed(BatchSoftmax):
    """The loss of an anchor with so many others of its class in a batch.

    Attributes
    ----------
    others
        How many, in Rocq.
    shared
        What the name of the inner products begins with.
    """

    others: str = "K"
    shared: str = ""

    cleared = ("rewrite ?zero_over.",)
    smooth = "random_smooth _ _ _ _ two_ B_ _ _ _ _ ok nested_"

    @property
    def inner_name(self) -> str:
        """They are those of all data."""
        return f"{self.shared}_inner"

    @property
    def size(self) -> str:
        """How many instances are in a batch."""
        return term((self.inside[0] * self.inside[1]).cancel())

    def loss_of(self, terms: str) -> str:
        """The mean over batches, of terms and those of an anchor alone."""
        return f"(random_loss {self.numbers} {self.size} {self.tau_text} {terms})"

    def _draws(self, sizes: str) -> str:
        return f"[{self.size} / ({self.others} + 1); {self.others} + 1]"

    @cached_property
    def gradient(self) -> Mapping[str, Expr]:
        """The derivative in the entry of a pair; where all terms are dropped there is none."""
        return super().gradient if self.loss.terms else dict.fromkeys(self.counts, S.Zero)


class AtPart(AtVertex):
    """The comparison in batches where an anchor has K others of its class, or none."""

    composed: Composed

    @property
    def declared(self) -> Composed:
        """The loss of the anchor."""
        return self.composed

    def _data(self, *, real: bool) -> tuple[str, str]:
        given = arguments((s for s in self.symbols if s != K), real=real)
        return f"({self.composed.called}_terms {given})", f"({self.composed.inner_name} {given})"

    def lemmas(self, gaps: Mapping[Kinds, tuple[Expr, str]]) -> Iterator[str]:
        """That its loss is convex, and that eigenvalues are above the level, or by how much."""
        yield self._convexity()
        for kinds, e in self.spaces.items():
            if kinds in gaps:
                yield self._equal(kinds, *gaps[kinds])
            else:
                yield self._multiplier(kinds, e)

    def _equal(self, kinds: Kinds, value: Expr, shown: str) -> str:
        """The lemma on how far an eigenvalue is above the level."""
        gap, above = self._gap(kinds), f"{self._eigenvalue(kinds)} - {self._level()}"
        every = [gap, value, *self.declared.gradient.values()]
        signs = Signs(every, self.domain, self.declared.spelled)
        signs.check_zero(gap - value)
        proof = [*self._unfolded(signs), "eq."]
        return lemma(
            f"{self.called}_{self._name(kinds)}_gap", self.domain, f"{above} = {shown}", proof
        )

    def applied(self, lemma: str) -> str:
        """One of these lemmas applied."""
        values = " ".join(arguments([s], real=s == K) for s in self.symbols)
        return f"apply ({self.called}_{lemma} {values}); first [{KNOWN}]"


class AtRandom(AtVertex):
    """The theorem about one pure structure for a mean over random batches.

    Attributes
    ----------
    parts
        Batches in which an anchor has K others of its class, and those in which it has none.
    alone
        What an anchor does that has none; empty if it then has positives, too.
    """

    problem: BatchProblem
    vertex: Compared
    parts: tuple[AtPart, AtPart]
    alone: str

    @classmethod
    def of(cls, called: str, result: Result, problem: BatchProblem, e: str, alone: str) -> AtRandom:
        """The comparison where all of its conditions, and the thresholds that they are, are meant.

        Raises
        ------
        NotWritten, Unproved, DomainError
            If it is of a kind that the library does not know, or not decided.
        """
        loss, draw = problem.loss, problem.draw
        assert isinstance(loss, SoftmaxLoss) and draw.law is not None
        mean = BatchLoss.from_draw(loss, draw, problem.domain, ALONE.get(alone))
        known = (q.threshold for q in result.quantities.values() if q.threshold)
        parameter = next((t.parameter for t in known), Symbol("none"))

        def compared(domain: Domain) -> Compared:
            conditions = batch_vertex(mean, e, parameter, domain, Derivation())
            return Compared(e, pure_inner(mean, e), domain, conditions)

        at = compared(problem.domain)
        among = replace(at_least(1), high=draw.law[1], high_open=False)
        lone = draw.alone()
        absent = [r.name for r in lone.relations if r.count == 0]
        own = ALONE[alone].applied(loss, absent) if alone else loss
        stem = f"{called}_{alone}" if alone else f"{called}_alone"

        def part(stem: str, others: str, loss: SoftmaxLoss, drawn: Scheme) -> AtPart:
            def where(domain: Domain) -> Domain:
                return domain if drawn is lone else domain.with_range(K, among, 1)

            held = {k: replace(c, domain=where(c.domain)) for k, c in at.conditions.items()}
            held = {k: c for k, c in held.items() if c.holds}
            inside = Compared(e, at.inner, where(at.domain), held)
            one = BatchProblem(
                replace(loss, over_batches=False),
                problem.structure,
                inside.domain,
                replace(draw, drawn=drawn, law=None),
            )
            terms = stem if alone else called
            composed = Composed(terms, one, at.inner, others=others, shared=called)
            return AtPart(stem, result, one, inside, composed)

        parts = (part(called, "K", loss, draw.drawn), part(stem, "0", own, lone))
        found = cls(stem if alone else called, result, problem, at, parts, alone)
        domain = found.domain
        for other, c in at.open.items():
            solved = found.solving(other)
            for by in (c.domain, solved[1].domain or domain if solved else domain):
                smaller = {s for s, r in by.ranges.items() if r != at.domain.ranges[s]}
                domain = within(domain, by.restricted(smaller))
        return (
            found if domain.ranges == at.domain.ranges else replace(found, vertex=compared(domain))
        )

    @property
    def lacks(self) -> str:
        """What it does not say, in words; empty if it says all."""
        ranges = self.domain.ranges.items()
        smaller = [f"{s} {r}" for s, r in ranges if r != self.problem.domain.ranges[s]]
        found = [f"parameters outside of the ranges {', '.join(smaller)}"] if smaller else []
        if not all(self.solving(e) for e in self.vertex.open):
            found.append("a formula for the threshold")
        who = f" if an anchor alone in its class {ALONE[self.alone].says}" if self.alone else ""
        return f"{' and '.join(found)}{who}" if found else ""

    @property
    def defined(self) -> list[str]:
        """The definitions: those of an anchor with others of its class, and alone."""
        several, lone = (part.declared for part in self.parts)
        return [
            several.definitions(self.symbols),
            *([lone.defined_terms(self.symbols)] if self.alone else []),
        ]

    @property
    def declared(self) -> Composed:
        """The loss and the inner products, those of the first part."""
        return self.parts[0].declared

    @property
    def mean(self) -> str:
        """Over what the loss is a mean, and what an anchor does that is alone."""
        who = (
            f", where an anchor alone in its class {ALONE[self.alone].says}," if self.alone else ""
        )
        return f"{super().mean}{who}"

    # --- conditions, which are means -----------------------------------------------------------
    @cached_property
    def means(self) -> dict[Expectation, Symbol]:
        """A number for each mean in a condition."""
        if not self.vertex.open:
            return {}
        every = [c.relation.atoms(Expectation) for c in self.vertex.open.values()]
        always = (expectation(S.One, *self._law, *ends) for ends in ((1, oo), (0, 0)))
        found = sorted(set(always).union(*every), key=str)
        return {mean: Symbol(f"mean{k}_", real=True) for k, mean in enumerate(found)}

    @property
    def _law(self) -> tuple[Expr, Expr, Expr]:
        assert self.problem.draw.law is not None
        return self.problem.draw.law

    def _gap(self, kinds: Kinds) -> Expr:
        condition = self.vertex.conditions[self.spaces[kinds]]
        return condition.over * condition.relation.args[0].xreplace(self.means)

    def _line(self, kinds: Kinds) -> Line:
        """The gap where an anchor has others, and where it has none.

        Raises
        ------
        NotWritten
            If it is not as the library has it.
        """
        gap, shares = self._gap(kinds), {"some": S.Zero, "none": S.Zero}
        of, times = S.Zero, S.Zero
        for mean, s in self.means.items():
            share = derivative(gap, s)
            if (called := _called(mean)) in shares:
                shares[called] = share
            elif share != 0 and times == 0:
                of, times = mean.body, share
            elif share != 0:
                raise NotWritten("a condition has two means of what differs from batch to batch")
        return Line(shares["some"], times, of, shares["none"])

    def _apart(self, value: Expr, quantity: Quantity) -> tuple[Expr, Domain]:
        return value.xreplace(self.means), self._with_means(
            within(self.domain, quantity.domain or self.domain)
        )

    def _with_means(self, domain: Domain) -> Domain:
        """A domain with the means."""
        marked, drawn, total = self._law
        can_lack = is_proved_positive(1 + total - marked - drawn, domain)
        signs = {"some": POSITIVE, "none": POSITIVE if can_lack else FREE, "other": LINE}
        for mean, s in self.means.items():
            domain = domain.with_range(s, signs[_called(mean)], S.One)
        return domain

    # --- text ------------------------------------------------------------------------------------
    @property
    def _batches(self) -> tuple[str, str]:
        """What lemmas on random batches are given: the structure, and what is known of it."""
        m, n, *rest = self.declared.numbers.strip("[]").split("; ")
        return f"{m} {n} [{'; '.join(rest)}] {self.declared.size}", f"{m} {n} {self.declared.size}"

    @property
    def _on(self) -> str:
        """The same with what is known of them, the loss and the inner products."""
        terms, inner = self._data(real=False)
        return f"{self._batches[0]} two_ B_ {self.declared.tau_text} {terms} {inner}"

    def _mean_text(self, mean: Expectation) -> str:
        law = " ".join(f"({term(e)})%nat" for e in mean.args[1:4])
        if _called(mean) == "none":
            return f"(chance_of_none {law})"
        return f"(mean_of_some {law} (fun {name(K)} => {term(mean.body, self._naturals)}))"

    @property
    def _written(self) -> Mapping[Expr, str]:
        return {**self._naturals, **{mean: self._mean_text(mean) for mean in self.means}}

    def _data(self, *, real: bool) -> tuple[str, str]:
        terms, inner = self.parts[0]._data(real=real)
        alone, _ = self.parts[1]._data(real=real)
        return f"{terms} {alone}", inner

    def _lemmas(self) -> Iterator[str]:
        spaces = {k: self._line(k) for k, e in self.spaces.items() if e in self.conditions}
        some = {k: (line.some + line.times * line.of, line.shown) for k, line in spaces.items()}
        none = {k: (line.none, term(line.none)) for k, line in spaces.items()}
        for part, gaps in zip(self.parts, (some, none), strict=True):
            yield from part.lemmas(gaps)
        for k, line in spaces.items():
            shown = self.conditions[self.spaces[k]]
            side = gap_of(shown)[0].xreplace(self.means)
            domain = self._with_means(self.domain)
            signs = Signs([self._gap(k), side], domain)
            proof = [f"gap; {signs.same_sign(side, self._gap(k))}"]
            names = {mean: name(s) for mean, s in self.means.items()}
            goal = f"({relation(shown, names)} <-> 0 <= {line.mean(self.means)})"
            yield lemma(f"{self.called}_{self._name(k)}_when", domain, goal, [*signs.lines, *proof])

    def _prepared(self) -> Iterator[str]:
        structure = self._batches[1]
        terms, inner = self._data(real=False)
        several, alone = (part._data(real=False)[0] for part in self.parts)
        m, n, size = structure.split()
        reals, real = self._reals, f"(INR {size})"
        tau = self.declared.tau_text
        yield f"assert (two_ : (2 <= {m})%nat /\\ (2 <= {n})%nat) by lia."
        yield f"assert (B_ : (1 <= {size} <= {m} * {n})%nat) by nia."
        yield (
            f"assert (ok : (forall K, 1 <= K -> K <= INR {n} - 1 -> K <= {real} - 1 ->\n"
            f"  convex (in_batch {reals} [{real} / (K + 1); K + 1]) {tau} {several} {inner}) /\\\n"
            f"  convex (in_batch {reals} [{real} / (0 + 1); 0 + 1]) {tau} {alone} {inner})."
        )
        some, none = (part.applied("convex") for part in self.parts)
        yield f"{{ split; [intros K K_low K_n K_high; {some} | {none}]. }}"
        yield from self.declared.alike(inner, f"In t_ ({several} ++ {alone})")
        yield f"rewrite (random_mean {self._batches[0]} two_ B_ {tau} {terms})."
        for mean, s in self.means.items():
            strict = self._with_means(self.domain).ranges[s].low_open
            known = {"some": "some_pos", "none": "none_pos" if strict else "none_sign"}
            if (called := _called(mean)) in known:
                lia = "" if known[called] == "none_sign" else " ltac:(nia)"
                yield f"assert ({called}_ := {known[called]} {structure} two_ B_{lia})."
        for k, e in self.spaces.items():
            if e in self.conditions:
                yield from self._when(k)

    def _when(self, kinds: Kinds) -> Iterator[str]:
        """The equivalence on a space, as a hypothesis."""
        line, naturals = self._line(kinds), self._naturals
        shown = relation(self.conditions[self.spaces[kinds]], self._written)
        values = " ".join([self._given(real=False), *map(self._mean_text, self.means)])
        some, none = (part.applied(f"{self._name(kinds)}_gap") for part in self.parts)
        given = " ".join(f"({term(e, naturals)})" for e in (line.some, line.times))
        given += f" (fun K => {term(line.of, naturals)}) ({term(line.none, naturals)})"
        yield f"assert ({self._name(kinds)}_ : {shown} <-> {self._above(kinds, real=False)})."
        yield (
            f"{{ eapply iff_trans; [apply ({self.called}_{self._name(kinds)}_when {values});\n"
            f"  first [{KNOWN}] | apply iff_sym, (random_when {self._on} {listed(kinds)} {given});"
        )
        yield f"    [intros K K_low K_n K_high; {some} | {none}]]. }}"

    def _gradient(self, *, real: bool) -> str:
        terms, inner = self._data(real=real)
        return f"(random_gradient {self._batches[0]} {self.declared.tau_text} {terms} {inner})"

    def _fact(self, kinds: Kinds) -> str:
        """A hypothesis, where it is an equivalence."""
        return f"{self._name(kinds)}_"

    def _applied(self, kinds: Kinds) -> str:
        if self.spaces[kinds] in self.conditions:
            return super()._applied(kinds)
        some, none = (part.applied(self._name(kinds)) for part in self.parts)
        return (
            f"apply (random_above {self._on} {listed(kinds)});"
            f" [intros K K_low K_n K_high; {some} | {none}]"
        )


class Line(FrozenValue):
    """A gap: ``some + times * of`` where an anchor has K others, ``none`` where it has none."""

    some: Expr
    times: Expr
    of: Expr
    none: Expr

    @property
    def shown(self) -> str:
        """What it is where there are others."""
        return f"({term(self.some)}) + ({term(self.times)}) * ({term(self.of)})"

    def mean(self, means: Mapping[Expectation, Symbol]) -> str:
        """Its mean, by numbers that stand for means."""
        found = {_called(mean): name(s) for mean, s in means.items()}
        of = next((name(s) for mean, s in means.items() if mean.body == self.of), "0")
        return (
            f"({term(self.some)}) * {found.get('some', '0')} + ({term(self.times)}) * {of}"
            f" + {found.get('none', '0')} * ({term(self.none)})"
        )


def _called(mean: Expectation) -> str:
    """Which of the means it is: of 1 where there are some others or none, or of something else.

    Raises
    ------
    NotWritten
        If it is another one.
    """
    place = mean.body == 1, *mean.args[4:]
    found = {(True, 1, oo): "some", (True, 0, 0): "none", (False, 1, oo): "other"}.get(place)
    if found is None:
        raise NotWritten("a condition has a mean over other batches")
    return found
