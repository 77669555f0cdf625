"""Appendix B: experiments in a dimension below mn - 1."""

from __future__ import annotations

from fractions import Fraction

from sympy import Integer, S

from ...decide.domain import Domain
from ...decide.evidence import Grade
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ..checks import decided, equal, needs_condition, stored_cells
from ..verdict import Verdict
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
def b_variance(bound: Fraction = Fraction(5, 100)) -> Verdict:
    """Compare stored optimised embeddings, cell by cell, with the derived variance.

    A shade of a heat map over [0, 1] is told from its neighbour at a few hundredths.
    """
    cells = stored_cells(__package__, "appendix_b.json")
    f = results["supcl-optimum"].function("within_class_variance")
    alphas, taus, measured, gaps = zip(*([float(v) for v in c] for c in cells), strict=True)
    predicted = f(m=int(B_SIZES[m]), n=int(B_SIZES[n]), alpha=alphas, tau=taus)
    gap, k = max((abs(t - v), k) for k, (t, v) in enumerate(zip(predicted, measured, strict=True)))
    how = f"{len(cells)} cells optimised in d = {B_DIMENSION}, certified gaps up to {max(gaps):.2g}"
    point = {"alpha": str(cells[k][0]), "tau": str(cells[k][1])}
    return decided(
        gap <= bound,
        how,
        f"the variances differ by up to {gap:.2g} (at alpha = {point['alpha']}, tau = "
        f"{point['tau']}); no theorem covers d < mn - 1, and in R^1 the threshold fails "
        "(Theorem A.3: dimension)",
        grade=Grade.OPTIMISED,
        witness={"point": point, "printed": f"{predicted[k]:.6f}", "derived": f"{measured[k]:.6f}"},
    )
