"""What the paper says of weights that may be zero: Sections 3.7 and D.1."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import mpmath

from ...frozen import FrozenValue
from ...language.quantities import NoValue, compare, mp, text
from ..records.points import ONE, ZERO
from ..records.run import Findings, Point, Values, named_check
from .supcon import (
    Rows,
    bound,
    has_zero,
    loss,
    of_classes,
    optimum,
    shares,
    some_weights,
    spread,
)

#: How near to a limit something must come, and where it is looked at.
NEAR = mpmath.mpf(10) ** -10
FAR = (10, 20, 40)


@named_check("optimum of the limit")
def optimum_of_limit(C: int, ell: int, *, of: Any) -> Findings:
    """As the weight between classes goes to 0: of what there is no convergence to the optimum of
    SupCon, the least loss (``of`` 0) or the configurations (``of`` 1), on some set of
    similarities. The sets are all symmetric ones, Euclidean ones, and those on the sphere."""
    sizes = (ell,) * C
    if of == 1:
        # Soft SupCon in a Euclidean space has -log(epsilon) as squared distance: unbounded.
        steps = [-mpmath.log(mpmath.mpf(10) ** -k) for k in FAR]
        yield len(sizes) > 1 and steps[-1] > 2 * steps[0], "one class has no such weight"
        return
    yield of == 0, "there are losses and configurations"
    hard = bound(of_classes(sizes))
    gaps = [abs(bound(of_classes(sizes, Fraction(1, 10**k))) - hard) for k in FAR]
    apart = gaps[-1] > NEAR
    if len(sizes) > 1:
        tau = ONE
        w = of_classes(sizes)
        least = loss(w, spread(sizes, optimum(sizes, tau).tolist(), tau))
        small = Fraction(1, 10**9)
        soft = optimum(sizes, tau, small).tolist()
        near = loss(of_classes(sizes, small), spread(sizes, soft, tau))
        apart = apart or abs(near - least) > 10**-6
    says = "the minima of the losses converge to the minimum of the loss, on every set of S"
    yield bool(apart), says


@named_check("bound on the sphere")
def bound_on_the_sphere(at: Point, C: int, ell: int, *, gap: bool) -> Findings:
    """The least loss of SupCon on the sphere is above the entropic bound (``gap`` 1), or is it
    (``gap`` 0)."""
    sizes = (ell,) * C
    tau, w = Fraction(str(at["tau"])), of_classes(sizes)
    regular = Fraction(-1, len(sizes) - 1) if len(sizes) > 1 else ONE
    best = [[ONE if a == b else regular for b in sizes_of(sizes)] for a in sizes_of(sizes)]
    with mpmath.workdps(150):  # near temperature 0 little is left
        found, least = loss(w, spread(sizes, best, tau)), bound(w)
        above = found - least > mpmath.mpf(10) ** -120
    good = above == (gap == 1)
    says = f"the minimum of the loss is {text(found)}, "
    says += f"the bound {text(least)}" if above else "which is the bound"
    yield good, says


def sizes_of(sizes: tuple[int, ...]) -> range:
    """The classes."""
    return range(len(sizes))


@named_check("euclidean quasi-optima")
def quasi_optima(C: int, q: int, ell: int, *, shapes: Any) -> Findings:
    """Points of a Euclidean space come within 1e-10 of the bound, as classes go apart, in
    ``shapes`` ways that are not similar: prototypes m mu_c, or regular simplices as classes, if
    they fit."""
    sizes = (ell,) * C
    w = of_classes(sizes)
    wanted = int(shapes)
    yield wanted >= 1, "some are said to exist"
    if C == 2 and q >= ell - 1:
        yield from _two_simplices(ell, wanted)
        return
    chosen = [_prototypes(C, q, k) for k in range(wanted)]
    for one, other in combinations(chosen, 2):
        yield not _similar(one, other), f"{C} prototypes are similar, however they are chosen"
    for mus in chosen:
        s = [[-(mpmath.mpf(20) ** 2) * _square(a, b) for b in mus] for a in mus]
        every = spread(sizes, s, ONE)
        gap = loss(w, every) - bound(w)
        yield gap < NEAR, f"the loss is {text(gap)} above the bound"


def _two_simplices(ell: int, wanted: int) -> Findings:
    """Two classes with equal distances inside each, in another ratio for each shape, far apart: the
    squared distances across are about m^2, and matter by e^(-m^2) only."""
    w = of_classes((ell, ell))
    for k in range(wanted):
        inside = (1, k + 1)
        s = [
            [-mpmath.mpf(inside[i // ell] if i // ell == j // ell else 400) for j in range(2 * ell)]
            for i in range(2 * ell)
        ]
        gap = loss(w, s) - bound(w)
        yield gap < NEAR, f"the loss is {text(gap)} above the bound"


def _prototypes(count: int, q: int, k: int) -> list[list[Fraction]]:
    """Different points on a line, the last one farther for larger k."""
    places = [*range(count - 1), count - 1 + k]
    return [[Fraction(v), *([ZERO] * (q - 1))] for v in places]


def _square(a: list[Fraction], b: list[Fraction]) -> Any:
    return mp(sum(((s - t) ** 2 for s, t in zip(a, b, strict=True)), ZERO))


def _similar(one: Rows, other: Rows) -> bool:
    """Whether distances in their order are proportional."""
    found = []
    for points in (one, other):
        pairs = list(combinations(range(len(points)), 2))
        squares = sorted(_square(list(points[i]), list(points[j])) for i, j in pairs)
        found.append([v / squares[-1] for v in squares] if squares else [])
    return all(compare(a, b, "=") for a, b in zip(*found, strict=True))


@named_check("triangles of prototypes")
def triangles(q: int, ell: int, *, near: Any) -> Findings:
    """Three prototypes at the corners of an equilateral, a right-angled and a scalene triangle,
    which fit into q dimensions, come within ``near`` of the bound."""
    yield 0 < near < 1, "what is small is positive"
    yield q >= 2, "there are no such triangles on a line"
    squares = {"equilateral": (1, 1, 1), "right-angled": (1, 1, 2), "scalene": (2, 5, 10)}
    w = of_classes((ell,) * 3)
    for name, (a, b, c) in squares.items():
        table = [[0, a, b], [a, 0, c], [b, c, 0]]
        m = 1
        while m < 2**20:
            s = [[-(mpmath.mpf(m) ** 2) * v for v in row] for row in table]
            if loss(w, spread((ell,) * 3, s, ONE)) - bound(w) <= mp(near):
                break
            m *= 2
        else:
            yield False, f"the {name} one does not come so near"


class Sequence(FrozenValue):
    """Weights, similarities S^(m) far along a sequence, and what exp(S^(m)) goes to."""

    what: str
    w: Rows
    s: Rows
    v: Rows

    @property
    def gap(self) -> Any:
        """What the loss is above the bound."""
        return loss(self.w, self.s) - bound(self.w)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Two different points."""
        return [(i, j) for i in range(len(self.w)) for j in range(len(self.w)) if i != j]

    @property
    def agrees(self) -> bool:
        """Whether exp(S^(m)), each row over its sum, is near to W, each row over its sum."""
        near = shares([[mpmath.exp(mp(v)) for v in row] for row in self.s])
        wanted = shares(self.w)
        return all(abs(near[i][j] - mp(wanted[i][j])) < NEAR for i, j in self.places)

    @property
    def vanishes(self) -> bool:
        """Whether a row of the limit is 0 off the diagonal."""
        return any(not any(r[:i] + r[i + 1 :]) for i, r in enumerate(map(list, self.v)))

    def multiples(self, *, joint: bool) -> bool:
        """Whether the limit is a positive multiple of W: one of all of W, or of each part of it
        that is connected, and 0 between parts."""
        owner = _parts(self.w)
        factors: dict[int, set[Any]] = {}
        for i, j in self.places:
            if self.w[i][j] == 0:
                if self.v[i][j] != 0:
                    return False
                continue
            factors.setdefault(0 if joint else owner[i], set()).add(self.v[i][j] / self.w[i][j])
        return all(len(some) == 1 and min(some) > 0 for some in factors.values())


def _parts(w: Rows) -> list[int]:
    """The part of each point, where weights connect."""
    owner = list(range(len(w)))
    for _ in w:
        for i, row in enumerate(w):
            for j, v in enumerate(row):
                if v != 0:
                    owner[i] = owner[j] = min(owner[i], owner[j])
    return owner


def sequences(n: int) -> list[Sequence]:
    """Of n points, whose exponentials are bounded."""
    far, every = FAR[-1], range(n)
    small = Fraction(1, 10**far)
    path = [[Fraction(abs(i - j) == 1) for j in every] for i in every]
    two = [[Fraction((i < 2) == (j < 2)) for j in every] for i in every]

    def labelled(what: str, w: Rows, v: Rows) -> Sequence:
        return Sequence(what, w, [[mpmath.log(mp(x + small)) for x in row] for row in v], v)

    def changed(w: Rows, factor: Callable[[int, int], Fraction]) -> Rows:
        return [
            [x * factor(min(i, j), max(i, j)) for j, x in enumerate(r)] for i, r in enumerate(w)
        ]

    twice = changed(path, lambda i, j: Fraction(2))
    found = [labelled("similar ones", path, twice)]
    if n > 2:
        line = [[-mpmath.mpf(far) * (i - j) ** 2 for j in every] for i in every]
        none = [[Fraction(i == j) for j in every] for i in every]
        uneven = changed(path, lambda i, j: Fraction(1 + (i == 0)))
        found += [
            Sequence(f"{n} points of a line at equal distances that grow", path, line, none),
            labelled("similarities that favour one pair", path, uneven),
        ]
    if n > 3:
        halves = changed(two, lambda i, j: Fraction(1, 1 + (j > 1)))
        near = [[x or Fraction(1, 9) for x in row] for row in two]
        found.append(labelled("classes of two and the others", two, halves))
        found.append(labelled("near classes", two, near))
    return found


@named_check("where the bound is optimal")
def where_optimal(n: int, *, values: Values, joint: bool) -> Findings:
    """On a sequence of similarities, whose exponentials are bounded, the loss goes to the bound
    iff the exponentials go to a positive multiple of W: one for all of W (``joint`` 1), or one for
    each part of W that is connected, and 0 between (``joint`` 0); where no row of the limit is 0,
    if ``rows`` is 1. If there is ``shares``, the rows over their sums go to those of W instead."""
    yield joint in (0, 1) and values["rows"] in (0, 1), "W is taken as a whole, or by parts"
    for one in sequences(n):
        if values["rows"] == 1 and one.vanishes:
            continue
        goes = bool(one.gap < NEAR)
        said = one.agrees if "shares" in values else one.multiples(joint=joint == 1)
        if said != goes:
            rows = "; ".join(" ".join(map(str, row)) for row in one.v)
            how = "goes" if goes else "does not go"
            yield False, f"{one.what}: the loss {how} to the bound, exp(S) to ({rows})"


@named_check("the loss in the limit")
def in_the_limit(n: int, *, rows: bool, more: Any) -> Findings:
    """Where the loss goes to the bound, that is the loss at the limit V of the exponentials, and
    the cross-entropy of p_V, on the pairs, less ``more``; where no row of V is 0, if ``rows`` is
    1."""
    for one in sequences(n):
        if not one.gap < NEAR or (rows == 1 and one.vanishes):
            continue
        yield not one.vanishes, f"no value: 0/0 in a row of V, of {one.what}"
        p, v = shares(one.w), shares(one.v)
        kept = [(p[i][j], v[i][j]) for i, j in one.places if p[i][j] != 0]
        cross = -mpmath.fsum(mp(a) / n * mpmath.log(mp(b) / n) for a, b in kept)
        told = cross - mp(more)
        says = f"{text(told)}, and the bound is {text(bound(one.w))}"
        yield compare(told, bound(one.w), "="), says


@named_check("loss along a sequence")
def along_a_sequence(n: int, *, times: Any) -> Findings:
    """If exp(S^(m)) goes to ``times`` W, then the loss goes to the bound."""
    yield times > 0, "a limit of exponentials is not negative, nor 0 in a row"
    for w in some_weights(n, zeros=True):
        for k in (20, 40):
            small = mpmath.mpf(10) ** -k
            moved = [[times * v for v in row] for row in w]
            s = [
                [mpmath.log(mp(v) + small * (1 + i * j)) for j, v in enumerate(row)]
                for i, row in enumerate(moved)
            ]
            gap = loss(w, s) - bound(w)
        yield abs(gap) < NEAR, f"the loss stays {text(gap)} from the bound"


@named_check("classes that are well-conditioned")
def well_conditioned(C: int, p: int, ell: int, *, least: Any) -> Findings:
    """The weights of SupCon give every row some iff all classes have ``least`` samples."""
    sizes = (ell,) * C + (p,)
    try:
        shares(of_classes(sizes))
    except NoValue as error:
        yield min(sizes) < least, str(error)
        return
    yield bool(min(sizes) >= least), "they are well-conditioned"


@named_check("classes that leave zeros")
def leave_zeros(C: int, ell: int, *, least: Any) -> Findings:
    """The weights of SupCon have zeros iff there are ``least`` classes."""
    found = has_zero(of_classes((ell,) * C))
    yield found == (C >= least), "there are zeros" if found else "none"
