"""Linear combinations of vectors that are known by their inner products only.

What holds of them holds in any number of coordinates, and of any number of vectors that enter by
their sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from sympy import Expr

K = TypeVar("K")
#: Coefficients by the name of a vector.
Combination = Mapping[str, Expr]
#: Inner products by the names of two vectors, in one order or the other.
Gram = Mapping[tuple[str, str], Expr]


def plus(*terms: tuple[Any, Mapping[K, Any]]) -> dict[K, Any]:
    """The sum of combinations, each times a factor."""
    found: dict[K, Any] = {}
    for factor, vector in terms:
        for name, c in vector.items():
            found[name] = found.get(name, 0) + factor * c
    return found


def inner(u: Mapping[K, Any], v: Mapping[K, Any], gram: Mapping[tuple[K, K], Any]) -> Any:
    """The inner product of two combinations, by bilinearity.

    Raises
    ------
    KeyError
        If an inner product that is needed is not known.
    """

    def known(a: K, b: K) -> Any:
        return gram[a, b] if (a, b) in gram else gram[b, a]

    return sum(s * t * known(a, b) for a, s in u.items() for b, t in v.items())
