"""What the band is not measured on: each is refused in a line, or has a defined answer."""

from __future__ import annotations

from math import isfinite

import numpy as np
import pytest
import torch
from cltheory.numeric.band import BandMonitor, measure, neighbours, same_class
from torch import Tensor
from torch.nn.functional import normalize

Z = normalize(torch.randn(6, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64))
NAN, INF = float("nan"), float("inf")


def put(at: int, value: float) -> Tensor:
    z = Z.clone()
    z[at, 1] = value
    return z


LONG = torch.cat([Z[:4], 2 * Z[4:5], 1.1 * Z[5:]])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((Z[0], Z[1], Z[2:2], 0.1), "n = 2 leaves no negatives: the band needs n > 2"),
        ((Z[0], Z[1], LONG, 0.1), "negatives row 4 has length 2, not 1; normalise=True scales"),
        ((1.5 * Z[0], Z[1], Z, 0.1), "anchor has length 1.5, not 1"),
        ((Z[0], 0 * Z[1], Z, 0.1), "positive is zero, which has no direction"),
        ((Z[0], Z[1], put(3, NAN), 0.1), "negatives row 3 is not finite"),
        ((Z[0], Z[1, :2], Z, 0.1), r"anchor has the shape \(3,\), positive \(2,\)"),
        ((Z[0], Z[1], Z[:, :2], 0.1), r"not \(6, 2\) for anchors \(3,\)"),
        ((Z, Z, Z.expand(5, 6, 3), 0.1), r"not \(5, 6, 3\) for anchors \(6, 3\)"),
        ((Z[0], Z[1], Z, 0.0), "tau must be positive and finite, not 0"),
        ((Z[0], Z[1], None, 0.1), "negatives are not vectors"),
        ((Z[0], Z[1], torch.tensor(1.0), 0.1), "negatives must be"),
        ((Z[0], Z[1], Z, 1e-200), "tau must be from 1e-50 to 1e\\+50, not 1e-200"),
        ((Z[0], Z[1], Z, "warm"), "tau must be a number, or one for each anchor, not 'warm'"),
        ((Z, Z, Z, torch.ones(5)), r"tau has the shape \(5,\), anchors \(6,\)"),
        ((Z[0].to(torch.complex64), Z[1], Z, 0.1), "anchor must be floating point"),
        ((Z[0], Z[1], [[1.0, 2.0], [3.0]], 0.1), "negatives are not vectors: expected sequence"),
        ((Z[0, :0], Z[1], Z, 0.1), r"anchor must be vectors \(..., d\), not of the shape \(0,\)"),
    ],
)
def test_measure_refuses(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        measure(*arguments)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "given, options, message",
    [
        ((Z,), {}, "give second views, or positive="),
        ((Z, Z), {"positive": [1, 0]}, "give second views, or positive="),
        ((Z[:2],), {"positive": [1, 0]}, "there are 2 embeddings, and the band needs n > 2"),
        ((Z, Z[:5]), {}, r"second views \(5, 3\) on cpu do not match embeddings \(6, 3\)"),
        ((Z,), {"positive": [1, 0, 3, 2]}, r"positive must have the shape \(6,\), not \(4,\)"),
        (
            (Z,),
            {"positive": [1, 0, 3, 2, 5, 6]},
            "positive 6 is not an index among 6 embeddings",
        ),
        ((Z,), {"positive": [1, 0, 2, 3, 5, 4]}, "embedding 2 is its own positive"),
        ((LONG,), {"positive": [1, 0, 3, 2, 5, 4]}, "embeddings row 4 has length 2, not 1"),
        ((Z * torch.tensor([[1.0]] * 5 + [[0.0]]), Z), {}, "embeddings row 5 is zero"),
    ],
)
def test_the_monitor_refuses(given: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        BandMonitor(0.1)(*given, **options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("tau", [1e-50, 1e50])
def test_every_number_is_one_at_the_ends_of_the_temperatures(tau: float) -> None:
    found = BandMonitor(tau, per_anchor=True, closest=True, c=0.5)(Z, positive=neighbours(len(Z)))
    values = found.floats()
    assert "closest_upper" in values
    assert all(isfinite(x) for x in values.values())
    assert 0 < found.lower <= found.measured * (1 + 1e-9)
    assert found.measured <= found.upper * (1 + 1e-9)


@pytest.mark.parametrize("tau", [1e300, 1e51, 1e-51, 1e-300, 10**400])
def test_a_temperature_has_powers(tau: float) -> None:
    with pytest.raises(ValueError, match="tau must be"):
        BandMonitor(tau)
    with pytest.raises(ValueError, match="tau must be"):
        measure(Z[0], Z[1], Z[2:], tau)


@pytest.mark.parametrize("c", [-0.1, NAN, INF])
def test_the_printed_constant_is_not_negative(c: float) -> None:
    with pytest.raises(ValueError, match="c must be finite and not negative"):
        measure(Z[0], Z[1], Z[2:], 0.1).upper_printed(c)
    with pytest.raises(ValueError, match="c must be finite and not negative"):
        BandMonitor(0.1, c=c)


@pytest.mark.parametrize(
    "labels, message",
    [
        ([3, 3, 3, 3], "all embeddings have the label 3: no negatives are left"),
        ([0, 0, 1, 2, 2], "label 1 has a single sample, which has no positive"),
        ([0.5, 1.0], "labels must be integers"),
    ],
)
def test_labels_are_refused(labels: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        same_class(labels)


# --- what is taken --------------------------------------------------------------------------
def test_rows_are_scaled_when_told_to() -> None:
    lengths = torch.tensor([[1e-200], [1e200], [3.0], [0.1], [1.0], [2.0]], dtype=torch.float64)
    plain, scaled = (
        measure(Z[0], Z[1], Z[2:], 0.3),
        measure(Z[0] * 5, Z[1] * 1e-170, (Z * lengths)[2:], 0.3, normalise=True),
    )
    assert float(scaled.squared_gradient) == pytest.approx(float(plain.squared_gradient))
    report = BandMonitor(0.3, normalise=True)(Z * lengths, positive=[1, 0, 3, 2, 5, 4])
    assert report.measured == pytest.approx(
        BandMonitor(0.3)(Z, positive=[1, 0, 3, 2, 5, 4]).measured
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_rounding_of_the_precision_is_taken_off(dtype: torch.dtype) -> None:
    low = Z.to(dtype)
    band = measure(low[0], low[1], low[2:], 0.3)
    assert band.epsilon.dtype == torch.float64
    exact = measure(*(normalize(v.double(), dim=-1) for v in (low[0], low[1], low[2:])), 0.3)
    assert float(band.squared_gradient) == pytest.approx(float(exact.squared_gradient), rel=1e-13)


def test_arrays_and_lists_are_taken() -> None:
    expected = float(measure(Z[0], Z[1], Z[2:], 0.3).rho)
    assert float(measure(Z[0].numpy(), Z[1].numpy(), Z[2:].numpy(), 0.3).rho) == expected
    assert float(measure(Z[0].tolist(), Z[1].tolist(), Z[2:].tolist(), 0.3).rho) == expected
    assert float(measure([1, 0], [0, 1], [[0, -1]], 1).sigma) == 1
    report = BandMonitor(np.float64(0.3))(Z.numpy(), positive=np.array([1, 0, 3, 2, 5, 4]))
    assert report.n == 6
