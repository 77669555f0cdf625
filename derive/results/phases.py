"""Which structure is optimal where, for any declared loss.

The loss is convex in the shares of the trace that the eigenspaces have. A pure structure is a
vertex of their simplex, optimal iff no other eigenvalue of the gradient is smaller there: one
condition in closed form for each, and the borders are their solutions. On an edge the same is asked
at the root at which two eigenvalues are equal. What is left is solved at numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from sympy import Expr, S, Symbol, latex, oo

from ..decide.digits import sign
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Holds
from ..decide.kinks import in_x
from ..decide.present import tidy
from ..decide.root import ClampedRoot
from ..losses.pairwise import PairwiseLoss
from ..losses.pairwise import c as inner_product
from ..losses.written import in_words
from ..optimum.borders import together
from ..optimum.condition import Condition
from ..optimum.dimension import Dimension
from ..optimum.edge import Edge
from ..optimum.phases import Optimum, Phases, optimum, phases, state_only
from ..optimum.reduce import ReducedPairwise
from ..optimum.reduction import at_values, is_smooth, reduced
from ..optimum.segment import x
from ..optimum.threshold import NoClosedForm, NoThreshold, Threshold, threshold
from ..optimum.vertex import Vertex
from ..problems.batches import BatchProblem, over_batches
from ..problems.catalogue import CATALOGUE, named
from ..problems.problem import Problem
from ..proof.derivation import Derivation, StepFailed
from ..structures.called import called
from ..structures.scheme import Scheme
from ..structures.towers import NEGATIVE, POSITIVE, WITHIN
from ..theorem.at_numbers import AtNumbers
from ..theorem.quantity import Quantity
from ._in_batches import of_means, state_mean, subject_of
from ._pure import least_loss
from .towers import pairwise_threshold
from .towers._ccem import LOW, ccem_segment, is_two_towers

#: What there may be only where all parameters are given.
AT_NUMBERS = ("structure", "loss")
#: The loss that is taken without one.
DEFAULT = "supcl"


class OfLoss(AtNumbers):
    """The phases of a loss; with all parameters given, of those numbers.

    Parameters
    ----------
    problem
        The loss on its structure.
    at
        Values that are put in before anything is derived.
    """

    takes_oo = True

    def __init__(
        self, problem: Problem, at: Mapping[Symbol, Expr] | None = None, id: str = "phases"
    ):
        fixed, of = {s: v for s, v in (at or {}).items() if v is not oo}, problem.loss.source
        super().__init__(
            id,
            title=f"Which structure is optimal where: {problem.loss.title}",
            source="beyond the papers" + ("" if of == "given" else f"; the loss is that of {of}"),
            parameters=tuple(problem.domain.ranges),
            domain=problem.domain,
            build=lambda proof: build(problem, fixed, proof),
            texts=("loss", "sampling", "alone") if id == "phases" else (),
            read=for_loss if id == "phases" else None,
            subject=subject_of(problem),
        )
        self.fixed, self.about = fixed, problem

    def with_inputs(self, *, at: Mapping[str, object] | None = None, **inputs: Any) -> OfLoss:
        """The phases of another loss; values ``at`` are put in before anything is derived.

        Raises
        ------
        DomainError
            If there is no such loss, or a value is not accepted; one line.
        """
        made = super().with_inputs(at=at, **inputs)
        assert isinstance(made, OfLoss)
        return made

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> OfLoss:
        """The phases where parameters have these values, as far as they are finite."""
        return _put_in(self.about, tuple(fixed.items()), self.id)

    def found_at_numbers(self, name: str) -> bool:
        """Whether it depends on which structure is optimal."""
        return name in AT_NUMBERS


@lru_cache(maxsize=256)
def _put_in(problem: Problem, values: tuple[tuple[Symbol, Expr], ...], id: str) -> OfLoss:
    return OfLoss(problem, dict(values), id)


def of_file(path: str) -> OfLoss:
    """The phases of the loss that a TOML file declares, as a result called like the file.

    Raises
    ------
    DomainError
        If the file is not accepted; one line.
    """
    id = re.sub(r"[^a-z0-9]+", "-", Path(path).stem.lower()).strip("-")
    return _put_in(named(path), (), id if id[:1].isalpha() else f"loss-{id}".strip("-"))


def for_loss(
    loss: str | Problem = "",
    at: Mapping[Symbol, Expr] | None = None,
    sampling: str = "",
    alone: str = "",
) -> OfLoss:
    """The phases of a loss: a name of the catalogue, a TOML file, or a problem.

    Parameters
    ----------
    sampling, alone
        How batches are drawn, ``uniform`` or ``balanced``, if the loss is a mean over them; and
        what is done there with an anchor alone in its class.

    Raises
    ------
    DomainError
        If there is none of this name, the file is not accepted, or such batches are not drawn from
        its structure; one line.
    """
    problem = loss if isinstance(loss, Problem) else named(loss or DEFAULT)
    if sampling or alone:
        problem = over_batches(problem, sampling or "uniform", alone)
    return _put_in(problem, tuple((at or {}).items()), "phases")


# --- what is derived ------------------------------------------------------------------------------
def build(problem: Problem, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """The quantities: an optimum where all parameters are given, else conditions and borders."""
    if isinstance(problem, BatchProblem):
        if problem.is_long(fixed):
            means = of_means(problem, fixed, proof)
            return _of_optimum(means, problem.scheme) if isinstance(means, Optimum) else means
        state_mean(problem, fixed, proof)
        problem = problem.on_all_data(fixed)
    if _is_bent(problem):
        return _of_pairs(problem, fixed, proof)
    at_numbers = at_values(problem, fixed)
    in_pairs = isinstance(problem.loss, PairwiseLoss) and is_two_towers(problem.scheme)
    found, failed = None, None
    try:
        if not at_numbers.domain.ranges:
            return _of_optimum(optimum(at_numbers, proof), problem.scheme)
        found = phases(at_numbers, proof)
    except StepFailed as error:
        if not in_pairs:
            raise
        failed = error
    if found is not None and not (in_pairs and found.unproved):
        return _of_phases(found, proof, problem.scheme)
    other = Derivation()
    try:
        quantities = _of_pairs(problem, fixed, other)
    except DomainError:
        if found is not None:
            return _of_phases(found, proof, problem.scheme)
        loss = reduced(at_numbers)
        if failed and isinstance(loss, ReducedPairwise) and isinstance(loss.shape, Holds):
            raise failed from None  # else the refusal says more: where it is not convex
        raise
    proof.steps[:] = other.steps
    return quantities


def _of_optimum(found: Optimum, scheme: Scheme) -> dict[str, Quantity]:
    only = {
        True: "every optimum has it",
        False: "there are others",
        None: "whether there are others is not known",
    }
    quantities = {
        "structure": _structure(found.structure, only[found.unique], scheme),
        **_inner(found.inner, scheme),
        "loss": least_loss(found.loss),
    }
    return _in_its_rank(quantities, found.occupied, scheme)


def _in_its_rank(
    quantities: dict[str, Quantity], occupied: Iterable[str], scheme: Scheme
) -> dict[str, Quantity]:
    """What is said of an optimum, in as many dimensions as the eigenspaces that it occupies."""
    rank = sum((scheme.eigenspace(e).dimension for e in occupied), S.Zero)
    room = Dimension(tidy(rank), False)
    return {name: replace(q, room=room) for name, q in quantities.items()}


def _of_phases(found: Phases, proof: Derivation, scheme: Scheme) -> dict[str, Quantity]:
    if found.certain is not None:
        known = state_only(found.certain, proof)
        only = "every optimum has it" if known else "it may not be the only one"
        certain = {
            "structure": _structure(
                found.certain.name, f"for all parameters in their ranges; {only}", scheme
            ),
            **_inner(found.certain.inner, scheme),
            "loss": least_loss(found.certain.loss),
        }
        return _in_its_rank(certain, found.certain.name.split("+"), scheme)
    quantities: dict[str, Quantity] = {}
    if found.whole is not None:
        for name, other in (found.whole.names, found.whole.names[::-1]):
            if name in found.vertices:
                quantities |= _of_vertex(found.vertices[name], proof, {other}, scheme)
        return quantities | _of_whole(found.whole, scheme)
    names = [e.name for e in scheme.eigenspaces]
    # Of nested classes the largest come first: whether they collapse is what is asked.
    order = names[-2::-1] if names[-1] == "mean" else list(found.vertices)
    for v in sorted(found.vertices.values(), key=lambda v: [*order, "mean"].index(v.name)):
        quantities |= _of_vertex(v, proof, set(v.open), scheme)
    for edge in found.edges.values():
        quantities |= _of_edge(edge)
    left = ", ".join(name.replace("+", " and ") for name in found.unproved)
    left = f", or one whose optimality is not proved here ({left})" if left else ""
    quantities["elsewhere"] = Quantity(
        "mixture",
        r"\text{elsewhere}",
        f"where none of these is optimal, the optimum is a mixture of several structures{left}: "
        "give every parameter for its inner products",
    )
    return quantities


def _of_vertex(
    v: Vertex, proof: Derivation, asked: set[str], scheme: Scheme
) -> dict[str, Quantity]:
    """The conditions that are not decided, of those asked for, and all they are solved for."""
    found: dict[str, Quantity] = {}
    (what, means), verb = called(v.name, scheme), "is"
    verb = "are" if what.startswith(("simplices", "vectors", "differing")) else verb
    solved: dict[Symbol, list[Threshold]] = {}
    unsolved: set[Symbol] = set()
    left = {e: c for e, c in v.open.items() if e in asked}
    for e, c in left.items():
        others = [f"{v.name}_{other}" for other in left if other != e]
        rest = f", and so are {', '.join(others)}" if others else ""
        borders: dict[str, Quantity] = {}
        failed: list[str] = []
        for s in _free(c):
            t = _solved(c, s, proof)
            if t is None:
                unsolved.add(s)
                failed.append(s.name)
                continue
            solved.setdefault(s, []).append(t)
            name = f"{s}_{v.name}_{e}"
            borders[name] = Quantity.from_threshold(
                t, name, rf"{latex(s)}_{{{_roman(v.name)},{_roman(e)}}}"
            )
        none = f"; no closed-form threshold in {', '.join(failed)} was proved" if failed else ""
        found[f"{v.name}_{e}"] = Quantity(
            c.expression,
            rf"\theta_{{{_roman(e)}}}-\theta_{{{_roman(v.name)}}}",
            f"{what} {verb} optimal iff this is >= 0{_when(c)}{rest}{none}",
            domain=c.domain,
            signed=True,
        )
        found |= borders
    for s, thresholds in solved.items():
        if s in unsolved or not all(s in _free(c) for c in left.values()):
            continue
        where = _narrowest(t.domain for t in thresholds)
        found[f"{v.name}_for_{s}"] = Quantity(
            together(thresholds, s, where),
            _roman(v.name),
            f"the {s} for which {what} {verb} optimal: {means}",
            domain=where,
            parameter=s,
            ends={t.value: t for t in thresholds},
        )
    if any(q.parameter is not None for q in found.values()):  # these say it all
        return {k: replace(q, detail=q.parameter is None) for k, q in found.items()}
    return found


def _of_whole(found: Edge, scheme: Scheme) -> dict[str, Quantity]:
    """The least point of an edge that holds an optimum for all values of the parameters."""
    start, end = (called(name, scheme)[0] for name in found.names)
    return {
        "position": Quantity(
            found.position,
            r"x^\star",
            f"position of the optimum between {start} (0) and {end} "
            f"({found.segment.length}); strictly between them it is a mixture of both",
            found.domain,
        ),
        **_inner(found.inner, scheme),
        "loss": least_loss(found.loss),
    }


def _of_edge(found: Edge) -> dict[str, Quantity]:
    """The root, and the conditions there."""
    name = "_".join(found.names)
    quantities = {
        f"position_{name}": Quantity(
            found.position,
            r"x^\star",
            f"position of the minimum on the edge between {found.names[0]} (0) and "
            f"{found.names[1]} ({found.segment.length})",
            found.domain,
            detail=True,
        )
    }
    for e, c in found.open.items():
        quantities[f"{name}_{e}"] = Quantity(
            c.expression,
            rf"\theta_{{{_roman(e)}}}-y",
            f"{' and '.join(found.names)} alone are occupied iff this is >= 0{_when(c)}; "
            "it compares eigenvalues of the gradient at a root, and no closed form of its "
            "border is known",
            domain=c.domain.restricted(set(c.domain.ranges) - {found.x}),
            signed=True,
            detail=True,
        )
    return quantities


def _solved(c: Condition, s: Symbol, proof: Derivation) -> Threshold | None:
    """A condition solved for a parameter, if that is proved; perhaps without the least sizes."""
    for domain in _parts(c, s):
        attempt = Derivation()
        try:
            found = threshold(c.criterion, s, domain, attempt)
        except NoThreshold:
            return None
        except (NoClosedForm, StepFailed):
            continue
        proof.steps += attempt.steps
        return found
    return None


def _parts(c: Condition, s: Symbol) -> Iterator[Domain]:
    """The domain, and what is left of it when a size is larger than its least values.

    Two items have no negatives to weigh against the positives: there a factor may vanish.
    """
    yield c.domain
    if c.domain.ranges[s].integer:
        return
    sizes = [k for k in _free(c) if c.domain.ranges[k].integer]
    for k in sizes:
        r = c.domain.ranges[k]
        if not r.low.is_Integer or r.low_open:
            continue
        for more in (1, 2) if len(sizes) == 1 else (1,):
            low = r.low + more
            part = replace(r, low=low, why=f"below, a factor of the condition for {s} may vanish")
            with suppress(DomainError):  # there may be no more than that
                yield c.domain.with_range(k, part, max(low, c.domain.witness[k]))


def _narrowest(domains: Iterable[Domain]) -> Domain:
    """Where all of them are meant, which differ in the least sizes."""
    first, *rest = domains
    for domain in rest:
        for s, r in domain.ranges.items():
            if r.integer and r.low.is_Integer and r.low > first.ranges[s].low:
                first = first.with_range(s, r, max(r.low, first.witness[s]))
    return first


def _free(c: Condition) -> list[Symbol]:
    used = c.expression.free_symbols
    return [s for s in c.domain.ranges if s in used]


# --- losses with kinks ----------------------------------------------------------------------------
OF_TWO_TOWERS = {POSITIVE, NEGATIVE}


def _is_bent(problem: Problem) -> bool:
    loss = problem.loss
    if not isinstance(loss, PairwiseLoss):
        return False
    # There one-sided slopes answer, also for symbols; elsewhere a face needs second derivatives.
    is_short = is_two_towers(problem.scheme) and {k.relation for k in loss.terms} <= OF_TWO_TOWERS
    domain = None if is_short else problem.domain
    return not all(is_smooth(k.function, domain) for k in loss.terms)


def _of_pairs(
    problem: Problem, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """A loss with kinks on two towers, by its one-sided slopes.

    Raises
    ------
    DomainError
        If it is on another structure, or on other pairs; one line.
    """
    structure = problem.scheme
    if not is_two_towers(structure):
        assert isinstance(problem.loss, PairwiseLoss)
        rough = (k for k in problem.loss.terms if not is_smooth(k.function, problem.domain))
        bent = next(rough, problem.loss.terms[0])
        raise DomainError(
            f"{problem.loss.name} has a kink or a root in {in_x(bent.function, inner_product)}; "
            "such losses are answered on two towers, where they act on positive and negative pairs"
        )
    # The number of items stays beside what is derived for all of them.
    sizes = structure.size.free_symbols
    functions = {s: v for s, v in fixed.items() if s not in sizes}
    at_numbers = at_values(problem, functions)
    assert isinstance(at_numbers.loss, PairwiseLoss)
    found = pairwise_threshold.build(at_numbers.loss, at_numbers.domain, proof, structure)
    segment = ccem_segment(structure)
    if at_numbers.domain.ranges.keys() - fixed.keys():
        return found
    values = {s: v for s, v in fixed.items() if s in sizes}
    start, end = (
        sign(found[f"{name}_condition"].expression.xreplace(values))
        if found[f"{name}_condition"].expression is not oo
        else 1
        for name in ("simplex", "antipodal")
    )
    if start is None or end is None:
        raise DomainError(
            "which structure is optimal is not decided: a derivative could not be "
            "distinguished from 0"
        )
    place = segment.high if start >= 0 else LOW if end <= 0 else f"{LOW}+{segment.high}"
    at = {x: found["x_star"].expression}
    inner = {
        r: _settled(segment.inner[r].xreplace(at).xreplace(values))
        for r in (WITHIN, POSITIVE, NEGATIVE)
    }
    return {
        "structure": _structure(place, "whether there are others is not known", problem.scheme),
        **_inner(inner, problem.scheme),
        "loss": least_loss(_settled(found["loss"].expression.xreplace(values))),
    }


def _settled(e: Expr) -> Expr:
    """Roots that are at an end or rational, as what they are."""
    return e.xreplace({root: root.settled() for root in e.atoms(ClampedRoot)})


# --- how it is shown ------------------------------------------------------------------------------
def _structure(name: str, only: str, scheme: Scheme) -> Quantity:
    return Quantity(name, r"\text{structure}", f"{': '.join(called(name, scheme))}; {only}")


def _inner(inner: Mapping[str, Expr], scheme: Scheme) -> dict[str, Quantity]:
    said = "inner product of an anchor with"
    return {
        r: Quantity(e, rf"g_{{{_roman(r)}}}", f"{said} {in_words(r, scheme)}")
        for r, e in inner.items()
        if r != "self"
    }


def _roman(name: str) -> str:
    return rf"\mathrm{{{name.replace('_', ' ')}}}".replace(" ", r"\ ")


def _when(c: Condition) -> str:
    return f" ({c.when})" if c.when else ""


KEYWORDS = "hard negatives, debiased, a loss of your own"
RESULT = OfLoss(CATALOGUE[DEFAULT])
