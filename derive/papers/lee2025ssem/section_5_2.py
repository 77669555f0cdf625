"""Section 5.2: when classes collapse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product

from sympy import Dummy, Expr, Integer, Rational, S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.domain import Range
from ...decide.evidence import Grade
from ...decide.present import tidy
from ...losses.softmax import tau
from ...losses.supcl import alpha
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ..checks import Formula, both, decided, equal, holds_positive, needs_condition, undefined_at
from ..ledger import Verdict
from . import LEDGER
from ._domains import HALF, MIXED, POSITIVE_DELTA, SHAPE, TEMPERED


@LEDGER.claim(
    "Section 5.2: collapse at delta = 0",
    r"class collapse occurs when \delta = 0",
    result="ssem",
)
def collapse_at_zero() -> Verdict:
    variance = results["ssem"].within_class_variance
    return both(
        equal(S.Zero, variance.subs(delta, 0), SHAPE),
        holds_positive(variance, POSITIVE_DELTA, "and only then"),
    )


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


@LEDGER.claim(
    "Theorem 2",
    "classes do not collapse iff (15), equivalently iff (16)",
    result="supcl-threshold",
)
def theorem_2(printed: Formula = printed_15) -> Verdict:
    return prevents_collapse(printed())


@LEDGER.claim(
    "Theorem 2: dimension",
    "Theorem 2 is stated without d >= mn - 1",
)
def theorem_2_dimension(weight: Fraction = Fraction(9, 10)) -> Verdict:
    return in_every_dimension(
        weight,
        "asked for in the text of Section 4.1 for all that follows, and not in the theorem",
    )


@LEDGER.claim(
    "(15)",
    r"\alpha \in (\frac{mn - 1 + \exp(\frac{m}{m-1}/\tau)}"
    r"{mn - n + n\exp(\frac{m}{m-1}/\tau)}, 1]",
    result="supcl-threshold",
)
def equation_15(printed: Formula = printed_15) -> Verdict:
    return is_alpha_min(printed())


@LEDGER.claim(
    "(16)",
    r"\tau \in (0, \frac{1}{(1 - \frac{1}{m})\log(\frac{mn-1-\alpha(m-1)n}{\alpha n - 1})}) "
    r"for \alpha \in (\frac{1}{n}, 1]",
    result="supcl-threshold",
)
def equation_16(printed: Formula = printed_16) -> Verdict:
    return is_tau_max(printed())


@LEDGER.claim(
    "Section 5.2: alpha_min rises with tau",
    r"the minimum value of \alpha increases monotonically with respect to \tau > 0, "
    r"so a smaller \tau allows a wider range of \alpha",
    result="supcl-threshold",
)
def alpha_min_rises(sign: int = 1) -> Verdict:
    least = results["supcl-threshold"].alpha_min
    (cold,) = least.atoms(exp)
    y = Dummy("y", positive=True)
    # Through y = exp(-c/tau), c = m/(m-1) > 0, which rises with tau.
    rise = sign * derivative(least.xreplace({cold: y}), y)
    return both(
        holds_positive(rise, SHAPE.with_range(y, Range(), 1)),
        holds_positive(-tidy(cold.args[0] * tau), SHAPE),
    ).with_note("an infimum: the interval is open at alpha_min")


def many_instances(temperature: Fraction) -> Expr:
    """alpha_min for m = 10 and n to infinity."""
    point = {m: Integer(10), tau: Rational(temperature)}
    return results["supcl-threshold"].alpha_min_n_oo.evalf(subs=point)


@LEDGER.claim(
    "Section 5.2: alpha at tau = 0.5",
    r"m = 10, \tau = 0.5, n large: no collapse for \alpha \in [0.549, 1]",
    result="supcl-threshold",
)
def alpha_at_half(printed: Fraction = Fraction(549, 1000)) -> Verdict:
    least = many_instances(HALF)
    return decided(
        0 < Rational(printed) - least < Rational(1, 2000),
        f"the limit is {least.n(6)}, from above",
        witness={"printed": str(printed), "derived": str(least.n(8))},
    )


@LEDGER.claim(
    "Section 5.2: alpha at tau = 0.9",
    r"m = 10, \tau = 0.9, n large: no collapse for \alpha \in [0.804, 1]",
    result="supcl-threshold",
)
def alpha_at_nine_tenths(printed: Fraction = Fraction(804, 1000)) -> Verdict:
    least = many_instances(Fraction(9, 10))
    rounded = decided(
        abs(Rational(printed) - least) < Rational(1, 2000),
        f"the limit is {least.n(6)}",
        witness={"printed": str(printed), "derived": str(least.n(8))},
    )
    if rounded.word != "agrees":
        return rounded
    return needs_condition(
        "0.804 read as a value rounded to three digits",
        rounded,
        decided(
            Rational(printed) > least,
            "alpha_min falls to its limit as n grows",
            witness={
                "point": {"m": "10", "tau": "9/10", "alpha": "0.804", "n": "any"},
                "printed": "no collapse",
                "derived": f"alpha_min > {least.n(6)}",
            },
        ),
        "0.804 itself is below alpha_min for every n; 0.805 is safe",
    )


@LEDGER.claim(
    "Section 5.2: limit of alpha_min",
    r"the minimum \alpha converges to \frac{1}{n} as \tau \to 0",
    result="supcl-threshold",
)
def alpha_min_limit(printed: Formula = lambda: 1 / n) -> Verdict:
    return equal(printed(), results["supcl-threshold"].alpha_min_tau_0, SHAPE)


@LEDGER.claim(
    "Section 5.2: alpha > 1/n",
    r"\alpha must always be greater than \frac{1}{n}; in particular \alpha \ge \frac{1}{n}",
    result="supcl-threshold",
)
def alpha_above(printed: Formula = lambda: 1 / n) -> Verdict:
    return is_below_alpha_min(printed())


def printed_limit() -> Expr:
    """The limit of tau_max as printed."""
    return 1 / ((1 - 1 / m) * log(1 + (1 - alpha) / alpha * m, evaluate=False))


@LEDGER.claim(
    "Section 5.2: limit of tau_max",
    r"the maximum \tau converges to ((1 - \frac{1}{m})\log(1 + \frac{1-\alpha}{\alpha}m))^{-1}",
    result="supcl-threshold",
)
def tau_max_limit(printed: Formula = printed_limit) -> Verdict:
    return equal(printed(), results["supcl-threshold"].tau_max_n_oo, MIXED)


def half_and_half(classes: int) -> Expr:
    """tau_max for alpha = 1/2 and n to infinity."""
    point = {alpha: S.Half, m: Integer(classes)}
    return results["supcl-threshold"].tau_max_n_oo.evalf(subs=point)


@LEDGER.claim(
    "Section 5.2: alpha = 0.5",
    r"at \alpha = 0.5 the condition reduces to \tau \lesssim \frac{1}{\log m}",
    result="supcl-threshold",
)
def alpha_half(printed: Callable[[int], Expr] = lambda k: 1 / log(Integer(k))) -> Verdict:
    # The exact 1/((1 - 1/m) log(1 + m)) is above 1/log m by a factor below 1 + 1/(m - 1).
    ratios = {k: (half_and_half(k) / printed(k)).n() for k in (10, 10**6)}
    wrong = {k: r for k, r in ratios.items() if not 1 < r < 1 + Rational(1, k - 1)}
    return decided(
        not wrong,
        "the ratio of the two at m = 10 and m = 10^6",
        "leading order for many classes; the bound is 1/((1 - 1/m) log(1 + m)), a little more",
        grade=Grade.SAMPLED,
        witness={"ratio": {str(k): str(r.n(6)) for k, r in wrong.items()}},
    )


@LEDGER.claim(
    "Section 5.2: tau = 0.1",
    r"\tau = 0.1 is a reasonable choice unless m \ge \exp(10)",
    result="supcl-threshold",
)
def tau_one_tenth(printed: int = 22026) -> Verdict:
    # floor(exp(10)) = 22026: the last number of classes that the text calls safe.
    largest = {k: half_and_half(k) for k in (printed, 22035, 22036)}
    tenth = Rational(1, 10)
    return decided(
        bool(printed < exp(10).n() < printed + 1)
        and bool(min(largest[printed], largest[22035]) > tenth > largest[22036]),
        "alpha = 1/2 and n to infinity, at m = 22026, 22035 and 22036",
        "for n to infinity tau = 0.1 is still safe up to m = 22035",
        witness={"printed": str(printed), "derived": str(largest[printed])},
    )


@LEDGER.claim(
    "Section 5.2: tau <= 1/log(m) is necessary",
    r"to avoid class collapse it is necessary that \alpha \ge \frac{1}{n} "
    r"and \tau \le \frac{1}{\log m}",
    result="supcl-threshold",
)
def tau_necessary(printed: Formula = lambda: 1 / log(m)) -> Verdict:
    grid = product((2, 3, 10), (2, 5, 100), ("9/10", "51/100", "999/1000"))
    points = [{m: S(k), n: S(j), alpha: Rational(a)} for k, j, a in grid]
    tau_max = results["supcl-threshold"].tau_max
    both_at = ((p, tau_max.xreplace(p).n(12), printed().xreplace(p).n(12)) for p in points)
    broken = next((row for row in both_at if row[1] > row[2]), None)  # one is enough
    witness = {}
    if broken is not None:
        point, largest, bound = broken
        witness = {
            "point": {k: str(v) for k, v in _by_name(point).items()},
            "printed": str(bound),
            "derived": str(largest),
        }
    return decided(
        broken is None,
        f"the largest tau without collapse, at {'a point' if broken else f'{len(points)} points'}",
        "tau may be up to tau_max, which is larger here, and arbitrarily large as alpha goes to 1; "
        "for alpha = 1/2 and n to infinity tau <= 1/log(m) is sufficient, not necessary",
        grade=Grade.EXACT if broken else Grade.SAMPLED,
        witness=witness,
    )
