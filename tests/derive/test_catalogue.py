"""The losses of the literature by name, against loops over random embeddings.

Sums of a few hundred terms of order one in float64 agree to 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import losses_by_hand as by_hand
import numpy as np
import pytest
from brute_force import gram
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.losses.literature import LITERATURE
from cltheory.derive.losses.pairwise import PairwiseLoss
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import SINCERE, alpha
from cltheory.derive.optimum.reduce import ReducedLoss, inner_products
from cltheory.derive.problems.catalogue import CATALOGUE, named
from cltheory.derive.problems.declared import PROBLEMS
from cltheory.derive.problems.problem import Problem
from cltheory.derive.structures.hierarchy import hierarchy, p
from sympy import Expr, S

CLOSE = {"rel": 1e-12, "abs": 1e-12}
#: A loss is held against the function of its name in losses_by_hand.
WRITTEN: dict[str, Callable[..., float]] = {
    name: getattr(by_hand, name.replace("-", "_"))
    for name in CATALOGUE
    if name not in LITERATURE and name not in CATALOGUE.plugins.names
}
GIVEN = {"tau": 0.4, "alpha": 0.3, "t": 1.7, "b": -0.4}
TWO_TOWERS = [k for k in CATALOGUE if "N" in map(str, CATALOGUE[k].domain.symbols())]
NESTED = [k for k in WRITTEN if k not in TWO_TOWERS]


def numbers(e: Expr, point: Mapping[str, float]) -> float:
    return float(e.subs({s: point[s.name] for s in e.free_symbols}))


def evaluated(problem: Problem, g: np.ndarray, point: Mapping[str, float]) -> float:
    """A declaration, read literally, at a Gram matrix of all points of its structure."""
    axes = [round(numbers(a, point)) for a in problem.structure.axes]
    places = list(np.ndindex(*axes))
    relation = [
        [
            problem.structure.pattern[tuple(i == j for i, j in zip(a, b, strict=True))]
            for b in places
        ]
        for a in places
    ]
    total, size = 0.0, len(places)
    if isinstance(problem.loss, PairwiseLoss):
        for term in problem.loss.terms:
            weight = numbers(term.weight, point)
            for u in range(size):
                for v in range(size):
                    if relation[u][v] == term.relation:
                        at = {**point, "c": g[u, v]}
                        total += weight * numbers(term.function, at) / size
        return total
    heat = numbers(problem.loss.temperature, point)
    for term in problem.loss.terms:
        for u in range(size):
            weights = {
                v: numbers(term.weight(relation[u][v]), point)
                for v in range(size)
                if relation[u][v] in term.positives
            }
            pool = [g[u, w] / heat for w in range(size) if relation[u][w] in term.denominator]
            for v, weight in weights.items():
                inside = [*pool, g[u, v] / heat] if term.own_positive else pool
                part = np.log(np.exp(inside).sum()) - g[u, v] / heat
                share = weight / sum(weights.values())
                total += numbers(term.coefficient, point) * share * part / size
    return total


def random_gram(seed: int, size: int) -> np.ndarray:
    u = np.random.default_rng(seed).normal(size=(size, 4))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    return u @ u.T


def test_the_names_are_those() -> None:
    """The catalogue reads them from a text, in which constants are called like their losses."""
    assert len(CATALOGUE) == len(PROBLEMS) + len(LITERATURE) == len(set(CATALOGUE))
    for name in CATALOGUE:
        problem = CATALOGUE[name]
        assert problem is named(name) and problem.loss.name == name
        assert CATALOGUE.says(name)
    assert "infonce" not in CATALOGUE
    with pytest.raises(KeyError):
        CATALOGUE["infonce"]


@pytest.mark.parametrize("text", ["supcom", "", "supcon.tom", "x" * 300, "../supcon"])
def test_an_unknown_name_says_which_there_are(text: str) -> None:
    with pytest.raises(DomainError) as refusal:
        named(text)
    message = str(refusal.value)
    assert "\n" not in message and "simclr" in message and ".toml" in message
    assert len(message) < 500


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2, 3), (2, 3, 1)])
@pytest.mark.parametrize("name", NESTED)
def test_a_nested_loss_is_what_its_source_says(name: str, sizes: tuple[int, int, int]) -> None:
    problem, (m_, n_, p_) = CATALOGUE[name], sizes
    if name in ("simclr", "dcl"):
        m_ = 1
    if not problem.domain.contains({p: S(p_)}):
        assert name in ("simclr", "dcl", "supcl-exclusive") and p_ == 1
        return
    g = random_gram(m_ + n_, m_ * n_ * p_)
    point = {**GIVEN, "m": m_, "n": n_, "p": p_}
    given = {s.name: GIVEN[s.name] for s in problem.domain.symbols() if s.name in GIVEN}
    expected = WRITTEN[name](g, by_hand.labels(m_, n_, p_), **given)
    assert evaluated(problem, g, point) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("name", NESTED)
def test_a_reduced_loss_is_that_on_an_invariant_gram_matrix(name: str) -> None:
    """Value and gradient; shares (1, 2, 3, 4)/10 leave no two inner products alike."""
    problem = CATALOGUE[name]
    sizes = (1, 3, 2) if name in ("simclr", "dcl") else (2, 3, 2)
    shares = np.array([1, 2, 3, 4]) / 10 if sizes[0] > 1 else np.array([2, 3, 0, 5]) / 10
    g = gram(*sizes, shares)
    reduced = ReducedLoss(problem.loss, problem.structure)
    symbols = inner_products(problem.structure)
    first = {"same_instance": g[0, 1], "same_class": g[0, 2], "cross_class": g[0, -1]}
    first |= {"self": 1.0, "negative": g[0, -1]}
    point = {"m": sizes[0], "n": sizes[1], "p": sizes[2], **GIVEN}
    at = {**point, **{f"g_{r}": first[r] for r in symbols}}
    given = {s.name: GIVEN[s.name] for s in problem.domain.symbols() if s.name in GIVEN}
    expected = WRITTEN[name](g, by_hand.labels(*sizes), **given)
    for value in (reduced.value(symbols), reduced.declared(symbols)):
        assert numbers(value, at) == pytest.approx(expected, **CLOSE)
    gradient = reduced.pair_gradient(symbols)
    for r in problem.structure.relations[1:]:
        slope = reduced.scale * reduced.value(symbols).diff(symbols[r.name])
        gap = numbers(slope - r.count * gradient[r.name], at)
        assert gap == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", TWO_TOWERS)
def test_a_loss_of_two_towers_is_what_its_source_says(name: str) -> None:
    problem, size = CATALOGUE[name], 3
    g = random_gram(7, 2 * size)
    point = {**GIVEN, "N": size}
    # Both directions of a pair are summed, over twice as many anchors.
    found = evaluated(problem, g, point)
    if name in WRITTEN:
        given = {s.name: GIVEN[s.name] for s in problem.domain.symbols() if s.name in GIVEN}
        assert found == pytest.approx(WRITTEN[name](g, (), **given), **CLOSE)
        return
    lp, ln = (term.function for term in problem.loss.terms)
    cross = g[:size, size:]
    expected = sum(
        numbers(lp if i == j else ln, {**point, "c": cross[i, j]})
        for i in range(size)
        for j in range(size)
    )
    assert found == pytest.approx(expected / size, **CLOSE)


def test_a_changed_declaration_is_another_number() -> None:
    """The comparison above can fail: every loss differs from every other one."""
    g, point = random_gram(3, 12), {**GIVEN, "m": 2, "n": 3, "p": 2}
    found = [evaluated(CATALOGUE[k], g, point) for k in NESTED if k not in ("simclr", "dcl")]
    assert len({round(v, 6) for v in found}) == len(found)


# --- what a declaration must not say -------------------------------------------------------------
def softmax(term: SoftmaxTerm) -> ReducedLoss:
    return ReducedLoss(SoftmaxLoss("given", "", (term,), tau, ""), hierarchy())


EVERYTHING = ("same_instance", "same_class", "cross_class")


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"denominator": ("same_class", "cross_class")}, "same_class is there already"),
        ({"weights": (S.One,)}, "1 weights for the positives same_instance, same_class"),
    ],
)
def test_impossible_terms_are_refused(changes: dict[str, object], says: str) -> None:
    (term,) = SINCERE.terms
    with pytest.raises(DomainError, match=says):
        softmax(replace(term, **changes))


@pytest.mark.parametrize(
    "weights, says",
    [
        ((S.One, alpha - 1), "the weight alpha - 1 of the positives same_class must be >= 0"),
        ((S.One, S.Zero), "must be > 0; it is not at"),
        ((S.Zero, S.Zero), "must be > 0"),
    ],
)
def test_weights_that_leave_no_positives_are_refused(weights: object, says: str) -> None:
    """With weight on own views only there are none at p = 1, which the domain allows."""
    term = SoftmaxTerm(S.One, ("same_instance", "same_class"), EVERYTHING, weights)
    domain = CATALOGUE["supcl"].domain
    with pytest.raises(DomainError, match=says):
        softmax(term).preconditions(domain)
    softmax(replace(term, weights=(S.One, alpha + 1))).preconditions(domain)


def test_a_relation_that_is_not_in_a_term_weighs_nothing_there() -> None:
    for given in ((), (alpha, S.One)):
        both = ("same_instance", "same_class")
        term = SoftmaxTerm(S.One, both, both, given, denominator_weights=given)
        first = given[0] if given else S.One
        for weight in (term.weight, term.in_denominator):
            assert (weight("same_instance"), weight("cross_class")) == (first, 0)


@pytest.mark.parametrize("name", ["simclr", "dcl", "supcl-exclusive"])
def test_no_positives_at_one_view(name: str) -> None:
    problem = CATALOGUE[name]
    with pytest.raises(DomainError, match="no positives without another view"):
        problem.domain.check({p: S.One})
    loose = problem.domain.with_range(p, CATALOGUE["supcl"].domain.ranges[p], 2)
    with pytest.raises(DomainError, match="pairs in the positives same_instance must be > 0"):
        ReducedLoss(problem.loss, problem.structure).preconditions(loose)


# --- written out ----------------------------------------------------------------------------------
