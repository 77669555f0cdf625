"""X-CLR: labels and embeddings are both compared by their cosine, at two temperatures.

The loss asks for the cosines of the labels, moved towards one by tau/tau_prime. Vectors with these
cosines exist as long as the sphere that the labels lie on is not blown up beyond a great one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Integer, Le, Rational, S, Symbol, oo, sqrt

from ...decide.domain import POSITIVE, Domain, at_least, between
from ...decide.present import solve_linear, tidy
from ...losses.softmax import tau
from ...losses.weighted import S_COSINE, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity
from .._for_data import NUMBERS, Data, ForData
from ._gap import at_temperature
from ._geometry import (
    GIBBS,
    Directions,
    gamma,
    h2,
    largest,
    square_of_extra,
    state_sphere,
)
from ._targets import TargetCosines
from ._weights import ATTAINED, DIMENSION, MOST_ROWS, REAL, Weights, q, two_or_more

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

x = Symbol("x", real=True)


def cosine_wanted() -> Expr:
    """The cosine of two embeddings: similarity minus log-weight as at two equal labels."""
    return tidy(solve_linear(x / tau - g / tau_prime - (1 / tau - 1 / tau_prime), x))


def build(proof: Derivation) -> dict[str, Quantity]:
    cosine = cosine_wanted()
    c_prime = cosine.xreplace({g: S.Zero})
    proof.holds(
        "The entropic bound is attained iff the similarities are the log-weights plus one constant",
        [eq(x / tau, g / tau_prime + c_prime / tau), eq(cosine.xreplace({g: S.One}), 1)],
        GIBBS,
        DOMAIN,
        names={x: cosine},
    )
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


# --- for given labels ----------------------------------------------------------------------------
def of_labels(
    labels: Directions, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    n, r, square = labels.size, labels.dimension, labels.square_of_radius
    normal = labels.square_of_normal
    # None: the origin is in the affine hull. Over its square the normal is in it.
    off, rho_squared = (0, S.One) if normal is None else (labels.off_plane(), 1 - 1 / normal)
    proof.equal(
        f"The {n} labels of unit norm lie on a sphere in their affine hull, which has "
        f"dimension {r}",
        {"labels_off": (Integer(off), 0), "rho_squared": (rho_squared if r else S.Zero, square)},
        "the point of the affine hull nearest to the origin has the same inner "
        "product with all of them",
        NUMBERS,
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
        D = Dissimilarity([[(1 - e) / heat for e in row] for row in labels.cosines])
        targets = TargetCosines(D, r, tau_max, fixed[tau])
        weights = Weights([[e / heat for e in row] for row in labels.cosines])
        best = at_temperature(targets, weights, fixed, proof)
        if "c_prime" in best:  # of the distances; the cosine of a label with itself is one
            shift = best["c_prime"].expression - fixed[tau] / heat
            best["c_prime"] = replace(best["c_prime"], expression=shift, meaning=C_PRIME)
        return found | best
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


def derive(data: Data, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    return of_labels(Directions(data["Y"]), fixed, proof) if data else build(proof)


def check(data: Data) -> Data:
    """Refuse labels that have no cosines."""
    two_or_more(data)
    Directions(data["Y"])
    return data


WEIGHT = (
    ("w_ij = exp(cos(y_i, y_j)/tau_prime)", r"w_{ij} = e^{\cos(y_i, y_j)/\tau^{\prime}}"),
    "with labels y_i",
)

RESULT = ForData(
    "x-clr",
    title="X-CLR: the optimum when labels and embeddings are compared by cosines",
    source="vock2026unified, Theorem 3.12",
    parameters=(tau, tau_prime, q, g, rho),
    with_data=(tau, tau_prime, q),
    lists=(ListOf("Y", REAL, "labels, a row for each point", rows=True),),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    subject=WeightedInfoNCE((S_COSINE, WEIGHT)),
    check=check,
)
