"""The callback for Lightning: with a stand-in for the package, and with itself where it is there.

Lightning 2.6 was tried.
"""

from __future__ import annotations

import csv
import importlib.machinery
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest
import torch
from cltheory.metrics import CollapseMonitor

NAME = "cltheory.numeric.metrics.lightning"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The callback made for a package that has its base class and nothing else."""
    names = ("lightning", "lightning.pytorch")
    for name in names:
        made = ModuleType(name)
        made.__spec__ = importlib.machinery.ModuleSpec(name, None)
        made.__dict__["Callback"] = type("Callback", (), {})
        monkeypatch.setitem(sys.modules, name, made)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    yield import_module(NAME).CollapseCallback
    sys.modules.pop(NAME, None)


class Logged:
    """A module and a trainer that remember."""

    sanity_checking = False

    def __init__(self) -> None:
        self.found: dict[str, float] = {}

    def log_dict(self, found: dict[str, float]) -> None:
        self.found |= found


def batch(k: int, n: int = 20) -> dict[str, torch.Tensor]:
    z = torch.randn(n, 8, generator=torch.Generator().manual_seed(k), requires_grad=True)
    return {"loss": z.sum(), "embeddings": z, "labels": torch.arange(n) % 4}


def test_training_batches_are_logged_now_and_then(stub: Any) -> None:
    callback, module = stub(every=2), Logged()
    callback.on_train_batch_end(module, module, {"loss": 0.0}, None, 1)
    assert not module.found
    out = batch(0)
    callback.on_train_batch_end(module, module, out, None, 2)
    expected = CollapseMonitor()(out["embeddings"], labels=out["labels"])
    assert module.found == expected.floats("train_collapse/")


@pytest.mark.parametrize("rows, used", [(4096, 60), (50, 50)])
def test_an_epoch_is_measured_as_a_whole(stub: Any, rows: int, used: int) -> None:
    callback, module = stub(rows=rows), Logged()
    outs = [batch(k) for k in range(3)]
    callback.on_validation_epoch_start(module, module)
    for k, out in enumerate(outs):
        callback.on_validation_batch_end(module, module, out, None, k)
    callback.on_validation_epoch_end(module, module)
    z, labels = (torch.cat([out[k] for out in outs])[:used] for k in ("embeddings", "labels"))
    assert module.found == CollapseMonitor()(z, labels=labels).floats("val_collapse/")
    module.found = {}
    callback.on_validation_epoch_end(module, module)
    assert not module.found


def test_what_a_step_must_return_is_said(stub: Any) -> None:
    for outputs in (None, {"loss": 0.0}, torch.zeros(())):
        with pytest.raises(ValueError, match=r"training_step must return .* 'embeddings'"):
            stub().on_train_batch_end(None, None, outputs, None, 0)


@pytest.mark.skipif(find_spec("lightning") is not None, reason="Lightning is installed")
def test_without_lightning_one_line_says_so() -> None:
    sys.modules.pop(NAME, None)
    with pytest.raises(ImportError, match="pip install lightning"):
        import_module(NAME)
    assert "lightning" not in sys.modules  # and the metrics do not need it


@pytest.mark.filterwarnings("ignore")  # Lightning's own, of loaders and of torch
def test_in_lightning(tmp_path: Any) -> None:
    lightning = pytest.importorskip("lightning")
    from cltheory.lightning import CollapseCallback
    from lightning.pytorch.loggers import CSVLogger

    class Encoder(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Linear(6, 4)

        def step(self, batch: Any) -> Any:
            (x,) = batch
            z = self.net(x)
            return {"loss": z.square().mean(), "embeddings": z, "labels": (x[:, 0] > 0).long()}

        def training_step(self, batch: Any, k: int) -> Any:
            return self.step(batch)

        def validation_step(self, batch: Any, k: int) -> Any:
            return self.step(batch)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    x = torch.randn(64, 6, generator=torch.Generator().manual_seed(0))
    data = torch.utils.data.TensorDataset(x)
    loader = torch.utils.data.DataLoader(data, batch_size=16)
    trainer = lightning.Trainer(
        max_epochs=1,
        callbacks=[CollapseCallback(every=1)],
        logger=CSVLogger(tmp_path, name="", version=""),
        log_every_n_steps=1,
        accelerator="cpu",
        default_root_dir=tmp_path,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    encoder = Encoder()
    trainer.fit(encoder, loader, loader)
    rows = list(csv.DictReader((tmp_path / "metrics.csv").read_text().splitlines()))
    assert sum(row["train_collapse/variance"] != "" for row in rows) == len(loader)
    with torch.no_grad():
        expected = CollapseMonitor()(encoder.net(x), labels=(x[:, 0] > 0).long())
    (logged,) = (row for row in rows if row["val_collapse/within"])
    for name, value in expected.floats("val_collapse/").items():
        assert float(logged[name]) == pytest.approx(value, rel=1e-5, abs=1e-6), name
