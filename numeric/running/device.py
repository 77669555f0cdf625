"""Where to compute: finds CUDA, else the CPU, and how many threads it is worth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from .workers import THREADS

#: Multiply-adds in a Gram matrix from which on threads pay. Below it an operation takes less
#: than the threads need to meet, and on a busy machine they wait for each other many times over.
LARGE = 10**9


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
        raise ValueError("the device 'cuda' does not exist; use 'auto' or 'cpu'")
    return found


@contextmanager
def threads_for(points: int, d: int) -> Iterator[None]:
    """Use one thread for a small problem, and as many as before afterwards.

    Parameters
    ----------
    points, d
        Embeddings and their dimension. A number of threads set in the environment is kept.
    """
    if points**2 * d >= LARGE or any(name in os.environ for name in THREADS):
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
