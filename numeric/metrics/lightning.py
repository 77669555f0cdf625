"""A callback for Lightning that logs whether a representation collapses; importing it needs that.

``Trainer(callbacks=[CollapseCallback()])``, where the steps return what is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

import torch
from torch import Tensor

from .collapse import CollapseMonitor, Limits


def _callback() -> type:
    for package, module in (("lightning", "lightning.pytorch"), ("pytorch_lightning",) * 2):
        if find_spec(package) is not None:
            found: type = import_module(module).Callback
            return found
    raise ImportError("CollapseCallback needs Lightning: pip install lightning")


Callback = _callback()


class _Trainer(Protocol):
    sanity_checking: bool


class _Module(Protocol):
    def log_dict(self, dictionary: Mapping[str, float]) -> object: ...


class CollapseCallback(Callback):  # type: ignore[misc, valid-type]
    """Logs `CollapseMonitor` of training batches and of validation epochs, through Lightning.

    ``training_step`` and ``validation_step`` return a dictionary with the embeddings ``(n, d)``
    and, if there are any, the labels ``(n,)``. Names are those of `Collapse.floats`, after
    ``train_collapse/`` and ``val_collapse/``.

    Parameters
    ----------
    embeddings, labels
        Keys of the dictionary.
    every
        Training batches from one that is measured to the next; 0 for none.
    rows
        Validation rows that are kept at most in an epoch; in memory of the host.
    normalise, limits
        As of `CollapseMonitor`.

    Raises
    ------
    ValueError
        While training, if a step returns no embeddings; one line.
    """

    def __init__(
        self,
        embeddings: str = "embeddings",
        labels: str = "labels",
        *,
        every: int = 50,
        rows: int = 4096,
        normalise: bool = True,
        limits: Limits | None = None,
    ) -> None:
        super().__init__()
        self.keys, self.every, self.rows = (embeddings, labels), every, rows
        self.monitor = CollapseMonitor(normalise=normalise, limits=limits)
        self.kept: list[tuple[Tensor, Tensor | None]] = []

    def on_train_batch_end(
        self, trainer: _Trainer, pl_module: _Module, outputs: object, batch: object, batch_idx: int
    ) -> None:
        """Measure one batch in ``every``."""
        if self.every and batch_idx % self.every == 0:
            z, labels = self._taken(outputs, "training_step")
            self._log(pl_module, "train_collapse/", z, labels)

    def on_validation_epoch_start(self, trainer: _Trainer, pl_module: _Module) -> None:
        """Forget what an interrupted epoch left."""
        self.kept = []

    def on_validation_batch_end(
        self,
        trainer: _Trainer,
        pl_module: _Module,
        outputs: object,
        batch: object,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Keep rows of the epoch."""
        room = self.rows - sum(len(z) for z, _ in self.kept)
        if room > 0:
            z, labels = self._taken(outputs, "validation_step")
            self.kept.append((z[:room].cpu(), None if labels is None else labels[:room].cpu()))

    def on_validation_epoch_end(self, trainer: _Trainer, pl_module: _Module) -> None:
        """Measure what was kept."""
        if self.kept and not trainer.sanity_checking:
            rows, labels = zip(*self.kept, strict=True)
            known = None if any(k is None for k in labels) else torch.cat(labels)
            self._log(pl_module, "val_collapse/", torch.cat(rows), known)
        self.kept = []

    def _taken(self, outputs: object, step: str) -> tuple[Tensor, Tensor | None]:
        embeddings, labels = self.keys
        if not isinstance(outputs, Mapping) or embeddings not in outputs:
            raise ValueError(f"{step} must return a dictionary with {embeddings!r}")
        return outputs[embeddings].detach(), outputs.get(labels)

    def _log(self, module: _Module, prefix: str, z: Tensor, labels: Tensor | None) -> None:
        module.log_dict(self.monitor(z, labels=labels).floats(prefix))
