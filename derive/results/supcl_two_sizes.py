"""The optimum of the SupCL loss for classes of two sizes.

Classes of one size may collapse while those of the other do not. Found at numbers, with a
certificate.
"""

from sympy import Rational

from ..decide.domain import between
from ..losses.softmax import tau
from ..losses.supcl import SUPCL, alpha
from ..proof.derivation import Derivation
from ..structures.classes import m1, m2, n1, n2
from ..structures.hierarchy import p
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ._two_sizes import SEEN, SIZES, optima, quantities

DOMAIN = SIZES.with_range(alpha, between(0, 1), Rational(1, 2))
OPTIMA = optima(SUPCL, DOMAIN)


def build(proof: Derivation) -> dict[str, Quantity]:
    return quantities(OPTIMA, DOMAIN, proof)


RESULT = Result(
    "supcl-two-sizes",
    title="The optimum of the SupCL loss for classes of two sizes, at numbers",
    source="beyond the papers; the loss is that of lee2025ssem (1)-(3)",
    parameters=(m1, n1, m2, n2, p, alpha, tau),
    domain=DOMAIN,
    build=build,
    structure=SEEN,
    loss=SUPCL,
)
