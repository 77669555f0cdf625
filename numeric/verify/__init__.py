"""Cross-checks of derived results on embeddings: predicted, measured, certified.

Every check optimises (or builds) actual embeddings of the declared loss and compares
what it measures with the derived value. The certificate says how far the loss found can
be from the global minimum, so agreement is not an accident of the optimiser. What is measured
is what the quantities of the result say of themselves (:mod:`cltheory.derive.theorem.measure`);
nothing here knows a result by name, but :mod:`.similar` those on losses of other similarities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.losses.weighted import WeightedInfoNCE
from ...derive.results import results
from ...derive.structures.arrangement import arrange, axis_names
from ...derive.theorem.bounds import Bounds
from ...derive.theorem.result import Result
from ..running.device import threads_for
from . import everywhere, matrices, over_batches, similar
from .case import Case
from .checks import Check, Run, refuse_infinite, refuse_unknown
from .points import typical_sizes

__all__ = ["Check", "verify"]


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
    result = whole.with_inputs(**made) if made else whole
    run = Run(d, tuple(seeds), dtype, device, tell or Run.tell)
    if isinstance(result.alone, WeightedInfoNCE):
        return matrices.checks(result, values, run)
    if result.draw is not None:
        return over_batches.checks(result, values, run)
    if id in similar.KNOWN:
        return similar.checks(result, values, run)
    if result.structure is None:
        said = f"{id} declares no structure that embeddings take: there is nothing to train for"
        if any(isinstance(q, Bounds) for q in result.quantities.values()):
            said += f"; what tries to break its bounds is cltheory attack {id}"
        raise DomainError(said)
    if result.problem is None and not result.structure.axes:
        raise DomainError(
            f"{id} holds for any number of classes, so it cannot be verified on one arrangement"
        )
    structure = result.structure if result.problem is None else result.problem.structure
    names = axis_names(structure)
    _check_given(result, names, values)
    domain = (result.problem or result).domain
    found: list[Check] = []
    for sizes, thorough in typical_sizes(names, values, domain):
        arrangement = arrange(structure, {k: int(exact(v)) for k, v in sizes.items()})
        with threads_for(arrangement.size, d or arrangement.size):
            case = Case(result, whole, made, arrangement, sizes, values, run, thorough)
            found += everywhere.checks(case)
    if not found:
        raise DomainError(f"{id} has no quantity that can be measured on embeddings")
    return found


def _check_given(result: Result, names: Sequence[str], values: Mapping[str, object]) -> None:
    """Refuse what the result does not know, and what embeddings cannot have."""
    parameters = [s.name for s in result.parameters]
    refuse_unknown(result, values, {*parameters, *names, *result.texts, *result.lists})
    result.point(**{k: v for k, v in values.items() if k in parameters})
    domain = (result.problem or result).domain
    domain.check({s: exact(values[s.name]) for s in domain.ranges if s.name in values})
    finite = names if result.problem is None else [*names, *parameters]
    refuse_infinite({k: v for k, v in values.items() if k in finite})
