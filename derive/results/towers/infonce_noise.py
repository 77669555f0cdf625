"""InfoNCE on two towers of which a share of the pairs is mismatched."""

from functools import partial

from sympy import Rational

from ...losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ...problems.domains import PAIRED
from ...problems.problem import Problem
from ...structures.towers import NEGATIVE, POSITIVE, N
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._noise import MEANING, noise, rho, with_noise
from ._ccem import SYMMETRY

LOSS = SoftmaxLoss(
    "infonce-noise",
    "CLIP loss, the mean of both directions, with mismatched pairs",
    (
        SoftmaxTerm(1 - rho, positives=(POSITIVE,), denominator=(POSITIVE, NEGATIVE)),
        SoftmaxTerm(rho, positives=(NEGATIVE,), denominator=(POSITIVE, NEGATIVE)),
    ),
    tau,
    "Radford et al. (2021), Figure 3",
    MEANING,
)
DOMAIN = noise(PAIRED, (N - 1) / N, Rational(1, 10))
PROBLEM = Problem(LOSS, SYMMETRY, DOMAIN)

RESULT = Result(
    "infonce-noise",
    title="When the simplex survives mismatched pairs, and the least InfoNCE loss",
    source="beyond the papers; the loss is that of Radford et al. (2021)",
    parameters=(N, rho, tau),
    domain=DOMAIN,
    build=partial(with_noise, PROBLEM, "shared_contrasts", (POSITIVE,), "the simplex is optimal"),
    subject=Symmetric(PROBLEM),
)
