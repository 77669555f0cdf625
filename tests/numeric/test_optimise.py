"""The optimiser finds optima, says how it ended, and does not fool itself."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.losses.supcl import CNCE, SUP_CNCE, SUPCL
from cltheory.numeric.certificate import certify
from cltheory.numeric.embeddings import perturb, random_embeddings, structured_embeddings
from cltheory.numeric.optimise import TOLERANCE, StopCode, _Search, minimise
from cltheory.numeric.variance import variances
from hypothesis import example, given, settings
from hypothesis import strategies as st

SMALL = {"m": 3, "n": 2, "p": 2, "d": 6}


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    alpha=st.floats(0, 1),
    tau=st.floats(0.15, 1),
    sizes=st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(1, 2)),
    seed=st.integers(0, 10**6),
)
@example(alpha=1.0, tau=1.0, sizes=(2, 2, 1), seed=0)
@example(alpha=0.0, tau=0.3, sizes=(2, 2, 2), seed=1)
def test_predicted_variances_are_reached(predicted_variance, alpha, tau, sizes, seed):
    m, n, p = sizes
    params = {"alpha": alpha, "tau": tau}
    found = minimise(SUPCL, params, m=m, n=n, p=p, d=m * n, seeds=seed, device="cpu")
    assert found.stop == [StopCode.CONVERGED]
    assert float(found.gradient_norm) <= TOLERANCE[torch.float64]
    # A gradient of 1e-12 bounds the gap by 1e-12 where the least eigenvalue of S is not
    # itself the zero of a threshold; there, by its square root times the residual spread.
    assert float(found.certificate.gap) < 1e-9
    spread = variances(found.embeddings)
    # See TOLERANCE: at worst, right at the threshold, 1e-7.
    assert float(spread.within) == pytest.approx(predicted_variance(m, n, alpha, tau), abs=1e-7)
    assert float(spread.centroid_norm) < 1e-5


@pytest.mark.parametrize("loss", [CNCE, SUP_CNCE], ids=lambda loss: loss.name)
def test_other_losses_reach_a_certified_optimum(loss, device):
    params = {"tau": 0.5} if loss is CNCE else {"tau": 0.5, "alpha": 0.4}
    found = minimise(loss, params, **SMALL, seeds=range(3), device=device)
    assert found.converged
    assert float(found.certificate.gap.max()) < 1e-9
    torch.testing.assert_close(found.loss, found.loss[:1].expand(3), rtol=0, atol=1e-12)


def test_a_batch_is_as_good_as_its_problems(device):
    """Chunks only change which problems share a call, up to rounding."""
    alpha = torch.linspace(0, 1, 7, dtype=torch.float64)
    kwargs = {**SMALL, "seeds": range(7), "device": device}
    batches = [
        minimise(SUPCL, {"alpha": alpha, "tau": 0.3}, **kwargs, chunk=chunk) for chunk in (1, 3, 7)
    ]
    for other in batches[1:]:
        assert other.converged
        torch.testing.assert_close(other.loss, batches[0].loss, rtol=0, atol=1e-13)
    alone = minimise(SUPCL, {"alpha": 0.5, "tau": 0.3}, **{**kwargs, "seeds": 3})
    torch.testing.assert_close(alone.loss[0], batches[0].loss[3], rtol=0, atol=1e-13)
    assert alone.seeds == (3,)
    assert batches[0].seeds == tuple(range(7))


def test_same_seed_same_answer():
    first, second = (
        minimise(SUPCL, {"alpha": 0.5, "tau": 0.3}, **SMALL, seeds=5, device="cpu")
        for _ in range(2)
    )
    assert torch.equal(first.embeddings, second.embeddings)
    assert (first.iterations, first.evaluations) == (second.iterations, second.evaluations)


def test_float32(predicted_variance, device):
    found = minimise(SUPCL, {"alpha": 0.8, "tau": 0.3}, **SMALL, dtype=torch.float32, device=device)
    assert found.stop == [StopCode.CONVERGED]
    assert found.embeddings.dtype == torch.float32
    expected = predicted_variance(3, 2, 0.8, 0.3)
    # A gradient of 1e-5 over curvatures of order 1 (this is not near a threshold).
    assert float(variances(found.embeddings).within) == pytest.approx(expected, abs=1e-4)
    assert found.certificate.gap.dtype == torch.float64
    assert float(found.certificate.gap) < 1e-3


def test_what_too_small_a_dimension_costs_is_certified():
    """Three classes of two at alpha = 1 want a simplex in R^5; in R^2 they pay for it."""
    params = {"alpha": 1.0, "tau": 0.5}
    wide = minimise(SUPCL, params, **SMALL, device="cpu")
    flat = minimise(SUPCL, params, **{**SMALL, "d": 2}, seeds=range(4), device="cpu")
    cost = flat.loss.min() - wide.loss[0]
    assert flat.converged
    assert float(cost) > 0.01
    assert bool((flat.certificate.gap >= flat.loss - wide.loss).all())
    # S does not know d, so it may ask for more, but not for much more.
    assert float(flat.certificate.gap.min()) < 5 * float(cost)


def test_a_saddle_is_left_for_the_optimum():
    """Collapse is stationary for every alpha; where it is not optimal, noise shows it."""
    params = {"alpha": 1.0, "tau": 0.5}
    collapsed = structured_embeddings(1, 1, -0.5, **SMALL)
    stuck = minimise(SUPCL, params, **SMALL, start=collapsed, device="cpu")
    assert stuck.converged
    assert float(stuck.certificate.gap) > 0.01
    freed = minimise(
        SUPCL, params, **SMALL, start=perturb(collapsed[None], [0], 1e-6), device="cpu"
    )
    assert freed.converged
    assert float(freed.certificate.gap) < 1e-9
    assert freed.seeds is None


def test_stop_codes():
    params = {"alpha": 0.5, "tau": 0.3}
    capped = minimise(SUPCL, params, **SMALL, max_iterations=2, device="cpu")
    assert capped.stop == [StopCode.MAX_ITERATIONS]
    assert capped.iterations.tolist() == [2]
    assert not capped.converged
    floor = minimise(SUPCL, params, **SMALL, tolerance=0.0, device="cpu")
    assert floor.stop == [StopCode.STALLED]
    # Rounding errors of the gradient are assumed to be at most 64 eps / tau = 5e-14.
    assert float(floor.gradient_norm) < 5e-14


def test_interruption_keeps_what_there_is(monkeypatch):
    calls = 0
    step = _Search._step

    def interrupted(self, state):
        nonlocal calls
        calls += 1
        if calls == 15:
            raise KeyboardInterrupt
        return step(self, state)

    monkeypatch.setattr(_Search, "_step", interrupted)
    params = {"alpha": 0.5, "tau": 0.3}
    starts = random_embeddings(range(6), **SMALL)
    found = minimise(SUPCL, params, **SMALL, start=starts, chunk=2, device="cpu")
    codes = list(found.stop)
    done = codes.index(StopCode.INTERRUPTED)
    assert 0 < done < 6
    assert set(codes[:done]) == {StopCode.CONVERGED}
    assert set(codes[done:]) <= {StopCode.INTERRUPTED, StopCode.CONVERGED}
    assert torch.isfinite(found.loss).all()
    assert torch.isfinite(found.gradient_norm).all()
    assert codes[-1] is StopCode.INTERRUPTED
    assert not found.evaluations[-1]
    torch.testing.assert_close(found.embeddings[-1], starts[-1])
    fresh = certify(SUPCL, found.embeddings, params)
    torch.testing.assert_close(found.certificate.gap, fresh.gap)
    torch.testing.assert_close(found.loss, fresh.loss)
    again = minimise(SUPCL, params, **SMALL, start=found.embeddings, device="cpu")
    assert again.converged


def test_progress_is_reported():
    seen = []
    minimise(
        SUPCL,
        {"alpha": 0.5, "tau": 0.3},
        **SMALL,
        seeds=range(5),
        chunk=2,
        device="cpu",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (5, 5)
    assert seen == sorted(seen)


def test_a_bar_is_drawn_when_asked_for(capsys):
    pytest.importorskip("tqdm")
    minimise(SUPCL, {"alpha": 0.5, "tau": 0.3}, **SMALL, device="cpu", progress=True)
    assert "1/1" in capsys.readouterr().err


def test_one_class_is_spread_as_far_as_it_goes():
    """m = 1: no other class; at alpha = 1 the instances form a simplex of their own."""
    sizes = {"m": 1, "n": 4, "p": 2, "d": 4}
    found = minimise(SUPCL, {"alpha": 1.0, "tau": 0.5}, **sizes, device="cpu")
    assert float(found.certificate.gap) < 1e-9
    assert float(variances(found.embeddings).within) == pytest.approx(1, abs=1e-9)


def test_a_line_leaves_nothing_to_do():
    """In R^1 the sphere is two points: every start is stationary."""
    found = minimise(SUPCL, {"alpha": 0.5, "tau": 0.5}, m=2, n=2, p=1, d=1, device="cpu")
    assert found.converged
    assert found.iterations.tolist() == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 0}, "at least 1"),
        ({"seeds": range(3), "params": {"alpha": torch.rand(2), "tau": 1.0}}, "must agree"),
        ({"start": torch.eye(3)}, "start has the shape"),
        ({"seeds": []}, "must agree"),
    ],
)
def test_bad_input_is_refused(change, message):
    kwargs = {**SMALL, "params": {"alpha": 0.5, "tau": 1.0}, "device": "cpu", **change}
    params = kwargs.pop("params")
    with pytest.raises(ValueError, match=message):
        minimise(SUPCL, params, **kwargs)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_missing_device_is_named():
    with pytest.raises(ValueError, match="torch finds none"):
        minimise(SUPCL, {"alpha": 0.5, "tau": 1.0}, **SMALL, device="cuda")
