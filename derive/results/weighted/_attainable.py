"""Cosines that are asked for by dissimilarities: whether there are such, and what is best."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer, S, Symbol

from ...decide.domain import at_least
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity
from ...vectors.sphere import Spherical
from ._asked import Asked, state_verdict
from ._best import best
from ._of_points import MOST_ROWS, Weights, q

ATTAINED = r"\text{attained}"
AT_LEAST_ONE = at_least(1)


def at_temperature(
    asked: Asked, weights: Weights, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """Whether the bound is attained at a temperature, and the best that can be."""
    n = asked.size
    given = q in fixed
    size = int(fixed[q]) if given else n
    if given:
        attained = asked.in_dimensions(size)
        where = "in q dimensions"
    else:
        attained = None if asked.room is None else asked.room >= 0
        where = "with the cosines of a pair as of a point with itself, the only way in n - 2 "
        where += "dimensions or fewer, unless the labels span n - 1"
    found = temperatures(asked.D, fixed) if asked.exact else {}
    if attained is not None:
        found["attained"] = Quantity(attained, ATTAINED, f"whether the bound is attained {where}")
        state_verdict(asked, size if given else None, attained, proof)
    inside = attained or asked.in_dimensions(size)
    least = asked.least_dimension
    if least is not None:
        found["min_dimension"] = Quantity(
            Integer(least),
            r"q_{\min}",
            "least dimension in which the bound is attained at this temperature",
        )
    if inside:
        return found | _attained(asked, size, given)
    found |= best(asked, weights, size if given else None, proof)
    if "attained" not in found and {"loss", "gap_at_least"} & found.keys():
        found["attained"] = Quantity(S.false, ATTAINED, f"whether the bound is attained {where}")
    return found


def _attained(asked: Asked, size: int, given: bool) -> dict[str, Quantity]:
    found = {
        "gap": Quantity(S.Zero, r"\Delta", "least loss minus the entropic bound: it is attained"),
    }
    constant = asked.constant(size)
    if constant is not None:
        found["c_prime"] = Quantity(
            constant, r"c^{\prime}", "cosines are this minus tau times the dissimilarity"
        )
    rows = asked.cosines(size) if asked.size <= MOST_ROWS else None
    if rows is not None:
        found["cosines"] = Quantity(rows, r"\cos(z_i, z_j)", "optimal cosines of all pairs")
    points = asked.embedding(size) if given and asked.size <= MOST_ROWS else None
    if points is not None:
        found["embedding"] = Quantity(
            [list(row) for row in points],
            "Z",
            "optimal unit vectors, a row for each point; all others with these cosines differ by "
            "an isometry",
        )
    return found


def temperatures(D: Dissimilarity, fixed: Mapping[Symbol, Expr]) -> dict[str, Quantity]:
    """Those at which the bound is attained, where that is decided by algebra."""
    found = Spherical(D, int(fixed.get(q, D.size))).temperatures
    if found is None or found is S.EmptySet:
        return {}
    where = "q dimensions" if q in fixed else "as many dimensions as there are points"
    return {
        "temperatures": Quantity(
            found, "T", f"temperatures at which the bound is attained in {where}", parameter=tau
        )
    }
