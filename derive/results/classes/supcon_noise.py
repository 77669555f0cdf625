"""SupCon of which a share of the positives belongs to other classes."""

from functools import partial

from sympy import Rational

from ...losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ...losses.supcl import CROSS_CLASS, OTHERS, SAME_CLASS, SAME_INSTANCE
from ...problems.domains import TEMPERED
from ...problems.problem import Problem
from ...structures.hierarchy import m, n, p
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._noise import MEANING, noise, rho, with_noise
from ._supcl import SYMMETRY

LOSS = SoftmaxLoss(
    "supcon-noise",
    "SupCon loss with flipped labels",
    (
        SoftmaxTerm(1 - rho, positives=(SAME_INSTANCE, SAME_CLASS), denominator=OTHERS),
        SoftmaxTerm(rho, positives=(CROSS_CLASS,), denominator=OTHERS),
    ),
    tau,
    "Khosla et al. (2020), equation (2)",
    MEANING,
)
DOMAIN = noise(TEMPERED, n * p * (m - 1) / (m * n * p - 1), Rational(1, 10))
PROBLEM = Problem(LOSS, SYMMETRY, DOMAIN)

RESULT = Result(
    "supcon-noise",
    title="When classes still collapse on the simplex though labels are flipped",
    source="beyond the papers; the loss is that of Khosla et al. (2020)",
    parameters=(m, n, p, rho, tau),
    build=partial(
        with_noise,
        PROBLEM,
        "classes",
        (SAME_INSTANCE, SAME_CLASS),
        "the simplex of collapsed classes is optimal",
    ),
    subject=Symmetric(PROBLEM),
)
