"""What the paper says of the optima of SupCon and Soft SupCon on the sphere."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import mpmath
import numpy as np

from ...language.digits import CLOSE
from ...language.quantities import compare, mp, text
from ..records.family import size
from ..records.points import ONE, ZERO
from ..records.run import Findings, Point, Values, named_check
from .supcon import (
    SAME,
    Floats,
    Rows,
    bound,
    is_regular,
    loss,
    of_classes,
    optimum,
    shares,
    slopes,
    spread,
    upper,
)

#: What the loss above its bound may differ by relatively, where cosines are known to SAME.
RELATIVE = 1e-6
#: How far from the optimum rivals are looked at.
SHARES = (1.0, 0.5, 0.1)


def number(at: Point, name: str) -> Fraction:
    """A rational letter of the point."""
    return Fraction(str(at[name]))


def sizes_at(at: Point) -> tuple[int, ...]:
    """C classes: half of them of size ell, the others of size p, if there is one."""
    count, ell = size(at, "C"), size(at, "ell")
    first = (count + 1) // 2
    return (ell,) * first + (size(at, "p", ell),) * (count - first)


def excess(sizes: tuple[int, ...], cosines: Floats, tau: Fraction) -> Any:
    """The SupCon loss of a matrix of cosines above the entropic bound, in as many digits as small
    temperatures need."""
    w = of_classes(sizes)
    s = [[mp(Fraction(float(v))) / mp(tau) for v in row] for row in cosines]
    return loss(w, s) - bound(w)


def soft_excess(sizes: tuple[int, ...], cosines: Floats, tau: Fraction, between: Fraction) -> float:
    """The same for Soft SupCon, where there is more left of it."""
    w = np.array([[float(v) for v in row] for row in of_classes(sizes, between)])
    s = (cosines - 1) / float(tau)
    off = ~np.eye(len(w), dtype=bool)
    norms = np.log((np.exp(s) * off).sum(1))
    p = w * off / (w * off).sum(1)[:, None]
    found = (p * (norms[:, None] - s + np.log(np.where(off, p, 1)))).sum() / len(w)
    return float(found)


def full(sizes: tuple[int, ...], cosines: Floats) -> Floats:
    """Cosines of all samples, where classes are collapsed."""
    owner = [c for c, ell in enumerate(sizes) for _ in range(ell)]
    found: Floats = cosines[np.ix_(owner, owner)]
    return found


def rivals(n: int) -> list[Floats]:
    """Matrices of cosines: any, of any rank, and the degenerate ones."""
    drawn = np.random.default_rng(n)
    found = [np.ones((n, n)), np.eye(n), np.eye(n) * (1 + 1 / max(n - 1, 1)) - 1 / max(n - 1, 1)]
    for d in (1, 2, n):
        z = drawn.normal(size=(n, d))
        z /= np.linalg.norm(z, axis=1)[:, None]
        found.append(z @ z.T)
    return found


@named_check("the minimiser of SupCon")
def minimiser(at: Point, tau: Any, *, values: Values) -> Findings:
    """All of its minimisers over the cosine matrices have ``same`` as cosines inside classes (if
    said), and there are ``many`` of them (if said); of Soft SupCon in R^q, if there is an
    epsilon."""
    between = number(at, "epsilon") if "epsilon" in at else ZERO
    lower = lowered(at) if between else None
    yield lower is None, f"as good as collapsed classes: {lower}"
    holds, says = searched(sizes_at(at), tau, between)
    if not holds:
        yield holds, says
        return
    yield "many" not in values or values["many"] == 1, "there is one"
    yield values.get("same", 1) == 1, "classes are collapsed"


def lowered(at: Point) -> str | None:
    """Cosines of R^q other than those of collapsed classes at which Soft SupCon has its least loss.

    The loss does not change with a number that all different entries share, and with no other
    difference is it as low. Taken from the optimum of collapsed classes a number leaves a matrix of
    cosines as far as (1, ..., 1) allows, and there its rank is n - 1.
    """
    sizes, tau, epsilon = sizes_at(at), number(at, "tau"), number(at, "epsilon")
    n, count = sum(sizes), len(sizes)
    if "q" not in at or size(at, "q") < n - 1 or len(set(sizes)) > 1:
        return None
    beta = 1 + mp(tau) * mpmath.log(mp(epsilon))
    left = 1 + (count - 1) * beta  # of the sum of all prototypes
    if not compare(left, ZERO, ">"):
        return None
    by = mpmath.mpf(n) / count * left / (n - 1)
    return f"cosines {text(1 - by)} in classes and {text(beta - by)} between"


@cache
def searched(sizes: tuple[int, ...], tau: Fraction, between: Fraction) -> tuple[bool | None, str]:
    """Whether what is optimal among collapsed classes has less loss than all other cosines."""
    n = sum(sizes)
    best = full(sizes, optimum(sizes, tau, between)) if min(sizes) > 1 else np.ones((n, n))
    slack = mpmath.mpf(10) ** (-12 if between else -45)

    def value(cosines: Floats) -> Any:
        if between:
            return soft_excess(sizes, cosines, tau, between)
        return excess(sizes, cosines, tau)

    least = value(best)
    for rival in rivals(n):
        apart = float(np.abs(rival - best).max())
        for share in SHARES:
            found = value((1 - share) * best + share * rival)
            if apart < SAME or found > least * (1 + RELATIVE) + slack:
                continue
            if found < least * (1 - RELATIVE) - slack:
                return None, "what was found is not the least"
            tie = "cosine matrices, collapsed and not, have the same loss"
            return False, f"{tie}, the least: {text(bound(of_classes(sizes, between)) + least)}"
    return True, ""


@named_check("cosines by sizes")
def by_sizes(at: Point, tau: Any, *, values: Values, apart: Any) -> Findings:
    """At the optimum, cosines of pairs of classes of the same sizes differ by ``apart``; also from
    those beside one class more (``alone`` 1)."""
    sizes = sizes_at(at)
    yield values.get("alone", 1) == 1, "nothing is said"
    pairs: dict[tuple[int, ...], list[float]] = {}
    for some in (sizes, (*sizes, sizes[0])) if "alone" in values else (sizes,):
        g = optimum(some, tau, by_size=False)
        for i in range(len(some)):
            for j in range(i):
                pairs.setdefault(tuple(sorted((some[i], some[j]))), []).append(float(g[i, j]))
    gaps = [max(some) - min(some) for some in pairs.values()]
    yield all(abs(v - apart) < SAME for v in gaps) or not gaps, "they differ"


@named_check("rank of the optimum")
def rank(at: Point, tau: Any, *, most: Any) -> Findings:
    """The prototypes at the optimum span at most ``most`` dimensions."""
    sizes = sizes_at(at)
    values = np.linalg.eigvalsh(optimum(sizes, tau))
    found = int((values > 1e-4).sum())
    yield found <= most, f"the rank is {found}"


@named_check("SupCon is uniform")
def is_uniform(at: Point, tau: Any, *, uniform: Any) -> Findings:
    """All classes of the optimum are at the same angles (``uniform`` 1), or not (0).

    The loss rises in every cosine, so that a uniform optimum is the regular simplex.
    """
    found = is_regular(sizes_at(at), tau)
    yield found == uniform, "it is uniform" if found else "it is not uniform"


@named_check("small classes together")
def small_together(ell: int, p: int, m: int, tau: Any, N: int, q: int = 0, *, by: Any) -> Findings:
    """Of m classes of size ell, N of size p > ell and q of size 2 p, those of fewer samples than
    the average are nearer to each other than any others are (``by`` 1), or two of the smallest are
    at the largest cosine (``by`` 2)."""
    sizes = (ell,) * m + (p,) * N + (2 * p,) * q
    yield by in (1, 2), "nothing is said"
    g = optimum(sizes, tau)
    pairs = list(combinations(range(len(sizes)), 2))
    if by == 2:
        smallest = sorted(sizes)[:2]
        near = [k for k in pairs if sorted((sizes[k[0]], sizes[k[1]])) == smallest]
        rest = [k for k in pairs if k not in near]
    else:
        mean = Fraction(sum(sizes), len(sizes))
        near = [k for k in pairs if max(sizes[k[0]], sizes[k[1]]) < mean]
        rest = [k for k in pairs if k not in near]
    if not near or not rest:
        return
    low, high = min(near, key=lambda k: g[k]), max(rest, key=lambda k: g[k])
    first, second = ([sizes[i] for i in k] for k in (low, high))
    told = f"of {first[0]} and {first[1]} samples the cosine is {g[low]:.4f}, "
    yield bool(g[low] >= g[high] - SAME), told + f"of {second[0]} and {second[1]} {g[high]:.4f}"


@named_check("soft cosine")
def soft_cosine(
    at: Point, C: int, epsilon: Any, tau: Any, ell: int = 2, *, values: Values
) -> Findings:
    """``beta`` is the cosine of classes of one size at the optimum of Soft SupCon: it is one that
    points can have, and no other one has less loss (which is convex in it)."""
    beta = mp(values["beta"])
    least = mp(Fraction(-1, C - 1))
    yield beta >= least and beta <= 1, f"{C} points cannot all be at the cosine {text(beta)}"
    lower = lowered(at)
    yield lower is None, f"as good: {lower}"
    sizes = (ell,) * C
    w = of_classes(sizes, epsilon)

    def at_cosine(b: Any) -> Any:
        rows = [[ONE if i == j else b for j in range(C)] for i in range(C)]
        return loss(w, spread(sizes, rows, tau))

    own = at_cosine(beta)
    for step in (mpmath.mpf(10) ** -6, -(mpmath.mpf(10) ** -6)):
        says = f"{text(beta)} is not the optimal cosine"
        yield not least <= beta + step <= 1 or at_cosine(beta + step) >= own, says


@named_check("soft cosines and sizes")
def soft_and_sizes(at: Point, tau: Any, epsilon: Any, *, apart: Any) -> Findings:
    """The cosines of Soft SupCon on these sizes differ by ``apart`` from those on one size."""
    sizes = sizes_at(at)
    found, even = (upper(optimum(s, tau, epsilon)) for s in (sizes, (2,) * len(sizes)))
    gap = float(np.abs(found - even).max())
    told = f"the cosines are {found.min():.4f} to {found.max():.4f}, and on one size {even[0]:.4f}"
    yield bool(abs(gap - apart) < SAME * 10), told


@named_check("simplex is optimal")
def simplex_is_optimal(
    C: int, tau: Any, ell: int = 0, n: int = 0, q: int | None = None, *, cosine: Any
) -> Findings:
    """In R^q the prototypes of SupCon on classes of one size (ell, or n) are a regular simplex, at
    ``cosine``, whose points sum to zero."""
    yield C > 1, "one unit vector does not sum to zero"
    says = f"a regular simplex of {C} points needs {C - 1} dimensions"
    yield q is None or q >= C - 1, says
    yield compare(cosine, Fraction(-1, C - 1), "="), "such points do not sum to zero"
    yield is_regular((ell or n,) * C, tau), "the slopes are not the same"


@named_check("any classes are at a uniform simplex")
def uniform(
    C: int, tau: Any, epsilon: Any, *, critical: Any = None, regular: Any = None
) -> Findings:
    """For all sizes a simplex with one cosine is optimal for Soft SupCon: the one that attains the
    bound up to the temperature ``critical``, and the regular one beyond; or the regular one at all
    temperatures (``regular`` 1)."""
    yield regular in (None, 1), "nothing is said"
    uneven = [[*[2] * (C - 1), 3], [*[2] * (C - 1), 4], [*[4] * (C - 1), 2]]
    if regular is None and mp(tau) <= mp(critical):
        g = 1 + mp(tau) * mpmath.log(mp(epsilon))
        flat = all(abs(f) <= CLOSE * 10 for f in slopes(uneven[0], tau, epsilon, g))
        says = f"the cosine {text(g)} cannot be had or is not optimal"
        yield flat and g >= mp(-1) / (C - 1) - CLOSE, says
        return
    for sizes in uneven:
        says = f"of classes of {', '.join(map(str, sizes))} the slopes at the regular simplex: "
        told = ", ".join(text(f) for f in slopes(sizes, tau, epsilon))
        yield is_regular(sizes, tau, epsilon), says + told


@named_check("diagonal blocks replaced")
def replaced(at: Point, tau: Any, *, blocks: bool) -> Findings:
    """Setting to 1/tau the diagonal of a matrix of cosines over tau (``blocks`` 0), or its diagonal
    blocks (``blocks`` 1), leaves a matrix of cosines over tau, and lowers the loss, whose inner
    cosines were less."""
    sizes = sizes_at(at)
    count, n = len(sizes), sum(sizes)
    owner = np.array([c for c, ell in enumerate(sizes) for _ in range(ell)])
    same = owner[:, None] == owner[None, :]
    for inner in (0.0, 0.5):
        means = np.eye(count) * (1 - inner) + inner if count > 1 else np.ones((1, 1))
        g = 0.25 * means[np.ix_(owner, owner)]
        g[same] = 0.25
        np.fill_diagonal(g, 1)
        new = g.copy()
        if blocks == 1:
            new[same] = 1
        np.fill_diagonal(new, 1)
        yield np.linalg.eigvalsh(new).min() >= -1e-09 * n, "a negative form"
        says = "the loss is not less: the diagonal was 1/tau before"
        yield excess(sizes, new, tau) < excess(sizes, g, tau) * (1 - RELATIVE), says


@named_check("log-sum-exp between minima")
def between_minima(at: Point, tau: Any, t: Any, *, left: Any, right: Any) -> Findings:
    """At t S + (1 - t) S', of two minima, the weighted sum of log-sum-exp is ``left`` times that at
    S plus ``right`` times that at S'."""
    sizes = sizes_at(at)
    n, w = sum(sizes), of_classes(sizes)
    best = full(sizes, optimum(sizes, tau))
    minima = [best, best]
    if len(sizes) == 1:  # any matrix whose different entries are all the same
        minima = [np.eye(n) * (1 - b) + b for b in (0.25, -1 / max(n - 1, 1))]
    one, other = ([[mp(Fraction(float(v)) / tau) for v in row] for row in m] for m in minima)
    between = [
        [mp(t) * a + mp(1 - t) * b for a, b in zip(*rows, strict=True)]
        for rows in zip(one, other, strict=True)
    ]

    def total(s: Rows) -> Any:
        """The sum over pairs, where the shares of a row have the sum 1."""
        rows = [sum((mp(v) for v in row), mpmath.mpf(0)) for row in shares(w)]
        logs = [mpmath.log(mpmath.fsum(mpmath.exp(v) for v in others(s, i))) for i in range(n)]
        return mpmath.fsum(a * b for a, b in zip(rows, logs, strict=True))

    told = mp(left) * total(one) + mp(right) * total(other)
    found = total(between)
    yield compare(found, told, "="), f"{text(found)}, not {text(told)}"


def others(s: Rows, i: int) -> list[Any]:
    """A row without its diagonal."""
    return [v for j, v in enumerate(s[i]) if j != i]


@named_check("the loss rises in the cosine")
def rises(at: Point, C: int, ell: int, tau: Any, *, sign: Any) -> Findings:
    """The loss of classes of one size at the cosine beta, minus that at x < beta, has this sign."""
    sizes, values = (ell,) * C, []
    with mpmath.workdps(150):  # at small temperatures little changes
        for name in ("x", "beta"):
            b = number(at, name)
            rows = [[ONE if i == j else b for j in range(C)] for i in range(C)]
            values.append(loss(of_classes(sizes), spread(sizes, rows, tau)))
        gap = values[1] - values[0]
        good = gap * sign.numerator > mpmath.mpf(10) ** -120
    yield bool(good), f"the difference is {text(gap)}"
