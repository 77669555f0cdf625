"""Comparisons seed by seed, against plain formulas."""

from __future__ import annotations

from math import isnan, sqrt

import pytest
from cltheory.numeric.digits.paired import error, holm, paired

pytest.importorskip("scipy")
OURS, THEIRS = [0.9, 0.8, 0.95, 0.7], [0.8, 0.85, 0.9, 0.5]


def test_a_paired_comparison() -> None:
    from scipy.stats import ttest_rel

    found = paired(OURS, THEIRS, held=0.0)
    apart = [0.1, -0.05, 0.05, 0.2]
    assert found.mean == pytest.approx(sum(apart) / 4)
    assert found.error == pytest.approx(sqrt(sum((x - 0.075) ** 2 for x in apart) / 3 / 4))
    assert found.p == pytest.approx(ttest_rel(OURS, THEIRS).pvalue)
    assert found.p_resampled == pytest.approx(found.p)  # nothing held, nothing shared
    assert (found.above, found.below) == (3, 1)


def test_splits_of_one_set_tell_less() -> None:
    """With a fourth held out, the error is larger by sqrt(1 + k/3)."""
    from scipy.stats import t

    found = paired(OURS, THEIRS, held=1 / 3)
    statistic = found.mean / (found.error * sqrt(1 + 4 / 3))
    assert found.p_resampled == pytest.approx(2 * t.sf(statistic, 3))
    assert found.p_resampled > found.p
    assert isnan(paired(OURS, THEIRS).p_resampled)


def test_what_cannot_be_told() -> None:
    assert isnan(error([1.0]))
    for found in (
        paired([1.0], [0.5], 0.1),
        paired([1.0, 2.0], [0.5, 1.5], 0.1),
        paired([1.0, 0.5 + 1e-13], [0.5, 0.0], 0.1),  # the same but for rounding
    ):
        assert isnan(found.p) and isnan(found.p_resampled)
        assert found.mean == pytest.approx(0.5)
    with pytest.raises(ValueError, match="at least one seed"):
        paired([], [])
    with pytest.raises(ValueError, match="shorter"):
        paired([1.0, 2.0], [1.0])


def test_holm() -> None:
    nan = float("nan")
    found = holm([0.03, nan, 0.01, 0.04, 0.9])
    assert found[0] == found[3] == pytest.approx(0.09)  # no smaller than a smaller p's
    assert (found[2], found[4]) == (pytest.approx(0.04), 0.9)
    assert isnan(found[1])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []
