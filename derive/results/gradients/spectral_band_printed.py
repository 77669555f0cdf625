"""The paper's spectral gradient band, coefficient by coefficient: where it holds, where it is idle.

It splits M - z+ into three parts, A = -epsilon z+, B = epsilon times the mean of the negatives and
C = C^(1) + C^(2), and adds up three times their squares: epsilon^2, epsilon^2/N, and for C^(1) and
C^(2) epsilon^2 sigma/tau^2 and c epsilon^2 sigma^2/tau^4. The second is an expectation of negatives
without correlation, and the fourth fails for any c, as the softmax of many logits is far from its
first order where tau is small. Three times the first alone is all but the trivial 4 epsilon^2.
"""

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Ge, Le, Poly, Rational, S, Symbol, exp, expand, sqrt

from ...decide.domain import FREE, POSITIVE, Domain, Range, at_least, between, region
from ...decide.present import tidy
from ...losses.setting import INFONCE_OF_BATCH
from ...losses.softmax import tau
from ...optimum.threshold import Criterion, threshold
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt
from ...theorem.bounds import About, Bounds
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._bounded import bounds, configuration
from ._identity import state_identity
from ._readings import (
    MEANINGS,
    N,
    c,
    domain_of,
    epsilon,
    in_own_ranges,
    mean_epsilon_squared,
    mean_epsilon_squared_sigma,
    mean_epsilon_squared_sigma_squared,
    mean_norm,
    mu,
    n,
    readings,
    sigma,
    sigma_hat,
)
from ._spectrum import MOST_SQUARE, state_participation, state_rayleigh

PARAMETERS = readings(
    "n tau epsilon sigma c mean_norm mean_epsilon_squared mean_epsilon_squared_sigma "
    "mean_epsilon_squared_sigma_squared sigma_hat"
)
DOMAIN = domain_of(*PARAMETERS)
#: Four squares of the parts A, B, C^(1), C^(2) over epsilon^2, as printed.
PARTS: dict[str, Expr] = {
    "error": S.One,
    "sampling": 1 / N,
    "spectrum": sigma / tau**2,
    "remainder": c * sigma**2 / tau**4,
}
#: From the inequality for the square of a sum of three, and the factor of the gradient.
FACTOR = 3 / tau**2

CASES = {
    # All negatives opposite to the positive, at a high temperature: the mean is no sampling term.
    "COINCIDENT": configuration("4", anchor="1", positive="1", negatives="-1; -1; -1; -1")
}
AT_ANCHOR = r"""
upper_printed | printed squared_gradient <= U | COINCIDENT
    printed upper bound for one anchor, equation (5) without the expectation
    proved where proved_if holds, or sigma >= sigma_idle
upper_printed_mean | printed squared_gradient <= U_{\mathrm{mean}} |
    printed upper bound for one anchor with the squared norm of the mean of the negatives in the
    place of 1/N, its expectation for uncorrelated negatives
    proved where proved_if holds, or sigma >= sigma_idle, and the mean of the negatives is no
    shorter than 1/sqrt(N)
sampling_printed | printed squared_sampling <= b | COINCIDENT
    printed value of the sampling part B, its expectation if the negatives are uncorrelated and
    epsilon does not depend on them
    proved if the mean of the negatives is no longer than 1/sqrt(N)
linear_printed | printed squared_linear <= c^{(1)} |
    printed bound of the linear part, which is in fact at most sigma times this
remainder_printed | printed squared_remainder <= c^{(2)} |
    printed bound of the remainder of the linear part
    proved where all similarities are equal
"""
IN_THE_MEAN = r"""
batch_upper_printed | printed mean_squared_gradient <= \bar U |
    printed upper bound for a batch, equation (9)
    proved where proved_if holds, or sigma >= sigma_idle, for the sigma of every anchor
proxy_upper_printed | printed mean_squared_gradient <= \bar U_{\mathrm{proxy}} |
    printed upper bound for a batch by its own spectrum, equations (6) and (10)
    proved where proved_if holds, or sigma >= sigma_idle, for n sigma_hat/(n - 2)
"""


#: What is bounded, where numbers of a configuration are put in.
GRADIENT, REMAINDER = Symbol("squared_gradient"), Symbol("squared_remainder")
MEAN_GRADIENT = Symbol("mean_squared_gradient")


def _at_axes(d: int, heat: Rational) -> dict[Symbol, Expr]:
    """Readings of a batch of 4 d vectors, two at either end of d axes, positives being opposite.

    All anchors are alike: one negative is the anchor, one the positive, and the others are
    orthogonal to both. So the mean of the negatives is zero, and m is a multiple of the anchor.
    """
    w, across = exp(1 / heat), 4 * (d - 1)
    negatives = w + 1 / w + across
    share = negatives / (negatives + 1 / w)
    own = S(4) / (4 * d - 2)
    along, first = (w - 1 / w) / negatives, own / 2 / heat  # <z, m>, and to first order
    gradient = (share / heat) ** 2 * (1 + along) ** 2
    return {
        n: S(4 * d),
        tau: heat,
        c: S.Half,
        epsilon: share,
        sigma: own,
        mean_norm: S.Zero,
        sigma_hat: S.One / d,
        mean_epsilon_squared: share**2,
        mean_epsilon_squared_sigma: share**2 * own,
        mean_epsilon_squared_sigma_squared: share**2 * own**2,
        GRADIENT: gradient,
        MEAN_GRADIENT: gradient,
        REMAINDER: share**2 * (along - first) ** 2,
    }


AXES_FOR = (
    "3200 vectors, two at either end of 800 axes, with opposite positives, tau = 1/10 and c = 1/2"
)


def build(proof: Derivation) -> dict[str, Quantity]:
    state_identity(proof)
    terms = {name: FACTOR * part for name, part in PARTS.items()}
    whole = sum(terms.values(), S.Zero)
    mu_safe = _safe(proof)
    state_rayleigh(proof)
    state_participation(proof)
    idle = _idle(whole, proof)
    most = (1 + sqrt(MOST_SQUARE)) ** 2
    coefficients = {
        "error": FACTOR,
        "sampling": FACTOR / N,
        "spectrum": FACTOR / tau**2,
        "remainder": FACTOR * c / tau**4,
    }
    batch = (
        (coefficients["error"] + coefficients["sampling"]) * mean_epsilon_squared
        + coefficients["spectrum"] * mean_epsilon_squared_sigma
        + coefficients["remainder"] * mean_epsilon_squared_sigma_squared
    )
    proxy = whole.xreplace({sigma: n * sigma_hat / N}) * mean_epsilon_squared
    measured = whole.xreplace({terms["sampling"]: FACTOR * mean_norm**2})
    named = {f"of {name}": e for name, e in coefficients.items()}
    constants = {
        "upper_printed": named,
        "upper_printed_mean": {**named, "of sampling": FACTOR},
        "batch_upper_printed": named,
        "proxy_upper_printed": named,
        "linear_printed": {"of epsilon^2 sigma": tau**-2},
        "remainder_printed": {"of epsilon^2 sigma^2": c / tau**4},
    }
    more: dict[str, dict[str, Any]] = {name: {"constants": e} for name, e in constants.items()}
    for name in (
        "upper_printed_mean",
        "batch_upper_printed",
        "proxy_upper_printed",
        "remainder_printed",
    ):
        more[name] |= {"fails_at": _at_axes(800, Rational(1, 10)), "fails_for": AXES_FOR}
    at_anchor = {
        "upper_printed": epsilon**2 * whole,
        "upper_printed_mean": epsilon**2 * measured,
        "sampling_printed": epsilon**2 / N,
        "linear_printed": epsilon**2 * PARTS["spectrum"],
        "remainder_printed": epsilon**2 * PARTS["remainder"],
    }
    in_the_mean = {"batch_upper_printed": batch, "proxy_upper_printed": proxy}
    terms_of = {
        "error": "epsilon^2 (error A)",
        "sampling": "epsilon^2 (sampling B)",
        "spectrum": "epsilon^2 sigma (linear part of C)",
        "remainder": "epsilon^2 sigma^2 (remainder of C)",
    }
    found: dict[str, Quantity] = {
        f"coefficient_{name}": Quantity(
            coefficients[name], rf"k_{{\mathrm{{{name}}}}}", f"printed coefficient of {what}"
        )
        for name, what in terms_of.items()
    }
    found |= {
        **bounds(About.ANCHOR, AT_ANCHOR, at_anchor, CASES, more),
        **bounds(About.BATCH, IN_THE_MEAN, in_the_mean, CASES, more),
        "mu_safe": mu_safe,
        **idle,
        "proved_if": Quantity(
            Le(most, tau**2 * whole, evaluate=False),
            r"C_{\mathrm{proved}}",
            "condition under which the printed bound for one anchor is proved: it is at least the "
            "proved bound epsilon^2 (1 + mu)^2/tau^2 for the largest mu that the spectrum allows",
            domain_of(n, tau, sigma, c),
        ),
    }
    _counterexamples(found, proof)
    return in_own_ranges(found, DOMAIN)


def _counterexamples(found: Mapping[str, Quantity], proof: Derivation) -> None:
    """Put in, for every printed bound, the numbers at which it fails."""
    nothing = Domain({}, {})
    for name, q in found.items():
        if isinstance(q, Bounds) and q.fails_at:
            proof.holds(
                f"The printed bound {name} is false: the number it bounds is larger",
                gt(q.fails_at[Symbol(q.bounded)], q.expression.xreplace(dict(q.fails_at))),
                f"both numbers are for {q.fails_for}",
                nothing,
            )


def _safe(proof: Derivation) -> Quantity:
    """How long m may be, so that three times epsilon^2 is enough."""
    gradient = (1 + mu) ** 2
    unit = region({mu: between(0, 1)})
    proof.holds(
        "tau^2 times the squared gradient is at most epsilon^2 (1 + mu)^2",
        ge(gradient - (1 + mu**2 - 2 * Symbol("c_m", real=True)), 0),
        "tau^2 times the squared gradient is epsilon^2 |m - z+|^2 = epsilon^2 (1 + mu^2 - 2 c_m) "
        "with c_m = <m, z+> >= -mu",
        unit.with_range(Symbol("c_m", real=True), between(-mu, 1), 0),
    )
    criterion = Criterion(
        "the first term of the printed bound is at least the squared gradient for every direction "
        "of m",
        Le(gradient - 3, 0, evaluate=False),
    )
    found = threshold(criterion, mu, unit, proof)
    return Quantity.from_threshold(found, "mu_safe", r"\mu_{\mathrm{safe}}")


def _idle(whole: Expr, proof: Derivation) -> dict[str, Quantity]:
    """From which sigma on the printed band is no better than the trivial bound."""
    ratio = Symbol("ratio", positive=True)
    excess = tidy((tau**2 * whole).xreplace({sigma: ratio * tau**2}) - 4)
    few = Range(S(3), S(5), False, False, integer=True)
    some = region({n: few, ratio: POSITIVE, c: FREE})
    proof.holds(
        "For N <= 3 the printed bound is never better than the trivial bound",
        ge(excess, 0),
        "tau^2/epsilon^2 times the difference of the bounds is this expression, with ratio = "
        "sigma/tau^2; its constant term 3 (1 + 1/N) - 4 is at least 0",
        some,
    )
    more = some.with_range(n, at_least(6), 6).with_range(c, POSITIVE, 1)
    criterion = Criterion(
        "the printed bound for one anchor is no better than the trivial 4 epsilon^2/tau^2",
        Ge(excess, 0, evaluate=False),
    )
    threshold(criterion, ratio, more, proof)
    meant = region({n: at_least(6), c: FREE})
    square, linear, constant = Poly(excess, ratio).all_coeffs()
    below = linear + sqrt(tidy(linear**2 - 4 * square * constant))
    idle = -2 * constant / below
    proof.equal(
        "The excess vanishes at ratio = -2 constant/(linear + root), a form that is also defined "
        "for c = 0",
        {
            "excess_there": (
                expand(
                    square * 4 * constant**2 - 2 * linear * constant * below + constant * below**2
                ),
                0,
            )
        },
        "this value is substituted into the excess times the square of the denominator; the "
        "excess changes sign once",
        meant,
        also=[gt(below, 0)],
    )
    return {
        "ratio_idle": Quantity(
            idle,
            r"(\sigma/\tau^2)_{\mathrm{idle}}",
            f"{criterion.says} iff sigma/tau^2 >= ratio_idle; always for N <= 3",
            meant,
        ),
        "sigma_idle": Quantity(
            tau**2 * idle,
            r"\sigma_{\mathrm{idle}}",
            f"{criterion.says} iff sigma >= sigma_idle",
            meant.with_range(tau, POSITIVE, 1),
            bound=(sigma, ">="),
        ),
    }


RESULT = Result(
    "spectral-band-printed",
    title="The printed spectral bounds of the squared InfoNCE gradient",
    source="ochieng2025diversity, Theorem 1.1, equations (5), (6), (9), (10)",
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    subject=INFONCE_OF_BATCH,
)
