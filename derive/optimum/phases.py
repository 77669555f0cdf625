"""Which structure is optimal where: every vertex, every edge, and at numbers every face.

The shares of the eigenspaces fill a simplex on which the loss is convex. Its vertices give
conditions in closed form, its edges conditions at a root, and larger faces are solved at numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from sympy import Expr

from ..decide.domain import Domain, DomainError
from ..problems.problem import Problem
from ..proof.derivation import Derivation, StepFailed
from .edge import Edge, edge, state_at_root
from .reduce import Reduced
from .reduction import reduced, state_reduction, where_positive
from .vertex import Vertex, vertex


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
    never: dict[str, str] = {}
    for name in _present(loss, domain):
        found, steps = _vertex(loss, name, domain)
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
        try:
            found_edge, steps = _edge(loss, names, domain)
        except DomainError:
            continue
        if any(c.verdict == "never" for c in found_edge.along.values()):
            continue
        if found_edge.is_whole and found_edge.domain is domain:
            proof.steps += steps
            return Phases(loss, domain, None, vertices, found_edge, {}, never)
        if found_edge.position.args:  # no end: the edge has a least point inside, somewhere
            edges[face_name(loss, names)] = found_edge
    for found_edge in edges.values():
        proof.steps += found_edge.proof.steps
    return Phases(loss, domain, None, vertices, None, edges, never)


def optimum(problem: Problem, proof: Derivation) -> Optimum:
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
    undecided: list[str] = []
    for name in _present(loss, domain):
        found, steps = _vertex(loss, name, domain)
        if found.verdict in ("strict", "holds"):
            proof.steps += steps
            unique = True if found.verdict == "strict" else None
            return Optimum((name,), found.inner, found.loss, unique)
        if found.verdict == "open":
            undecided += [c.criterion.says for c in found.open.values()]
    for names in _pairs(loss, domain, ()):
        try:
            on, steps = _edge(loss, names, domain, whole=False)
            at_root = Derivation()
            state_at_root(at_root, on)
        except DomainError:
            continue
        except StepFailed:
            undecided += [c.criterion.says for c in on.open.values() if on.verdict == "open"]
            continue
        proof.steps += [*steps, *at_root.steps]
        occupied = tuple(face_name(loss, names).split("+"))
        return Optimum(occupied, on.inner, on.loss, True if on.verdict == "strict" else None)
    if undecided:
        raise DomainError(f"which structure is optimal is not decided: whether {undecided[0]}")
    raise DomainError("the optimum has more than two occupied eigenspaces")


# --- internals ------------------------------------------------------------------------------------
def _present(loss: Reduced, domain: Domain) -> list[str]:
    return [
        e.name for e in loss.scheme.eigenspaces if where_positive(e.dimension, domain) is not None
    ]


def _vertex(loss: Reduced, name: str, domain: Domain) -> tuple[Vertex, list]:
    proof = Derivation()
    found = vertex(loss, name, proof, domain)
    return found, list(proof.steps)


def _edge(
    loss: Reduced, names: tuple[str, str], domain: Domain, *, whole: bool = True
) -> tuple[Edge, list]:
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
