"""Small problems use one thread, and leave the number as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from cltheory.derive.results import results
from cltheory.numeric.figures import encoder
from cltheory.numeric.running.device import LARGE, THREADS, threads_for
from cltheory.numeric.search import sweep
from cltheory.numeric.verify import at_optimum, verify


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A user with three threads, and none given in the environment."""
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_a_small_problem_has_one() -> None:
    with threads_for(200, 100):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 3


def test_a_large_problem_keeps_them() -> None:
    with threads_for(1000, LARGE // 10**6):
        assert torch.get_num_threads() == 3
    with threads_for(1000, LARGE // 10**6 - 1):
        assert torch.get_num_threads() == 1


@pytest.mark.parametrize("name", THREADS)
def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "3")
    with threads_for(2, 2):
        assert torch.get_num_threads() == 3


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many threads there are whenever something is minimised or trained."""
    found: list[int] = []

    def spied(module: Any, name: str) -> None:
        inner = getattr(module, name)

        def outer(*args: Any, **options: Any) -> Any:
            found.append(torch.get_num_threads())
            return inner(*args, **options)

        monkeypatch.setattr(module, name, outer)

    for module, name in (
        (at_optimum, "minimise"),
        (sweep, "minimise"),
        (encoder, "_adam"),
        (encoder, "_polish"),
    ):
        spied(module, name)
    return found


def test_verify_and_sweeps_use_one(seen: list[int]) -> None:
    verify("cnce-optimum", m=2, n=2, p=1, tau=1, seeds=[0])
    verify("infonce-optimum", N=3, t=1, seeds=[0])
    assert len(seen) == 2
    for id, cell in (
        ("supcl-optimum", {"alpha": 1.0, "tau": 1.0, "m": 2, "n": 2, "p": 1, "d": 4, "seed": 0}),
        ("sigmoid-optimum", {"N": 3, "d": 3, "t": 1.0, "b": 1.0, "seed": 0}),
    ):
        problem = results[id].problem
        assert problem is not None
        for _ in sweep.sweep(problem, [cell]):
            assert torch.get_num_threads() == 3  # also while rows are handed over
    cells: list[Any] = [
        {"encoder": e.name, "N": 3, "d": 3, "t": 1.0, "b": 1.0, "seed": 0} for e in encoder.ENCODERS
    ]
    for _ in encoder.train_encoders(problem, cells, steps=1, polish=1):
        assert torch.get_num_threads() == 3
    assert len(seen) > 5
    assert set(seen) == {1}
    assert torch.get_num_threads() == 3
