"""Why a divergence is never negative: Gibbs' inequality, term by term."""

from __future__ import annotations

from sympy import S, Symbol, log

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain
from ...proof.derivation import Derivation
from ...proof.relations import gt, lt

t = Symbol("t", positive=True)


def state_divergence(share: str, other: str, proof: Derivation) -> None:
    """Record that a share times the logarithm of its ratio to another is at least their gap."""
    divergence = t * log(t) - t + 1
    proof.equal(
        "t log t - t + 1 decreases for t < 1, is zero at t = 1 and increases for t > 1",
        {
            "slope": (derivative(divergence, t), log(t)),
            "value_at_1": (divergence.xreplace({t: S.One}), 0),
        },
        f"its derivative is log t; so with t = {share}/{other}, {other} times this "
        f"function is {share} log({share}/{other}) - {share} + {other} >= 0, and zero "
        f"iff {share} = {other}",
        Domain({t: POSITIVE}, {t: 1}),
        also=[lt(log(1 / (1 + t)), 0), gt(log(1 + t), 0)],
    )
