"""From a loss and a symmetry to the segment of Gram matrices that holds every optimum.

The loss is convex in the Gram matrix G and invariant under the symmetry, so it is
minimised by a G that is constant on relations; such a G is PSD iff its few
eigenvalues lambda_e are >= 0. Let theta_e be the eigenvalues of the gradient. For a
number y, the matrix gradient - y I certifies G as a global minimum over *all* Gram
matrices iff theta_e >= y for every eigenspace, with equality where lambda_e > 0.
Eigenspaces with theta_e > y at every candidate are active: lambda_e = 0. When two
remain, "low" and "high", what is left is a segment, and

    d loss / dx = (positive constant) * (theta_low - theta_high),

so with y = min(theta_low, theta_high) the certificate is complete exactly where the
convex function of x has its minimum.
"""

from __future__ import annotations

from functools import cached_property

from sympy import Expr, Ge, Le, Lt, S

from ..decide.calculus import derivative
from ..decide.domain import Domain, between
from ..decide.evidence import Holds
from ..decide.present import collected
from ..proof.derivation import Derivation
from ..proof.lemmas import FIRST_ORDER
from ..proof.relations import Iff, eq, gt
from .edge import state_slope
from .reduce import Reduced
from .reduction import state_reduction
from .segment import Segment
from .segment_facts import (
    Active,
    FirstOrder,
    slope_along,
    state_segment,
)
from .threshold import Criterion, Place

#: What the sign of the slope at a point means for a convex function there.
_PACE = {Lt: "decreases", Ge: "does not decrease", Le: "does not increase"}


class LossOnSegment:
    """A loss on the segment that holds its optima; every step of the way there is checked.

    Parameters
    ----------
    reduced
        The declared loss on the symmetry of its problem.
    segment
        All eigenspaces but two are active on it.
    domain
        Where the parameters live.
    proof
        The derivation that the steps are added to.
    weak
        Whether ``>=`` will do where ``>`` is not proved: then *some* optimum lies on the
        segment, but others may not, and :attr:`strict` is False.

    Raises
    ------
    StepFailed
        If the other eigenspaces are not proved to be active.
    """

    def __init__(
        self,
        reduced: Reduced,
        segment: Segment,
        domain: Domain,
        proof: Derivation,
        *,
        weak: bool = False,
    ):
        self.reduced, self.scheme, self.segment = reduced, reduced.scheme, segment
        self.proof, self.x = proof, segment.x
        state_reduction(reduced, domain, proof)
        middle = domain.witness_of(segment.length) / 2
        self.domain = domain.with_range(segment.x, between(0, segment.length), middle)
        active = Active.from_segment(reduced, segment, True, self.domain)
        self.strict = not weak or isinstance(active.decide(), Holds)
        if not self.strict:
            active = Active.from_segment(reduced, segment, False, self.domain)
        where = "every optimum" if self.strict else "some optimum"
        proof.add(
            f"The eigenvalues of {' and '.join(segment.active)} vanish at {where}", active, ""
        )
        state_segment(proof, segment, self.domain)
        state_slope(proof, reduced, segment, self.domain)

    # --- what the segment gives ------------------------------------------------------
    @cached_property
    def value(self) -> Expr:
        """The loss along the segment."""
        return self.reduced.value(self.segment.inner)

    @cached_property
    def slope(self) -> Expr:
        """A function of the sign of d loss/dx: that derivative times something positive."""
        return slope_along(self.reduced, self.segment)

    def slope_at(self, point: Expr) -> Expr:
        """:attr:`slope` at a point of the segment."""
        return collected(self.slope.xreplace({self.x: point}), self.x)

    def criterion(
        self, says: str, kind: type, point: Expr, because: str, *, over: Expr = S.One
    ) -> Criterion:
        """Add what the sign of the slope at a point says of the optima, and return it.

        Parameters
        ----------
        says
            In words, what is the case iff the slope compares with zero as ``kind`` says.
        kind
            Lt: all optima lie beyond the point. Ge: the near end is optimal. Le: the far end is.
        point
            Where on the segment.
        because
            What the point is.
        over
            A positive factor that is left out of the slope.
        """
        slope = self.slope if over == 1 else collected(self.slope / over, self.x)
        relation = kind(collected(slope.xreplace({self.x: point}), self.x), 0, evaluate=False)
        what, place = {Lt: (gt, "x_star"), Ge: (eq, "x_star"), Le: (eq, "x_last")}[kind]
        claim = Iff(what(place, point), relation)
        words = says[0].upper() + says[1:]
        self.proof.add(
            f"{words} iff the convex loss {_PACE[kind]} at x = {point}",
            FirstOrder(claim, self.domain, self.reduced, self.segment, over, lemma=FIRST_ORDER),
            because,
        )
        return Criterion(says, relation, self._place(point))

    def _place(self, point: Expr) -> Place:
        """The structure at a point; only inside the segment does it matter which way leads on."""
        inner = {r: e.xreplace({self.x: point}) for r, e in self.segment.inner.items()}
        if point in (S.Zero, self.segment.length):
            return Place(inner, loss=self.reduced)
        along = {r: derivative(e, self.x) for r, e in self.segment.inner.items()}
        return Place(inner, along, loss=self.reduced)
