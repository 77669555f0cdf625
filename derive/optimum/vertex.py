"""Is a pure structure optimal? One condition for each of the other eigenspaces.

A pure structure has the whole trace on one eigenspace v, so its inner products are
P[v, r]/count_r. Let theta_e be the eigenvalues of the loss's gradient there. To move a bit of the
trace to another eigenspace e changes the loss at the rate theta_e - theta_v, up to a positive
factor. The loss is convex in the shares, so v is optimal iff theta_e >= theta_v for every e.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sympy import Expr, Ge, Rational, S, Symbol, Tuple

from ..decide.decide import all_zero, is_proved_positive, positive, zero
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Holds, Outcome, Refuted, Undecided
from ..decide.normal import ExpField, NotInField, factor_list
from ..decide.present import collected, tidy
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.lemmas import CERTIFICATE, STRICT_ROWS
from ..proof.relations import Iff, eq, ge, gt, lt
from ..proof.statement import Relations, Statement, decided, every
from .borders import Borders, borders
from .endpoint import Criterion, Place
from .reduce import Reduced
from .reduction import difference, reduced, state_reduction, where_positive
from .segment import x
from .segment_facts import assignments

#: Numbers in exponents make polynomials of high degree, which are not factored.
LARGEST_DEGREE = 40

#: What is known of a condition everywhere on its domain: it holds (strictly), or never, or neither.
Verdict = Literal["strict", "holds", "never", "open"]


@dataclass(frozen=True, eq=False)
class Condition:
    """``theta_e >= theta_v`` for one other eigenspace, as far as it is decided.

    Attributes
    ----------
    criterion
        What is compared with zero, and what it means.
    domain
        Where the eigenspace has a dimension.
    verdict
        ``strict``: > 0 everywhere there. ``holds``: >= 0, and zero somewhere or not known not to
        be. ``never``: < 0 everywhere. ``open``: neither is proved.
    when
        In words, where the domain is smaller than that of the problem.
    """

    criterion: Criterion
    domain: Domain
    verdict: Verdict
    when: str = ""

    @property
    def expression(self) -> Expr:
        """The left side of the condition ``... >= 0``."""
        return self.criterion.condition


@dataclass(frozen=True, eq=False)
class Vertex:
    """A pure structure with the conditions under which it is optimal.

    Attributes
    ----------
    name
        The eigenspace that has the whole trace.
    inner
        Its inner products.
    conditions
        One for each other eigenspace that has a dimension.
    loss
        The loss there.
    """

    reduced: Reduced
    domain: Domain
    name: str
    inner: Mapping[str, Expr]
    conditions: Mapping[str, Condition]
    loss: Expr
    proof: Derivation = field(repr=False)

    @property
    def verdict(self) -> Verdict:
        """What is known of all conditions together."""
        found = {c.verdict for c in self.conditions.values()}
        ranked: tuple[Verdict, ...] = ("never", "open", "holds", "strict")
        return next((v for v in ranked if v in found), "strict")

    @property
    def open(self) -> dict[str, Condition]:
        """The conditions on which it depends whether the vertex is optimal."""
        return {e: c for e, c in self.conditions.items() if c.verdict == "open"}

    @cached_property
    def unique(self) -> Outcome:
        """Whether there is no other optimum, wherever all conditions hold strictly."""
        return UniqueGram.of(self.reduced, self.domain, self.inner).decide()

    def interval(self, parameter: Symbol, domain: Domain | None = None) -> Borders:
        """Where in one parameter the vertex is optimal, every border solved and proved.

        ``domain`` is where the solution is meant.

        Raises
        ------
        NoClosedForm
            If a condition cannot be solved for the parameter.
        """
        return borders(
            [(c.criterion, _within(c.domain, domain)) for c in self.open.values()],
            parameter,
            domain or self.domain,
            self.proof,
            never=self.verdict == "never",
        )


def vertex(
    problem: Problem | Reduced,
    name: str,
    proof: Derivation,
    domain: Domain | None = None,
) -> Vertex:
    """Find the conditions under which a pure structure is optimal, as steps of a derivation.

    Parameters
    ----------
    problem
        A problem; or a reduced loss that was stated before, with the ``domain``.
    name
        The eigenspace.

    Raises
    ------
    DomainError
        If there is no such eigenspace, it has no dimension, or the declaration is unfit.
    StepFailed
        If the loss is not proved convex.
    """
    if isinstance(problem, Problem):
        domain = problem.domain
        loss = reduced(problem)
        state_reduction(loss, domain, proof)
    else:
        loss = problem
        if domain is None:
            raise TypeError("a reduced loss needs its domain")
    scheme = loss.scheme
    names = [e.name for e in scheme.eigenspaces]
    if name not in names:
        raise DomainError(f"there is no eigenspace {name!r}; there are {', '.join(names)}")
    inside = where_positive(scheme.eigenspace(name).dimension, domain)
    if inside is None:
        raise DomainError(f"the eigenspace {name} has no dimension there")
    domain = inside
    inner = pure_inner(loss, name)
    proof.add(
        f"{_capital(name)}: the pure structure",
        Pure(
            Tuple(*(eq(f"g_{r}", e) for r, e in inner.items() if r != "self")), domain, loss, name
        ),
        f"the eigenvalue of {name} has the whole trace, so the others vanish",
    )
    others = {
        e.name: part
        for e in scheme.eigenspaces
        if e.name != name and (part := where_positive(e.dimension, domain)) is not None
    }
    proof.add(
        f"{_capital(name)} is optimal iff no other eigenvalue of the gradient is smaller there",
        VertexOptimal.of(loss, name, tuple(others), domain),
        "",
    )
    conditions = {
        e: _condition(loss, name, e, inner, part, domain, proof) for e, part in others.items()
    }
    return Vertex(loss, domain, name, inner, conditions, loss.value(inner), proof)


def pure_inner(loss: Reduced, name: str) -> dict[str, Expr]:
    """Inner products where one eigenspace has the whole trace."""
    row = loss.scheme.table[name]
    return {r.name: tidy(row[r.name] / r.count) for r in loss.scheme.relations}


def _condition(
    loss: Reduced,
    v: str,
    e: str,
    inner: Mapping[str, Expr],
    domain: Domain,
    whole: Domain,
    proof: Derivation,
) -> Condition:
    theta = loss.scheme.eigenvalues(loss.pair_gradient(inner))
    clearing = loss.clearing(inner)
    gap, over = without_positive_factors(clearing * (theta[e] - theta[v]), domain)
    when = difference(domain, whole)
    says = f"{v} is not left towards {e}"
    prefix = f"{when} " if when else ""
    claim = Iff(ge(f"theta_{e}", f"theta_{v}"), ge(gap, 0))
    proof.add(
        f"{_capital(prefix + says)} iff this is not negative",
        VertexGap(claim, domain, loss, v, e, over),
        "both sides times something positive",
    )
    there = pure_inner(loss, e)
    place = Place(inner, {r: there[r] - inner[r] for r in inner})
    criterion = Criterion(says, Ge(gap, 0, evaluate=False), place)
    verdict: Verdict = "open"
    if is_proved_positive(gap, domain):
        verdict = "strict"
        always = _capital(f"{prefix}{v} is never left towards {e}")
        proof.holds(always, gt(gap, S.Zero), "so there the structure is kept", domain)
    elif is_proved_positive(gap, domain, strict=False):
        verdict = "holds"
        always = _capital(f"{prefix}{v} need not be left towards {e}")
        proof.holds(always, ge(gap, S.Zero), "others may be as good where it is zero", domain)
    elif is_proved_positive(-gap, domain):
        verdict = "never"
        always = _capital(f"{prefix}{v} is always left towards {e}")
        proof.holds(always, lt(gap, S.Zero), "so it is never optimal", domain)
    return Condition(criterion, domain, verdict, when)


def without_positive_factors(expression: Expr, domain: Domain) -> tuple[Expr, Expr]:
    """An expression without factors that are proved positive, in a readable form, and those."""
    if not expression.free_symbols:
        return collected(expression, x), S.One
    try:
        field = ExpField([expression])
        ratio = field.ratio(expression)
        if sum(max(d, 0) for d in ratio.numer.degrees()) > LARGEST_DEGREE:
            return collected(expression, x), S.One
        content, factors = factor_list(ratio.numer)
    except NotInField:
        return expression, S.One
    left = S.One if content > 0 else S.NegativeOne
    over = abs(Rational(int(content.numerator), int(content.denominator)))
    parts = [(field.back(f), int(k)) for f, k in factors]
    parts += [(field.back(f), -int(k)) for f, k in ratio.denom.items()]
    for part, power in parts:
        if not part.free_symbols:
            left *= part**power
            continue
        fixed = next((s for s in (1, -1) if is_proved_positive(s * part, domain)), 0)
        if fixed:
            left *= S(fixed) ** power
            over *= (fixed * part) ** power
        elif power % 2 == 0 and power < 0:
            return expression, S.One
        else:
            left *= part**power
    if not left.free_symbols:  # of one sign, which the whole shows better
        return collected(expression, x), S.One
    return collected(left, x), over


def _within(part: Domain, other: Domain | None) -> Domain:
    """Where both an eigenspace is present and a solution is meant."""
    if other is None:
        return part
    found = other
    for s, r in part.ranges.items():
        if (
            s in other.ranges
            and r.integer
            and is_proved_positive(r.low - other.ranges[s].low, other)
        ):
            found = found.with_range(s, r, max(part.witness[s], other.witness[s]))
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- what is stated -------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Pure(Statement):
    """``g_r = ...``: inner products with which every eigenvalue but one vanishes."""

    reduced: Reduced
    name: str

    def decide(self) -> Outcome:
        """Whether the inner products shown do that, with unit diagonal."""
        scheme = self.reduced.scheme
        shown = assignments(self.shown)
        shown.setdefault(Symbol("g_self"), S.One)
        if set(shown) != {Symbol(f"g_{r.name}") for r in scheme.relations}:
            return Undecided("not one inner product for each relation")
        if shown[Symbol("g_self")] != 1:
            return Refuted(note="the embeddings have unit length")
        # Entries of the Gram matrix; where a relation has no pair its entry does not count.
        entries = {r.name: shown[Symbol(f"g_{r.name}")] for r in scheme.relations}
        values = scheme.eigenvalues(entries)
        own = values.pop(self.name) * scheme.eigenspace(self.name).dimension - scheme.size
        others = [scheme.eigenspace(e).dimension * value for e, value in values.items()]
        return all_zero([own, *others], self.domain)


@dataclass(frozen=True, eq=False)
class VertexOptimal(Statement):
    """The share of an eigenspace is one at an optimum iff ``theta_e >= theta_v`` for all others.

    The loss is convex in the Gram matrix, so a point is optimal iff no direction from it inside the
    simplex of shares lowers the loss to first order.
    """

    reduced: Reduced
    name: str

    @classmethod
    def of(cls, loss: Reduced, name: str, others: tuple[str, ...], domain: Domain) -> VertexOptimal:
        """The statement about an eigenspace and all others that have a dimension."""
        compared = Tuple(*(ge(f"theta_{e}", f"theta_{name}") for e in others))
        claim = Iff(eq(f"share_{name}", S.One), compared)
        return cls(claim, domain, loss, name, lemma=CERTIFICATE)

    def decide(self) -> Outcome:
        """Whether all others are there, and the loss is convex."""
        if not isinstance(self.shown, Iff) or len(self.shown.args) != 2:
            return Undecided(f"{self.shown} is not an equivalence")
        place, compared = self.shown.args
        if place != eq(f"share_{self.name}", S.One) or not isinstance(compared, Tuple):
            return Refuted(note=f"{place} is not that {self.name} has the whole trace")
        named = set(compared.args)
        spaces = [e for e in self.reduced.scheme.eigenspaces if e.name != self.name]
        wanted = {ge(f"theta_{e.name}", f"theta_{self.name}"): e for e in spaces}
        if not named <= set(wanted):
            return Refuted(note="the eigenvalues are not compared with that of the structure")
        for relation, e in wanted.items():
            if relation not in named and not isinstance(zero(e.dimension, self.domain), Holds):
                return Refuted(note=f"{e.name} is left out")
        return decided(self.reduced.preconditions(self.domain))


@dataclass(frozen=True, eq=False)
class VertexGap(Statement):
    """``theta_e >= theta_v`` iff a condition is not negative, at a pure structure.

    The condition may lack the positive factor ``over``.
    """

    reduced: Reduced
    name: str
    other: str
    over: Expr = S.One

    def decide(self) -> Outcome:
        """Whether the condition is the gap of the two eigenvalues, up to something positive."""
        if not isinstance(self.shown, Iff):
            return Undecided(f"{self.shown} is not an equivalence")
        compared, relation = self.shown.args
        if compared != ge(f"theta_{self.other}", f"theta_{self.name}"):
            return Refuted(note=f"{compared} is about something else")
        if type(relation) is not Ge or relation.args[1] != 0:
            return Refuted(note=f"{relation} is not that a condition is >= 0")
        inner = pure_inner(self.reduced, self.name)
        theta = self.reduced.scheme.eigenvalues(self.reduced.pair_gradient(inner))
        clearing = self.reduced.clearing(inner)
        gap = clearing * (theta[self.other] - theta[self.name])
        return every(
            [
                zero(self.over * relation.args[0] - gap, self.domain),
                positive(self.over, self.domain),
                positive(clearing, self.domain),
            ]
        )


@dataclass(frozen=True, eq=False)
class UniqueGram(Relations):
    """Weights > 0 of denominators that together contain every relation between two points.

    Inner products of one at a pure structure may be left out: where only its shares are optimal
    the mean of such inner products is one at every optimum, and none is larger.
    """

    reduced: Reduced | None = None
    inner: Mapping[str, Expr] = field(default_factory=dict)

    @classmethod
    def of(
        cls, loss: Reduced, domain: Domain, inner: Mapping[str, Expr] | None = None
    ) -> UniqueGram:
        """The statement about the denominators of a softmax loss."""
        weights = getattr(loss, "denominators", {})
        used = {d: w for d, w in weights.items() if is_proved_positive(w, domain)}
        shown = Tuple(*(gt(w, S.Zero) for w in used.values()))
        return cls(shown, domain, reduced=loss, inner=inner or {}, lemma=STRICT_ROWS)

    def decide(self) -> Outcome:
        """Whether these weights are positive, and nothing is left out."""
        weights = getattr(self.reduced, "denominators", {})
        used = [pool for pool, w in weights.items() if gt(w, S.Zero) in self.shown.args]
        if self.reduced is None or not used:
            return Undecided("a pairwise loss need not be strictly convex")
        felt = {r for pool in used for r in (*pool.members, pool.own)}
        felt |= {r for r, value in self.inner.items() if value == 1}
        missing = [
            r.name for r in self.reduced.scheme.relations if r.name != "self" and r.name not in felt
        ]
        if missing:
            return Undecided(f"no denominator contains {', '.join(missing)}")
        return super().decide()
