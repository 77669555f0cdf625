"""Records about weighted graphs, their subgraphs of out-degree one, points, and kernels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from cltheory.derive.language.evaluate import Scene, value
from cltheory.derive.language.parser import expression
from cltheory.derive.language.quantities import NoValue
from cltheory.derive.papers import ledger_of
from cltheory.derive.papers.records.examine import examine
from cltheory.derive.papers.records.family import load
from cltheory.derive.papers.records.hypotheses import SYMBOLS
from cltheory.derive.papers.tan2024spectral.checks_graphs import descent, in_any_length
from cltheory.derive.papers.tan2024spectral.sets import (
    largest_entropy,
    largest_sum,
    points_on,
    weights_on,
)
from cltheory.derive.papers.tan2024spectral.subgraphs import (
    cross_entropy,
    every_subgraph,
    gaussian,
    law,
    marginals,
    partition,
    weights_of,
)
from records import printed as printed_record

PAPER = "tan2024spectral"
load(ledger_of(PAPER).package)
ON_GRAPHS = 'under = "n in 2..3, tau in [3/5, 3/5], occupied(pi)"\non = "graphs and points"\n'


def complete(n: int) -> Any:
    return tuple(tuple(Fraction(1) for _ in range(n)) for _ in range(n))


#: Sums of a few hundred exponentials of 50 digits, against floats.
FLOAT = 1e-12


@pytest.mark.parametrize(
    ("printed", "for_all"),
    [
        (r"P_{i,j} = \pi_{i,j}", r"i, j \in [n]"),
        (r"Q_{i,j} \sum_{k \in [n]} K_{i,k} = K_{i,j}", r"i \neq j \in [n]"),
        (r"R = \prod_{i \in [n]} \sum_{j \in [n]} K_{i,j}", ""),
        (r"H = \sum_{i,j \in [n]} P_{i,j} \log K_{i,j} + \log R", ""),
        (r"\operatorname{psd}(\operatorname{Lap}(\pi)) = 1", ""),
        (r"\mathbb{E}[\operatorname{Lap}(W)] = \operatorname{Lap}(\pi)", ""),
        (r"\sum_{i \in [n]} P_{i,j} = 1", r"j \in [n]"),
    ],
)
def test_what_does_not_hold_on_graphs(printed: str, for_all: str) -> None:
    assert examine(printed_record(printed, ON_GRAPHS, for_all)).verdict.word == "differs"


def test_a_named_derivation_may_assume_what_is_said_of_a_set() -> None:
    """Without its name the same is only tried; what fails no derivation saves."""
    printed = r"R = \prod_{i \in [n]} \sum_{j \neq i} K_{i,j}"
    conditional = ON_GRAPHS.replace(", occupied(pi)", "").replace("n in 2..3", "n in 1..3")
    conditional += 'condition = "occupied(pi)"\norigin = "authors"\nsufficient = true\n'
    printed = f"0 T + {printed.replace(' = ', ' = 0 / T + ')}"  # T is zero where it is not occupied
    named = conditional + 'proof = "spectral-clustering"\n'
    for more, grade in ((named, "exact"), (conditional, "sampled")):
        verdict = examine(printed_record(printed, more)).verdict
        assert verdict.word == "needs-condition"
        assert verdict.evidence.grade.name.lower() == grade
    wrong = printed.replace(r"j \neq i", r"j \in [n]")
    assert examine(printed_record(wrong, named)).verdict.word == "differs"


# --- the family -----------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 3])
def test_subgraphs_are_all_there_are(n: int) -> None:
    every = every_subgraph(n)
    assert len(set(every)) == 2 ** (n * (n - 1))
    of_degree_one = [w for w in every if all(sum(row) == 1 for row in w)]
    assert len(of_degree_one) == len(weights_of(complete(n))) == (n - 1) ** n


@pytest.mark.parametrize("n", [2, 3, 4])
def test_laws_against_numpy(n: int) -> None:
    for what, rows in weights_on(n).items():
        table = tuple(map(tuple, rows))
        a = np.array(rows, dtype=float)
        off = a * (1 - np.eye(n))
        if not off.sum(1).all():
            assert partition(table) == 0
            with pytest.raises(NoValue):
                law(table)
            continue
        shares = off / off.sum(1, keepdims=True)
        found = np.array(marginals(table).rows, dtype=float)
        np.testing.assert_allclose(found, shares, atol=FLOAT, err_msg=what)
        z = points_on(n, 2)["any points"]
        x = np.array(z, dtype=float)
        heat = np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / (2 * 3)) * (1 - np.eye(n))
        logs = np.log(heat / heat.sum(1, keepdims=True) + np.eye(n))
        with mpmath.workdps(50):
            value = float(cross_entropy(table, gaussian(tuple(map(tuple, z)), Fraction(3))))
        assert value == pytest.approx(-(shares * logs).sum(), rel=FLOAT)


def test_the_eigenvector_of_two_triangles() -> None:
    """Exactly, and that no other eigenvalue is below 2/13 or equal to it, but 0."""
    rows = weights_on(6)["two triangles"]
    v = [2, 2, 1, -1, -2, -2]
    assert all(sum(row) == 1 for row in rows)
    for i in range(6):
        assert v[i] - sum(w * x for w, x in zip(rows[i], v, strict=True)) == Fraction(2, 13) * v[i]
    values = np.linalg.eigvalsh(np.eye(6) - np.array(rows, dtype=float))
    np.testing.assert_allclose(values[:2], [0, 2 / 13], atol=FLOAT)
    assert values[2] > 0.9


def line_loss(rows: Any, z: Any, tau: float) -> float:
    x = np.array(z, dtype=float)
    gaps = (x[:, None] - x[None]) ** 2 / (2 * tau)
    heat = np.exp(-gaps) * (1 - np.eye(len(x)))
    return float((np.array(rows, dtype=float) * gaps).sum() + np.log(heat.sum(1)).sum())


def test_no_length_has_less_than_is_said() -> None:
    rows, v = weights_on(6)["two triangles"], (2, 2, 1, -1, -2, -2)
    table = tuple(map(tuple, rows))
    for tau in (0.25, 1.0, 3.0):
        with mpmath.workdps(50):
            least, length = in_any_length(table, [mpmath.mpf(x) for x in v], tau)
        grid = [line_loss(rows, np.array(v) * c, tau) for c in np.linspace(0, 9, 9001)]
        assert float(least) <= min(grid)
        assert float(least) == pytest.approx(min(grid), abs=1e-6)  # steps of 1/1000
        assert line_loss(rows, np.array(v) * float(length), tau) == pytest.approx(float(least))
        found = descent(table, [float(length) * x for x in v], tau)
        assert line_loss(rows, found, tau) < float(least) - 0.1
    with mpmath.workdps(50):
        none, at = in_any_length(table, [mpmath.mpf(x) for x in (1, -1, 0, 0, 0, 0)], 1)
    assert at == 0  # a pair of positives apart: equal points are better
    assert float(none) == pytest.approx(6 * np.log(5))


load("cltheory.derive.papers.tan2024spectral")
PSI = [
    (Fraction(1), Fraction(2), Fraction(0)),
    (Fraction(2), Fraction(1), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(3)),
    (Fraction(1), Fraction(1), Fraction(1)),
    (Fraction(2), Fraction(2), Fraction(-1)),
]


def simplex(n: int, steps: int) -> np.ndarray:
    """All distributions on n points whose entries are multiples of 1 / steps."""
    every = [a for a in product(range(steps + 1), repeat=n) if sum(a) == steps]
    return np.array(every) / steps


def entropies(alpha: np.ndarray) -> np.ndarray:
    return -np.where(alpha > 0, alpha * np.log(np.where(alpha > 0, alpha, 1)), 0).sum(1)


@pytest.mark.parametrize("psi", PSI)
def test_the_programs_have_the_values_of_a_grid(psi: tuple[Fraction, ...]) -> None:
    # A grid of step 1/200 is within 0.01 of the largest value of either program.
    alpha, numbers = simplex(3, 200), np.array([float(v) for v in psi])
    inside = alpha[alpha @ numbers >= numbers[0] - 1e-12]
    best = entropies(inside).max()
    assert best - 1e-12 <= float(largest_entropy(psi)) <= best + 0.01
    for tau in (0.3, 2.0):
        best = (tau * entropies(alpha) + alpha @ numbers - numbers[0]).max()
        assert best - 1e-12 <= float(largest_sum(psi, mpmath.mpf(tau))) <= best + 0.01


def test_a_derivative_that_is_not_real_has_no_value() -> None:
    # The rules give log(x - 1) at x = 1/2, which is a complex number.
    tree = expression(r"\frac{\partial}{\partial x} ((x - 1) \log (x - 1))")
    with pytest.raises(NoValue, match="no real number"):
        value(tree, Scene({"x": Fraction(1, 2)}, symbols=SYMBOLS))
    assert value(tree, Scene({"x": Fraction(2)}, symbols=SYMBOLS)) == 1
