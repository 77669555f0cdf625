"""What results share on collapse under flipped labels in m - 1 dimensions."""

from __future__ import annotations

from dataclasses import replace

from sympy import And, Ge, Le, Min, Piecewise, Symbol

from ...decide.domain import Domain
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import alpha
from ...optimum.reduce import ReducedLoss
from ...optimum.reduction import state_spectrum
from ...optimum.threshold import Criterion, Threshold, threshold
from ...optimum.vertex import vertex
from ...proof.derivation import Derivation
from ...proof.relations import eq
from ...structures.hierarchy import p
from ...theorem.quantity import Quantity
from .._noise import rho
from ._in_its_span import SEVERAL, curves_up, in_three, keeps_simplex
from ._supcl import SYMMETRY

#: What alpha alone may do.
BELOW_ZERO = "; if it is negative, collapse is not a local minimum even without flipped labels"
#: What lowers the loss beyond an end, by what it is called.
LEAVES = {
    "views": "separating the views of an instance",
    "instances": "separating the points of a class",
    "simplex": "bending the simplex of collapsed classes",
}


def build(loss: SoftmaxLoss, wide: Domain, proof: Derivation) -> dict[str, Quantity]:
    """Up to which rho collapse is a local minimum, and what lowers the loss beyond.

    Raises
    ------
    StepFailed
        If something is not proved.
    """
    domain = in_three(wide)
    state_spectrum(SYMMETRY, domain, proof)
    collapse = vertex(ReducedLoss(loss, SYMMETRY), "classes", proof, domain)
    found = {e: curves_up(collapse, e, proof, domain) for e in ("views", "instances")}
    found["simplex"] = keeps_simplex(collapse, proof, domain)
    if found["views"].condition == found["instances"].condition:
        views = found.pop("views")
        same = eq(views.condition, found["instances"].condition)
        proof.holds("These two conditions are the same", same, "all positives count alike", domain)
    ends: dict[str, Threshold] = {}
    for name, criterion in found.items():
        where = domain.with_range(p, SEVERAL, 2) if name == "views" else domain
        says = f"{LEAVES[name]} does not lower the loss to second order"
        ends[name] = threshold(Criterion(says, criterion.relation), rho, where, proof)
    inside = domain.restricted(set(domain.ranges) - {rho})
    local, leaves = _first(ends)
    named = {
        f"rho_{name}": replace(
            Quantity.from_threshold(end, f"rho_{name}", rf"\rho_{{\mathrm{{{name}}}}}"),
            domain=end.domain.restricted(set(inside.ranges)),
        )
        for name, end in ends.items()
    }
    return {
        "rho_local": Quantity(
            local,
            r"\rho_{\mathrm{local}}",
            "largest rho at which no motion lowers the loss of class collapse to second order; "
            "collapse is not optimal beyond it, and may stop being the optimum before"
            + BELOW_ZERO
            * (alpha in wide.ranges),
            inside,
        ),
        "left_by": Quantity(
            leaves,
            r"\text{left by}",
            "what lowers the loss first beyond rho_local: separating views or instances, or "
            "bending the simplex while classes stay collapsed",
            inside,
        ),
        **named,
    }


def _first(ends: dict[str, Threshold]) -> tuple[Min, Piecewise]:
    """The smallest end and its name; views are there only if an instance has several."""
    values = {name: end.value for name, end in ends.items() if name != "views"}
    instances, simplex = values["instances"], values["simplex"]
    local = Min(instances, simplex, evaluate=False)
    words = {name: Symbol(name) for name in ends}
    cases = [
        (words["instances"], Le(instances, simplex, evaluate=False)),
        (words["simplex"], True),
    ]
    if "views" not in ends:
        return local, Piecewise(*cases)
    views = ends["views"].value
    several = Ge(p, 2, evaluate=False)
    first = And(several, Le(views, local, evaluate=False), evaluate=False)
    return (
        Piecewise((Min(views, local, evaluate=False), several), (local, True)),
        Piecewise((words["views"], first), *cases),
    )
