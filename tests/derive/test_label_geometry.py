"""Results about labels: what is derived for all of them, against the loss written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from numpy.typing import NDArray
from weighted_by_hand import loss

Floats = NDArray[np.float64]


# --- the loss, written out once more -----------------------------------------------------------


def gap_of(log_weights: Floats, similarities: Floats) -> float:
    weights = np.exp(log_weights)
    return loss(weights, similarities) - loss(weights, log_weights)


def cosines(rows: Any) -> Floats:
    y = np.array(rows, dtype=float)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return y @ y.T


def value(id: str, name: str, **given: Any) -> Any:
    return results[id].value(name, **given)


# --- X-CLR --------------------------------------------------------------------------------------
def test_the_cosine_asked_for_by_x_clr() -> None:
    at = {"tau": "1/10", "tau_prime": "1/4"}
    assert float(value("x-clr", "cosine", **at, g="1/2")) == pytest.approx(1 - 0.4 * 0.5)
    assert float(value("x-clr", "c_prime", **at)) == pytest.approx(0.6)
    h = float(value("x-clr", "extra_coordinate", **at))
    y = np.array([[1, 2, 2], [2, 1, -2], [3, 0, 4]]) / np.array([[3], [3], [5]])
    rows = np.column_stack([y, np.full(3, h)])
    np.testing.assert_allclose(cosines(rows), 0.4 * y @ y.T + 0.6)
    assert gap_of(y @ y.T / 0.25, cosines(rows) / 0.1) == pytest.approx(0, abs=1e-14)


def test_beyond_tau_prime_nothing_is_said_without_labels() -> None:
    with pytest.raises(DomainError, match="depends on the labels"):
        value("x-clr", "cosine", tau=2, tau_prime=1, g=0)
    assert float(value("x-clr", "tau_max", tau_prime=1, rho="1/2")) == 4


# --- statements are refused when they are wrong --------------------------------------------
