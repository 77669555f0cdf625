"""Is a pure structure optimal? One condition for each of the other eigenspaces.

A pure structure has the whole trace on one eigenspace v, so its inner products are
P[v, r]/count_r. Let theta_e be the eigenvalues of the loss's gradient there. To move a bit of the
trace to another eigenspace e changes the loss at the rate theta_e - theta_v, up to a positive
factor. The loss is convex in the shares, so v is optimal iff theta_e >= theta_v for every e.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sympy import Basic, Expr, Ge, S, Symbol, Tuple

from ..decide.decide import all_zero, is_proved_positive
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Outcome, Refuted, Undecided
from ..decide.present import tidy
from ..frozen import Frozen
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.lemmas import STRICT_ROWS
from ..proof.relations import Iff, eq, ge, gt, lt
from ..proof.same_sign import SameSign
from ..proof.statement import Relations, Statement
from ..structures.called import motion
from .condition import (
    Condition,
    Conditioned,
    OptimalIff,
    Verdict,
    capital,
    stated,
    without_positive_factors,
)
from .dimension import has_one_optimum
from .reduce import Invariant, Reduced
from .reduction import difference, present, where_positive
from .segment_facts import assignments
from .threshold import Criterion, Place


class Vertex(Frozen, Conditioned):
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
    loss, domain = stated(problem, domain, proof)
    scheme = loss.scheme
    names = [e.name for e in scheme.eigenspaces]
    if name not in names:
        raise DomainError(f"the eigenspace {name!r} does not exist; choose from {', '.join(names)}")
    inside = where_positive(scheme.eigenspace(name).dimension, domain)
    if inside is None:
        raise DomainError(f"the eigenspace {name} has no dimension there")
    domain = inside
    inner, others = state_pure(loss, name, domain, proof)
    conditions = {
        e: _condition(loss, name, e, inner, part, domain, proof) for e, part in others.items()
    }
    return Vertex(loss, domain, name, inner, conditions, loss.value(inner), proof)


def state_pure(
    loss: Invariant, name: str, domain: Domain, proof: Derivation, where: str = ""
) -> tuple[dict[str, Expr], dict[str, Domain]]:
    """Record a pure structure, and that it is optimal iff no other eigenvalue is smaller there.

    Its inner products, and where each of the other eigenspaces has a dimension.
    """
    inner = pure_inner(loss, name)
    title = f"Inner products of the pure structure {name}"
    if all(step.title != title for step in proof):
        proof.add(
            title,
            Pure(
                Tuple(*(eq(f"g_{r}", e) for r, e in inner.items() if r != "self")),
                domain,
                loss,
                name,
            ),
            f"the eigenspace {name} has the whole trace, so all other eigenvalues of the "
            "Gram matrix vanish",
        )
    scheme = loss.scheme
    others = present(scheme, [e.name for e in scheme.eigenspaces if e.name != name], domain)
    proof.add(
        f"The pure structure {name} is optimal iff no other eigenvalue of the gradient "
        f"is smaller there{where}",
        OptimalIff.from_loss(loss, (name,), f"theta_{name}", others, domain),
        "",
    )
    return inner, others


def pure_inner(loss: Invariant, name: str) -> dict[str, Expr]:
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
    way = motion(v, e, loss.scheme)
    says = f"{way} does not lower the loss"
    prefix = f"{when} " if when else ""
    claim = Iff(ge(f"theta_{e}", f"theta_{v}"), ge(gap, 0))
    names = {Symbol(f"theta_{s}"): theta[s] for s in (e, v)}
    proof.add(
        f"{capital(prefix + says)} iff this is not negative",
        SameSign(claim, domain, over, clearing, names=names),
        "it is the difference of the two eigenvalues times a positive factor",
    )
    pure = pure_inner(loss, e)
    place = Place(inner, {r: pure[r] - inner[r] for r in inner}, loss=loss)
    criterion = Criterion(says, Ge(gap, 0, evaluate=False), place)
    verdicts: tuple[tuple[Verdict, Basic, str, str], ...] = (
        ("strict", gt(gap, S.Zero), "always raises", f"so {v} is never left in this direction"),
        ("holds", ge(gap, S.Zero), "never lowers", "where it is zero, other optima may exist"),
        ("never", lt(gap, S.Zero), "always lowers", f"so {v} is never optimal"),
    )
    for verdict, sign, does, why in verdicts:
        size = -gap if verdict == "never" else gap
        if is_proved_positive(size, domain, strict=verdict != "holds"):
            says = capital(f"{prefix}{way} {does} the loss")
            proof.holds(says, sign, why, domain)
            return Condition(criterion, domain, verdict, when)
    return Condition(criterion, domain, "open", when)


# --- what is stated -------------------------------------------------------------------------------
class Pure(Statement):
    """``g_r = ...``: inner products with which every eigenvalue but one vanishes."""

    reduced: Invariant
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


class UniqueGram(Relations):
    """Weights > 0 of denominators that together contain every relation between two points.

    Inner products of one at a pure structure may be left out: where only its shares are optimal
    the mean of such inner products is one at every optimum, and none is larger. The denominators
    need not share relations: on one eigenspace the inner products of a vector with those in a
    relation have the same sum at every optimum; on two, unless the loss is affine between them.
    """

    reduced: Reduced | None = None
    inner: Mapping[str, Expr] = field(default_factory=dict)

    @classmethod
    def from_loss(
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
        several = getattr(self.reduced.loss, "over_batches", False)
        if several and not has_one_optimum(self.reduced, self.inner, self.domain):
            return Undecided("what rows differ by may be another number in each batch")
        felt = {r for pool in used for r in (*pool.members, pool.own)}
        felt |= {r for r, value in self.inner.items() if value == 1}
        missing = [
            r.name for r in self.reduced.scheme.relations if r.name != "self" and r.name not in felt
        ]
        if missing:
            return Undecided(f"no denominator contains {', '.join(missing)}")
        return super().decide()
