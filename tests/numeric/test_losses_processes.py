"""Losses whose anchors see the embeddings of two processes, against one process with all."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch
import two_processes as both

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_available(), reason="needs torch.distributed"
)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the first process has."""
    store = both.meeting(0)
    other = subprocess.Popen([sys.executable, both.__file__, str(store.port)])
    try:
        seen = both.take_part(0, store)
        assert other.wait(60) == 0
    finally:
        other.kill()
        other.wait()
    return seen


@pytest.mark.parametrize("name", both.NAMES)
def test_the_gradient_is_that_of_one_process(name: str, found: dict[str, Any]) -> None:
    """The mean over both processes of the loss, and of the gradients of encoder and temperature."""
    value, gradient = both.trained(both.Training(name, False), both.INPUTS, both.LABELS)
    torch.testing.assert_close(found[name], (value, gradient))
    assert len(gradient) == (3 if name == "siglip" else 2)


def test_without_gathering_it_is_another_loss(found: dict[str, Any]) -> None:
    half = both.BATCH // 2
    for name in both.NAMES[:-1]:  # MoCo's negatives are its queue
        first, second = (
            both.trained(both.Training(name, False), both.INPUTS[k], both.LABELS[k])[0]
            for k in (slice(half), slice(half, None))
        )
        assert abs((first + second) / 2 - found[name][0]) > 1e-3


def test_the_queue_has_the_keys_of_both(found: dict[str, Any]) -> None:
    training = both.Training("moco", False)
    both.trained(training, both.INPUTS, both.LABELS)
    torch.testing.assert_close(found["queue"][0], training.loss.queue)
