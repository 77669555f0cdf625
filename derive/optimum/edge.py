"""Two occupied eigenspaces: where on the edge the loss is least, and whether it is least at all.

Along the edge from the pure structure a (x = 0) to b the loss is convex, and its slope has the sign
of theta_b - theta_a: the least point is where these meet, or an end. That point is optimal among
all Gram matrices iff theta_e >= y there for every other eigenspace e, with y the mean of theta over
the trace, which is theta_a = theta_b inside the edge. Whether e would stay zero elsewhere on the
edge does not matter; but where that is proved for the whole edge no root is needed to say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from sympy import Add, Expr, Ge, Lambda, S, Symbol, Tuple

from ..decide.calculus import derivative
from ..decide.decide import is_proved_positive, positive
from ..decide.domain import Domain, DomainError, between
from ..decide.evidence import Holds
from ..decide.present import collected, put_in, solve_linear, tidy
from ..decide.root import ClampedRoot
from ..frozen import Frozen
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.lemmas import FIRST_ORDER
from ..proof.relations import Iff, eq, ge, gt
from ..proof.same_sign import SameSign
from ..proof.statement import Relations
from ..structures.called import motion
from .condition import (
    Condition,
    Conditioned,
    OptimalIff,
    capital,
    stated,
    without_positive_factors,
)
from .reduce import Reduced
from .reduction import difference, present, where_positive
from .segment import Segment, cut_segment
from .segment_facts import Active, AtEnd, slope_along, state_segment
from .threshold import Criterion
from .vertex import pure_inner


class Edge(Frozen, Conditioned):
    """The least point of an edge, with the conditions under which it is optimal.

    Attributes
    ----------
    names
        The two eigenspaces: x = 0 is the pure structure of the first, x = length of the second.
    segment
        The inner products along it.
    slope
        An expression in x with the sign of the slope of the loss.
    position
        Where the loss is least: a root, which is an end where the slope has one sign.
    along
        For each other eigenspace the condition at x, as a function of x; with the verdict
        ``strict`` or ``holds`` where it is proved for the whole edge.
    """

    reduced: Reduced
    domain: Domain
    names: tuple[str, str]
    segment: Segment
    slope: Expr
    position: Expr
    along: Mapping[str, Condition]
    proof: Derivation = field(repr=False)

    @property
    def x(self) -> Symbol:
        """The position along the edge."""
        return self.segment.x

    @cached_property
    def conditions(self) -> Mapping[str, Condition]:  # type: ignore[override]
        """For each other eigenspace the condition at the root; it has no closed form if open."""
        return {
            e: replace(c, criterion=c.criterion.at({self.x: self.position}, "at the root"))
            if c.verdict == "open"
            else c
            for e, c in self.along.items()
        }

    @property
    def is_whole(self) -> bool:
        """Whether some optimum lies on this edge for all values in the domain."""
        return all(c.verdict in ("strict", "holds") for c in self.along.values())

    @property
    def inner(self) -> dict[str, Expr]:
        """Inner products at the root."""
        at = {self.x: self.position}
        return {r: e.xreplace(at) for r, e in self.segment.inner.items()}

    @property
    def loss(self) -> Expr:
        """The least loss on the edge."""
        return put_in(self.reduced.value(self.segment.inner), {self.x: self.position})


def edge(
    problem: Problem | Reduced,
    names: tuple[str, str],
    proof: Derivation,
    domain: Domain | None = None,
    *,
    coordinate: str | None = None,
) -> Edge:
    """Find the least point of an edge and the conditions there, as steps of a derivation.

    Parameters
    ----------
    problem
        A problem; or a reduced loss that was stated before, with the ``domain``.
    names
        Two eigenspaces; x = 0 is the pure structure of the first.
    coordinate
        The relation whose inner product falls by x; by default the first that falls.

    Raises
    ------
    DomainError
        If there is no such edge, or the declaration is unfit.
    StepFailed
        If the loss is not proved convex.
    """
    loss, domain = stated(problem, domain, proof)
    segment, domain = edge_segment(loss, names, domain, coordinate)
    middle = domain.witness_of(segment.length) / 2
    inside = domain.with_range(segment.x, between(0, segment.length), middle)
    state_segment(proof, segment, inside)
    state_slope(proof, loss, segment, inside)
    slope = slope_along(loss, segment)
    position = _position(loss, segment, slope, inside, proof)
    others = present(loss.scheme, segment.active, inside)
    proof.add(
        f"The minimum on the edge between {' and '.join(names)} is optimal iff no "
        "other eigenvalue of the gradient is smaller there",
        OptimalIff.from_loss(loss, (segment.high, segment.low), "y", others, inside),
        "y is the eigenvalue of the gradient that these two have in common at a "
        "minimum inside the edge",
    )
    along = {e: _condition(loss, segment, e, part, inside, proof) for e, part in others.items()}
    return Edge(loss, domain, names, segment, slope, position, along, proof)


def edge_segment(
    loss: Reduced, names: tuple[str, str], domain: Domain, coordinate: str | None = None
) -> tuple[Segment, Domain]:
    """The segment between two pure structures, and where both have a dimension.

    Raises
    ------
    DomainError
        If there is no such edge.
    """
    known = [e.name for e in loss.scheme.eigenspaces]
    if len(set(names)) != 2 or not set(names) <= set(known):
        raise DomainError(f"{names} are not two of the eigenspaces {', '.join(known)}")
    for name in names:
        part = where_positive(loss.scheme.eigenspace(name).dimension, domain)
        if part is None:
            raise DomainError(f"the eigenspace {name} has no dimension there")
        domain = part
    active = tuple(e for e in known if e not in names)
    start, end = (pure_inner(loss, name) for name in names)
    falls = [
        r.name
        for r in loss.scheme.relations
        if r.name != "self" and is_proved_positive(start[r.name] - end[r.name], domain)
    ]
    chosen = coordinate or next(iter(falls), None)
    if chosen is None:
        raise DomainError(f"no inner product is proved to fall from {names[0]} to {names[1]}")
    try:
        return cut_segment(loss.scheme, active, names[1], chosen), domain
    except ValueError as error:
        raise DomainError(str(error)) from None


def state_slope(proof: Derivation, loss: Reduced, segment: Segment, inside: Domain) -> None:
    """Record that the slope along a segment is the gap of two eigenvalues of the gradient."""
    x, scheme = segment.x, loss.scheme
    low = scheme.eigenspace(segment.low)
    rate = derivative(segment.eigenvalues()[segment.low], x) * low.dimension / scheme.size
    theta = scheme.eigenvalues(loss.pair_gradient(segment.inner))
    gap = theta[segment.low] - theta[segment.high]
    weight = loss.clearing(segment.inner)
    slope = Symbol("h")
    proof.holds(
        "Along the segment the derivative of the loss is a positive multiple of the eigenvalue of "
        f"the gradient on {segment.low} minus that on {segment.high}",
        eq(slope, slope_along(loss, segment)),
        "the derivative is the inner product of the gradient with dG/dx, whose two "
        "eigenvalues have opposite signs; so where the convex loss is minimal along "
        "x, the certificate holds",
        inside,
        names={slope: weight * rate * gap},
        premises=[
            Relations(
                eq(loss.scale * derivative(loss.value(segment.inner), x), rate * gap), inside
            ),
            Relations(Tuple(gt(rate, S.Zero), gt(weight, S.Zero)), inside),
        ],
    )


def mean_eigenvalue(loss: Reduced, inner: Mapping[str, Expr]) -> Expr:
    """The mean of theta over the trace: <gradient, G>/size, by relation."""
    entries = loss.pair_gradient(inner)
    return Add(*(r.count * entries[r.name] * inner[r.name] for r in loss.scheme.relations))


def _position(
    loss: Reduced, segment: Segment, slope: Expr, inside: Domain, proof: Derivation
) -> Expr:
    """The root of the slope, or the end that it always points at."""
    for end, direction in ((S.Zero, 1), (segment.length, -1)):
        if isinstance(positive(direction * slope, inside), Holds):
            proof.add(
                f"The loss {'increases' if direction > 0 else 'decreases'} along the whole edge",
                AtEnd.from_segment(loss, segment, end, inside),
                "",
            )
            return end
    rate = derivative(slope, segment.x)
    if not rate.free_symbols - inside.ranges.keys() and segment.x not in rate.free_symbols:
        place = tidy(solve_linear(slope, segment.x)) if rate != 0 else S.NegativeOne
        ends = (place, segment.length - place, rate)
        if all(is_proved_positive(gap, inside) for gap in ends):
            proof.holds(
                "The derivative is increasing and vanishes at x_star, so the loss is minimal there",
                [eq("x_star", place), eq("h_star", S.Zero)],
                FIRST_ORDER,
                inside,
                names={
                    Symbol("x_star"): solve_linear(slope, segment.x),
                    Symbol("h_star"): slope.xreplace({segment.x: place}),
                },
            )
            return place
    return ClampedRoot(Lambda(segment.x, slope), S.Zero, segment.length)


def _condition(
    loss: Reduced,
    segment: Segment,
    e: str,
    domain: Domain,
    inside: Domain,
    proof: Derivation,
) -> Condition:
    theta = loss.scheme.eigenvalue(e, loss.pair_gradient(segment.inner))
    names = {Symbol(f"theta_{e}"): theta, Symbol("y"): mean_eigenvalue(loss, segment.inner)}
    clearing = loss.clearing(segment.inner)
    gap = clearing * (theta - names[Symbol("y")])
    condition, over = collected(gap, segment.x), S.One
    if domain.ranges.keys() - {segment.x}:  # between numbers there is nothing to read
        condition, over = without_positive_factors(gap, domain)
    when = difference(domain, inside)
    criterion = Criterion(
        f"{motion(f'{segment.high}+{segment.low}', e, loss.scheme)} does not lower the loss",
        Ge(condition, 0, evaluate=False),
    )
    prefix = f"{when}, {e}" if when else e
    for strict, verdict in ((True, "strict"), (False, "holds")):
        says = Active.from_segment(loss, segment, strict, domain, (e,))
        if isinstance(says.decide(), Holds):
            proof.add(
                f"{capital(prefix)} has eigenvalue zero in {'every' if strict else 'some'} "
                "optimum, along the whole edge",
                says,
                "",
            )
            return Condition(criterion, domain, verdict, when)  # type: ignore[arg-type]
    proof.add(
        f"{capital(prefix)} has eigenvalue zero at the optimum iff this is not negative at "
        "the root",
        SameSign(Iff(ge(f"theta_{e}", "y"), ge(condition, 0)), domain, over, clearing, names=names),
        "it is the difference of the two eigenvalues times a positive factor, for every x",
    )
    if is_proved_positive(-condition, domain):
        return Condition(criterion, domain, "never", when)
    return Condition(criterion, domain, "open", when)
