"""When the regular simplex is optimal for classes of given sizes, by the gradient at it.

Prototypes of C classes at the cosine -1/(C - 1) are optimal iff the derivatives of the loss by the
inner products of two classes are all the same and not negative: the matrix of multipliers is
positive semidefinite, and vanishes across (1, ..., 1), the only null vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import mpmath

from ...language.digits import CLOSE, DIGITS
from ...language.quantities import NoValue, mp, text
from ..form.run import Findings, named_check

Given = Mapping[str, Any]


def slopes(sizes: Sequence[int], epsilon: Any, tau: Any, g: Any) -> list[Any]:
    """Derivatives of the loss by the inner products of two classes, times n tau, where samples of a
    class are equal and two classes have the cosine g."""
    n = sum(sizes)
    same, across = mpmath.exp(1 / tau), mpmath.exp(g / tau)
    weights = [(k - 1) + epsilon * (n - k) for k in sizes]
    heat = [(k - 1) * same + (n - k) * across for k in sizes]
    if any(w == 0 for w in weights):
        raise NoValue("a class of one sample has no positives")
    return [
        sizes[a] * sizes[b] * sum(across / heat[k] - epsilon / weights[k] for k in (a, b))
        for a, b in combinations(range(len(sizes)), 2)
    ]


def is_regular(sizes: Sequence[int], epsilon: Any, tau: Any) -> tuple[bool, str]:
    """Whether the regular simplex is optimal among prototypes, and why not."""
    with mpmath.workdps(DIGITS):
        found = slopes(sizes, mp(epsilon), mp(tau), -1 / mpmath.mpf(len(sizes) - 1))
        slack = CLOSE * max(max(map(abs, found)), mp(epsilon))
        told = f"of classes of {', '.join(map(str, sizes))} the slopes at the regular simplex: "
        good = all(abs(f - found[0]) <= slack for f in found) and found[0] >= -slack
        return good, told + ", ".join(text(f) for f in found)


def unequal(classes: int) -> list[list[int]]:
    """Sizes of which one differs from the others."""
    rest = classes - 1
    return [[2] * rest + [3], [2] * rest + [4], [4] * rest + [2]]


@named_check("balanced classes are at a regular simplex")
def balanced(C: int, n: int, tau: Any, *, across: Any) -> Findings:
    """With n samples in each of C classes the optimum of SupCon is the regular simplex, and nothing
    else, where samples off the diagonal have the weight ``across``."""
    if C == 1:
        yield n == 1, "one class: any equal similarities are optimal, collapsed or not"
        return
    good, says = is_regular([n] * C, across, tau)
    yield good, says


@named_check("unequal classes are at no regular simplex")
def imbalanced(C: int, tau: Any, *, across: Any) -> Findings:
    """For sizes that are not all the same, the regular simplex is not optimal for SupCon, where
    samples of two classes have the weight ``across``."""
    for sizes in unequal(C):
        good, _ = is_regular(sizes, across, tau)
        if good:
            told = ", ".join(map(str, sizes))
            yield False, f"with classes of {told} the regular simplex is optimal"


@named_check("any classes are at a uniform simplex")
def uniform(
    C: int, tau: Any, epsilon: Any, *, critical: Any = None, regular: Any = None
) -> Findings:
    """For all sizes a simplex with one cosine is optimal for Soft SupCon: the one that attains the
    bound up to the temperature ``critical``, and the regular one beyond; or the regular one at all
    temperatures (``regular`` 1)."""
    yield regular in (None, 1), "nothing is said"
    with mpmath.workdps(DIGITS):
        g = 1 + mp(tau) * mpmath.log(mp(epsilon))
        if regular is None and mp(tau) <= mp(critical):
            found = slopes(unequal(C)[0], mp(epsilon), mp(tau), g)
            good = all(abs(f) <= CLOSE * 10 for f in found) and g >= mp(-1) / (C - 1) - CLOSE
            yield good, f"the cosine {text(g)} cannot be had or is not optimal"
            return
    for sizes in unequal(C):
        good, says = is_regular(sizes, epsilon, tau)
        yield good, says
