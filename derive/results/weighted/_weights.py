"""What the results on weights of given points share: parameters, and how quantities are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Symbol, oo

from ...decide.domain import Range
from ...theorem.quantity import Quantity

q = Symbol("q", integer=True, positive=True)
DIMENSION = {q: "dimension of the embeddings"}
#: Entries of matrices.
REAL = Range(-oo, oo)
#: Of more points the optimum takes too long, and of more a matrix is not written out.
MOST_POINTS, MOST_ROWS = 12, 40

Rows = Sequence[Sequence[Expr]]

ATTAINED = r"\text{attained}"
#: How the quantities of an embedding of given points are written, and what they are.
WRITTEN = {
    "dimension": ("r", "dimension of the affine hull of the data"),
    "c_prime": (r"c^{\prime}", "constant c' of the cosines c' - tau d_ij"),
    "cosines": (r"\cos(z_i, z_j)", "optimal cosines of all pairs"),
    "embedding": ("Z", "an optimal embedding, a row for each point"),
    "unique": (r"\text{unique}", "whether the optimum is unique up to isometry"),
    "verdict": (r"\text{verdict}", "whether the bound is attained, and why, in words"),
}


def quantities(**values: Any) -> dict[str, Quantity]:
    """Quantities of :data:`WRITTEN` by name, without those that are None."""
    return {k: Quantity(e, *WRITTEN[k]) for k, e in values.items() if e is not None}
