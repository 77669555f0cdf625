"""SupCL over random batches, against all batches of small data, one by one, without the engine."""

import re
from dataclasses import replace
from itertools import combinations, product
from math import comb, exp
from pathlib import Path

import numpy as np
import pytest
from cltheory.derive.decide.ball import enclosure
from cltheory.derive.decide.domain import Domain, DomainError, at_least
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.decide.expectation import Expectation, K, expectation
from cltheory.derive.decide.limits import draws
from cltheory.derive.decide.limits import limit as limit_module
from cltheory.derive.decide.limits.limit import NoLimit
from cltheory.derive.losses.alone import ALONE
from cltheory.derive.losses.softmax import tau
from cltheory.derive.optimum.batches import MeanOf, MeanSign, RootOfMean
from cltheory.derive.proof.relations import Iff
from cltheory.derive.results import results
from cltheory.derive.structures import hierarchy
from cltheory.derive.structures.draws import B
from sympy import Ge, Integer, Lambda, Rational, S, Sum, oo

T = 0.4
NAMES = [f"supcl-batches{kind}" for kind in ("", "-exclusive")]


def batches(m, n, size):
    """All sets of instances, each as (class, number)."""
    return list(combinations(list(product(range(m), range(n))), size))


def balanced(m, n, classes, k):
    chosen = combinations(range(m), classes)
    own = list(combinations(range(n), k))
    return [
        [(c, i) for c, some in zip(cs, parts, strict=True) for i in some]
        for cs in chosen
        for parts in product(own, repeat=classes)
    ]


def of_batch(gram, points, alpha, alone, exclusive):
    """Loss of a batch and its derivative in the Gram matrix, summed over its anchors."""
    value, slope = 0.0, np.zeros_like(gram)
    for a in points:
        views = [b for b in points if b[:2] == a[:2] and not (exclusive and b == a)]
        mates = [b for b in points if b[0] == a[0] and b[1] != a[1]]
        below = [b for b in points if not (exclusive and b == a)]
        own, sup, spread = alpha, 1 - alpha, 1.0
        if not mates:
            own, sup, spread = {
                "attraction": (alpha, 0, 1),
                "term": (alpha, 0, alpha),
                "renormalise": (1, 0, 1),
                "skip": (0, 0, 0),
            }[alone]
        i = a[3]
        weights = np.array([exp(gram[i, b[3]] / T) for b in below])
        value += spread * np.log(weights.sum())
        for b, w in zip(below, weights / weights.sum(), strict=True):
            slope[i, b[3]] += spread * w / T
        for positives, weight in ((views, own), (mates, sup)):
            for b in positives:
                value -= weight * gram[i, b[3]] / T / len(positives)
                slope[i, b[3]] -= weight / T / len(positives)
    return value / len(points), slope / len(points)


def over_batches(gram, m, n, p, all_batches, alpha, alone, exclusive):
    index = {point: i for i, point in enumerate(product(range(m), range(n), range(p)))}
    total, slope = 0.0, np.zeros_like(gram)
    for batch in all_batches:
        points = [(c, i, v, index[c, i, v]) for c, i in batch for v in range(p)]
        value, s = of_batch(gram, points, alpha, alone, exclusive)
        total, slope = total + value / len(all_batches), slope + s / len(all_batches)
    return total, (slope + slope.T) / 2


def collapse(m, n, p):
    classes = np.repeat(np.arange(m), n * p)
    return np.where(classes[:, None] == classes, 1.0, -1 / (m - 1))


def is_optimal(m, n, p, all_batches, alpha, alone, exclusive):
    """Whether collapse satisfies the dual condition: gradient - y >= 0, y what it is on classes."""
    gram = collapse(m, n, p)
    _, slope = over_batches(gram, m, n, p, all_batches, alpha, alone, exclusive)
    y = (slope @ gram)[0, 0]
    return np.linalg.eigvalsh(slope - y * np.eye(len(gram))).min() > -1e-12


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("m, n, p, size", [(3, 2, 2, 3), (2, 3, 2, 3), (2, 2, 3, 2)])
@pytest.mark.parametrize("alone", ALONE)
def test_ends_are_those_of_all_batches_one_by_one(name, m, n, p, size, alone):
    result, exclusive = results[name], name.endswith("exclusive")
    at = {"m": m, "n": n, "p": p, "B": size, "tau": Rational(2, 5)}
    ends = [k for k in (f"alpha_low_{alone}", f"alpha_high_{alone}") if k in result.quantities]
    assert len(ends) == (2 if exclusive or alone == "attraction" else 1)
    low, high = ([0.0, *map(float, (result.value(k, **at) for k in ends))])[-2:]
    every = batches(m, n, size)
    # 1e-6 is far from rounding, and nearer than any other border lies here.
    for alpha, inside in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True)):
        if low == 0 and not exclusive and alone != "attraction":
            inside = True  # there is no lower end
        if 0 <= alpha <= 1:
            inside = inside and alpha <= high and alpha >= low
            assert is_optimal(m, n, p, every, alpha, alone, exclusive) is np.bool_(inside)
    if high < 1:
        assert not is_optimal(m, n, p, every, max(high, 0) + 1e-6, alone, exclusive)
    if f"empty_{alone}" in result.quantities:
        assert result.value(f"empty_{alone}", **at) == (min(high, 1) < max(low, 0))


@pytest.mark.parametrize("m, n, p, c, k", [(3, 2, 1, 2, 2), (3, 2, 2, 2, 2), (2, 3, 2, 2, 2)])
def test_ends_are_those_of_all_balanced_batches(m, n, p, c, k):
    every = balanced(m, n, c, k)
    for exclusive in (False, True)[:p]:
        result = results["supcl-batches-balanced" + "-exclusive" * exclusive]
        at = {"m": m, "n": n, "p": p, "C": c, "k": k, "tau": Rational(2, 5)}
        high = float(result.value("alpha_high", **at))
        low = float(result.value("alpha_low", **at)) if exclusive else 0.0
        tried = {high - 1e-6: high > low, high + 1e-6: False, low + 1e-6: True, low - 1e-6: False}
        for alpha, inside in tried.items():
            if 0 <= alpha <= 1:
                assert is_optimal(m, n, p, every, alpha, "", exclusive) is np.bool_(inside)


def test_derivatives_are_those_of_the_loss_of_a_batch():
    # The brute force itself: central differences, whose error is about 1e-16/h + h^2 = 1e-10.
    gram = collapse(3, 2, 2) + 0.1 * np.cos(np.arange(144.0)).reshape(12, 12)
    every = batches(3, 2, 3)[:4]
    _, slope = over_batches(gram, 3, 2, 2, every, 0.3, "term", True)
    h = 1e-5
    for i, j in ((0, 1), (2, 7), (5, 4)):
        step = np.zeros_like(gram)
        step[i, j] = step[j, i] = h
        up, down = (
            over_batches(gram + s * step, 3, 2, 2, every, 0.3, "term", True)[0] for s in (1, -1)
        )
        assert abs((up - down) / (2 * h) - 2 * slope[i, j]) < 1e-8


def test_facts_of_settings_that_people_use():
    # The formula of p = 1 as the issue that asked for it has it, summed in plain floats.
    m, n, t = 10, 50, 0.1
    e, r = exp(-m / ((m - 1) * t)), (n - 1) / (n * (m - 1))
    for size, shown in ((500, "0.0201"), (100, "0.1001"), (20, "0.3547")):
        law = [
            comb(n - 1, k - 1) * comb(m * n - n, size - k) / comb(m * n - 1, size - 1)
            for k in range(1, min(n, size) + 1)
        ]
        mean = sum(
            w * (k - 1 - (size - k) * r * e) / (k + (size - k) * e) for k, w in enumerate(law, 1)
        )
        found = results["supcl-batches"].value(
            "alpha_high_attraction", m=m, n=n, p=1, B=size, tau="1/10"
        )
        assert f"{float(found):.4f}" == shown
        assert abs(float(found) - (1 - mean / (1 - law[0]))) < 1e-12  # 500 terms of float64
    many = {"m": 1000, "n": 10**6, "p": 1, "B": 1024, "tau": "1/10"}
    assert (
        round(float(results["supcl-batches"].value("alpha_high_attraction", **many)), 4) == 0.4268
    )
    views = {"m": 10, "n": 10, "p": 2, "B": 32, "tau": "1/10"}
    assert results["supcl-batches"].value("empty_attraction", **views) is True


@pytest.mark.parametrize("alone", ALONE)
def test_a_batch_of_all_data_is_the_full_batch(alone):
    at = {"m": 4, "n": 3, "tau": "1/3"}
    full = results["supcl-threshold"].value("alpha_min", digits=30, **at)
    whole = results["supcl-batches"].value(f"alpha_high_{alone}", digits=30, p=2, B=12, **at)
    assert abs(full - whole) < 1e-28
    full = results["supcl-batches-balanced"].value("alpha_high", digits=30, p=2, C=4, k=3, **at)
    assert abs(full - whole) < 1e-28


def test_supcon_collapses_over_batches_too():
    # With one weight for all positives it is SupCL with the weights of views and mates in the
    # batch; so it is summed here anew.
    m, n, p, size = 3, 2, 2, 3
    every, gram = batches(m, n, size), collapse(m, n, p)
    index = {point: i for i, point in enumerate(product(range(m), range(n), range(p)))}
    total = 0.0
    for batch in every:
        points = [(c, i, v) for c, i in batch for v in range(p)]
        for a in points:
            others = [b for b in points if b != a]
            row = {b: gram[index[a], index[b]] / T for b in others}
            positives = [row[b] for b in others if b[0] == a[0]]
            total += np.log(sum(map(exp, row.values()))) - np.mean(positives)
    at = {"m": m, "n": n, "p": p, "tau": Rational(2, 5)}
    found = results["supcon-batches"]
    assert float(found.value("loss", B=size, **at)) == pytest.approx(
        total / len(every) / size / p, rel=1e-13
    )
    whole = found.value("loss", digits=30, B=6, **at)
    assert abs(whole - results["supcon"].value("loss", digits=30, **at)) < 1e-28


def test_in_large_batches_there_is_no_lower_end():
    with pytest.raises(DomainError, match="no anchor is alone"):
        results["supcl-batches"].value("alpha_low_attraction", m=3, n=2, p=2, B=6, tau=1)


# --- statements that must be refused ---------------------------------------------------------
@pytest.mark.parametrize("kind", [MeanOf, MeanSign, RootOfMean])
def test_wrong_statements_on_means_are_refused(kind):
    steps = [s for s in results["supcl-batches-exclusive"].derivation if type(s.says) is kind]
    assert steps
    for step in steps:
        says = step.says
        assert isinstance(says.decide(), Holds)
        for wrong in _wrong(says):
            assert not isinstance(says.saying(wrong).decide(), Holds), (step.title, wrong)
        if kind is MeanSign and says.tilt != 0:
            assert not isinstance(replace(says, tilt=-says.tilt).decide(), Holds)
            assert not isinstance(replace(says, tilt=S.Zero).decide(), Holds)


def test_a_tilt_needs_all_batches():
    # Where anchors are skipped, K less its mean has not the mean zero over what is left.
    for step in results["supcl-batches"].derivation:
        if isinstance(step.says, MeanSign) and not step.says.loss.covers:
            assert isinstance(replace(step.says, tilt=S.Zero).decide(), Holds)
            assert not isinstance(replace(step.says, tilt=Rational(1, 10**9)).decide(), Holds)


def _wrong(says):
    shown = says.shown
    if isinstance(says, MeanSign):
        yield shown.func(-shown.args[0], 0, evaluate=False)
        return
    one, other = shown.args
    yield Iff(one, Ge(2 * other.args[0] + 1, 0, evaluate=False))
    yield Iff(one, Ge(-other.args[0], 0, evaluate=False))
    if isinstance(says, RootOfMean):
        parameter, value = one.args
        yield Iff(one.func(parameter, 2 * value, evaluate=False), other)
        yield Iff(one.reversedsign.func(parameter, value, evaluate=False), other)


# --- means over draws ------------------------------------------------------------------------
@pytest.mark.parametrize("marked, drawn, total", [(5, 7, 20), (0, 3, 9), (9, 9, 9), (4, 30, 33)])
@pytest.mark.parametrize("low, high", [(0, None), (1, None), (0, 0)])
def test_means_are_sums_of_sympy(marked, drawn, total, low, high):
    f = (K - 3) / (1 + K) ** 2
    ends = (low,) if high is None else (low, high)
    mean = Expectation(Lambda(K, f), marked, drawn, total, *ends)
    exact = mean.rewrite(Sum).doit()
    assert exact.is_Rational
    assert enclosure(mean, 200).contains(enclosure(exact, 300).mid()) or exact == 0
    assert mean.settled() in (exact, mean)


def test_a_ball_around_a_mean_holds_it_where_most_terms_are_left_out():
    # 50,000 terms, of which a few hundred are summed; the mean of K is known.
    mean = Expectation(Lambda(K, K), 10**5, 50_000, 10**7)
    ball = enclosure(mean, 60)
    assert ball.contains(500) and ball.rad() < 1e-9
    # The same with a function whose values lie far apart.
    far = Expectation(Lambda(K, K**3), 10**5, 50_000, 10**7)
    assert enclosure(far, 300).contains(enclosure(far, 60).mid()) or enclosure(far, 60).overlaps(
        enclosure(far, 300)
    )


def test_what_does_not_depend_on_the_draw_is_taken_out():
    mean = expectation(3 * K + 2, Integer(2), Integer(3), Integer(6))
    assert mean.atoms(Expectation) == {Expectation(Lambda(K, K), 2, 3, 6)}
    assert mean.xreplace({e: e.settled() for e in mean.atoms(Expectation)}) == 3 * 1 + 2


def test_what_cannot_be_drawn_has_no_mean():
    with pytest.raises(ValueError, match="cannot be drawn"):
        enclosure(Expectation(Lambda(K, K), 2, 7, 6), 60)


# --- functions of arrays ---------------------------------------------------------------------
def test_functions_take_any_argument_as_an_array():
    result = results["supcl-batches"]
    f = result.function("alpha_high_term")
    for name, column in {"B": [2, 9, 40], "tau": [0.05, 1.0], "n": [4, 30], "m": [10, 11]}.items():
        at = {"m": 10, "n": 4, "B": 20, "tau": 0.25}
        found = f(**{**at, name: np.array(column)})
        for value, x in zip(found, column, strict=True):
            exact = result.value("alpha_high_term", **{**at, name: str(x)})
            assert value == pytest.approx(float(exact), rel=1e-9)
    grid = f(m=10, n=[[4], [9]], B=[3, 30, 31], tau=0.3)
    assert grid.shape == (2, 3) and grid[1, 2] == pytest.approx(f(m=10, n=9, B=31, tau=0.3))


def test_the_table_of_the_page_is_what_is_derived():
    page = Path(__file__).resolve().parents[2] / "docs" / "which-batch.md"
    rows = re.findall(r"^\| ([\d,]+) x ([\d,]+).*?\| (.*) \|$", page.read_text("utf-8"), re.M)
    assert len(rows) == 7
    for m, n, cells in rows:
        size, full, term, attraction, eight = (c.strip() for c in cells.split("|"))
        m, n, size = (int(e.replace(",", "")) for e in (m, n, size))
        at = {"m": m, "n": n, "tau": "1/10"}
        of = results["supcl-batches"]
        assert full == f"{float(results['supcl-threshold'].value('alpha_min', **at)):.4f}"
        assert term == f"{float(of.value('alpha_high_term', p=2, B=size, **at)):.4f}"
        if of.value("empty_attraction", p=2, B=size, **at):
            assert attraction == "no $\\alpha$ collapses"
        else:
            high = of.value("alpha_high_attraction", p=2, B=size, **at)
            assert attraction == f"{float(high):.4f}"
            # What the page says of it: the lower end is no restriction.
            assert of.value("alpha_low_attraction", p=2, B=size, **at) <= 0
        if eight:
            found = results["supcl-batches-balanced"].value(
                "alpha_high", p=2, C=size // 8, k=8, **at
            )
            assert eight == f"{float(found):.4f}"
        else:
            assert size // 8 > m


def test_a_mean_of_one_term_is_not_written_out_where_its_weight_is_long():
    alone = Expectation(Lambda(K, S.One), 10**6, 65535, 10**9, 0, 0)
    assert alone.settled() is alone
    assert enclosure(alone, 60).rel_accuracy_bits() > 40
    assert Expectation(Lambda(K, S.One), 1, 2, 3, 1).settled() == Rational(2, 3)


# --- ever more instances ---------------------------------------------------------------------
def test_with_ever_more_instances_draws_are_put_back():
    m, size, t = 10, 32, 0.1
    e, r = exp(-m / ((m - 1) * t)), 1 / (m - 1)
    law = [comb(size - 1, k) * (m - 1) ** (size - 1 - k) / m ** (size - 1) for k in range(size)]
    mean = sum(
        w * (k - (size - 1 - k) * r * e) / (k + 1 + (size - 1 - k) * e) for k, w in enumerate(law)
    )
    at = {"m": m, "p": 1, "B": size, "tau": "1/10"}
    name = "alpha_high_attraction"
    found = results["supcl-batches"].value(name, n="oo", **at)
    assert abs(float(found) - (1 - mean / (1 - law[0]))) < 1e-12  # 32 terms of float64
    many = [results["supcl-batches"].value(name, n=10**k, digits=30, **at) for k in (6, 9)]
    assert abs(many[1] - found) < abs(many[0] - found) / 100 < 1e-6
    balanced = {"m": m, "p": 1, "C": 4, "k": 8, "tau": "1/10"}
    of = results["supcl-batches-balanced"]
    assert (
        abs(
            of.value("alpha_high", n="oo", **balanced) - of.value("alpha_high", n=10**9, **balanced)
        )
        < 1e-8
    )
    whole = results["supcon-batches"].value("loss", n="oo", **{**at, "p": 2})
    near = results["supcon-batches"].value("loss", n=10**9, **{**at, "p": 2})
    assert 0 < abs(whole - near) < 1e-7


@pytest.mark.parametrize("share, drawn", [(Rational(1, 10), 31), (Rational(2, 3), 5)])
@pytest.mark.parametrize("low, high", [(0, oo), (1, oo), (0, 0)])
def test_means_with_things_put_back_are_sums_of_sympy(share, drawn, low, high):
    f = (K - 3) / (1 + K) ** 2
    mean = Expectation(Lambda(K, f), share, drawn, oo, low, high)
    exact = mean.rewrite(Sum).doit()
    assert exact.is_Rational
    assert enclosure(mean, 200).overlaps(enclosure(exact, 300))
    assert enclosure(mean, 200).rad() < 1e-50


@pytest.mark.parametrize("id", ["supcl-batches", "supcl-batches-exclusive"])
def test_hot_batches_are_the_limit_of_warm_ones(id):
    at = {"m": 10, "n": 5, "p": 2, "B": 8}
    for name in ("alpha_high_term", "alpha_high_skip"):
        found = results[id].value(name, tau="oo", **at)
        assert abs(found - results[id].value(name, tau=10**6, **at)) < 1e-5
    cold = results["supcl-batches"].limit("alpha_high_skip", "tau", 0)
    known = {s: at[s.name] for s in cold.free_symbols if s.name in at}
    near = results["supcl-batches"].value("alpha_high_skip", tau="1/100", **at)
    assert abs(cold.xreplace({s: Integer(v) for s, v in known.items()}).evalf() - near) < 1e-12


def test_whether_an_interval_is_empty_is_known_with_ever_more_instances():
    at = {"m": 10, "n": "oo", "p": 2, "B": 32}
    empty = {
        t: results["supcl-batches"].value("empty_attraction", tau=t, **at) for t in ("1/10", 1)
    }
    assert empty == {"1/10": True, 1: False}
    # Two instances a batch, the anchor excluded: both ends are 1/3, also in the limit.
    with pytest.raises(ValueError, match="limit case"):
        results["supcl-batches-exclusive"].value("empty_skip", m=3, n="oo", p=2, B=2, tau=1)


MANY = Domain({hierarchy.n: at_least(2)}, {hierarchy.n: Integer(5)})


def test_a_limit_that_values_do_not_approach_is_refused(monkeypatch):
    def wrong(e, symbol, domain, take):
        return draws.limit_of_draws(e, symbol, domain, take) + Rational(1, 100)

    monkeypatch.setattr(limit_module, "limit_of_draws", wrong)
    mean = (
        results["supcl-batches"]
        .quantity("alpha_high_skip")
        .expression.xreplace({hierarchy.m: Integer(3), B: Integer(4), tau: Rational(1, 2)})
    )
    with pytest.raises(NoLimit, match="do not approach it"):
        limit_module.limit(mean, hierarchy.n, oo, MANY)


def test_a_number_of_draws_that_grows_has_no_limit_here():
    n = hierarchy.n
    mean = Expectation(Lambda(K, K / n), n - 1, n - 1, 3 * n - 1)
    with pytest.raises(NoLimit, match="depends on n"):
        limit_module.limit(mean, hierarchy.n, oo, MANY)
    with pytest.raises(ValueError, match="not the share"):
        enclosure(Expectation(Lambda(K, K), Rational(3, 2), 4, oo), 60)
