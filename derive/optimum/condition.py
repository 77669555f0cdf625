"""What vertices and edges share: conditions on the other eigenspaces, and statements about them.

A point that is least on its face is optimal iff no direction out of the face lowers the loss to
first order: one comparison of two eigenvalues of the gradient for every other eigenspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from sympy import Basic, Expr, Rational, S, Symbol, Tuple

from ..decide.decide import is_proved_positive, zero
from ..decide.domain import Domain
from ..decide.evidence import Holds, Outcome, Refuted, Undecided
from ..decide.normal import ExpField, NotInField, factor_list
from ..decide.present import collected
from ..frozen import Frozen
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.lemmas import CERTIFICATE
from ..proof.relations import Iff, eq, ge
from ..proof.statement import Statement, decided
from .reduce import Invariant, Reduced
from .reduction import reduced, state_reduction
from .segment import x
from .threshold import Criterion

#: Numbers in exponents make polynomials of high degree, which are not factored.
LARGEST_DEGREE = 40

#: What is known of a condition everywhere on its domain: it holds (strictly), or never, or neither.
Verdict = Literal["strict", "holds", "never", "open"]


class Condition(Frozen):
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
    def relation(self) -> Basic:
        """The condition."""
        return self.criterion.relation

    @property
    def expression(self) -> Expr:
        """The left side of the condition ``... >= 0``."""
        return self.criterion.condition


class Conditioned:
    """What is optimal iff all of its conditions hold, one for each other eigenspace."""

    conditions: Mapping[str, Condition]

    @property
    def verdict(self) -> Verdict:
        """What is known of all conditions together."""
        found = {c.verdict for c in self.conditions.values()}
        ranked: tuple[Verdict, ...] = ("never", "open", "holds", "strict")
        return next((v for v in ranked if v in found), "strict")

    @property
    def open(self) -> dict[str, Condition]:
        """The conditions on which it depends whether it is optimal."""
        return {e: c for e, c in self.conditions.items() if c.verdict == "open"}


def stated(
    problem: Problem | Reduced, domain: Domain | None, proof: Derivation
) -> tuple[Reduced, Domain]:
    """A reduced loss and its domain; of a problem, the reduction becomes steps of the proof."""
    if isinstance(problem, Problem):
        loss = reduced(problem)
        state_reduction(loss, problem.domain, proof)
        return loss, problem.domain
    if domain is None:
        raise TypeError("a reduced loss needs its domain")
    return problem, domain


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


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- what is stated -------------------------------------------------------------------------------
class OptimalIff(Statement):
    """Some eigenspaces have the whole trace at an optimum iff ``theta_e >= level`` for all others.

    The loss is convex in the Gram matrix, so a point is optimal iff no direction from it inside the
    simplex of shares lowers the loss to first order.
    """

    reduced: Invariant
    occupied: tuple[str, ...]
    level: str

    @classmethod
    def from_loss(
        cls,
        loss: Invariant,
        occupied: tuple[str, ...],
        level: str,
        others: Iterable[str],
        domain: Domain,
    ) -> OptimalIff:
        """The statement about some eigenspaces and all others that have a dimension."""
        compared = Tuple(*(ge(f"theta_{e}", level) for e in others))
        claim = Iff(_whole_trace(occupied), compared)
        return cls(claim, domain, loss, occupied, level, lemma=CERTIFICATE)

    def decide(self) -> Outcome:
        """Whether all others are there, and the loss is convex."""
        if not isinstance(self.shown, Iff) or len(self.shown.args) != 2:
            return Undecided(f"{self.shown} is not an equivalence")
        where, compared = self.shown.args
        what = " and ".join(self.occupied)
        if where != _whole_trace(self.occupied) or not isinstance(compared, Tuple):
            return Refuted(note=f"{where} is not that {what} has the whole trace")
        named = set(compared.args)
        others = (e for e in self.reduced.scheme.eigenspaces if e.name not in self.occupied)
        wanted = {ge(f"theta_{e.name}", self.level): e for e in others}
        if not named <= set(wanted):
            return Refuted(note=f"the eigenvalues are not compared with that of {what}")
        for relation, e in wanted.items():
            if relation not in named and not isinstance(zero(e.dimension, self.domain), Holds):
                return Refuted(note=f"{e.name} is left out")
        outside = self.domain.restricted(set(self.domain.ranges) - {x})
        return decided(self.reduced.preconditions(outside))


def _whole_trace(occupied: tuple[str, ...]) -> Basic:
    return eq(sum((Symbol(f"share_{e}") for e in occupied), S.Zero), S.One)
