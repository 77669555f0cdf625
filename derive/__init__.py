"""Closed-form results, derived and checked; needs no torch.

``results["supcl-threshold"].alpha_min`` is a SymPy expression; nothing heavy is imported
until a result is asked for.
"""

from .results import results

__all__ = ["results"]
