"""Kernel-InfoNCE: when its kernel is positive definite, when it is convex, and where it is least.

In the Gram matrix the loss is convex for the Gaussian kernel only. The simplex is optimal all the
same for every exponent up to that of the Gaussian, at every temperature: the loss is convex in the
similarities, these are convex in the inner products, and positives are as similar as can be. Beyond
the Gaussian it is so up to a temperature: see ``kernel-threshold``.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Rational, S

from ...decide.domain import POSITIVE, Domain
from ...losses.kernel import KERNEL_CLIP, KERNEL_INFONCE, gamma
from ...losses.softmax import tau
from ...optimum.dimension import Dimension
from ...problems.domains import INSTANCES
from ...proof.derivation import Derivation
from ...structures.hierarchy import n, p
from ...structures.towers import N
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._convexity import state_convexity
from ._definite import state_definite, state_sum
from ._similarity import APART, SIMILARITY, UP_TO_GAUSS, state_slopes, to_square
from ._simplex import NO_CLASSES, psi_n, psi_p, simplex_rank, state_towers, state_views

DOMAIN = Domain(
    {**INSTANCES.ranges, gamma: POSITIVE}, {**INSTANCES.witness, gamma: 1, tau: Rational(1, 2)}
)
#: Where the simplex is optimal at every temperature.
OPTIMAL = DOMAIN.with_range(gamma, UP_TO_GAUSS, 1)


def build(proof: Derivation) -> dict[str, Quantity]:
    definite = state_definite(proof)
    state_slopes(proof)
    state_sum(proof)
    convexity = state_convexity(proof)
    views = state_views(KERNEL_INFONCE, proof)
    pairs = state_towers(KERNEL_CLIP, proof)
    squared = to_square(SIMILARITY, APART)
    fits, everywhere = Dimension(simplex_rank(), False), Dimension(S.One, True)
    at = {psi_p: S.Zero, psi_n: squared}
    return {
        **{k: replace(q, room=everywhere) for k, q in {**definite, **convexity}.items()},
        "similarity": Quantity(
            squared,
            r"\psi_{\mathrm{simplex}}",
            "logarithm of the kernel of two negatives at the simplex",
            room=fits,
        ),
        "least_loss": Quantity(
            views.xreplace(at),
            r"\mathcal{L}^\star",
            "minimum of the loss, at the simplex with coinciding views",
            OPTIMAL,
            spellings=(r"\mathcal{L}^*",),
            room=fits,
        ),
        "least_loss_towers": Quantity(
            pairs.xreplace({N: n, **at}),
            r"\mathcal{L}^\star_{\mathrm{towers}}",
            "minimum of the loss of n pairs in two towers, the mean of both directions, at the "
            "simplex with coinciding towers",
            OPTIMAL.restricted([n, tau, gamma]),
            room=fits,
        ),
    }


KEYWORDS = "NT-Xent, self-supervised"
RESULT = Result(
    "kernel-infonce",
    title="Kernel-InfoNCE: definiteness, convexity, and the optimum up to the Gaussian",
    source="beyond tan2024spectral, Section 5",
    parameters=(n, p, gamma, tau),
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=KERNEL_INFONCE, structure=NO_CLASSES),
)
