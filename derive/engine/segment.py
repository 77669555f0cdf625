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

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Dummy, Expr, S, Symbol, Tuple

from ..structures.scheme import Scheme
from ..symbols import x as position
from .calculus import derivative
from .decide import any_positive
from .derivation import Derivation, StepFailed
from .domain import Domain, between
from .evidence import Holds, Outcome
from .present import affine, collected, solve_linear, tidy
from .reduce import Reduced, inner_products
from .relations import eq, ge, gt


@dataclass(frozen=True, eq=False)
class Segment:
    """Gram matrices with the active eigenvalues zero, one parameter x from 0 to ``length``.

    ``inner`` gives the inner products along it; x = 0 where the ``low`` eigenvalue
    vanishes and x = length where ``high`` does.
    """

    scheme: Scheme
    active: tuple[str, ...]
    low: str
    high: str
    inner: Mapping[str, Expr]
    length: Expr
    x: Symbol = position

    def eigenvalues(self) -> dict[str, Expr]:
        """Eigenvalues of the Gram matrix along the segment."""
        return self.scheme.eigenvalues(self.inner)


def cut_segment(scheme: Scheme, active: tuple[str, ...], low: str, coordinate: str) -> Segment:
    """Solve lambda_e = 0 for the active eigenspaces; x is how far ``coordinate`` fell.

    Raises
    ------
    ValueError
        If the active eigenvalues leave more or less than a segment.
    """
    free = [e.name for e in scheme.eigenspaces if e.name not in active]
    if len(free) != 2 or low not in free:
        raise ValueError(f"{active} leaves {free}, which is not a segment with end {low}")
    high = next(e for e in free if e != low)
    # The table is orthogonal, so entries follow from eigenvalues: those of low and high
    # share the trace, dim(low) * t + dim(high) * rest = size, and t runs along the segment.
    t = Dummy("t")
    dims = {e.name: e.dimension for e in scheme.eigenspaces}
    rest = (scheme.size - dims[low] * t) / dims[high]
    entries = {
        r.name: (
            dims[low] * t * scheme.table[low][r.name]
            + dims[high] * rest * scheme.table[high][r.name]
        )
        / (scheme.size * r.count)
        for r in scheme.relations
    }
    # x is how far the coordinate's inner product has fallen from its value at t = 0.
    pace = tidy(derivative(entries[coordinate], t))
    if pace == 0:
        raise ValueError(f"{coordinate} does not move when {low} and {high} share the trace")
    t_of_x = -position / pace
    inner = {r: affine(e.xreplace({t: t_of_x}), position) for r, e in entries.items()}
    length = tidy(solve_linear(rest.xreplace({t: t_of_x}), position))
    return Segment(scheme, active, low, high, inner, length)


class LossOnSegment:
    """A loss on the segment that holds its optima; every step of the way there is checked.

    Parameters
    ----------
    reduced
        The declared loss on the symmetry of its problem.
    coordinate
        The relation whose inner product measures the way along the segment.
    low
        The eigenspace that vanishes at x = 0.
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
        If no set of active eigenspaces can be proved.
    """

    def __init__(
        self,
        reduced: Reduced,
        *,
        coordinate: str,
        low: str,
        domain: Domain,
        proof: Derivation,
        weak: bool = False,
    ):
        self.reduced, self.scheme, self.proof = reduced, reduced.scheme, proof
        g = inner_products(reduced.scheme)
        self._add_reduction(g, domain)
        #: eigenvalues of the gradient, times the temperature, along the segment
        try:
            self.segment, self.theta, active = self._find_segment(coordinate, low, domain, True)
            self.strict = True
        except StepFailed:
            if not weak:
                raise
            self.segment, self.theta, active = self._find_segment(coordinate, low, domain, False)
            self.strict = False
        self.x = self.segment.x
        start = domain.witness_of(self.segment.length) / 2
        self.domain = domain.with_range(self.x, between(0, self.segment.length), start)
        self._add_certificate(active)

    # --- what the segment gives ------------------------------------------------------
    @cached_property
    def value(self) -> Expr:
        """The loss along the segment."""
        return self.reduced.value(self.segment.inner)

    @cached_property
    def slope(self) -> Expr:
        """A function of the sign of d loss/dx: that derivative times something positive."""
        weight = self.reduced.scale * self.reduced.clearing(self.segment.inner)
        return collected(weight * derivative(self.value, self.x), self.x)

    def slope_at(self, point: Expr) -> Expr:
        """:attr:`slope` at a point of the segment."""
        return collected(self.slope.xreplace({self.x: point}), self.x)

    # --- steps -------------------------------------------------------------------------
    def _add_reduction(self, g: dict[str, Symbol], domain: Domain) -> None:
        value = self.reduced.value(g)
        entries = self.reduced.pair_gradient(g)
        why, outcome = self.reduced.convexity(domain)
        self.proof.add(
            "The loss is convex in the Gram matrix and invariant, so some optimum has one "
            "inner product per relation",
            eq("L", value),
            f"{why}; averaging over the symmetry group does not raise a convex invariant function",
            outcome,
        )
        residuals = [
            self.reduced.scale * derivative(value, g[r.name]) - r.count * entries[r.name]
            for r in self.scheme.relations
        ]
        self.proof.zero(
            "Derivative in the entry of one pair, by relation",
            residuals,
            self.reduced.forces,
            domain,
            Tuple(*(eq(f"a_{r}", e) for r, e in entries.items())),
        )
        self.proof.zero(
            "Eigenvalues of the Gram matrix, with multiplicities",
            self.scheme.residuals(),
            "the table of the symmetry is checked by its orthogonality relations",
            domain,
            Tuple(
                *(
                    Tuple(self.scheme.eigenvalue(e.name, g), e.dimension)
                    for e in self.scheme.eigenspaces
                )
            ),
        )

    def _find_segment(
        self, coordinate: str, low: str, domain: Domain, strict: bool
    ) -> tuple[Segment, dict[str, Expr], Outcome]:
        failed = []
        contrasts = [e.name for e in self.scheme.eigenspaces[:-1] if e.name != low]
        constant = self.scheme.eigenspaces[-1].name
        for high in (*reversed(contrasts), constant):
            free = (low, high)
            chosen = tuple(e.name for e in self.scheme.eigenspaces if e.name not in free)
            try:
                segment = cut_segment(self.scheme, chosen, low, coordinate)
            except ValueError as error:
                failed.append(str(error))
                continue
            if not domain.witness_of(segment.length) > 0:
                failed.append(f"{coordinate} does not fall from the end {low}")
                continue
            theta = self.scheme.eigenvalues(self.reduced.pair_gradient(segment.inner))
            outcome = _active(segment, theta, domain, strict)
            if isinstance(outcome, Holds):
                return segment, theta, outcome
            failed.append(f"{chosen}: {outcome}")
        raise StepFailed("no segment: " + "; ".join(failed))

    def _add_certificate(self, active: Outcome) -> None:
        s = self.segment
        where = "every optimum" if self.strict else "some optimum"
        sign = "positive" if self.strict else "non-negative"
        self.proof.add(
            f"Active at {where}: {' and '.join(s.active)}",
            Tuple(*(eq(f"lambda_{e}", S.Zero) for e in s.active)),
            f"there the eigenvalue of gradient - y I is {sign} for y = min(theta_low, "
            "theta_high)"
            + (
                ", so complementary slackness makes the Gram eigenvalue zero"
                if self.strict
                else "; with zero Gram eigenvalues the certificate is complete"
            ),
            active,
        )
        eigenvalues = s.eigenvalues()
        self.proof.zero(
            "What is left is a segment of Gram matrices",
            [
                *(eigenvalues[e] for e in s.active),
                eigenvalues[s.low].xreplace({self.x: S.Zero}),
                eigenvalues[s.high].xreplace({self.x: s.length}),
            ],
            "the active eigenvalues vanish along it, the other two at its ends",
            self.domain,
            Tuple(
                *(eq(f"g_{r}", e) for r, e in s.inner.items() if r != "self"),
                ge(s.length, self.x),
            ),
        )
        low = self.scheme.eigenspace(s.low)
        rate = derivative(eigenvalues[s.low], self.x) * low.dimension / self.scheme.size
        self.proof.positive(
            "Both remaining eigenvalues move linearly, one up and one down",
            [rate],
            "the trace is fixed",
            self.domain,
            gt(rate, S.Zero),
        )
        self.proof.equal(
            "The derivative along the segment is the gap of the certificate",
            self.reduced.scale * derivative(self.value, self.x),
            rate * (self.theta[s.low] - self.theta[s.high]),
            "the gradient in G pairs with dG/dx, whose eigenvalues are opposite in sign: "
            "where the convex function of x is least, the certificate holds",
            self.domain,
            eq("h", self.slope),
        )


def _active(segment: Segment, theta: Mapping[str, Expr], domain: Domain, strict: bool) -> Outcome:
    """Whether theta_e > (or >=) min(theta_low, theta_high), for the active eigenspaces."""
    middle = domain.witness_of(segment.length) / 2
    inside = domain.with_range(segment.x, between(0, segment.length), middle)
    free = (theta[segment.high], theta[segment.low])
    outcomes = [
        any_positive([theta[e] - other for other in free], inside, strict=strict)
        for e in segment.active
    ]
    return next((o for o in outcomes if not isinstance(o, Holds)), outcomes[0])
