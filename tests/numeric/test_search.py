"""The search finds optima, says how it ended, and does not fool itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from cltheory.derive.decide.domain import Domain
from cltheory.derive.losses.clip import pairwise
from cltheory.derive.losses.pairwise import c
from cltheory.derive.losses.supcl import SUPCL
from cltheory.derive.problems.problem import Problem
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy
from cltheory.derive.structures.towers import towers
from cltheory.numeric.problems import bind
from cltheory.numeric.problems.embeddings import perturb, random_embeddings, structured_embeddings
from cltheory.numeric.problems.measure import spreads, variances
from cltheory.numeric.search import optimiser
from cltheory.numeric.search.certificate import certify
from cltheory.numeric.search.optimiser import TOLERANCE, StopCode, minimise
from cltheory.numeric.search.straighten import can_be_straightened, straighten
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Abs

SMALL = {"m": 3, "n": 2, "p": 2}
WARM = {**SMALL, "alpha": 0.5, "tau": 0.3}
SPREAD = {**SMALL, "alpha": 1.0, "tau": 0.5}
CLASSED, SIGMOID, INFONCE, MANY = (
    results[id].problem
    for id in ("supcl-optimum", "sigmoid-optimum", "infonce-optimum", "towers-threshold")
)
CPU = {"d": 6, "device": "cpu"}


def has_converged(found):
    return set(found.stop) == {StopCode.CONVERGED}


def at(problem, **sizes):
    return arrange(problem.structure, sizes)


# --- optima that are known --------------------------------------------------------------------


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    alpha=st.floats(0, 1),
    tau=st.floats(0.02, 1),
    sizes=st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(1, 2)),
    seed=st.integers(0, 10**6),
)
@example(alpha=1.0, tau=1.0, sizes=(2, 2, 1), seed=0)
@example(alpha=0.0, tau=0.3, sizes=(2, 2, 2), seed=1)
def test_predicted_variances_are_reached(predicted_variance, alpha, tau, sizes, seed):
    m, n, p = sizes
    values = {"m": m, "n": n, "p": p, "alpha": alpha, "tau": tau}
    found = minimise(CLASSED, values, d=m * n, seeds=seed, device="cpu")
    assert found.stop == [StopCode.CONVERGED]
    assert float(found.gradient_norm) <= TOLERANCE[torch.float64]
    # A gradient of 1e-12 bounds the gap by 1e-12 where the least eigenvalue of S is not
    # itself the zero of a threshold; there, by its square root times the residual spread.
    assert float(found.certificate.gap) < 1e-9
    spread = variances(at(CLASSED, m=m, n=n, p=p), found.embeddings)
    # See TOLERANCE: at worst, right at the threshold, 1e-7.
    assert float(spread.within) == pytest.approx(predicted_variance(m, n, alpha, tau), abs=1e-7)


# Both ends of b = t, what lies between, and b far from t.


def test_four_levels():
    """Superclasses that nothing tells apart: the classes of all of them are one simplex."""
    levels = hierarchy(VIEWS, INSTANCES, CLASSES, (2, "cross_superclass", "superclasses"))
    first, second = SUPCL.terms
    everything = (*first.denominator, "cross_superclass")
    terms = tuple(replace(term, denominator=everything) for term in (first, second))
    wide = Problem(replace(SUPCL, terms=terms), levels, Domain(ranges={}, witness={}))
    values = {"n": 2, "p": 2, "alpha": 0.9, "tau": 0.1}
    found = minimise(wide, {**values, "m": 2}, d=8, seeds=[0], device="cpu")
    flat = minimise(CLASSED, {**values, "m": 4}, d=8, seeds=[0], device="cpu")
    assert float(found.certificate.gap) < 1e-10
    assert float(found.loss) == pytest.approx(float(flat.loss), abs=1e-12)


# --- the way there ----------------------------------------------------------------------------


def test_a_batch_is_as_good_as_its_problems(device, monkeypatch):
    """Chunks only change which problems share a call, up to rounding."""
    alpha = torch.linspace(0, 1, 7, dtype=torch.float64)
    options = {"d": 6, "seeds": range(7), "device": device}
    values = {**WARM, "alpha": alpha}
    batches = []
    for chunk in (1, 3, 7):
        monkeypatch.setattr(optimiser, "default_chunk", lambda size, where, chunk=chunk: chunk)
        batches.append(minimise(CLASSED, values, **options))
    for other in batches[1:]:
        assert has_converged(other)
        torch.testing.assert_close(other.loss, batches[0].loss, rtol=0, atol=1e-13)
    alone = minimise(CLASSED, WARM, **{**options, "seeds": 3})
    torch.testing.assert_close(alone.loss[0], batches[0].loss[3], rtol=0, atol=1e-13)


def test_float32(predicted_variance, device):
    values = {**WARM, "alpha": 0.8}
    found = minimise(CLASSED, values, d=6, dtype=torch.float32, device=device)
    assert found.stop == [StopCode.CONVERGED]
    assert found.embeddings.dtype == torch.float32
    spread = variances(at(CLASSED, **SMALL), found.embeddings)
    # A gradient of 1e-5 over curvatures of order 0.1.
    expected = predicted_variance(3, 2, 0.8, 0.3)
    assert float(spread.within) == pytest.approx(expected, abs=1e-4)
    assert found.certificate.gap.dtype == torch.float64
    assert float(found.certificate.gap) < 1e-3
    values = {"N": 10, "t": torch.tensor([0.5, 1.0, 2.5]), "b": torch.tensor([0.5, 1.0, 2.5])}
    found = minimise(SIGMOID, values, d=10, seeds=range(3), dtype=torch.float32, device=device)
    assert float(found.certificate.gap.max()) < 1e-3


def test_what_too_small_a_dimension_costs_is_certified():
    """Three classes of two at alpha = 1 want a simplex in R^5; in R^2 they pay for it."""
    wide = minimise(CLASSED, SPREAD, **CPU)
    flat = minimise(CLASSED, SPREAD, d=2, seeds=range(4), device="cpu")
    cost = flat.loss.min() - wide.loss[0]
    assert has_converged(flat)
    assert float(cost) > 0.01
    assert bool((flat.certificate.gap >= flat.loss - wide.loss).all())
    # S does not know d, so it may ask for more, but not for much more.
    assert float(flat.certificate.gap.min()) < 5 * float(cost)


def test_two_items_can_lock_on_a_circle():
    """Why verification gives two items a third dimension."""
    values = {"N": 2, "t": 8.0, "b": 0.0}
    flat = minimise(SIGMOID, values, d=2, seeds=range(20), device="cpu")
    assert 0 < int((flat.certificate.gap > 1e-9).sum()) < 20
    wide = minimise(SIGMOID, values, d=3, seeds=range(20), device="cpu")
    assert float(wide.certificate.gap.max()) < 1e-9


def collapsed():
    arrangement = at(CLASSED, **SMALL)
    inner = {"same_instance": 1.0, "same_class": 1.0, "cross_class": -0.5}
    return structured_embeddings(arrangement, inner, 6)


def test_a_saddle_is_left_for_the_optimum():
    """Collapse is stationary for every alpha; where it is not optimal, noise shows it."""
    stuck = minimise(CLASSED, SPREAD, **CPU, start=collapsed())
    assert has_converged(stuck)
    assert float(stuck.certificate.gap) > 0.01
    freed = minimise(CLASSED, SPREAD, **CPU, start=perturb(collapsed()[None], [0], 1e-6))
    assert has_converged(freed)
    assert float(freed.certificate.gap) < 1e-9


def test_stop_codes():
    capped = minimise(CLASSED, WARM, **CPU, max_iterations=2)
    assert capped.stop == [StopCode.MAX_ITERATIONS]
    assert capped.iterations.tolist() == [2]
    assert not has_converged(capped)
    floor = minimise(CLASSED, WARM, **CPU, tolerance=0.0)
    assert floor.stop == [StopCode.STALLED]
    # Rounding errors of the gradient are assumed to be at most 64 eps / tau = 5e-14.
    assert float(floor.gradient_norm) < 5e-14


def test_a_line_leaves_nothing_to_do():
    """In R^1 the sphere is two points: every start is stationary."""
    values = {"m": 2, "n": 2, "p": 1, "alpha": 0.5, "tau": 0.5}
    found = minimise(CLASSED, values, d=1, device="cpu")
    assert has_converged(found)
    assert found.iterations.tolist() == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 0}, "at least 1"),
        ({"seeds": range(3), "values": {**WARM, "alpha": torch.rand(2)}}, "must agree"),
        ({"start": torch.eye(3)}, "start has the shape"),
        ({"seeds": []}, "must agree"),
        ({"values": SMALL}, "takes the sizes m, n, p and the parameters alpha, tau"),
    ],
)
def test_bad_input_is_refused(change, message):
    options = {**CPU, "values": WARM, **change}
    values = options.pop("values")
    with pytest.raises(ValueError, match=message):
        minimise(CLASSED, values, **options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_missing_device_is_named():
    with pytest.raises(ValueError, match="does not exist"):
        minimise(CLASSED, WARM, d=6, device="cuda")


# --- out of narrow valleys --------------------------------------------------------------------

COLD = {"m": 4, "n": 4, "p": 2, "alpha": 0.5, "tau": 0.04}


def test_cold_starts_converge(predicted_variance):
    """Classes feel each other by e^-25; a search that is not straightened crawls on and on."""
    crawling = minimise(CLASSED, COLD, d=16, device="cpu", straighten_after=None, max_iterations=90)
    assert crawling.stop == [StopCode.MAX_ITERATIONS]
    found = minimise(CLASSED, COLD, d=16, seeds=range(2), device="cpu")
    assert has_converged(found)
    assert int(found.iterations.max()) < 40
    assert float(found.certificate.gap.max()) < 1e-11
    assert bool((found.loss <= crawling.loss).all())
    spread = variances(at(CLASSED, m=4, n=4, p=2), found.embeddings)
    assert spread.within.tolist() == pytest.approx([predicted_variance(4, 4, 0.5, 0.04)] * 2)


def straightened(values, d, problem=CLASSED):
    sizes = {k: values[k] for k in "mnp"}
    u = random_embeddings(at(problem, **sizes), range(2), d=d)
    bound = bind(problem, values, batch=2)
    parameters = {k: v for k, v in values.items() if k not in sizes}
    return u, bound, straighten(problem, bound, parameters, torch.arange(2), u)


def test_straightened_embeddings_are_no_worse():
    """Of random ones: in another place for each seed, with the least loss of all."""
    u, bound, new = straightened(COLD, 16)
    assert bool((bound.value(new) < bound.value(u)).all())
    torch.testing.assert_close(new.norm(dim=-1), torch.ones_like(new[..., 0]))
    assert float((new[0] - new[1]).abs().max()) > 0.1
    apart = spreads(bound.arrangement, new)
    assert max(float(x.max()) for x in apart.values()) < 1e-12
    gap = certify(CLASSED, new, {"alpha": 0.5, "tau": 0.04}).gap
    assert float(gap.max()) < 1e-6  # the shares are optimal to about a tenth of that


def test_nothing_is_straightened_that_does_not_fit_or_is_not_convex():
    u, _, new = straightened(COLD, 5)
    assert torch.equal(u, new)
    problem = results["sup-cnce-optimum"].problem
    u, bound, new = straightened({**COLD, "alpha": 1.5}, 16, problem)
    assert not bound.convex.any()
    assert torch.equal(u, new)
    kinks = pairwise("kinks", "", -c, Abs(c), "")
    assert not can_be_straightened(Problem(kinks, towers(2), Domain(ranges={}, witness={})))


def test_an_optimum_is_not_replaced_by_a_worse_one():
    found = minimise(CLASSED, WARM, **CPU)
    bound = bind(CLASSED, WARM)
    parameters = {"alpha": torch.tensor([0.5]), "tau": 0.3}
    new = straighten(CLASSED, bound, parameters, torch.arange(1), found.embeddings)
    assert float(bound.value(new)) <= float(found.loss)
