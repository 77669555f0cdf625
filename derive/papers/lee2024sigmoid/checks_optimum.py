"""What the paper says of optima and of the CCEM, for the losses (1), (2) and any of the form (5).

The best CCEM is found by trisection: a loss that is convex in the inner products is convex in
the share x = delta^2/(1 + delta^2), since they are linear in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from sympy import S, lambdify, symbols

from ...decide.decide import positive, zero
from ...decide.domain import Domain, Range
from ...decide.evidence import Holds, Outcome, Undecided, weakest
from ...decide.present import tidy
from ...frozen import FrozenValue
from ...language.digits import DIGITS
from ...language.matrices import total
from ...language.quantities import NoValue, as_number, compare, mp, text
from ...losses.clip import INFONCE, SIGMOID, b, t
from ...losses.pairwise import c
from ...optimum.segment import delta
from ...results import results
from ...structures.towers import NEGATIVE, POSITIVE, N
from ...vectors.embeddings import Embeddings
from ..records.families import ccem, in_space
from ..records.family import size
from ..records.functions import Function
from ..records.points import ONE, ZERO
from ..records.run import Findings, Point, Values, named_check, named_proof
from ..towers import Towers, lifted, pairwise_value, position, softmax_value, square

Scalar = Callable[[Any], Any]
#: Losses have some 48 digits after the point, and the place of the best CCEM twenty.
CLOSE, PLACE = mpmath.mpf(10) ** -42, mpmath.mpf(10) ** -15


class Best(FrozenValue):
    """The shares x of the best CCEM, from ``first`` to ``last``; 1 is delta = oo.

    ``attained`` is false where the loss only approaches its least value towards delta = oo.
    """

    first: Any
    last: Any
    loss: Any
    attained: bool = True


def best(value: Scalar) -> Best:
    """The best CCEM for a loss given as a convex function of the share."""
    with mpmath.workdps(DIGITS):
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(260):
            one, other = (2 * low + high) / 3, (low + 2 * high) / 3
            low, high = (low, other) if value(one) <= value(other) else (one, high)
        ends = [mpmath.mpf(0), (low + high) / 2, mpmath.mpf(1)]
        at = min(ends, key=value)
        least = value(at)
        inside = value(ends[1])
        if high > 1 - PLACE and value(ends[2]) > inside + PLACE:
            return Best(ends[2], ends[2], inside, attained=False)
        return Best(_end(value, at, least, 0), _end(value, at, least, 1), least)


def _end(value: Scalar, at: Any, least: Any, end: int) -> Any:
    """How far the least value reaches towards 0 or 1."""
    good, bad = at, mpmath.mpf(end)
    if value(bad) <= least + CLOSE:
        return bad
    for _ in range(60):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if value(middle) <= least + CLOSE else (good, middle)
    return good


def on_ccem(items: int, near: Scalar, far: Scalar) -> Scalar:
    """A loss of the form (5) on the CCEM, as a function of the share."""

    def value(share: Any) -> Any:
        found = items * near(1 - 2 * share)
        if items == 1:
            return found
        # The inner products of (4) are linear in the share.
        return found + items * (items - 1) * far(-(1 - share) / (items - 1) - share)

    return value


def total_loss(w: Towers, near: Scalar, far: Scalar) -> Any:
    """A loss of the form (5) on any set."""
    return total([*map(near, w.positives()), *map(far, w.negatives())])


@cache
def best_for(items: int, near: Function, far: Function) -> Best:
    """The best CCEM for two functions."""
    return best(on_ccem(items, near.at, far.at))


def far_from(share: Any) -> str:
    """delta for a share, in words."""
    return "oo" if share > 1 - PLACE else text(mpmath.sqrt(abs(share) / (1 - share)))


# --- a range of delta as it is printed ------------------------------------------------------------
def in_range(values: Values, found: Best) -> Findings:
    """Some best delta is in the printed range (``low``, or ``above``, to ``top``).

    A range without a top is one of real numbers: delta = oo is none.
    """
    low = values["above"] if "above" in values else values["low"]
    yield compare(low, ZERO, ">="), "delta is not negative"
    yield "top" not in values or mpmath.isinf(values["top"]), "delta has no upper end"
    says = "the least value is approached as delta goes to oo, and not attained"
    yield found.attained, says
    says = "the loss falls all the way to delta = oo, where alone it is least"
    yield "top" in values or found.first <= 1 - PLACE, says
    share = mp(low) ** 2 / (1 + mp(low) ** 2)
    inside = "above" not in values and found.last >= share - PLACE
    says = f"the loss is least at delta = {far_from(found.last)} alone"
    yield inside or found.last > share + PLACE, says


# --- Theorem 1 ------------------------------------------------------------------------------------
def functions(at: Point) -> tuple[int, Function, Function]:
    """The number of items and the two functions of a point."""
    return size(at, "N"), at["l_p"], at["l_n"]


def rivals(items: int, d: int, share: Any) -> list[Towers]:
    """Sets in R^d, among them those like the CCEM on other vectors that sum to zero."""
    found = list(in_space(items, d))
    if items == 4 and share < 1 - PLACE:
        near = Fraction(mpmath.nstr(share, 30)).limit_denominator(1000)
        found.append(lifted(square(), near / (1 - near), "lifted square"))
    return found


def none_better(at: Point, found: Best) -> Findings:
    """No set has less loss than the best CCEM."""
    items, near, far = functions(at)
    for e in rivals(items, size(at, "d"), found.last):
        value = mp(total_loss(e, near.at, far.at))
        says = f"its loss is {text(value)}, that of the best CCEM {text(found.loss)}"
        yield value >= found.loss - CLOSE, says, e


def one_position(found: Best) -> Findings:
    """All CCEM with the least loss have one delta."""
    ends = far_from(found.first), far_from(found.last)
    says = f"all delta from {ends[0]} to {ends[1]} are optimal"
    yield abs(found.last - found.first) <= PLACE, says


def no_other(at: Point, found: Best) -> Findings:
    """Every set with the least loss is a CCEM, up to a rotation."""
    items, near, far = functions(at)
    for e in rivals(items, size(at, "d"), found.last) if found.attained else ():
        value = total_loss(e, near.at, far.at)
        says = f"its loss is the least, {text(value)}, and it is no CCEM"
        is_ccem = e.same_gram(ccem(e.N, position(e.alignment())))
        yield abs(mp(value) - found.loss) > PLACE**2 or is_ccem, says, e


@named_check("some CCEM is optimal")
def some_optimal(at: Point, *, values: Values) -> Findings:
    """No set in R^d has less loss than the CCEM with some delta in the given range."""
    found = best_for(*functions(at))
    yield from in_range(values, found)
    yield from none_better(at, found)


@named_check("a CCEM in R^d is optimal")
def optimal_in_space(at: Point, d: int, *, room: Any) -> Findings:
    """No set in R^d has less loss than the CCEM that R^d has room for: the antipodal structure, the
    simplex for d >= N - 1, and the others for d >= ``room``."""
    items, near, far = functions(at)
    says = f"the CCEM with delta = 1 does not need {text(room)} dimensions"
    yield items <= 1 or compare(Fraction(ccem(items, ONE).rank), room, "="), says
    found = best_for(items, near, far)
    if d < room:
        value = on_ccem(items, near.at, far.at)
        shares = [ZERO, ONE] if d >= items - 1 else [ONE]
        found = Best(shares[0], shares[-1], min(mp(value(share)) for share in shares))
    yield from none_better(at, found)


@named_check("one delta is optimal")
def one_delta(at: Point, *, count: Any) -> Findings:
    """Of the CCEM, those with one delta at most are optimal; ``count`` is one."""
    found = best_for(*functions(at))
    yield from one_position(found)
    yield compare(count, ONE, "="), f"delta = {far_from(found.first)} is optimal"


@named_check("every optimum is a CCEM")
def every_optimum(at: Point, *, count: Any) -> Findings:
    """No other set has as little loss; the ``count`` of optima up to rotation and delta is one."""
    yield from no_other(at, best_for(*functions(at)))
    yield compare(count, ONE, "="), "the CCEM are all there is"


@named_check("theorem 1")
def theorem_1(at: Point, *, values: Values) -> Findings:
    """One CCEM, with a delta in the given range, is the optimum up to rotation."""
    found = best_for(*functions(at))
    yield from in_range(values, found)
    yield from one_position(found)
    yield from none_better(at, found)
    yield from no_other(at, found)


@named_check("bounds of the proof")
def bounds_of_the_proof(at: Point, d: int, *, values: Values, factor: Any) -> Findings:
    """L >= N l(sum, h) >= N min l(sum, h) = N min over delta = min L(U(delta), V(delta))."""
    items, near, far = functions(at)
    if items == 1:
        raise NoValue("division by zero in y/(N (N - 1))")
    found = best_for(items, near, far)
    yield from in_range(values, found)
    for e in rivals(items, d, found.last):
        on = ccem(items, position(e.alignment()))
        least = sum(on.negatives(), ZERO)
        middle = factor * (
            near.at(e.alignment()) + (items - 1) * far.at(least / (items * (items - 1)))
        )
        lines = [total_loss(e, near.at, far.at), middle, found.loss]
        said = " >= ".join(text(mp(v)) for v in lines)
        yield compare(lines[0], lines[1], ">=") and mp(lines[1]) >= found.loss - CLOSE, said, e
        says = f"{text(mp(middle))} is not the loss of the CCEM"
        yield compare(middle, total_loss(on, near.at, far.at), "="), says, on


# --- the losses (1) and (2) -----------------------------------------------------------------------
@cache
def best_sigmoid(items: int, warm: Fraction, bias: Fraction) -> Best:
    """The best CCEM for N times the declared loss (2)."""
    with mpmath.workdps(DIGITS):
        hot, shift = mp(warm), mp(bias)
        return best(
            on_ccem(
                items,
                lambda y: mpmath.log(1 + mpmath.exp(shift - hot * y)),
                lambda y: mpmath.log(1 + mpmath.exp(hot * y - shift)),
            )
        )


@cache
def best_infonce(items: int, warm: Fraction) -> Best:
    """The best CCEM for the declared loss (1)."""

    def value(share: Any) -> Any:
        if items == 1:
            return mpmath.mpf(0)
        near, far = 1 - 2 * share, -(1 - share) / (items - 1) - share
        return 2 * mpmath.log(1 + (items - 1) * mpmath.exp((far - near) / mp(warm)))

    return best(value)


@cache
def least_elsewhere(
    items: int, d: int, warm: Fraction, bias: Fraction | None = None
) -> tuple[Any, Towers]:
    """The least loss of the sets in R^d that are tried, (2) with a bias and (1) without."""

    def loss(e: Towers) -> Any:
        if bias is None:
            return softmax_value(INFONCE, e, t=warm)
        return items * pairwise_value(SIGMOID, e, t=warm, b=bias)

    return min(((loss(e), e) for e in in_space(items, d)), key=lambda pair: pair[0])


def _compared(values: Values, found: Best, other: tuple[Any, Towers]) -> Findings:
    value, e = other
    yield from in_range(values, found)
    says = f"the loss is {text(value)}, on the CCEM {text(found.loss)}"
    yield value >= found.loss - CLOSE, says, e


@named_check("the best CCEM has the least sigmoid loss")
def least_sigmoid(N: int, d: int, t: Any, b: Any, *, values: Values) -> Findings:
    """The least loss of all sets in R^d is that of the CCEM with some delta in the range."""
    return _compared(values, best_sigmoid(N, t, b), least_elsewhere(N, d, t, b))


@named_check("the best CCEM has the least InfoNCE loss")
def least_infonce(N: int, d: int, t: Any, *, values: Values) -> Findings:
    """The least loss of all sets in R^d is that of the CCEM with some delta in the range."""
    return _compared(values, best_infonce(N, t), least_elsewhere(N, d, t))


def slope(items: int, share: int, warm: Any, bias: Any) -> Any:
    """The slope of the declared loss (2) in the share, at the simplex (0) or at delta = oo (1)."""
    values = {"c": 1 - 2 * share, "t": mp(warm), "b": mp(bias)}
    found = -2 * _slope_of(POSITIVE)(**values)
    if items > 1:
        values["c"] = -mpmath.mpf(1 - share) / (items - 1) - share
        found -= (items - 2) * _slope_of(NEGATIVE)(**values)
    return found


@cache
def _slope_of(relation: str) -> Callable[..., Any]:
    made: Callable[..., Any] = lambdify(
        [c, t, b], SIGMOID.total(relation).diff(c), modules="mpmath"
    )
    return made


@named_check("optimum at the ends of temperature")
def at_the_ends(at: Point, *, values: Values) -> Findings:
    """The optimum has positives ``large`` for large t, ``small`` for small t, at the same bias;
    where b = t the bias goes with t."""
    items, warm, bias = size(at, "N"), mp(as_number(at["t"])), mp(as_number(at["b"]))
    for name, far in (("large", 1000 * (1 + warm + bias)), ("small", warm / 10**6)):
        if name not in values:
            continue
        shift = far if at["t"] == at["b"] else bias
        found = ZERO
        with mpmath.workdps(DIGITS):
            if slope(items, 0, far, shift) >= 0:
                found = ONE
            elif slope(items, 1, far, shift) <= 0:
                found = -ONE
        if found == 0 or not compare(found, values[name], "="):
            what = {1: "the simplex", -1: "antipodal", 0: "neither, but between"}[int(found)]
            yield False, f"at t = {text(far)}, b = {text(shift)} the optimum is {what}"


@named_check("the CCEM contains")
def contains(at: Point, *, values: Values) -> Findings:
    """The simplex with u = v and the antipodal structure are CCEM, of delta up to ``top``."""
    for name, delta_squared in (("simplex", ZERO), ("antipodal", math.inf)):
        e = ccem(size(at, "N"), delta_squared)
        yield compare(values[name], e.alignment(), "="), f"its positives are {e.alignment()}", e
        says = "(1 - delta^2)/(1 + delta^2) is -1 for no delta >= 0"
        yield delta_squared != math.inf or mpmath.isinf(values.get("top", ZERO)), says, e


@named_check("shape of the sigmoid functions")
def shape_of_sigmoid(at: Point, *, values: Values) -> Findings:
    """The given values at c are those of the declared functions, which are convex there."""
    for relation, name, sign in ((POSITIVE, "l_p", -1), (NEGATIVE, "l_n", 1)):
        declared = SIGMOID.total(relation)
        here = {c: at["c"], t: at["t"], b: at["b"]}
        value = as_number(declared.xreplace(here))
        says = f"{name} is {text(values[name])}, in (2) {text(value)}"
        yield compare(values[name], value, "="), says
        slope = as_number(declared.diff(c).xreplace(here).evalf(DIGITS))
        bend = as_number(declared.diff(c, 2).xreplace(here).evalf(DIGITS))
        says = f"the slope of {name} is {text(slope)}, that of it {text(bend)}"
        yield sign * slope >= -CLOSE and bend >= -CLOSE, says


@named_proof("sigmoid functions")
def sigmoid_functions_bend(domain: Domain) -> Outcome:
    """The declared functions are strictly convex, one falling and one rising."""
    near, far = SIGMOID.total(POSITIVE), SIGMOID.total(NEGATIVE)
    return _all(
        positive(-near.diff(c), domain),
        positive(far.diff(c), domain),
        positive(near.diff(c, 2), domain),
        positive(far.diff(c, 2), domain),
    )


def _all(*outcomes: Outcome) -> Outcome:
    """All of them, or the first that does not hold."""
    for one in outcomes:
        if not isinstance(one, Holds):
            return one
    return Holds(weakest([o.evidence for o in outcomes if isinstance(o, Holds)]))


# --- Lemma 1 --------------------------------------------------------------------------------------
@named_check("one CCEM has the least negatives")
def least_negatives(at: Point, d: int, *, values: Values) -> Findings:
    """One CCEM has mean positives c, the least sum of negatives, and ``vectors`` vectors."""
    items, mean = size(at, "N"), as_number(at["c"])
    yield d >= max(items, 2), "there is no unit vector in R^0, and so no CCEM"
    yield mean != -1, "(1 - delta^2)/(1 + delta^2) is -1 for no delta >= 0"
    e = ccem(items, position(mean))
    least = sum(e.negatives(), ZERO)
    yield e.alignment() == mean, f"its positives have the mean {e.alignment()}", e
    for w in _with_alignment(items, d, mean):
        yield sum(w.negatives(), ZERO) >= least, f"its negatives add up to less than {least}", w
    says = f"it has {e.distinct()} different vectors"
    many = Fraction(e.distinct())
    yield "vectors" not in values or compare(many, values["vectors"], "="), says, e


@named_check("another set has the least negatives")
def another_least(*, items: Any) -> Findings:
    """For that many items another set has as small a sum of negatives, and is no CCEM."""
    if items != 4:
        yield None, "no such set is known"
    e, on = lifted(square(), ONE), ccem(4, ONE)
    as_small = sum(e.negatives(), ZERO) == sum(on.negatives(), ZERO)
    good = as_small and e.alignment() == on.alignment() and not e.is_double_constant()
    yield good, "it is no minimiser, or the CCEM", e


@cache
def _with_alignment(items: int, d: int, mean: Fraction) -> tuple[Towers, ...]:
    """Sets in R^d whose positives have a given mean: lifted ones, which span one more dimension."""
    bases = [Embeddings.random(items, 1, 1, d - 1, seed) for seed in range(3)]
    bases.append(Embeddings.from_vectors(items, 1, 1, [[1] + [0] * (d - 2)] * items))
    if items == 4 and d >= 3:
        bases.append(square())
    return tuple(lifted(w, position(mean)) for w in bases)


@named_proof("least negatives")
def least_negatives_proof(domain: Domain) -> Outcome:
    """The CCEM has the least sum of negatives for its positives, for every N.

    With P, Q and W the sums of u_i.v_i, of u_i.v_j and of u_i.u_j + v_i.v_j over i != j, the
    difference is N/4 times the spread of the u_i - v_i, plus N^2/4 |mean u + mean v|^2.
    """
    if domain.ranges[N].low < 1:
        return Undecided("only for N >= 1")
    # For N = 1 there are no negatives, and the sum of none is least.
    model = results["ccem"]
    known = {name: q.expression for name, q in model.quantities.items()}
    near, far, within = symbols("P Q W", real=True)
    steps = 2 * N - 2 * near
    squares = {k: (2 * N + within + 2 * k * (near + far)) / N**2 for k in (1, -1)}
    share = (1 - near / N) / (1 + near / N)
    # In lowest terms, which is the limit at P = -N, where delta is infinite.
    least = tidy(N * (N - 1) * known["negative"].expand().xreplace({delta**2: share}))
    slack = N * (steps - N * squares[-1]) / 4 + N**2 * squares[1] / 4
    line = Range(-S.Infinity)
    items = Domain({N: model.domain.ranges[N]}, {N: 4})
    every = items
    for s in (near, far, within):
        every = every.with_range(s, line, S.One)
    inside = items.with_range(delta, Range(), S.One)
    # One delta for each mean, and for 0 < delta < oo all vectors differ.
    falls = -known["positive"].diff(delta)
    apart = [1 - g for g in (known["positive"], known["negative"], known["within_modality"])]
    return _all(
        zero(far - least - slack, every),
        *(positive(e, inside) for e in (falls, *apart)),
    )


@named_proof("delta of the mean")
def delta_of_the_mean(domain: Domain) -> Outcome:
    """With delta^2 = (1 - c)/(1 + c) the positives are c, and it falls strictly with c > -1."""
    known = domain.ranges[c]
    if known.low != -1 or not known.low_open:
        return Undecided("only for c > -1")
    line = Domain({c: known}, {c: S.Zero})
    squared = (1 - c) / (1 + c)
    positive_pairs = results["ccem"].quantity("positive").expression
    positives = positive_pairs.expand().xreplace({delta**2: squared})
    return _all(zero(positives - c, line), positive(-squared.diff(c), line))
