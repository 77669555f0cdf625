"""The cross-check of one result: what was given, and which kind of check it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...derive.decide.domain import Domain, DomainError
from ...derive.decide.exact import exact
from ...derive.results import results
from ...derive.structures.arrangement import arrange, axis_names
from ...derive.theorem.result import Result
from ..device import threads_for
from . import explicit, kinked
from .checks import Check, Run
from .of_loss import OfLoss
from .points import typical_sizes


def verify(
    id: str,
    *,
    seeds: Sequence[int] = (0, 1),
    d: int | None = None,
    dtype: torch.dtype = torch.float64,
    device: str = "auto",
    tell: Callable[[str], None] | None = None,
    **values: object,
) -> list[Check]:
    """Check a result at points on both sides of its thresholds and inside.

    Parameters
    ----------
    id
        Id of a result.
    seeds
        Seeds of the random starts; every one is checked.
    d
        Embedding dimension; by default two more than the structures need.
    tell
        Called with what is optimised next, before it is.
    values
        Any of the parameters of the result and sizes of its structure, and expressions that it
        takes; the others take small defaults, and parameters of a loss values in every regime.

    Raises
    ------
    DomainError
        For values outside the domain, or parameters that the result has not.
    """
    if d is not None and d < 1:
        raise DomainError(f"d must be an integer >= 1, not {d}")
    whole = results[id]
    made: dict[str, Any] = {k: values.pop(k) for k in (*whole.texts, *whole.lists) if k in values}
    # For a loss that is given only its declaration is asked here: what is proved of it may
    # hold for some values alone.
    result = whole.given(**made) if made else whole
    if result.structure is None:
        raise DomainError(f"{id} is not about embeddings: there is nothing to verify on them")
    structure = result.structure if result.problem is None else result.problem.structure
    names = axis_names(structure)
    _check_given(result, names, values)
    run = Run(d, tuple(seeds), dtype, device, tell or Run.tell)
    found: list[Check] = []
    for sizes, thorough in typical_sizes(names, values, _domain(result)):
        numbers = {k: int(exact(v)) for k, v in sizes.items()}
        arrangement = arrange(structure, numbers)
        with threads_for(arrangement.size, d or arrangement.size):
            if result.problem is None:
                found += explicit.checks(result, arrangement, sizes, values, run)
                continue
            of = OfLoss(
                result, result.problem, arrangement, sizes, values, whole, made, run, thorough
            )
            found += of.checks() if of.loss.smooth else kinked.checks(of)
    if not found:
        raise DomainError(f"{id} has no quantity that embeddings could be asked for")
    return found


def _check_given(result: Result, names: Sequence[str], values: Mapping[str, object]) -> None:
    """Refuse what the result does not know, and what embeddings cannot have."""
    parameters = [s.name for s in result.parameters]
    known = [*dict.fromkeys([*parameters, *names]), *result.texts, *result.lists]
    for name in values:
        if name not in known:
            raise DomainError(
                f"{result.id} has no parameter {name}; it takes {', '.join(sorted(known))}"
            )
    result.point(**{k: v for k, v in values.items() if k in parameters})
    domain = _domain(result)
    domain.check({s: exact(values[s.name]) for s in domain.ranges if s.name in values})
    of_loss = names if result.problem is None else [*names, *parameters]
    for name in of_loss:
        if name in values and not exact(values[name]).is_finite:
            raise DomainError(f"embeddings are finite: give a finite {name} to verify")


def _domain(result: Result) -> Domain:
    """Where the result is meant, sizes of its structure included."""
    return result.problem.domain if result.problem is not None else result.domain
