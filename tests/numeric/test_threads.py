"""Small problems use one thread, and leave the number as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from cltheory.numeric.running.device import LARGE, THREADS, threads_for


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
