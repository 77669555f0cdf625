"""y-Aware: labels are compared by their squared distance, embeddings by their cosine.

The loss asks for cosines 1 - tau |y_i - y_j|^2: those of points on a sphere. So the labels must lie
on one, and it must fit into the unit sphere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, Le, Rational, S, Symbol, oo

from ...decide.domain import POSITIVE, Domain, Range, between
from ...decide.present import solve_linear, tidy
from ...losses.softmax import tau
from ...losses.weighted import S_COSINE, Similarity, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...proof.lemmas import RANK
from ...proof.relations import eq, ge, lt
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.sphere import Circumscribed
from ._asked import DIMENSION, Asked
from ._attainable import AT_LEAST_ONE, ATTAINED, at_temperature, temperatures
from ._euclidean import REAL, Spans, between_rows
from ._geometry import GIBBS, NOWHERE, RIGID, h2, largest, square_of_extra
from ._of_points import OfPoints, Rows, Weights, q, two_or_more

d = Symbol("d", nonnegative=True)
rho = Symbol("rho", positive=True)
MEANINGS = {
    tau: "temperature of the embeddings, which divides their cosine",
    d: "squared distance of two labels",
    rho: "radius of the sphere that the labels lie on, in their affine hull",
    **DIMENSION,
}
DOMAIN = Domain(
    {tau: POSITIVE, q: AT_LEAST_ONE, rho: POSITIVE, d: Range(S.Zero, 4 * rho**2, False, False)},
    {tau: Rational(1, 4), q: 3, rho: 1, d: 1},
)
gamma, x = (Symbol(s, real=True) for s in ("gamma", "x"))


def cosine_wanted() -> Expr:
    """The cosine of two embeddings: similarity minus log-weight as at two equal labels."""
    return tidy(solve_linear(x / tau + d - 1 / tau, x))


def build(proof: Derivation) -> dict[str, Quantity]:
    cosine = cosine_wanted()
    proof.holds(
        "The bound is attained iff similarities are log-weights up to a constant",
        [eq(x / tau, 1 / tau - d), eq(cosine.xreplace({d: S.Zero}), 1)],
        GIBBS,
        DOMAIN,
        names={x: cosine},
    )
    on_sphere = {d: 2 * rho**2 * (1 - gamma)}
    square = square_of_extra(cosine.xreplace(on_sphere), gamma)
    tau_max = largest(square)
    inside = DOMAIN.with_range(tau, between(0, tau_max, "(]"), Rational(1, 4))
    of_angles = inside.with_range(gamma, between(-1, 1), 0)
    proof.holds(
        "Seen from the centre, in units of the radius, and with one more coordinate h, the labels "
        "have these cosines",
        [eq((gamma + h2) / (1 + h2), cosine.xreplace(on_sphere)), ge(square, 0)],
        "gamma is the cosine of two labels from the centre; h is real for tau up to tau_max",
        of_angles,
        names={h2: square},
    )
    centre = cosine.xreplace({d: 2 * rho**2})
    proof.holds(
        "Beyond it the matrix of these cosines is not positive semidefinite",
        lt(centre, 0),
        "its quadratic form at the weights, adding up to one, that give the centre of the sphere: "
        "there the squared distances add up to 2 rho^2",
        DOMAIN.with_range(tau, between(tau_max, 2 * tau_max, "(]"), S.One),
    )
    c, rest = (Symbol(s, real=True) for s in ("c", "e"))
    proof.holds(
        "With another constant c the diagonal has e = 1 - c beyond the other entries",
        eq(1 - (c - tau * d).xreplace({d: S.Zero}), rest),
        RIGID,
        DOMAIN.with_range(c, REAL, 0),
        names={rest: 1 - c},
    )
    return {
        "cosine": Quantity(
            cosine,
            r"\cos(z_i, z_j)",
            "optimal cosine of two embeddings whose labels have the squared distance d, where the "
            "labels lie on a sphere of radius rho; where they lie on none, the bound is not "
            "attained in n - 2 dimensions or fewer",
            inside,
        ),
        "c_prime": Quantity(
            cosine.xreplace({d: S.Zero}), r"c^{\prime}", "constant of the bound", inside
        ),
        "tau_max": Quantity(tau_max, r"\tau_{\max}", "largest tau at which the bound is attained"),
        "attained": Quantity(
            Le(tau, tau_max, evaluate=False),
            ATTAINED,
            "whether the bound is attained in r + 1 dimensions, r being that of the affine hull "
            "of the labels (in r iff the two are equal), where they lie on a sphere",
        ),
    }


# --- for given labels ----------------------------------------------------------------------------
def of_labels(rows: Rows, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    D = between_rows(rows, S.One)
    r = D.dimension_with(S.Zero)
    assert r is not None
    radius = Circumscribed(D).radius
    proof.add("The labels span r dimensions", Spans(eq("r", Integer(r)), NOWHERE, D), RANK)
    tau_max = None if radius is None else oo if r == 0 else 1 / (2 * radius**2)
    found = {
        "spherical": Quantity(
            S.false if radius is None else S.true,
            r"\text{spherical}",
            "whether the labels lie on a sphere",
        ),
        "dimension": Quantity(Integer(r), "r", "dimension that the labels span"),
    }
    if radius is not None and tau_max is not None:
        found["radius"] = Quantity(radius, r"\rho", MEANINGS[rho])
        found["tau_max"] = Quantity(
            tau_max, r"\tau_{\max}", "largest tau at which it is, with c' = 1", extended=True
        )
    if tau not in fixed:
        return found | temperatures(D, fixed)
    asked = Asked(D.entries, r, tau_max, fixed[tau], D)
    weights = Weights([[-e for e in row] for row in D.entries])
    return found | at_temperature(asked, weights, fixed, proof)


def derive(
    data: Mapping[str, Any], fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    return of_labels(data["Y"], fixed, proof) if data else build(proof)


WEIGHT = ("w_ij = exp(-|y_i - y_j|^2)", r"w_{ij} = e^{-\|y_i - y_j\|^2}")
LOSS = WeightedInfoNCE(
    "y-Aware",
    Similarity((S_COSINE, WEIGHT), ("of points with q coordinates", "of labels y_i")),
    "q, a parameter",
)

RESULT = OfPoints(
    "y-aware",
    title="y-Aware: whether labels compared by distances can be met by cosines, and the best gap",
    source="vock2026unified, Theorem 3.11",
    parameters=(tau, q, d, rho),
    with_data=(tau, q),
    lists=(ListOf("Y", REAL, "labels, a row for each point", rows=True),),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    check=two_or_more("Y"),
    subject=LOSS,
)
