"""What the paper says of sets of vectors that no formula says: least losses, ranks, existence."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import POSITIVE, Domain
from ...decide.evidence import Evidence, Grade, Holds, Outcome
from ...language.quantities import NoValue, as_number, compare, mp, root, text
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import CNCE, SUP_CNCE, SUPCL
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import delta, x
from ...results import results
from ...results.classes._supcl import ssem_segment
from ...structures.hierarchy import hierarchy
from ...vectors.embeddings import Embeddings, mean
from ..digits import stored_cells
from ..records.families import sets_in, ssem
from ..records.family import size
from ..records.points import ONE, ZERO
from ..records.run import Findings, Point, Values, named_check, named_proof
from .sets import declared_value

#: Losses have some 48 digits after the point, and near tau = 0 those of different sets agree in
#: the first forty. The least one on the SSEM is found to twenty.
CLOSE, FOUND = mpmath.mpf(10) ** -46, mpmath.mpf(10) ** -20


def numbers(at: Point) -> dict[str, Any]:
    """Temperature and weight of a point."""
    return {k: as_number(at[k]) for k in ("alpha", "tau") if k in at}


def longest(m: int, n: int) -> Fraction:
    """The largest delta**2 for which there is an SSEM."""
    if m * n == 1 or n == 1:
        return ONE
    return Fraction(m * n - 1, m * (n - 1))


def squared(delta: Any) -> Fraction:
    """The square of a printed delta, which is rational; its sign is looked at by the caller."""
    if isinstance(delta, Fraction):
        return delta**2
    found = Fraction(str(mpmath.nstr(delta**2, 30))).limit_denominator(10**6)
    if not compare(Fraction(found), delta**2, "="):
        raise NoValue("the square of delta is not rational")
    return found


def one_of(m: int, n: int, delta: Any, p: int = 1) -> Embeddings | None:
    """The SSEM for a printed delta, or None where there is none."""
    try:
        return ssem(m, n, p, squared(delta)) if compare(delta, ZERO, ">=") else None
    except ValueError:
        return None


def same(one: Embeddings, other: Embeddings) -> bool:
    """Whether two sets are equal up to a rotation."""
    return all(one.ip(a, b) == other.ip(a, b) for a in one.everything for b in one.everything)


def is_ssem(e: Embeddings) -> bool:
    """Whether a set, with two instances of a class at least, is an SSEM."""
    inside = e.ip((0, 0, 0), (0, 1, 0))
    found = (1 - inside) * Fraction(e.m * e.n - 1, e.m * e.n)
    return found <= longest(e.m, e.n) and same(e, ssem(e.m, e.n, e.p, found))


@named_check("ssem exists up to")
def exists_up_to(m: int, n: int, *, values: Values) -> Findings:
    """There is an SSEM for 0 <= delta <= ``end``, and for no larger delta."""
    end = squared(values["end"])
    yield compare(values["end"], ZERO, ">="), f"delta in 0 .. {text(values['end'])}"
    for part in (ZERO, Fraction(1, 2), ONE):
        says = f"there is none with delta^2 = {end * part}"
        yield one_of(m, n, root(end * part)) is not None, says
    beyond = end + Fraction(1, 1000)
    yield n <= 1 or one_of(m, n, root(beyond)) is None, f"there is one with delta^2 = {beyond} too"


@named_check("minimisers")
def minimisers(at: Point, *, values: Values, alpha: Any) -> Findings:
    """Of all sets in R^d, the SSEM at ``delta`` has the least loss at ``alpha``, and it alone."""
    yield 0 <= alpha <= 1, "alpha is in [0, 1]"
    yield from _least(SUPCL, at, values, alone=True)


@named_check("one minimiser of cNCE")
def one_minimiser(at: Point, *, values: Values) -> Findings:
    """No set in R^d has a smaller L_cNCE than the SSEM at ``delta``."""
    return _least(CNCE, at, values, alone=False)


def _least(loss: SoftmaxLoss, at: Point, values: Values, *, alone: bool) -> Findings:
    m, n, p, d = (size(at, k, 1) for k in "mnpd")
    best = one_of(m, n, values["delta"], p)
    yield best is not None, "there is no such SSEM"
    assert best is not None
    yield best.rank <= d, f"it needs {best.rank} dimensions", best
    known = {**numbers(at), **{k: values[k] for k in ("alpha",) if k in values}}
    least = declared_value(loss, best, **known)
    rivals = [*sets_in(m, n, p, d), *(ssem(m, n, p, q) for q in (ZERO, Fraction(1, 2), ONE))]
    rivals.append(ssem(m, n, p, longest(m, n)))
    for e in rivals:
        if e.rank > d:
            continue
        found = declared_value(loss, e, **known)
        tie = abs(found - least) <= CLOSE
        if (found < least and not tie) or (alone and tie and not same(e, best)):
            says = f"its loss is {text(found)}, that of the SSEM {text(least)}"
            yield False, says, e


@cache
def best_position(m: int, n: int, alpha: Any, tau: Any) -> tuple[Any, Any]:
    """The delta**2 of the best SSEM by bisection of the slope, and the loss there."""

    def at(q: Fraction) -> Any:
        return declared_value(SUPCL, ssem(m, n, 1, q), alpha=alpha, tau=tau)

    low, high = ZERO, longest(m, n)
    step = high / 10**6
    with mpmath.workdps(50):
        if at(step) >= at(ZERO):
            return ZERO, at(ZERO)
        if at(high - step) >= at(high):
            return high, at(high)
        # Convex in delta**2: the sign of a difference says on which side the least is.
        for _ in range(40):
            middle = Fraction((low + high) / 2).limit_denominator(10**14)
            if at(middle + step / 10**4) > at(middle):
                high = middle
            else:
                low = middle
        middle = (low + high) / 2
        near = Fraction(middle).limit_denominator(10**4)
        chosen = near if at(near) <= at(middle) else middle
        return chosen, at(chosen)


@named_check("minimisers are SSEM")
def minimisers_are_ssem(at: Point, *, top: Any) -> Findings:
    """Every minimiser in R^d is an SSEM, with one delta in [0, ``top``], which all of it needs."""
    m, n, p, d = (size(at, k, 1) for k in "mnpd")
    if n == 1 and at["alpha"] != 1:
        raise NoValue("the mean over no positives has no value")
    yield n != 1, "delta is not unique: all of them give one set", ssem(m, 1, p, ZERO)
    where, _ = best_position(m, n, *numbers(at).values())
    least = declared_value(SUPCL, ssem(m, n, p, where), **numbers(at))
    says = f"the best SSEM has delta^2 = {text(where)}"
    yield where <= top**2 + Fraction(1, 1000) and (not compare(top, ZERO, "<")), says
    says = f"at alpha = 1 the best SSEM has delta^2 = {text(where)}"
    yield at["alpha"] != 1 or compare(where, top**2, "="), says
    if ssem(m, n, p, where).rank > d:  # of those that fit, which are at the ends
        ends = [ssem(m, n, p, q) for q in (ZERO, ONE, longest(m, n))]
        losses = [declared_value(SUPCL, e, **numbers(at)) for e in ends if e.rank <= d]
        yield losses, f"no SSEM fits into {d} dimensions", ends[0]
        least = min(losses)
    for e in sets_in(m, n, p, d):
        found = declared_value(SUPCL, e, **numbers(at))
        if found < least - FOUND:
            yield False, f"its loss is {text(found)}, the least on SSEM {text(least)}", e
        elif found < least + CLOSE and not is_ssem(e):
            yield False, f"its loss is the least on SSEM, {text(least)}, and it is no SSEM", e


@named_check("classes cannot be separated")
def not_separated(m: int, n: int, d: int, *, by: Any) -> Findings:
    """Where the class means coincide, classes share a vector (``by`` 0), or no hyperplane has
    them on different sides (``by`` 1)."""
    for e in sets_in(m, n, 1, d):
        if e.between_variance() != 0 or m == 1:
            continue
        first, second = e.of_class(0), e.of_class(1)
        if by == 1:
            # A hyperplane between them would be between their means.
            apart = e.sq_dist(mean(first), mean(second)) != 0
        elif by == 0:
            apart = all(e.mean_sq_dist([a], [b]) != 0 for a in first for b in second)
        else:
            apart = True
        yield not apart, "the variance is 0, and no vector is in both classes", e


@named_check("beyond the simplex")
def beyond_the_simplex(at: Point, m: int, n: int) -> Findings:
    """At ``alpha`` and ``tau`` an SSEM beyond delta = 1 has less SUP_CNCE than all before."""

    def loss(q: Fraction) -> Any:
        return declared_value(SUP_CNCE, ssem(m, n, 1, q), **numbers(at))

    # Convex in delta**2: a fall just beyond 1 puts the least beyond it.
    good = bool(loss(ONE + Fraction(1, 1000)) < loss(ONE))
    yield good, "the loss rises beyond delta = 1", ssem(m, n, 1, ONE)


# --- What the paper says of the class-conditional InfoNCE loss on all sets and on the SSEM ---
@named_check("cNCE is least on the SSEM")
def least_on_ssem(at: Point, *, values: Values, to: Any) -> Findings:
    """No set in R^d has a smaller L_cNCE than all SSEM, which have ``from`` <= delta <= ``to``.

    The least one on these is sought on a grid of delta^2 with both ends.
    """
    m, n, p, d = (size(at, k, 1) for k in "mnpd")
    low, high = squared(values["from"]), squared(to)
    if n == 1:
        raise NoValue("the range of delta has no end")
    if (low, high) != (ZERO, longest(m, n)):
        says = f"there are SSEM for delta^2 in 0 .. {longest(m, n)}, not {low} .. {high}"
        yield False, says
    grid = [ssem(m, n, p, low + (high - low) * Fraction(k, 6)) for k in range(7)]
    least = min(declared_value(CNCE, e, **numbers(at)) for e in grid)
    for e in sets_in(m, n, p, d):
        found = declared_value(CNCE, e, **numbers(at))
        says = f"its loss is {text(found)}, the least on SSEM {text(least)}"
        yield found >= least - CLOSE, says, e


# --- What the proof of Proposition A.5 says of one vector ---
# --- Numbers that are printed rounded ---
#: Half of the last digit of what is printed with two digits after the point.
HALF_A_DIGIT = Fraction(1, 200)


@named_check("zero to two digits")
def zero_to_two_digits(*, values: Mapping[str, Any]) -> Findings:
    """Each of the differences given is zero, but for rounding to two digits after the point."""
    for name, gap in values.items():
        yield compare(abs(mp(gap)), HALF_A_DIGIT, "<="), f"{name}: off by {text(gap)}"


# --- What rises or falls along the SSEM, proved by a derivative ---
@named_proof("h rises along the SSEM")
def h_rises(domain: Domain) -> Outcome:
    """The function whose zero is the optimum has a positive derivative in x."""
    h = results["supcl-optimum"].quantity("x_star").expression.function
    return positive(derivative(h(x), x), domain)


@named_proof("L_cNCE falls along the SSEM")
def cnce_falls(domain: Domain) -> Outcome:
    """Its derivative in x is negative, and x rises with delta: it is delta^2 at delta = 1, times
    a positive number."""
    at_one = 1 - results["ssem"].quantity("same_class").expression.xreplace({delta: 1})
    rises = positive(at_one, domain)
    if not isinstance(rises, Holds):
        return rises
    loss = ReducedLoss(CNCE, hierarchy()).value(ssem_segment().inner)
    inside = domain.restricted(derivative(loss, x).free_symbols - {x}).with_range(x, POSITIVE, 1)
    return positive(-derivative(loss, x), inside)


# --- Embeddings that were optimised in few dimensions, stored, and held against the theory ---
CELLS = "appendix_b.json"
#: A shade of a heat map over [0, 1] is told from its neighbour at a few hundredths.
SHADE = Fraction(5, 100)


@named_check("stored embeddings have the variance")
def stored_have_the_variance(at: Point, *, within: Any) -> Findings:
    """The variance within classes, and that between them, in these proportions, is as predicted.

    ``within`` 1 is the one within classes.
    """
    sizes = {name: size(at, name) for name in ("m", "n")}
    cells = stored_cells(__package__, CELLS)
    alphas, taus, measured, _ = zip(*([float(v) for v in c] for c in cells), strict=True)
    shares = {"within": float(within), "between": 1 - float(within)}
    optimum = results["supcl-optimum"]
    parts: list[Any] = [
        share * optimum.function(f"{k}_class_variance")(**sizes, alpha=alphas, tau=taus)
        for k, share in shares.items()
    ]
    gaps = [abs(a - z) for a, z in zip(sum(parts), measured, strict=True)]
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    where = f"alpha = {cells[worst][0]}, tau = {cells[worst][1]}"
    yield gaps[worst] <= SHADE, f"off by {gaps[worst]:.2g} at {where}"


@named_proof("stored embeddings")
def stored_embeddings(domain: Domain) -> Outcome:
    """How they were found: by an optimiser, each with a certified gap to the least loss."""
    cells = stored_cells(__package__, CELLS)
    gap = float(max(c[3] for c in cells))
    return Holds(Evidence(Grade.OPTIMISED, f"{len(cells)} cells, certified gaps up to {gap:.2g}"))
