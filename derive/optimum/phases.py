"""Which structure is optimal where: every vertex, every edge, and at numbers every face.

The shares of the eigenspaces fill a simplex on which the loss is convex. Its vertices give
conditions in closed form, its edges conditions at a root, and larger faces are solved at numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from sympy import Expr, S, Symbol, Tuple

from ..decide.ball import NotEnclosed, enclosure
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Holds, Outcome, Refuted
from ..problems.problem import Problem
from ..proof.derivation import Derivation, Step, StepFailed
from ..proof.lemmas import CERTIFICATE
from ..proof.relations import eq
from ..proof.statement import Statement
from .edge import Edge, edge, settled, state_at_root
from .face import FaceOptimum, least
from .reduce import Reduced
from .reduction import reduced, state_reduction, where_positive
from .segment_facts import assignments
from .vertex import UniqueGram, Vertex, vertex


@dataclass(frozen=True, eq=False)
class Phases:
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
    """

    reduced: Reduced
    domain: Domain
    certain: Vertex | None
    vertices: Mapping[str, Vertex]
    whole: Edge | None
    edges: Mapping[str, Edge]
    never: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Optimum:
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
        If the declaration is unfit, or the loss is not proved convex.
    """
    domain = problem.domain
    loss = reduced(problem)
    state_reduction(loss, domain, proof)
    vertices: dict[str, Vertex] = {}
    known: dict[str, Vertex] = {}
    never: dict[str, str] = {}
    for name in _present(loss, domain):
        found, steps = _vertex(loss, name, domain)
        known[name] = found
        left = next((e for e, c in found.conditions.items() if c.verdict == "never"), None)
        proof.steps += steps
        if left is not None:
            never[name] = left
            continue
        vertices[name] = found
        if found.verdict in ("strict", "holds") and found.domain is domain:
            return Phases(loss, domain, found, vertices, None, {}, never)
    edges: dict[str, Edge] = {}
    for names in _pairs(loss, domain, tuple(vertices)):
        if any(_is_kept(known[a], b) for a, b in (names, names[::-1])):
            continue  # the convex loss is least at this end of the edge
        try:
            found_edge, steps = _edge(loss, names, domain)
        except DomainError:
            continue
        if any(c.verdict == "never" for c in found_edge.along.values()):
            continue
        if found_edge.is_whole and found_edge.domain is domain:
            proof.steps += steps
            return Phases(loss, domain, None, vertices, found_edge, {}, never)
        ends = (S.Zero, found_edge.segment.length)
        if found_edge.position not in ends:  # else it is one of the vertices
            edges[face_name(loss, names)] = found_edge
    for found_edge in edges.values():
        proof.steps += found_edge.proof.steps
    return Phases(loss, domain, None, vertices, None, edges, never)


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
        raise DomainError(f"the optimum is found at numbers: give {left}")
    loss = reduced(problem)
    state_reduction(loss, domain, proof)
    try:
        found = least(loss, {}, digits)
    except DomainError:  # a border that it does not decide may still be decided exactly
        found = None
    first = found.occupied if found is not None else ()
    undecided: list[str] = []
    if found is None or len(first) < 3:
        for names in _smallest_first(loss, domain, first):
            known = _on(loss, names, domain, proof, undecided)
            if known is None:
                continue
            if found is not None and found.unique is False:
                known = replace(known, unique=False)
            return known
    if found is None:
        why = undecided[0] if undecided else "three or more eigenspaces are occupied"
        raise DomainError(f"which structure is optimal is not decided: whether {why}")
    proof.add(
        f"{' and '.join(found.occupied)} have all of the trace",
        OnFace.of(loss, found, domain),
        "",
    )
    return Optimum(found.occupied, found.inner, found.loss, found.unique)


def _smallest_first(
    loss: Reduced, domain: Domain, first: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """Vertices and then edges, but before all others the face where the optimum seems to be."""
    if first:
        yield first
    for name in _present(loss, domain):
        if (name,) != first:
            yield (name,)
    for names in _pairs(loss, domain, ()):
        if set(names) != set(first):
            yield names


def _on(
    loss: Reduced,
    names: tuple[str, ...],
    domain: Domain,
    proof: Derivation,
    undecided: list[str],
) -> Optimum | None:
    """The optimum, if it is proved to lie on this vertex or edge."""
    if len(names) == 1:
        found, steps = _vertex(loss, names[0], domain)
        if found.verdict in ("strict", "holds"):
            proof.steps += steps
            unique = True if state_only(found, proof) else None
            return Optimum(names, found.inner, found.loss, unique)
        if found.verdict == "open":
            undecided += [c.criterion.says for c in found.open.values()]
        return None
    try:
        on, steps = _edge(loss, (names[0], names[1]), domain, whole=False)
        at_root = Derivation()
        state_at_root(at_root, on)
    except DomainError:
        return None
    except StepFailed:
        if on.verdict == "open":
            undecided += [c.criterion.says for c in on.open.values()]
        return None
    place = settled(on.position)
    if place in (S.Zero, on.segment.length) or not _is_enclosed(place):
        # A vertex, of which a condition was not decided.
        undecided += [f"the optimum on the edge of {' and '.join(names)} is inside it"]
        return None
    proof.steps += [*steps, *at_root.steps]
    occupied = tuple(face_name(loss, names).split("+"))
    inner = {r: settled(e) for r, e in on.inner.items()}
    held = UniqueGram.of(loss, domain)
    unique = True if on.verdict == "strict" and isinstance(held.decide(), Holds) else None
    if unique:
        proof.add("Every optimum is this Gram matrix", held, STRICT_SHARES)
    return Optimum(occupied, inner, settled(on.loss), unique)


#: Why the shares of an optimum with strict conditions are those of every optimum.
STRICT_SHARES = "no other eigenvalue of the gradient is as small, so the shares are these"


def state_only(found: Vertex, proof: Derivation) -> bool:
    """Record that a vertex whose conditions are strict is the only optimum, if that is proved."""
    held = UniqueGram.of(found.reduced, found.domain, found.inner)
    if found.verdict != "strict" or not isinstance(held.decide(), Holds):
        return False
    proof.add("Every optimum is this Gram matrix", held, STRICT_SHARES)
    return True


def _is_enclosed(place: Expr) -> bool:
    """Whether a root between numbers is known to be inside its bracket."""
    try:
        enclosure(place, 64)
    except NotEnclosed:
        return False
    return True


@dataclass(frozen=True, eq=False)
class OnFace(Statement):
    """``share_e = ...`` for the occupied eigenspaces of an optimum at numbers."""

    reduced: Reduced
    found: FaceOptimum

    @classmethod
    def of(cls, loss: Reduced, found: FaceOptimum, domain: Domain) -> OnFace:
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
    return [
        e.name for e in loss.scheme.eigenspaces if where_positive(e.dimension, domain) is not None
    ]


def _is_kept(found: Vertex, other: str) -> bool:
    """Whether a vertex is never left towards another eigenspace."""
    return other in found.conditions and found.conditions[other].verdict in ("strict", "holds")


def _vertex(loss: Reduced, name: str, domain: Domain) -> tuple[Vertex, list[Step]]:
    proof = Derivation()
    found = vertex(loss, name, proof, domain)
    return found, list(proof.steps)


def _edge(
    loss: Reduced, names: tuple[str, str], domain: Domain, *, whole: bool = True
) -> tuple[Edge, list[Step]]:
    """An edge from the side from which an inner product falls."""
    for pair in (names, names[::-1]):
        proof = Derivation()
        try:
            return edge(loss, pair, proof, domain, whole=whole), list(proof.steps)
        except DomainError as error:
            refused = error
    raise refused


def _pairs(loss: Reduced, domain: Domain, likely: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """All pairs of eigenspaces, coarser first; those of likely ones before the others."""
    names = _present(loss, domain)[::-1]
    pairs = list(combinations(names, 2))
    yield from sorted(pairs, key=lambda pair: -sum(name in likely for name in pair))
