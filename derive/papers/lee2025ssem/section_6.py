"""Section 6: the sizes of the experiments."""

from __future__ import annotations

from sympy import Rational

from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ..checks import decided
from ..verdict import Verdict
from . import LEDGER


@LEDGER.claim(
    "Section 6.1: sizes", r"|U| = mnp = 200 for m = 10, n = 10, p = 2; d = 100 \ge mn - 1"
)
def experiment_sizes(size: int = 200, d: int = 100) -> Verdict:
    least = results["ssem"].min_dimension.subs({m: 10, n: 10, delta: Rational(1, 2)})
    return decided(
        size == 10 * 10 * 2 and d >= least,
        "arithmetic",
        witness={"size": str(size), "least dimension": str(least)},
    )


@LEDGER.claim(
    "Section 6.2: batch sizes", r"m\tilde{n} = 100, 500, 2000 for \tilde{n} = 10, 50, 200"
)
def batch_sizes(sizes: tuple[int, ...] = (100, 500, 2000)) -> Verdict:
    return decided(
        tuple(10 * k for k in (10, 50, 200)) == sizes,
        "arithmetic",
        "d = 128 is then below mn - 1 for the two larger ones",
        witness={"sizes": str(sizes)},
    )
