"""y-Aware: labels are compared by their squared distance, embeddings by their cosine.

The loss asks for cosines 1 - tau |y_i - y_j|^2: those of points on a sphere. So the labels must lie
on one, and it must fit into the unit sphere.
"""

from __future__ import annotations

from sympy import Le, Rational, S, Symbol

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...losses.softmax import tau
from ...losses.weighted import OF_LABELS, S_COSINE, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._geometry import gamma, state_cosine, state_sphere
from ._weights import ATTAINED, DIMENSION, q

d = Symbol("d", nonnegative=True)
rho = Symbol("rho", positive=True)
MEANINGS = {
    tau: "temperature of the embeddings, which divides their cosine",
    d: "squared distance of two labels",
    rho: "radius of the sphere that the labels lie on, in their affine hull",
    **DIMENSION,
}
DOMAIN = Domain(
    {tau: POSITIVE, q: at_least(1), rho: POSITIVE, d: Range(S.Zero, 4 * rho**2, False, False)},
    {tau: Rational(1, 4), q: 3, rho: 1, d: 1},
)


def build(proof: Derivation) -> dict[str, Quantity]:
    cosine = state_cosine(-d, d, S.Zero, DOMAIN, proof)
    inside = state_sphere(
        cosine,
        d,
        S.Zero,
        S.One,
        2 * rho**2 * (1 - gamma),
        DOMAIN,
        proof,
        "Labels on a sphere of radius rho, seen from its centre in units of rho and "
        "with one more coordinate h, have the optimal cosines for tau <= tau_max",
        "with these weights the mean squared distance of two labels is 2 rho^2",
    )
    tau_max = inside.ranges[tau].high
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
            cosine.xreplace({d: S.Zero}),
            r"c^{\prime}",
            "constant c' of the optimal cosines c' - tau d",
            inside,
        ),
        "tau_max": Quantity(tau_max, r"\tau_{\max}", "largest tau at which the bound is attained"),
        "attained": Quantity(
            Le(tau, tau_max, evaluate=False),
            ATTAINED,
            "whether the bound is attained in r + 1 dimensions, r being that of the affine hull "
            "of the labels (in r iff the two are equal), where they lie on a sphere",
        ),
    }


RESULT = Result(
    "y-aware",
    title="y-Aware: when cosines attain the bound set by label distances",
    source="vock2026unified, Theorem 3.11",
    parameters=(tau, q, d, rho),
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=WeightedInfoNCE((S_COSINE, OF_LABELS)),
)
