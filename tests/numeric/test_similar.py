"""Losses whose similarity is not the inner product: searched beside what was derived."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.decide.domain import Domain, DomainError
from cltheory.derive.losses.kernel import KERNEL_CLIP, KERNEL_INFONCE, KERNEL_SUPCL, gamma
from cltheory.derive.losses.softmax import tau
from cltheory.derive.problems.problem import Problem
from cltheory.derive.structures.hierarchy import hierarchy, n, p
from cltheory.derive.structures.towers import towers
from cltheory.numeric.losses import KernelInfoNCE
from cltheory.numeric.problems import evaluate
from cltheory.numeric.problems.embeddings import random_embeddings
from cltheory.numeric.search.certify import declared
from cltheory.numeric.verify.similar import INSTANCES, Kernel
from mpmath import mp, mpf
from sympy import Integer, Rational

CASES = {
    "instances": (KERNEL_INFONCE, INSTANCES, {"n": 4, "p": 2}),
    "classes": (KERNEL_SUPCL, hierarchy(), {"m": 2, "n": 3, "p": 2}),
    "towers": (KERNEL_CLIP, towers(), {"N": 4}),
}
GAMMAS = ("1/2", "1", "2", "3")


def kernel(name: str, power: str) -> Kernel:
    loss, structure, sizes = CASES[name]
    return Kernel.at(loss, structure, sizes, {"gamma": power, "tau": "1/2", "alpha": "2/5"})


@pytest.mark.parametrize("power", GAMMAS)
def test_agrees_with_the_module(power: str) -> None:
    of = kernel("instances", power)
    u = random_embeddings(of.arrangement, 0, d=5)
    found = KernelInfoNCE(gamma=float(Rational(power)), tau=0.5)(u)
    assert float(of.of_vectors(u.flatten(0, -2))) == pytest.approx(float(found), abs=1e-13)


@pytest.mark.parametrize("power", GAMMAS)
@pytest.mark.parametrize("name", CASES)
def test_many_digits_are_those_of_vectors(name: str, power: str) -> None:
    """At a structure both ways to put the loss together agree."""
    of = kernel(name, power)
    inner = {r: 0.7 - 0.2 * k for k, r in enumerate(of.arrangement.counts)} | {"self": 1.0}
    u = torch.from_numpy(of.arrangement.vectors(inner, of.arrangement.size))
    with mp.workdps(30):
        found = float(of.precisely({r: mpf(x) for r, x in inner.items()}))
    assert found == pytest.approx(float(of.of_vectors(u.flatten(0, -2))), abs=1e-12)


def test_a_search_ends_at_the_simplex() -> None:
    of = Kernel.at(KERNEL_INFONCE, INSTANCES, {"n": 3, "p": 2}, {"gamma": "1/2", "tau": "1/2"})
    z = random_embeddings(of.arrangement, 0, d=4).flatten(0, -2)
    # One positive beside four negatives, at the distance sqrt(3).
    least = torch.log(1 + 4 * torch.exp(-(torch.tensor(3.0).double() ** 0.25) / 0.5))
    assert of.search(z) == pytest.approx(float(least), abs=1e-10)


def test_nothing_is_certified() -> None:
    problem = Problem(KERNEL_INFONCE, INSTANCES, Domain({}, {}))
    with pytest.raises(DomainError, match="similarity"):
        declared(problem, {n: Integer(3), p: Integer(2), tau: Integer(1), gamma: Integer(1)})
    with pytest.raises(DomainError, match="similarity"):
        evaluate(problem, torch.eye(6).view(3, 2, 6).double(), {"tau": 0.5})
