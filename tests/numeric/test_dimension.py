"""In how many dimensions a threshold is one, tried on embeddings of exactly that dimension."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
import torch
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.optimum.dimension import Enough, Fails, d, occupied
from cltheory.derive.proof.relations import ge, lt
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.hierarchy import m
from cltheory.derive.theorem.bounded import with_bound
from cltheory.derive.theorem.dimensions import own_dimension, verdicts_at
from cltheory.numeric.problems import bind
from sympy import oo

THRESHOLDS = [
    ("supcl-threshold", "alpha_min"),
    ("supcl-threshold", "tau_max"),
    ("supcl-exclusive", "alpha_low"),
    ("supcl-exclusive", "alpha_high"),
    ("superclass-threshold", "alpha_classes"),
    ("superclass-threshold", "tau_instances"),
    ("sigmoid-threshold", "b_simplex"),
    ("sigmoid-threshold", "b_antipodal"),
    ("towers-threshold", "b_simplex"),
    ("towers-threshold", "b_antipodal"),
]
#: How far from the threshold; the change of the loss is of first order in it.
STEP = 0.05


class Here:
    """A threshold at the witness of its result: the problem, its structure, what is varied."""

    def __init__(self, id: str, name: str) -> None:
        result = results[id]
        self.problem = result.problem
        self.threshold = result.quantity(name).threshold
        self.place = self.threshold.criterion.place
        point = dict(self.threshold.domain.witness)
        self.value = float(self.threshold.value.xreplace(point))
        self.numbers = {s.name: float(v) for s, v in point.items()}
        for s in self.problem.domain.ranges:
            self.numbers.setdefault(s.name, self.value)
        for s, e in self.place.fixed.items():
            self.numbers[s.name] = float(e.xreplace(point))
        sizes = {str(s): int(point[s]) for s in self.problem.scheme.size.free_symbols}
        self.numbers |= sizes
        self.arranged = arrange(self.problem.scheme, sizes)
        self.inner = {r: float(e.xreplace(point)) for r, e in self.place.inner.items()}
        own = own_dimension(result, name)
        self.least, self.sharp = int(own.least.xreplace(point)), own.sharp

    def loss(self, vectors: np.ndarray, shift: float) -> float:
        numbers = {**self.numbers, self.threshold.parameter.name: self.value + shift}
        return float(bind(self.problem, numbers).value(torch.tensor(vectors)[None]))

    def better(self, shift: float) -> bool:
        """Whether moving along one more dimension by some eigenvector lowers the loss."""
        vectors = self.arranged.vectors(self.inner, self.least)
        assert not vectors[..., -1].any()  # the rank is one less
        base, flat = self.loss(vectors, shift), vectors.reshape(-1, self.least)
        scheme, domain = self.problem.scheme, self.threshold.domain
        there = occupied(scheme, self.place.inner, domain)
        ways = occupied(scheme, self.place.along, domain) if self.place.along else ()
        for e in ways or self.arranged.dimensions:
            if e in there or not self.arranged.dimensions[e]:
                continue
            f = 1e-2 * self.arranged.basis(e)[:, :1]
            moved = np.sqrt(1 - f**2) * flat
            moved[:, -1:] = f
            if self.loss(moved.reshape(vectors.shape), shift) < base:
                return True
        return False


@pytest.mark.parametrize(("id", "name"), THRESHOLDS)
def test_one_more_dimension_is_enough_to_leave(id: str, name: str) -> None:
    """The loss falls on one side of the threshold and on the other it does not."""
    here = Here(id, name)
    assert {here.better(STEP * here.value), here.better(-STEP * here.value)} == {True, False}


@pytest.mark.parametrize(
    ("id", "name"), [case for case in THRESHOLDS if case[0].startswith(("supcl", "superclass"))]
)
def test_in_its_own_span_the_structure_stays_where_it_is(id: str, name: str) -> None:
    """Where the dimension is called sharp, every small motion costs, on both sides."""
    here = Here(id, name)
    assert here.sharp
    rng = np.random.default_rng(0)
    vectors = here.arranged.vectors(here.inner, here.least - 1)
    for shift in (1e-3 * here.value, -1e-3 * here.value):
        base = here.loss(vectors, shift)
        for _ in range(20):
            moved = vectors + 1e-2 * rng.standard_normal(vectors.shape)
            moved /= np.linalg.norm(moved, axis=-1, keepdims=True)
            assert here.loss(moved, shift) >= base - 1e-12  # on a line nothing moves


@pytest.mark.parametrize(("dim", "fits"), [(2, True), (1, False)])
def test_classes_that_do_not_see_each_other_share_dimensions(dim: int, fits: bool) -> None:
    """Class-conditional InfoNCE with n = 3: each class is a triangle, four of them in the plane."""
    found = results["cnce-optimum"]
    room = own_dimension(found, "loss")
    assert (str(room.least), room.sharp) == ("n - 1", True)
    m, n, tau = 4, 3, 0.5
    bound = bind(found.problem, {"m": m, "n": n, "p": 1, "tau": tau})
    starts = np.random.default_rng(0).standard_normal((4, m, n, 1, dim))
    unit = torch.nn.functional.normalize
    best = brute_force.least(lambda u: bound.value(unit(u, dim=-1)[None]).sum(), starts).fun
    least = float(found.value("loss", m=m, n=n, p=1, tau=tau))
    assert (best == pytest.approx(least, abs=1e-6)) == fits and best > least - 1e-9


def test_a_wrong_dimension_is_refused() -> None:
    """One less than is needed, one more than is least, and what has not one optimum."""
    found = results["supcl-threshold"]
    says = [s.says for s in found.derivation if isinstance(s.says, Enough | Fails)]
    enough = next(s for s in says if type(s) is Enough)
    fails = next(s for s in says if type(s) is Fails)
    assert isinstance(enough.decide(), Holds) and isinstance(fails.decide(), Holds)
    for wrong in (enough.saying(ge(d, m - 1)), fails.saying(lt(d, m + 1)), fails.saying(ge(d, m))):
        assert not isinstance(wrong.decide(), Holds)


def test_what_holds_in_a_dimension_that_is_given() -> None:
    found = results["supcl-threshold"]
    (few,) = verdicts_at(found, found.point(m=10, n=oo), 9)
    assert few == "d = 9 is too small for all of this: it takes d >= 10"
    (some,) = verdicts_at(found, {}, 9)
    assert some.endswith("where m <= 9")
    (none,) = verdicts_at(found, found.point(m=oo), 9)
    assert none == "d = 9 is too small for all of this: it takes d >= m"
    bounded = with_bound(results["supcon"])  # a bound in d dimensions is what holds below
    at = bounded.point(m=10, n=4, p=2, tau=1, d=8)
    (told,) = verdicts_at(bounded, at, 8)
    assert told.startswith("d = 8 is too small for all but loss_at_least and loss_at_least_by:")
    assert verdicts_at(bounded, at, 9) == ["d = 9 is enough for all of this"]
