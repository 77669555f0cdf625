"""Appendix B.4: the proof of Theorem 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from sympy import Expr, Integer, S, exp, log, oo

from ...decide.domain import POSITIVE, Domain, Range
from ...decide.evidence import Grade
from ...decide.limits.limit import limit
from ...losses.clip import b, t
from ...optimum.segment import delta, x
from ...results import results
from ...structures.towers import N
from ..checks import Formula, all_equal, both, decided, equal, holds_positive, needs_condition
from ..verdict import Verdict
from . import LEDGER
from ._domains import BIASED, INSIDE, SHARED, WARM, WARM_FOUR, WARM_THREE
from ._loss import (
    printed_g,
    same_logs,
    sigmoid,
    sign_at,
    slope_in_delta,
    slope_in_share,
    warm_exponents,
)
from .section_5_1 import (
    is_threshold,
    printed_antipodal,
    printed_simplex,
    theorem_2,
    theorem_2_antipodal,
    theorem_2_monotone,
    three_items,
)

BELOW = 1 + delta**2
#: N = 3, and only the temperature left.
HOT = Domain({t: POSITIVE}, {t: 1})
HOT_DELTA = HOT.with_range(delta, POSITIVE, 1)
Lines = Callable[[], Sequence[Expr]]


@cache
def heat() -> Expr:
    """exp(t N/(N-1))."""
    return exp(t * N / (N - 1))


@LEDGER.claim(
    "Appendix B.4: Theorem 2",
    r"t = b, N \ge 4: \delta^* = 0 iff t > \frac{N-1}{N} \log(N-3), \infty iff "
    r"t < \frac12 \log\frac{N-2}{2}; for N = 3, \delta^* = 0",
    result="sigmoid-threshold",
)
def theorem_2_again(
    first: Formula = printed_simplex, second: Formula = printed_antipodal, included: bool = False
) -> Verdict:
    return both(three_items(), theorem_2(first, included), theorem_2_antipodal(second, included))


def printed_loss() -> Sequence[Expr]:
    """The second and the third line of the loss on the CCEM."""
    near = -t * (1 - delta**2) / BELOW + b
    far = -t * (1 / (N - 1) + delta**2) / BELOW - b
    first, second = warm_exponents()
    return (
        log(1 + exp(near), evaluate=False) + (N - 1) * log(1 + exp(far), evaluate=False),
        log(1 + exp(first), evaluate=False) + (N - 1) * log(1 + exp(-second), evaluate=False),
    )


@LEDGER.claim(
    "Theorem 2, proof: loss",
    r"L^{sig}(U(\delta), V(\delta)) = \log(1 + \exp(-t\frac{1-\delta^2}{1+\delta^2} + b)) + (N-1) "
    r"\log(1 + \exp(-t\frac{\frac{1}{N-1} + \delta^2}{1+\delta^2} - b)) = \log(1 + \exp(-t"
    r"\frac{-2\delta^2}{1+\delta^2})) + (N-1) \log(1 + \exp(-t\frac{\frac{N}{N-1} + 2\delta^2}"
    r"{1+\delta^2}))",
    result="sigmoid-optimum",
)
def loss(lines: Lines = printed_loss) -> Verdict:
    general, warm = lines()
    where = BIASED.with_range(delta, Range(low_open=False), 1)
    return both(
        same_logs(general, sigmoid(), where), same_logs(warm, sigmoid().xreplace({b: t}), where)
    ).with_note("the last line for b = t, as the theorem has it")


def printed_derivatives() -> Sequence[Expr]:
    """The lines of the derivative in delta; (N-1)/(N-1) is read as N/(N-1)."""
    first, second = warm_exponents()
    scale = 2 * t * delta / BELOW**2
    return (
        exp(first) / (1 + exp(first)) * (-t * (-4 * delta) / BELOW**2)
        + (N - 1)
        * exp(-second)
        / (1 + exp(-second))
        * (-t * (2 * (N - 2) / (N - 1) * delta) / BELOW**2),
        scale * (2 / (1 + exp(-first)) - (N - 2) / (1 + exp(second))),
        scale * printed_g() / ((1 + exp(-first)) * (1 + exp(second))),
    )


@LEDGER.claim(
    "Theorem 2, proof: derivative",
    r"\frac{\partial}{\partial\delta} L^{sig} = \dots = \frac{2t\delta}{(1+\delta^2)^2} "
    r"(\frac{2}{1 + \exp(t\frac{-2\delta^2}{1+\delta^2})} - \frac{N-2}{1 + \exp(t"
    r"\frac{\frac{N}{N-1} + 2\delta^2}{1+\delta^2})}) = \frac{2t\delta}{(1+\delta^2)^2} "
    r"\frac{g(N, t, \delta)}{(1 + \dots)(1 + \dots)}",
    result="sigmoid-optimum",
)
def derivatives(lines: Lines = printed_derivatives) -> Verdict:
    return all_equal(lines(), slope_in_delta(), INSIDE).with_note(
        "(N-1)/(N-1) in the exponents of the first and third line is read as the N/(N-1) of the "
        "second"
    )


@LEDGER.claim(
    "Theorem 2, proof: g",
    r"g(N, t, \delta) = (4-N) + 2\exp(t\frac{\frac{N}{N-1} + 2\delta^2}{1+\delta^2}) - (N-2) "
    r"\exp(t\frac{-2\delta^2}{1+\delta^2})",
    result="sigmoid-optimum",
)
def definition_of_g(g: Formula = printed_g) -> Verdict:
    first, second = warm_exponents()
    cleared = slope_in_delta() * BELOW**2 / (2 * t * delta) * (1 + exp(-first)) * (1 + exp(second))
    return equal(g(), cleared, INSIDE)


def printed_dg() -> Expr:
    """The derivative of g in delta."""
    first, second = warm_exponents()
    inside = 1 / (N - 1) * exp(second) + exp(-first)
    return 4 * t * (N - 2) * delta / BELOW**2 * inside


@LEDGER.claim(
    "Theorem 2, proof: g rises with delta",
    r"\frac{\partial}{\partial\delta} g = \frac{4t(N-2)\delta}{(1+\delta^2)^2} (\frac{1}{N-1} "
    r"\exp(t\frac{\frac{N}{N-1} + 2\delta^2}{1+\delta^2}) + \exp(t\frac{-2\delta^2}{1+\delta^2})) "
    r"> 0 for \delta > 0, t > 0, N \ge 3",
    result="sigmoid-optimum",
)
def g_rises(printed: Formula = printed_dg) -> Verdict:
    return both(
        equal(printed(), printed_g().diff(delta), INSIDE), holds_positive(printed(), INSIDE)
    )


@LEDGER.claim(
    "Theorem 2, proof: ends",
    r"\frac{\partial}{\partial\delta} L^{sig}|_{\delta=0} = 0 and "
    r"\frac{\partial}{\partial\delta} L^{sig}|_{\delta\to\infty} = 0",
)
def ends(power: int = 1) -> Verdict:
    # At oo the sigmoids are bounded, and delta/(1 + delta^2)^2 vanishes.
    slope = slope_in_delta()
    bound = t * delta**power / BELOW**2
    return both(
        equal(slope.subs(delta, 0), S.Zero, WARM),
        equal(limit(bound * (4 + 2 * (N - 2)), delta, oo, INSIDE), S.Zero, WARM),
        holds_positive(bound * (4 + 2 * (N - 2)) - slope, INSIDE, strict=False),
        holds_positive(bound * (4 + 2 * (N - 2)) + slope, INSIDE, strict=False),
    ).with_note(
        "as they are in any smooth function of delta^2/(1 + delta^2): no sign of an optimum"
    )


def printed_second() -> Expr:
    """The second derivative at 0."""
    return 2 * t * ((3 - N) + heat()) / (1 + heat())


@LEDGER.claim(
    "Theorem 2, proof: second derivative",
    r"\frac{\partial^2}{\partial\delta^2} L^{sig}|_{\delta=0} = "
    r"2t \frac{(3-N) + \exp(t\frac{N}{N-1})}{1 + \exp(t\frac{N}{N-1})}",
    result="sigmoid-optimum",
)
def second_derivative(printed: Formula = printed_second) -> Verdict:
    return equal(printed(), slope_in_delta().diff(delta).subs(delta, 0), WARM)


@LEDGER.claim(
    "Theorem 2, proof: second derivative, N = 3",
    r"\frac{\partial^2}{\partial\delta^2} L^{sig}|_{\delta=0, N=3} = "
    r"2t \frac{\exp(t\frac32)}{1 + \exp(t\frac32)} > 0",
    result="sigmoid-optimum",
)
def second_derivative_three(
    printed: Formula = lambda: 2 * t * exp(3 * t / 2) / (1 + exp(3 * t / 2)),
) -> Verdict:
    derived = slope_in_delta().diff(delta).subs(delta, 0).subs(N, 3)
    return both(equal(printed(), derived, HOT), holds_positive(printed(), HOT))


def printed_g_three() -> Sequence[Expr]:
    """The lines of g(3, t, delta), without the bound."""
    square = delta**2
    three = S(3) / 2
    return (
        1 + 2 * exp(t * (three + 2 * square) / BELOW) - exp(t * (-2 * square) / BELOW),
        1 + 2 * exp(t * (2 - S.Half / BELOW)) - exp(t * (-2 + 2 / BELOW)),
    )


@LEDGER.claim(
    "Theorem 2, proof: g for N = 3",
    r"g(3, t, \delta) = 1 + 2\exp(t\frac{\frac32 + 2\delta^2}{1+\delta^2}) - \exp(t"
    r"\frac{-2\delta^2}{1+\delta^2}) = 1 + 2\exp(t(2 - \frac{\frac12}{1+\delta^2})) - \exp(t(-2 + "
    r"\frac{2}{1+\delta^2})) \ge 2\exp(\frac32 t) > 0",
    result="sigmoid-optimum",
)
def g_three(lines: Lines = printed_g_three, bound: Formula = lambda: 2 * exp(3 * t / 2)) -> Verdict:
    three = printed_g().subs(N, 3)
    return both(
        all_equal(lines(), three, HOT_DELTA),
        equal(bound(), three.subs(delta, 0), HOT),
        holds_positive(three.diff(delta), HOT_DELTA),
        holds_positive(bound(), HOT),
    )


@LEDGER.claim(
    "Theorem 2, proof: positive slope, N = 3",
    r"since g is non-negative for all t, \delta > 0, "
    r"\frac{\partial}{\partial\delta} L^{sig}|_{\delta=0, N=3} > 0 for all \delta > 0",
    result="sigmoid-optimum",
)
def positive_slope_three(at: Expr | None = S.Zero) -> Verdict:
    slope = slope_in_delta().subs(N, 3)
    meant = holds_positive(slope, HOT_DELTA)
    if meant.word != "agrees" or at is None:
        return meant
    start = slope.subs({delta: at, t: 1})
    return decided(
        bool(start > 0),
        "the derivative at delta = 0, N = 3, t = 1",
        "it vanishes at delta = 0, as said above; to be read without that subscript, where the "
        "derivative is positive because g is",
        witness={
            "point": {"N": "3", "t": "1", "delta": str(at)},
            "printed": "> 0",
            "derived": str(start),
        },
    )


@LEDGER.claim(
    "Theorem 2, proof: conclusion, N = 3",
    r"0 = \arg\min_\delta L^{sig}(U(\delta), V(\delta)) for N = 3",
    result="sigmoid-optimum",
)
def conclusion_three(items: int = 3) -> Verdict:
    return three_items(items)


@LEDGER.claim(
    "Theorem 2, proof: simplex",
    r"for t > \frac{N-1}{N} \log(N-3): \frac{\partial^2}{\partial\delta^2} L^{sig}|_{\delta=0} > 0 "
    r"and g(N, t, \delta) \ge g(N, t, 0) = 2(3-N) + 2\exp(t\frac{N}{N-1}) > 0",
    result="sigmoid-threshold",
)
def simplex(
    printed: Formula = lambda: 2 * (3 - N) + 2 * heat(), edge: Formula = printed_simplex
) -> Verdict:
    start = printed_g().subs(delta, 0)
    return both(
        equal(printed(), start, WARM),
        holds_positive(printed_g().diff(delta), INSIDE),
        is_threshold(edge(), "t_simplex"),
        holds_positive(start.diff(t), WARM_THREE),
        equal(printed_second(), start * t / (1 + heat()), WARM_THREE),
    ).with_note("at equality g(N, t, 0) = 0 and g > 0 after: the simplex is optimal there too")


@LEDGER.claim(
    "Theorem 2, proof: antipodal",
    r"for 0 < t < \frac12 \log\frac{N-2}{2}: g(N, t, \delta) \le g(N, t, \infty) = (4-N) + "
    r"2\exp(2t) - (N-2)\exp(-2t) < 0",
    result="sigmoid-threshold",
)
def antipodal(
    printed: Formula = lambda: (4 - N) + 2 * exp(2 * t) - (N - 2) * exp(-2 * t),
    edge: Formula = printed_antipodal,
) -> Verdict:
    # delta to oo is x to 1, where the exponents are rational in x.
    square = x / (1 - x)
    far = printed_g().xreplace({delta**2: square})
    end = _at_one(far)
    return both(
        equal(printed(), end, WARM_THREE),
        is_threshold(edge(), "t_antipodal"),
        equal(printed().subs(t, edge()), S.Zero, WARM_FOUR),
        holds_positive(printed().diff(t), WARM_THREE),
    ).with_note("at equality g < 0 before delta = oo: the antipodal structure is optimal there too")


def _at_one(expression: Expr) -> Expr:
    """Put x = 1 into the exponents once they are in lowest terms."""
    lowest = {e: exp(e.args[0].cancel()) for e in expression.atoms(exp)}
    return expression.xreplace(lowest).subs(x, 1)


@LEDGER.claim(
    "Theorem 2, proof: between",
    r"for \frac12 \log\frac{N-2}{2} < t < \frac{N-1}{N} \log(N-3): g(N, t, 0) < 0, "
    r"g(N, t, \infty) > 0, and a unique \delta^* \in (0, \infty) has g(N, t, \delta^*) = 0 and is "
    r"the minimum",
    result="sigmoid-optimum",
)
def between(items: tuple[int, ...] = (5, 6, 20), signs: tuple[int, int] = (-1, 1)) -> Verdict:
    wrong = {}
    for k in items:
        middle = (printed_simplex() + printed_antipodal()).subs(N, k).n(30) / 2
        warmth = Integer(round(middle * 1000)) / 1000
        found = sign_at(0, k, warmth, warmth), sign_at(1, k, warmth, warmth)
        delta_star = results["sigmoid-optimum"].value("delta_star", 20, N=k, t=warmth, b=warmth)
        if found != signs or not 0 < delta_star < oo:
            wrong[str(k)] = (str(warmth), found)
    return both(
        holds_positive(slope_in_share().diff(x), SHARED),
        decided(
            not wrong,
            f"the slopes at both ends for N = {', '.join(map(str, items))}, half way between",
            grade=Grade.SAMPLED,
            witness={"derived": wrong},
        ),
    ).with_note("for N >= 5; for N = 4 both ends of the interval are 0")


@LEDGER.claim(
    "Theorem 2, proof: g rises with t",
    r"\frac{\partial}{\partial\delta} g > 0 and \frac{\partial}{\partial t} g > 0 for all t, "
    r"\delta > 0 and N \ge 3",
    result="sigmoid-optimum",
)
def g_rises_with_t(g: Formula = printed_g) -> Verdict:
    return both(holds_positive(g().diff(delta), INSIDE), holds_positive(g().diff(t), INSIDE))


@LEDGER.claim(
    "Theorem 2, proof: implicit derivative",
    r"0 = \frac{\partial}{\partial t} g(N, t, \delta^*) + \frac{\partial\delta^*}{\partial t} "
    r"\frac{\partial}{\partial\delta^*} g(N, t, \delta^*)",
    result="sigmoid-optimum",
)
def implicit(sign: int = 1) -> Verdict:
    # Central differences of the derived delta* at N = 6, t = 1/2 + k/10^6.
    step = S(1) / 10**6
    root = [
        results["sigmoid-optimum"].value("delta_star", 40, N=6, t=w, b=w)
        for w in (S.Half - step, S.Half, S.Half + step)
    ]
    rate = (root[2] - root[0]) / (2 * step.n(40))
    at = {N: Integer(6), t: S.Half}
    parts = [printed_g().diff(s).xreplace(at).subs(delta, root[1]).n(30) for s in (t, delta)]
    total = parts[0] + sign * rate * parts[1]
    return decided(
        bool(abs(total) < S(1) / 10**8),
        "central differences of the derived delta* at N = 6, t = b = 1/2",
        # The error of the differences is of the order of step^2 = 10^-12.
        grade=Grade.SAMPLED,
        witness={"point": {"N": "6", "t": "1/2"}, "derived": str(total)},
    )


@LEDGER.claim(
    "Theorem 2, proof: delta_star falls",
    r"\frac{\partial\delta^*}{\partial t} < 0 for all t, \delta > 0 and N \ge 3",
    result="sigmoid-optimum",
)
def delta_star_falls(items: int = 3) -> Verdict:
    value = results["sigmoid-optimum"].value
    found = [value("delta_star", 20, N=items, t=w, b=w) for w in (1, 2)]
    return needs_condition(
        "log((N - 2)/2)/2 < t < (N - 1)/N log(N - 3), and so N >= 5",
        both(g_rises_with_t(), theorem_2_monotone()),
        decided(
            found[0] != found[1],
            "delta* at t = b = 1 and 2",
            witness={
                "point": {"N": str(items), "t": "1 and 2"},
                "printed": "delta* falls strictly",
                "derived": f"delta* = {int(found[0])} at both",
            },
        ),
        "outside delta* is 0 or oo, and constant",
    )
