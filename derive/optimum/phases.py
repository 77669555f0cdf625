"""Which structure is optimal where: every vertex, every edge, and at numbers every face.

The shares of the eigenspaces fill a simplex on which the loss is convex. Its vertices give
conditions in closed form, its edges conditions at a root, and larger faces are solved at numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from sympy import Expr, S, Symbol, Tuple, exp

from ..decide.domain import Domain, DomainError
from ..decide.evidence import Holds, Outcome, Refuted
from ..decide.root import ClampedRoot
from ..frozen import Frozen
from ..problems.problem import Problem
from ..proof.derivation import Derivation, Step, StepFailed
from ..proof.lemmas import CERTIFICATE
from ..proof.relations import eq
from ..proof.statement import Statement
from .edge import Edge, edge
from .face import FaceOptimum, Faces, faces, least
from .reduce import Reduced, inner_products
from .reduction import present, reduced, state_reduction
from .segment_facts import assignments
from .value import FaceValue
from .vertex import UniqueGram, Vertex, vertex


class Phases(Frozen):
    """What is known of the optimum for all values that are left free.

    Attributes
    ----------
    certain
        The vertex that is optimal everywhere, if there is one.
    vertices
        Those that may be optimal somewhere, with their conditions.
    whole
        An edge that holds an optimum everywhere, if one is proved to.
    edges
        Those whose least point may be optimal somewhere, if there is no such edge.
    never
        Vertices that are nowhere optimal, each with an eigenspace for which it is left.
    unproved
        Vertices and edges of which a step was not proved, with that step: any may be optimal.
    """

    reduced: Reduced
    domain: Domain
    certain: Vertex | None
    vertices: Mapping[str, Vertex]
    whole: Edge | None
    edges: Mapping[str, Edge]
    never: Mapping[str, str]
    unproved: Mapping[str, str]


class Optimum(Frozen):
    """The optimum at numbers: its occupied eigenspaces, inner products and loss."""

    occupied: tuple[str, ...]
    inner: Mapping[str, Expr]
    loss: Expr
    unique: bool | None

    @property
    def structure(self) -> str:
        """The name of the face."""
        return "+".join(self.occupied)


def face_name(loss: Reduced, names: tuple[str, ...]) -> str:
    """The names of a face in the order of the structure, joined by a plus."""
    return "+".join(e.name for e in loss.scheme.eigenspaces if e.name in names)


def phases(problem: Problem, proof: Derivation) -> Phases:
    """Find all vertices and edges that may be optimal, as steps of a derivation.

    Raises
    ------
    DomainError, StepFailed
        If the declaration is unfit, the loss is not proved convex, or nothing else is proved.
    """
    domain = problem.domain
    loss = reduced(problem)
    state_reduction(loss, domain, proof)
    vertices: dict[str, Vertex] = {}
    known: dict[str, Vertex] = {}
    never: dict[str, str] = {}
    unproved: dict[str, str] = {}
    for name in _present(loss, domain):
        try:
            found, steps = _vertex(loss, name, domain)
        except StepFailed as failed:
            unproved[name] = str(failed)
            continue
        known[name] = found
        left = next((e for e, c in found.conditions.items() if c.verdict == "never"), None)
        proof.steps += steps
        if left is not None:
            never[name] = left
            continue
        vertices[name] = found
        if found.verdict in ("strict", "holds") and found.domain is domain:
            return Phases(loss, domain, found, vertices, None, {}, never, {})
    edges: dict[str, Edge] = {}
    for names in _pairs(loss, domain, tuple(vertices)):
        if any(a in known and _is_kept(known[a], b) for a, b in (names, names[::-1])):
            continue  # the convex loss is least at this end of the edge
        try:
            found_edge, steps = _edge(loss, names, domain)
        except (DomainError, StepFailed) as failed:
            unproved[face_name(loss, names)] = str(failed)
            continue
        if any(c.verdict == "never" for c in found_edge.along.values()):
            continue
        if found_edge.is_whole and found_edge.domain is domain:
            proof.steps += steps
            return Phases(loss, domain, None, vertices, found_edge, {}, never, {})
        ends = (S.Zero, found_edge.segment.length)
        if found_edge.position not in ends:  # else it is one of the vertices
            edges[face_name(loss, names)] = found_edge
    for found_edge in edges.values():
        proof.steps += found_edge.proof.steps
    if unproved and not vertices and not edges:
        raise StepFailed(next(iter(unproved.values())))
    return Phases(loss, domain, None, vertices, None, edges, never, unproved)


def optimum(problem: Problem, proof: Derivation, digits: int = 15) -> Optimum:
    """The optimum of a problem without free symbols: the smallest face that is proved to have one.

    Raises
    ------
    DomainError
        If a symbol is left, or it is a border case that is not decided.
    StepFailed
        If the loss is not proved convex.
    """
    domain = problem.domain
    if domain.ranges:
        left = ", ".join(s.name for s in domain.ranges)
        raise DomainError(f"the optimum is computed for numerical values: give {left}")
    loss = reduced(problem)
    state_reduction(loss, domain, proof)
    found = least(loss, {}, digits)
    if len(found.occupied) == 1:
        known, steps = _vertex(loss, found.occupied[0], domain)
        if known.verdict in ("strict", "holds"):
            proof.steps += steps
            only = True if state_only(known, proof) else False if found.unique is False else None
            return Optimum(found.occupied, known.inner, known.loss, only)
    if len(found.occupied) == 2:
        on = _solved(loss, found.occupied, domain, proof)
        if on is not None:
            return Optimum(found.occupied, on.inner, on.loss, found.unique)
    state_on_face(loss, found, domain, proof)
    return _numbers(faces(loss), found)


def _solved(
    loss: Reduced, names: tuple[str, ...], domain: Domain, proof: Derivation
) -> Edge | None:
    """The edge that holds the optimum, where it is solved for: it may be a fraction, or zero."""
    if any(e.has(exp) for e in loss.pair_gradient(inner_products(loss.scheme)).values()):
        return None
    attempt = Derivation()
    try:
        found, attempt.steps = _edge(loss, (names[0], names[1]), domain)
        if found.position.has(ClampedRoot):
            return None
        for e, condition in found.open.items():
            says = f"At the optimum on the edge the eigenvalue of {e} stays zero"
            attempt.holds(says, condition.criterion.relation, CERTIFICATE, condition.domain)
    except (DomainError, StepFailed):
        return None
    proof.steps += attempt.steps
    return found


def _numbers(optima: Faces, found: FaceOptimum) -> Optimum:
    """An optimum whose numbers are put back into what they solve before they leave."""
    return Optimum(
        found.occupied,
        {
            r: e if e.is_Rational else FaceValue.from_optima(optima, "inner", r)
            for r, e in found.inner.items()
        },
        found.loss if found.loss.is_Rational else FaceValue.from_optima(optima, "loss"),
        found.unique,
    )


def state_on_face(loss: Reduced, found: FaceOptimum, domain: Domain, proof: Derivation) -> None:
    """Record where an optimum at numbers has its trace."""
    proof.add(
        f"The whole trace lies on {' and '.join(found.occupied)}",
        OnFace.from_optimum(loss, found, domain),
        "",
    )


#: Why the shares of an optimum with strict conditions are those of every optimum.
STRICT_SHARES = (
    "all other eigenvalues of the gradient are larger, so every optimum has these "
    "fractions of the trace"
)


def state_only(found: Vertex, proof: Derivation) -> bool:
    """Record that a vertex whose conditions are strict is the only optimum, if that is proved."""
    held = UniqueGram.from_loss(found.reduced, found.domain, found.inner)
    if found.verdict != "strict" or not isinstance(held.decide(), Holds):
        return False
    proof.add("The optimal Gram matrix is unique", held, STRICT_SHARES)
    return True


class OnFace(Statement):
    """``share_e = ...`` for the occupied eigenspaces of an optimum at numbers."""

    reduced: Reduced
    found: FaceOptimum

    @classmethod
    def from_optimum(cls, loss: Reduced, found: FaceOptimum, domain: Domain) -> OnFace:
        """The statement about an optimum that was found."""
        shown = Tuple(*(eq(f"share_{e}", found.shares[e]) for e in found.occupied))
        return cls(shown, domain, loss, found, lemma=CERTIFICATE)

    def decide(self) -> Outcome:
        """Whether these are the shares that were proved, with all of the trace."""
        wanted = {Symbol(f"share_{e}"): self.found.shares[e] for e in self.found.occupied}
        if assignments(self.shown) != wanted:
            return Refuted(note="these are not the shares of the optimum")
        return Holds(self.found.evidence)


# --- internals ------------------------------------------------------------------------------------
def _present(loss: Reduced, domain: Domain) -> list[str]:
    return list(present(loss.scheme, (e.name for e in loss.scheme.eigenspaces), domain))


def _is_kept(found: Vertex, other: str) -> bool:
    """Whether a vertex is never left towards another eigenspace."""
    return other in found.conditions and found.conditions[other].verdict in ("strict", "holds")


def _vertex(loss: Reduced, name: str, domain: Domain) -> tuple[Vertex, list[Step]]:
    proof = Derivation()
    found = vertex(loss, name, proof, domain)
    return found, list(proof.steps)


def _edge(loss: Reduced, names: tuple[str, str], domain: Domain) -> tuple[Edge, list[Step]]:
    """An edge from the side from which an inner product falls."""
    for pair in (names, names[::-1]):
        proof = Derivation()
        try:
            return edge(loss, pair, proof, domain), list(proof.steps)
        except DomainError as error:
            refused = error
    raise refused


def _pairs(loss: Reduced, domain: Domain, likely: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """All pairs of eigenspaces, coarser first; those of likely ones before the others."""
    names = _present(loss, domain)[::-1]
    pairs = list(combinations(names, 2))
    yield from sorted(pairs, key=lambda pair: -sum(name in likely for name in pair))
