"""Beyond the Gaussian the instance simplex is optimal up to a temperature only.

Two things end it. Clusters: k q instances on q-fold points of a smaller simplex have a lower loss
beyond one temperature, since the mean of |x - y|^gamma is larger there. And the second derivative:
beyond another temperature the simplex is no longer a local optimum. Up to that it is one if gamma
<= 4 n - 2; for larger exponents it need not be, since instances may move towards one vector. In all
cases that were tried with such gamma pairs (q = 2) come first, so that the simplex is then still a
local optimum.
"""

from __future__ import annotations

from sympy import Expr, Lambda, S, Symbol, exp, log, oo

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...decide.present import solve_linear
from ...decide.root import ClampedRoot
from ...losses.kernel import EXPONENT, gamma
from ...losses.supcl import SAME_INSTANCE
from ...proof.derivation import Derivation
from ...proof.lemmas import FIRST_ORDER
from ...proof.relations import eq, gt, lt
from ...structures.hierarchy import n, p
from ...structures.towers import NEGATIVE
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._lemmas import FIRST_ORDER_OFF_FACE, IN_THE_FACE
from ._similarity import (
    APART,
    BEYOND_GAUSS,
    CURVATURE,
    SLOPE,
    exponents,
    kernel_setting,
    l,
    state_slopes,
    tau,
)
from ._simplex import NO_CLASSES
from ._spread import state_spreading

k, q = (Symbol(s, integer=True, positive=True) for s in "kq")
MEANINGS = {
    k: "clusters, at the vertices of a simplex",
    q: "instances in each cluster; there are n = k q instances",
}
DOMAIN = Domain({k: at_least(2), q: at_least(2), gamma: BEYOND_GAUSS}, {k: 2, q: 2, gamma: 3})
#: One over the temperature, where two losses are compared.
s = Symbol("s", positive=True)
#: |x - y|^gamma of two vertices, for the simplex of all and for that of clusters.
a, b = Symbol("Y", positive=True), Symbol("X", positive=True)
#: Weights of a row: of what does not move, and of each of three negatives.
rest, h = Symbol("rest", positive=True), Symbol("h", positive=True)
e1, e2, slope, bend, t = (Symbol(x, real=True) for x in ("e1", "e2", "slope", "bend", "t"))


def build(proof: Derivation) -> dict[str, Quantity]:
    state_slopes(proof)
    return {**state_clusters(proof), **state_local(proof)}


def state_clusters(proof: Derivation) -> dict[str, Quantity]:
    """The temperature beyond which clusters have a lower loss than the simplex."""
    size = k * q
    # What is in a denominator besides other views, over the number of views, less that of the
    # simplex; divided by what a negative of the simplex has.
    more = (q - 1) * exp(a * s) + (size - q) * exp(-(b - a) * s) - (size - 1)
    extra = Symbol("more", positive=True)
    where = DOMAIN.with_range(a, POSITIVE, 1).with_range(s, POSITIVE, 1)
    where = where.with_range(extra, POSITIVE, 1)
    proof.holds(
        "Clusters against the simplex: the difference of denominators, over exp(-Y/tau)",
        [
            eq("at_0", S.Zero),
            gt(derivative(derivative(more, s), s).xreplace({b: a + extra}), 0),
        ],
        "Y and X = Y + more are |x - y|^gamma at the simplex of all and at that of clusters, and "
        "s = 1/tau; clusters have "
        "the lower loss iff it is negative, whatever the number of views, as the loss rises with "
        "the denominator; it is convex in s",
        where,
        names={Symbol("at_0"): more.xreplace({s: S.Zero})},
    )
    ratio = Symbol("log_ratio", positive=True)
    others = DOMAIN.restricted([gamma]).with_range(ratio, POSITIVE, 1)
    others = others.with_range(a, POSITIVE, 1)
    power, square = Symbol("square_ratio"), 2 * k / (k - 1) / APART.xreplace({n: size})
    proof.holds(
        "Squared distances at the two simplices have the ratio of the numbers of far negatives",
        [eq(power, (size - 1) / (size - q)), gt(power - 1, 0)],
        "n - 1 for the simplex, n - q for clusters; the logarithm of their ratio is a letter",
        DOMAIN,
        names={power: square},
    )
    slope_at_0 = derivative(more, s).xreplace({s: S.Zero})
    free, near = Symbol("far", positive=True), Symbol("near", positive=True)
    # n - q = far, q - 1 = near, and n - 1 = far exp(log_ratio) = far + near
    counted = near * a - free * (b - a)
    others = others.with_range(free, POSITIVE, 1)
    falls = free * a * exp(ratio) * (1 - exp((gamma / 2 - 1) * ratio))
    proof.holds(
        "At s = 0 it falls, since gamma > 2",
        [
            eq("slope_at_0", falls),
            lt(falls, 0),
        ],
        "the first factor is n - q, and q - 1 is the rest of n - 1; so it is negative for small s, "
        "positive for large s as q > 1, and zero once between",
        others,
        names={
            Symbol("slope_at_0"): counted.xreplace(
                {b: a * exp(gamma * ratio / 2), near: free * (exp(ratio) - 1)}
            )
        },
    )
    proof.holds(
        "with the derivative counted as at the structures",
        eq("slope_of_more", slope_at_0),
        "it is (q - 1) Y - (n - q)(X - Y)",
        DOMAIN.with_range(a, POSITIVE, 1).with_range(b, POSITIVE, 2),
        names={Symbol("slope_of_more"): counted.xreplace({near: q - 1, free: size - q})},
    )
    turning = (q - 1) * a * exp(b * s) - (size - q) * (b - a)
    proof.holds(
        "It falls up to one s and rises after it, so beyond that it has its only zero",
        [eq("slope", turning * exp(-(b - a) * s)), gt(derivative(turning, s), 0)],
        FIRST_ORDER,
        where.with_range(b, POSITIVE, 2),
        names={Symbol("slope"): derivative(more, s)},
    )
    least = log((size - q) * (b - a) / ((q - 1) * a)) / b
    there = {
        a: APART.xreplace({n: size}) ** (gamma / 2),
        b: (2 * k / (k - 1)) ** (gamma / 2),
    }
    root = ClampedRoot(Lambda(s, more.xreplace(there)), least.xreplace(there), oo)
    return {
        "tau_clusters": Quantity(
            1 / root,
            r"\tau_{\mathrm{clusters}}",
            "clusters have a lower loss than the simplex iff tau > tau_clusters; the simplex is "
            "not optimal then",
            bound=(tau, ">"),
        )
    }


def state_local(proof: Derivation) -> dict[str, Quantity]:
    """The temperature up to which the simplex is a local optimum."""
    g = Symbol("push", positive=True)
    gradient = {"self": S.Zero, SAME_INSTANCE: S.Zero, NEGATIVE: g}
    theta = NO_CLASSES.eigenvalues(gradient)
    sizes = Domain({n: at_least(4), p: at_least(2), g: POSITIVE}, {n: 4, p: 2, g: 1})
    proof.holds(
        "Eigenvalues of the gradient at the simplex, above that of the contrasts of instances",
        [
            eq("views", p * g),
            eq("mean", n * p * g),
            gt("views", 0),
            gt("mean", 0),
        ],
        FIRST_ORDER_OFF_FACE,
        sizes,
        names={
            Symbol("views"): theta["views"] - theta["instances"],
            Symbol("mean"): theta["mean"] - theta["instances"],
        },
    )
    moved = [t * e for e in (e1, e2, -e1 - e2)]
    row = log(rest + h * sum(exp(slope * x + bend * x**2 / 2) for x in moved))
    proof.holds(
        "The second derivative of an anchor's loss where negatives move and their mean does not",
        eq(
            "second_derivative",
            h * (slope**2 + bend) * (e1**2 + e2**2 + (e1 + e2) ** 2) / (rest + 3 * h),
        ),
        "shown for three negatives: the square of the mean derivative is zero, and the rest is "
        "the sum "
        "of squares for any number of them",
        Domain(
            {rest: POSITIVE, h: POSITIVE, **dict.fromkeys((e1, e2, slope, bend), Range(-oo))},
            {rest: 1, h: 1, e1: 1, e2: 0, slope: 1, bend: 1},
        ),
        names={Symbol("second_derivative"): _second(row)},
    )
    excess = gamma * exp(gamma * l) / tau - (gamma - 2)
    proof.holds(
        "Its sign is that of",
        eq("slope_squared_and_bend", gamma * exp((gamma - 4) * l) / tau * excess),
        IN_THE_FACE,
        exponents(BEYOND_GAUSS, 3),
        names={Symbol("slope_squared_and_bend"): SLOPE**2 + CURVATURE},
    )
    y = Symbol("Y", positive=True)
    heat = Symbol("heat", positive=True)
    at = (gamma * y / heat - (gamma - 2)) * heat
    border = solve_linear(at.expand(), heat)
    proof.holds(
        "which is positive below one temperature and negative above",
        [gt(border, 0), lt(derivative(at.expand(), heat), 0)],
        "Y is |x - y|^gamma at the simplex; the condition times tau falls with tau, and vanishes "
        "at gamma Y/(gamma - 2)",
        Domain({gamma: BEYOND_GAUSS, y: POSITIVE}, {gamma: 3, y: 1}),
    )
    state_spreading(proof)
    value = border.xreplace({y: APART.xreplace({n: k * q}) ** (gamma / 2)})
    return {
        "tau_local": Quantity(
            value,
            r"\tau_{\mathrm{local}}",
            "tau above which the simplex is not a local optimum; below it, the simplex is a strict "
            "one if gamma <= 4 k q - 2",
            bound=(tau, "<"),
        )
    }


def _second(e: Expr) -> Expr:
    return derivative(derivative(e, t), t).xreplace({t: S.Zero})


SETTING = kernel_setting(
    ("u is each of the", ("n p", "n p"), "unit vectors: n = k q instances with p views each"),
    "v is another view of its instance, w is any other vector; tau divides",
    kernel=(r"exp(-|u - v|^gamma/tau)", r"e^{-|u - v|^{\gamma}/\tau}"),
    dimension="n - 1 suffices",
)
RESULT = Result(
    "kernel-threshold",
    title="Beyond the Gaussian: how far the simplex is optimal for Kernel-InfoNCE",
    source="beyond tan2024spectral, Section 5",
    parameters=(k, q, gamma),
    domain=DOMAIN,
    build=build,
    setting=SETTING,
    meanings={**MEANINGS, gamma: EXPONENT[gamma]},
)
