"""What the theorems on SupCL over random batches share: both ends of an interval of alpha.

Where alpha is too large the other instances of a class are pushed apart; where it is too small the
other views of an instance are. The two ends are means over batches, and it is not said that the
first lies above the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sympy import Lt, Max, Min

from ...decide.domain import Domain
from ...losses.alone import ALONE
from ...losses.softmax import SoftmaxLoss, tau
from ...losses.supcl import alpha
from ...optimum.batches import BatchLoss, batch_vertex, mean_threshold
from ...proof.derivation import Derivation
from ...structures.draws import Draw
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric

#: What leaves collapse beyond each end, and what of it separates.
HIGH, LOW = ("instances", "the instances of a class"), ("views", "the views of an instance")


def without_alpha(domain: Domain) -> Domain:
    """The domain of an end, which may lie outside of [0, 1]."""
    return domain.restricted(set(domain.ranges) - {alpha})


def over_batches(
    id: str,
    loss: SoftmaxLoss,
    draw: Draw,
    domain: Domain,
    build: Callable[..., dict[str, Quantity]],
    **described: Any,
) -> Result:
    """The theorem on the mean of a loss over batches; ``build`` is :func:`one_interval` or so."""
    return Result(
        id,
        parameters=(m, n, p, *draw.ranges, tau),
        domain=without_alpha(domain),
        build=partial(build, loss, draw, domain),
        subject=Symmetric(loss=loss, structure=draw.whole, draw=draw),
        **described,
    )


def one_interval(
    loss: SoftmaxLoss,
    draw: Draw,
    domain: Domain,
    proof: Derivation,
    alone: str = "",
    low: Domain | None = None,
) -> dict[str, Quantity]:
    """Between which values of alpha classes collapse, where an end exists.

    Parameters
    ----------
    alone
        What an anchor does that is alone in its class, a name in
        :data:`~cltheory.derive.losses.alone.ALONE`; empty if none ever is.
    low
        Where the lower end is meant, if not everywhere.
    """
    mean = BatchLoss.from_draw(loss, draw, domain, ALONE.get(alone))
    conditions = batch_vertex(mean, "classes", alpha, domain, proof)
    found: dict[str, Quantity] = {}
    for end, (space, what) in (("high", HIGH), ("low", LOW)):
        condition = conditions[space]
        if condition.holds:
            continue
        inside = low if low is not None and end == "low" else condition.domain
        # With two ends a condition at collapse says nothing of optima that have left it.
        says = f"separating {what} does not lower the loss at class collapse"
        if any(conditions[k].holds for k, _ in (HIGH, LOW)):
            says = f"{what} do not separate"
        solved = mean_threshold(condition, says, inside, proof)
        name = f"alpha_{end}_{alone}".rstrip("_")
        above = rf"^{{\text{{{alone}}}}}" if alone else ""
        symbol = rf"\alpha_{{\mathrm{{{end}}}}}{above}"
        found[name] = Quantity.from_threshold(solved, name, symbol, domain=without_alpha(inside))
        if alone:
            meaning = f"{solved.meaning(name)}, if an anchor alone in its class"
            found[name] = replace(found[name], meaning=f"{meaning} {ALONE[alone].says}")
    if len(found) == 2:
        high, lower = found.values()
        found[f"empty_{alone}".rstrip("_")] = Quantity(
            Lt(Min(1, high.expression), Max(0, lower.expression), evaluate=False),
            rf"\text{{empty{' ' * bool(alone)}{alone}}}",
            "whether class collapse is optimal at no alpha in [0, 1]",
            lower.domain,
            room=lower.threshold.dimension if lower.threshold else None,
        )
    return found


def intervals(
    loss: SoftmaxLoss,
    draw: Draw,
    domain: Domain,
    proof: Derivation,
    low: Mapping[str, Domain] | None = None,
) -> dict[str, Quantity]:
    """The interval under each convention for an anchor that is alone in its class."""
    found: dict[str, Quantity] = {}
    for alone in ALONE:
        found |= one_interval(loss, draw, domain, proof, alone, (low or {}).get(alone))
    return found
