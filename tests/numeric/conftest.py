"""Shared by the tests of the numeric layer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from cltheory.derive.results import results


@pytest.fixture(autouse=True)
def one_thread():
    """Tests run side by side; more threads than cores only slow them down."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(
    params=[
        "cpu",
        pytest.param(
            "cuda",
            marks=[
                pytest.mark.cuda,
                pytest.mark.skipif(
                    not torch.cuda.is_available(), reason="needs a CUDA device, does not exist"
                ),
            ],
        ),
    ]
)
def device(request: pytest.FixtureRequest) -> str:
    """Every device there is."""
    return request.param


@pytest.fixture(scope="session")
def predicted_variance() -> Callable[..., float]:
    """Within-class variance of the optimum of the SupCL loss, from the derived formula."""
    function = results["supcl-optimum"].function("within_class_variance")

    def variance(m: int, n: int, alpha: float, tau: float) -> float:
        return float(function(m=m, n=n, alpha=alpha, tau=tau))

    return variance
