"""Closed-form results, derived and checked; needs no torch.

``results["supcl-threshold"].alpha_min`` is a SymPy expression; nothing heavy is imported
until a result is asked for.
"""

from collections.abc import Callable
from typing import Any

from .proof.hooks import register
from .results import results

__all__ = ["results"]


# The rooms that are loaded only when what they do is asked for.
def _display() -> Callable[..., Any]:
    from .write.jupyter import bundle

    return bundle


def _latex() -> Callable[..., Any]:
    from .write.display import value_latex

    return value_latex


def _claims() -> Callable[..., Any]:
    from .papers import settled_by

    return settled_by


def _claim_counts() -> Callable[..., Any]:
    from .papers import counts_settled_by

    return counts_settled_by


def _in_convention() -> Callable[..., Any]:
    from .theorem.in_convention import in_convention

    return in_convention


def _plot() -> Callable[..., Any]:
    from .write.plot import plot

    return plot


register("plot", _plot)
register("display", _display)
register("latex", _latex)
register("claims", _claims)
register("claim counts", _claim_counts)
register("in convention", _in_convention)
