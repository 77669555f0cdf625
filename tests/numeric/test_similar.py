"""Softmax losses whose similarity is not the inner product: bound, searched, not certified."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from cltheory.derive.decide.domain import Domain, DomainError
from cltheory.derive.losses.kernel import (
    KERNEL_CLIP,
    KERNEL_INFONCE,
    KERNEL_SUPCL,
    gamma,
)
from cltheory.derive.losses.simclr import SIMCLR
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.problems.problem import Problem
from cltheory.derive.structures.hierarchy import VIEWS, hierarchy, n, p
from cltheory.derive.structures.towers import NEGATIVE, towers
from cltheory.numeric.losses import KernelInfoNCE
from cltheory.numeric.problems import bind
from cltheory.numeric.problems.embeddings import normalise, random_embeddings
from cltheory.numeric.search.certificate import certify
from cltheory.numeric.search.certify import declared
from cltheory.numeric.verify.coincide import joined, search
from cltheory.numeric.verify.similar import INSTANCES
from sympy import Float, Integer

CASES = {
    "instances": (KERNEL_INFONCE, INSTANCES, {"n": 4, "p": 2}),
    "classes": (KERNEL_SUPCL, hierarchy(), {"m": 2, "n": 3, "p": 2, "alpha": 0.4}),
    "towers": (KERNEL_CLIP, towers(), {"N": 4}),
}
GAMMAS = (0.5, 1.0, 2.0, 3.0)


def bound(name, power, heat=0.5):
    loss, structure, values = CASES[name]
    return bind(Problem(loss, structure, Domain({}, {})), {**values, "gamma": power, "tau": heat})


def plain(of, name, u, power, heat=0.5):
    """The loss as a sum over pairs, of the declared terms."""
    loss, _, values = CASES[name]
    at = of.arrangement
    rows = u.flatten(1, -2)[0]
    square = (rows[:, None] - rows[None]).square().sum(dim=-1)
    kernel = torch.exp(-(square ** (power / 2)) / heat)
    total = 0.0
    for term in loss.terms:
        weight = float(term.coefficient.xreplace({alpha: Float(values.get("alpha", 0))}))
        own = torch.tensor(at.mask(*term.positives))
        seen = torch.tensor(at.mask(*term.denominator))
        log = torch.log(kernel)
        row = torch.log((kernel * seen).sum(dim=1))
        total += weight * (row - (log * own).sum(dim=1) / own.sum(dim=1)).mean()
    return total


@pytest.mark.parametrize("power", GAMMAS)
@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_sums_over_pairs(name, power):
    of = bound(name, power)
    u = random_embeddings(of.arrangement, [3], d=5)
    assert float(of.value(u)) == pytest.approx(float(plain(of, name, u, power)), abs=1e-13)


@pytest.mark.parametrize("power", GAMMAS)
@pytest.mark.parametrize("name", CASES)
def test_gradient_and_hessian_are_those_of_differences(name, power):
    of = bound(name, power)
    u, v = (random_embeddings(of.arrangement, [k], d=5) for k in (0, 1))
    v = v - (v * u).sum(dim=-1, keepdim=True) * u

    def along(step):
        return of.value(normalise(u + step * v))

    point = of.point(u)
    slope = (along(1e-5) - along(-1e-5)) / 2e-5
    assert float(slope) == pytest.approx(float((point.gradient * v).sum()), abs=1e-8)
    step = 1e-3
    bend = (along(step) - 2 * point.value + along(-step)) / step**2
    radial = (point.gradient * u).sum(dim=-1, keepdim=True)
    measured = (point.hessian(v) * v).sum() - (radial * v * v).sum()
    # A difference errs by the fourth derivative times step^2, far less than a wrong term would.
    assert float(bend) == pytest.approx(float(measured), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("power", GAMMAS)
def test_agrees_with_the_module(power):
    """Value and gradient, two views coinciding: there both take the pull to be 0."""
    of = bound("instances", power)
    u = random_embeddings(of.arrangement, [0], d=5)
    u[0, 0, 1] = u[0, 0, 0]
    value, gradient = of.value_and_gradient(u)
    z = u[0].clone().requires_grad_()
    loss = KernelInfoNCE(gamma=power, tau=0.5)(z)
    loss.backward()
    assert float(value) == pytest.approx(float(loss.detach()), abs=1e-14)
    inside = gradient - (gradient * u).sum(dim=-1, keepdim=True) * u
    torch.testing.assert_close(inside[0], z.grad, atol=1e-13, rtol=1e-13)


def test_at_the_gaussian_it_is_the_loss_of_inner_products():
    of = bound("instances", 2.0)
    plain_loss = bind(
        Problem(replace(SIMCLR, temperature=tau / 2), INSTANCES, Domain({}, {})),
        {"n": 4, "p": 2, "tau": 0.5},
    )
    u = random_embeddings(of.arrangement, [0], d=5)
    one, other = of.point(u), plain_loss.point(u)
    torch.testing.assert_close(one.value, other.value)
    tangent = one.gradient - (one.gradient * u).sum(-1, keepdim=True) * u
    wanted = other.gradient - (other.gradient * u).sum(-1, keepdim=True) * u
    torch.testing.assert_close(tangent, wanted)


@pytest.mark.parametrize("power", GAMMAS)
def test_all_is_finite_where_everything_coincides(power):
    for name in CASES:
        of = bound(name, power)
        u = torch.ones_like(random_embeddings(of.arrangement, [0], d=4)) / 2
        point = of.point(u)
        for x in (point.value, point.gradient, point.hessian(torch.randn_like(u))):
            assert bool(x.isfinite().all())


def test_nothing_is_certified():
    of = bound("instances", 1.0)
    assert not bool(of.convex)
    problem = Problem(KERNEL_INFONCE, INSTANCES, Domain({}, {}))
    u = random_embeddings(of.arrangement, [0], d=5)[0]
    assert float(certify(problem, u, {"gamma": 1.0, "tau": 0.5}).gap) == float("inf")
    with pytest.raises(DomainError, match="similarity"):
        declared(problem, {n: Integer(3), p: Integer(2), tau: Integer(1), gamma: Integer(1)})


def test_points_that_are_near_are_joined():
    u = normalise(torch.tensor([[[1.0, 0], [1, 1e-5], [0, 1], [1, -1e-5]]]))
    found = normalise(joined(u))
    assert torch.equal(found[0, 0], found[0, 1]) and torch.equal(found[0, 1], found[0, 3])
    assert torch.equal(found[0, 2], u[0, 2])


def test_a_search_ends_at_the_simplex():
    problem = Problem(KERNEL_INFONCE, hierarchy(VIEWS, (n, NEGATIVE, "instances")), Domain({}, {}))
    values = {"n": 3, "p": 2, "gamma": 0.5, "tau": 0.5}
    u, losses = search(problem, values, d=4, seeds=(0, 1), device="cpu")
    assert torch.equal(u[:, :, 0], u[:, :, 1])
    cosines = (u[:, :, 0] @ u[:, :, 0].mT)[:, [0, 0, 1], [1, 2, 2]]
    torch.testing.assert_close(cosines, torch.full_like(cosines, -0.5), atol=1e-6, rtol=0)
    # One positive beside four negatives, at the distance sqrt(3).
    least = torch.log(1 + 4 * torch.exp(-(torch.tensor(3.0).double() ** 0.25) / 0.5))
    torch.testing.assert_close(losses, least.expand(2), atol=1e-12, rtol=0)
