"""The lines of docs/band.md that log, run as they stand; Lightning is a stub of what they use."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.nn.functional import normalize

PAGE = Path(__file__).resolve().parents[2] / "docs" / "band.md"
PLAIN, LIGHTNING = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


def views() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    z = normalize(torch.randn(8, 3, generator=generator), dim=1).requires_grad_()
    return z, normalize(z + 0.3 * torch.randn(8, 3, generator=generator), dim=1)


def check(values: dict[str, float]) -> None:
    assert all(type(v) is float and math.isfinite(v) for v in values.values())
    assert values["band/lower"] <= values["band/measured"] <= values["band/upper"]


def test_plain_lines() -> None:
    space: dict[str, Any] = {}
    exec(PLAIN, space)
    logged: list[tuple[int, dict[str, float]]] = []
    for step in range(101):
        space["log_band"](step, *views(), lambda *entry: logged.append(entry))
    assert [step for step, _ in logged] == [0, 50, 100]
    check(logged[0][1])


def test_lightning_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class LightningModule(torch.nn.Module):
        global_step = 0

        def __init__(self) -> None:
            super().__init__()
            self.logged: list[dict[str, float]] = []

        def log_dict(self, dictionary: dict[str, float]) -> None:
            self.logged.append(dictionary)

    lightning = ModuleType("lightning")
    lightning.LightningModule = LightningModule  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lightning", lightning)
    space: dict[str, Any] = {}
    exec(LIGHTNING, space)
    module = space["Logged"](tau=0.3)
    module.log_band(*views())
    module.global_step = 1
    module.log_band(*views())
    assert len(module.logged) == 1
    check(module.logged[0])
    assert module.logged[0]["band/tau"] == 0.3
