"""Minimises declared losses over embeddings, sweeps over cells of them, certifies what it finds."""

from .optimiser import minimise

__all__ = ["minimise"]
