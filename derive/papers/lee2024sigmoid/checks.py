"""What the paper says of two towers that no formula says: optima, and ranks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from sympy import Rational, S, Symbol

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import Domain, between
from ...decide.evidence import Holds, Outcome
from ...language.quantities import as_number, compare, mp, text
from ...language.symbolic import fixed
from ...losses.clip import INFONCE, SIGMOID, t
from ...optimum.segment import x
from ...problems.domains import WARM
from ...results import results
from ...structures.towers import N
from ...vectors.embeddings import Embeddings
from ..records.families import in_space
from ..records.family import size
from ..records.run import DerivedAt, Findings, Point, named_check, named_proof, quantity
from ..towers import aligned, pairwise_value, softmax_value

#: Losses have some 48 digits after the point, the derived least loss forty.
CLOSE = mpmath.mpf(10) ** -35


@named_check("optima are double-constant")
def double_constant(at: Point, N: int, d: int, *, power: Any) -> Findings:
    """No set in R^d has less sigmoid loss than the best CCEM, to the ``power`` of the bias 1, and
    none with the same loss has different positives or different negatives."""
    known = {k: as_number(at[k]) for k in ("t", "b")}
    if N == 1:
        return
    stands = {"t": at["t"], "b": at["b"] * int(power)}
    least = results["sigmoid-optimum"].value("loss", 40, N=at["N"], **stands)
    for e in in_space(N, d):
        found = pairwise_value(SIGMOID, e, **known)
        yield found >= least - CLOSE, f"its loss is {text(found)}, the least {text(least)}", e
        says = f"its loss is the least, {text(least)}"
        yield abs(found - least) > CLOSE or e.is_double_constant(), says, e


# --- Where a simplex exists, and where it is optimal ---
#: Losses have some 48 digits after the point, and near t = 0 they agree in the first forty.
NEARLY = mpmath.mpf(10) ** -46


def equal_angles(items: int, apart: Fraction) -> Embeddings | None:
    """That many unit vectors with this inner product, if there are such."""
    try:
        return Embeddings.hierarchical(items, 1, 1, Fraction(1), Fraction(1), apart)
    except ValueError:
        return None


@named_check("optima of InfoNCE")
def optima(N: int, t: Any, d: int, *, negative: Any, positive: Any) -> Findings:
    """The set with these inner products, and it alone of all sets in R^d, has the least loss."""
    base = equal_angles(N, negative)
    yield positive == 1 and base is not None, "there are no such vectors"
    assert base is not None
    yield base.rank <= d, f"they need {base.rank} dimensions", base
    simplex = aligned(base)
    least = softmax_value(INFONCE, simplex, t=t)
    for e in in_space(N, d):
        found = softmax_value(INFONCE, e, t=t)
        if found < least - NEARLY or (found <= least + NEARLY and not e.same_gram(simplex)):
            says = f"its loss is {text(found)}, that of the simplex {text(least)}"
            yield False, says, e


# --- What the paper says of the optimum of the sigmoid loss that no formula says ---
#: How far below and above a threshold one looks.
BELOW, ABOVE = mpmath.mpf("0.9999"), mpmath.mpf("1.0001")


def delta_star(at: Point) -> Any:
    """Where on the CCEM the sigmoid loss is least; of one pair, where it is aligned."""
    if size(at, "N") == 1:
        return mpmath.mpf(0)
    return quantity("sigmoid-optimum.delta_star", at)


@named_check("delta_star exists")
def exists(at: Point, *, beyond: Any) -> Findings:
    """The sigmoid loss is least at some delta >= 0 below ``beyond``."""
    found = delta_star(at)
    yield compare(found, beyond, "<"), f"delta* = {text(found)}"


@named_check("antipodal below a temperature")
def antipodal_below(at: Point, *, threshold: Any) -> Findings:
    """At t = b the antipodal structure is optimal up to the temperature ``threshold``."""
    edge = mp(threshold)
    yield edge > 0, f"the threshold is {text(edge)}, and temperatures are positive"
    near = [Rational(mpmath.nstr(edge * k, 20)) for k in (BELOW, ABOVE)]
    below, above = (delta_star({**at, "t": k, "b": k}) for k in near)
    says = f"just below {text(edge)} delta* = {text(below)}, just above {text(above)}"
    yield bool(mpmath.isinf(below) and (not mpmath.isinf(above))), says


#: The slope of the loss along the CCEM, for x from 0 (simplex) to 2 (antipodal), at t = b.
SLOPE = DerivedAt("sigmoid-optimum.slope_along(b = t)", {})


def _rises(in_letter: Symbol, domain: Domain) -> Outcome:
    """Whether the slope, less a factor t, rises with a letter all along the CCEM."""
    along = domain.restricted([N, t]).with_range(x, between(0, 2), 1)
    return positive(derivative(SLOPE.expression() / t, in_letter), along)


@named_proof("the simplex at t = b")
def simplex_everywhere(domain: Domain) -> Outcome:
    """The loss is convex, and rises already where it starts."""
    only, rest = fixed(domain.restricted([N, t]))
    start = SLOPE.expression().xreplace({x: S.Zero, **only})
    outcome = positive(start, rest)
    return _rises(x, WARM) if isinstance(outcome, Holds) else outcome


@named_proof("delta_star falls with t = b")
def falls(domain: Domain) -> Outcome:
    """The slope rises along the CCEM, and everywhere with t: where it vanishes moves back."""
    outcome = _rises(t, domain)
    return _rises(x, domain) if isinstance(outcome, Holds) else outcome
