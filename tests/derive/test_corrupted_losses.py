"""Declarations with something changed: the optimum follows, or they are refused in one line.

A followed optimum is compared with brute force over invariant Gram matrices, with the loss
evaluated term by term from the changed declaration.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.root import argmin
from cltheory.derive.losses.clip import INFONCE, SIGMOID, b, t
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import SoftmaxLoss, tau
from cltheory.derive.losses.supcl import SUPCL, alpha
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.optimum.segment import x
from cltheory.derive.problems.domains import COMBINED, WARM
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.results.classes._supcl import on_segment
from cltheory.derive.results.towers._ccem import SYMMETRY as TOWERS
from cltheory.derive.results.towers._ccem import on_ccem
from cltheory.derive.results.towers.pairwise_threshold import for_loss
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.structures.towers import N
from sympy import Max, Rational, S, exp

from .brute_force import best_shares, gram, over_shares

#: How near float64 optimisers come to the least value.
CLOSE = 1e-5


def corrupted(loss: SoftmaxLoss, relations: tuple[str, ...], seed: int) -> SoftmaxLoss:
    """A declaration with one thing changed."""
    chance = random.Random(seed)
    terms = list(loss.terms)
    k = chance.randrange(len(terms))
    kind = chance.choice(["drop", "coefficient", "positives", "denominator", "temperature"])
    if kind == "drop" and len(terms) > 1:
        del terms[k]
    elif kind == "coefficient":
        factor = chance.choice([2, Rational(1, 3), -1])
        terms[k] = replace(terms[k], coefficient=terms[k].coefficient * factor)
    elif kind == "temperature":
        return replace(loss, temperature=loss.temperature * chance.choice([2, Rational(1, 2)]))
    else:
        which = "denominator" if kind == "denominator" else "positives"
        names = list(getattr(terms[k], which))
        name = chance.choice(relations)
        if name in names:
            names.remove(name)
        else:
            names.append(name)
        terms[k] = replace(terms[k], **{which: tuple(names)})
    return replace(loss, terms=tuple(terms))


def value(loss: SoftmaxLoss, inner: dict[str, float], counts: dict[str, int], at) -> float:
    """The loss of an anchor, term by term."""
    temperature = float(loss.temperature.xreplace(at))
    total = 0.0
    for term in loss.terms:
        spread = math.log(
            sum(counts[r] * math.exp(inner[r] / temperature) for r in term.denominator)
        )
        pairs = sum(counts[r] for r in term.positives)
        pull = sum(counts[r] * inner[r] for r in term.positives) / pairs / temperature
        total += float(term.coefficient.xreplace(at)) * (spread - pull)
    return total


def optimum(problem, loss: SoftmaxLoss, at) -> tuple[float, dict[str, int]]:
    """The engine's least value at numbers, and how many pairs there are of each relation."""
    segment = problem.segment
    root = argmin(problem.slope, x, S.Zero, segment.length).xreplace(at).settled()
    along = segment.inner.items()
    inner = {r: float(e.xreplace({**at, x: root}).evalf(20)) for r, e in along}
    counts = {r.name: int(r.count.xreplace(at)) for r in segment.scheme.relations}
    return value(loss, inner, counts, at), counts


def supcl_follows(loss: SoftmaxLoss, sizes: tuple[int, int, int]) -> bool:
    """Whether the optimum is the least value over all invariant Gram matrices; False: refused."""
    try:
        problem = on_segment(loss, COMBINED, Derivation())
    except (DomainError, StepFailed):
        return False
    at = {**dict(zip((m, n, p), map(S, sizes), strict=True)), tau: S(1) / 5, alpha: S(2) / 5}
    found, counts = optimum(problem, loss, at)
    views = sizes[2]

    def brute(g: np.ndarray) -> float:
        inner = {"self": 1.0, "same_instance": g[0, 1], "same_class": g[0, views]}
        return value(loss, {**inner, "cross_class": g[0, sizes[1] * views]}, counts, at)

    least = brute(gram(*sizes, best_shares(*sizes, brute)))
    assert found <= least + 1e-9 and found == pytest.approx(least, abs=CLOSE), loss
    return True


def infonce_follows(loss: SoftmaxLoss, items: int) -> bool:
    """The same for two towers."""
    try:
        problem = on_ccem(ReducedLoss(loss, TOWERS), WARM, Derivation(), weak=True)
    except (DomainError, StepFailed):
        return False
    at = {N: S(items), t: S(1) / 3}
    found, counts = optimum(problem, loss, at)
    # Inner products with all of the trace in one eigenspace: of positives, of negatives, within.
    rows = np.array(
        [
            [1, 1, -1, -1],
            [-1 / (items - 1), 1, 1 / (items - 1), -1],
            [-1 / (items - 1), 1, -1 / (items - 1), 1],
        ]
    )

    def brute(shares: np.ndarray) -> float:
        positive, negative, within = rows @ shares
        inner = {"self": 1.0, "positive": positive, "negative": negative}
        return value(loss, {**inner, "within_modality": within}, counts, at)

    least = over_shares(brute, np.ones(4)).fun
    assert found <= least + 1e-9 and found == pytest.approx(least, abs=CLOSE), loss
    return True


def run_supcl(seeds) -> list[bool]:
    relations = ("self", "same_instance", "same_class", "cross_class")
    return [supcl_follows(corrupted(SUPCL, relations, k), (3, 2, 2)) for k in seeds]


def run_infonce(seeds) -> list[bool]:
    relations = ("self", "within_modality", "positive", "negative")
    return [infonce_follows(corrupted(INFONCE, relations, k), 4) for k in seeds]


def test_the_declarations_themselves_follow() -> None:
    assert supcl_follows(SUPCL, (3, 2, 2)) and infonce_follows(INFONCE, 4)


def test_corrupted_declarations_follow_or_are_refused() -> None:
    for found in (run_supcl(range(4)), run_infonce(range(10, 18))):
        assert any(found) and not all(found)


@pytest.mark.slow
def test_many_corrupted_declarations() -> None:
    run_supcl(range(100, 200))
    run_infonce(range(100, 300))


# --- what a declaration must satisfy ---------------------------------------------------------
def pairs(*terms: PairTerm) -> PairwiseLoss:
    return PairwiseLoss("changed", "", terms, "test")


HINGE = PairTerm("positive", (1 - c) ** 2, S.One)


def test_weights_count_and_terms_of_a_relation_are_added() -> None:
    push = (c + 1) ** 2 / 2
    one = for_loss(pairs(HINGE, PairTerm("negative", push, S(3))))
    three = for_loss(pairs(HINGE, *[PairTerm("negative", push, S.One)] * 3))
    text = for_loss(pairs(HINGE, PairTerm("negative", 3 * push, S.One)))
    values = {r.value("loss", N=4) for r in (one, three, text)}
    assert len(values) == 1
    # The squared hinge: by kinks and slopes on both sides.
    lp, ln = Max(0, 1 - c) ** 2, Max(0, 1 + c) ** 2
    for terms in (
        [PairTerm("negative", ln, S(3))],
        [PairTerm("negative", ln, S(1)), PairTerm("negative", ln, S(2))],
    ):
        r = for_loss(pairs(PairTerm("positive", lp, S.One), *terms))
        # Least of x^2 + 9 (2/3 - x/3)^2 along x, where it is 2.
        assert r.value("loss", N=4) == 2 and r.value("x_star", N=4) == 1


def test_a_sum_may_be_convex_when_its_terms_are_not() -> None:
    bent = pairs(
        PairTerm("positive", -c, S.One),
        PairTerm("negative", exp(2 * c), S.One),
        PairTerm("negative", -(c**2) / 4, S.One),
    )
    assert for_loss(bent).value("x_star", N=4) >= 0
    with pytest.raises(DomainError, match="not convex"):
        for_loss(pairs(HINGE, PairTerm("negative", 4 * c - c**2, S.One))).quantities  # noqa: B018


@pytest.mark.parametrize(
    "terms, says",
    [
        ([PairTerm("negative", exp(c), -S.One)], "the weight -1 .* must be >= 0"),
        ([PairTerm("negative", exp(c), 1 - t)], "weight 1 - t .* it is not at t = "),
        ([PairTerm("negative", exp(c), N - 3)], "weight N - 3 .* it is not at N = 2"),
        ([PairTerm("within_modality", exp(c), S.One)], "'within_modality'; the relations here"),
        ([PairTerm("cousin", exp(c), S.One)], "a term on 'cousin'; the relations here are"),
        ([PairTerm("negative", exp(tau * c), S.One)], "depends on tau"),
        ([PairTerm("negative", exp(c), c)], "depends on c"),
    ],
)
def test_pairwise_declarations_check_themselves(terms, says) -> None:
    with pytest.raises(DomainError, match=says):
        for_loss(pairs(HINGE, *terms)).quantities  # noqa: B018


def test_a_sigmoid_loss_without_one_side() -> None:
    attract, repel = SIGMOID.terms
    alone = for_loss(pairs(attract))
    assert alone.value("x_star", N=5, t=2, b=1) == 0
    apart = for_loss(pairs(repel))
    assert apart.value("x_star", N=5, t=2, b=1) == 2
    swapped = replace(SIGMOID, terms=(replace(attract, relation="negative"), repel))
    with pytest.raises(DomainError, match="not increasing"):
        for_loss(swapped).quantities  # noqa: B018
    assert b in attract.function.free_symbols
