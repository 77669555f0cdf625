"""The squared gradient of InfoNCE at one anchor, exactly, by four numbers.

Of all that the negatives are, only the length mu of their softmax mean enters beside epsilon and
rho.
"""

from dataclasses import replace

from sympy import Abs, Expr, Max, Min, Rational, sqrt

from ...decide.domain import between
from ...losses.setting import INFONCE
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._identity import ALONG_ANCHOR, MEAN_ALIGNMENT, SQUARED_GRADIENT, state_identity
from ._readings import (
    MEANINGS,
    ROUNDING,
    SMALL,
    alignment,
    domain_of,
    epsilon,
    in_own_ranges,
    mu,
    rho,
    similarity,
)

#: |m - z+|, by the identity.
APART = sqrt(2 * epsilon * (1 - rho) - epsilon**2 * (1 - mu**2)) / epsilon
#: What the rounding of rho next to 1 does to <m, z+>, by which rho is divided by epsilon; at most
#: what leaves half of the digits. And what that does to |m - z+|, of which it is the square.
OF_ALIGNMENT = Min(ROUNDING / epsilon, Rational(1, 10**8))
OF_APART = sqrt(APART**2 + OF_ALIGNMENT) - APART
DOMAIN = (
    domain_of(tau, epsilon, rho, similarity, alignment)
    .with_range(
        mu,
        replace(
            between(Abs(epsilon + rho - 1) / epsilon, 1),
            why="mu is at least |<m, z+>| and at most 1",
            rounding=OF_ALIGNMENT,
        ),
        1 - SMALL,
    )
    .with_range(
        similarity,
        replace(
            between(Max(-mu, alignment - APART), Min(mu, alignment + APART)),
            why="|<z, m>| is at most |m|, and <z, m> differs from <z, z+> by at most |m - z+|",
            rounding=OF_ALIGNMENT + OF_APART,
        ),
        Rational(1, 2),
    )
)
PARAMETERS = (tau, epsilon, rho, mu, similarity, alignment)


def build(proof: Derivation) -> dict[str, Quantity]:
    state_identity(proof)
    tangential: Expr = SQUARED_GRADIENT - ALONG_ANCHOR**2
    found = {
        "squared_gradient": Quantity(
            SQUARED_GRADIENT,
            r"\|\nabla_z \mathcal{L}\|^2",
            "squared norm of the gradient of InfoNCE with respect to the anchor, taken as a free "
            "vector",
        ),
        "mean_alignment": Quantity(
            MEAN_ALIGNMENT,
            r"\langle m, z^+\rangle",
            "inner product of the positive with the softmax mean of the negatives",
        ),
        "squared_tangential": Quantity(
            tangential,
            r"\|(I - z z^\top) \nabla_z \mathcal{L}\|^2",
            "squared norm of the component of the gradient tangent to the sphere, the only one "
            "that reaches an encoder that normalises",
        ),
    }
    return in_own_ranges(found, DOMAIN)


RESULT = Result(
    "gradient-identity",
    title="The squared gradient of InfoNCE at an anchor, exactly",
    source="beyond the paper; the gradient is that of ochieng2025diversity, Section 1.2",
    parameters=PARAMETERS,
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    subject=INFONCE,
)
