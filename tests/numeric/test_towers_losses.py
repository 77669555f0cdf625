"""The two-tower losses against nested loops over pairs, autograd and exact arithmetic."""

from __future__ import annotations

from math import exp, log

import mpmath
import pytest
import torch
from cltheory.derive.losses.clip import INFONCE, SIGMOID, b, pairwise, t
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.structures.towers import N
from cltheory.numeric.scalar import compile_scalar, stable
from cltheory.numeric.tower_embeddings import random_towers
from cltheory.numeric.towers import (
    bind_towers,
    bind_towers_to,
    evaluate_towers,
    tower_gradients,
    tower_parameter_names,
)
from sympy import Abs, Function, Max, Min, S, Symbol
from sympy import exp as Exp
from sympy import log as Log

# Other losses of the form (5): an exponential one, hinges squared, one with a focal weight,
# a spectral one, one whose weight depends on N, and one without parameters.
EXPONENTIAL = pairwise("exponential", "", Exp(-t * c), Exp(t * c - b), "")
HINGES = pairwise("hinges", "", Max(0, 1 - c) ** 2, Max(0, c + b) ** 2, "")
FOCAL = pairwise(
    "focal",
    "",
    Log(1 + Exp(-t * c)) / (1 + Exp(t * c)) ** 2,
    Log(1 + Exp(t * c)) / (1 + Exp(-t * c)) ** 2,
    "",
)
WEIGHED = PairwiseLoss(
    "weighed",
    "",
    (
        PairTerm("positive", -2 * c, t),
        PairTerm("negative", c**2, 1 / (N - 1)),
        PairTerm("negative", Abs(c), S.Half),
    ),
    "",
)
PLAIN = pairwise("plain", "", -c, Log(1 + Exp(4 * c)), "")
LOSSES = [SIGMOID, EXPONENTIAL, HINGES, FOCAL, WEIGHED, PLAIN, INFONCE]
VALUES = {"t": [0.3, 1.0, 8.0], "b": [-0.5, 1.0, 3.0]}
by_name = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
by_shape = pytest.mark.parametrize("shape", [(2, 3), (3, 1), (5, 4)], ids=str)


def example(loss, shape, **kwargs):
    u = random_towers(range(3), N=shape[0], d=shape[1], **kwargs)
    params = {name: torch.tensor(VALUES[name]).to(u) for name in tower_parameter_names(loss)}
    return u, params


def by_loops(loss, cross, **values):
    """The loss read off its declaration, pair by pair."""
    n = len(cross)
    number = {
        Symbol(k, **s.assumptions0): v for k, v in values.items() for s in (t, b) if s.name == k
    }
    number[N] = n
    total = 0.0
    if isinstance(loss, PairwiseLoss):
        for i in range(n):
            for j in range(n):
                for term in loss.terms:
                    if term.relation == ("positive" if i == j else "negative"):
                        at = term.weight * term.function.subs(c, float(cross[i][j]))
                        total += float(at.subs(number)) / n
        return total
    (term,) = loss.terms
    at = float(loss.temperature.subs(number))
    for rows in (cross, cross.T):
        for i in range(n):
            bottom = log(sum(exp(float(rows[i][j]) / at) for j in range(n)))
            total += float(term.coefficient) * (bottom - float(rows[i][i]) / at) / (2 * n)
    return total


@by_name
@by_shape
def test_nested_loops(loss, shape, device):
    u, params = example(loss, shape)
    expected = [
        by_loops(loss, u[k, 0] @ u[k, 1].T, **{name: float(v[k]) for name, v in params.items()})
        for k in range(3)
    ]
    towers = u[:, 0].to(device), u[:, 1].to(device)
    moved = {name: value.to(device) for name, value in params.items()}
    for found in (evaluate_towers(loss, *towers, moved), tower_gradients(loss, *towers, moved)[0]):
        # Sums of at most 25 numbers of size exp(8): 1e-13 relative is generous.
        torch.testing.assert_close(
            found.cpu(), torch.tensor(expected, dtype=torch.float64), rtol=1e-13, atol=1e-13
        )


def test_a_wrong_convention_differs():
    """The nested loops are not fooled by the sign of b, by 1/t for t, or by 1/N^2."""
    u, params = example(SIGMOID, (5, 4))
    right = evaluate_towers(SIGMOID, u[:, 0], u[:, 1], params)[1]
    cross = u[1, 0] @ u[1, 1].T
    assert abs(by_loops(SIGMOID, cross, t=1.0, b=1.0) - right) < 1e-13
    assert abs(by_loops(SIGMOID, cross, t=1.0, b=-1.0) - right) > 0.1
    right = evaluate_towers(SIGMOID, u[:, 0], u[:, 1], params)[2]
    assert abs(by_loops(SIGMOID, u[2, 0] @ u[2, 1].T, t=1 / 8, b=3.0) - right) > 0.1
    info = evaluate_towers(INFONCE, u[:, 0], u[:, 1], {"t": params["t"]})[2]
    assert abs(by_loops(INFONCE, u[2, 0] @ u[2, 1].T, t=1 / 8) - info) > 0.1


@by_name
@by_shape
def test_derivatives_against_autograd(loss, shape, device):
    u, params = example(loss, shape, device=device)
    bound, u = bind_towers_to(loss, u, params)
    u.requires_grad_()
    (gradient,) = torch.autograd.grad(bound.value(u).sum(), u, create_graph=True)
    v = torch.randn(u.shape, generator=torch.Generator().manual_seed(3), dtype=u.dtype).to(device)
    (along,) = torch.autograd.grad((gradient * v).sum(), u)
    point = bound.point(u.detach())
    # Second derivatives are up to 64 exp(8).
    torch.testing.assert_close(point.gradient, gradient.detach(), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(point.hessian(v), along, rtol=1e-11, atol=1e-11)
    a = bound.value_and_gram_gradient(u.detach())[1]
    torch.testing.assert_close(a, a.mT)
    rows = u.detach().flatten(1, 2)
    # dL = <A, dG> and G = U U^T, hence the gradient in U is 2 A U.
    torch.testing.assert_close((2 * a @ rows).view_as(u), gradient.detach(), rtol=1e-12, atol=1e-12)


def test_points_are_selected_and_mixed():
    u, params = example(SIGMOID, (4, 3))
    other, _ = example(SIGMOID, (4, 3))
    bound, _ = bind_towers_to(SIGMOID, u, params)
    first, second = bound.point(u), bound.point(other.flip(0))
    take = torch.tensor([True, False, True])
    mixed = first.mix(take, second)
    v = torch.ones_like(u)
    for name in ("u", "value", "gradient", "unit", "noise", "resolution"):
        got, mine, theirs = (getattr(p, name) for p in (mixed, first, second))
        assert torch.equal(got[0], theirs[0])
        assert torch.equal(got[1], mine[1])
    assert torch.equal(mixed.hessian(v)[2], second.hessian(v)[2])
    some = first.select(torch.tensor([2]))
    assert torch.equal(some.hessian(v[2:]), first.hessian(v)[2:])
    assert torch.equal(some.loss.value(u[2:]), bound.value(u)[2:])


# --- accuracy ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [(1.0, 1000.0, 0.0), (-1.0, 1000.0, -900.0), (0.3, 1e-6, 40.0)])
def test_the_sigmoid_loss_neither_overflows_nor_cancels(at):
    inner, temperature, bias = at
    function = compile_scalar(SIGMOID.terms[0].function)
    assert function.names == ("b", "t")
    numbers = [torch.tensor(v, dtype=torch.float64) for v in (inner, bias, temperature)]
    with mpmath.workdps(1000):  # 1 - weight is as small as exp(-1900)
        z = mpmath.mpf(bias) - mpmath.mpf(temperature) * mpmath.mpf(inner)
        weight = 1 / (1 + mpmath.exp(-z))
        exact = (
            mpmath.log1p(mpmath.exp(z)),
            -mpmath.mpf(temperature) * weight,
            mpmath.mpf(temperature) ** 2 * weight * (1 - weight),
        )
        for found, wanted in zip(function.expand(*numbers), exact, strict=True):
            # exp of 1000 has a relative error of 1000 eps; what underflows is 0 in both.
            assert float(found) == pytest.approx(float(wanted), rel=1e-12, abs=1e-300)


def test_infonce_keeps_its_digits_where_it_is_tiny():
    u = torch.eye(4, dtype=torch.float64)
    value, du, _ = tower_gradients(INFONCE, u, u, {"t": 0.01})
    exact = 2 * 3 * exp(-100)
    assert float(value) == pytest.approx(exact, rel=1e-12)
    assert float(du[0, 1]) == pytest.approx(exact / 3 / 4 / 0.01, rel=1e-12)


def test_stable_forms():
    assert "Softplus" in str(stable(Log(2 + 3 * Exp(t * c))))
    assert "Sigmoid" in str(stable(1 / (1 + Exp(t * c)) ** 2))
    x = torch.linspace(-1, 1, 5, dtype=torch.float64)
    for form in (
        Log(2 + 3 * Exp(2 * c)),
        5 / (2 + 3 * Exp(2 * c)) ** 3,
        Max(0, c, c**2),
        Min(c, 0),
    ):
        value = compile_scalar(form).value(x)
        expected = [float(form.subs(c, float(v))) for v in x]
        torch.testing.assert_close(value, torch.tensor(expected, dtype=torch.float64))
    constant, slope, second = compile_scalar(S(3) + 2 * c).expand(x)
    assert (float(constant[0]), slope.tolist(), second.tolist()) == (1.0, [2.0] * 5, [0.0] * 5)


def test_a_function_without_torch_form_is_refused():
    with pytest.raises(ValueError, match="no torch form"):
        compile_scalar(Function("f")(c))


# --- convexity --------------------------------------------------------------------------------


def test_convexity_is_seen_where_it_fails():
    def convex(loss, **params):
        return bind_towers(loss, params, N=3).convex.tolist()

    assert convex(SIGMOID, t=50.0, b=3.0) == [True]
    assert convex(SIGMOID, t=1e-3, b=-7.0) == [True]
    assert convex(HINGES, b=0.2) == [True]
    assert convex(PLAIN) == [True]
    assert convex(pairwise("wrong", "", -c, -(c**2), "")) == [False]
    assert convex(pairwise("kink", "", -c, -Abs(c), "")) == [False]
    # Not convex between 0.5 and 1 alone.
    assert convex(pairwise("late", "", -c, c - Max(0, c - S.Half) ** 2, "")) == [False]
    assert convex(INFONCE, t=0.1) == [True]
    negative = SoftmaxLoss(
        "n", "", (SoftmaxTerm(-S.One, ("positive",), ("positive", "negative")),), t, ""
    )
    assert convex(negative, t=0.1) == [False]


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "params", "size", "message"),
    [
        (SIGMOID, {"t": 1.0}, 3, "takes the parameters b, t; got t"),
        (SIGMOID, {"t": 1.0, "b": 0.0, "tau": 1.0}, 3, "takes the parameters"),
        (SIGMOID, {"t": torch.rand(2), "b": 0.0}, 3, "2 values for 1 problems"),
        (SIGMOID, {"t": float("nan"), "b": 0.0}, 3, "not finite"),
        (SIGMOID, {"t": 1.0, "b": 0.0}, 1, "N >= 2"),
        (INFONCE, {"t": 0.0}, 3, "temperature must be positive"),
        (
            PairwiseLoss("w", "", (PairTerm("within_modality", c, S.One),), ""),
            {},
            3,
            "'positive' or 'negative'",
        ),
        (
            SoftmaxLoss("s", "", (SoftmaxTerm(S.One, ("positive",), ("negative",)),), tau, ""),
            {"tau": 1.0},
            3,
            "not of the form",
        ),
    ],
)
def test_bad_input_is_refused(loss, params, size, message):
    with pytest.raises(ValueError, match=message):
        bind_towers(loss, params, N=size)


def test_towers_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match="one shape"):
        evaluate_towers(SIGMOID, torch.eye(3), torch.eye(2), {"t": 1.0, "b": 1.0})
    with pytest.raises(ValueError, match="have the shape"):
        bind_towers_to(SIGMOID, torch.eye(3), {"t": 1.0, "b": 1.0})


def test_batches_of_any_shape():
    u = random_towers(range(6), N=3, d=2).reshape(2, 3, 2, 3, 2)
    temperatures = torch.linspace(0.1, 2, 3, dtype=torch.float64)
    found = evaluate_towers(SIGMOID, u[..., 0, :, :], u[..., 1, :, :], {"t": temperatures, "b": 1})
    assert found.shape == (2, 3)
    alone = evaluate_towers(SIGMOID, *u[1, 2], {"t": float(temperatures[2]), "b": 1})
    assert float(alone) == pytest.approx(float(found[1, 2]), rel=1e-15)
