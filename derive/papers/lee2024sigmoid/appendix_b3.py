"""Appendix B.3: Corollary 1 through the CCEM."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, S, exp, log

from ...decide.domain import POSITIVE
from ...losses.clip import t
from ...optimum.segment import delta
from ...results import results
from ...structures.towers import NEGATIVE, N
from ...structures.towers import POSITIVE as ALIGNED
from ..checks import Formula, both, equal, holds_positive
from ..towers import Towers
from ..verdict import Verdict
from . import LEDGER
from ._domains import WARM, WARM_CCEM
from ._kept import corollary_1, simplex_towers
from ._loss import infonce, inner, same_logs


@LEDGER.claim(
    "Appendix B.3: Corollary 1",
    r"U = V and U forms a simplex ETF, regardless of the temperature t > 0 and N \ge 3",
    result="infonce-optimum",
)
def corollary_1_again(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    return corollary_1(best).with_note("for N = 2 as well")


def printed_loss() -> tuple[Expr, Expr]:
    """Both lines of the display, the second sum read with u_j for u_i."""
    near, far = inner()[ALIGNED], inner()[NEGATIVE]
    one = log(exp(near / t) / (exp(near / t) + (N - 1) * exp(far / t)), evaluate=False)
    closed = 2 * log(1 + (N - 1) * exp(-N / (N - 1) / (1 + delta**2) / t))
    return -one - one, closed


@LEDGER.claim(
    "Corollary 1, proof: loss",
    r"L^{InfoNCE}(U(\delta), V(\delta)) = -\frac1N \sum_i \log\frac{\exp(u_i^\top v_i/t)}"
    r"{\sum_j \exp(u_i^\top v_j/t)} - \frac1N \sum_i \log\frac{\exp(u_i^\top v_i/t)}"
    r"{\sum_j \exp(u_j^\top v_i/t)} = 2 \log(1 + (N-1) \exp(-\frac{\frac{N}{N-1}}"
    r"{1 + \delta^2}/t))",
    result="infonce-optimum",
)
def loss(lines: Callable[[], tuple[Expr, Expr]] = printed_loss) -> Verdict:
    return both(*(same_logs(line, infonce(), WARM_CCEM) for line in lines())).with_note(
        "u_j is read for u_i in the last denominator, as in (1)"
    )


@LEDGER.claim(
    "Corollary 1, proof: monotone",
    r"it is a strictly increasing function with respect to \delta for all t > 0 and N \ge 3",
    result="infonce-optimum",
)
def monotone(closed: Formula = lambda: printed_loss()[1]) -> Verdict:
    inside = WARM.with_range(delta, POSITIVE, 1)
    return holds_positive(closed().diff(delta), inside, "for N = 2 as well")


@LEDGER.claim(
    "Corollary 1, proof: minimum",
    r"L^{InfoNCE} is least at \delta = 0 for all t > 0 and N > 3",
    result="infonce-optimum",
)
def minimum(at: Expr = S.Zero) -> Verdict:
    return equal(results["infonce-optimum"].delta_star, at, WARM).with_note(
        "for N >= 2; the line before has N >= 3"
    )
