"""When classes collapse: what Appendix A.4 states again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from sympy import Expr, Rational, S, Symbol, exp, log

from ...losses.softmax import tau
from ...losses.supcl import alpha
from ...results import results
from ...structures.hierarchy import m, n
from ..checks import Formula, decided, equal, holds_positive, needs_condition, undefined_at
from ..verdict import Verdict
from ._domains import HALF, MIXED, SHAPE, TEMPERED


@cache
def heat() -> Expr:
    """exp(m/(m-1)/tau)."""
    return exp(m / (m - 1) / tau)


@cache
def printed_15() -> Expr:
    """The end of the interval in (15), and in Theorem A.3."""
    return (m * n - 1 + heat()) / (m * n - n + n * heat())


@cache
def printed_ratio() -> Expr:
    """What (16) and Theorem A.3 take the logarithm of."""
    return (m * n - 1 - alpha * (m - 1) * n) / (alpha * n - 1)


@cache
def printed_16() -> Expr:
    """The end of the interval in (16), and in Theorem A.3."""
    # Not evaluated: SymPy would take a while to ask about the sign of the argument.
    return 1 / ((1 - 1 / m) * log(printed_ratio(), evaluate=False))


# The appendix states these two again: each comparison is made once.
@cache
def is_alpha_min(printed: Expr) -> Verdict:
    """Compare with the derived threshold of alpha."""
    return equal(printed, results["supcl-threshold"].alpha_min, TEMPERED)


@cache
def prevents_collapse(printed: Expr) -> Verdict:
    """Theorem 2, and A.3 again: no collapse iff alpha is above the printed threshold."""
    point = {m: S.One, n: S(2)}
    return needs_condition(
        "m >= 2",
        is_alpha_min(printed),
        lambda: undefined_at(_by_name(point), lambda: printed.xreplace(point)),
        "m/(m - 1) does not exist for one class, whose threshold is 1/n at every tau",
    )


def in_every_dimension(weight: Fraction, note: str) -> Verdict:
    """Either theorem without a condition on d."""
    from ._sums import collapsed, minimisers_on_the_line  # needed by no other check here

    threshold = printed_15().subs({m: 2, n: 2, tau: HALF})
    return needs_condition(
        "d >= mn - 1",
        is_alpha_min(printed_15()),
        decided(
            not (
                all(map(collapsed, minimisers_on_the_line(weight, HALF)))
                and threshold < Rational(weight)
            ),
            "all 16 embeddings of two classes of two in R^1",
            witness={
                "point": {"m": "2", "n": "2", "d": "1", "alpha": str(weight), "tau": "1/2"},
                "printed": f"no collapse, as alpha > {threshold.evalf(6)}",
                "derived": "every minimiser collapses",
            },
        ),
        note,
    )


@cache
def is_tau_max(printed: Expr) -> Verdict:
    """Compare with the derived threshold of tau, and look at alpha = 1."""
    point = {m: S(2), n: S(2), alpha: S.One}
    return needs_condition(
        "alpha < 1",
        equal(printed, results["supcl-threshold"].tau_max, MIXED),
        lambda: undefined_at(_by_name(point), lambda: printed.xreplace(point)),
        "at alpha = 1 the end is 1/log(1): every tau prevents collapse",
    )


@cache
def is_below_alpha_min(printed: Expr) -> Verdict:
    """Compare with what alpha_min exceeds."""
    return holds_positive(results["supcl-threshold"].alpha_min - printed, TEMPERED)


def _by_name(point: Mapping[Symbol, Expr]) -> dict[str, Expr]:
    return {s.name: v for s, v in point.items()}


def alpha_min_limit(printed: Formula = lambda: 1 / n) -> Verdict:
    return equal(printed(), results["supcl-threshold"].alpha_min_tau_0, SHAPE)
