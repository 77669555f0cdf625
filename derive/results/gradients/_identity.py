"""The gradient of InfoNCE at one anchor, by the softmax mean of its negatives.

With m = sum_j q_j z_j the softmax mean of all is M = (1 - epsilon) z+ + epsilon m, so that
M - z+ = epsilon (m - z+). What follows from inner products of m and z+ holds for any number of
negatives and of coordinates, since the negatives enter by m only.
"""

from __future__ import annotations

from sympy import Expr, Matrix, Piecewise, S, Symbol

from ...decide.domain import Domain, between, region
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge
from ...vectors.combination import Combination, Gram, inner, plus
from ._readings import alignment, domain_of, epsilon, mu, rho, similarity

#: <m, z+> by a name, and by rho = <M, z+>.
mean_alignment = Symbol("mean_alignment", real=True)
MEAN_ALIGNMENT: Expr = (epsilon + rho - 1) / epsilon

ONE: Combination = {"z+": S.One}
MEAN: Combination = {"m": S.One}
ANCHOR: Combination = {"z": S.One}
#: The softmax mean of all, and the gradient times tau.
ALL = plus((1 - epsilon, ONE), (epsilon, MEAN))
DELTA = plus((1, ALL), (-1, ONE))
#: Inner products, with <m, z+> by its name, and by rho.
GRAM: Gram = {
    ("z+", "z+"): S.One,
    ("z", "z"): S.One,
    ("m", "m"): mu**2,
    ("m", "z+"): mean_alignment,
    ("z", "m"): similarity,
    ("z", "z+"): alignment,
}
BY_RHO: Gram = {**GRAM, ("m", "z+"): MEAN_ALIGNMENT}
#: |M - z+|^2/tau^2 by bilinearity, and in the order of mu.
EXPANDED: Expr = inner(DELTA, DELTA, BY_RHO) / tau**2
SQUARED_GRADIENT: Expr = 2 * epsilon * (1 - rho) / tau**2 - epsilon**2 * (1 - mu**2) / tau**2
#: <gradient, z>.
ALONG_ANCHOR: Expr = inner(DELTA, ANCHOR, BY_RHO) / tau
#: The squared component of m orthogonal to z+ in the plane of z and z+.
beside = (similarity - mean_alignment * alignment) ** 2 / (1 - alignment**2)
IN_PLANE = Piecewise(
    (beside.xreplace({mean_alignment: MEAN_ALIGNMENT}), alignment**2 < 1), (S.Zero, True)
)
WHERE = domain_of(tau, epsilon, rho).with_range(mu, between(0, 1), S.Half)


def gradient_at(square: Expr) -> Expr:
    """The squared gradient for a value of mu^2."""
    return SQUARED_GRADIENT.xreplace({mu**2: square})


def state_identity(proof: Derivation) -> None:
    """The squared gradient by four numbers, and how long m can be."""
    positive, negative, negatives = (Symbol(s, positive=True) for s in ("P", "e", "S"))
    exponentials = Domain({}, {}).with_positive((positive, negative, negatives))
    proof.holds(
        "The softmax probability of a negative is epsilon q",
        eq("p", Symbol("epsilon") * Symbol("q")),
        "p = e/(P + S), q = e/S and epsilon = S/(P + S), where P is the exponential of the "
        "positive, e that of one negative and S the sum over all negatives; so M = (1 - epsilon) "
        "z+ + epsilon m with m = sum q_j z_j",
        exponentials,
        names={
            Symbol("p"): negative / (positive + negatives),
            Symbol("epsilon"): negatives / (positive + negatives),
            Symbol("q"): negative / negatives,
        },
    )
    proof.equal(
        "The inner product of the softmax mean m of the negatives with the positive",
        {"rho_of_M": (inner(ALL, ONE, BY_RHO), rho)},
        "rho = <M, z+> = 1 - epsilon + epsilon <m, z+> is solved for <m, z+>, whatever the "
        "dimension",
        WHERE,
    )
    proof.equal(
        "The squared gradient as a function of epsilon, rho and mu",
        {"squared_gradient": (EXPANDED, SQUARED_GRADIENT)},
        "the gradient is (M - z+)/tau with M - z+ = epsilon (m - z+), and |m - z+|^2 = mu^2 - 2 "
        "<m, z+> + 1; the negatives enter only through m",
        WHERE,
    )
    _state_ends(proof)


def state_plane(proof: Derivation) -> None:
    """What m is in the plane of the anchor and the positive."""
    plane = Matrix(
        [
            [S.One, alignment, similarity],
            [alignment, S.One, mean_alignment],
            [similarity, mean_alignment, mu**2],
        ]
    )
    proof.equal(
        "The squared length of the projection of m on the plane of the anchor and the positive",
        {"determinant": (plane.det(), (1 - alignment**2) * (mu**2 - mean_alignment**2 - beside))},
        "the Gram determinant of z, z+ and m is at least 0, and zero iff m lies in the plane of z "
        "and z+; so mu^2 is at least <m, z+>^2 plus the square of the component of m in this "
        "plane orthogonal to z+",
        domain_of(alignment, similarity)
        .with_range(alignment, between(-1, 1, "()"), S.Half)
        .with_range(mean_alignment, between(-1, 1), S.Zero)
        .with_range(mu, between(0, 1), S.Half),
    )


def _state_ends(proof: Derivation) -> None:
    """The triangle inequality and that of Cauchy and Schwarz, and what they say of the gradient."""
    g = Symbol("g", real=True)
    proof.equal(
        "The softmax mean m has length at most 1",
        {"half_square": ((1 - 2 * g + 1) / 2, 1 - g)},
        "half of |z_j - z_k|^2 is 1 - <z_j, z_k>, and its sum over all j and k with weights q_j "
        "q_k is 1 - mu^2: at least 0, and zero iff all negatives coincide",
        region({g: between(-1, 1)}),
        also=[ge("half_square", 0)],
    )
    proof.equal(
        "The softmax mean m is at least as long as its projection on the positive",
        {
            "beside": (
                Matrix([[S.One, mean_alignment], [mean_alignment, mu**2]]).det(),
                mu**2 - mean_alignment**2,
            ),
            "of_gradient": (
                tau**2 * SQUARED_GRADIENT,
                (1 - rho) ** 2 + epsilon**2 * (mu**2 - MEAN_ALIGNMENT**2),
            ),
        },
        "beside is the squared component of m orthogonal to z+; the gradient has the squared "
        "components (1 - rho)^2/tau^2 along z+ and epsilon^2 beside/tau^2 orthogonal to it",
        WHERE.with_range(mean_alignment, between(-1, 1), S.Zero),
    )
