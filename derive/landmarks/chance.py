r"""Means over independent random unit vectors.

With a unit vector fixed, the cosine X of another has density :math:`(1 - x^2)^{(d - 3)/2}`, and
:math:`E\,e^{X/\tau} = {}_0F_1(; d/2; 1/(4\tau^2))`. The mean of the logarithm of a sum of
exponentials lies below the logarithm of its mean, at small tau by nats. It is no matter of
sampling: Frullani's integral :math:`\log S = \int_0^\infty (e^{-s} - e^{-sS})\,ds/s` makes it a
mean of independent factors,

.. math:: E \log(A + g \sum_{j \le M} e^{X_j/\tau})
    = \int_0^\infty \big(e^{-s} - e^{-sA}\, (E\,e^{-s g e^{X/\tau}})^M\big) \frac{ds}{s}.

Both integrands are analytic, so that the trapezoidal rule in log s and Gauss-Legendre panels in
the angle converge geometrically. Two bounds, both by Jensen, are checked each time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, log, pi, sqrt
from typing import Any

import numpy as np
from sympy import Rational

from ..decide.hypergeometric import Log0F1
from ..errors import InternalError

Array = np.ndarray[Any, np.dtype[np.float64]]

#: In log s: half of it changes no digit of the tests.
STEP = 0.2
#: Gauss-Legendre nodes of a panel, which is no wider than half a temperature or pi deviations.
NODES = 16
#: What exp is cut off at: terms below e^-45 are nothing in float64.
NOTHING = 45.0
#: In log s beyond the smallest sum: e^-e^5 is nothing.
LAST = 5.0
#: By how much rounding may put the mean beyond a bound.
ROUNDING = 1e-9


def log_mean_exponential(d: int, tau: float) -> float:
    """log E exp(X/tau) = log 0F1(; d/2; 1/(4 tau^2))."""
    return float(Log0F1(Rational(d, 2), 1 / (4 * Rational(tau) ** 2)).evalf(20))


@lru_cache(maxsize=8)
def cosines(
    d: int, tau: float, kinks: tuple[float, ...] = (), least: float = exp(-NOTHING) * 1e-10
) -> tuple[Array, Array]:
    """Nodes and weights for means of functions of X that change at the scale tau.

    Panels end at the kinks of the function and at their opposites. Nodes are left out that weigh
    no more than ``least`` times the heaviest.
    """
    if d == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    panels = ceil(max(16, 2 * pi / tau, sqrt(d)))
    at, weight = np.polynomial.legendre.leggauss(NODES)
    edges = np.linspace(0, pi, panels + 1)
    half = np.full(panels, pi / panels / 2)
    if kinks:
        edges = np.union1d(edges, np.arccos([sign * k for k in kinks for sign in (1, -1)]))
        half = np.diff(edges) / 2
    angle = ((edges[:-1] + half)[:, None] + half[:, None] * at).ravel()
    shares = np.log(np.outer(half / half.max(), weight)).ravel()
    density = (d - 2) * np.log(np.sin(angle)) + shares
    shares = np.exp(density - density.max())
    kept = shares > least
    return np.cos(angle[kept]), shares[kept] / shares[kept].sum()


def mean_of(
    function: Callable[[Array], Array], d: int, tau: float, kinks: tuple[float, ...] = ()
) -> float:
    """E f(X) of a function that changes at the scale tau, and is smooth but for its kinks."""
    # All nodes: exp(1000 x) has its mean where next to no vectors are.
    x, weight = cosines(d, tau, kinks, least=0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large comes out not finite
        even = np.broadcast_to(function(x) + function(-x), x.shape)  # as the density is
        return float(weight @ even) / 2


def mean_log(fixed: float, groups: int, size: float, d: int, tau: float) -> float:
    """E log(exp(fixed) + size * sum of exp(X_j/tau) over independent groups).

    Parameters
    ----------
    fixed
        Logarithm of the part that is no random one; -inf without.
    groups
        Number of independent vectors; 0 is allowed where there is a fixed part.
    size
        Vectors that are equal to each of them.
    d, tau
        Dimension and temperature.

    Raises
    ------
    InternalError
        If the mean is not between the logarithm at orthogonal vectors and that of the mean.
    """
    if not groups:
        return fixed
    jensen = float(np.logaddexp(fixed, log(groups * size) + log_mean_exponential(d, tau)))
    x, weight = cosines(d, tau)
    # Exponents over the logarithm of the mean, and s over the inverse of the mean.
    scaled = x / tau + log(size) - jensen
    lowest = float(np.logaddexp(fixed - jensen, log(groups * size) - jensen - 1 / tau))
    y = np.arange(-NOTHING, LAST - lowest, STEP)
    total = 0.0
    for part in np.array_split(y, max(1, len(y) * len(x) // 4_000_000)):
        missed = -np.expm1(-np.exp(np.minimum(part[:, None] + scaled, 700.0))) @ weight
        with np.errstate(divide="ignore"):
            power = groups * np.log1p(-np.minimum(missed, 1.0))
        power = power - np.exp(np.minimum(part + fixed - jensen, 700.0))
        total += float((np.exp(-np.exp(np.minimum(part, 7.0))) - np.exp(power)).sum()) * STEP
    found = jensen + total
    orthogonal = float(np.logaddexp(fixed, log(groups * size)))
    if not orthogonal - ROUNDING <= found <= jensen + ROUNDING:
        raise InternalError(f"the mean {found} is not between {orthogonal} and {jensen}")
    return found
