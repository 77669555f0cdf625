"""Polynomials on [-1, 1] in Gegenbauer's basis, over rationals, balls, floats or expressions.

P_k of dimension d >= 2 is 1 at 1 and orthogonal to those of smaller degree under the distribution
of a coordinate of a uniform vector on the sphere in d dimensions. A polynomial is the list of its
coefficients, so that its value at 1 is their sum and its mean over the sphere the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def times_u(p: Sequence[Any], d: Any) -> list[Any]:
    """The polynomial times its argument: (2k+d-2) u P_k = (k+d-2) P_(k+1) + k P_(k-1)."""
    found = [p[0] * 0] * (len(p) + 1)
    for k, a in enumerate(p):
        if k == 0:
            found[1] += a
        else:
            found[k + 1] += a * (k + d - 2) / (2 * k + d - 2)
            found[k - 1] += a * k / (2 * k + d - 2)
    return found


def from_newton(coefficients: Sequence[Any], nodes: Sequence[Any], d: Any) -> list[Any]:
    """``c_0 + (u - x_0)(c_1 + (u - x_1)(c_2 + ..))``."""
    *rest, last = coefficients
    found = [last]
    for a, x in reversed(list(zip(rest, nodes, strict=False))):
        moved = times_u(found, d)
        found = [m - x * b for m, b in zip(moved, [*found, last * 0], strict=True)]
        found[0] += a
    return found


def divided_differences(
    values: Sequence[Any], slopes: Sequence[Any], nodes: Sequence[Any], twice: Sequence[bool]
) -> tuple[list[Any], list[Any]]:
    """Newton's coefficients of the Hermite interpolant, and the nodes with their repetitions.

    Parameters
    ----------
    values, slopes
        Of the function at the nodes.
    twice
        Whether the slope counts as well.
    """
    index = [i for i, again in enumerate(twice) for _ in range(1 + again)]
    column = [values[i] for i in index]
    found = [column[0]]
    for width in range(1, len(index)):
        column = [
            slopes[index[i]]
            if index[i] == index[i + width]
            else (column[i + 1] - column[i]) / (nodes[index[i + width]] - nodes[index[i]])
            for i in range(len(index) - width)
        ]
        found.append(column[0])
    return found, [nodes[i] for i in index]
