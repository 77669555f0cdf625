"""In how many dimensions each quantity of a result is what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from sympy import Expr, Max, S, Symbol, oo

from ..decide.domain import DomainError, between
from ..decide.present import solve_linear, tidy
from ..decide.root import ClampedRoot
from ..decide.spelling import listed
from ..losses.setting import Setting
from ..losses.written import Plain
from ..optimum.dimension import Dimension, d, has_one_optimum
from ..optimum.reduction import reduced
from ..optimum.segment import Occupied, Segment
from .result import Result


def least_dimension(result: Result) -> Expr | None:
    """The largest rank of an optimum: in as many dimensions the result holds."""
    if result.segment is None:
        return None
    segment = result.segment()
    found, at = segment.ranks(), _position(result, segment)
    if at == 0:
        return found.start
    return found.end if at is not None and tidy(at - segment.length) == 0 else found.inside


def own_dimension(result: Result, name: str) -> Dimension | None:
    """In how many dimensions a quantity of a result is what it says.

    None where it speaks of no embeddings, or their dimension is a parameter.
    """
    q = result.quantity(name)
    if q.expression.has(d):
        return None
    if q.room is not None:
        return q.room
    thresholds = [q.threshold, *q.ends.values()] if q.threshold or q.ends else []
    found = [t.dimension for t in thresholds if t is not None and t.dimension is not None]
    if found:
        least = tidy(Max(*(of.least for of in found)))
        return Dimension(least, all(of.sharp for of in found))
    whole = _of_optimum(result)
    if whole is not None and thresholds:  # not known to need what an optimum needs
        return replace(whole, sharp=False)
    if q.limit_of is not None:
        for other, of in result.quantities.items():
            if of.limit_of is None and of.expression == q.limit_of[0]:
                return own_dimension(result, other)
    return whole


@lru_cache(maxsize=16)  # every quantity of a result asks
def _of_optimum(result: Result) -> Dimension | None:
    """In how many dimensions what a result says of its optimum holds."""
    least, scheme = least_dimension(result), result.structure
    if least is None or result.segment is None:
        return None if result.declared is None or scheme is None else Dimension(scheme.size, False)
    if result.problem is None:  # a structure alone fits or does not
        return Dimension(least, True)
    segment = result.segment()
    middle = result.domain.witness_of(segment.length) / 2
    domain = result.domain.with_range(segment.x, between(0, segment.length), middle)
    start = {r: e.xreplace({segment.x: S.Zero}) for r, e in segment.inner.items()}
    inner = start if least == segment.ranks().start else segment.inner
    try:
        loss = reduced(result.problem)
    except DomainError:  # at a kink there is no gradient
        return Dimension(least, False)
    return Dimension(least, has_one_optimum(loss, inner, domain))


def _position(result: Result, segment: Segment) -> Expr | None:
    """Where on the segment the derived inner products are, if that has a closed form."""
    for relation, entry in segment.inner.items():
        if segment.x in entry.free_symbols and relation in result.quantities:
            value = result.quantity(relation).expression
            if not value.has(ClampedRoot):
                return tidy(solve_linear(entry - value, segment.x))
    return None


def dimensions(result: Result, point: Mapping[Symbol, Expr]) -> dict[Dimension, list[str]]:
    """Which quantities, but limits and details, hold from which dimension on.

    Where the optimum at the point is known to be an end of the segment, it takes no more than that.
    """
    whole = _of_optimum(result)
    here = None
    if whole is not None and result.segment is not None:
        here = _rank_at(result, result.segment().ranks(), point)
    groups: dict[Dimension, list[str]] = {}
    for name, q in result.quantities.items():
        own = own_dimension(result, name)
        if own == whole and own is not None and here is not None:
            own = replace(own, least=here)
        if own is not None and q.limit_of is None and not q.detail:
            groups.setdefault(own, []).append(name)
    return groups


def dimension_of(result: Result, style: Plain, point: Mapping[Symbol, Expr]) -> str:
    """The dimensions in which the quantities of a result are what they say, as one sentence."""
    groups = dimensions(result, point)
    parts = {_stated(own, style, point): names for own, names in groups.items()}
    if not parts:
        return style.sentence("any")
    if len(parts) == 1:
        return next(iter(parts))
    *some, (rest, _) = sorted(parts.items(), key=lambda part: len(part[1]))
    told = [
        f"{said} {style.sentence('for')} {_names(result, names, style)}" for said, names in some
    ]
    return "; ".join([*told, f"{rest} {style.sentence('for the rest')}"])


def _names(result: Result, names: Sequence[str], style: Plain) -> str:
    return ", ".join(style.name(name, result.quantity(name).symbol) for name in names)


def _stated(own: Dimension, style: Plain, point: Mapping[Symbol, Expr]) -> str:
    said = _at_least(own.least, style, point)
    return said if own.sharp else f"{said} {style.sentence('suffices')}"


def _at_least(least: Expr, style: Plain, point: Mapping[Symbol, Expr]) -> str:
    at = least.xreplace({s: v for s, v in point.items() if v is not oo})
    equals = f" = {style.expression(at)}" if at.is_Integer and at != least else ""
    return style("math", f"{style('at least', 'd', style.expression(least))}{equals}")


def _rank_at(result: Result, found: Occupied, point: Mapping[Symbol, Expr]) -> Expr | None:
    """The rank of the optimum at a point, where it is known to be an end of the segment."""
    if result.segment is None or "x_star" not in result.quantities or oo in point.values():
        return None
    try:
        at = result.at("x_star", point)
    except DomainError:
        return None
    if at == 0:
        return found.start
    length = result.segment().length.xreplace(dict(point))
    return found.end if not at.has(ClampedRoot) and tidy(at - length) == 0 else None


def verdicts_at(result: Result, point: Mapping[Symbol, Expr], dimension: int) -> list[str]:
    """What holds in this many dimensions, and what needs more; a sentence each.

    Raises
    ------
    DomainError
        If nothing in the result depends on the dimension.
    """
    needs: dict[Dimension, list[str]] = {}
    for own, names in dimensions(result, point).items():
        needs.setdefault(own.at(point), []).extend(names)
    if not needs:
        return [(result.alone or Setting(())).in_dimension(result.id, point, dimension)]
    told = []
    # What has d in it holds in every dimension.
    ever = [name for name, q in result.quantities.items() if q.expression.has(d)]
    for own, names in needs.items():
        endless = {s for s in own.least.free_symbols if point.get(s) is oo}
        room = S.NegativeOne if endless else dimension - own.least
        about = "all of this" if len(needs) == 1 else listed(names)
        fails = f"all but {listed(ever)}" if len(needs) == 1 and ever else about
        if room.is_nonnegative:
            told.append(f"d = {dimension} is enough for {about}")
        elif not room.is_negative:
            told.append(f"d = {dimension} is enough for {about} where {own.least} <= {dimension}")
        elif own.sharp:
            told.append(f"d = {dimension} is too small for {fails}: it takes d >= {own.least}")
        else:
            enough = f"d >= {own.least} is proved to be enough"
            told.append(f"d = {dimension} may be too small for {fails}: {enough}")
    return told
