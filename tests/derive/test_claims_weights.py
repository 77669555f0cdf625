"""Weights and points with coordinates, the exponential of a vector, and what is said of them."""

from __future__ import annotations

import pytest
from cltheory.derive.papers.form.hypotheses import BadClause, read_condition, read_under
from records import verdict

ANY = "weights and points"
UNDER = 'under = "n in 1.., d in 1.."\n'


@pytest.mark.parametrize(
    ("printed", "on", "expected"),
    [
        (r"a^\top \exp(w_i) > 0 \quad \forall i \in [n]", "positive weights and points", "agrees"),
        (r"a^\top \exp(w_i) > 0 \quad \forall i \in [n]", "weights and points", "differs"),
        (r"a^\top w_i > 0 \quad \forall i \in [n]", "positive weights and points", "differs"),
        (r"\|w_i\|^2 = \sum_{k \in [d]} w_{i,k} w_{i,k} \quad \forall i \in [n]", ANY)
        + ("agrees",),
        (r"\log(w_1) = w_1", "weights and points", "undecided"),
    ],
)
def test_weights_and_points(printed: str, on: str, expected: str) -> None:
    assert verdict(f"printed = '''{printed}'''\non = \"{on}\"\n{UNDER}")[0] == expected


def test_other_vectors_have_no_elements() -> None:
    text = "printed = '''u_{1,1}^\\top \\exp(u_{1,1}) > 0'''\non = \"sets\"\n"
    assert verdict(text + 'under = "m in 1.., n in 1.."\n')[0] == "undecided"


def test_what_a_condition_may_say_of_weights() -> None:
    ranges = read_under("n in 1.., d in 1..").ranges
    assert read_condition("nonzero(a) and n >= 2", ranges, on_sets=True).parts
    for nonsense in ("nonzero(U)", "distinct(a)", "nonzero(b)"):
        with pytest.raises(BadClause):
            read_condition(nonsense, ranges, on_sets=True)
