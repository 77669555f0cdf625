"""When classes collapse, which the paper says of all minimisers: checks that no formula says."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
from sympy import Dummy, exp

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import Domain, Range
from ...decide.evidence import Holds, Outcome
from ...decide.present import tidy
from ...language.digits import DIGITS
from ...language.quantities import NoValue, as_number, compare, mp, text
from ...losses.softmax import tau as temperature
from ...losses.supcl import SUPCL
from ...results import results
from ...vectors.embeddings import Embeddings
from ..records.families import ssem
from ..records.family import size
from ..records.run import Findings, Point, Values, named_check, named_proof
from .checks import CLOSE, ONE, ZERO, best_position, longest
from .sets import declared_value

#: How far from delta = 0 the slope of the loss is taken, relative to the longest delta**2.
STEP = Fraction(1, 10**9)
#: How far beside a printed end is tried, and a temperature at which alpha_min is almost 1/n.
NEAR, COLD = Fraction(1, 200), Fraction(1, 50)
#: The most signs that are tried one by one on the line.
SIGNS = 6


class _Open(ArithmeticError):
    """In few dimensions it is not known what the minimisers are."""


def collapses(m: int, n: int, d: int, alpha: Any, tau: Any) -> tuple[bool, Embeddings | None]:
    """Whether some minimiser in R^d has a class that is one point, and such a one.

    Every minimiser is an SSEM if it finds the room. The loss of the SSEM is convex in delta**2:
    it is least at delta = 0 if it does not fall from there.
    """
    if n == 1:
        if alpha != 1:
            raise NoValue("the mean over no positives has no value")
        return True, None
    supervised, own = _rise(m, n, tau)
    merged = (1 - mp(alpha)) * supervised + mp(alpha) * own >= 0
    if d >= m * n - 1 or (merged and d >= m - 1):
        return bool(merged), ssem(m, n, 1, ZERO) if merged else None
    if d == 1 and m * n <= SIGNS:
        found = [e for e in _best_on_the_line(m, n, alpha, tau) if _some_class_is_a_point(e)]
        return bool(found), found[0] if found else None
    raise _Open(f"nothing is known of the minimisers in {d} dimensions")


def _parts(e: Embeddings, tau: Any) -> tuple[Any, Any]:
    """L_Sup and L_Self, of which the loss is a combination for every alpha."""
    return declared_value(SUPCL, e, alpha=0, tau=tau), declared_value(SUPCL, e, alpha=1, tau=tau)


@cache
def _rise(m: int, n: int, tau: Any) -> tuple[Any, Any]:
    with mpmath.workdps(DIGITS):
        here, beyond = (_parts(ssem(m, n, 1, q), tau) for q in (ZERO, longest(m, n) * STEP))
        return beyond[0] - here[0], beyond[1] - here[1]


@cache
def _on_the_line(m: int, n: int, tau: Any) -> list[tuple[Embeddings, Any, Any]]:
    found = []
    for signs in product((1, -1), repeat=m * n - 1):
        vectors = [[s] for s in (1, *signs)]
        e = Embeddings.from_vectors(m, n, 1, vectors, note=f"signs {(1, *signs)}")
        found.append((e, *_parts(e, tau)))
    return found


def _best_on_the_line(m: int, n: int, alpha: Any, tau: Any) -> list[Embeddings]:
    with mpmath.workdps(DIGITS):
        a = mp(alpha)
        losses = [((1 - a) * s + a * o, e) for e, s, o in _on_the_line(m, n, tau)]
        least = min(v for v, _ in losses)
        return [e for v, e in losses if v - least <= CLOSE]


def _some_class_is_a_point(e: Embeddings) -> bool:
    return any(e.variance(e.of_class(i)) == 0 for i in range(e.m))


def _places(at: Point, values: Values) -> Iterator[tuple[Any, Any]]:
    """alpha and tau of the point, and values beside the printed ends."""
    alpha, tau = as_number(at["alpha"]), as_number(at["tau"])
    yield alpha, tau
    for name in ("above", "from"):
        if name in values:
            end, step = mp(values[name]), mp(NEAR)
            # In L_Self alone, which n = 1 has, there is no alpha to choose.
            ends = (end, end - step, end + step)
            yield from ((a, tau) for a in ends if 0 <= a <= 1 and at["n"] != 1)
    for name in ("below", "up_to"):
        if name in values and mp(values[name]) > 0:
            parts = (ONE, 1 - NEAR, 1 + NEAR)
            yield from ((alpha, mp(values[name]) * mp(part)) for part in parts)


_SAYS = {
    "above": ("alpha", ">"),
    "from": ("alpha", ">="),
    "below": ("tau", "<"),
    "up_to": ("tau", "<="),
}


def _said(alpha: Any, tau: Any, values: Values) -> bool:
    """Whether the printed range holds: ``above`` < alpha, ``from`` <= alpha, tau < ``below``..."""
    letters = {"alpha": alpha, "tau": tau}
    return all(compare(letters[_SAYS[k][0]], end, _SAYS[k][1]) for k, end in values.items())


def _tried(at: Point, values: Values, *, both_ways: bool) -> Findings:
    m, n, d = size(at, "m"), size(at, "n"), size(at, "d")
    for k, (alpha, tau) in enumerate(_places(at, values)):
        says = _said(alpha, tau, values)
        try:
            found, e = collapses(m, n, d, alpha, tau)
        except _Open as error:
            if k == 0:
                yield None, str(error)
            continue
        ends = ", ".join(f"{_SAYS[k][0]} {_SAYS[k][1]} {text(v)}" for k, v in values.items())
        where = f"at alpha = {text(alpha)}, tau = {text(tau)}"
        how = "holds" if says else "fails"
        what = "a minimiser has" if found else "no minimiser has"
        told = f"{ends} {how} {where}, and {what} a class that is one point"
        yield says != found if both_ways else says or found, told, e


@named_check("no collapse iff")
def no_collapse_iff(at: Point, *, values: Values) -> Findings:
    """Classes of minimisers all have a positive variance in the printed range, and only there."""
    return _tried(at, values, both_ways=True)


@named_check("no collapse only if")
def no_collapse_only_if(at: Point, m: int, n: int, d: int, *, values: Values) -> Findings:
    """Where classes of minimisers all have a positive variance, the printed range holds.

    No smaller range would do: for alpha at some tau, which is a small one, and for tau at the
    alpha of the point.
    """
    yield from _tried(at, values, both_ways=False)
    for name, end in values.items():
        if _SAYS[name][0] == "alpha":
            alpha, tau = mp(end) + mp(NEAR), COLD
        else:
            alpha, tau = as_number(at["alpha"]), mp(end) * mp(1 - NEAR)
        where = f"alpha = {text(alpha)}, tau = {text(tau)}"
        says = f"a smaller range would do: classes collapse also at {where}"
        yield alpha > 1 or not collapses(m, n, d, alpha, tau)[0], says


@named_check("variance of minimisers")
def variance_of_minimisers(
    at: Point, m: int, n: int, d: int, alpha: Any, tau: Any, *, total: Any
) -> Findings:
    """The variances of every minimiser in R^d add up to ``total``."""
    if n == 1 and at["alpha"] != 1:
        raise NoValue("the mean over no positives has no value")
    where, _ = best_position(m, n, alpha, tau)
    best = [ssem(m, n, 1, where)]
    if best[0].rank > d:
        if d > 1 or m * n > SIGNS:
            yield None, f"nothing is known of the minimisers in {d} dimensions"
        best = _best_on_the_line(m, n, alpha, tau)
    for e in best:
        found = e.variance(e.everything)
        yield compare(found, total, "="), f"they add up to {text(found)}", e


@named_check("to leading order")
def to_leading_order(m: int, *, values: Values, about: Any) -> Findings:
    """The temperature ``is`` a little more than ``about``, by a factor that goes to 1 with 1/m."""
    yield about != 0, "it is said to be 0"
    ratio = mp(values["is"]) / mp(about)
    yield bool(1 < ratio < 1 + mp(Fraction(1, m - 1))), f"the ratio is {text(ratio)}"


@named_proof("alpha_min rises with tau")
def alpha_min_rises(domain: Domain) -> Outcome:
    """Through y = exp(-c/tau), in which alpha_min rises, and which rises with tau as c > 0."""
    least = results["supcl-threshold"].quantity("alpha_min").expression
    (cold,) = least.atoms(exp)
    y = Dummy("y", positive=True)
    falls = positive(-tidy(cold.args[0] * temperature), domain)
    if not isinstance(falls, Holds):
        return falls
    return positive(derivative(least.xreplace({cold: y}), y), domain.with_range(y, Range(), 1))
