"""Random pairwise losses against brute force over invariant Gram matrices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.exact import expression
from cltheory.derive.losses.functions import NAMES
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss
from cltheory.derive.results import results
from cltheory.derive.results.towers.pairwise_threshold import for_loss
from cltheory.derive.structures.towers import NEGATIVE, POSITIVE, N
from cltheory.derive.theorem.result import Result
from mpmath import mp

from .random_losses import (
    DIGITS,
    WRONG,
    Problem,
    random_family,
    random_problem,
    random_terms,
    wrong_problem,
)

R = results["pairwise-threshold"]
#: Float64 golden sections reach the least value to this, relative to the size of the terms.
CLOSE = 1e-9
#: Digits of a position: a steep side of a kink must not hide a flat one of slope e^-400.
PLACES = 260
#: How far beyond the optima a loss must be larger; and how close to an end its slope is seen.
BEYOND, NEAR = mp.mpf(10) ** -12, mp.mpf(10) ** -40


def derived(problem: Problem) -> tuple[Result, dict[str, object]]:
    """The engine's result: from text if it is two functions, else as a declaration."""
    values: dict[str, object] = {"N": problem.N, **problem.values}
    if problem.kind == "terms":
        terms = [
            PairTerm(relation, expression(text, NAMES), expression(weight, {"N": N}))
            for relation, group in ((POSITIVE, problem.positive), (NEGATIVE, problem.negative))
            for text, weight in group
        ]
        result = for_loss(PairwiseLoss("random", "", tuple(terms), "test"))
    else:
        result = R.with_inputs(lp=problem.positive[0][0], ln=problem.negative[0][0])
    known = {s.name for s in result.parameters}
    return result, {k: v for k, v in values.items() if k in known}


def check(problem: Problem) -> str:
    """Compare with brute force; an empty string, or why the engine refused."""
    try:
        result, values = derived(problem)
        result.derivation  # noqa: B018 - is built here
    except DomainError as refusal:
        return str(refusal)
    point = result.point(**values)
    first = result.value("x_star", PLACES, **values)
    last = result.value("x_last", PLACES, **values) if "x_last" in result else first
    assert 0 <= first <= last <= 2
    with mp.workdps(DIGITS):

        def loss(x):
            return problem.at(mp.mpf(x), mp)

        size = 1 + abs(loss(0)) + abs(loss(2))
        scale = mp.mpf(10) ** -45 * size
        best = loss(first)
        # Along the whole interval it is as small as at its ends, and outside it is larger.
        assert abs(loss(last) - best) <= scale and abs(loss((first + last) / 2) - best) <= scale
        for beyond in (first - BEYOND, last + BEYOND):
            if 0 <= beyond <= 2:
                assert loss(beyond) > best, (beyond, loss(beyond) - best)
        for end in (0, 2):
            assert loss(end) >= best - scale
        # What the conditions say of the two ends.
        start, end = (result.at(k, point) for k in ("simplex_condition", "antipodal_condition"))
        # A loss that is flat there is so up to the last of its digits.
        noise = mp.mpf(10) ** (20 - DIGITS) * size
        rises, falls = (loss(a) - loss(b) >= -noise for a, b in ((NEAR, 0), (2 - NEAR, 2)))
        assert (start.evalf(30) >= 0) == rises, "simplex_condition"
        assert (end.evalf(30) <= 0) == falls, "antipodal_condition"
        assert (first == 0) == (start.evalf(30) >= 0) and (last == 2) == (end.evalf(30) <= 0)
        found = float(result.value("loss", **values))
    least = problem.least()
    assert found == pytest.approx(least, rel=CLOSE, abs=CLOSE * float(size))
    return ""


def run(make: Callable[[int], Problem], seeds: range) -> None:
    """Check problems that are valid by construction; few of them may be refused."""
    refused: Counter[str] = Counter()
    reasons = []
    for seed in seeds:
        problem = make(seed)
        try:
            why = check(problem)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {problem}: {error}") from error
        if why:
            refused[problem.kind] += 1
            reasons.append(f"{seed}: {why}")
    assert sum(refused.values()) <= 0.05 * len(seeds), (refused, reasons)


@pytest.mark.parametrize(
    "make, count", [(random_problem, 10), (random_terms, 4), (random_family, 5)]
)
def test_random_losses(make, count) -> None:
    run(make, range(count))


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("part", range(10))
def test_many_random_losses(part: int) -> None:
    run(random_problem, range(1000 + part, 1600, 10))
    run(random_terms, range(1000 + part, 1300, 10))
    run(random_family, range(1000 + part, 1200, 10))


def refused(problem: Problem) -> str:
    result, _ = derived(problem)
    with pytest.raises(DomainError) as refusal:
        result.quantities  # noqa: B018 - is built here
    return str(refusal.value)


def test_losses_without_the_shape_are_refused() -> None:
    for seed in range(24):
        why = refused(wrong_problem(seed))
        assert "\n" not in why and "*I" not in why
        assert re.search(r" is not |infinite|pole", why), why


@pytest.mark.slow
def test_every_wrong_function_is_refused() -> None:
    for wrong in WRONG:
        assert refused(Problem((("-x", "1"),), ((wrong.format(z="x"), "1"),), 5)), wrong
        assert refused(Problem(((wrong.format(z="-x"), "1"),), (("x", "1"),), 5)), wrong


def test_brute_force_notices_a_wrong_answer(monkeypatch) -> None:
    problem = Problem((("max(0, 1/2 - x)", "1"),), (("exp(2*x)", "1"),), 8)
    assert check(problem) == ""
    other = Problem((("max(0, 1/2 - x)", "1"),), (("exp(21/10*x)", "1"),), 8)
    right = derived(problem)
    monkeypatch.setattr(f"{__name__}.derived", lambda _: right)
    with pytest.raises(AssertionError):
        check(other)
