"""Section D.2 on symmetries: permutations of samples, averages over them, and log-sum-exp."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import mpmath
import numpy as np

from ...language.quantities import compare, mp, text
from ..records.points import ZERO
from ..records.run import Findings, Point, Values, named_check
from .checks_supcon import rivals, sizes_at
from .supcon import loss, of_classes, some_similarities, some_weights

Permutation = tuple[int, ...]
Table = Sequence[Sequence[Any]]


def acted(s: Permutation, x: Table) -> list[list[Any]]:
    """(sX)_ij = X_s(i)s(j)."""
    return [[x[s[i]][s[j]] for j in range(len(s))] for i in range(len(s))]


def after(s: Permutation, t: Permutation) -> Permutation:
    """The product st: first t, then s."""
    return tuple(s[k] for k in t)


def power(s: Permutation, k: int) -> Permutation:
    """A power, also a negative one."""
    found = tuple(range(len(s)))
    step = s if k >= 0 else tuple(s.index(i) for i in range(len(s)))
    for _ in range(abs(k)):
        found = after(found, step)
    return found


def some_permutations(n: int) -> list[Permutation]:
    """All of few, and some of many."""
    if n <= 4:
        return list(permutations(range(n)))
    drawn = random.Random(n)
    return [tuple(drawn.sample(range(n), n)) for _ in range(12)]


def generators(sizes: tuple[int, ...]) -> list[Permutation]:
    """Of the symmetries of SupCon weights: neighbours in a class, and classes of one size."""
    starts = [sum(sizes[:c]) for c in range(len(sizes))]
    n, found = sum(sizes), []
    for start, ell in zip(starts, sizes, strict=True):
        found += [_exchanged(n, [(start + k, start + k + 1)]) for k in range(ell - 1)]
    for c, one in enumerate(sizes):
        for d in range(c):
            if sizes[d] == one:
                pairs = [(starts[c] + k, starts[d] + k) for k in range(one)]
                found.append(_exchanged(n, pairs))
    return found


def _exchanged(n: int, pairs: Sequence[tuple[int, int]]) -> Permutation:
    found = list(range(n))
    for a, b in pairs:
        found[a], found[b] = found[b], found[a]
    return tuple(found)


def averaged(sizes: tuple[int, ...], x: Table) -> list[list[Any]]:
    """The mean over all symmetries of the weights: over the orbits of places."""
    n, moves = sum(sizes), generators(sizes)
    left = {(i, j) for i in range(n) for j in range(n)}
    found = [[ZERO] * n for _ in range(n)]
    while left:
        orbit, new = set(), {left.pop()}
        while new:
            orbit |= new
            new = {(s[i], s[j]) for i, j in new for s in moves} - orbit
        left -= orbit
        mean = sum((x[i][j] for i, j in orbit), ZERO) / len(orbit)
        for i, j in orbit:
            found[i][j] = mean
    return found


@named_check("permutations act")
def act(n: int, *, order: Any) -> Findings:
    """pi (sigma X) is (pi sigma) X (``order`` 1) or (sigma pi) X (``order`` 2), where a product
    takes its right factor first."""
    yield order in (1, 2), "there are two orders"
    x = [[Fraction(n * i + j) for j in range(n)] for i in range(n)]
    for pi in some_permutations(n):
        for sigma in some_permutations(n):
            product = after(pi, sigma) if order == 1 else after(sigma, pi)
            one, other = ("".join(str(k + 1) for k in s) for s in (pi, sigma))
            says = f"pi = {one}, sigma = {other} (images of 1, 2, ...)"
            yield acted(pi, acted(sigma, x)) == acted(product, x), says


@named_check("loss of a permuted matrix")
def of_permuted(n: int, *, values: Values) -> Findings:
    """The loss of sigma S is that of S with sigma^``power`` W as weights."""
    for w in some_weights(n, zeros=True):
        for s in some_similarities(n)[:1]:
            for sigma in some_permutations(n)[:12]:
                turned = acted(power(sigma, int(values["power"])), w)
                found, told = loss(w, acted(sigma, s)), loss(turned, s)
                yield compare(found, told, "="), f"{text(found)}, not {text(told)}"


@named_check("rank of mixtures")
def rank_of_mixtures(n: int, q: int, *, more: Any) -> Findings:
    """Some mixture of cosine matrices of rank at most q has a rank larger by ``more``."""
    yield more >= 1, "larger by nothing is not larger"
    drawn = np.random.default_rng(n + 10 * q)
    for _ in range(4):
        both = []
        for _ in range(2):
            z = drawn.normal(size=(n, q))
            z /= np.linalg.norm(z, axis=1)[:, None]
            both.append(z @ z.T)
        if np.linalg.matrix_rank(sum(both), tol=1e-9) >= q + more:
            return
    yield False, "mixtures have no larger rank"


def symmetries(sizes: tuple[int, ...]) -> list[Permutation]:
    """All of SupCon weights: what the generators reach."""
    moves = generators(sizes)
    found, new = set(), {tuple(range(sum(sizes)))}
    while new:
        found |= new
        new = {after(s, t) for s in moves for t in new} - found
    return sorted(found)


@named_check("averaging lowers the loss")
def averaging(at: Point, *, extra: Any) -> Findings:
    """The mean of S over the symmetries of W is a matrix of cosines over tau, has these symmetries,
    and has at most the loss of S plus ``extra``, and just that where S has all of them; for all
    cosine matrices and temperatures."""
    sizes = sizes_at(at)
    w, tau = of_classes(sizes), Fraction(str(at["tau"]))
    for rival in rivals(sum(sizes)):
        s = [[Fraction(float(v)) / tau for v in row] for row in rival]
        mean = averaged(sizes, s)
        g = np.array([[float(v * tau) for v in row] for row in mean])
        says = "the mean is no matrix of cosines"
        yield abs(np.diag(g) - 1).max() <= 1e-09 and np.linalg.eigvalsh(g).min() >= -1e-09, says
        says = "the mean has not all symmetries"
        yield not any(acted(move, mean) != mean for move in generators(sizes)), says
        told = loss(w, s) + mp(extra)
        says = f"the mean has {text(loss(w, mean))}, more than {text(told)}"
        yield compare(loss(w, mean), told, "<="), says
        yield mean != s or compare(loss(w, mean), told, "="), "a symmetric matrix is its own mean"


@named_check("the mean of the losses")
def mean_of_losses(at: Point, C: int, *, times: Any) -> Findings:
    """The loss of the mean over all symmetries of W is at most the mean of the losses, which is
    ``times`` the loss of S. With few samples, so that all symmetries can be added up."""
    classes = 1 if C == 1 else 2
    sizes = (2,) * classes
    w, tau, every = of_classes(sizes), Fraction(str(at["tau"])), symmetries(sizes)
    for rival in rivals(sum(sizes)):
        s = [[Fraction(float(v)) / tau for v in row] for row in rival]
        turned = [acted(sigma, s) for sigma in every]
        n = len(s)
        mean = [
            [sum((x[i][j] for x in turned), ZERO) / len(every) for j in range(n)] for i in range(n)
        ]
        yield mean == averaged(sizes, s), "the mean is not over the orbits"
        losses = mpmath.fsum(loss(w, x) for x in turned) / len(every)
        says = f"the mean has {text(loss(w, mean))}, more than {text(losses)}"
        yield compare(loss(w, mean), losses, "<="), says
        says = f"the losses have the mean {text(losses)}"
        yield compare(losses, mp(times) * loss(w, s), "="), says


@named_check("permuted cosine matrices")
def permuted_cosines(n: int, *, diagonal: Any) -> Findings:
    """A permuted cosine matrix has ``diagonal`` on the diagonal, the same entries on both sides of
    it, and no negative form."""
    for g in rivals(n):
        for sigma in some_permutations(n):
            moved = np.array(acted(sigma, g.tolist()))
            says = f"the diagonal is {moved[0, 0]:.6g}"
            yield abs(np.diag(moved) - float(diagonal)).max() <= 1e-09, says
            says = "it is no matrix of cosines"
            yield (
                abs(moved - moved.T).max() <= 1e-09 and np.linalg.eigvalsh(moved).min() >= -1e-09,
                says,
            )


@named_check("bijections of classes")
def bijections(at: Point, *, many: Any) -> Findings:
    """For two pairs of classes of the same sizes there is a symmetry of the weights that takes one
    pair to the other, combined from bijections of ``many`` classes: of all of them."""
    sizes = sizes_at(at)
    w, count, n = of_classes(sizes), len(sizes), sum(sizes)
    yield many == count, "they are no permutation of all samples"
    starts = [sum(sizes[:c]) for c in range(count)]
    for one in permutations(range(count), 2):
        for other in permutations(range(count), 2):
            if [sizes[c] for c in one] != [sizes[c] for c in other]:
                continue
            left = sorted((c for c in range(count) if c not in one), key=lambda c: sizes[c])
            right = sorted((c for c in range(count) if c not in other), key=lambda c: sizes[c])
            sigma = [-1] * n
            for a, b in zip((*one, *left), (*other, *right), strict=True):
                yield sizes[a] == sizes[b], "the other classes have not the same sizes"
                for k in range(sizes[a]):
                    sigma[starts[a] + k] = starts[b] + k
            says = "it is no symmetry"
            yield sorted(sigma) == list(range(n)) and acted(tuple(sigma), w) == w, says


@named_check("symmetric matrices have blocks")
def have_blocks(at: Point, *, apart: Any) -> Findings:
    """In matrices with the symmetries of SupCon weights, entries at different samples of blocks
    of one shape differ by ``apart``."""
    sizes = sizes_at(at)
    drawn = random.Random(sum(sizes))
    n = sum(sizes)
    x = [[Fraction(drawn.randint(-9, 9)) for _ in range(n)] for _ in range(n)]
    mean = averaged(sizes, x)
    owner = [c for c, ell in enumerate(sizes) for _ in range(ell)]
    seen: dict[tuple[Any, ...], set[Fraction]] = {}
    for i in range(n):
        for j in range(n):
            if i != j:
                a, b = owner[i], owner[j]
                seen.setdefault((a == b, sizes[a], sizes[b]), set()).add(mean[i][j])
    gaps = {max(some) - min(some) for some in seen.values()}
    yield gaps == {apart}, f"they differ by {', '.join(map(str, sorted(gaps)))}"


@named_check("the permutation of the proof")
def of_the_proof(at: Point, *, by: Any) -> Findings:
    """For i, i' in a class and j, j' in another one, the product of (i j) and (i' j')
    (``by`` 1), or of (i i') and (j j') (``by`` 2), is a symmetry of the weights that takes i to
    i' and j to j'."""
    yield by in (1, 2), "there are two ways"
    sizes = sizes_at(at)
    w, n = of_classes(sizes), sum(sizes)
    owner = [c for c, ell in enumerate(sizes) for _ in range(ell)]
    for i, i2 in permutations(range(n), 2):
        for j, j2 in permutations(range(n), 2):
            if owner[i] != owner[i2] or owner[j] != owner[j2] or owner[i] == owner[j]:
                continue
            pairs = [(i, j), (i2, j2)] if by == 1 else [(i, i2), (j, j2)]
            sigma = _exchanged(n, pairs)
            where = f"i = {i + 1}, i' = {i2 + 1}, j = {j + 1}, j' = {j2 + 1}"
            yield acted(sigma, w) == w, f"{where}: it does not preserve the classes"
            says = f"{where}: it takes i to {sigma[i] + 1}, j to {sigma[j] + 1}"
            yield (sigma[i], sigma[j]) == (i2, j2), says


@named_check("transitive on samples")
def transitive(ell: int, *, values: Values) -> Findings:
    """Some permutation takes any ``many`` different samples of a class to any others."""
    many = int(values["many"])
    yield 1 < many <= ell, "there are not so many, or it says less"
    reached = {s[:many] for s in permutations(range(ell))}
    yield reached == set(permutations(range(ell), many)), "some are not reached"
