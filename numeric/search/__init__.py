"""Minimises declared losses over embeddings, sweeps over cells of them, certifies what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .optimiser import minimise

__all__ = ["minimise"]


def __getattr__(name: str) -> object:
    """What needs torch is loaded when it is used: derived optima are certified without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import optimiser

    return getattr(optimiser, name)
