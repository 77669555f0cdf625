"""All checks of a result at one set of sizes: its borders, and optima in every regime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.proof.derivation import StepFailed
from ...derive.structures.configuration import Configuration
from . import explicit, kinked
from .at_optimum import at_optimum
from .borders import beside, located_border
from .case import Case
from .checks import Check
from .points import regimes

#: So many dimensions are always given to vectors of several kinds, if they are as many.
_ROOM = 64


def checks(case: Case) -> list[Check]:
    """Vectors written down where there is no loss; else borders first, then optima."""
    if case.result.problem is None:
        return list(explicit.checks(case))
    if not case.loss.smooth:
        return list(kinked.checks(case))
    found = [x for name, border in case.borders for x in located_border(case, name, border)]
    points = _points(case)
    wide = _rank(case, points)
    for point in points:
        try:
            found += at_optimum(case, point, wide)
        except (DomainError, StepFailed):
            if point == case.base:
                raise
    return found


def _points(case: Case) -> list[dict[str, Any]]:
    """Parameters at which embeddings are optimised; each is varied unless it was given."""
    free = [k for k in case.symbols if k not in case.fixed]
    if not free:
        return [case.base]
    domain = case.problem.domain
    varied = [
        [{**case.base, k: v} for v in regimes(case.loss, case.symbols[k], domain, case.base)]
        for k in free
    ]
    if not case.thorough:
        return max(varied, key=len)
    found = [point for points in varied for point in points]
    for name, border in case.borders:
        # Only where something else is fixed: the others are among the regimes.
        if border.fixed and {border.parameter.name, *(s.name for s in border.fixed)} <= {*free}:
            found += beside(case, name, border)
    return list({tuple(p.items()): p for p in found}.values())


def _rank(case: Case, points: Sequence[Mapping[str, Any]]) -> int:
    """Dimensions of all eigenspaces that are occupied somewhere."""
    names: set[str] = set()
    if case.result.segment is not None:
        segment = case.result.segment()
        names |= {segment.low, segment.high}
    for point in points:
        at = {k: float(exact(point[k])) for k in case.loss.parameters}
        names.update(*case.loss.least(**at).faces())
    found = sum(k for e, k in case.arrangement.dimensions.items() if e in names)
    if isinstance(case.problem.structure, Configuration):
        # Where optima are many, vectors that fill all dimensions may rest above them.
        return max(found, min(case.arrangement.size, _ROOM))
    return found
