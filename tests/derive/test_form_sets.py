"""Records about sets of vectors: what they are said to have, and classes of different sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from cltheory.derive.language.evaluate import Scene, judge
from cltheory.derive.language.parser import parse
from cltheory.derive.language.statement import TexError
from cltheory.derive.papers.records.examine import retried, witness_of
from cltheory.derive.papers.records.hypotheses import BadClause, read_under
from cltheory.derive.papers.records.run import Trial, trials
from records import family_named, record
from sympy import Rational


@pytest.mark.parametrize("clause", ["tall(U)", "distinct(V)", "distinct (U)"])
def test_what_no_set_can_be_said_to_have_is_refused(clause: str) -> None:
    with pytest.raises(BadClause):
        read_under(f"n in 1.., {clause}")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (r"\min(1, 1 - m, \max(m, n)) = 1 - m", True),
        (r"\max(m, n) > n", False),
        (r"\min_{i \in [m]} i = \min(1, m)", True),
    ],
)
def test_the_least_of_some(text: str, holds: bool) -> None:
    numbers = {"m": Fraction(2), "n": Fraction(3)}
    assert judge(parse(text).tree, Scene(numbers)).holds == holds
    assert judge(parse(text.replace("m, n", "n, m")).tree, Scene(numbers)).holds == holds


def test_the_least_of_nothing_is_refused() -> None:
    for text in (r"\min() = 1", r"\min(1, 2 = 1", r"\max 1 = 1"):
        with pytest.raises(TexError):
            parse(text)


# --- spheres ---------------------------------------------------------------------------------
SPHERES = family_named("spheres").make({"m": 2, "n": 3, "r": Rational(1, 3)})


def test_spheres_have_their_radius_and_uneven_classes() -> None:
    assert all(e.ip(a, a) == Rational(1, 9) for e in SPHERES for a in e.everything)
    sizes = {(len(e.of_class(0)), len(e.of_class(1))) for e in SPHERES}
    assert sizes == {(3, 3), (1, 3)}


UNEVEN = "printed = '''RIGHT'''\nunder = \"m in 1.., n in 1.., r in (0, oo)\"\non = \"spheres\"\n"


UNWEIGHTED = (
    r"\text{Var}[U] = \text{Var}^{\text{Btwn}}[U] + \frac{1}{m} \sum_{i \in [m]} \text{Var}[U_i]"
)


def failing(text: str) -> list[Trial]:
    return [t for t in trials(record(UNEVEN.replace("RIGHT", text)).printed) if not t.holds]


def test_the_parts_of_the_variance_are_weighted_by_the_sizes_of_classes() -> None:
    uneven = failing(UNWEIGHTED)
    assert uneven
    for trial in uneven:
        e = trial.vectors
        assert e is not None
        assert len(e.of_class(0)) < len(e.of_class(1))


def test_a_witness_with_uneven_classes_is_tried_again() -> None:
    found = witness_of(failing(UNWEIGHTED)[0])
    again = retried(record(UNEVEN.replace("RIGHT", UNWEIGHTED)).printed, found)
    assert again.holds is False
    assert witness_of(again) == found
