"""What the paper says of the optimum of the sigmoid loss that no formula says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
from sympy import Rational, S, Symbol

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import Domain, between
from ...decide.evidence import Holds, Outcome
from ...language.quantities import compare, mp, text
from ...language.symbolic import fixed
from ...losses.clip import t
from ...optimum.segment import x
from ...problems.domains import WARM
from ...structures.towers import N
from ..form.family import size
from ..form.run import Answer, DerivedAt, Point, named_check, named_proof, quantity

Given = Mapping[str, Any]
#: How far below and above a threshold one looks.
BELOW, ABOVE = mpmath.mpf("0.9999"), mpmath.mpf("1.0001")


def delta_star(at: Point) -> Any:
    """Where on the CCEM the sigmoid loss is least; of one pair, where it is aligned."""
    if size(at, "N") == 1:
        return mpmath.mpf(0)
    return quantity("sigmoid-optimum.delta_star", at)


@named_check("delta_star exists")
def exists(at: Point, *, beyond: Any) -> Answer:
    """The sigmoid loss is least at some delta >= 0 below ``beyond``."""
    found = delta_star(at)
    return Answer(compare(found, beyond, "<"), f"delta* = {text(found)}")


@named_check("antipodal below a temperature")
def antipodal_below(at: Point, *, threshold: Any) -> Answer:
    """At t = b the antipodal structure is optimal up to the temperature ``threshold``."""
    edge = mp(threshold)
    if edge <= 0:
        return Answer(False, f"the threshold is {text(edge)}, and temperatures are positive")
    near = [Rational(mpmath.nstr(edge * k, 20)) for k in (BELOW, ABOVE)]
    below, above = (delta_star({**at, "t": k, "b": k}) for k in near)
    says = f"just below {text(edge)} delta* = {text(below)}, just above {text(above)}"
    return Answer(bool(mpmath.isinf(below) and not mpmath.isinf(above)), says)


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
