"""When exponential kernels are positive definite, and what sums of two kernels keep of it."""

from __future__ import annotations

from itertools import product

from sympy import Expr, S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.domain import FREE, POSITIVE, Domain, Range, between, region
from ...losses.kernel import gamma
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, le, lt
from ...theorem.quantity import Quantity
from ._lemmas import SCHOENBERG, TAYLOR
from ._similarity import BEYOND_GAUSS, UP_TO_GAUSS

#: (distance)^gamma/tau of neighbours, and by how much that of the outer points is more.
x, P = Symbol("x", positive=True), Symbol("P", positive=True)
#: -h, 0, h, and their weights.
PLACES, WEIGHTS = (-1, 0, 1), (1, -2, 1)


def _on_a_line(i: int, j: int) -> Expr:
    """The kernel of two of three points a step apart, in x and P = 2^gamma."""
    steps = abs(PLACES[i] - PLACES[j])
    return {0: S.One, 1: exp(-x), 2: exp(-P * x)}[steps]


#: What is negative beyond the Gaussian.
THREE_POINTS = sum(
    (WEIGHTS[i] * WEIGHTS[j] * _on_a_line(i, j) for i, j in product(range(3), repeat=2)), S.Zero
)
#: Where the form is negative for certain.
SURE = (P - 4) / P**2


def above(expression: Expr) -> Expr:
    """At least the form: exponentials of positive weight bounded from above, others from below."""

    def bound(e: Expr) -> Expr:
        y = -e.args[0]
        return 1 - y + y**2 / 2 if expression.coeff(e) > 0 else 1 - y

    return expression.xreplace({e: bound(e) for e in expression.atoms(exp)})


def state_definite(proof: Derivation) -> dict[str, Quantity]:
    """Positive definite up to the Gaussian, and a witness that it is not beyond."""
    proof.holds(
        "For 0 < gamma <= 2 the kernel is positive definite, in every dimension",
        [gt(gamma, 0), le(gamma, 2), gt(tau, 0)],
        SCHOENBERG,
        Domain({gamma: UP_TO_GAUSS, tau: POSITIVE}, {gamma: 1, tau: 1}),
    )
    wide = region({P: Range(S(4)), x: POSITIVE})
    proof.equal(
        "The quadratic form of the kernel matrix of the points -h, 0, h at the weights 1, -2, 1, "
        "for x = h^gamma/tau and P = 2^gamma",
        {
            "form": (THREE_POINTS, 6 - 8 * exp(-x) + 2 * exp(-P * x)),
            "slope_at_0": (derivative(THREE_POINTS, x).xreplace({x: S.Zero}), 8 - 2 * P),
        },
        "neighbours are h apart and the outer points 2 h. The form is 0 at x = 0; for gamma > 2, "
        "that is P > 4, its derivative there is negative, and so is the form for small h",
        wide,
    )
    bound = above(THREE_POINTS)
    proof.equal(
        "An upper bound of this quadratic form",
        {"bound": (bound, x * (8 - 2 * P) + P**2 * x**2)},
        TAYLOR,
        wide,
    )
    proof.equal(
        "The quadratic form is negative at x = (P - 4)/P^2, for every temperature",
        {"bound_there": (bound.xreplace({x: SURE}), -((P - 4) ** 2) / P**2)},
        "the upper bound of the step before is negative there; for gamma > 2 the kernel is "
        "therefore not positive definite on a line, and so in no dimension",
        wide.restricted([P]),
        also=[lt("bound_there", 0)],
    )
    beyond = Domain({gamma: BEYOND_GAUSS}, {gamma: 3})
    at = {P: 2**gamma}
    place = {**at, x: SURE.xreplace(at)}
    return {
        "positive_definite": Quantity(
            gamma <= 2,
            r"k \succ 0",
            "whether the exponential kernel is positive definite on R^d, for every d and tau",
        ),
        "witness_x": Quantity(
            SURE.xreplace(at),
            r"h^\gamma/\tau",
            "value of h^gamma/tau at which the points -h, 0, h with weights 1, -2, 1 show that the "
            "kernel is not positive definite",
            beyond,
        ),
        "witness_form": Quantity(
            THREE_POINTS.xreplace(place),
            r"w^\top K w",
            "quadratic form of these weights, negative",
            beyond,
            signed=True,
        ),
    }


# --- sums of kernels: their logarithm is convex and increases where both do ---
#: Along the inner product: its change; of the sum, the share of the first kernel; slopes and bends.
t, share = Symbol("t", real=True), Symbol("w", positive=True)
slope1, gap = Symbol("a_1", nonnegative=True), Symbol("g", nonnegative=True)
#: The second kernel is the one that rises faster.
slopes = [slope1, slope1 + gap]
bends = [Symbol(f"b_{i}", nonnegative=True) for i in (1, 2)]


def state_sum(proof: Derivation) -> None:
    """The similarity of a sum of kernels, by the shares that each has of the sum."""
    parts = [a * t + b * t**2 / 2 for a, b in zip(slopes, bends, strict=True)]
    whole = log(share * exp(parts[0]) + (1 - share) * exp(parts[1]))
    first = derivative(whole, t)
    slope, bend = (e.xreplace({t: S.Zero}) for e in (first, derivative(first, t)))
    rest = 1 - share
    proof.equal(
        "The first two derivatives of the logarithm of a sum of two kernels, in the inner product",
        {
            "slope": (slope, slope1 + rest * gap),
            "bend": (bend, share * bends[0] + rest * bends[1] + share * rest * gap**2),
        },
        "w is the fraction of the sum that the first kernel has; the logarithms of the two kernels "
        "have the derivatives a_1 and a_1 + g and the second derivatives b_1 and b_2. So the "
        "logarithm of the sum increases and is convex if both logarithms do, and what follows "
        "holds for a sum of kernels with gamma <= 2 as for one. A convex combination of two "
        "losses is minimal at the simplex if both are",
        region({share: between(0, 1, "()"), **dict.fromkeys((slope1, gap, *bends), FREE)}),
        also=[ge("slope", 0), ge("bend", 0)],
    )
