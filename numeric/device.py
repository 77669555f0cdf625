"""Where to compute: finds CUDA, else the CPU."""

from __future__ import annotations

import torch


def resolve_device(device: str | torch.device = "auto") -> torch.device:
    """The device meant: ``"auto"`` is CUDA where there is one, else the CPU.

    Raises
    ------
    ValueError
        If CUDA is asked for and there is none.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    found = torch.device(device)
    if found.type == "cuda" and not torch.cuda.is_available():
        raise ValueError("device 'cuda' was asked for, but torch finds none; use 'auto' or 'cpu'")
    return found
