"""Seeds, markers and fixtures for all tests."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, settings

# Fixed examples in CI and here: a failure is the same failure everywhere.
settings.register_profile(
    "cltheory",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("cltheory")


@pytest.fixture(autouse=True)
def _seed() -> None:
    random.seed(0)
    try:
        import numpy as np
    except ImportError:
        return
    np.random.seed(0)
