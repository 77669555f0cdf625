"""Beyond the Gaussian: second derivatives at a simplex in directions that leave its face.

There the loss rises at first order in the Gram matrix, that is at second order in the embeddings;
but inner products move at first order in the embeddings, so that the curvature of the similarity
counts as much. It is negative beyond the Gaussian, and outweighs the rest for large exponents.
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, sqrt

from ...decide.calculus import derivative
from ...decide.domain import FREE, POSITIVE, at_least, between, region
from ...decide.present import tidy
from ...losses.kernel import gamma
from ...proof.derivation import Derivation
from ...proof.relations import gt
from ...structures.hierarchy import n
from ._lemmas import SPREADING
from ._similarity import APART, BEYOND_GAUSS

t = Symbol("t", real=True)
#: The inner product with the direction, of the anchor and of another vertex.
own, other = Symbol("own", real=True), Symbol("other", real=True)
#: Mean square of these over vertices; a push is the softmax probability of one vertex.
Q, push = Symbol("Q", positive=True), Symbol("push", positive=True)
#: gamma |x - y|^gamma/tau at the simplex.
v = Symbol("v", positive=True)


#: Slope and curvature of the similarity at the simplex, in the inner product.
SLOPE, BEND = v / APART, -(gamma - 2) * v / APART**2


def over_others(e: Expr) -> Expr:
    """A sum over all other vertices, of a polynomial in ``other`` of degree two at most."""
    e = e.expand()
    flat, one, two = (e.coeff(other, k) for k in range(3))
    return flat * (n - 1) - one * own + two * (n * Q - own**2)


def spreading() -> Expr:
    """All vertices move towards one vector of their span, and are made unit again.

    The second derivative of an anchor's loss is the mean second derivative of its similarities,
    and their variance in slope.
    """
    c, length = -1 / (n - 1), (n - 1) * Q

    def norm(x: Expr) -> Expr:
        return sqrt(1 + t**2 * (length - x**2))

    both = length - own**2 - other**2 + c * own * other
    inner = (c + t * (1 - c) * (own + other) + t**2 * both) / (norm(own) * norm(other))
    rate = derivative(inner, t)
    first, second = (e.xreplace({t: S.Zero}) for e in (rate, derivative(rate, t)))
    rise = (SLOPE**2 + BEND) * first**2 + SLOPE * second
    total = push * over_others(rise) - (push * SLOPE * over_others(first)) ** 2
    # The mean over anchors.
    total = total.expand()
    return tidy(total.coeff(own, 0) + total.coeff(own, 2) * Q)


def state_spreading(proof: Derivation) -> None:
    """Towards one vector: positive up to the temperature of the face, if gamma is not large."""
    share, mass = Symbol("w", positive=True), Symbol("mass", positive=True)
    more = Symbol("above", nonnegative=True)
    of_shares = {gamma: 2 + 4 * (n - 1) * share, push: mass / (n - 1)}
    excess = v * (1 - push * (n - 2) / 2) - (gamma - 2) + 2 * (n - 2)
    proof.equal(
        "The second derivative of the mean loss where all instances of the simplex move towards "
        "one vector",
        {"second_derivative": (spreading(), Q * push * v * (n - 2) / 2 * excess)},
        SPREADING,
        region(
            {n: at_least(4), gamma: BEYOND_GAUSS, v: POSITIVE, Q: POSITIVE, push: POSITIVE},
        ),
    )
    proof.holds(
        "This second derivative is positive for tau <= tau_local if gamma <= 4 n - 2",
        gt(excess.xreplace({v: gamma - 2 + more}).xreplace(of_shares), 0),
        "this is the last factor of the second derivative: tau <= tau_local means "
        "v = gamma - 2 + above with above >= 0, gamma <= 4 n - 2 means gamma - 2 = 4 (n - 1) w "
        "with w <= 1, and mass, the softmax probability (n - 1) push of all negatives, is below 1",
        region({n: at_least(4), share: between(0, 1, "(]"), mass: between(0, 1, "()"), more: FREE}),
    )
