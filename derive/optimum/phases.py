"""Which structure is optimal where: every vertex, every edge, and at numbers every face.

The shares of the eigenspaces fill a simplex on which the loss is convex. Its vertices give
conditions in closed form, its edges conditions at a root, and larger faces are solved at numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import gcd, lcm

from sympy import Expr, Rational, S, Symbol, Tuple, exp

from ..decide.ball import NotEnclosed, enclosure
from ..decide.calculus import derivative
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Holds, Outcome, Refuted
from ..problems.problem import Problem
from ..proof.derivation import Derivation, Step, StepFailed
from ..proof.lemmas import CERTIFICATE
from ..proof.relations import eq
from ..proof.statement import Statement
from .edge import Edge, edge, edge_segment, settled, state_at_root
from .face import FaceOptimum, Faces, faces, least
from .reduce import Reduced
from .reduction import present, reduced, state_reduction
from .segment_facts import assignments
from .value import FaceValue
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


#: Of the common measure of exponents along an edge.
LARGEST_MULTIPLE = 2000


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
    try:
        found, refused = least(loss, {}, digits), ""
    except DomainError as error:  # a border that it does not decide may still be decided exactly
        found, refused = None, str(error)
    first = found.occupied if found is not None else ()
    undecided: list[str] = []
    if found is None or len(first) < 3:
        for names in _smallest_first(loss, domain, first):
            if len(names) == 2 and not _is_readable(loss, names, domain):
                if names == first:
                    break  # it is proved in balls
                continue
            known = _on(loss, names, domain, proof, undecided)
            if known is None:
                continue
            if found is not None and found.unique is False:
                known = replace(known, unique=False)
            return known
    if found is None:
        why = f"; nor is whether {undecided[0]}" if undecided else ""
        told = refused.removeprefix("the optimum is not decided: ")
        raise DomainError(f"which structure is optimal is not decided: {told}{why}")
    state_on_face(loss, found, domain, proof)
    return _numbers(faces(loss), found)


def _numbers(optima: Faces, found: FaceOptimum) -> Optimum:
    """An optimum whose numbers are put back into what they solve before they leave."""
    return Optimum(
        found.occupied,
        {
            r: e if e.is_Rational else FaceValue.of(optima, "inner", r)
            for r, e in found.inner.items()
        },
        found.loss if found.loss.is_Rational else FaceValue.of(optima, "loss"),
        found.unique,
    )


def state_on_face(loss: Reduced, found: FaceOptimum, domain: Domain, proof: Derivation) -> None:
    """Record where an optimum at numbers has its trace."""
    proof.add(
        f"{' and '.join(found.occupied)} have all of the trace",
        OnFace.of(loss, found, domain),
        "",
    )


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


def _is_readable(loss: Reduced, names: tuple[str, ...], domain: Domain) -> bool:
    """Whether exponents along an edge between numbers have a common measure that is not small.

    Else algebra meets polynomials in exponentials of a degree that it does not come back from.
    """
    try:
        segment, _ = edge_segment(loss, (names[0], names[1]), domain)
    except DomainError:
        try:
            segment, _ = edge_segment(loss, (names[1], names[0]), domain)
        except DomainError:
            return True
    slopes = loss.pair_gradient(segment.inner).values()
    exponents = {e.args[0] for slope in slopes for e in slope.atoms(exp)}
    rates = [derivative(e, segment.x) for e in exponents]
    known = [r for r in rates if r.is_Rational and r != 0]
    if not known:
        return True
    measure = Rational(gcd(*(int(r.p) for r in known)), lcm(*(int(r.q) for r in known)))
    return all(abs(r / measure) <= LARGEST_MULTIPLE for r in known)


def _on(
    loss: Reduced,
    names: tuple[str, ...],
    domain: Domain,
    proof: Derivation,
    undecided: list[str],
) -> Optimum | None:
    """The optimum, if it is proved to lie on this vertex or edge."""
    if len(names) == 1:
        try:
            found, steps = _vertex(loss, names[0], domain)
        except StepFailed:
            return None
        if found.verdict in ("strict", "holds"):
            proof.steps += steps
            unique = True if state_only(found, proof) else None
            return Optimum(names, found.inner, found.loss, unique)
        if found.verdict == "open":
            undecided += [c.criterion.says for c in found.open.values()]
        return None
    try:
        on, steps = _edge(loss, (names[0], names[1]), domain, whole=False)
    except (DomainError, StepFailed):
        return None
    at_root = Derivation()
    try:
        state_at_root(at_root, on)
    except (DomainError, StepFailed):
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
    return list(present(loss.scheme, (e.name for e in loss.scheme.eigenspaces), domain))


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
