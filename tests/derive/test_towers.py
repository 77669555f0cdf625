"""The results on two towers, against brute force that shares no code with the engine."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from brute_force import over_shares
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Rational


def softplus(z: float) -> float:
    return float(np.logaddexp(0, z))


def sigmoid_loss(n: int, t_: float, b_: float, g: np.ndarray) -> float:
    """Equation (2), pair by pair."""
    total = 0.0
    for i in range(n):
        for j in range(n):
            s = g[i, n + j]
            total += softplus(-t_ * s + b_) if i == j else softplus(t_ * s - b_)
    return total / n


def least_over(projections: list[np.ndarray], loss) -> tuple[float, np.ndarray]:
    """Least loss over the Gram matrices that shares of some projections make."""
    size, count = len(projections[0]), len(projections)

    def at(w: np.ndarray) -> np.ndarray:
        return sum(size * v / np.trace(p) * p for v, p in zip(w, projections, strict=True))

    found = over_shares(lambda w: loss(at(w)), np.arange(2, count + 2))
    return float(found.fun), at(found.x)


def means(size: int) -> tuple[np.ndarray, np.ndarray]:
    """The projection on constants, and that on what has the mean zero."""
    mean = np.full((size, size), 1 / size)
    return mean, np.eye(size) - mean


def brute_force(n: int, loss, k: int = 2) -> tuple[float, np.ndarray]:
    """Least loss over invariant Gram matrices of k towers, by their four projections."""
    return least_over([np.kron(a, b) for a in means(k) for b in means(n)[::-1]], loss)


@settings(max_examples=25)
@given(
    st.integers(2, 7),
    st.integers(1, 40).map(lambda k: k / 10),
    st.integers(-20, 40).map(lambda k: k / 10),
)
def test_sigmoid_optimum(n, t_, b_) -> None:
    r = results["sigmoid-optimum"]
    least, g = brute_force(n, lambda g: sigmoid_loss(n, t_, b_, g))
    at = {"N": n, "t": t_, "b": b_}
    assert least == pytest.approx(float(r.value("loss", **at)), abs=1e-8)
    # The loss is nearly flat for large |b|: there the position cannot be compared.
    assume(abs(b_) < 1.5 and n > 2)
    assert g[0, n] == pytest.approx(float(r.value("positive", **at)), abs=2e-3)


@given(st.integers(4, 60), st.integers(1, 60).map(lambda k: k / 10))
def test_regimes_at_equal_bias(n, t_) -> None:
    r, o = results["sigmoid-threshold"], results["sigmoid-optimum"]
    high, low = float(r.value("t_simplex", N=n)), float(r.value("t_antipodal", N=n))
    regime = str(o.at("regime", o.point(N=n, t=t_, b=t_)))
    assert regime == ("simplex" if t_ >= high else "antipodal" if t_ <= low else "between")


@given(
    st.integers(3, 30),
    st.integers(1, 40).map(lambda k: k / 10),
    st.integers(-20, 60).map(lambda k: k / 10),
)
def test_regimes_at_any_bias(n, t_, b_) -> None:
    r, o = results["sigmoid-threshold"], results["sigmoid-optimum"]
    high = float(r.value("b_simplex", N=n, t=t_))
    low = float(r.value("b_antipodal", N=n, t=t_))
    assert low < high
    regime = str(o.at("regime", o.point(N=n, t=t_, b=b_)))
    assert regime == ("simplex" if b_ >= high else "antipodal" if b_ <= low else "between")


def test_the_simplex_is_lost_again_at_large_temperatures() -> None:
    r, o = results["sigmoid-threshold"], results["sigmoid-optimum"]
    top = float(r.value("t_simplex_max", N=8, b=3))
    least = r.value("b_simplex_min", N=8)
    assert least == pytest.approx(log(3))
    for t_, regime in ((top - 0.01, "simplex"), (top + 0.01, "between")):
        assert str(o.at("regime", o.point(N=8, t=f"{t_:.6f}", b=3))) == regime
    with pytest.raises(DomainError, match="at no temperature"):
        r.value("t_simplex_max", N=8, b=1)
    with pytest.raises(DomainError, match="at no temperature"):
        r.value("t_antipodal_max", N=8, b=3)


@given(st.integers(3, 20), st.integers(-15, 40).map(lambda k: k / 10))
def test_the_simplex_at_a_fixed_bias(n, b_) -> None:
    """By the threshold in b at many temperatures, which another proof gave."""
    r = results["sigmoid-threshold"]
    try:
        top = float(r.value("t_simplex_max", N=n, b=b_))
    except DomainError:
        top = 0.0
        assert b_ <= float(r.value("b_simplex_min", N=n))
    need = r.function("b_simplex")
    for t_ in (1e-6, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0):
        if abs(t_ - top) > 1e-5:
            assert (b_ >= need(N=n, t=t_)) is np.bool_(t_ < top)


def test_few_items() -> None:
    r, o = results["sigmoid-threshold"], results["sigmoid-optimum"]
    assert r.value("t_simplex", N=4) == 0
    for n in (2, 3):
        with pytest.raises(DomainError, match="simplex is optimal at every t"):
            r.value("t_simplex", N=n)
        assert o.value("delta_star", N=n, t="1/10", b="1/10") == 0
    assert o.value("delta_star", N=2, t=1, b=-5) == 0
    with pytest.raises(DomainError, match="for N = 2"):
        r.value("b_simplex", N=2, t=1)


def test_limits_are_taken_or_declined() -> None:
    r, o = results["sigmoid-threshold"], results["sigmoid-optimum"]
    assert r.value("b_simplex", N=10, t="oo") == inf
    assert r.value("t_simplex", N="oo") == inf
    with pytest.raises(DomainError, match="at no temperature"):
        r.at("t_simplex_max", r.point(N="oo", b=3))
    far = o.point(N=10, t="oo", b=0)
    # Where the exponentials of a positive and of a negative pair tie.
    assert o.at("x_star", far) == Rational(8, 13)
    assert abs(o.value("x_star", N=10, t=10**6, b=0) - Rational(8, 13)) < 1e-5
    assert str(o.at("regime", far)) == "between"
    with pytest.raises(DomainError, match="has no known limit at N = 10, t = oo"):
        o.at("loss", far)
    with pytest.raises(DomainError, match="t must be > 0"):
        o.point(N=10, t=0)


def test_infinite_delta_is_a_value() -> None:
    o = results["sigmoid-optimum"]
    assert o.value("delta_star", N=10, t="1/2", b="1/2") == inf
    assert o.value("positive", N=10, t="1/2", b="1/2") == -1
    ccem = results["ccem"]
    assert [ccem.value("min_dimension", N=5, delta=d) for d in (0, 1, "oo")] == [4, 5, 1]
    assert ccem.value("positive", N=5, delta="oo") == -1
    assert ccem.value("negative", N=5, delta="oo") == -1


LOSSES = [
    ("log(1+exp(-2*x+1))", "log(1+exp(2*x-1))"),
    ("exp(-x)", "exp(x)"),
    ("(1-x)^2", "exp(3*x)"),
    ("softplus(-4*(x-0.2))", "softplus(4*(x-0.2))"),
    ("1/(x+2)", "1/(2-x)"),
    ("-x", "x+x^2/4"),
    ("-log(x+2)", "-log(2-x)"),
    ("-x", "x"),
]


@pytest.mark.parametrize("lp, ln", LOSSES)
@pytest.mark.parametrize("n", [3, 5, 9])
def test_losses_of_users(lp, ln, n) -> None:
    python = {"x": None, "exp": np.exp, "log": np.log, "softplus": lambda z: np.logaddexp(0, z)}
    fp, fn = (
        compile(e.replace("^", "**"), "loss", "eval") for e in (lp, ln)
    )  # our own constants above, not a user's text

    def loss(g: np.ndarray) -> float:
        s = g[:n, n:]
        off = ~np.eye(n, dtype=bool)
        p_ = eval(fp, {**python, "x": np.diag(s)})
        n_ = eval(fn, {**python, "x": s[off]})
        return float((p_.sum() + n_.sum()) / n)

    least, _ = brute_force(n, loss)
    r = results["pairwise-threshold"].with_inputs(lp=lp, ln=ln)
    assert least == pytest.approx(float(r.value("loss", N=n)), abs=1e-7)


@pytest.mark.parametrize(
    "lp, ln, why",
    [
        ("-2*x", "x^2", "x\\*\\*2 is not increasing at x = -1"),
        ("x", "x", "x is not decreasing"),
        ("-x^3", "x", "is not"),
        ("-x", "1-x", "is not increasing"),
        ("q", "x", "is not an expression"),
        ("__import__('os')", "x", "is not an expression"),
    ],
)
def test_losses_that_are_refused(lp, ln, why) -> None:
    with pytest.raises(DomainError, match=why) as refusal:
        results["pairwise-threshold"].with_inputs(lp=lp, ln=ln).quantities  # noqa: B018
    assert "\n" not in str(refusal.value)


def test_a_loss_that_is_not_strictly_monotone_gets_the_weaker_statement() -> None:
    r = results["pairwise-threshold"].with_inputs(lp="(1-x)^2", ln="(1+x)^2")
    n = 6
    # By hand: the derivative of (x^2 + (N-1)(1 + negative(x))^2) vanishes there.
    expected = (n - 2) / (2 * (n - 1) ** 0.5)
    assert float(r.value("delta_star", N=n)) == pytest.approx(expected)
    titles = [s.title for s in r.derivation]
    assert any("vanish at some optimum" in title for title in titles)
    sure = results["pairwise-threshold"].with_inputs(lp="exp(-x)", ln="exp(x)")
    assert any("vanish at every optimum" in s.title for s in sure.derivation)


def test_a_loss_needs_both_functions() -> None:
    with pytest.raises(DomainError, match="give both"):
        results["pairwise-threshold"].with_inputs(lp="-x")
    with pytest.raises(DomainError, match="does not take"):
        results["supcl-threshold"].with_inputs(lp="-x", ln="x")


@settings(max_examples=15)
@given(
    st.integers(2, 4),
    st.integers(2, 5),
    st.integers(2, 30).map(lambda k: k / 10),
    st.integers(-15, 30).map(lambda k: k / 10),
    st.integers(1, 12).map(lambda k: k / 4),
)
def test_many_towers_with_weights(k, n, t_, b_, w_) -> None:
    def predicted(positive: float, negative: float) -> float:
        attract, repel = softplus(-t_ * positive + b_), softplus(t_ * negative - b_)
        return (k - 1) * (attract + (n - 1) * w_ * repel)

    least, _ = brute_force(n, lambda g: predicted(g[0, n], g[0, n + 1]), k)
    r = results["towers-threshold"]
    at = {"N": n, "K": k, "t": t_, "b": b_, "w": w_}
    positive, negative = (float(r.value(name, **at)) for name in ("positive", "negative"))
    assert least == pytest.approx(predicted(positive, negative), abs=1e-8)
    if n > k:
        low, high = (
            float(r.value(name, N=n, K=k, t=t_, w=w_)) for name in ("b_antipodal", "b_simplex")
        )
        assert (positive == 1) is (b_ >= high) or abs(b_ - high) < 1e-9
        assert (positive == pytest.approx(-1 / (k - 1))) is (b_ <= low) or abs(b_ - low) < 1e-3


def test_several_positives_change_no_threshold() -> None:
    """By brute force over the six projections of K towers of items with p vectors each."""
    k, n, p_, t_, b_, w_ = 2, 3, 2, 1.5, 0.4, 0.7
    (mean, contrasts), (one, views) = means(n), means(p_)
    item = [np.kron(mean, one), np.kron(contrasts, one), np.kron(np.eye(n), views)]
    projections = [np.kron(a, b) for a in means(k) for b in item]
    size = k * n * p_
    tower, of = np.repeat(np.arange(k), n * p_), np.tile(np.repeat(np.arange(n), p_), k)
    pairs = tower[:, None] != tower
    same, other = pairs & (of[:, None] == of), pairs & (of[:, None] != of)

    def loss(g: np.ndarray) -> float:
        attract, repel = np.logaddexp(0, -t_ * g + b_), np.logaddexp(0, t_ * g - b_)
        return float((attract[same].sum() + w_ * repel[other].sum()) / size)

    least, _ = least_over(projections, loss)
    r = results["towers-threshold"]
    at = {"N": n, "K": k, "t": t_, "b": b_, "w": w_}
    assert least == pytest.approx(float(r.value("loss", p=p_, **at)), abs=1e-8)
    assert r.value("loss", p=3, **at) == pytest.approx(3 * r.value("loss", p=1, **at))
    for name in ("x_star", "b_simplex", "b_antipodal", "w_simplex", "w_antipodal"):
        assert "p" not in {s.name for s in r.quantity(name).expression.free_symbols}


def test_two_towers_are_the_case_of_the_paper() -> None:
    r, s = results["towers-threshold"], results["sigmoid-threshold"]
    for name in ("b_simplex", "b_antipodal"):
        many = r.value(name, N=9, K=2, t="1.5", w=1, digits=30)
        assert abs(many - s.value(name, N=9, t="1.5", digits=30)) < 1e-28
    edge = r.value("b_simplex", N=9, K=3, t="1.5", w=2, digits=40)
    back = r.value("w_simplex", N=9, K=3, t="1.5", b=edge, digits=30)
    assert abs(back - 2) < 1e-13
