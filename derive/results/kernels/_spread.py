"""Beyond the Gaussian: second derivatives at a simplex in directions that leave its face.

There the loss rises at first order in the Gram matrix, that is at second order in the embeddings;
but inner products move at first order in the embeddings, so that the curvature of the similarity
counts as much. It is negative beyond the Gaussian, and outweighs the rest for large exponents.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, S, Symbol, sqrt

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...decide.present import tidy
from ...losses.kernel import gamma
from ...proof.derivation import Derivation
from ...proof.relations import eq, gt
from ...structures.hierarchy import m, n
from ._lemmas import PARTING, SPREADING
from ._similarity import APART, BEYOND_GAUSS

t = Symbol("t", real=True)
#: The inner product with the direction, of the anchor and of another vertex.
own, other = Symbol("own", real=True), Symbol("other", real=True)
#: Mean square of these over vertices; a push is the softmax mass of one vertex but the anchor.
Q, push = Symbol("Q", positive=True), Symbol("push", positive=True)
#: gamma |x - y|^gamma/tau at the simplex.
v = Symbol("v", positive=True)


def curvature(inner: Expr, over: Callable[[Expr], Expr], slope: Expr, bend: Expr) -> Expr:
    """The second derivative of an anchor's loss, where negatives have these inner products.

    It is the mean second derivative of their similarities, and their variance in slope; ``over``
    adds up over all other vertices.
    """
    rate = derivative(inner, t)
    first, second = (e.xreplace({t: S.Zero}) for e in (rate, derivative(rate, t)))
    rise = (slope**2 + bend) * first**2 + slope * second
    return push * over(rise) - (push * slope * over(first)) ** 2


def at_simplex(size: Expr) -> tuple[Expr, Expr]:
    """Slope and curvature of the similarity at the simplex, in v."""
    square = APART.xreplace({n: size})
    slope = v / square
    return slope, -(gamma - 2) * slope / square


def moments(e: Expr, size: Expr) -> Expr:
    """A sum over all other vertices, of a polynomial in ``other`` of degree two at most."""
    e = e.expand()
    one, two = e.coeff(other, 1), e.coeff(other, 2)
    flat = e.coeff(other, 0)
    return flat * (size - 1) - one * own + two * (size * Q - own**2)


def spreading() -> Expr:
    """All vertices move towards one vector of their span, and are made unit again."""
    c, length = -1 / (n - 1), (n - 1) * Q

    def norm(x: Expr) -> Expr:
        return sqrt(1 + t**2 * (length - x**2))

    both = length - own**2 - other**2 + c * own * other
    inner = (c + t * (1 - c) * (own + other) + t**2 * both) / (norm(own) * norm(other))
    total = curvature(inner, lambda e: moments(e, n), *at_simplex(n)).expand()
    # The mean over anchors.
    return tidy(total.coeff(own, 0) + total.coeff(own, 2) * Q)


def parting() -> Expr:
    """One point of a vertex moves along a unit vector of the span, at a right angle to it."""
    inner = (-1 / (m - 1) + t * other) / sqrt(1 + t**2)

    def over(e: Expr) -> Expr:
        return moments(e, m).xreplace({own: S.Zero})

    total = curvature(inner, over, *at_simplex(m))
    # A unit vector of the span has the squares m/(m - 1) in sum.
    return tidy(total.xreplace({Q: 1 / (m - 1)}))


def state_spreading(proof: Derivation) -> None:
    """Towards one vector: positive up to the temperature of the face, if gamma is not large."""
    share, mass = Symbol("w", positive=True), Symbol("mass", positive=True)
    more = Symbol("above", nonnegative=True)
    of_shares = {gamma: 2 + 4 * (n - 1) * share, push: mass / (n - 1)}
    excess = v * (1 - push * (n - 2) / 2) - (gamma - 2) + 2 * (n - 2)
    proof.holds(
        "The second derivative where all instances move towards one vector, mean over anchors",
        eq("second_derivative", Q * push * v * (n - 2) / 2 * excess),
        SPREADING,
        Domain(
            {n: at_least(4), gamma: BEYOND_GAUSS, v: POSITIVE, Q: POSITIVE, push: POSITIVE},
            {n: 4, gamma: 3, v: 1, Q: 1, push: 1},
        ),
        names={Symbol("second_derivative"): spreading()},
    )
    proof.holds(
        "It is positive for tau <= tau_local if gamma <= 4 n - 2",
        gt(excess.xreplace({v: gamma - 2 + more}).xreplace(of_shares), 0),
        "there v = gamma - 2 + above with above >= 0, gamma - 2 is 4 (n - 1) w with w <= 1, and "
        "the mass of all negatives, (n - 1) push, is below one; shown is what stands in the last "
        "brackets of the step before",
        Domain(
            {
                n: at_least(4),
                share: between(0, 1, "(]"),
                mass: between(0, 1, "()"),
                more: Range(low_open=False),
            },
            {n: 4, share: 1, mass: "1/2", more: 0},
        ),
    )


def state_parting(proof: Derivation) -> None:
    """Points of one class part: positive up to the fourth power, and up to a temperature beyond."""
    proof.holds(
        "Beyond the Gaussian: the second derivative where points of a class part and their mean "
        "stays, in the span of the classes",
        eq("second_derivative", push * v * (m - 1) / (4 * m) * (v - (gamma - 4))),
        PARTING,
        Domain(
            {m: at_least(3), gamma: BEYOND_GAUSS, v: POSITIVE, push: POSITIVE},
            {m: 3, gamma: 3, v: 1, push: 1},
        ),
        names={Symbol("second_derivative"): parting()},
    )
