"""The program as printed, without 1/tau before the trace: another minimiser than that of the loss.

Two pairs of positives on the circle, each pair symmetric about an axis, the two opposite. With c
the inner product of positives the loss falls up to c = 1, where each pair is one point.
"""

from __future__ import annotations

from sympy import Expr, Lambda, Matrix, Rational, S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, between
from ...decide.present import tidy
from ...decide.root import ClampedRoot, argmin
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import gt, lt
from ...structures.graph import blocks
from ...theorem.quantity import Quantity
from ._attraction import attraction, log_partitions

c = Symbol("c", real=True)
#: A temperature that is solved for; a bound name is none of the parameters.
heat = Symbol("t", positive=True)
HEAT = Domain({tau: POSITIVE}, {tau: Rational(1, 2)})
ALONG = HEAT.with_range(c, between(-1, 1), S.Half)
PAIRS = blocks([2, 2])
#: Inner products of (cos t, sin t), (cos t, -sin t) and the two opposite vectors; c = cos 2t.
GRAM = Matrix([[1, c, -1, -c], [c, 1, -c, -1], [-1, -c, 1, c], [-c, -1, c, 1]])
HALF = GRAM.applyfunc(lambda e: 1 - e)


def printed(pulled: Expr, repelled: Expr) -> Expr:
    """The objective of tan2024spectral, Theorem 3.1."""
    return pulled + repelled


def state_printed(proof: Derivation) -> dict[str, Quantity]:
    """Record where the two are least, and that it is not in one place below a temperature."""
    pulled, repelled = attraction(PAIRS, HALF), sum(log_partitions(HALF, tau), S.Zero)
    slope = _slope(pulled / tau + repelled)
    as_printed = _slope(printed(pulled, repelled))
    near, far, apart = exp((c - 1) / tau), exp(-(1 + c) / tau), exp(-2 / tau)
    proof.equal(
        "For two pairs of positives the loss decreases with c up to c = 1",
        {"slope_in_c": (slope, -4 * (apart + 2 * far) / (tau * (near + apart + far)))},
        "each pair is symmetric about an axis of the circle, the two pairs are opposite, and c is "
        "the inner product of positives",
        ALONG,
        also=[lt("slope_in_c", 0)],
    )
    best = log(1 + 2 * exp(-2 / tau))
    proof.equal(
        "At c = 1 the loss equals its minimum over all unit vectors in any dimension",
        {"least": ((pulled / tau + repelled).xreplace({c: S.One}), 4 * best)},
        "an anchor has the loss log(1 + sum of exp((s - s+)/tau)) over its two others, with s >= "
        "-1 and s+ <= 1; both are attained iff positives coincide and the others are opposite",
        HEAT,
    )
    rising = (1 - tau) - (1 + tau) * exp(-2 * c / tau) - tau * exp(-(1 + c) / tau)
    proof.equal(
        "Without the factor 1/tau before the trace, the derivative has the sign of this function, "
        "which increases with c",
        {"as_printed": (as_printed * tau * (near + apart + far) / (4 * near), rising)},
        "it is the derivative of the printed objective tr(Z'LZ) + log R, up to a positive factor",
        ALONG,
        also=[gt(derivative(rising, c), 0)],
    )
    turn = (1 + 2 * tau) * exp(-2 / tau) - (1 - tau)
    proof.equal(
        "At c = 1 this sign is positive for tau below tau_apart and negative above it",
        {"at_1": (rising.xreplace({c: S.One}), -turn)},
        "minus the sign function increases with tau and changes sign between 1/2 and 1. For tau "
        "below the zero the printed objective is minimal at some c < 1, so the minimiser of the "
        "loss is not one of the printed program",
        HEAT,
        also=[
            gt(derivative(turn, tau), 0),
            gt(turn.xreplace({tau: S.One}), 0),
            lt(turn.xreplace({tau: S.Half}), 0),
        ],
    )
    return {
        "tau_apart": Quantity(
            ClampedRoot(Lambda(heat, turn.xreplace({tau: heat})), S.Half, S.One),
            r"\tau_{\mathrm{apart}}",
            "temperature below which tr(Z'LZ) + log R, as printed without 1/tau, has another "
            "minimiser than the loss on two pairs of positives",
        ),
        "positives_printed": Quantity(
            argmin(rising, c, S.NegativeOne, S.One),
            r"Z_1^\top Z_2",
            "inner product of positives at the minimum of the printed objective, for two opposite "
            "pairs on the circle; the loss is minimal at 1",
            HEAT,
        ),
    }


def _slope(e: Expr) -> Expr:
    return tidy(derivative(e, c))
