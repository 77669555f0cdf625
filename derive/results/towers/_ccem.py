"""What the theorems about two towers share: symmetry, domain, and the CCEM segment."""

from __future__ import annotations

from sympy import Expr, Lambda, Symbol, Tuple, sqrt

from ...decide.domain import Domain, Range
from ...decide.evidence import Outcome
from ...decide.present import affine, tidy
from ...losses.pairwise import PairwiseLoss
from ...optimum.on_segment import LossOnSegment
from ...optimum.reduce import Reduced, check_preconditions, check_relations
from ...optimum.segment import Segment, cut_segment, delta, x
from ...optimum.shape import convex_and_monotone
from ...proof.derivation import Derivation
from ...proof.relations import eq
from ...proof.statement import Relations
from ...structures.scheme import Scheme
from ...structures.towers import NEGATIVE, towers
from ...structures.towers import POSITIVE as ALIGNED
from ...theorem.measure import Reading, product
from ...theorem.quantity import Quantity

SYMMETRY = towers()
#: Vanishes where the towers agree (delta = 0), and is all there is at delta = oo.
LOW = "differing_means"


def on_ccem(
    reduced: Reduced, domain: Domain, proof: Derivation, *, weak: bool = False
) -> LossOnSegment:
    """Reduce a loss to the segment from the simplex to the antipodal structure."""
    return LossOnSegment(reduced, ccem_segment(reduced.scheme), domain, proof, weak=weak)


def ccem_segment(structure: Scheme = SYMMETRY) -> Segment:
    """The segment on which the towers share no mean and differ in no contrast: the CCEM."""
    return cut_segment(structure, ("differing_contrasts", "shared_mean"), LOW, ALIGNED)


def is_two_towers(structure: Scheme) -> bool:
    """Whether a structure is that of two towers, whatever the number of items is called."""
    names = [[e.name for e in s.eigenspaces] for s in (structure, SYMMETRY)]
    return names[0] == names[1] and structure.eigenspace(LOW).dimension == 1


def position_of_delta(segment: Segment) -> Expr:
    """x as a function of delta: the share delta^2/(1 + delta^2) of the way."""
    return segment.length * delta**2 / (1 + delta**2)


def delta_of_position(segment: Segment, position: Expr) -> Expr:
    """The inverse of :func:`position_of_delta`."""
    return sqrt(position / (segment.length - position))


#: Which way the function of a relation must go.
DIRECTIONS = {ALIGNED: -1, NEGATIVE: 1}


def shape_of(loss: PairwiseLoss, domain: Domain) -> Outcome:
    """Evidence that l_p is convex decreasing and l_n convex increasing on [-1, 1].

    Raises
    ------
    DomainError
        If a term is on another relation, or its weight may be negative.
    """
    check_relations(loss, (term.relation for term in loss.terms), DIRECTIONS)
    check_preconditions(loss.preconditions(), loss.name, domain)
    return convex_and_monotone(
        [(term.function, DIRECTIONS[term.relation]) for term in loss.terms], domain
    )


def state_delta(proof: Derivation, segment: Segment, domain: Domain) -> None:
    """Record how x, delta and the paper's s are related."""
    # The trace is 2 N; what is not LOW's share of it is the other end's.
    at = {x: position_of_delta(segment)}
    low, high = (segment.eigenvalues()[e].xreplace(at) for e in (LOW, segment.high))
    share = Symbol("share")
    size, rest = (segment.scheme.eigenspace(e).dimension for e in (LOW, segment.high))
    free = domain.with_range(delta, Range(low_open=False), 1)
    proof.holds(
        "The difference of the tower means has the fraction delta^2/(1 + delta^2) of the trace",
        Tuple(eq(share, delta**2 / (1 + delta**2)), eq(x, position_of_delta(segment))),
        "x is a multiple of this fraction, from the simplex (delta = 0) to the "
        "antipodal structure (delta = oo)",
        free,
        names={
            share: size * low / segment.scheme.size,
            x: segment.length * size * low / segment.scheme.size,
        },
        premises=[Relations(eq(size * low + rest * high, segment.scheme.size), free)],
    )


#: How far positives have fallen: the position on the segment, in embeddings.
POSITION = Reading(1 - product(ALIGNED))


def optimum(segment: Segment, position: Expr, loss: Expr, domain: Domain) -> dict[str, Quantity]:
    """The quantities of an optimum at a position of the segment."""
    at = {x: position}
    positive = segment.inner[ALIGNED].xreplace(at)
    return {
        "x_star": Quantity(
            position,
            r"x^\star",
            "position on the Gram segment",
            domain,
            spellings=(r"x^*",),
            measured=POSITION,
        ),
        "delta_star": Quantity(
            delta_of_position(segment, position),
            r"\delta^\star",
            "position on the CCEM; oo is the antipodal structure",
            domain,
            extended=True,
            spellings=(r"\delta^*",),
            measured=Reading(
                POSITION.expression / segment.length, through=Lambda(x, 1 - 1 / (1 + x**2))
            ),
        ),
        "positive": Quantity(
            positive,
            r"u_i^\top v_i",
            "inner product of a positive pair",
            domain,
            spellings=(r"(u_i^\star)^\top v_i^\star", r"(u_i^*)^\top v_i^*"),
        ),
        "negative": Quantity(
            segment.inner[NEGATIVE].xreplace(at),
            r"u_i^\top v_j",
            "inner product of a negative pair",
            domain,
            spellings=(r"(u_i^\star)^\top v_j^\star", r"(u_i^*)^\top v_j^*"),
        ),
        "positive_similarity": Quantity(
            affine(tidy((1 + segment.inner[ALIGNED]) / 2), x).xreplace(at),
            "s",
            "normalised similarity (1 + u_i.v_i)/2",
            domain,
            measured=Reading((1 + product(ALIGNED)) / 2),
        ),
        "loss": Quantity(
            loss.xreplace(at),
            r"\mathcal{L}^\star",
            "minimum of the loss",
            domain,
            spellings=(r"\mathcal{L}^*",),
        ),
    }
