"""Where the loss of an anchor bends down: for every kernel of the family but the Gaussian.

Below the Gaussian in the inner product of the views of an instance, all alike; beyond, in that of
one negative. (In that of one of several positives the sign depends on the others as well.)
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.domain import LINE, POSITIVE, region
from ...decide.present import solve_linear
from ...losses.kernel import gamma
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt
from ...theorem.quantity import Quantity
from ._similarity import BELOW_GAUSS, BEYOND_GAUSS, CURVATURE, SLOPE, UP_TO_GAUSS, exponents, l

#: Along one inner product: its change, the slope and the curvature of the similarity.
t, slope, bend = (Symbol(s, real=True) for s in ("t", "slope", "bend"))
#: Of the softmax: the odds of the negatives against the positive; of one negative against the rest.
odds = Symbol("odds", positive=True)
PATH = slope * t + bend * t**2 / 2
#: |x - y|^gamma, where a border is solved for it.
Y = Symbol("Y", positive=True)


def second(loss: Expr) -> Expr:
    """The second derivative at the start of a path."""
    return derivative(derivative(loss, t), t).xreplace({t: S.Zero})


#: The loss along the common inner product of positives, up to a constant, and along that of one
#: negative.
IN_POSITIVE = second(log(1 + odds * exp(-PATH)))
IN_NEGATIVE = second(log(1 + odds * exp(PATH)))


def state_convexity(proof: Derivation) -> dict[str, Quantity]:
    """The curvature of the loss in one inner product, its sign, and where it is negative."""
    share = odds / (1 + odds)
    proof.equal(
        "The second derivative of an anchor's loss in the common inner product of the views of an "
        "instance, and in the inner product of one negative",
        {
            "in_positive": (IN_POSITIVE, share * ((1 - share) * slope**2 - bend)),
            "in_negative": (IN_NEGATIVE, share * ((1 - share) * slope**2 + bend)),
        },
        "slope and bend are the derivatives of the similarity; odds/(1 + odds) is the softmax "
        "probability of all negatives in the first, and of the one negative in the second. In the "
        "first all views of the instance move together; with p >= 3 the loss may be convex in the "
        "inner product of one pair of them",
        region({odds: POSITIVE, slope: LINE, bend: LINE}),
    )
    proof.equal(
        "The signs of slope^2 - bend and slope^2 + bend",
        {
            f"of_{which}": (
                SLOPE**2 - sign * CURVATURE,
                gamma * exp((gamma - 4) * l) / tau * _excess(exp(gamma * l), sign),
            )
            for which, sign in (("positive", 1), ("negative", -1))
        },
        "the softmax probability only lowers the coefficient of slope^2, so where these are "
        "negative the second derivatives of the step before are negative, whatever the other "
        "inner products are",
        exponents(POSITIVE, 1),
    )
    proof.equal(
        "For gamma = 2 the similarity is affine in the inner product, and the loss is convex in "
        "the Gram matrix",
        {"curvature": (CURVATURE.xreplace({gamma: 2}), S.Zero)},
        "log-sum-exp of affine functions is convex, and the positives enter linearly",
        exponents(POSITIVE, 1).restricted([tau, l]),
    )
    proof.holds(
        "For gamma <= 2 the loss is convex in the inner product of each negative",
        ge(share * ((1 - share) * SLOPE**2 + CURVATURE), 0),
        "the similarity is convex in the inner product, so both terms are at least 0",
        region({**exponents(UP_TO_GAUSS, 1).ranges, odds: POSITIVE}),
    )
    found = {}
    for name, sign, which, witness, says in (
        ("concave_positive", 1, BELOW_GAUSS, 1, "of the views of an instance, all alike"),
        ("concave_negative", -1, BEYOND_GAUSS, 3, "of a negative"),
    ):
        where = exponents(which, witness).restricted([gamma, tau])
        border = solve_linear(_excess(Y, sign), Y)
        proof.equal(
            f"The loss is concave in the inner product {says}, where |x - y|^gamma is below this",
            {"excess": (_excess(border, sign), S.Zero)},
            f"slope^2 {'-' if sign > 0 else '+'} bend has the sign of the excess "
            f"gamma |x - y|^gamma/tau {'-' if sign > 0 else '+'} (2 - gamma), which increases with "
            "the distance and vanishes at this positive value. Below it the second derivative is "
            "negative, so the loss is not convex in the Gram matrix",
            where,
            also=[gt(border, 0), gt(derivative(_excess(Y, sign), Y), 0)],
        )
        found[name] = Quantity(
            border ** (2 / gamma),
            rf"|x - y|^2_{{\mathrm{{{name.split('_')[1]}}}}}",
            f"squared distance below which the loss is concave in the inner product {says}",
            where,
        )
    return {
        "convex": Quantity(
            eq(gamma, S(2)),
            r"\mathcal{L} \text{ convex in } G",
            "whether the loss is convex in the Gram matrix",
        ),
        **found,
    }


def _excess(y: Expr, sign: int) -> Expr:
    """For y = |x - y|^gamma, what has the sign of slope^2 - bend, or of slope^2 + bend."""
    return gamma * y / tau - sign * (2 - gamma)
