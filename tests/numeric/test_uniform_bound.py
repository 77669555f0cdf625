"""The uniform bound against embeddings with free weights, its equality case, and what it is for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import brute_force
import mpmath
import numpy as np
import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Grade, Holds
from cltheory.derive.losses.softmax import tau as tau_symbol
from cltheory.derive.optimum.dimension import d as dimension
from cltheory.derive.optimum.uniform import NUMBER, at_uniform, least_on_sphere, of_groups
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from cltheory.derive.structures import hierarchy
from cltheory.derive.theorem.bounded import Bound, bound_at, with_bound
from sympy import Float, Integer, Rational, Tuple, expand_log, sympify
from torch import Tensor

BOUND = results["uniform-bound"]
#: Rounding of a loss of a few units in float64.
ROUNDING = 1e-12


def one_tower(z: Tensor, tau: float) -> Tensor:
    """Vectors of any weights; the positive of an anchor is the anchor, as close as can be."""
    u, w = torch.nn.functional.normalize(z[:, 1:], dim=1), torch.log_softmax(z[:, 0], 0)
    return w.exp() @ torch.logsumexp(u @ u.T / tau + w, 1) - 1 / tau


def two_towers(z: Tensor, tau: float) -> Tensor:
    """One direction, pairs of any weights."""
    w = torch.log_softmax(z[0, :, 0], 0)
    u, v = torch.nn.functional.normalize(z[..., 1:], dim=-1)
    return w.exp() @ (torch.logsumexp(u @ v.T / tau + w, 1) - (u * v).sum(1) / tau)


def without_anchor(z: Tensor, tau: float) -> Tensor:
    """NT-Xent of n images with p views, anchors and their positives in a mean."""
    u = torch.nn.functional.normalize(z[..., 1:], dim=-1).flatten(0, 1)
    views, images = z.shape[:2]
    g = u @ u.T / tau
    label = torch.arange(views * images) % images
    same = (label[:, None] == label) & ~torch.eye(len(u), dtype=torch.bool)
    below = torch.logsumexp(g.fill_diagonal_(-torch.inf), 1)
    return (below - torch.where(same, g, 0).sum(1) / (views - 1)).mean()


def least(loss: Callable[[Tensor, float], Tensor], shape: tuple[int, ...], tau: float) -> float:
    starts = np.random.default_rng(0).standard_normal((2, *shape))
    return float(brute_force.least(lambda z: loss(z, tau), starts).fun)


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("tau", [0.05, 0.3, 2.0])
def test_no_embeddings_are_below(d: int, tau: float) -> None:
    at = {"d": d, "tau": tau}
    for size in (2, 9):
        # With weights that are free, weights 1/N count as log N.
        free = BOUND.value("loss_at_least", N=size, **at) - np.log(size)
        assert least(one_tower, (size, d + 1), tau) >= free - ROUNDING
        towers = BOUND.value("loss_at_least_two_towers", N=size, **at) - np.log(size)
        assert least(two_towers, (2, size, d + 1), tau) >= towers - ROUNDING
    for n, p in ((2, 2), (3, 3)):
        found = least(without_anchor, (p, n, d + 1), tau)
        for name in ("loss_at_least_anchor_out", "loss_at_least_best_anchor_out"):
            assert found >= BOUND.value(name, n=n, p=p, **at) - ROUNDING
    # The bound is what two points on the line come to, at every temperature.
    if d == 1:
        assert least(one_tower, (2, 2), tau) == pytest.approx(float(free), abs=1e-6)


def test_more_vectors_without_the_anchor_are_refuted_by_embeddings() -> None:
    n, tau = 2, 0.1
    views = torch.tensor([[[0.0, 1], [0, -1]]] * 2, dtype=torch.float64)  # a weight and d = 1
    found = without_anchor(views, tau).item()
    proved = float(BOUND.value("loss_at_least_anchor_out", n=n, p=2, d=1, tau=tau))
    assert proved <= found < proved + np.log(2 * n - 1) - np.log(n) - 0.4


@pytest.mark.parametrize("tau", [0.1, 0.5])
def test_many_uniform_vectors_attain_it(tau: float) -> None:
    size = 1000
    turn = 2 * np.pi * np.arange(size) / size
    height = (2 * np.arange(size) + 1) / size - 1  # a Fibonacci lattice
    golden = np.pi * (3 - 5**0.5) * np.arange(size)
    wide = np.sqrt(1 - height**2)
    for d, u in (
        (2, np.stack([np.cos(turn), np.sin(turn)], 1)),
        (3, np.stack([wide * np.cos(golden), wide * np.sin(golden), height], 1)),
    ):
        z = torch.tensor(np.concatenate([np.zeros((size, 1)), u], 1))
        bound = float(BOUND.value("loss_at_least", N=size, d=d, tau=tau))
        found = one_tower(z, tau).item() + np.log(size)
        assert -ROUNDING <= found - bound < 1e-3  # of the lattice, whose ends are not uniform


def test_at_the_sizes_of_clip() -> None:
    value = BOUND.value("loss_at_least_two_towers", N=65536, d=1024, tau="1/100", digits=30)
    # log(65536) - 100 + log 0F1(; 512; 2500), by mpmath at 50 digits.
    assert float(value) == pytest.approx(-84.0497810826495, abs=1e-12)


def test_the_declaration_tells_which_bound_applies() -> None:
    values = {"m": 5, "n": 4, "p": 3, "N": 7, "d": 3, "alpha": 0.3, "tau": 0.5}
    counts = {"simclr": 4 * (3 - 1), "supcon": 5 * (4 * 3 - 1), "supcl": 5 * 4 * 3, "clip": 7}
    counts["cnce"] = 4 * 3  # its denominators are classes
    for name, size in counts.items():
        e = least_on_sphere(CATALOGUE[name])
        found = e.subs({s: values[s.name] for s in e.free_symbols}).evalf()
        bound = float(BOUND.value("loss_at_least", N=size, d=3, tau=0.5))
        assert float(found) == pytest.approx(bound, rel=1e-12)
    for name in ("dcl", "sincere", "supcl-exclusive", "siglip", "spectral"):
        assert least_on_sphere(CATALOGUE[name]) is None, name
    for name, change in (
        ("clip", {"coefficient": Integer(-1)}),
        ("clip", {"weights": (Integer(-1),)}),
        ("clip", {"denominator": ("negative",)}),
        ("clip", {"denominator_weights": (Integer(1), Integer(2))}),
        ("supcon", {"weights": (Integer(1), Integer(2))}),
        ("supcon", {"positives": ("same_class",)}),
    ):
        problem = CATALOGUE[name]
        terms = (replace(problem.loss.terms[0], **change),)
        other = replace(problem, loss=replace(problem.loss, terms=terms))
        assert least_on_sphere(other) is None, change


@pytest.mark.parametrize(
    ("id", "at", "tau", "count", "factor", "which"),
    [
        ("simclr", {"n": 300, "p": 2}, "0.1", 300, 1, "uniform"),
        ("simclr", {"n": 300, "p": 2}, "0.5", 300, 1, "all_dimensions"),
        ("supcon", {"m": 100, "n": 2, "p": 2}, "0.2", 300, 1, "uniform"),
        ("supcl-optimum", {"m": 100, "n": 2, "p": 1, "alpha": "0.3"}, "0.2", 200, 1, "uniform"),
        ("supcl-optimum", {"m": 3, "n": 2, "p": 1, "alpha": "0.9"}, "0.5", 6, 1, "all_dimensions"),
        ("infonce-optimum", {"N": 300}, "0.1", 300, 2, "uniform"),
    ],
)
def test_the_better_bound_is_a_quantity(
    id: str, at: dict, tau: str, count: int, factor: int, which: str
) -> None:
    at = {**at, "t" if "N" in at else "tau": tau}
    bound = factor * float(BOUND.value("loss_at_least", N=count, d=3, tau=tau))
    least = float(results[id].value("loss", **at))
    assert (bound > least) == (which == "uniform")
    found, said, grade = bound_at(results[id], **at, d=3)
    assert (float(found), said) == (pytest.approx(max(bound, least), rel=1e-13), which)
    assert (grade is Grade.ARGUED) == (which == "uniform")
    # In many dimensions nothing but the minimum is left.
    found, said, _ = bound_at(results[id], **at, d=10**6)
    assert (float(found), said) == (pytest.approx(least, rel=1e-13), "all_dimensions")


def test_a_bound_with_fewer_digits_is_not_above_it() -> None:
    with mpmath.workdps(30):
        close = Bound(mpmath.mpf("0.49999999999999999999"), "uniform", Grade.ARGUED)
    assert [str(close.below(k)) for k in (9, 15)] == ["0.499999999", "0.499999999999999"]
    found = bound_at(results["simclr"], n=100, p=2, tau="1/10", d=3)
    assert 0 <= found.value - mpmath.mpf(str(found.below(15))) < found.value * 1e-14


@pytest.mark.parametrize("tau", ["1/1000", "1/10000"])
def test_the_bound_is_known_where_the_minimum_is_tiny(tau: str) -> None:
    """Doubles do not tell the minimum from 0, nor does SymPy which of the two is larger."""
    with mpmath.workdps(30):
        k = 1 / mpmath.mpf(Rational(tau).p) * Rational(tau).q
        least = mpmath.log1p(198 * mpmath.exp(-k * 100 / 99))
        found, which, _ = bound_at(results["simclr"], n=100, p=2, tau=tau, d=3)
        assert which == "all_dimensions" and abs(found / least - 1) < 1e-14
        best = BOUND.value("loss_at_least_best_anchor_out", n=100, p=2, tau=tau, d=3)
        assert abs(best / least - 1) < 1e-14


def test_one_direction_is_not_aligned_in_few_dimensions() -> None:
    """A first guess is that it is; both directions together are, as far as is found."""

    def one_way(z: Tensor, tau: float) -> Tensor:
        u, v = (torch.nn.functional.normalize(x, dim=1) for x in (z[0], z[-1]))
        return -torch.log_softmax(u @ v.T / tau, 1).diagonal().mean()

    free, aligned = (least(one_way, (towers, 11, 3), 0.3) for towers in (2, 1))
    assert free == pytest.approx(0.538670, abs=5e-7)
    assert aligned == pytest.approx(0.538685, abs=5e-7)
    assert free > float(BOUND.value("loss_at_least_two_towers", N=11, d=3, tau="0.3"))


WITHOUT = [
    ("dcl", {"n": 5, "p": 2, "tau": "0.1"}),
    ("sincere", {"m": 5, "n": 3, "p": 2, "tau": "0.1"}),
    ("sigmoid-optimum", {"N": 6, "t": 4, "b": 1}),
    ("supcl-exclusive", {"m": 3, "n": 2, "p": 2, "alpha": "0.1", "tau": 1}),
]


@pytest.mark.parametrize(("id", "at"), WITHOUT)
def test_losses_without_a_uniform_bound_have_the_minimum_over_all_dimensions(
    id: str, at: dict
) -> None:
    found = bound_at(results[id], **at, d=2)
    assert found.which == "all_dimensions" and found.grade >= Grade.INTERVAL
    assert found.value == pytest.approx(results[id].value("loss", **at), rel=1e-14)


@pytest.mark.parametrize("tau", [0.1, 0.3, 0.6, 1.5])
def test_noise_has_a_bound_on_both_sides_of_its_threshold(tau: float) -> None:
    """tau_min is 0.4046; embeddings in the plane do not come below, and do not come to it."""
    found, which, _ = bound_at(results["infonce-noise"], N=4, rho="0.1", tau=str(tau), d=2)
    targets = 0.9 * torch.eye(4, dtype=torch.float64) + 0.1 / 3 * (1 - torch.eye(4))

    def noisy(z: Tensor, tau: float) -> Tensor:
        u, v = torch.nn.functional.normalize(z, dim=-1)
        g = u @ v.T / tau
        return -(targets * (torch.log_softmax(g, 0) + torch.log_softmax(g, 1))).sum() / 8

    above = least(noisy, (2, 4, 2), tau) - float(found)
    assert 1e-4 < above < 0.5, (which, above)  # a factor of 2 in the loss would be more


@pytest.mark.parametrize("tau", [1.0, 4.0])
def test_flipped_labels_are_a_sum_of_terms_with_nested_positives(tau: float) -> None:
    """SupCon, of which a share has all others as positives: its bound against embeddings."""
    m, k, rho = 4, 3, 0.2
    problem, proof = results["supcon-noise"].problem, Derivation()
    uniform = least_on_sphere(problem, proof)
    assert uniform is not None
    at = {"m": m, "n": k, "p": 1, "rho": rho, "tau": tau, "d": 2}
    bound = float(uniform.xreplace({s: sympify(at[s.name]) for s in uniform.free_symbols}).evalf())
    label = torch.arange(m * k) // k
    me = torch.eye(m * k, dtype=torch.bool)
    same, other = (label[:, None] == label) & ~me, label[:, None] != label

    def noisy(z: Tensor, tau: float) -> Tensor:
        u = torch.nn.functional.normalize(z, dim=1)
        g = torch.log_softmax((u @ u.T / tau).masked_fill(me, -torch.inf), 1)
        return -(1 - rho) * g[same].mean() - rho * g[other].mean()

    assert -ROUNDING < least(noisy, (m * k, 2), tau) - bound < 0.5
    (nested,) = (s.says for s in proof.steps if "nested" in s.title)
    for one in nested.shown:
        wrong = nested.saying(Tuple(*nested.shown, eq(one.lhs, one.rhs + 1)))
        assert not isinstance(wrong.decide(), Holds)
    many = {"m": 100, "n": 5, "p": 2, "rho": "0.1", "tau": "0.5", "d": 3}
    assert bound_at(results["supcon-noise"], **many).which == "uniform"


def test_results_on_no_optimum_have_no_such_quantity() -> None:
    for id in ("supcl-threshold", "ssem", "uniform-bound"):
        assert with_bound(results[id]) is results[id], id
    with pytest.raises(DomainError, match="d must be an integer >= 1"):
        bound_at(results["simclr"], n=3, p=2, tau=1, d=0)
    # Where both are the same number neither is called the larger one.
    assert bound_at(results["infonce-optimum"], N=2, t="1/2", d=1)[1] == "both"


def test_the_bound_in_the_terms_of_a_library() -> None:
    ours = with_bound(results["infonce-optimum"])
    clip = ours.in_convention("clip")
    for name in ("loss", "loss_at_least"):
        found = clip.value(name, N=10, t=4, d=3)
        assert float(found) == pytest.approx(float(ours.value(name, N=10, t="1/4", d=3)) / 2)


def test_a_corrupted_count_is_no_step() -> None:
    proof = Derivation()
    assert least_on_sphere(CATALOGUE["simclr"], proof) is not None
    (step,) = proof.steps
    assert isinstance(step.says.decide(), Holds)
    instances, views = hierarchy.n, hierarchy.p
    for wrong in (instances * views - 1, 2 * instances - 1, instances * views):
        assert not isinstance(step.says.saying(eq(NUMBER, wrong)).decide(), Holds)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 3, 5), (2, 9)])
def test_groups_of_any_sizes_have_a_bound(sizes: tuple[int, ...]) -> None:
    group = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    same = (group[:, None] == group) & ~torch.eye(len(group), dtype=torch.bool)

    def loss(z: Tensor, tau: float) -> Tensor:
        u = torch.nn.functional.normalize(z, dim=1)
        g = u @ u.T / tau
        below = torch.logsumexp(g.fill_diagonal_(-torch.inf), 1)
        return (below - torch.where(same, g, 0).sum(1) / same.sum(1)).mean()

    for tau in (0.1, 1.0):
        bound = of_groups(sizes, Float(tau)).xreplace({dimension: Integer(1)}).evalf()
        found = least(loss, (len(group), 1), tau)
        assert found >= float(bound) - ROUNDING
    equal = of_groups((3,) * 4, tau_symbol) - at_uniform(Integer(8), tau_symbol)
    assert expand_log(equal, force=True).simplify() == 0
    with pytest.raises(ValueError, match="no positives"):
        of_groups((3, 1), Integer(1))


def test_dimensions_and_temperatures_outside_are_refused() -> None:
    for at in ({"N": 1}, {"d": 0}, {"tau": 0}, {"p": 1}):
        with pytest.raises(DomainError):
            BOUND.point(**at)


def independently(name: str, size: int, d: int, tau: str) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The uniform bound and the minimum over all dimensions, by mpmath."""
    with mpmath.workdps(40):
        k = 1 / mpmath.mpf(tau)
        uniform = mpmath.log(size) + mpmath.log(mpmath.hyp0f1(mpmath.mpf(d) / 2, k**2 / 4)) - k
        below = size - 1 if name == "N" else 2 * (size - 1)  # two views, without the anchor
        return uniform, mpmath.log1p(below * mpmath.exp(-k * size / (size - 1)))


def test_the_tables_of_real_systems_are_right() -> None:
    text = (Path(__file__).parents[2] / "docs" / "dimension.md").read_text()
    row = re.compile(
        r"\| \$(\w) = (\d+)\$ \| (\d+) \| ([\d.]+) \| (\S+) \| (\S+) \| (\S+) \|$", re.M
    )
    found = row.findall(text)
    assert len(found) == 7
    for name, size, d, tau, *shown in found:
        values = independently(name, int(size), int(d), tau)
        for value, said in zip((*values, max(values)), shown, strict=True):
            assert 0 <= value - mpmath.mpf(said) < 1e-3
    head = next(line for line in text.splitlines() if line.startswith("| $\\tau$ | $N"))
    columns = re.findall(r"N = (\d+)\$, \$d = (\d+)", head)
    lines = re.findall(r"^\| ([\d.]+) \| (.*) \|$", text, re.M)
    assert (len(columns), len(lines)) == (5, 7)
    for tau, cells in lines:
        for (size, d), said in zip(columns, cells.split(" | "), strict=True):
            uniform, simplex = independently("N", int(size), int(d), tau)
            assert said.endswith("*") == (uniform > simplex)
            assert 0 <= max(uniform, simplex) - mpmath.mpf(said.rstrip("*")) < 1e-3
