"""Means over seeds with their standard errors, and differences seed by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from statistics import mean, stdev

#: Differences of accuracies that are the same come out apart by rounding; relative to the largest.
SAME = 1e-9


def error(values: Sequence[float]) -> float:
    """The standard error of a mean; nan for one value."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else nan


@dataclass(frozen=True)
class Paired:
    """Differences of two lists of values, one pair a seed.

    Attributes
    ----------
    mean, error
        Of the differences, and its standard error.
    p
        Of a paired t-test, two sides; nan where there is one seed, or where all differences are
        the same.
    p_resampled
        The same where seeds are splits of one data set, whose training parts overlap: differences
        are then not independent, and the variance of their mean is 1/k + test/train times theirs
        instead of 1/k (Nadeau and Bengio, 2003). nan without ``held``.
    above, below
        Seeds with a positive and with a negative difference.
    """

    mean: float
    error: float
    p: float
    p_resampled: float
    above: int
    below: int


def paired(ours: Sequence[float], theirs: Sequence[float], held: float = nan) -> Paired:
    """Compare two lists of values, one pair a seed.

    Parameters
    ----------
    ours, theirs
        Values by seed, in the same order.
    held
        Images tested on for each that was trained on, where seeds are splits of one data set.

    Raises
    ------
    ValueError
        If the lists are empty, or not of the same length.
    """
    from scipy.stats import ttest_1samp

    apart = [a - b for a, b in zip(ours, theirs, strict=True)]
    if not apart:
        raise ValueError("at least one seed is needed for a comparison")
    told = max(apart) - min(apart) > SAME * max(map(abs, apart))
    p = p_resampled = nan
    if told:
        p = float(ttest_1samp(apart, 0).pvalue)
        p_resampled = _resampled(apart, held)
    above, below = (sum(sign * x > 0 for x in apart) for sign in (1, -1))
    return Paired(mean(apart), error(apart), p, p_resampled, above, below)


def _resampled(apart: Sequence[float], held: float) -> float:
    from scipy.stats import t

    k = len(apart)
    statistic = mean(apart) / (stdev(apart) * sqrt(1 / k + held))
    return float(2 * t.sf(abs(statistic), k - 1))


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's correction: each p so that the chance of any false difference is at most the level.

    A nan is no test and stays nan.
    """
    order = sorted((p, k) for k, p in enumerate(ps) if p == p)
    found, least = [nan] * len(ps), 0.0
    for done, (p, k) in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - done)))
        found[k] = least
    return found
