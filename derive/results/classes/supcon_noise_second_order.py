"""SupCon with flipped labels in m - 1 dimensions: how long collapse is a local minimum."""

from functools import partial

from ...losses.softmax import tau
from ...structures.hierarchy import m, n, p
from ...theorem.result import Result
from .._noise import rho
from ._flipped import build
from ._in_its_span import Written, in_three
from ._supcl import SYMMETRY
from .supcon_noise import DOMAIN, LOSS

RESULT = Result(
    "supcon-noise-second-order",
    title="SupCon in m - 1 dimensions: up to which noise collapse is a local minimum",
    source="beyond the papers; the loss is that of Khosla et al. (2020)",
    parameters=(m, n, p, rho, tau),
    domain=in_three(DOMAIN),
    build=partial(build, LOSS, DOMAIN),
    meanings={**SYMMETRY.meanings, **LOSS.meanings},
    subject=Written((), declared=LOSS, more="supcon-noise"),
)
