"""The optimum of the SupCon loss for classes of two sizes.

A class collapses to a point, but the points are no simplex: large classes push each other
farther apart than small ones. Found at numbers, with a certificate.
"""

from ..losses.softmax import tau
from ..losses.supcl import SUPCON
from ..proof.derivation import Derivation
from ..structures.classes import m1, m2, n1, n2
from ..structures.hierarchy import p
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ._two_sizes import SEEN, SIZES, optima, quantities

OPTIMA = optima(SUPCON, SIZES)


def build(proof: Derivation) -> dict[str, Quantity]:
    return quantities(OPTIMA, SIZES, proof)


RESULT = Result(
    "supcon-two-sizes",
    title="The optimum of the SupCon loss for classes of two sizes, at numbers",
    source="beyond the papers; the loss is that of Khosla et al. (2020)",
    parameters=(m1, n1, m2, n2, p, tau),
    domain=SIZES,
    build=build,
    structure=SEEN,
    loss=SUPCON,
)
