"""What the attack reads off configurations in torch, against the same to many digits."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.results import results
from cltheory.derive.theorem.bounds import About
from cltheory.numeric.attack import bounds_of
from cltheory.numeric.attack.digits import readings_of
from cltheory.numeric.attack.readings import float_readings, has
from cltheory.numeric.attack.spaces import space
from cltheory.numeric.attack.stored import Record
from mpmath import mp

#: Of a bound with a number that no configuration tells.
GIVEN = {"c"}
#: What bounds of the registry ask for: of each kind of configuration, and what it bounds.
NAMES = {
    about: sorted(
        {
            name
            for id in results.family("spectral-band")
            for bound in bounds_of(results[id]).values()
            if bound.about is about
            for name in (bound.bounded, *map(str, bound.readings))
            if name not in GIVEN
        }
    )
    for about in About
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
