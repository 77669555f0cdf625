"""X-CLR: labels and embeddings are both compared by their cosine, at two temperatures.

The loss asks for the cosines of the labels, moved towards one by tau/tau_prime. Vectors with these
cosines exist as long as the sphere that the labels lie on is not blown up beyond a great one.
"""

from __future__ import annotations

from sympy import Le, Rational, S, Symbol, sqrt

from ...decide.domain import POSITIVE, Domain, at_least, between
from ...losses.softmax import tau
from ...losses.weighted import S_COSINE, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._geometry import (
    gamma,
    h2,
    largest,
    square_of_extra,
    state_cosine,
    state_sphere,
)
from ._weights import ATTAINED, DIMENSION, q

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
C_PRIME = "constant c' of the optimal cosines: the cosine where labels are orthogonal"
BEYOND = "for tau > tau_prime it depends on the labels"
DOMAIN = Domain(
    {
        tau_prime: POSITIVE,
        tau: POSITIVE,
        q: at_least(1),
        g: between(-1, 1),
        rho: between(0, 1, "(]"),
    },
    {tau_prime: 1, tau: Rational(1, 2), q: 3, g: 0, rho: 1},
)
#: Where the bound is attained whatever the labels are.
ALWAYS = DOMAIN.with_range(tau, between(0, tau_prime, "(]", BEYOND), Rational(1, 2))


def build(proof: Derivation) -> dict[str, Quantity]:
    cosine = state_cosine(g / tau_prime, g, S.One, DOMAIN, proof)
    c_prime = cosine.xreplace({g: S.Zero})
    wide = square_of_extra(cosine, g)
    always = largest(wide)
    proof.holds(
        "Labels of unit norm with one more coordinate h, normalised, have the optimal cosines",
        [eq((g + h2) / (1 + h2), cosine), ge(wide, 0)],
        "(g + h^2)/(1 + h^2) is their inner product divided by their norms, and h is "
        f"real for tau up to {always}",
        ALWAYS,
        names={h2: wide},
    )
    # The affine hull of the labels has the distance sqrt(1 - rho^2) from the origin.
    on_sphere = state_sphere(
        cosine,
        g,
        S.One,
        c_prime,
        1 - rho**2 + rho**2 * gamma,
        DOMAIN,
        proof,
        "Labels on a sphere of radius rho, seen from its centre and with one more "
        "coordinate h, have the optimal cosines for tau <= tau_max",
        "the optimal cosine is affine in that of the labels, and the squared norm of "
        "the centre is 1 - rho^2",
    )
    tau_max = on_sphere.ranges[tau].high
    return {
        "cosine": Quantity(
            cosine,
            r"\cos(z_i, z_j)",
            "optimal cosine of two embeddings whose labels have the cosine g",
            ALWAYS,
        ),
        "c_prime": Quantity(c_prime, r"c^{\prime}", C_PRIME, ALWAYS),
        "extra_coordinate": Quantity(
            sqrt(wide),
            "h",
            "coordinate that gives the optimum when appended to labels of unit norm, normalised",
            ALWAYS,
        ),
        "tau_max": Quantity(
            tau_max,
            r"\tau_{\max}",
            "largest tau at which the bound is attained, by labels on a sphere of radius rho; "
            "at least tau_prime, since rho <= 1",
        ),
        "attained": Quantity(
            Le(tau, tau_max, evaluate=False),
            ATTAINED,
            "whether the bound is attained in r + 1 dimensions, r being that of the affine hull of "
            "the labels of unit norm (in r iff the two are equal)",
        ),
    }


WEIGHT = r"$w_{ij} = e^{\cos(y_i, y_j)/\tau^{\prime}}$ with labels y_i"

RESULT = Result(
    "x-clr",
    title="X-CLR: the optimum when labels and embeddings are compared by cosines",
    source="vock2026unified, Theorem 3.12",
    parameters=(tau, tau_prime, q, g, rho),
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=WeightedInfoNCE((S_COSINE, WEIGHT)),
)
