"""Appendix A.3, third part: Theorem A.2, and the loss on the SSEM as derived."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from sympy import Expr, S, diff, exp, expand, log, sqrt

from ...engine.domain import POSITIVE, Domain, at_least, between
from ...engine.reduce import ReducedLoss
from ...losses.supcl import EVERYTHING, SUPCL
from ...results import results
from ...structures.hierarchy import hierarchy
from ...symbols import alpha, delta, m, n, p, tau, x
from ..checks import (
    both,
    decided,
    equal,
    holds_positive,
    needs_condition,
)
from ..embeddings import Embeddings
from ..evaluate import value
from ..ledger import Verdict
from . import LEDGER
from .sums import at_temperature, random_sets, spread, ssem_matching, temperature, total

# --- the loss on SSEM, as derived ----------------------------------------------------------
SIZES = Domain({m: at_least(2), n: at_least(2), p: at_least(1)}, {m: 2, n: 2, p: 1})
LOSS = SIZES.with_range(alpha, between(0, 1), S.Half).with_range(tau, POSITIVE, 1)
ON_SSEM = LOSS.with_range(delta, between(0, 1), S.Half)
ON_SEGMENT = LOSS.with_range(x, between(0, n / (n - 1)), 1)
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


# --- Theorem A.2 -----------------------------------------------------------------------------
def loss(u: Embeddings, weight: Fraction) -> Any:
    """The declared loss for alpha = ``weight``; 0 gives L_Sup and 1 gives L_Self."""
    return value(SUPCL, u, alpha=weight, tau=temperature(u))


def _one_class_in_the_plane() -> Verdict:
    """m = 1, n = 3, d = 2: three vectors with a lower loss than every SSEM of the plane."""
    half, one = Fraction(1, 2), Fraction(1)
    collapsed, simplex = (Embeddings.ssem(1, 3, 1, Fraction(e)) for e in (0, 1))
    # Equal inner products s have determinant (1 - s)^2 (1 + 2s): rank 2 or less at the ends only.
    between_them = Embeddings.ssem(1, 3, 1, half)
    assert max(collapsed.rank, simplex.rank) <= 2 < between_them.rank
    better = Embeddings.from_vectors(1, 3, 1, [[1, 0], [1, 0], [0, 1]])
    losses = [value(SUPCL, u, alpha=half, tau=one) for u in (collapsed, simplex, better)]
    shown = [mpmath.nstr(v, 8) for v in losses]
    return decided(
        losses[2] >= min(losses[:2]),
        "three losses computed",
        witness={
            "point": {"m": "1", "n": "3", "p": "1", "d": "2", "alpha": "1/2", "tau": "1"},
            "printed": f"minimum on SSEM, which has loss {shown[0]} or {shown[1]} here",
            "derived": f"loss {shown[2]} at (1, 0), (1, 0), (0, 1)",
        },
    )


def theorem() -> Verdict:
    """Every other embedding set has a higher loss than the SSEM with the same spread."""
    within = [
        at_temperature(
            lambda u, a=a: (loss(u, a), loss(ssem_matching(u, spread), a)),  # type: ignore[misc]
            ">",
            random_sets(),
            where=lambda u: u.p > 1 or total(u) != 0,
        )
        for a in (Fraction(0), Fraction(1, 2), Fraction(1))
    ]
    return needs_condition(
        "m >= 2 and n >= 2 (not only mn >= 2)",
        both(*within, results_support(), optimal_delta()),
        _one_class_in_the_plane(),
        "for n = 1 the loss divides by zero and, at alpha = 1, every delta gives the same "
        "embeddings; for p > 1, Definition A.2 is meant for Definition 2",
    )


def results_support() -> Verdict:
    """The derivation that every optimum lies on the segment."""
    return Verdict("agrees", results["supcl-optimum"].evidence)


@LEDGER.claim(
    "Theorem A.2",
    r"for mn \ge 2 and d \ge mn-1: \forall U^* \in \arg\min L(U), \exists! \delta \in [0, 1] "
    r"such that U^\delta = U^*",
    result="supcl-optimum",
)
def theorem_a2() -> Verdict:
    return theorem()


PRINTED_H = (
    (1 - alpha)
    - alpha * (n - 1) * exp(-x / tau)
    + (m * n - 1 - alpha * (m - 1) * n) * exp((-m / (m - 1) + x * (n - 1) / ((m - 1) * n)) / tau)
)


@LEDGER.claim(
    "(A.31)",
    r"\delta^* = 0 if h(0) \ge 0, otherwise the \delta \in (0, 1] with "
    r"h(\delta^2 \frac{mn}{mn-1}) = 0",
    result="supcl-optimum",
)
def optimal_delta(printed: Expr = PRINTED_H, end: Expr = S.One) -> Verdict:
    # The result is the root of an increasing function, clamped to an interval of x.
    h, low, high = results["supcl-optimum"].x_star.args
    return both(
        equal(printed, h(x), ON_SEGMENT),
        equal(S.Zero, low, SIZES),
        equal(X_OF_DELTA.subs(delta, end), high, SIZES),
        holds_positive(printed.diff(x), ON_SEGMENT),
        holds_positive(printed.subs(x, high), LOSS, strict=False),
    )


@LEDGER.claim(
    "Theorem A.2: h",
    r"h(x; m, n, \tau, \alpha) = (1-\alpha) - \alpha(n-1) e^{-x/\tau} + (mn-1-\alpha(m-1)n) "
    r"e^{(-\frac{m}{m-1} + x\frac{n-1}{(m-1)n})/\tau}",
    result="supcl-optimum",
)
def h_function(printed: Expr = PRINTED_H) -> Verdict:
    return equal(printed, slope(), ON_SEGMENT, "the slope of the loss times something positive")
