"""What rises or falls along the SSEM, proved by a derivative."""

from __future__ import annotations

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import POSITIVE, Domain
from ...decide.evidence import Holds, Outcome
from ...losses.supcl import CNCE
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import delta, x
from ...results import results
from ...results.classes._supcl import ssem_segment
from ...structures.hierarchy import hierarchy
from ..form.run import named_proof


@named_proof("h rises along the SSEM")
def h_rises(domain: Domain) -> Outcome:
    """The function whose zero is the optimum has a positive derivative in x."""
    h = results["supcl-optimum"].quantity("x_star").expression.function
    return positive(derivative(h(x), x), domain)


@named_proof("L_cNCE falls along the SSEM")
def cnce_falls(domain: Domain) -> Outcome:
    """Its derivative in x is negative, and x rises with delta: it is delta^2 at delta = 1, times
    a positive number."""
    at_one = 1 - results["ssem"].quantity("same_class").expression.xreplace({delta: 1})
    rises = positive(at_one, domain)
    if not isinstance(rises, Holds):
        return rises
    loss = ReducedLoss(CNCE, hierarchy()).value(ssem_segment().inner)
    inside = domain.restricted(derivative(loss, x).free_symbols - {x}).with_range(x, POSITIVE, 1)
    return positive(-derivative(loss, x), inside)
