"""Checks that tell the readings of a loose word apart; each refuses what is corrupted."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from cltheory.derive.papers import ledger_of
from cltheory.derive.papers.form.family import load
from cltheory.derive.papers.form.predicates import TABLES
from cltheory.derive.papers.form.run import CHECKS, Answer
from cltheory.derive.papers.ochieng2025diversity.sets import dependent_of
from sympy import Integer, Rational, log

for paper in ("vock2026unified", "ochieng2025diversity"):
    load(ledger_of(paper).package)


def answer(check: str, given: dict[str, Any], **at: Any) -> Answer:
    return CHECKS[check](at, given)


def test_cosines_depend_on_more_than_two_sizes() -> None:
    two = {"C": Integer(2), "ell": Integer(2), "p": Integer(2), "tau": Integer(1)}
    check = "cosines by sizes"
    assert answer(check, {"apart": 0}, **two).holds
    assert not answer(check, {"apart": 0, "alone": 1}, **two).holds  # -1, and -1/2 of three
    assert not answer(check, {"apart": 0, "alone": 2}, **two).holds


def test_a_regular_simplex_is_had_at_one_temperature() -> None:
    critical = Integer(3) / (2 * log(2))
    check, given = "any classes are at a uniform simplex", {"regular": 1}
    at = {"C": Integer(3), "epsilon": Rational(1, 2)}
    assert answer(check, given, tau=critical, **at).holds
    for tau in (critical / 2, 2 * critical):
        assert not answer(check, given, tau=tau, **at).holds
    assert answer(check, {"critical": mpmath.mpf(2.1640)}, tau=critical / 2, **at).holds
    assert not answer(check, {"regular": 2}, tau=critical, **at).holds


def test_symmetric_second_moments_of_two_negatives() -> None:
    """Against the same moments by numpy, on all laws of two negatives."""
    seen = set()
    for e in dependent_of(2):
        w = np.array([float(v) for v in e.numbers["w"].rows[0]])
        z = np.array([[float(v) for v in row] for row in e.points["z"]]).reshape(len(w), 2, 2)
        moment = np.einsum("k,ka,kb->ab", w, z[:, 1], z[:, 0])
        same = bool(np.abs(moment - moment.T).max() < 1e-12)
        assert TABLES["symmetric(Z)"](e) == same, e.note
        seen.add(same)
    assert seen == {True, False}


@pytest.mark.slow
def test_the_synthetic_settings_hang_on_the_rest_of_the_spectrum() -> None:
    flat, few = {}, {"tail": 5}
    check = "slope of the gradient"
    assert not answer(check, {"slope": 2.02, "half": 0.03, **flat}).holds
    assert answer(check, {"slope": 2.02, "half": 0.03, **few}).holds
    assert not answer(check, {"slope": 2.2, "half": 0.03, **few}).holds
    for tail in (flat, {"tail": 3}):
        share = {"share": 0.999, **tail}
        assert not answer("containment of single gradients", {**share, "own": 0}).holds
        assert answer("containment of single gradients", {**share, "own": 1}).holds
    for tail in (flat, few):
        assert not answer("what the leading term leaves", {"most": 0.5, **tail}).holds
        assert answer("what the leading term leaves", {"most": 1, **tail}).holds


@pytest.mark.slow
def test_the_variance_exceeds_its_printed_bound_on_the_synthetic_settings() -> None:
    check = "variance of single gradients"
    assert not answer(check, {"first": 3, "second": 1, "fourth": 0}).holds
    assert not answer(check, {"first": 3, "second": 0, "fourth": 0}).holds
    assert answer(check, {"first": 0, "second": 0, "fourth": 16}).holds
    assert answer(check, {"first": 300, "second": 1, "fourth": 0}).holds
