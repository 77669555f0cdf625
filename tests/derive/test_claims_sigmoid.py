"""The named checks of lee2024sigmoid, on right and on wrong inputs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp, isclose, log1p
from typing import Any

import mpmath
import pytest
from cltheory.derive.decide.evidence import Holds, Undecided
from cltheory.derive.papers.lee2024sigmoid import checks_optimum
from cltheory.derive.papers.records.family import load
from cltheory.derive.papers.records.functions import KINDS, Function, function_named
from cltheory.derive.papers.records.hypotheses import read_under
from cltheory.derive.papers.records.run import PROOFS

load("cltheory.derive.papers.lee2024sigmoid")


def down(text: str) -> Function:
    return function_named("convex decreasing", text)


def up(text: str) -> Function:
    return function_named("convex increasing", text)


@pytest.mark.parametrize("kind", list(KINDS))
def test_functions_have_the_shape_they_say(kind: str) -> None:
    places = [Fraction(k, 8) for k in range(-8, 9)]
    for f in KINDS[kind]:
        values = [mpmath.mpf(str(float(f.at(y)))) for y in places]
        steps = [b - a for a, b in pairwise(values)]
        sign = 1 if kind.endswith("increasing") else -1
        assert all(sign * step >= 0 for step in steps)
        bends = [b - a for a, b in pairwise(steps)]
        # Float values: a bend of a straight piece is zero to some 1e-15.
        assert all(bend >= -1e-12 for bend in bends)
        assert all(bend > 1e-4 for bend in bends) == f.strict
        assert (abs(steps[0]) > 3 * abs(steps[1])) == (not f.continuous)


def test_the_best_ccem_is_found() -> None:
    flat = checks_optimum.best_for(3, down("-y"), up("2 y"))
    assert (flat.first, flat.last) == (0, 1)
    jump = checks_optimum.best_for(3, down("(1 - y)^2 with 5 at y = -1"), up("(9 + y)^2"))
    assert not jump.attained
    far = checks_optimum.best_sigmoid(6, Fraction(1, 4), Fraction(0))
    assert far.first == far.last == 1
    # All positives -1, all negatives -1.
    direct = 6 * log1p(exp(0.25)) + 30 * log1p(exp(-0.25))
    assert isclose(float(far.loss), direct)


def test_proofs_hold_where_they_are_asked_and_say_so_where_not() -> None:
    def asked(name: str, under: str) -> Any:
        (domain,) = read_under(under).domains()
        return PROOFS[name](domain)

    assert isinstance(asked("least negatives", "N in 1.., c in [-1, 1]"), Holds)
    assert isinstance(asked("delta of the mean", "c in (-1, 1]"), Holds)
    assert isinstance(asked("delta of the mean", "c in [-1, 1]"), Undecided)
    scalars = "c in (-oo, oo), t in (0, oo), b in [0, oo)"
    assert isinstance(asked("sigmoid functions", scalars), Holds)
