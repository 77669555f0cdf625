"""Results for a matrix against embeddings, and a wrong one among them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.numeric.verify import matrices, verify
from cltheory.numeric.verify.checks import Run

SQUARE = "0,1,2,1;1,0,1,2;2,1,0,1;1,2,1,0"


@pytest.mark.parametrize(
    "id, values, count",
    [
        ("dgp-euclidean", {"D": SQUARE, "q": 2}, 2),
        ("dgp-euclidean", {"D": SQUARE, "q": 1}, 2),
        ("dgp-spherical", {"D": SQUARE, "q": 2, "tau": 1}, 2),
        ("dgp-spherical", {"D": SQUARE, "q": 2, "tau": "1/2"}, 2),
    ],
)
def test_points_agree(id: str, values: dict[str, Any], count: int) -> None:
    found = verify(id, seeds=(0,), **values)
    assert len(found) == count
    assert all(check.verdict == "agrees" for check in found)


def test_in_float32() -> None:
    found = verify("dgp-spherical", seeds=(0,), dtype=torch.float32, D=SQUARE, q=2, tau=1)
    assert all(check.verdict == "agrees" for check in found)


def test_a_wrong_verdict_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    result = results["dgp-spherical"].with_inputs(D=SQUARE)
    kind = type(result)
    value = kind.value

    def lying(self: Any, name: str, *rest: Any, **given: Any) -> Any:
        return False if name == "attained" else value(self, name, *rest, **given)

    monkeypatch.setattr(kind, "value", lying)
    found = matrices.checks(result, {"q": 2, "tau": 1}, Run(seeds=(0,)))
    assert "disagrees" in {check.verdict for check in found}


def test_what_is_missing_is_named() -> None:
    with pytest.raises(DomainError, match="x-clr is not verified on embeddings"):
        verify("x-clr", tau=1, tau_prime=1)
    with pytest.raises(DomainError, match="dgp-euclidean is verified for a matrix: give D"):
        verify("dgp-euclidean", q=2)
    with pytest.raises(DomainError, match="give q"):
        verify("dgp-euclidean", D=SQUARE)
