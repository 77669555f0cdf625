"""Embeddings of a data set as of when each was last seen: what batches are chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..losses.directions import check_directions, directions
from ..running.device import resolve_device

#: What may hold indices of samples.
Indices = Tensor | np.ndarray | Sequence[int]
#: The stamp of a sample that was never seen.
NEVER = -1


class EmbeddingCache:
    """One unit vector for each sample, written by the training loop and read by samplers.

    A row is as old as the last update it was in: weights move on, so it is stale by `age` steps. A
    row that was never written, or is older than ``max_age``, reads as zeros. With ``max_age`` the
    keys of the last steps are all there is, which is what a MoCo queue holds.

    Parameters
    ----------
    size, d
        Samples, and the dimension of an embedding.
    max_age
        Steps after which a row counts as never seen; None is no limit.
    device, dtype
        Where and how rows are kept: ``"auto"`` is CUDA where there is one.
    check
        Whether updates are looked at, to refuse zeros and what is not finite; a CUDA device is
        waited for then.
    """

    def __init__(
        self,
        size: int,
        d: int,
        *,
        max_age: int | None = None,
        device: str | torch.device = "cpu",
        dtype: torch.dtype = torch.float32,
        check: bool = True,
    ) -> None:
        for name, value in (("size", size), ("d", d)):
            if value < 1:
                raise ValueError(f"{name} must be 1 or more, not {value}")
        if max_age is not None and max_age < 0:
            raise ValueError(f"max_age must not be negative, but is {max_age}")
        if dtype not in (torch.float32, torch.float64):
            raise ValueError(f"dtype must be float32 or float64, not {dtype}")
        self.max_age, self.check = max_age, check
        self.vectors = torch.zeros(size, d, dtype=dtype, device=resolve_device(device))
        self.stamps = torch.full((size,), NEVER)
        #: Updates so far.
        self.step = 0

    def __len__(self) -> int:
        return len(self.stamps)

    def update(self, indices: Indices, embeddings: Tensor, *, step: int | None = None) -> None:
        """Write rows; nothing is kept of the graph that made them.

        Parameters
        ----------
        indices
            Which samples. Of one that is repeated the last row stays.
        embeddings
            ``(len(indices), d)`` in any precision, of any length: rows are scaled to length 1.
        step
            The number of this update, not before the last; by default one more than that.

        Raises
        ------
        ValueError
            If shapes or indices do not fit, or a row is zero or not finite.
        """
        if step is not None and (not isinstance(step, int) or step < max(self.step, 0)):
            raise ValueError(f"step must be a whole number, {self.step} or later, not {step!r}")
        at = self._indices(indices)
        z = embeddings.detach()
        if z.shape != (len(at), self.vectors.shape[1]):
            expected = (len(at), self.vectors.shape[1])
            raise ValueError(f"embeddings must be {expected}, not {tuple(z.shape)}")
        z = z.to(self.vectors.device, self.vectors.dtype)
        if self.check:
            check_directions(z, "embedding")
        z = directions(z)[0]
        self.step = self.step + 1 if step is None else step
        # Writing a row twice at once has no defined order: keep the last of each.
        _, back = np.unique(at.numpy()[::-1], return_index=True)
        last = torch.from_numpy(len(at) - 1 - back)
        at = at[last]
        self.vectors[at.to(z.device)] = z[last.to(z.device)]
        self.stamps[at] = self.step

    def known(self, indices: Indices) -> Tensor:
        """Which of the samples have a row that is not too old, on the CPU."""
        stamps = self.stamps[self._indices(indices)]
        fresh = stamps != NEVER
        return fresh if self.max_age is None else fresh & (self.step - stamps <= self.max_age)

    def age(self, indices: Indices) -> Tensor:
        """Updates since each was written, infinite if never; float64 on the CPU."""
        stamps = self.stamps[self._indices(indices)]
        age = (self.step - stamps).double()
        return age.masked_fill(stamps == NEVER, torch.inf)

    def rows(self, indices: Indices) -> Tensor:
        """Their rows ``(..., d)``, zeros where there is none."""
        at = self._indices(indices)
        known = self.known(at).to(self.vectors.device)
        return self.vectors[at.to(self.vectors.device)] * known[..., None]

    def state_dict(self) -> dict[str, Any]:
        """What is kept, for a checkpoint."""
        return {
            "vectors": self.vectors.cpu().clone(),
            "stamps": self.stamps.clone(),
            "step": self.step,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint of a cache of the same shape."""
        if state["vectors"].shape != self.vectors.shape:
            mine, theirs = tuple(self.vectors.shape), tuple(state["vectors"].shape)
            raise ValueError(f"the checkpoint has the shape {theirs}, the cache {mine}")
        self.vectors.copy_(state["vectors"])
        self.stamps.copy_(state["stamps"])
        self.step = int(state["step"])

    def _indices(self, indices: Indices) -> Tensor:
        at = torch.as_tensor(indices).cpu()
        if at.numel() and (at.is_floating_point() or at.dtype == torch.bool):
            raise ValueError(f"indices must be integers, not {at.dtype}")
        at = at.long()
        if at.numel() and not (0 <= int(at.min()) and int(at.max()) < len(self)):
            low, high = int(at.min()), int(at.max())
            raise ValueError(
                f"indices run from {low} to {high}, the cache from 0 to {len(self) - 1}"
            )
        return at
