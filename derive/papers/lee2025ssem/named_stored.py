"""Embeddings that were optimised in few dimensions, stored, and held against the theory."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...decide.domain import Domain
from ...decide.evidence import Evidence, Grade, Holds, Outcome
from ...results import results
from ..digits import stored_cells
from ..form.family import size
from ..form.run import Answer, Point, named_check, named_proof

CELLS = "appendix_b.json"
#: A shade of a heat map over [0, 1] is told from its neighbour at a few hundredths.
SHADE = Fraction(5, 100)


@named_check("stored embeddings have the variance")
def stored_have_the_variance(at: Point, *, within: Any) -> Answer:
    """The variance within classes, and that between them, in these proportions, is as predicted.

    ``within`` 1 is the one within classes.
    """
    sizes = {name: size(at, name) for name in ("m", "n")}
    cells = stored_cells(__package__, CELLS)
    alphas, taus, measured, _ = zip(*([float(v) for v in c] for c in cells), strict=True)
    shares = {"within": float(within), "between": 1 - float(within)}
    optimum = results["supcl-optimum"]
    parts = [
        share * optimum.function(f"{k}_class_variance")(**sizes, alpha=alphas, tau=taus)
        for k, share in shares.items()
    ]
    gaps = [abs(a - z) for a, z in zip(sum(parts), measured, strict=True)]
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    where = f"alpha = {cells[worst][0]}, tau = {cells[worst][1]}"
    return Answer(gaps[worst] <= SHADE, f"off by {gaps[worst]:.2g} at {where}")


@named_proof("stored embeddings")
def stored_embeddings(domain: Domain) -> Outcome:
    """How they were found: by an optimiser, each with a certified gap to the least loss."""
    cells = stored_cells(__package__, CELLS)
    gap = float(max(c[3] for c in cells))
    return Holds(Evidence(Grade.OPTIMISED, f"{len(cells)} cells, certified gaps up to {gap:.2g}"))
