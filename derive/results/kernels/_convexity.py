"""Where the loss of an anchor bends down: for every kernel of the family but the Gaussian.

Below the Gaussian in the inner product of the views of an instance, all alike; beyond, in that of
one negative. (In that of one of several positives the sign depends on the others as well.)
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, Range
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
    anywhere = Domain(
        {odds: POSITIVE, slope: Range(-S.Infinity), bend: Range(-S.Infinity)},
        {odds: 1, slope: 1, bend: 1},
    )
    proof.holds(
        "The second derivative of an anchor's loss in the inner product of positives, all alike, "
        "and of one negative",
        [
            eq("in_positive", share * ((1 - share) * slope**2 - bend)),
            eq("in_negative", share * ((1 - share) * slope**2 + bend)),
        ],
        "the two derivatives are those of its similarity; odds/(1 + odds) is the softmax mass of "
        "all "
        "negatives in the first, and of the one negative in the second. The views of an instance "
        "move together in the first: with p >= 3 the loss may be convex in one pair of them",
        anywhere,
        names={Symbol("in_positive"): IN_POSITIVE, Symbol("in_negative"): IN_NEGATIVE},
    )
    falls, rises = SLOPE**2 - CURVATURE, SLOPE**2 + CURVATURE
    proof.holds(
        "What is left without the softmax",
        [
            eq("of_positive", gamma * exp((gamma - 4) * l) / tau * _excess(exp(gamma * l))),
            eq("of_negative", gamma * exp((gamma - 4) * l) / tau * _excess(exp(gamma * l), -1)),
        ],
        "the square of the first derivative minus the second, and the sum of both; the softmax "
        "makes the square "
        "less, so where these are negative so is the second derivative, whatever the other pairs "
        "are",
        exponents(POSITIVE, 1),
        names={Symbol("of_positive"): falls, Symbol("of_negative"): rises},
    )
    gauss = {gamma: 2}
    proof.holds(
        "At the Gaussian the similarity is affine, and the loss is convex in the Gram matrix",
        eq("curvature", S.Zero),
        "there log-sum-exp is one of affine functions",
        exponents(POSITIVE, 1).restricted([tau, l]),
        names={Symbol("curvature"): CURVATURE.xreplace(gauss)},
    )
    proof.holds(
        "Up to the Gaussian the loss is convex in each negative",
        ge(share * ((1 - share) * SLOPE**2 + CURVATURE), 0),
        "both parts are >= 0",
        Domain(
            {**exponents(UP_TO_GAUSS, 1).ranges, odds: POSITIVE},
            {**exponents(UP_TO_GAUSS, 1).witness, odds: 1},
        ),
    )
    found = {}
    for name, sign, which, witness, says in (
        ("concave_positive", 1, BELOW_GAUSS, 1, "of the views of an instance, all alike"),
        ("concave_negative", -1, BEYOND_GAUSS, 3, "of a negative"),
    ):
        where = exponents(which, witness).restricted([gamma, tau])
        border = solve_linear(_excess(Y, sign), Y)
        proof.holds(
            f"There is such a place: |x - y|^gamma below this, for the inner product {says}",
            [gt(border, 0), eq("excess", S.Zero), gt(derivative(_excess(Y, sign), Y), 0)],
            f"the excess, gamma |x - y|^gamma/tau {'-' if sign > 0 else '+'} (2 - gamma), has the "
            "sign of the expression without the softmax; it vanishes there and increases with the "
            "distance. Below it the second derivative is negative, so the loss is not convex in "
            "the Gram matrix",
            where,
            names={Symbol("excess"): _excess(border, sign)},
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


def _excess(y: Expr, sign: int = 1) -> Expr:
    """For y = |x - y|^gamma, what has the sign of slope^2 - bend, or of slope^2 + bend."""
    return gamma * y / tau - sign * (2 - gamma)
