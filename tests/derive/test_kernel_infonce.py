"""Losses with exponential kernels against free optimisation, and against wrong formulas.

The losses are written here a second time, in torch, on embeddings and without symmetry.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import brute_force
import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.product import power
from cltheory.derive.losses.kernel import (
    KERNEL_CLIP,
    KERNEL_INFONCE,
    KERNEL_SUPCL,
    in_similarities,
)
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.results import results
from cltheory.derive.results.kernels import _convexity, _definite, _similarity, _simplex, _spread
from sympy import Integer, Rational, S, Symbol, exp

torch = pytest.importorskip("torch")


# --- the losses a second time ----------------------------------------------------------------
def squares(z: torch.Tensor) -> torch.Tensor:
    """Squared distances of all pairs; what is added keeps slopes finite where points coincide."""
    gaps = z[:, None, :] - z[None, :, :]
    return (gaps**2).sum(-1) + 1e-60


def softmax_loss(logs: torch.Tensor, positive: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """Mean over anchors and their weighted positives of -log(k/sum of k over the others)."""
    spread = logs.masked_fill(~others, -torch.inf).logsumexp(1)
    return (spread - (positive * logs).sum(1)).mean()


def kron(*sides: torch.Tensor) -> torch.Tensor:
    return torch.kron(*sides)


def eye(k: int) -> torch.Tensor:
    return torch.eye(k, dtype=torch.float64)


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(shape, dtype=torch.float64)


def of_views(n: int, p: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Positives with their weights, and the denominators, of views in instances."""
    own = kron(eye(n), ones(p, p)) - eye(n * p)
    return own / (p - 1), eye(n * p) == 0


def of_classes(m: int, n: int, p: int, alpha: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The same of the SupCL loss, with the anchor in numerator and denominator."""
    own = kron(eye(m * n), ones(p, p))
    same = kron(eye(m), ones(n * p, n * p)) - own
    return alpha * own / p + (1 - alpha) * same / (p * (n - 1)), ones(m * n * p, m * n * p) > 0


def exponential(gamma: float, heat: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda z: -(squares(z) ** (gamma / 2)) / heat


def simplex(k: int) -> torch.Tensor:
    z = eye(k) - 1 / k
    return z / z[0].norm()


def least(
    loss: Callable[[torch.Tensor], torch.Tensor],
    count: int,
    d: int,
    seeds: int = 6,
    start: torch.Tensor | None = None,
) -> float:
    """The least loss that a search over embeddings finds."""
    starts = [np.random.default_rng(seed).normal(size=(count, d)) for seed in range(seeds)]
    if start is not None:
        starts = [start.numpy() + 10.0 ** -(1 + k) * z for k, z in enumerate(starts)]
    unit = torch.nn.functional.normalize
    return float(brute_force.least(lambda z: loss(unit(z, dim=1)), starts, maxiter=300).fun)


@pytest.mark.parametrize(("gamma", "heat"), [(0.5, 0.7), (1.0, 0.5), (1.5, 2.0), (2.0, 0.3)])
def test_no_embeddings_of_views_are_better_than_the_simplex(gamma: float, heat: float) -> None:
    n, p = 3, 2
    says = float(results["kernel-infonce"].value("least_loss", n=n, p=p, gamma=gamma, tau=heat))
    masks, psi = of_views(n, p), exponential(gamma, heat)
    there = softmax_loss(psi(simplex(n).repeat_interleave(p, 0)), *masks)
    assert float(there) == pytest.approx(says, abs=1e-12)
    found = least(lambda z: softmax_loss(psi(z), *masks), n * p, 4)
    # A search never beats a true bound; where slopes are infinite it may stop short of it.
    assert found >= says - 1e-9
    if gamma == 2:
        assert found == pytest.approx(says, abs=1e-6)


@pytest.mark.parametrize(("gamma", "heat"), [(0.5, 0.7), (1.0, 2.0), (2.0, 0.6)])
def test_no_embeddings_of_towers_are_better_than_the_simplex(gamma: float, heat: float) -> None:
    n = 3
    says = float(results["kernel-infonce"].value("least_loss_towers", n=n, gamma=gamma, tau=heat))

    def loss(z: torch.Tensor) -> torch.Tensor:
        logs = -(squares(z)[:n, n:] ** (gamma / 2)) / heat
        own, everything = eye(n), ones(n, n) > 0
        return (softmax_loss(logs, own, everything) + softmax_loss(logs.T, own, everything)) / 2

    assert float(loss(simplex(n).repeat(2, 1))) == pytest.approx(says, abs=1e-12)
    assert least(loss, 2 * n, 4) >= says - 1e-9


def test_a_sum_of_kernels_has_its_least_loss_at_the_simplex() -> None:
    n, p = 3, 2
    masks = of_views(n, p)

    def loss(z: torch.Tensor) -> torch.Tensor:
        parts = [exponential(0.7, 0.5)(z), exponential(1.6, 1.5)(z)]
        return softmax_loss(torch.log(0.3 * parts[0].exp() + 0.7 * parts[1].exp()), *masks)

    says = float(loss(simplex(n).repeat_interleave(p, 0)))
    assert least(loss, n * p, 4) >= says - 1e-9


def test_the_gaussian_is_the_inner_product_at_half_the_temperature() -> None:
    at = {"n": 5, "p": 2}
    ours = results["kernel-infonce"].value("least_loss", gamma=2, tau="3/5", **at)
    theirs = results["simclr"].value("loss", tau="3/10", **at)
    assert abs(ours - theirs) < 1e-14


# --- definiteness --------------------------------------------------------------------------------
@pytest.mark.parametrize("gamma", ["21/10", "3", "7"])
def test_three_points_refute_definiteness_beyond_the_gaussian(gamma: str) -> None:
    of = results["kernel-infonce"]
    x, form = (float(of.value(k, gamma=gamma)) for k in ("witness_x", "witness_form"))
    heat, power = 0.37, float(S(gamma))
    h = (x * heat) ** (1 / power)
    points = np.array([-h, 0.0, h])
    kernel = np.exp(-(np.abs(points[:, None] - points) ** power) / heat)
    w = np.array([1.0, -2.0, 1.0])
    assert w @ kernel @ w == pytest.approx(form, rel=1e-6)
    assert form < 0
    # On a circle, a little apart.
    at = np.array([-1.0, 0.0, 1.0]) * 1e-2
    circle = torch.tensor(np.stack([np.cos(at), np.sin(at)], 1))
    kernel = exponential(power, 1e-2**power * 100)(circle).exp()
    assert torch.linalg.eigvalsh(kernel)[0] < 0


def test_definite_and_convex_are_decided_at_the_border() -> None:
    of = results["kernel-infonce"]
    assert of.value("positive_definite", gamma=2) is True
    assert of.value("positive_definite", gamma="20001/10000") is False
    assert of.value("convex", gamma=2) is True
    assert of.value("convex", gamma="19999/10000") is False


# --- convexity -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "gamma", "sign"), [("concave_positive", 1.2, 1), ("concave_negative", 3.5, -1)]
)
@pytest.mark.parametrize("rest", [1e-3, 1.0, 1e3])
def test_the_loss_is_concave_inside_the_border(
    name: str, gamma: float, sign: int, rest: float
) -> None:
    heat = 0.4
    border = float(results["kernel-infonce"].value(name, gamma=gamma, tau=heat))

    def loss(c: np.ndarray) -> np.ndarray:
        psi = -((2 - 2 * c) ** (gamma / 2)) / heat
        return np.log(1 + rest * np.exp(-sign * psi))

    c = 1 - 0.98 * border / 2
    step = 1e-3 * border
    assert np.diff(loss(c + step * np.array([-1.0, 0.0, 1.0])), 2)[0] < 0


def test_with_three_views_the_border_is_for_all_pairs_of_an_instance_alike() -> None:
    heat, gamma, p = 0.4, 1.2, 3
    border = float(results["kernel-infonce"].value("concave_positive", gamma=gamma, tau=heat))

    def bent(one: Callable[[float], list[float]]) -> float:
        """The second difference of an anchor's loss at these inner products of positives."""

        def loss(c: float) -> float:
            psi = -((2 - 2 * np.array(one(c))) ** (gamma / 2)) / heat
            return float(np.log(np.exp(psi).sum() + 1e-3) - psi.mean())

        c, step = 1 - 0.9 * border / 2, 1e-3 * border
        return loss(c - step) + loss(c + step) - 2 * loss(c)

    assert bent(lambda c: [c] * (p - 1)) < 0
    # In the inner product of one pair alone it may be convex, however near that pair is.
    assert bent(lambda c: [c, 0.0]) > 0


# --- beyond the Gaussian --------------------------------------------------------------------------
def instance_loss(z: torch.Tensor, gamma: float, heat: float, p: int = 2) -> torch.Tensor:
    return softmax_loss(exponential(gamma, heat)(z.repeat_interleave(p, 0)), *of_views(len(z), p))


@pytest.mark.parametrize(("k", "gamma"), [(3, 4), (7, 10)])
def test_the_border_of_clusters_of_any_size(k: int, gamma: int) -> None:
    """The limit is put into the limit of the condition, and large clusters come near it.

    Exponentials of 16807 s/243 are powers of a degree that is not factored.
    """
    value = results["kernel-threshold"].value
    s = 1 / value("tau_clusters", digits=30, k=k, q="oo", gamma=gamma)
    with mpmath.mp.workdps(30):
        near, far = mpmath.mpf(2) ** (gamma // 2), (mpmath.mpf(2 * k) / (k - 1)) ** (gamma // 2)

        def more(x):
            return mpmath.exp(near * x) + (k - 1) * mpmath.exp((near - far) * x) - k

        assert more(s * (1 - mpmath.mpf(10) ** -12)) < 0 < more(s * (1 + mpmath.mpf(10) ** -12))
    large = value("tau_clusters", k=k, q=10**8, gamma=gamma)
    assert abs(large * s - 1) < 1e-6


def bends(
    z: torch.Tensor,
    move: torch.Tensor,
    loss: Callable[[torch.Tensor], torch.Tensor],
    step: float = 2e-3,
) -> float:
    """Second difference of a loss along a movement of embeddings, over the squared step."""

    def at(e: float) -> float:
        there = z + e * move
        return float(loss(there / there.norm(dim=1, keepdim=True)))

    return (at(step) + at(-step) - 2 * at(0)) / step**2


@pytest.mark.parametrize(
    ("gamma", "factor"), [(3, 0.99), (14, 0.99), (14, 0.5), (20, 0.99), (30, 0.95), (30, 0.7)]
)
def test_instances_may_move_towards_one_vector(gamma: int, factor: float) -> None:
    """Below the temperature of the face: for large gamma the simplex is no local optimum there."""
    n, p = 4, 2
    heat = factor * float(results["kernel-threshold"].value("tau_local", k=2, q=2, gamma=gamma))
    z, rng = simplex(n), np.random.default_rng(3)
    u = torch.tensor(rng.normal(size=n))
    u = u - u.mean()
    found = bends(z, u.expand(n, n), lambda z: instance_loss(z, gamma, heat, p), 1e-3)
    square = 2 * n / (n - 1)
    k = np.exp(-(square ** (gamma / 2)) / heat)
    at = {
        _spread.v: gamma * square ** (gamma / 2) / heat,
        _spread.Q: float(((z @ u) ** 2).mean()),
        _spread.push: p * k / (p - 1 + p * (n - 1) * k),
        _similarity.n: n,
        _similarity.gamma: gamma,
    }
    says = float(_spread.spreading().xreplace({s: S(x) for s, x in at.items()}))
    assert found == pytest.approx(says, rel=2e-2)
    assert found > 0 or gamma > 4 * n - 2
    assert bool(found < 0) is ((gamma, factor) in [(20, 0.99), (30, 0.95)])


# --- classes ----------------------------------------------------------------------------------
@pytest.mark.parametrize(("gamma", "p"), [(0.5, 1), (1.0, 2), (1.5, 1)])
def test_classes_collapse_up_to_alpha_max(gamma: float, p: int) -> None:
    m, n, heat = 2, 2, 0.8
    of = results["kernel-supcl"]
    at = {"m": m, "n": n, "gamma": gamma, "tau": heat}
    border = float(of.value("alpha_max", **at))
    collapsed = simplex(m).repeat_interleave(n * p, 0)
    for shift, optimal in ((-0.03, True), (0.03, False)):
        alpha = round(border + shift, 6)
        masks, psi = of_classes(m, n, p, alpha), exponential(gamma, heat)

        def loss(z: torch.Tensor, masks: Any = masks, psi: Any = psi) -> torch.Tensor:
            return softmax_loss(psi(z), *masks)

        says = float(of.value("loss_collapsed", p=p, **at))
        assert float(loss(collapsed)) == pytest.approx(says, abs=1e-12)
        start = torch.nn.functional.pad(collapsed, (0, 2))
        found = min(
            least(loss, m * n * p, 4, seeds=4), least(loss, m * n * p, 4, seeds=5, start=start)
        )
        if optimal:
            assert found >= says - 1e-9
        else:
            assert found < says - 1e-9


# --- concatenation ----------------------------------------------------------------------------
def test_the_split_of_a_concatenation_is_optimal() -> None:
    n, p, at = 3, 2, {"gamma": 1, "tau": "1/2", "gamma2": 2, "tau2": 1}
    of = results["kernel-concatenation"]
    r, says = (float(of.value(k, n=n, p=p, **at)) for k in ("split", "least_loss"))

    def loss(z: torch.Tensor) -> torch.Tensor:
        kernels = exponential(1, 0.5)(z[:, :3]).exp() + exponential(2, 1)(z[:, 3:]).exp()
        return softmax_loss(kernels.log(), *of_views(n, p))

    def split(share: float) -> torch.Tensor:
        s = simplex(n).repeat_interleave(p, 0)
        return torch.hstack([share**0.5 * s, (1 - share) ** 0.5 * s])

    assert float(loss(split(r))) == pytest.approx(says, abs=1e-12)
    assert min(loss(split(r - 1e-3)), loss(split(r + 1e-3))) > says
    assert least(loss, n * p, 6, seeds=4) >= says - 1e-9


def test_equal_kernels_split_in_half_and_a_flat_gaussian_is_left_alone() -> None:
    of = results["kernel-concatenation"]
    alike = {"gamma": 1, "tau": "1/2", "gamma2": 1, "tau2": "1/2"}
    assert of.value("split", n=4, **alike) == 0.5
    flat = {"gamma": 2, "tau": 1, "gamma2": 2, "tau2": 100}
    assert of.value("split", n=4, **flat) == 1


@pytest.mark.parametrize(
    ("first", "second"), [(("3/2", 30), (1, 9)), (("1/2", 12), (1, 3)), (("1/10", "1/100"), (1, 5))]
)
def test_the_halves_may_change_places(first: tuple[Any, Any], second: tuple[Any, Any]) -> None:
    """Slopes are infinite at both ends here, and the split is in either half of the interval."""
    of, n = results["kernel-concatenation"], 4
    both = []
    for (one, heat), (other, heat2) in ((first, second), (second, first)):
        at = {"n": n, "p": 2, "gamma": one, "tau": heat, "gamma2": other, "tau2": heat2}
        both.append([float(of.value(k, **at)) for k in ("split", "least_loss")])
    assert both[0][0] + both[1][0] == pytest.approx(1, abs=1e-12)
    assert both[0][1] == pytest.approx(both[1][1], rel=1e-12)
    far = 2 * n / (n - 1)
    (one, heat), (other, heat2) = ((float(S(x)) for x in kernel) for kernel in (first, second))
    r = np.concatenate([np.geomspace(1e-16, 0.5, 4000), 1 - np.geomspace(1e-16, 0.5, 4000)])
    near = np.exp(-((far * r) ** (one / 2)) / heat)
    near = near + np.exp(-((far * (1 - r)) ** (other / 2)) / heat2)
    assert both[0][1] <= np.log(1 + 2 * (n - 1) * near.min() / 2) <= both[0][1] + 1e-4


# --- wrong formulas ------------------------------------------------------------------------------


def backwards(*_: Any) -> Any:
    """A loss that falls with the similarity of negatives, which has no simplex."""
    return _simplex.psi_p - 2 * _simplex.psi_n


WRONG = [
    (_similarity, "SLOPE", 2 * _similarity.SLOPE, _similarity.state_slopes),
    (
        _definite,
        "THREE_POINTS",
        # That of the weights 1, -1, 1.
        3 - 4 * exp(-_definite.x) + 2 * exp(-_definite.P * _definite.x),
        _definite.state_definite,
    ),
    (_convexity, "IN_POSITIVE", -_convexity.IN_POSITIVE, _convexity.state_convexity),
    (_simplex, "at_similarities", backwards, partial(_simplex.state_views, KERNEL_INFONCE)),
    (_simplex, "at_similarities", backwards, partial(_simplex.state_towers, KERNEL_CLIP)),
]


@pytest.mark.parametrize(("module", "name", "wrong", "state"), WRONG)
def test_wrong_formulas_are_refused(
    module: Any, name: str, wrong: Any, state: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(StepFailed):
        state(Derivation())


# --- what the engine does not take ---------------------------------------------------------------
@pytest.mark.parametrize("loss", [KERNEL_INFONCE, KERNEL_SUPCL, KERNEL_CLIP])
def test_the_convex_engine_refuses_other_similarities(loss: Any) -> None:
    scheme = results["kernel-infonce"].structure
    with pytest.raises(DomainError, match="convex in the Gram matrix"):
        ReducedLoss(loss, scheme)
    assert in_similarities(loss).similarity is None
    assert Symbol("gamma", positive=True) in loss.meanings


def test_numbers_of_thousands_of_digits_are_not_written_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from cltheory.cli.main import run

    words = ["derive", "kernel-infonce", "--gamma", "1e6", "--tau", "1", "--n", "2"]
    assert run(words) == 0
    out = capsys.readouterr().out
    assert "similarity: no value here, its exact form has a number of thousands of digits" in out
    assert "convex = False" in out and max(map(len, out.splitlines())) < 250
    assert run([*words, "--format", "python"]) == 1
    assert "too large to decide" in capsys.readouterr().err


def test_a_float_is_taken_as_the_fraction_that_it_is() -> None:
    # 54^(a/b) with b = 2^55 is not 2^a 3^(3a - b), which no memory holds.
    values: dict[str, Any] = {"n": 54, "p": 2, "tau": "1/2"}
    for gamma in (0.1, 1.7):
        one, other = (
            results["kernel-infonce"].value("similarity", gamma=text, **values)
            for text in ("{}/{}".format(*gamma.as_integer_ratio()), str(gamma))
        )
        assert abs(one - other) < 1e-13 * abs(other)
    long = Rational(*(0.1).as_integer_ratio())
    assert power(Integer(54), long).as_base_exp() == (54, long) and power(S.One, long) == 1
    assert power(Integer(54), Rational(1, 3)) == 3 * 2 ** Rational(1, 3)
