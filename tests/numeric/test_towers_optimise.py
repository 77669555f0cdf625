"""Two towers: the predicted optimum is reached, certified, and nothing else is."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.losses.clip import INFONCE, SIGMOID, pairwise
from cltheory.derive.losses.pairwise import c
from cltheory.derive.results import results
from cltheory.numeric.certificate import certify_towers
from cltheory.numeric.embeddings import perturb
from cltheory.numeric.optimise import StopCode, _Search
from cltheory.numeric.tower_embeddings import (
    alignment,
    ccem_towers,
    random_towers,
    structured_towers,
)
from cltheory.numeric.tower_optimise import minimise_towers
from cltheory.numeric.towers import TowerProblem, evaluate_towers
from hypothesis import example, given, settings
from hypothesis import strategies as st

# 2N entries of size t/N, eigenvalues to a few 1e-16 of their norm, times 2N.
ZERO = 1e-12
SIMILARITY = results["sigmoid-optimum"].function("positive_similarity")


def predicted(size, temperature, bias):
    return float(SIMILARITY(N=size, t=temperature, b=bias))


def delta_of(s):
    return ((1 - s) / s) ** 0.5 if s > 0 else float("inf")


# --- the search -------------------------------------------------------------------------------

# Both ends, at b = t, of Theorem 2, what lies between, and b far from t.
REGIMES = {
    2: [(1.0, 1.0), (3.0, -2.0)],
    3: [(1.0, 1.0), (1.0, -3.0), (1.0, -1.0)],
    4: [(0.2, 0.2), (2.0, 2.0), (2.0, -4.0), (3.0, 0.0)],
    8: [(0.3, 0.3), (1.0, 1.0), (3.0, 3.0), (2.0, -1.0), (1.0, 5.0)],
    10: [(0.5, 0.5), (1.0, 1.0), (2.5, 2.5), (5.0, 0.0), (0.01, 1.0)],
}


@pytest.mark.parametrize("size", REGIMES)
def test_predicted_similarity_in_every_regime(size, device):
    points = torch.tensor(REGIMES[size], dtype=torch.float64)
    found = minimise_towers(
        SIGMOID,
        {"t": points[:, 0], "b": points[:, 1]},
        N=size,
        d=max(size, 3),
        seeds=range(len(points)),
        device=device,
    )
    assert found.converged
    assert float(found.certificate.gap.max()) < 1e-9
    expected = [predicted(size, *point) for point in REGIMES[size]]
    if size >= 8:
        assert min(expected) == 0
        assert max(expected) == 1
        assert any(0.1 < s < 0.9 for s in expected)
    seen = alignment(found.embeddings)
    assert seen.positive_similarity.tolist() == pytest.approx(expected, abs=1e-6)
    assert float(seen.positive_spread.max()) < 1e-6
    assert float(seen.negative_spread.max()) < 1e-5


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    size=st.sampled_from([2, 3, 4, 8, 10]),
    temperature=st.floats(0.01, 12),
    bias=st.floats(-5, 12),
    seed=st.integers(0, 10**6),
)
@example(size=4, temperature=1e-4, bias=0.0, seed=0)
@example(size=8, temperature=60.0, bias=60.0, seed=0)
@example(size=8, temperature=60.0, bias=0.0, seed=0)
@example(size=10, temperature=2.0, bias=-40.0, seed=0)
def test_predicted_similarity_anywhere(size, temperature, bias, seed):
    params = {"t": temperature, "b": bias}
    found = minimise_towers(SIGMOID, params, N=size, d=max(size, 3), seeds=seed, device="cpu")
    assert found.converged
    assert float(found.certificate.gap) < 1e-9
    s = float(alignment(found.embeddings).positive_similarity)
    assert s == pytest.approx(predicted(size, temperature, bias), abs=1e-6)


@pytest.mark.parametrize("temperature", [0.02, 0.1, 1.0, 30.0])
def test_infonce_gives_the_simplex_at_every_temperature(temperature, device):
    found = minimise_towers(INFONCE, {"t": temperature}, N=6, d=6, seeds=range(2), device=device)
    assert found.converged
    assert float(found.certificate.gap.max()) < 1e-9
    seen = alignment(found.embeddings)
    assert seen.positive.tolist() == pytest.approx([1, 1], abs=1e-6)
    assert seen.negative.tolist() == pytest.approx([-0.2, -0.2], abs=1e-6)
    expected = float(results["infonce-optimum"].value("loss", N=6, t=temperature))
    assert found.loss.tolist() == pytest.approx([expected] * 2, rel=1e-9)


def test_the_antipodal_structure_needs_one_dimension_the_simplex_one_less_than_items():
    """Below N dimensions: certified where the structure fits, and a gap where it does not."""
    params = {"t": torch.tensor([0.5, 1.0, 2.5]), "b": torch.tensor([0.5, 1.0, 2.5])}
    nine = minimise_towers(SIGMOID, params, N=10, d=9, seeds=[0, 0, 0], device="cpu")
    s = alignment(nine.embeddings).positive_similarity
    assert float(s[0]) == pytest.approx(0, abs=1e-6)
    assert float(s[2]) == pytest.approx(1, abs=1e-6)
    assert (nine.certificate.gap < 1e-9).tolist() == [True, False, True]
    assert abs(float(s[1]) - predicted(10, 1.0, 1.0)) > 1e-3
    five = minimise_towers(SIGMOID, params, N=10, d=5, seeds=[0, 0, 0], device="cpu")
    assert (five.certificate.gap < 1e-9).tolist() == [True, False, False]
    assert bool((five.loss >= nine.loss - 1e-12).all())


def test_two_items_can_lock_on_a_circle():
    """Why verification gives two items a third dimension."""
    params = {"t": 8.0, "b": 0.0}
    flat = minimise_towers(SIGMOID, params, N=2, d=2, seeds=range(20), device="cpu")
    stuck = flat.certificate.gap > 1e-9
    assert 0 < int(stuck.sum()) < 20
    wide = minimise_towers(SIGMOID, params, N=2, d=3, seeds=range(20), device="cpu")
    assert float(wide.certificate.gap.max()) < 1e-9


def test_float32(device):
    params = {"t": torch.tensor([0.5, 1.0, 2.5]), "b": torch.tensor([0.5, 1.0, 2.5])}
    found = minimise_towers(
        SIGMOID, params, N=10, d=10, seeds=range(3), dtype=torch.float32, device=device
    )
    assert found.embeddings.dtype == torch.float32
    expected = [predicted(10, x, x) for x in (0.5, 1.0, 2.5)]
    # A gradient of 1e-5 over curvatures of order 0.1.
    assert alignment(found.embeddings).positive_similarity.tolist() == pytest.approx(
        expected, abs=1e-3
    )
    assert float(found.certificate.gap.max()) < 1e-3


def test_a_loss_of_ones_own():
    """(1 - c)^2 and (1 + c)^2: the optimum by hand from the derivative along the CCEM."""
    squares = pairwise("squares", "", (1 - c) ** 2, (1 + c) ** 2, "")
    found = minimise_towers(squares, {}, N=6, d=6, device="cpu")
    # 2 x - 4 (1 - 1/5 - 2x/5) = 0: half the derivative at x = 1 - positive.
    x = (2 * 4 / 5) / (1 + 2 * 2 / 5)
    assert float(found.certificate.gap) < 1e-9
    assert float(alignment(found.embeddings).positive) == pytest.approx(1 - x, abs=1e-9)


def test_chunks_and_seeds_do_not_matter():
    params = {"t": torch.linspace(0.2, 3, 5, dtype=torch.float64), "b": 1.0}
    runs = [
        minimise_towers(SIGMOID, params, N=5, d=5, seeds=range(5), chunk=k, device="cpu")
        for k in (1, 5)
    ]
    torch.testing.assert_close(runs[0].loss, runs[1].loss, rtol=0, atol=1e-13)
    assert runs[0].seeds == tuple(range(5))
    again = minimise_towers(SIGMOID, params, N=5, d=5, start=runs[0].embeddings, device="cpu")
    assert again.seeds is None
    assert again.iterations.max() <= 1


def test_interruption_keeps_what_there_is(monkeypatch):
    step, calls = _Search._step, 0

    def interrupted(self, state):
        nonlocal calls
        calls += 1
        if calls == 12:
            raise KeyboardInterrupt
        return step(self, state)

    monkeypatch.setattr(_Search, "_step", interrupted)
    found = minimise_towers(
        SIGMOID, {"t": 1.0, "b": 1.0}, N=6, d=6, seeds=range(6), chunk=2, device="cpu"
    )
    assert StopCode.INTERRUPTED in found.stop
    assert torch.isfinite(found.loss).all()
    fresh = certify_towers(SIGMOID, found.embeddings, {"t": 1.0, "b": 1.0})
    torch.testing.assert_close(found.certificate.gap, fresh.gap)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 0}, "d must be at least 1"),
        ({"N": 1}, "N >= 2"),
        ({"start": torch.eye(3)}, "start has the shape"),
        ({"seeds": [0, 1], "params": {"t": torch.rand(3), "b": 1.0}}, "must agree"),
    ],
)
def test_bad_input_is_refused(change, message):
    kwargs = {"params": {"t": 1.0, "b": 1.0}, "N": 3, "d": 3, "device": "cpu", **change}
    params = kwargs.pop("params")
    with pytest.raises(ValueError, match=message):
        minimise_towers(SIGMOID, params, **kwargs)


# --- the certificate --------------------------------------------------------------------------


@pytest.mark.parametrize(("temperature", "bias"), [(0.5, 0.5), (1.0, 1.0), (2.5, 2.5), (3.0, 0.0)])
def test_only_the_right_ccem_is_accepted(temperature, bias):
    params = {"t": temperature, "b": bias}
    s = predicted(10, temperature, bias)
    right = certify_towers(SIGMOID, ccem_towers(delta_of(s), N=10, d=10), params)
    assert float(right.gap) < ZERO
    assert float(right.lower_bound) == pytest.approx(float(right.loss), abs=ZERO)
    for wrong in (s - 0.01, s + 0.01, 0.0, 1.0):
        if 0 <= wrong <= 1 and wrong != s:
            u = ccem_towers(delta_of(wrong), N=10, d=10)
            assert float(certify_towers(SIGMOID, u, params).gap) > 1e-4


def test_perturbed_optima_and_other_structures_are_refused():
    params = {"t": 1.0, "b": 1.0}
    u = ccem_towers(delta_of(predicted(10, 1.0, 1.0)), N=10, d=10)
    least = float(certify_towers(SIGMOID, u, params).loss)
    for size in (1e-2, 1e-3, 1e-4):
        moved = certify_towers(SIGMOID, perturb(u[None], [1], size), params)
        assert float(moved.gap) > float(moved.loss) - least > 1e-3 * size**2
    for inner in ((0.9, 0.1, 0.1), (0.0, 0.0, 0.0), (1.0, -1 / 9, -1 / 9), (1.0, 1.0, 1.0)):
        other = structured_towers(*inner, N=10, d=20)
        assert float(certify_towers(SIGMOID, other, params).gap) > 1e-3
    assert float(certify_towers(SIGMOID, u, {"t": 1.0, "b": 1.01}).gap) > 1e-5


def test_a_gradient_of_the_wrong_sign_certifies_nothing(monkeypatch):
    right = TowerProblem.value_and_gram_gradient
    monkeypatch.setattr(
        TowerProblem,
        "value_and_gram_gradient",
        lambda self, u: (right(self, u)[0], -right(self, u)[1]),
    )
    for delta, at in ((0, 2.5), (float("inf"), 0.5), (delta_of(predicted(10, 1.0, 1.0)), 1.0)):
        u = ccem_towers(delta, N=10, d=10)
        assert float(certify_towers(SIGMOID, u, {"t": at, "b": at}).gap) > 0.01


def test_a_loss_that_is_not_convex_gets_no_bound():
    u = random_towers(0, N=3, d=3)
    wrong = pairwise("wrong", "", -c, -(c**2), "")
    assert torch.isinf(certify_towers(wrong, u, {}).gap)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    temperature=st.floats(0.05, 6),
    bias=st.floats(-3, 6),
    seed=st.integers(0, 10**6),
    size=st.integers(2, 6),
    d=st.integers(1, 8),
    softmax=st.booleans(),
)
def test_the_bound_holds_between_any_two_embeddings(temperature, bias, seed, size, d, softmax):
    """loss(U) - gap(U) is below the loss of every other pair of towers, in any dimension."""
    loss, params = (
        (INFONCE, {"t": temperature}) if softmax else (SIGMOID, {"t": temperature, "b": bias})
    )
    bound = float(certify_towers(loss, random_towers(seed, N=size, d=d), params).lower_bound)
    others = [random_towers(seed + 1, N=size, d=size)]
    others += [ccem_towers(delta, N=size, d=size) for delta in (0, 0.5, 2, float("inf"))]
    for other in others:
        assert bound <= float(evaluate_towers(loss, *other, params)) + 1e-12
