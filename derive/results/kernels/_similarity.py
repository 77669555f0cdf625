"""The exponential similarity by the logarithm of the distance, in which all is exponential.

With |x - y| = exp(l) the squared distance is exp(2 l) = 2 - 2 c, so dc = -exp(2 l) dl: derivatives
in the inner product c are -exp(-2 l) times those in l.
"""

from __future__ import annotations

from sympy import Expr, Rational, S, Symbol, exp

from ...decide.calculus import derivative
from ...decide.domain import LINE, POSITIVE, Domain, Range, between
from ...decide.present import tidy
from ...losses.kernel import gamma
from ...losses.setting import Setting
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, lt
from ...structures.hierarchy import n

#: The logarithm of a distance.
l = Symbol("l", real=True)  # noqa: E741
#: The exponents at which the kernel is positive definite, those below the Gaussian, those beyond.
UP_TO_GAUSS = between(0, 2, "(]")
BELOW_GAUSS = between(0, 2, "()")
BEYOND_GAUSS = Range(S(2))
AT = {gamma: 1, tau: Rational(1, 2), l: -1}

#: psi, and what stands under the power.
SIMILARITY = -exp(gamma * l) / tau
SQUARE = exp(2 * l)
#: The squared distance of two vertices of the simplex of n points.
APART = 2 * n / (n - 1)


def by_inner(e: Expr) -> Expr:
    """The derivative in the inner product of a function of l."""
    return tidy(-exp(-2 * l) * derivative(e, l))


SLOPE = by_inner(SIMILARITY)
CURVATURE = by_inner(SLOPE)


def exponents(which: Range, witness: object) -> Domain:
    """The domain of exponent, temperature and distance."""
    return Domain({gamma: which, tau: POSITIVE, l: LINE}, {**AT, gamma: witness})


def to_square(e: Expr, square: Expr) -> Expr:
    """A function of l by the squared distance: (2 - 2 c)^(gamma/2) in the place of exp(gamma l)."""
    powers = {a: square ** tidy(a.args[0] / l / 2) for a in e.atoms(exp) if a.has(l)}
    return e.xreplace(powers)


def kernel_setting(*notes: str, kernel: str, dimension: str) -> Setting:
    """Kernel-InfoNCE with a kernel of two embeddings, and what there is."""
    ratio = r"\log\frac{K(u, v)}{\sum_w K(u, w)}"
    means = r"\operatorname{mean}_u \operatorname{mean}_v"
    return Setting(notes, rf"-{means} {ratio}, \quad K(u, v) = {kernel}", dimension)


def state_slopes(proof: Derivation) -> None:
    """Slope and curvature of the similarity in the inner product, with their signs."""
    proof.equal(
        "The similarity psi = -|x - y|^gamma/tau has these derivatives in the inner product c",
        {
            "dc_dl": (derivative(1 - SQUARE / 2, l), -exp(2 * l)),
            "slope": (SLOPE, gamma * exp((gamma - 2) * l) / tau),
            "curvature": (CURVATURE, gamma * (2 - gamma) * exp((gamma - 4) * l) / tau),
        },
        "with l = log |x - y| the squared distance 2 - 2 c is exp(2 l) and psi is "
        "-exp(gamma l)/tau; the derivative in c is the derivative in l divided by dc/dl",
        exponents(POSITIVE, 1),
    )
    proof.holds(
        "For gamma <= 2 the similarity increases with the inner product and is convex in it",
        [gt(SLOPE, 0), ge(CURVATURE, 0)],
        "every factor of the two derivatives is positive, but for 2 - gamma >= 0",
        exponents(UP_TO_GAUSS, 1),
    )
    proof.holds(
        "For gamma > 2 the similarity increases with the inner product and is concave in it",
        [gt(SLOPE, 0), lt(CURVATURE, 0)],
        "the factor 2 - gamma of the second derivative is negative",
        exponents(BEYOND_GAUSS, 3),
    )
