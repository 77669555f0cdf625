"""Checks for what no formula says: the gradient, constants that are said to exist, spectra."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from ...language.quantities import as_number, mp, text
from ..records.run import Findings, Point, Values, named_check
from .batch import Batch

#: Steps of central differences, at 80 digits; their error is some STEP**2 / tau**2.
STEP, DIGITS = mpmath.mpf(10) ** -25, 80
#: How near a difference is to a derivative, at temperatures from 1/50 on.
NEAR = mpmath.mpf(10) ** -30
#: More negatives than exp(1/tau) of the temperatures that are tried.
MANY = 10**40


@named_check("gradient of the loss")
def gradient_of_the_loss(at: Point, tau: Any, *, factor: Any, positive: Any = 1) -> Findings:
    """Differences of -log p_{ii^+} in the anchor are ``factor`` (M_i - ``positive`` z_{i^+})."""
    batch = at["on"]
    assert isinstance(batch, Batch)
    with mpmath.workdps(DIGITS):
        for i, k in product(range(1, batch.size + 1), range(len(batch.rows[0]))):
            ends = [_loss(batch, i, k, s * STEP, mp(tau)) for s in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * STEP)
            own = mp(positive) * mp(batch.rows[batch.partner(i) - 1][k])
            mean = batch.weights(i, tau).items()
            wanted = mpmath.fsum(mp(p) * mp(batch.rows[j - 1][k]) for j, p in mean)
            says = f"anchor {i}: the slope is {text(slope)}"
            yield abs(slope - mp(factor) * (wanted - own)) <= NEAR * (1 + abs(slope)), says


def _loss(batch: Batch, i: int, k: int, step: Any, tau: Any) -> Any:
    """The loss of an anchor that is moved along an axis."""
    logits = {}
    for j in range(1, batch.size + 1):
        if j != i:
            moved = mp(batch.similarity(i, j)) + step * mp(batch.rows[j - 1][k])
            logits[j] = moved / tau
    top = max(logits.values())
    total = mpmath.fsum(mpmath.exp(v - top) for v in logits.values())
    return mpmath.log(total) + top - logits[batch.partner(i)]


@named_check("constant of the remainder")
def constant_of_the_remainder(
    at: Point, *, tight: bool, c: Any, square: Any, power: Any
) -> Findings:
    """N orthonormal negatives, one of which is the anchor: the squared remainder over
    (1 - p)^2 is at most c tau^-power sigma^square, at temperatures from 1 down and all N;
    ``tight`` 1: and it comes near that for many."""
    taus = [as_number(at["tau"])] if "tau" in at else [Fraction(1, k) for k in (1, 2, 4, 8, 16)]
    for tau in taus:
        for count in (2, 5, 31, 10**3, 10**6, 10**12, MANY):
            left = _remainder(count, mp(tau))
            sigma = mpmath.mpf(1) / count
            right = mp(c) * mp(tau) ** -mp(power) * sigma ** mp(square)
            slack = tight == 1 and count == MANY and left < right * (1 - mpmath.mpf(10) ** -9)
            says = f"N = {count}, tau = {tau}: {text(left)} <= {text(right)}"
            yield left <= right * (1 + NEAR) and (not slack), says


def _remainder(count: int, tau: Any) -> Any:
    """The squared norm of the remainder, whose components are along the negatives."""
    heat = mpmath.exp(1 / tau)
    total = heat + count - 1
    mean = 1 / (count * tau)
    near = heat / total - mpmath.mpf(1) / count - (1 / tau - mean) / count
    far = 1 / total - mpmath.mpf(1) / count + mean / count
    return near**2 + (count - 1) * far**2


@named_check("many negatives along the axes")
def many_negatives(at: Point, d: int, *, first: Any, third: Any, second: Any) -> Findings:
    """Independent negatives of either sign along d axes, a positive opposite to the anchor, which
    is one of them: in the limit of many negatives, where epsilon is 1 and sigma_* is 1/d, the
    squared gradient times tau^2 is at most first + second x + third x^2, x = sigma_*/tau^2."""
    tau = mp(as_number(at["tau"]))
    near, far = mpmath.exp(0), mpmath.exp(-2 / tau)  # both times exp(1 / tau)
    across = (d - 1) * mpmath.exp(-1 / tau)
    mean = (near - far) / (near + far + 2 * across)
    left = (1 + mean) ** 2
    ratio = 1 / (d * tau**2)
    right = mp(first) + mp(second) * ratio + mp(third) * ratio**2
    yield bool(left <= right * (1 + NEAR)), f"{text(left)} <= {text(right)}"


@named_check("axes in opposite pairs")
def opposite_pairs(
    at: Point, d: int, m: int, *, first: Any, sampling: Any, second: Any, third: Any
) -> Findings:
    """A batch of m pairs e_k, -e_k along each of d axes, in which the partners are opposite: the
    mean squared gradient times tau^2 over the mean epsilon^2, which are those of every anchor, is
    at most first + sampling/N + second x + third x^2, where x = n/(n-2) sigma_hat/tau^2."""
    tau = mp(as_number(at["tau"]))
    count = 2 * d * m - 2
    if count < 1:
        return
    heat = {1: m - 1, -1: m - 1, 0: 2 * m * (d - 1)}
    weights = {s: k * mpmath.exp((s - 1) / tau) for s, k in heat.items()}
    total = mpmath.fsum(weights.values())
    mean = (weights[1] - weights[-1]) / total
    left = (1 + mean) ** 2
    ratio = mpmath.mpf(count + 2) / count / (d * tau**2)
    right = mp(first) + mp(sampling) / count
    right += mp(second) * ratio + mp(third) * ratio**2
    yield bool(left <= right * (1 + NEAR)), f"{text(left)} <= {text(right)}"


@named_check("higher rank and smaller eigenvalue")
def higher_rank(n: int, d: int, *, values: Values) -> Findings:
    """The effective rank, one over the sum of powers ``power`` of the eigenvalues, of k equal ones
    is k; and of two spectra of trace one, the one with the larger rank has the smaller top
    eigenvalue. Any spectrum of at most min(n, d) eigenvalues is one of n unit vectors in R^d, as
    their Gram matrix, n times as large, has the diagonal 1 (theorem of Schur and Horn)."""
    room = min(n, d)
    power = int(values["power"])

    def rank(spectrum: list[Fraction]) -> Fraction:
        return 1 / sum((v**power for v in spectrum), Fraction(0))

    yield rank(_even(2, 1)) == 2, "that is not an effective rank"
    spectra = [_even(k, top) for k in range(1, room + 1) for top in (1, 2, Fraction(5, 2))]
    for one in spectra:
        for other in spectra:
            if rank(one) > rank(other) and not max(one) < max(other):
                shown = ("(" + ", ".join(map(str, s)) + ")" for s in (one, other))
                yield False, "the spectra {} and {}".format(*shown)


def _even(count: int, top: Fraction | int) -> list[Fraction]:
    """Eigenvalues that are equal but for the first, which is larger by a factor."""
    total = Fraction(top) + count - 1
    return [Fraction(top) / total] + [1 / total] * (count - 1)


@named_check("least spectrum")
def least_spectrum(d: int, n: int, *, least: Any) -> Findings:
    """The least top eigenvalue of the second moment of n - 2 unit vectors in R^d is ``least``. It
    is one over the largest rank: the trace is 1, and flat spectra exist (Schur and Horn)."""
    rank = min(n - 2, d)
    yield least == Fraction(1, rank), f"the least value is 1/{rank}"


@named_check("whitening of axes")
def whitening_of_axes(d: int, m: int, *, top: Any, unit: Any) -> Findings:
    """m vectors e_1 and one along each other axis are whitened, and (``unit`` 1) made unit vectors
    again: the largest eigenvalue of their second moment, of trace one, is ``top``."""
    counts = [Fraction(m)] + [Fraction(1)] * (d - 1)
    total = sum(counts)
    # A vector along an axis becomes one of the squared length 1 / eigenvalue along it.
    squares = [Fraction(1) if unit == 1 else total / k for k in counts]
    spectrum = [k * square for k, square in zip(counts, squares, strict=True)]
    found = max(spectrum) / sum(spectrum)
    yield found == top, f"it is {found}"


@named_check("variance of a mean")
def variance_of_a_mean(at: Point, n: int, *, variance: Any) -> Findings:
    """Of n numbers of variance r^2 whose correlations, not all the same, have the mean x, the mean
    has the variance ``variance``."""
    r, x = mp(as_number(at["r"])), mp(as_number(at["x"]))
    pairs = [(j, k) for j in range(n) for k in range(n) if j < k]
    shift = [mpmath.mpf(k) / 100 for k in range(len(pairs))]
    mean = mpmath.fsum(shift) / len(shift)
    total = n * r**2 + 2 * mpmath.fsum(r**2 * (x + s - mean) for s in shift)
    found = total / n**2
    good = abs(found - mp(variance)) <= NEAR * (1 + found)
    yield bool(good), f"the variance is {text(found)}"
