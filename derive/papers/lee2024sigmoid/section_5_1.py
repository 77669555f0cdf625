"""Section 5.1: when the sigmoid loss gives which structure, for b = t."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, Integer, Rational, S, exp, log

from ...decide.evidence import Grade
from ...losses.clip import b, t
from ...optimum.segment import delta, x
from ...results import results
from ...structures.towers import N
from ..checks import Formula, both, decided, equal, holds_positive, needs_condition
from ..verdict import Verdict
from . import LEDGER
from ._domains import HALF, INSIDE, QUARTER, SHARED, WARM, WARM_FOUR
from ._kept import not_attained
from ._loss import printed_g, sign_at, slope_in_delta, slope_in_share, warm_exponents


def printed_simplex() -> Expr:
    """The threshold of the simplex in Theorem 2."""
    return (N - 1) / N * log(N - 3)


def printed_antipodal() -> Expr:
    """The threshold of the antipodal structure in Theorem 2."""
    return Rational(1, 2) * log((N - 2) / 2)


def is_threshold(printed: Expr, name: str) -> Verdict:
    """Compare with a derived threshold, where the paper has it."""
    return equal(printed, results["sigmoid-threshold"][name], WARM_FOUR)


@LEDGER.claim(
    "Section 5.1: delta_star",
    r"\min_{(U, V) \in S} L^{sig}(U, V) is equivalent to finding \delta^* := "
    r"\arg\min_{\delta \ge 0} L^{sig}(U(\delta), V(\delta))",
    result="sigmoid-optimum",
)
def delta_star(bias: Fraction = QUARTER) -> Verdict:
    return needs_condition(
        "delta = oo admitted",
        holds_positive(slope_in_share().diff(x), SHARED),
        lambda: not_attained(bias, QUARTER),
        "unique, as the loss is strictly convex in delta^2/(1 + delta^2); S is not defined, and "
        "must be all embeddings in R^d, d >= N",
    )


@LEDGER.claim(
    "Theorem 2: N = 3",
    r"t = b: when N = 3, \delta^* = 0 regardless of t value",
    result="sigmoid-optimum",
)
def three_items(items: int = 3) -> Verdict:
    # Times 1/t: 2/(1 + 1) - (N - 2)/(1 + exp(t N/(N - 1))), which rises with t.
    at_start = slope_in_share().xreplace({b: t, x: S.Zero, N: Integer(items)})
    return both(
        holds_positive(at_start, WARM),
        holds_positive(slope_in_share().diff(x), SHARED),
    ).with_note("for N = 2 and 4 as well; N = 2 has it at every bias")


def at_threshold(
    end: int, items: int, warmth: Expr, included: bool, words: tuple[str, str, str]
) -> Verdict:
    """What the printed inequality, strict or not, says at the threshold; and what is true."""
    structure, printed, correction = words
    level = sign_at(end, items, warmth, warmth) == 0
    if level and included:
        return decided(True, "the slope at the end of the CCEM vanishes at the threshold")
    return decided(
        not level and not included,
        "the slope at the end of the CCEM vanishes at the threshold, and the loss is strictly "
        "convex along it",
        correction,
        witness={
            "point": {"N": str(items), "t": str(warmth), "b": str(warmth)},
            "printed": printed,
            "derived": f"the {structure}: the loss is level there and rises elsewhere",
        },
    )


@LEDGER.claim(
    "Theorem 2",
    r"t = b, N \ge 4: \delta^* = 0 if and only if t > \frac{N-1}{N} \log(N-3)",
    result="sigmoid-threshold",
)
def theorem_2(printed: Formula = printed_simplex, included: bool = False) -> Verdict:
    found = is_threshold(printed(), "t_simplex")
    if found.word != "agrees":
        return found
    return at_threshold(
        0,
        5,
        printed().subs(N, 5),
        included,
        ("simplex", "delta* > 0", "the value is right, and to be read with t >= it"),
    )


@LEDGER.claim(
    "Theorem 2: antipodal",
    r"t = b, N \ge 4: \delta^* = \infty if and only if t < \frac12 \log\frac{N-2}{2}",
    result="sigmoid-threshold",
)
def theorem_2_antipodal(printed: Formula = printed_antipodal, included: bool = False) -> Verdict:
    found = is_threshold(printed(), "t_antipodal")
    if found.word != "agrees":
        return found
    return at_threshold(
        1,
        6,
        printed().subs(N, 6),
        included,
        ("antipodal structure", "delta* < oo", "the value is right, and to be read with t <= it"),
    )


@LEDGER.claim(
    "Theorem 2: monotone",
    r"t = b, N \ge 4: the optimal \delta^* is a monotonic decreasing function of t",
    result="sigmoid-optimum",
)
def theorem_2_monotone(g: Formula = printed_g, sign: int = 1) -> Verdict:
    first, second = warm_exponents()
    scale = 2 * t * delta / (1 + delta**2) ** 2
    return both(
        equal(slope_in_delta(), scale * g() / ((1 + exp(-first)) * (1 + exp(second))), INSIDE),
        holds_positive(sign * g().diff(t), INSIDE),
        holds_positive(sign * g().diff(delta), INSIDE),
    ).with_note(
        "not strictly: it stays at oo up to the one threshold and at 0 from the other on, and is "
        "0 for all t > 0 if N = 4"
    )


@LEDGER.claim(
    "Remark 3",
    "the optimal embeddings form a simplex ETF when the temperature is sufficiently large, and "
    "reduce to the antipodal embedding when it is smaller than a threshold",
    result="sigmoid-threshold",
)
def remark_3(items: int = 4) -> Verdict:
    model = results["sigmoid-threshold"]
    gap = model.t_simplex - model.t_antipodal
    ordered = [gap.subs(N, k).n(20) > 0 for k in (5, 6, 10, 1000)]
    least = model.t_antipodal.subs(N, items)
    return needs_condition(
        "N >= 5 (with b = t) for the antipodal part",
        both(
            is_threshold(printed_simplex(), "t_simplex"),
            decided(
                all(ordered) and bool(model.t_antipodal.subs(N, 5).n() > 0),
                "0 < t_antipodal < t_simplex at N = 5; the order at N = 6, 10 and 1000 too",
                grade=Grade.SAMPLED,
                witness={"derived": str(ordered)},
            ),
        ),
        decided(
            bool(least > 0),
            "the threshold for N = 4",
            witness={
                "point": {"N": str(items)},
                "printed": "antipodal for small t",
                "derived": f"the threshold is {least}: the simplex for every t > 0",
            },
        ),
    )


@LEDGER.claim(
    "Remark 3: order",
    r"the threshold temperature value is in the order of \Theta(\log N)",
    result="sigmoid-threshold",
)
def remark_3_order(order: Callable[[Expr], Expr] = log) -> Verdict:
    model = results["sigmoid-threshold"]
    large = Integer(10) ** 1000
    ratios = [
        (model[name].subs(N, large) / order(large)).n(20) for name in ("t_simplex", "t_antipodal")
    ]
    return decided(
        all(abs(r - e) < Rational(1, 1000) for r, e in zip(ratios, (1, S.Half), strict=True)),
        "the ratios to log N at N = 10^1000",
        "both thresholds: asymptotically log N and log(N)/2",
        grade=Grade.SAMPLED,
        witness={"derived": [str(r) for r in ratios]},
    )


@LEDGER.claim(
    "Remark 4",
    r"sufficiently large t is necessary to let the trained embeddings form a simplex ETF with "
    r"\delta^* = 0, instead of the antipodal structure with \delta^* = \infty",
    result="sigmoid-threshold",
)
def remark_4(bias: int = 0, cool: int = 1, hot: int = 2) -> Verdict:
    signs = sign_at(0, 3, cool, bias), sign_at(0, 3, hot, bias)
    return needs_condition(
        "b = t",
        is_threshold(printed_simplex(), "t_simplex"),
        decided(
            signs != (1, -1),
            "the slope at the simplex for N = 3 and b = 0",
            witness={
                "point": {"N": "3", "b": str(bias), "t": f"{cool} and {hot}"},
                "printed": "the larger t gives the simplex",
                "derived": f"the simplex at t = {cool}, and not at t = {hot}",
            },
        ),
        "at a fixed bias a large t prevents the simplex for N >= 3; what is needed is "
        "b >= b_simplex(N, t)",
    )


@LEDGER.claim(
    "Section 5.1: alignment",
    r"the optimal \delta^* decreases as the temperature t = b increases, leading to a tighter "
    r"alignment of the positive pairs: u_i^\top v_i approaches 1",
    result="sigmoid-optimum",
)
def alignment(warmths: tuple[Fraction, ...] = (QUARTER, HALF, Fraction(1), Fraction(2))) -> Verdict:
    optimum = results["sigmoid-optimum"]
    found = [optimum.value("positive", 20, N=6, t=w, b=w) for w in warmths]
    return both(
        theorem_2_monotone(),
        decided(
            found == sorted(found) and found[0] == -1 and found[-1] == 1,
            "u_i.v_i for N = 6 at t = 1/4, 1/2, 1 and 2",
            grade=Grade.SAMPLED,
            witness={"derived": [str(f) for f in found]},
        ),
    ).with_note("weakly: it stays at 1 above the threshold, and at -1 below the other")


@LEDGER.claim(
    "Corollary 4: N = 3",
    r"t = b, N = 3: the optimal solution of L^{sig} is equal to that of L^{InfoNCE} for any t",
    result="infonce-optimum",
)
def corollary_4_three(items: int = 3) -> Verdict:
    return both(three_items(items), equal(results["infonce-optimum"].delta_star, S.Zero, WARM))


@LEDGER.claim(
    "Corollary 4",
    r"t = b, N \ge 4: both solutions are identical if and only if t > \frac{N-1}{N} \log(N-3)",
    result="infonce-optimum",
)
def corollary_4(printed: Formula = printed_simplex, included: bool = False) -> Verdict:
    return both(
        equal(results["infonce-optimum"].delta_star, S.Zero, WARM), theorem_2(printed, included)
    )


@LEDGER.claim(
    "Section 5.1: appropriate temperature",
    r"by using t > \frac{N-1}{N} \log(N-3) the simplex ETF solution is attainable with the "
    r"sigmoid loss",
    result="sigmoid-threshold",
)
def appropriate_temperature(printed: Formula = printed_simplex) -> Verdict:
    return is_threshold(printed(), "t_simplex").with_note("with b = t, and N >= 4; d >= N - 1 do")
