"""Beyond the Gaussian the instance simplex is optimal up to a temperature only.

Two things end it. Clusters: k q instances on q-fold points of a smaller simplex have a lower loss
beyond one temperature, since the mean of |x - y|^gamma is larger there. And the second derivative:
beyond another temperature the simplex is no longer a local optimum. Up to that it is one if gamma
<= 4 n - 2; for larger exponents it need not be, since instances may move towards one vector. In all
cases that were tried with such gamma pairs (q = 2) come first, so that the simplex is then still a
local optimum.
"""

from __future__ import annotations

from sympy import Lambda, S, Symbol, exp, log, oo

from ...decide.calculus import derivative
from ...decide.domain import LINE, POSITIVE, Domain, at_least, region
from ...decide.present import solve_linear
from ...decide.root import ClampedRoot
from ...losses.kernel import EXPONENT, gamma
from ...losses.supcl import SAME_INSTANCE
from ...proof.derivation import Derivation
from ...proof.lemmas import FIRST_ORDER
from ...proof.relations import gt, lt
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
    proof.equal(
        "The denominator of an anchor for clusters minus that for the simplex, over p exp(-Y/tau)",
        {"at_0": (more.xreplace({s: S.Zero}), S.Zero)},
        "Y and X = Y + more are |x - y|^gamma for two vertices of the simplex of all instances and "
        "of that of clusters, and s = 1/tau. The loss increases with the denominator, so clusters "
        "have the lower loss iff this is negative; it is convex in s and vanishes at s = 0",
        where,
        also=[gt(derivative(derivative(more, s), s).xreplace({b: a + extra}), 0)],
    )
    ratio = Symbol("log_ratio", positive=True)
    power, square = Symbol("square_ratio"), 2 * k / (k - 1) / APART.xreplace({n: size})
    proof.equal(
        "The squared distances of two vertices, in the simplex of clusters and in that of all "
        "instances, have a ratio above 1",
        {power.name: (square, (size - 1) / (size - q))},
        "2 k/(k - 1) over 2 n/(n - 1); it is (n - 1)/(n - q), whose logarithm is called log_ratio",
        DOMAIN,
        also=[gt(power - 1, 0)],
    )
    free, near = Symbol("far", positive=True), Symbol("near", positive=True)
    # n - q = far, q - 1 = near, and n - 1 = far exp(log_ratio) = far + near
    counted = near * a - free * (b - a)
    falls = free * a * exp(ratio) * (1 - exp((gamma / 2 - 1) * ratio))
    proof.equal(
        "The derivative of the difference is negative at s = 0, since gamma > 2",
        {
            "slope_at_0": (
                counted.xreplace(
                    {b: a * exp(gamma * ratio / 2), near: free * (exp(ratio) - 1)},
                ),
                falls,
            )
        },
        "the derivative is (q - 1) Y - (n - q)(X - Y), with X/Y = exp(gamma log_ratio/2), "
        "far = n - q and q - 1 = far (exp(log_ratio) - 1)",
        region({gamma: BEYOND_GAUSS, ratio: POSITIVE, a: POSITIVE, free: POSITIVE}),
        also=[lt(falls, 0)],
    )
    proof.equal(
        "The derivative of the difference at s = 0",
        {
            "slope_of_more": (
                counted.xreplace({near: q - 1, free: size - q}),
                derivative(more, s).xreplace({s: S.Zero}),
            )
        },
        "(q - 1) Y - (n - q)(X - Y), as the step before has it",
        DOMAIN.with_range(a, POSITIVE, 1).with_range(b, POSITIVE, 2),
    )
    turning = (q - 1) * a * exp(b * s) - (size - q) * (b - a)
    proof.equal(
        "The difference decreases with s up to one value of s and increases after it, so it has "
        "one zero with s > 0",
        {"slope": (derivative(more, s), turning * exp(-(b - a) * s))},
        FIRST_ORDER,
        where.with_range(b, POSITIVE, 2),
        also=[gt(derivative(turning, s), 0)],
    )
    least = log((size - q) * (b - a) / ((q - 1) * a)) / b
    at_rate = {
        a: APART.xreplace({n: size}) ** (gamma / 2),
        b: (2 * k / (k - 1)) ** (gamma / 2),
    }
    root = ClampedRoot(Lambda(s, more.xreplace(at_rate)), least.xreplace(at_rate), oo)
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
    proof.equal(
        "Eigenvalues of the gradient at the simplex, minus that of the contrasts of instances",
        {
            "views": (theta["views"] - theta["instances"], p * g),
            "mean": (theta["mean"] - theta["instances"], n * p * g),
        },
        FIRST_ORDER_OFF_FACE,
        region({n: at_least(4), p: at_least(2), g: POSITIVE}),
        also=[gt("views", 0), gt("mean", 0)],
    )
    moved = [t * e for e in (e1, e2, -e1 - e2)]
    row = log(rest + h * sum(exp(slope * x + bend * x**2 / 2) for x in moved))
    proof.equal(
        "The second derivative of an anchor's loss where the inner products with its negatives "
        "change and their mean does not",
        {
            "second_derivative": (
                derivative(derivative(row, t), t).xreplace({t: S.Zero}),
                h * (slope**2 + bend) * (e1**2 + e2**2 + (e1 + e2) ** 2) / (rest + 3 * h),
            )
        },
        "shown for three negatives whose inner products change by e1 t, e2 t and -(e1 + e2) t; the "
        "first derivative vanishes, and for any number of negatives the squares of the changes are "
        "summed in the same way",
        region({rest: POSITIVE, h: POSITIVE, **dict.fromkeys((e1, e2, slope, bend), LINE)}),
    )
    excess = gamma * exp(gamma * l) / tau - (gamma - 2)
    proof.equal(
        "This second derivative has the sign of gamma |x - y|^gamma/tau - (gamma - 2)",
        {
            "slope_squared_and_bend": (
                SLOPE**2 + CURVATURE,
                gamma * exp((gamma - 4) * l) / tau * excess,
            )
        },
        IN_THE_FACE,
        exponents(BEYOND_GAUSS, 3),
    )
    y = Symbol("Y", positive=True)
    heat = Symbol("heat", positive=True)
    at = (gamma * y / heat - (gamma - 2)) * heat
    border = solve_linear(at.expand(), heat)
    proof.holds(
        "This sign is positive for tau below gamma Y/(gamma - 2) and negative above",
        [gt(border, 0), lt(derivative(at.expand(), heat), 0)],
        "Y is |x - y|^gamma for two vertices of the simplex; tau times the expression of the step "
        "before is linear in tau (heat), decreases and vanishes there",
        region({gamma: BEYOND_GAUSS, y: POSITIVE}),
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


SETTING = kernel_setting(
    "u is each of the $n p$ unit vectors: n = k q instances with p views each",
    "v is another view of its instance, w is any other vector; tau divides",
    kernel=r"e^{-|u - v|^{\gamma}/\tau}",
    dimension="n - 1 suffices",
)
RESULT = Result(
    "kernel-threshold",
    title="Kernel-InfoNCE beyond the Gaussian: up to which temperature the simplex is optimal",
    source="beyond tan2024spectral, Section 5",
    domain=DOMAIN,
    build=build,
    subject=SETTING,
    meanings={**MEANINGS, gamma: EXPONENT[gamma]},
)
