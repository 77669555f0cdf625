"""X-CLR: labels and embeddings are both compared by their cosine, at two temperatures.

The loss asks for the cosines of the labels, moved towards one by tau/tau_prime. Vectors with these
cosines exist as long as the sphere that the labels lie on is not blown up beyond a great one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, Le, Rational, S, Symbol, oo, sqrt

from ...decide.domain import POSITIVE, Domain, Range, between
from ...decide.present import solve_linear, tidy
from ...losses.softmax import tau
from ...losses.weighted import S_COSINE, Similarity, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, lt
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ._asked import DIMENSION, Asked
from ._attainable import AT_LEAST_ONE, at_temperature
from ._euclidean import REAL
from ._geometry import (
    GIBBS,
    NOWHERE,
    RHO,
    RIGID,
    Directions,
    OnSphere,
    h2,
    largest,
    square_of_extra,
)
from ._of_points import MOST_ROWS, OfPoints, Weights, q, two_or_more

tau_prime = Symbol("tau_prime", positive=True)
g = Symbol("g", real=True)
rho = Symbol("rho", positive=True)
MEANINGS = {
    tau: "temperature of the embeddings, which divides their cosine",
    tau_prime: "temperature of the labels, which divides their cosine",
    g: "cosine of two labels",
    rho: "radius of the sphere through all labels of unit norm, in their affine hull",
    **DIMENSION,
}
C_PRIME = "constant of the bound: the cosine where labels are orthogonal"
BEYOND = "beyond tau_prime it depends on the labels"
DOMAIN = Domain(
    {
        tau_prime: POSITIVE,
        tau: POSITIVE,
        q: AT_LEAST_ONE,
        g: between(-1, 1),
        rho: between(0, 1, "(]"),
    },
    {tau_prime: 1, tau: Rational(1, 2), q: 3, g: 0, rho: 1},
)
#: Where the bound is attained whatever the labels are.
ALWAYS = DOMAIN.with_range(tau, between(0, tau_prime, "(]", BEYOND), Rational(1, 2))

x, gamma = (Symbol(s, real=True) for s in ("x", "gamma"))


def cosine_wanted() -> Expr:
    """The cosine of two embeddings: similarity minus log-weight as at two equal labels."""
    return tidy(solve_linear(x / tau - g / tau_prime - (1 / tau - 1 / tau_prime), x))


def build(proof: Derivation) -> dict[str, Quantity]:
    cosine = cosine_wanted()
    c_prime = cosine.xreplace({g: S.Zero})
    proof.holds(
        "The bound is attained iff similarities are log-weights up to a constant",
        [eq(x / tau, g / tau_prime + c_prime / tau), eq(cosine.xreplace({g: S.One}), 1)],
        GIBBS,
        DOMAIN,
        names={x: cosine},
    )
    # Between the affine hull of the labels and the origin there is sqrt(1 - rho^2).
    smaller = {g: 1 - rho**2 + rho**2 * gamma}
    wide, small = (
        square_of_extra(cosine, g),
        square_of_extra(cosine.xreplace(smaller), gamma),
    )
    always, tau_max = largest(wide), largest(small)
    proof.holds(
        "Labels of unit norm with one more coordinate h, normalised, have these cosines",
        [eq((g + h2) / (1 + h2), cosine), ge(wide, 0)],
        f"inner products over norms; h is real for tau up to {always}",
        ALWAYS,
        names={h2: wide},
    )
    on_sphere = DOMAIN.with_range(gamma, between(-1, 1), 0)
    proof.holds(
        "So do the labels as seen from the centre of their own sphere, and further",
        [eq((gamma + h2) / (1 + h2), cosine.xreplace(smaller)), ge(small, 0)],
        "gamma is their cosine from there; h is real for tau up to tau_max",
        on_sphere.with_range(tau, between(0, tau_max, "(]"), Rational(1, 2)),
        names={h2: small},
    )
    centre = cosine.xreplace({g: 1 - rho**2})
    proof.holds(
        "Beyond it the matrix of these cosines is not positive semidefinite",
        lt(centre, 0),
        "its quadratic form at the weights, adding up to one, that give the centre of the sphere: "
        "the cosine is affine in that of the labels, whose squared norm is what is left of one",
        DOMAIN.with_range(tau, between(tau_max, 2 * tau_max, "(]"), S(2)),
    )
    c, d = (Symbol(s, real=True) for s in "cd")
    proof.holds(
        "With another constant c the diagonal has d = c_prime - c beyond the other entries",
        eq(1 - (tau / tau_prime + c), d),
        RIGID,
        DOMAIN.with_range(c, Range(-oo, oo), 0),
        names={d: c_prime - c},
    )
    condition = Le(tau, tau_max, evaluate=False)
    return {
        "cosine": Quantity(
            cosine,
            r"\cos(z_i, z_j)",
            "optimal cosine of two embeddings whose labels have the cosine g",
            ALWAYS,
        ),
        "c_prime": Quantity(
            c_prime,
            "c^{\\prime}",
            C_PRIME,
            ALWAYS,
        ),
        "extra_coordinate": Quantity(
            sqrt(wide),
            "h",
            "appended to every label of unit norm, before normalisation, it gives the optimum",
            ALWAYS,
        ),
        "tau_max": Quantity(
            tau_max,
            r"\tau_{\max}",
            "largest tau at which the bound is attained, by labels on a sphere of radius rho; "
            "at least tau_prime, since rho <= 1",
        ),
        "attained": Quantity(
            condition,
            r"\text{attained}",
            "whether the bound is attained in r + 1 dimensions, r being that of the affine hull of "
            "the labels of unit norm (in r iff the two are equal)",
        ),
    }


# --- for given labels ----------------------------------------------------------------------------
def of_labels(
    labels: Directions, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    n, r, square = labels.size, labels.dimension, labels.square_of_radius
    proof.add(
        f"The {n} labels of unit norm, whose affine hull has {r} dimensions, lie on a sphere in it",
        OnSphere(eq(RHO**2, square), NOWHERE, labels),
        "a point of the affine hull has the same inner product with all of them; cosines are "
        "fractions times roots that are independent over the fractions",
    )
    heat = fixed.get(tau_prime, tau_prime)
    tau_max = heat / square if r else oo
    found = {
        "dimension": Quantity(
            Integer(r), "r", "dimension of the affine hull of the labels of unit norm"
        ),
        "rho": Quantity(sqrt(square), r"\rho", MEANINGS[rho]),
        "tau_max": Quantity(
            tau_max,
            r"\tau_{\max}",
            "largest tau at which the bound is attained with c' = 1 - tau/tau_prime: in r + 1 "
            "dimensions below it, in r at it",
            extended=True,
        ),
    }
    if tau_prime in fixed and tau in fixed:
        rows = [[(1 - e) / heat for e in row] for row in labels.cosines]
        asked = Asked(rows, r, tau_max, fixed[tau])
        weights = Weights([[e / heat for e in row] for row in labels.cosines])
        there = at_temperature(asked, weights, fixed, proof)
        if "c_prime" in there:  # of the distances; the cosine of a label with itself is one
            shift = there["c_prime"].expression - fixed[tau] / heat
            there["c_prime"] = replace(there["c_prime"], expression=shift, meaning=C_PRIME)
        return found | there
    if n <= MOST_ROWS:
        cosine = cosine_wanted().xreplace(dict(fixed))
        rows = [[cosine.xreplace({g: e}) for e in row] for row in labels.cosines]
        up_to = DOMAIN.restricted((tau_prime, tau))
        if r:
            up_to = up_to.with_range(tau, between(0, tau_max, "(]"), up_to.witness[tau])
        found["cosines"] = Quantity(
            rows,
            r"\cos(z_i, z_j)",
            "optimal cosines of all pairs",
            up_to if heat.is_Symbol else None,
        )
    return found


def derive(
    data: Mapping[str, Any], fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    return of_labels(Directions(data["Y"]), fixed, proof) if data else build(proof)


def check(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Refuse labels that have no cosines."""
    two_or_more("Y")(data)
    Directions(data["Y"])
    return data


WEIGHT = (
    "w_ij = exp(cos(y_i, y_j)/tau_prime)",
    r"w_{ij} = e^{\cos(y_i, y_j)/\tau^{\prime}}",
)
LOSS = WeightedInfoNCE(
    "X-CLR",
    Similarity((S_COSINE, WEIGHT), ("of points with q coordinates", "of labels y_i")),
    "q, a parameter",
)

RESULT = OfPoints(
    "x-clr",
    title="X-CLR: the optimum when labels and embeddings are compared by cosines",
    source="vock2026unified, Theorem 3.12",
    parameters=(tau, tau_prime, q, g, rho),
    with_data=(tau, tau_prime, q),
    lists=(ListOf("Y", REAL, "labels, a row for each point", rows=True),),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    subject=LOSS,
    check=check,
)
