"""SupCL with flipped labels in m - 1 dimensions: how long collapse is a local minimum.

The loss is that of docs/problems/flipped-labels.toml, which is the one to ask in more dimensions.
"""

from functools import partial

from sympy import Rational

from ...decide.domain import between
from ...losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ...losses.supcl import CROSS_CLASS, EVERYTHING, OWN_VIEWS, SAME_CLASS, WEIGHT, alpha
from ...problems.domains import COMBINED
from ...structures.hierarchy import m, n, p
from ...theorem.result import Result
from .._noise import MEANING, noise, rho
from ._flipped import build
from ._in_its_span import Written, in_three
from ._supcl import SYMMETRY

LOSS = SoftmaxLoss(
    "supcl-noise",
    "SupCL loss with flipped labels",
    (
        SoftmaxTerm((1 - alpha) * (1 - rho), positives=(SAME_CLASS,), denominator=EVERYTHING),
        SoftmaxTerm((1 - alpha) * rho, positives=(CROSS_CLASS,), denominator=EVERYTHING),
        SoftmaxTerm(alpha, positives=OWN_VIEWS, denominator=EVERYTHING),
    ),
    tau,
    "lee2025ssem (1)-(3)",
    {**WEIGHT, **MEANING},
)
#: At alpha = 1 no label is used.
SOME = between(0, 1, "[)", "at alpha = 1 the loss uses no labels")
DOMAIN = noise(COMBINED.with_range(alpha, SOME, Rational(1, 10)), (m - 1) / m, Rational(1, 10))

RESULT = Result(
    "supcl-noise-second-order",
    title="SupCL in m - 1 dimensions: up to which noise collapse is a local minimum",
    source="beyond the papers; the loss is that of lee2025ssem",
    parameters=(m, n, p, alpha, rho, tau),
    domain=in_three(DOMAIN),
    build=partial(build, LOSS, DOMAIN),
    meanings={**SYMMETRY.meanings, **LOSS.meanings},
    subject=Written((), declared=LOSS, more="phases of docs/problems/flipped-labels.toml"),
)
