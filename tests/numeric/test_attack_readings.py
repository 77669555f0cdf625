"""What the attack reads off configurations in torch, against the same to many digits."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.theorem.bounds import About
from cltheory.derive.vectors.anchor import BATCH, READINGS
from cltheory.numeric.attack.digits import readings_of
from cltheory.numeric.attack.readings import float_readings, has
from cltheory.numeric.attack.spaces import space
from cltheory.numeric.attack.stored import Record
from mpmath import mp

NAMES = {
    About.ANCHOR: list(READINGS),
    About.BATCH: [
        *BATCH,
        "mean_epsilon",
        "mean_squared_gradient",
        "mean_epsilon_squared",
        "mean_epsilon_squared_sigma",
        "mean_epsilon_squared_sigma_squared",
        "mean_squared_linear",
        "mean_rho",
    ],
    About.SOFTMAX: [
        "N",
        "curvature",
        "q_max",
        "participation",
        "spread_2",
        "spread_inf",
        "highest",
        "deviation",
        "remainder_2",
        "remainder_inf",
        "remainder_above",
        "remainder_below",
        "remainder_first",
        "offset_first",
    ],
    About.VECTORS: [
        "b",
        "n",
        "d",
        "t",
        "effective_rank",
        "sigma_hat",
        "entropy_rank",
        "isotropy_deviation",
        "q",
        "centroid",
        "t_next",
        "frobenius_diversity",
    ],
    About.LAW: [
        "N",
        "n",
        "tau",
        "epsilon",
        "mean_epsilon_squared",
        "mean_epsilon",
        "mean_epsilon_squared_sigma",
        "mean_squared_sampling",
        "epsilon_max",
        "sigma",
        "mean_squared_gradient",
        "gradient_variance",
    ],
}


def record(about: About, vectors: dict[str, torch.Tensor], tau: torch.Tensor | None) -> Record:
    def texts(value: object) -> object:
        return [texts(v) for v in value] if isinstance(value, list) else repr(value)

    arrays = {name: texts(value[0].tolist()) for name, value in vectors.items()}
    return Record("", "", about, arrays, None if tau is None else repr(float(tau[0])))


@pytest.mark.parametrize("about", About, ids=lambda a: a.name)
@pytest.mark.parametrize("n,d", [(4, 1), (4, 3), (6, 2)])
def test_readings_are_those_to_many_digits(about: About, n: int, d: int) -> None:
    there = space(about, n, d)
    assert there is not None
    for x in there.random(5, torch.Generator().manual_seed(n + d)):
        vectors, tau = there.unpack(x[None])
        found = float_readings(about, vectors, tau)
        with mp.workdps(60):
            exact = readings_of(record(about, vectors, tau), NAMES[about])
            for name in NAMES[about]:
                value, wanted = float(found[name][0]), float(exact[name])
                # Rounding, relative to the terms, which are of size 1 over the temperature.
                size = 1.0 if tau is None else max(1.0, float(tau[0]) ** -4)
                assert value == pytest.approx(wanted, rel=1e-9, abs=1e-13 * size), name


@pytest.mark.parametrize("about", About, ids=lambda a: a.name)
def test_every_name_is_known_and_others_are_not(about: About) -> None:
    assert all(has(about, name) for name in NAMES[about])
    assert not any(has(about, name) for name in ("nothing", "_q", "mean_nothing", ""))


def test_a_small_remainder_keeps_its_digits() -> None:
    logits = torch.tensor([[1e-7, 0.0, -3e-7]], dtype=torch.float64)
    found = float_readings(About.SOFTMAX, {"logits": logits}, None)
    with mp.workdps(60):
        exact = readings_of(record(About.SOFTMAX, {"logits": logits}, None), ["remainder_inf"])
        wanted = float(exact["remainder_inf"])
    assert float(found["remainder_inf"][0]) == pytest.approx(wanted, rel=1e-9)
