"""The band of the squared InfoNCE gradient, by the spectrum orthogonal to the positive.

Let w_j = z_j - <z_j, z+> z+ be the part of a negative orthogonal to the positive. The gradient has
the length (1 - rho)/tau along the positive, exactly, and epsilon |sum q_j w_j|/tau orthogonal to
it, so that only the spectrum of the w_j is left to bound. Where all negatives are multiples of the
positive, sigma is 1 and the w_j are zero: the bounds below are then equal to the squared gradient,
and those by sigma exceed it by any factor.
"""

from sympy import Expr, Min, S, Symbol, factor

from ...decide.domain import between, region
from ...decide.present import tidy
from ...losses.setting import INFONCE
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import ge
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.combination import inner, plus
from ._bounded import bounds, configuration
from ._identity import GRAM, MEAN, MEAN_ALIGNMENT, ONE, gradient_at, mean_alignment, state_identity
from ._lemmas import RAYLEIGH
from ._readings import (
    MEANINGS,
    N,
    domain_of,
    epsilon,
    in_own_ranges,
    mu,
    n,
    participation,
    rho,
    sigma_positive,
)
from ._spectrum import COSH, state_weights

PARAMETERS = (n, tau, epsilon, rho, sigma_positive, participation)
DOMAIN = domain_of(*PARAMETERS)

CASES = {
    # The negatives are the positive and its opposite, in a plane with the anchor.
    "PARALLEL": configuration(
        "1", anchor="1 0", positive="3/5 4/5", negatives="3/5 4/5; -3/5 -4/5; -3/5 -4/5"
    )
}
BOUNDS = r"""
upper_projected | squared_gradient <= U_\perp | PARALLEL
    upper bound of the squared gradient by the spectrum orthogonal to the positive and
    the participation of the weights; never weaker than the bound by alignment
    iff the weights q are an eigenvector of the Gram matrix of the components orthogonal to the
    positive for its largest eigenvalue, or all negatives coincide
upper_projected_spectrum | squared_gradient <= U_{\perp\tau} | PARALLEL
    upper bound of the squared gradient by the spectrum orthogonal to the positive alone
    where all negatives are multiples of the positive, or coincide
"""


def _projection(proof: Derivation) -> None:
    """What is orthogonal to the positive, and what that says of the gradient."""
    across = plus((1, MEAN), (-mean_alignment, ONE))
    g, a, b = (Symbol(s, real=True) for s in ("g", "a", "b"))
    pair = {("u", "v"): g, ("u", "z+"): a, ("v", "z+"): b, ("z+", "z+"): S.One}
    u, v = (plus((1, {x: S.One}), (-c, ONE)) for x, c in (("u", a), ("v", b)))
    cosines = dict.fromkeys((mean_alignment, g, a, b), between(-1, 1))
    proof.equal(
        "The components w_j of the negatives orthogonal to the positive, their softmax mean and "
        "their Gram matrix",
        {
            "along": (inner(across, ONE, GRAM), 0),
            "its_square": (inner(across, across, GRAM), mu**2 - mean_alignment**2),
            "of_two": (inner(u, v, pair), g - a * b),
        },
        "the projection x - <x, z+> z+ is linear in x, so that of m is the mean of the w_j under "
        "q, and the Gram matrix of the w_j is that of the negatives minus the products of their "
        "<z_j, z+>",
        region({mu: between(0, 1), **cosines}),
    )
    left = Symbol("left", nonnegative=True)
    proof.equal(
        "The squared components of the gradient along the positive and orthogonal to it",
        {
            "squared_gradient": (
                gradient_at(MEAN_ALIGNMENT**2 + left),
                ((1 - rho) ** 2 + epsilon**2 * left) / tau**2,
            ),
            "by_alignment": (gradient_at(S.One), 2 * epsilon * (1 - rho) / tau**2),
        },
        "in the identity mu^2 = <m, z+>^2 + left, where left = |sum q_j w_j|^2 is at most 1 - <m, "
        "z+>^2; with equality the squared gradient is the bound by alignment",
        domain_of(tau, epsilon, rho).with_range(left, between(0, 1), S.Half),
    )
    k, rest, most = (Symbol(s, nonnegative=True) for s in ("k", "rest", "largest"))
    form = most * (participation - rest) + k * rest
    proof.equal(
        "|sum q_j w_j|^2 is at most N sigma_positive times the participation",
        {"left_over": (most * participation - form, rest * (most - k))},
        RAYLEIGH,
        domain_of(n, participation)
        .with_range(rest, between(0, participation), S.Zero)
        .with_range(most, between(0, N), S.One)
        .with_range(k, between(0, most), S.Zero),
        also=[ge("left_over", 0)],
    )


def build(proof: Derivation) -> dict[str, Quantity]:
    state_identity(proof)
    _projection(proof)
    state_weights(proof)
    along = tidy(gradient_at(MEAN_ALIGNMENT**2))
    room = factor(1 - MEAN_ALIGNMENT**2)

    def by(most: Expr) -> Expr:
        """The bound by the largest eigenvalue and the weights."""
        return along + epsilon**2 * Min(room, sigma_positive * most) / tau**2

    values = {"upper_projected": by(N * participation), "upper_projected_spectrum": by(COSH**2)}
    return in_own_ranges(bounds(About.ANCHOR, BOUNDS, values, CASES), DOMAIN)


RESULT = Result(
    "projected-spectrum",
    title="The InfoNCE gradient by the spectrum orthogonal to the positive",
    source="beyond the paper; in place of ochieng2025diversity, Theorem 1.1",
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    subject=INFONCE,
)
