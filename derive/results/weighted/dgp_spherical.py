"""Weighted InfoNCE of cosines: when directions attain its bound (vock2026unified, 3.8).

The bound is attained iff c' - tau d_ij are the cosines of points in q dimensions, for some constant
c'. With c' = 1 - tau c that asks for points with the squared distances D + c, on a sphere that is
not too large for the temperature.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer, Max, Rational, S, Symbol

from ...decide.domain import POSITIVE, Domain
from ...losses.softmax import tau
from ...losses.weighted import WEIGHTED_COSINE
from ...proof.derivation import Derivation
from ...proof.relations import eq
from ...proof.statement import Lemma
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity, plural
from ...vectors.sphere import Circumscribed, Spherical
from .._for_data import NUMBERS, Data, ForData
from ._distances import (
    COSINE,
    DISSIMILARITIES,
    ENTRY,
    MEANINGS,
    Placed,
    enough_points,
    plane,
    points_needed,
    shift,
    signs_of_sphere,
    spectrum,
)
from ._weights import ATTAINED, q, quantities

PLANE = plane()
DOMAIN = Domain({**PLANE.ranges, tau: POSITIVE}, {**PLANE.witness, tau: Rational(1, 2)})
c, d = (Symbol(x, positive=True) for x in "cd")

SPHERE = Lemma(
    "spheres and cosines",
    statement=r"$1 - \tau (d_{ij} + c)$ are the cosines of points iff those with the squared "
    r"distances $d_{ij} + c$ lie on a sphere of radius $\rho \le 1/\sqrt{2 \tau}$. They have as "
    r"many dimensions as these points, and one more if $\rho < 1/\sqrt{2 \tau}$.",
    proof=r"Unit vectors have the squared distances $2 - 2\cos$. A coordinate more, the same for "
    r"all points, enlarges their sphere.",
)


def general(proof: Derivation) -> dict[str, Quantity]:
    """What holds for all dissimilarities."""
    shift(proof)
    unit = Domain({c: POSITIVE, d: POSITIVE, tau: POSITIVE}, {c: 1, d: 1, tau: 1})
    proof.equal(
        "With c' = 1 - tau c the cosines c' - tau d are 1 - tau (d + c); unit vectors "
        "with these cosines have the squared distances 2 tau (d + c)",
        {
            "cosine": ((1 - tau * c) - tau * d, 1 - tau * (d + c)),
            "squared_distance": (2 - 2 * ((1 - tau * c) - tau * d), 2 * tau * (d + c)),
        },
        SPHERE,
        unit,
    )
    points, nonnegative, edm = enough_points(proof, "c' = 1", "c' < 1", q + 1, "2q + 5")
    implies = "rank D <= q + 1 implies c' = 1"
    attained = "attained iff, for some c', the c' - tau d_ij are cosines in q dimensions"
    return points_needed(points, Max(q + 3, nonnegative), edm, implies, attained)


def for_matrix(data: Data, at: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """What holds for these dissimilarities."""
    found = general(proof)
    if not data:
        return found
    D: Dissimilarity = data["D"]
    found = spectrum(D, proof)
    radius = Circumscribed(D).radius
    if radius is not None:
        positive, negative, _ = signs_of_sphere(D, radius)
        proof.equal(
            f"The sphere through points with the squared distances D has the radius {radius}",
            {
                "positive_eigenvalues": (Integer(positive), D.dimension_with(S.Zero)),
                "negative_eigenvalues": (Integer(negative), 0),
            },
            SPHERE,
            NUMBERS,
        )
        found["radius"] = Quantity(
            radius, r"\rho", "radius of the sphere through points with the squared distances D"
        )
    if q not in at:
        return found
    verdict = Spherical(D, int(at[q]), at.get(tau))
    found |= temperatures(verdict)
    return found if verdict.tau is None else found | at_temperature(verdict, proof)


def temperatures(verdict: Spherical) -> dict[str, Quantity]:
    """For which temperatures it is attained."""
    every = verdict.temperatures
    found = {
        "tau_set": Quantity(
            every,
            r"\tau",
            "temperatures at which cosines in q dimensions attain the entropic bound",
            parameter=tau,
        )
    }
    if every is not S.EmptySet:
        found["tau_max"] = Quantity(
            every.sup,
            r"\tau_{\max}",
            "largest temperature at which cosines in q dimensions attain the entropic bound",
            extended=True,
        )
    return found


def at_temperature(verdict: Spherical, proof: Derivation) -> dict[str, Quantity]:
    """The verdict, and the points."""
    found = quantities(verdict=verdict.reason, dimension=verdict.dimension)
    if verdict.attained is None:
        return found
    found["attained"] = Quantity(
        verdict.attained, ATTAINED, "whether cosines in q dimensions attain the entropic bound"
    )
    every, cosines, points = verdict.constants, verdict.cosines, verdict.embedding
    if every is not None:
        found["c_prime_set"] = Quantity(
            every,
            "c'",
            "constants for which c' - tau d_ij are cosines of points in q dimensions",
            parameter=Symbol("c_prime"),
        )
    if verdict.c_prime is None or cosines is None or points is None:
        return found
    proof.add(
        f"The points have the cosines c' - tau d_ij, in {plural(verdict.q, 'dimension')}",
        Placed(
            eq(COSINE, verdict.c_prime - verdict.tau * ENTRY),
            NUMBERS,
            verdict.distances,
            points,
        ),
        "the coordinates were found by elimination, and their inner products are "
        "compared with these cosines",
    )
    return found | quantities(
        c_prime=verdict.c_prime, unique=verdict.unique, cosines=cosines, embedding=points
    )


RESULT = ForData(
    "dgp-spherical",
    title="When unit vectors attain the bound of weighted InfoNCE of cosines",
    source="vock2026unified, Corollary 3.5 and Theorem 3.8",
    with_data=(q, tau),
    lists=(DISSIMILARITIES,),
    domain=DOMAIN,
    meanings={**MEANINGS, tau: "temperature, which divides the cosine"},
    derive=for_matrix,
    check=lambda data: {"D": Dissimilarity(data["D"])},
    subject=WEIGHTED_COSINE,
)
