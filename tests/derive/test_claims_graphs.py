"""Records about weighted graphs, their subgraphs of out-degree one, and points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from cltheory.derive.language.matrices import Matrix
from cltheory.derive.language.quantities import NoValue, Unknown
from cltheory.derive.papers import ledger_of
from cltheory.derive.papers.form.examine import examine
from cltheory.derive.papers.form.family import load
from cltheory.derive.papers.form.hypotheses import PREDICATES
from cltheory.derive.papers.form.run import CHECKS
from cltheory.derive.papers.form.tables import Tables
from cltheory.derive.papers.tan2024spectral.named_graphs import descent, in_any_length
from cltheory.derive.papers.tan2024spectral.sets import (
    graphs_of,
    points_on,
    product_laws_of,
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
from sympy import Integer, Rational

PAPER = "tan2024spectral"
load(ledger_of(PAPER).package)
ON_GRAPHS = 'under = "n in 2..3, tau in [3/5, 3/5], occupied(pi)"\non = "graphs and points"\n'
ON_SUBGRAPHS = 'under = "n in 1..3"\non = "subgraphs"\n'


def complete(n: int) -> Any:
    return tuple(tuple(Fraction(1) for _ in range(n)) for _ in range(n))


#: Sums of a few hundred exponentials of 50 digits, against floats.
FLOAT = 1e-12


# --- the language ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("printed", "for_all"),
    [
        (r"P_{i,j} = \mathbb{E}[W_{i,j}]", r"i, j \in [n]"),
        (r"\sum_{j} P_{i,j} = 1", r"i \in [n]"),
        (r"P_{i,i} = 0", r"i \in [n]"),
        (r"Q_{i,j} \sum_{k \neq i} K_{i,k} = K_{i,j}", r"i \neq j \in [n]"),
        (r"R = \prod_{i \in [n]} \sum_{j \neq i} K_{i,j}", ""),
        (r"T = \prod_{i \in [n]} \sum_{j \neq i} \pi_{i,j}", ""),
        (r"\mathbb{E}[\prod_{i, j \in [n]} \pi_{i,j}^{W_{i,j}}] > 0", ""),
        (r"\mathbb{E}[\log \operatorname{Pr}(W)] = -H", ""),
        (r"\operatorname{tr}(\operatorname{Lap}(\pi)) = \sum_{i,j \in [n]} \pi_{i,j}", ""),
        (r"\operatorname{psd}(\operatorname{Lap}(\pi + \pi^{\top})) = 1", ""),
        (r"\sum_{i,j \in [n]} \mathbb{I}_{\pi_{i,j} > 0} \leq n^2", ""),
    ],
)
def test_what_holds_on_graphs(printed: str, for_all: str) -> None:
    found = examine(printed_record(printed, ON_GRAPHS, for_all))
    assert found.verdict.word == "agrees", found


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


def test_an_indicator_and_a_product_on_subgraphs() -> None:
    right = r"\prod_{i \in [n]} \mathbb{I}_{\sum_{j \in [n]} W_{i,j} = 1} \leq 1"
    assert examine(printed_record(right, ON_SUBGRAPHS)).verdict.word == "agrees"
    wrong = r"\prod_{i \in [n]} \mathbb{I}_{\sum_{j \in [n]} W_{i,j} = 1} = 1"
    assert examine(printed_record(wrong, ON_SUBGRAPHS)).verdict.word == "differs"


@pytest.mark.parametrize("printed", [r"R = \prod_{i \in [n]} \sum_{j \neq i} K_{i,j}"])
def test_a_named_derivation_may_assume_what_is_said_of_a_set(printed: str) -> None:
    """Without its name the same is only tried; what fails no derivation saves."""
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


def test_there_are_graphs_of_every_kind() -> None:
    for name in ("hollow", "occupied", "stochastic", "symmetric", "uneven"):
        seen = {PREDICATES[f"{name}(pi)"](e) for e in graphs_of(3, 2)}
        assert seen == {True, False}, name
    assert {PREDICATES["unit(Z)"](e) for e in graphs_of(3, 2)} == {True, False}
    assert {PREDICATES["distinct(Z)"](e) for e in graphs_of(3, 2)} == {True, False}


def test_too_many_subgraphs_are_refused() -> None:
    with pytest.raises(Unknown, match="listed only"):
        weights_of(complete(9))


def test_products_of_laws_are_laws() -> None:
    for e in product_laws_of(2, 3):
        for letter in "pq":
            assert all(sum(row) == 1 for row in e.numbers[letter].rows)  # type: ignore[attr-defined]


def test_matrices_of_exact_and_other_numbers() -> None:
    half = mpmath.mpf(1) / 2
    mixed = Matrix.of([[Fraction(1), half], [half, Fraction(1)]])
    assert mixed.is_psd()
    assert mixed.rank() == 2
    assert not Matrix.of(
        [[Fraction(1), 2 * mpmath.mpf(1)], [2 * mpmath.mpf(1), Fraction(1)]]
    ).is_psd()


# --- named checks ---------------------------------------------------------------------------------
def graph(n: int, what: str, where: str = "any points") -> Tables:
    return Tables({"pi": weights_on(n)[what]}, {"z": points_on(n, 2)[where]})


def answer(check: str, given: dict[str, Any], **at: Any) -> bool:
    numbers = {k: Fraction(v) if isinstance(v, int) else v for k, v in given.items()}
    with mpmath.workdps(50):
        return bool(CHECKS[check](at, numbers).holds)


TAU = Rational(1, 2)


@pytest.mark.parametrize(("n", "what"), [(2, "even"), (3, "even"), (4, "a ring")])
def test_the_factor_of_the_trace(n: int, what: str) -> None:
    """1 / tau = 2; without it the minimisers are others somewhere."""
    on = graph(n, what)
    assert answer("same minimisers on two points", {"factor": 2, "mean": 0}, on=on, tau=TAU)
    if n == 2:  # the loss is 0 at all points
        for wrong in (1, 3):
            given = {"factor": wrong, "mean": 0}
            assert not answer("same minimisers on two points", given, on=on, tau=TAU)


def test_the_factor_is_needed_where_the_program_splits() -> None:
    near, far = Fraction(3, 4), Fraction(1, 8)
    rows = [
        [0 if i == j else near if i // 2 == j // 2 else far for j in range(4)] for i in range(4)
    ]
    on = Tables({"pi": rows}, {"z": points_on(4, 2)["any points"]})
    tau = Rational(1, 4)
    assert answer("same minimisers on two points", {"factor": 4, "mean": 0}, on=on, tau=tau)
    assert not answer("same minimisers on two points", {"factor": 1, "mean": 0}, on=on, tau=tau)


def test_where_equal_points_are_a_minimiser() -> None:
    level = {n: n * mpmath.log(n - 1) for n in (3, 4)}
    with mpmath.workdps(50):
        level = {n: n * mpmath.log(n - 1) for n in (3, 4)}
    check = "collapse is no minimiser"
    assert answer(check, {"level": level[4]}, on=graph(4, "a ring"), tau=TAU)
    assert not answer(check, {"level": level[4]}, on=graph(4, "even"), tau=TAU)
    # A directed ring on three nodes is even once it is symmetrised.
    assert not answer(check, {"level": level[3]}, on=graph(3, "a directed ring"), tau=TAU)
    assert not answer(check, {"level": level[4] + 1}, on=graph(4, "a ring"), tau=TAU)


def test_no_number_is_above_the_mass() -> None:
    for most in (1, 10, 1000):
        assert not answer("mass of the joint law", {"most": most}, n=Integer(3))


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


def test_eigenvectors_are_no_minimisers() -> None:
    check = "spectral embeddings are minimisers"
    on = graph(6, "two triangles")
    for tau in (Integer(1), Rational(1, 3)):
        assert not answer(check, {"which": 2}, on=on, tau=tau)
    for wrong in (1, 3, 4):
        assert not answer(check, {"which": wrong}, on=on, tau=Integer(1))
    # Of three objects equal points are best, the multiple 0, and every centred vector is one.
    assert answer(check, {"which": 2}, on=graph(3, "even"), tau=Integer(1))
    # Of four objects with weights of three kinds the signs are best, as symmetry has it.
    a, b, c = Fraction(3, 5), Fraction(1, 4), Fraction(3, 20)
    rows = [[0, a, b, c], [a, 0, c, b], [b, c, 0, a], [c, b, a, 0]]
    four = Tables({"pi": rows}, {"z": points_on(4, 2)["any points"]})
    assert answer(check, {"which": 2}, on=four, tau=Integer(1))
    assert not answer(check, {"which": 4}, on=four, tau=Integer(1))
    with pytest.raises(NoValue):
        answer(check, {"which": 9}, on=graph(3, "even"), tau=Integer(1))


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


def test_batches_have_the_loss_of_all_objects_only_if_they_are_all() -> None:
    on = graph(4, "a ring")
    at = {"on": on, "tau": Integer(2)}
    assert answer("loss of batches", {"times": 1}, N=Integer(4), **at)
    assert not answer("loss of batches", {"times": 2}, N=Integer(4), **at)
    for count in (2, 3):
        assert not answer("loss of batches", {"times": 1}, N=Integer(count), **at)


def test_components_have_no_room() -> None:
    at = {"tau": Integer(1)}
    assert answer("components lie apart", {"weight": 1}, m=Integer(2), **at)
    assert not answer("components lie apart", {"weight": 1}, m=Integer(3), **at)
    assert not answer("components lie apart", {"weight": 2}, m=Integer(2), **at)


def test_dimensions_of_the_gaussian_space() -> None:
    check = "many points on the sphere"
    assert answer(check, {"share": 1}, n=Integer(3), q=Integer(2))
    assert not answer(check, {"share": 2}, n=Integer(3), q=Integer(2))
    assert not answer(check, {"share": 1}, n=Integer(3), q=Integer(1))


def test_the_reproducing_property() -> None:
    assert answer("reproducing kernel", {"factor": 1}, n=Integer(3))
    assert not answer("reproducing kernel", {"factor": 2}, n=Integer(3))


def test_a_mixture_of_exponential_kernels_is_none() -> None:
    check = "a mixture is an exponential kernel"
    at = {"tau": Integer(1), "tau_prime": Integer(2)}
    for alpha in (0, 1):
        assert answer(check, {"square": 2}, alpha=Integer(alpha), **at)
        assert not answer(check, {"square": 1}, alpha=Integer(alpha), **at)
    assert not answer(check, {"square": 2}, alpha=Rational(1, 2), **at)
