"""The torch losses against nested loops over pairs, autograd and finite differences."""

from __future__ import annotations

from itertools import product
from math import exp, log

import pytest
import torch
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import CNCE, SUP_CNCE, SUPCL, alpha
from cltheory.numeric.embeddings import random_embeddings
from cltheory.numeric.losses import (
    Point,
    bind,
    bind_to,
    evaluate,
    gram_gradient,
    parameter_names,
    value_and_gradient,
)
from sympy import S

# Conventions that the declared losses do not use: the anchor left out of the denominator,
# denominators with a hole, positives across classes, a coefficient with a function in it.
UNUSUAL = SoftmaxLoss(
    "unusual",
    "for tests",
    (
        SoftmaxTerm(alpha**2, ("self", "same_class"), ("same_instance", "cross_class")),
        SoftmaxTerm(1 - alpha / 3, ("cross_class",), ("same_class", "cross_class")),
        SoftmaxTerm(alpha, ("same_class",), ("self", "same_class")),
        SoftmaxTerm(S.Half, ("same_class",), ("self", "same_instance")),
    ),
    2 * tau,
    "none",
)
LOSSES = [SUPCL, CNCE, SUP_CNCE, UNUSUAL]
SHAPES = [(3, 2, 2, 4), (2, 3, 1, 3), (2, 2, 3, 2), (4, 2, 2, 1)]
by_name = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
by_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def relation(a, b):
    if a == b:
        return "self"
    if a[:2] == b[:2]:
        return "same_instance"
    return "same_class" if a[0] == b[0] else "cross_class"


def by_loops(loss, gram, m, n, p, **values):
    """The loss read off its declaration, pair by pair; ``gram[a][b]`` with flat indices."""
    points = list(product(range(m), range(n), range(p)))
    number = {symbol: values[symbol.name] for symbol in (alpha, tau) if symbol.name in values}
    t = float(loss.temperature.subs(number))
    total = 0.0
    for term in loss.terms:
        for i, a in enumerate(points):
            positives = [j for j, b in enumerate(points) if relation(a, b) in term.positives]
            others = [j for j, b in enumerate(points) if relation(a, b) in term.denominator]
            bottom = log(sum(exp(float(gram[i][j]) / t) for j in others))
            terms = [bottom - float(gram[i][j]) / t for j in positives]
            total += float(term.coefficient.subs(number)) * sum(terms) / len(terms) / len(points)
    return total


def example(loss, shape, seeds=(0, 1, 2), **kwargs):
    m, n, p, d = shape
    u = random_embeddings(seeds, m=m, n=n, p=p, d=d, **kwargs)
    values = {"alpha": torch.tensor([0.0, 0.4, 1.0]), "tau": torch.tensor([0.1, 0.5, 2.0])}
    params = {name: values[name][: len(seeds)].to(u) for name in parameter_names(loss)}
    return u, params


@by_name
@by_shape
def test_nested_loops(loss, shape, device):
    u, params = example(loss, shape)
    gram = u.flatten(1, 3) @ u.flatten(1, 3).mT
    expected = [
        by_loops(loss, gram[k], *shape[:3], **{name: float(v[k]) for name, v in params.items()})
        for k in range(3)
    ]
    moved = {name: value.to(device) for name, value in params.items()}
    for found in (
        evaluate(loss, u.to(device), moved),
        value_and_gradient(loss, u.to(device), moved)[0],
    ):
        # Sums of at most 12 * 12 numbers of size 1/tau = 10: 1e-13 is generous.
        torch.testing.assert_close(
            found.cpu(), torch.tensor(expected, dtype=torch.float64), rtol=1e-13, atol=1e-13
        )


def test_a_wrong_convention_differs():
    """The nested loops are not fooled: each of these is a different loss."""
    u, params = example(SUPCL, (3, 2, 2, 4))
    gram = u.flatten(1, 3) @ u.flatten(1, 3).mT
    right = evaluate(SUPCL, u, params)[1]
    first, second = SUPCL.terms
    for wrong in (
        SoftmaxTerm(alpha, ("same_instance",), second.denominator),
        SoftmaxTerm(alpha, second.positives, ("same_instance", "same_class", "cross_class")),
        SoftmaxTerm(-alpha, second.positives, second.denominator),
    ):
        other = SoftmaxLoss("wrong", "", (first, wrong), tau, "")
        assert abs(by_loops(other, gram[1], 3, 2, 2, alpha=0.4, tau=0.5) - right) > 1e-3


@by_name
@by_shape
def test_derivatives_against_autograd(loss, shape, device):
    u, params = example(loss, shape, device=device)
    u.requires_grad_()
    bound, _ = bind_to(loss, u, params)
    (gradient,) = torch.autograd.grad(bound.value(u).sum(), u, create_graph=True)
    v = torch.randn(u.shape, generator=torch.Generator().manual_seed(3), dtype=u.dtype).to(device)
    (along,) = torch.autograd.grad((gradient * v).sum(), u)
    point = Point(bound, u.detach())
    # Second derivatives are of size 1/tau^2 = 100.
    torch.testing.assert_close(point.gradient, gradient.detach(), rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(point.hessian(v), along, rtol=1e-12, atol=1e-12)
    a = bound.gram_gradient(u.detach())
    torch.testing.assert_close(a, a.mT)
    rows = u.detach().flatten(1, 3)
    torch.testing.assert_close(2 * (a @ rows), point.gradient.flatten(1, 3), atol=1e-13, rtol=1e-12)


@by_name
def test_gram_gradient_against_loops(loss):
    """dL = <A, dG> for Gram matrices changed in one pair of entries."""
    m, n, p = 2, 2, 2
    u, params = example(loss, (m, n, p, 5), seeds=(4,))
    values = {name: float(value[0]) for name, value in params.items()} | {"tau": 0.7}
    a = gram_gradient(loss, u[0], values)
    gram = u[0].flatten(0, 2) @ u[0].flatten(0, 2).mT
    h = 1e-5
    for i, j in ((0, 1), (0, 2), (3, 5), (6, 6)):
        change = torch.zeros_like(gram)
        change[i, j] = change[j, i] = h
        difference = by_loops(loss, gram + change, m, n, p, **values) - by_loops(
            loss, gram - change, m, n, p, **values
        )
        # Central differences: h^2 from the third derivative, 1e-16 / h from rounding.
        assert difference / 2 == pytest.approx(float((a * change).sum()), abs=1e-9 * h)


def taylor_slope(f, gradient, u, v):
    """Order of the remainder f(u + h v) - f(u) - h <gradient, v> as h goes to zero."""
    steps = [1e-2, 1e-3]
    rest = [abs(float(f(u + h * v) - f(u) - h * (gradient * v).sum())) for h in steps]
    return (log(rest[0]) - log(rest[1])) / log(10)


@by_name
def test_taylor_slope(loss):
    u, params = example(loss, (3, 2, 2, 4), seeds=(5,))
    params = dict.fromkeys(params, 0.6)
    v = random_embeddings([6], m=3, n=2, p=2, d=4)
    _, gradient = value_and_gradient(loss, u, params)

    def f(x):
        return evaluate(loss, x, params)[0]

    assert taylor_slope(f, gradient, u, v) == pytest.approx(2, abs=0.1)
    for wrong in (-gradient, 2 * gradient, gradient.flip(1)):
        assert taylor_slope(f, wrong, u, v) == pytest.approx(1, abs=0.2)


@by_name
def test_each_problem_has_its_own_parameters(loss):
    u, params = example(loss, (3, 2, 2, 4))
    together = value_and_gradient(loss, u, params)
    for k in range(3):
        single = value_and_gradient(loss, u[k], {name: float(v[k]) for name, v in params.items()})
        for all_of_them, one in zip(together, single, strict=True):
            torch.testing.assert_close(all_of_them[k], one)
    nested = evaluate(
        loss, u.expand(2, 3, 3, 2, 2, 4), {n: v.expand(2, 3) for n, v in params.items()}
    )
    torch.testing.assert_close(nested, together[0].expand(2, 3))


@pytest.mark.parametrize("loss", [SUPCL, UNUSUAL], ids=lambda loss: loss.name)
def test_small_temperatures_do_not_overflow(loss):
    """At tau = 1e-3 the exponentials span e^2000; the loss is a maximum up to tau log N."""
    u, _ = example(loss, (3, 2, 2, 4), seeds=(0,))
    value, gradient = value_and_gradient(loss, u, {"alpha": 0.5, "tau": 1e-3})
    assert torch.isfinite(value).all()
    assert torch.isfinite(gradient).all()
    torch.testing.assert_close(value, evaluate(loss, u, {"alpha": 0.5, "tau": 1e-3}))


def test_float32(device):
    u, params = example(SUPCL, (3, 2, 2, 4), device=device)
    value, gradient = value_and_gradient(
        SUPCL, u.float(), {name: v.float() for name, v in params.items()}
    )
    exact = value_and_gradient(SUPCL, u, params)
    assert value.dtype == gradient.dtype == torch.float32
    # eps is 1.2e-7, entries of the logits are up to 1/tau = 10.
    torch.testing.assert_close(value.double(), exact[0], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(gradient.double(), exact[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("params", "shape", "message"),
    [
        ({"tau": 1.0}, (2, 2, 2), "takes the parameters alpha, tau; got tau"),
        ({"tau": 1.0, "alpha": 0.5, "b": 1.0}, (2, 2, 2), "takes the parameters"),
        ({"tau": -1.0, "alpha": 0.5}, (2, 2, 2), "temperature must be positive"),
        ({"tau": 1.0, "alpha": float("nan")}, (2, 2, 2), "not finite"),
        ({"tau": 1.0, "alpha": torch.zeros(3)}, (2, 2, 2), "3 values for 1 problems"),
        ({"tau": 1.0, "alpha": 0.5}, (2, 1, 2), "has no pairs when m=2, n=1, p=2"),
        ({"tau": 1.0, "alpha": 0.5}, (2, 0, 2), "at least 1"),
    ],
)
def test_bad_input_is_refused(params, shape, message):
    m, n, p = shape
    with pytest.raises(ValueError, match=message):
        bind(SUPCL, params, m=m, n=n, p=p)


def test_flat_embeddings_are_refused():
    with pytest.raises(ValueError, match="class, instance, view, coordinate"):
        evaluate(SUPCL, torch.eye(4), {"alpha": 0.5, "tau": 1.0})
