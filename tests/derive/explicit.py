"""What several tests share: pairs of points told by their indices, and a mixed loss."""

from __future__ import annotations

from itertools import product

import numpy as np
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from sympy import Rational

#: A term for each level of four, so that three eigenspaces are occupied.
MIXED = SoftmaxLoss(
    "mixed",
    "",
    (
        SoftmaxTerm(Rational(1, 2), ("same_instance",), ("self", "same_instance", "same_class")),
        SoftmaxTerm(Rational(3, 10), ("same_class",), ("same_class", "cross_class")),
        SoftmaxTerm(Rational(1, 5), ("cross_class",), ("cross_class", "cross_super")),
    ),
    tau,
    "",
)


def explicit(groups: list[tuple[str, int, int]], views: int) -> tuple[np.ndarray, list[str]]:
    """Relation of every pair of points, by comparing indices."""
    points = [
        (g, c, i, v)
        for g, classes, instances in groups
        for c, i, v in product(range(classes), range(instances), range(views))
    ]

    def relation(u: tuple, w: tuple) -> str:
        if u[0] != w[0]:
            return f"cross_class_{min(u[0], w[0])}_{max(u[0], w[0])}"
        kind = "self" if u == w else "same_instance" if u[:3] == w[:3] else ""
        kind = kind or ("same_class" if u[:2] == w[:2] else "cross_class")
        return f"{kind}_{u[0]}"

    return np.array([[relation(u, w) for w in points] for u in points]), [u[0] for u in points]
