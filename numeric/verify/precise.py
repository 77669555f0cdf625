"""The loss at a derived structure, to many digits, as a sum over relations.

In double precision a loss may be flat: at tau = 1/100 terms of exp(-100) are lost beside 1, and
below the Gaussian gains may be at distances of 1e-100. Nothing is lost here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mpmath import mp
from sympy import Expr, N, Symbol, lambdify

from ...derive.decide.exact import exact
from ...derive.losses.pairwise import c
from ...derive.losses.softmax import SoftmaxLoss
from ...derive.losses.supcl import CROSS_CLASS, SAME_CLASS, SAME_INSTANCE

Values = Mapping[str, Any]
#: Digits that are kept beside those that are lost; smaller losses are zero as floats.
DIGITS = 30
FLOAT_DIGITS = 340
#: Parting is tried up to distances of this power of ten; what needs more is left open.
MOST_DIGITS = 1000


def loss_at(
    loss: SoftmaxLoss,
    counts: Mapping[str, int],
    inner: Values,
    values: Values,
) -> Any:
    """The loss where inner products are the same in every relation, at the precision of mpmath.

    Parameters
    ----------
    loss, counts
        The declaration, and how many partners a point has in each relation.
    inner
        Inner products, numbers of mpmath.
    values
        Parameters by name, as :func:`exact` reads them.
    """
    similar = loss.similar(c) / loss.temperature
    known = {s: _number(values[s.name]) for s in similar.free_symbols - {c}}
    at = lambdify([c, *known], similar, "mpmath")
    psi = {r: at(x, *known.values()) for r, x in inner.items()}
    total = mp.mpf(0)
    for term in loss.terms:
        own = [r for r in term.positives if counts[r]]
        pull = sum(counts[r] * psi[r] for r in own) / sum(counts[r] for r in own)
        row = sum(counts[r] * mp.exp(psi[r]) for r in term.denominator if counts[r])
        total += _weight(term.coefficient, values) * (mp.log(row) - pull)
    return total


def instances_part(
    loss: SoftmaxLoss,
    counts: Mapping[str, int],
    sizes: Mapping[str, int],
    values: Mapping[str, Any],
) -> bool | None:
    """Whether instances of collapsed classes gain when they part into directions of their own.

    Each class parts by the same, between any two of its instances by x in the inner product, and
    stays symmetric. Powers of ten down to a size that settles it are tried for x; None where
    none gains and that would be beyond :data:`MOST_DIGITS`.
    """
    m, n = sizes["m"], sizes["n"]
    power, heat = float(exact(values["gamma"])), float(exact(values["tau"]))
    # The gain is a multiple of x^(gamma/2)/tau until that is about one, the cost one of x.
    needed = 2 / power * (5 + max(0.0, -float(mp.log10(heat)))) + 40 / (1 - power / 2)
    steps = int(min(needed, MOST_DIGITS))
    with mp.workdps(2 * steps + DIGITS):

        def at(x: Any) -> Any:
            out = x * (n - 1) / n  # squared length off the span of the classes
            inner = {
                "self": mp.mpf(1),
                SAME_INSTANCE: mp.mpf(1),
                SAME_CLASS: 1 - x,
                CROSS_CLASS: -(1 - out) / (m - 1),
            }
            return loss_at(loss, counts, inner, values)

        together = at(mp.mpf(0))
        tried = sorted({*range(1, min(steps, 20)), *(steps * k // 40 for k in range(1, 41))})
        gains = any(at(mp.mpf(10) ** -k) < together for k in tried)
    return gains if gains or needed <= MOST_DIGITS else None


def _number(value: Any) -> Any:
    return mp.mpf(str(N(exact(value), mp.dps)))


def _weight(of: Expr, values: Values) -> Any:
    put: dict[Symbol, Expr] = {s: exact(values[s.name]) for s in of.free_symbols}
    return _number(of.xreplace(put))
