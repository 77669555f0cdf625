"""The loss on the SSEM, as derived, and its slope."""

from __future__ import annotations

from functools import cache

from sympy import Expr, S, diff, exp, expand, log, sqrt

from ...decide.domain import Domain
from ...losses.softmax import tau
from ...losses.supcl import EVERYTHING, SUPCL, alpha
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import delta, x
from ...results import results
from ...structures.hierarchy import hierarchy, m, n, p
from ..checks import equal
from ..verdict import Verdict

X_OF_DELTA = delta**2 * m * n / (m * n - 1)  #: delta-tilde as the proof defines it


def inner() -> dict[str, Expr]:
    """Inner products of SSEM, by relation."""
    ssem = results["ssem"]
    return {
        "self": S.One,
        "same_instance": S.One,
        "same_class": ssem.same_class,
        "cross_class": ssem.cross_class,
    }


def loss_on_ssem(weight: Expr = alpha) -> Expr:
    """The declared loss on SSEM, for some alpha or any."""
    return ReducedLoss(SUPCL, hierarchy()).value(inner()).subs(alpha, weight)


def at_x(expression: Expr) -> Expr:
    """Write a function of delta**2 in x."""
    return expression.subs(delta, sqrt(x * (m * n - 1) / (m * n)))


@cache
def slope() -> Expr:
    """tau (A + 1) times the derivative of the loss in x, A + 1 being the sum in (A.58)."""
    g = inner()
    partition = ReducedLoss(SUPCL, hierarchy()).partition(EVERYTHING, g)
    weight = tau * at_x(partition) * exp(-1 / tau) / p
    return weight * diff(at_x(loss_on_ssem()), x)


def same_loss(printed: Expr, derived: Expr, domain: Domain) -> Verdict:
    """Compare sums of logarithms: their difference is zero iff its exponential is one."""
    residual = expand(printed - derived)
    logs = residual.atoms(log)
    product = exp(residual.subs(dict.fromkeys(logs, S.Zero)))
    for a in logs:
        product *= a.args[0] ** residual.coeff(a)
    verdict = equal(product, S.One, domain)
    return verdict if verdict.word == "agrees" else equal(printed, derived, domain)


@cache
def printed_slope() -> Expr:
    """h(x; m, n, tau, alpha), as Theorem A.2 and the proof of Theorem A.3 print it."""
    turned = exp((-m / (m - 1) + x * (n - 1) / ((m - 1) * n)) / tau)
    weight = m * n - 1 - alpha * (m - 1) * n
    return (1 - alpha) - alpha * (n - 1) * exp(-x / tau) + weight * turned
