"""The duality certificate accepts global optima and refuses everything else."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.numeric.problems import BoundProblem, evaluate
from cltheory.numeric.problems.embeddings import perturb, random_embeddings, structured_embeddings
from cltheory.numeric.search.certificate import certify
from hypothesis import given, settings
from hypothesis import strategies as st

# N = 18 entries of size 1/(N tau), eigenvalues to a few 1e-16 of their norm, times N.
ZERO = 1e-13
M, N, P = 3, 3, 2
SUPCL, CNCE, SUP_CNCE, SIGMOID, INFONCE, MANY = (
    results[id].problem
    for id in (
        "supcl-optimum",
        "cnce-optimum",
        "sup-cnce-optimum",
        "sigmoid-optimum",
        "infonce-optimum",
        "towers-threshold",
    )
)
CLASSED = arrange(SUPCL.structure, {"m": M, "n": N, "p": P})


def classed(same_instance, same_class, cross_class, d, at=CLASSED):
    inner = {"same_instance": same_instance, "same_class": same_class, "cross_class": cross_class}
    return structured_embeddings(at, inner, d)


def on_segment(x, d=9):
    """Views agree, the sum is zero, and vectors of a class have inner product 1 - x."""
    cross = -(1 + (N - 1) * (1 - x)) / ((M - 1) * N)
    return classed(1, 1 - x, cross, d)


def optimal_x(predicted_variance, alpha, tau):
    return predicted_variance(M, N, alpha, tau) * N / (N - 1)


@pytest.mark.parametrize("tau", [0.05, 0.3, 1.0])
@pytest.mark.parametrize(("alpha", "x"), [(1.0, 9 / 8), (0.0, 0.0)], ids=["simplex", "collapse"])
def test_no_gap_at_the_known_ends(alpha, x, tau, device):
    found = certify(SUPCL, on_segment(x).to(device), {"alpha": alpha, "tau": tau})
    assert 0 <= float(found.gap) < ZERO
    assert float(found.lambda_min) > -ZERO


@pytest.mark.parametrize(("alpha", "tau"), [(0.8, 0.2), (0.5, 0.3), (0.6, 0.1)])
def test_only_the_right_position_on_the_segment_is_accepted(alpha, tau, predicted_variance):
    params = {"alpha": alpha, "tau": tau}
    x = optimal_x(predicted_variance, alpha, tau)
    assert 0.1 < x < 1.1
    assert float(certify(SUPCL, on_segment(x), params).gap) < ZERO
    for wrong in (0.99 * x, 1.01 * x, 0.0, 9 / 8):
        assert float(certify(SUPCL, on_segment(wrong), params).gap) > 1e-4


def test_a_perturbed_optimum_is_refused(predicted_variance):
    params = {"alpha": 0.8, "tau": 0.2}
    u = on_segment(optimal_x(predicted_variance, 0.8, 0.2))
    for size in (1e-2, 1e-3, 1e-4):
        moved = perturb(u[None], [1], size)
        gap = float(certify(SUPCL, moved, params).gap)
        excess = float(evaluate(SUPCL, moved, params) - evaluate(SUPCL, u, params))
        assert gap > excess > 1e-3 * size**2


def test_other_structures_are_refused():
    params = {"alpha": 0.7, "tau": 0.3}
    for inner in ((1, -1 / 8, -1 / 8), (0.9, 0.4, -0.2), (1, 1, 1), (1, 0, 0)):
        u = classed(*inner, 18)
        assert float(certify(SUPCL, u, params).gap) > 1e-3


def test_optimum_of_one_temperature_is_refused_at_another(predicted_variance):
    u = on_segment(optimal_x(predicted_variance, 0.8, 0.2))
    assert float(certify(SUPCL, u, {"alpha": 0.8, "tau": 0.21}).gap) > 1e-4
    assert float(certify(SUPCL, u, {"alpha": 0.79, "tau": 0.2}).gap) > 1e-4


@pytest.mark.parametrize("x", [9 / 8, 0.5])
def test_a_gradient_of_the_wrong_sign_certifies_nothing(monkeypatch, x, predicted_variance):
    alpha = 1.0 if x > 1 else 0.8
    x = x if x > 1 else optimal_x(predicted_variance, 0.8, 0.2)
    right = BoundProblem.value_and_gram_gradient
    monkeypatch.setattr(
        BoundProblem,
        "value_and_gram_gradient",
        lambda self, u: (right(self, u)[0], -right(self, u)[1]),
    )
    assert float(certify(SUPCL, on_segment(x), {"alpha": alpha, "tau": 0.2}).gap) > 0.01


@pytest.mark.parametrize("loss", [SUPCL, CNCE, SUP_CNCE], ids=lambda problem: problem.loss.name)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    alpha=st.floats(0, 1),
    tau=st.floats(0.05, 2),
    seed=st.integers(0, 10**6),
    d=st.integers(1, 12),
    sizes=st.tuples(st.integers(2, 3), st.integers(2, 3), st.integers(1, 2)),
)
def test_the_bound_holds_between_any_two_embeddings(loss, alpha, tau, seed, d, sizes):
    """loss(U) - gap(U) is below the loss of every other V, in any other dimension."""
    m, n, p = sizes
    params = {"alpha": alpha, "tau": tau} if loss is not CNCE else {"tau": tau}
    at = arrange(loss.structure, {"m": m, "n": n, "p": p})
    u = random_embeddings(at, seed, d=d)
    found = certify(loss, u, params)
    bound = float(found.loss - found.gap)
    others = [
        random_embeddings(at, seed + 1, d=m * n),
        perturb(u[None], [seed], 0.3)[0],
        classed(1, 1, -1 / (m - 1), m * n, at),
        classed(1, *[-1 / (m * n - 1)] * 2, m * n, at),
    ]
    for v in others:
        assert bound <= float(evaluate(loss, v, params)) + 1e-12


def test_a_loss_that_is_not_convex_gets_no_bound():
    """With alpha > 1 one log-sum-exp of Sup-cNCE counts negatively; those of SupCL merge."""
    u = random_embeddings(arrange(SUPCL.structure, {"m": 2, "n": 2, "p": 2}), [0, 0], d=4)
    params = {"alpha": torch.tensor([0.5, 1.5]), "tau": 0.5}
    gap = certify(SUP_CNCE, u, params).gap
    assert torch.isfinite(gap[0])
    assert torch.isinf(gap[1])
    assert torch.isfinite(certify(SUPCL, u, params).gap).all()


def test_float32_embeddings_are_judged_in_float64():
    u = on_segment(9 / 8).float()
    found = certify(SUPCL, u, {"alpha": 1.0, "tau": 0.3})
    assert found.gap.dtype == torch.float64
    assert float(found.gap) < 1e-5  # rows are rounded to 6e-8, and S is linear in that


def test_rows_off_the_sphere_are_refused():
    with pytest.raises(ValueError, match="unit length"):
        certify(SUPCL, 1.01 * on_segment(0.5), {"alpha": 0.5, "tau": 1.0})


# --- towers -----------------------------------------------------------------------------------


def between(problem, share, **sizes):
    """Towers that agree and towers that are apart, in these proportions: the segment."""
    at = arrange(problem.structure, sizes)
    inner = at.inner({"shared_contrasts": 1 - share, "differing_means": share})
    return structured_embeddings(at, inner, at.size)


TOWERS = [
    *((SIGMOID, {"N": 10}, {"t": t, "b": t}) for t in (0.5, 1.0, 2.5)),
    (SIGMOID, {"N": 10}, {"t": 3.0, "b": 0.0}),
    (INFONCE, {"N": 6}, {"t": 0.3}),
    *(
        (MANY, dict(zip("KNp", sizes, strict=True)), {"t": 1.0, "b": b, "w": w})
        for sizes in ((2, 5, 2), (3, 6, 1), (4, 6, 2))
        for b, w in ((-4.0, 1.0), (-0.3, 0.8), (4.0, 0.5))
    ),
]
by_problem = pytest.mark.parametrize(("problem", "sizes", "params"), TOWERS)


def optimal_share(problem, sizes, params):
    if problem is INFONCE:
        return 0.0
    if problem is SIGMOID:
        s = results["sigmoid-optimum"].function("positive_similarity")(**sizes, **params)
        return 1 - float(s)
    x = results["towers-threshold"].value("x_star", **sizes, **params)
    return float(x) * (sizes["K"] - 1) / sizes["K"]


@by_problem
def test_only_the_right_towers_are_accepted(problem, sizes, params):
    share = optimal_share(problem, sizes, params)
    found = certify(problem, between(problem, share, **sizes), params)
    # Up to 48 vectors of losses up to 100: entries of A to 1e-16, eigenvalues times their number.
    assert float(found.gap) < 1e-12
    for wrong in {max(0.0, share - 0.02), min(1.0, share + 0.02)} - {share}:
        assert float(certify(problem, between(problem, wrong, **sizes), params).gap) > 1e-5
