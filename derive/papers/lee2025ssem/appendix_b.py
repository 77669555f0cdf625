"""Appendix B: experiments in a dimension below mn - 1."""

from __future__ import annotations

from sympy import Integer, S

from ...engine.domain import Domain
from ...engine.evidence import Evidence, Grade
from ...results import results
from ...symbols import delta, m, n
from ..checks import (
    decided,
    equal,
    needs_condition,
)
from ..ledger import Verdict
from . import LEDGER

# --- Appendix B ----------------------------------------------------------------------------------
B_SIZES = {m: Integer(10), n: Integer(10)}
B_DIMENSION = 50


@LEDGER.claim("Appendix B: dimension", "50 = d < mn-1 = 99 for m = n = 10")
def b_dimension(printed: int = 99) -> Verdict:
    return equal(Integer(printed), (m * n - 1).subs(B_SIZES), Domain({}, {}))


@LEDGER.claim(
    "Appendix B: existence",
    "for d = 50 the optimal embedding set of SSEM cannot exist, by Proposition 1",
    result="ssem",
)
def b_existence() -> Verdict:
    least = results["ssem"].min_dimension.subs(B_SIZES)
    end = results["ssem"].delta_max.subs(B_SIZES)
    inside = [least.subs(delta, d) for d in (S.Half, S.One, end)]
    within = decided(
        all(d > B_DIMENSION for d in inside),
        "rank of SSEM inside and at the upper end",
        witness={"printed": "d > 50", "derived": str(inside)},
    )
    collapsed = least.subs(delta, 0)
    without = decided(
        bool(collapsed > B_DIMENSION),
        "rank of SSEM at delta = 0",
        witness={
            "point": {"m": "10", "n": "10", "d": "50", "delta": "0"},
            "printed": "does not exist",
            "derived": f"exists in dimension {collapsed}",
        },
    )
    return needs_condition(
        "delta* > 0",
        within,
        without,
        "when classes collapse, delta* = 0, the optimum exists; Proposition 1 says where SSEM "
        "exists, not where it does not: that is the rank of its Gram matrix",
    )


@LEDGER.claim(
    "Appendix B: variance",
    "for d = 50 the within-class variance of learned embeddings aligns with the theory, as "
    "Figure B.1 shows",
)
def b_variance() -> Verdict:
    return Verdict(
        "undecided",
        Evidence(Grade.SAMPLED, "nothing was run: a statement about trained embeddings"),
        "a matter of measurement; no theorem covers d < mn - 1, and in R^1 the threshold fails "
        "(Theorem A.3: dimension)",
    )
