"""The losses on the CCEM, as derived, and the embedding sets on which they are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Expr, Poly, S, exp, expand, log, sqrt, symbols

from ...decide.calculus import derivative
from ...decide.domain import Domain, Range
from ...decide.evidence import Evidence
from ...decide.present import tidy
from ...losses.clip import INFONCE, SIGMOID, b, t
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import delta, x
from ...results import results
from ...structures.towers import NEGATIVE, POSITIVE, WITHIN, N, towers
from ..checks import Relation, both, equal, on_embeddings
from ..towers import Towers, assorted, ccem, position
from ..verdict import Verdict
from ._domains import TWO

Lines = Callable[[Towers], Sequence[Any]]


@cache
def inner() -> dict[str, Expr]:
    """Inner products of the CCEM, by relation."""
    model = results["ccem"]
    return {
        "self": S.One,
        POSITIVE: model.positive,
        NEGATIVE: model.negative,
        WITHIN: model.within_modality,
    }


@cache
def sigmoid() -> Expr:
    """The declared sigmoid loss on the CCEM."""
    count = {r.name: r.count for r in towers().relations}
    return sum(
        (count[a.relation] * a.weight * a.at(inner()[a.relation]) for a in SIGMOID.terms), S.Zero
    )


@cache
def infonce() -> Expr:
    """The declared InfoNCE loss on the CCEM."""
    return ReducedLoss(INFONCE, towers()).value(inner())


def in_share(expression: Expr) -> Expr:
    """Write a function of delta**2 in x = delta**2/(1 + delta**2), the share of the way."""
    return expression.xreplace({delta: sqrt(x / (1 - x))})


@cache
def slope_in_share() -> Expr:
    """Derivative of the sigmoid loss in x, which is linear on the Gram segment."""
    share = {r: tidy(g.expand().xreplace({delta**2: x / (1 - x)})) for r, g in inner().items()}
    count = {r.name: r.count for r in towers().relations}
    loss = sum(
        (count[a.relation] * a.weight * a.at(share[a.relation]) for a in SIGMOID.terms), S.Zero
    )
    return derivative(loss, x)


def slope_at(end: int, **point: object) -> Expr:
    """That derivative at the simplex (0) or at the antipodal structure (1)."""
    values = {s: S(point[s.name]) for s in (N, t, b) if s.name in point}
    return slope_in_share().xreplace({x: S(end)}).subs(values)


def sign_at(end: int, items: int, warmth: object, bias: object) -> int:
    """Sign of the slope at an end: the loss rises there (1), is level (0) or falls (-1)."""
    at = slope_at(end, N=items, t=warmth, b=bias)
    if equal(at, S.Zero, Domain({}, {})).word == "agrees":
        return 0
    return 1 if at.evalf(30) > 0 else -1


@cache
def least_sigmoid(items: int, warmth: Fraction, bias: Fraction) -> Any:
    """The least sigmoid loss, as derived."""
    return results["sigmoid-optimum"].value("loss", 40, N=items, t=warmth, b=bias)


# --- the function h ------------------------------------------------------------------------
@cache
def least_negatives(items: int, alignment: Fraction) -> Fraction:
    """Sum over i != j of u_i.v_j on the CCEM with u_i.v_i = alignment: the paper's h."""
    return sum(ccem(items, position(alignment)).negatives(), Fraction(0))


@cache
def certificate() -> Verdict:
    """That h(c) bounds the sum over the negatives from below, for every N.

    With P, Q and W the sums of u_i.v_i, of u_i.v_j and of u_i.u_j + v_i.v_j over i != j, the
    difference is N/4 times the spread of the u_i - v_i, plus N^2/4 |mean u + mean v|^2.
    """
    near, far, within = symbols("P Q W", real=True)
    steps = 2 * N - 2 * near
    squares = {k: (2 * N + within + 2 * k * (near + far)) / N**2 for k in (1, -1)}
    share = (1 - near / N) / (1 + near / N)
    # In lowest terms, which is the limit at P = -N, where delta is infinite.
    least = tidy(N * (N - 1) * inner()[NEGATIVE].expand().xreplace({delta**2: share}))
    slack = N * (steps - N * squares[-1]) / 4 + N**2 * squares[1] / 4
    domain = TWO
    for s in (near, far, within):
        domain = domain.with_range(s, Range(-S.Infinity), S.One)
    return equal(far - least, slack, domain)


def backed_by(result: str, tried: Verdict) -> Verdict:
    """What agrees on embedding sets and was derived as well has the evidence of the derivation."""
    if tried.word != "agrees":
        return tried
    proved = results[result].evidence
    how = f"derivation of {result} ({proved.how}); also {tried.evidence.how}"
    return tried._replace(evidence=Evidence(proved.grade, how))


# --- comparing -----------------------------------------------------------------------------
def chain(
    lines: Lines,
    relations: Iterable[Relation],
    cases: Iterable[Towers] | None = None,
    where: Callable[[Towers], bool] = lambda _: True,
) -> Verdict:
    """Test a chain ``line_0 rel_1 line_1 rel_2 ...`` on embedding sets, link by link."""
    sets = tuple(assorted() if cases is None else cases)

    def link(k: int) -> Callable[[Towers], tuple[Any, Any]]:
        def sides(w: Towers) -> tuple[Any, Any]:
            found = lines(w)
            return found[k], found[k + 1]

        return sides

    verdicts = [on_embeddings(link(k), r, sets, where=where) for k, r in enumerate(relations)]
    return both(*verdicts)


def same_logs(printed: Expr, derived: Expr, domain: Domain) -> Verdict:
    """Compare sums of logarithms whose coefficients are polynomials in N.

    For each power of N the exponential of its coefficient must be one, which is enough.
    """
    residual = expand(printed - derived, log=False, power_exp=False)
    logs = sorted(residual.atoms(log), key=str)
    rest = residual.xreplace(dict.fromkeys(logs, S.Zero))
    powers: dict[int, Expr] = {0: exp(rest)}
    for a in logs:
        for (k,), coefficient in Poly(residual.coeff(a), N).terms():
            powers[k] = powers.get(k, S.One) * a.args[0] ** coefficient
    verdicts = [equal(product, S.One, domain) for product in powers.values()]
    if all(v.word == "agrees" for v in verdicts):
        return both(*verdicts)
    return equal(printed, derived, domain)


# --- pairs of convex functions ---------------------------------------------------------------
Function = Callable[[Any], Any]
#: Convex decreasing and convex increasing on [-1, 1]: strictly, kinked, linear. All exact.
SQUARES: tuple[Function, Function] = (lambda y: (1 - y) ** 2, lambda y: (1 + y) ** 2)
HINGES: tuple[Function, Function] = (
    lambda y: max(Fraction(0), Fraction(1, 2) - y),
    lambda y: max(Fraction(0), Fraction(1, 2) + y),
)
LINES: tuple[Function, Function] = (lambda y: -y, lambda y: y)
PAIRS = (SQUARES, HINGES, LINES)


def total_loss(w: Towers, pair: tuple[Function, Function]) -> Any:
    """The loss of the form (5): a sum over all pairs."""
    positive, negative = pair
    return sum(map(positive, w.positives()), Fraction(0)) + sum(
        map(negative, w.negatives()), Fraction(0)
    )


# --- the derivative in delta at b = t, as printed in Appendix B.4 ------------------------------
@cache
def warm_exponents() -> tuple[Expr, Expr]:
    """The exponents -t (-2 delta^2)/(1 + delta^2) and t (N/(N-1) + 2 delta^2)/(1 + delta^2)."""
    below = 1 + delta**2
    return t * (2 * delta**2) / below, t * (N / (N - 1) + 2 * delta**2) / below


@cache
def printed_g() -> Expr:
    """g(N, t, delta) as printed."""
    first, second = warm_exponents()
    return (4 - N) + 2 * exp(second) - (N - 2) * exp(-first)


@cache
def slope_in_delta() -> Expr:
    """Derivative of the sigmoid loss in delta at b = t."""
    return derivative(sigmoid().xreplace({b: t}), delta)
