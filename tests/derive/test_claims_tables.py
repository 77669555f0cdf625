"""Ledgers on weights, dissimilarities and labels: matrices as values, sums over an index left to
the reader, and what a record may say of a table."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from cltheory.derive.language.evaluate import Scene, judge
from cltheory.derive.language.matrices import (
    Matrix,
    centring,
    dimension,
    identity,
    ones,
    squared_radius,
)
from cltheory.derive.language.parser import parse
from cltheory.derive.language.statement import TexError
from cltheory.derive.papers.records.examine import examine, retried
from cltheory.derive.papers.records.hypotheses import BadClause, read_under
from cltheory.derive.papers.records.mutate import holes
from cltheory.derive.papers.records.tables import Tables
from cltheory.derive.papers.stamp import in_toml
from records import family_named, record
from sympy import Integer, log


def holds(text: str, e: Tables, on: str, **numbers: int) -> bool:
    found = parse(text, family_named(on).letters)
    scene = Scene({k: Fraction(v) for k, v in numbers.items()}, e, family_named(on).named(e))
    return judge(found.tree, scene, found.bound).holds


# --- matrices -------------------------------------------------------------------------------------
SQUARE = Matrix.from_rows(
    [[Fraction(v) for v in row] for row in ((0, 1, 2, 1), (1, 0, 1, 2), (2, 1, 0, 1), (1, 2, 1, 0))]
)


def test_ranks_and_signs_of_matrices() -> None:
    assert ones(3).rank() == 1
    assert centring(4).rank() == 3
    assert SQUARE.rank() == 3
    assert ones(3).is_psd()
    assert not ones(3).map(lambda v: -v).is_psd()
    assert not Matrix.from_rows([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]).is_psd()
    assert not Matrix.from_rows([[Fraction(1), Fraction(1)], [Fraction(0), Fraction(1)]]).is_psd()
    third = mpmath.mpf(1) / 3
    assert Matrix.from_rows([[third, third], [third, third]]).rank() == 1
    assert identity(2).plus(identity(3)) is None
    assert identity(2).times(ones(3)) is None


def test_the_dimension_and_the_radius_of_distances() -> None:
    assert dimension(SQUARE) == 2
    assert squared_radius(SQUARE) == Fraction(1, 2)
    line = Matrix.by(3, lambda i, j: Fraction((i - j) ** 2))
    assert dimension(line) == 1
    assert squared_radius(line) == mpmath.inf  # three points of a line are on no circle in it
    assert dimension(ones(3)) == mpmath.inf  # its diagonal is not zero
    assert dimension(Matrix.by(3, lambda i, j: Fraction(-int(i != j)))) == mpmath.inf
    assert squared_radius(Matrix.by(3, lambda i, j: Fraction(0))) == 0


# --- the language ---------------------------------------------------------------------------------
WEIGHTS = Tables(
    {
        "w": [[0, 2, 1], [2, 0, 3], [1, 3, 0]],
        "s": [[0, log(2) + 1, 1], [log(2) + 1, 0, log(3) + 1], [1, log(3) + 1, 0]],
    }
)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (r"\sum_{k\neq i} w_{ik} = 3 \quad \forall i \in [1..1]", True),
        (r"\sum_{k\neq i} w_{ik} = 5 \quad \forall i \in [1..n]", False),
        (r"\sum_{i, j} \delta_{i\neq j} = 6", True),
        (r"\sum_{i\neq j} w_{ij} = 12", True),
        (r"W = W^{T}", True),
        (r"\operatorname{rank}(E_n) = 1", True),
        (r"J E_n = E_n - E_n", True),
        (r"J = I_n - (1/n)E_n", True),
        (r"J J = E_n", False),
        (r"|{-2}| = 2", True),
        (r"\mathcal{L}_{\mathrm{NCE}}^{W} = \mathcal{L}^{*}", True),
        (r"\exists c: (s_{ij} = \log(w_{ij}) + c \quad \forall i \neq j)", True),
        (r"\exists c: (s_{ij} = w_{ij} + c \quad \forall i \neq j)", False),
        (r"w_{12} = 3 \Rightarrow (w_{12} = 4 \iff w_{13} = 1)", True),
        (r"w_{12} = 2 \Rightarrow (w_{12} = 4 \iff w_{13} = 1)", False),
    ],
)
def test_statements_about_tables_are_evaluated(text: str, good: bool) -> None:
    assert holds(text, WEIGHTS, "weights", n=3) == good


def test_an_index_without_a_range_is_refused_where_there_is_none() -> None:
    with pytest.raises(TexError, match="the range of k is not given"):
        parse(r"\sum_{k \neq i} u_k^\top u_i = 0")


def test_relations_may_be_about_the_rank_of_a_table() -> None:
    hypotheses = read_under("q in 1.., n in 2.., rank(D) <= q + 1, hollow(D)")
    e = Tables({"d": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]})
    point = {"q": Integer(1), "n": Integer(3)}
    assert "rank(D)" in hypotheses.refuses_set(e, point)
    assert hypotheses.refuses_set(e, {"q": Integer(2), "n": Integer(3)}) == ""
    assert hypotheses.refuses_set(
        Tables({"d": [[1, 0], [0, 1]]}), {"q": Integer(2), "n": Integer(2)}
    )
    with pytest.raises(BadClause):
        read_under("n in 2.., rank(Q) <= 2")


# --- records --------------------------------------------------------------------------------------
BOUND = r"""printed = '''\mathcal{L}_{\mathrm{NCE}}^{W} = \mathcal{L}^{*} \iff
  \exists c: (s_{ij}=\log(w_{ij})+c \quad \forall i\neq j)'''
under = "n in 1.."
on = "weights"
"""


def test_the_entropic_bound_agrees_and_wrong_ones_do_not() -> None:
    good = record(BOUND)
    assert examine(good).verdict.word == "agrees"
    assert holes(good).survivors == ()
    found = examine(record(BOUND.replace(r"+c", r"+c+i")))
    assert found.verdict.word == "differs"


def test_a_witness_of_tables_is_written_and_tried_again() -> None:
    wrong = BOUND.replace(r"\mathcal{L}^{*} \iff", r"0 \iff") + 'origin = "authors"\n'
    found = examine(record(wrong)).found
    assert found is not None
    assert set(found.tables) == {"w", "s"}
    stored = record(wrong + in_toml(found))
    assert stored.witness is not None
    assert retried(stored.printed, stored.witness).holds is False
    assert not [p for p in examine(stored).problems if "witness" in p]
    turned = in_toml(found).replace("tables.s = [", "tables.s = [\n  [],")
    assert examine(record(wrong + turned)).problems
