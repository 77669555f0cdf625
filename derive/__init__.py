"""Closed-form results, derived and checked; needs no torch.

``results["supcl-threshold"].alpha_min`` is a SymPy expression; nothing heavy is imported
until a result is asked for.
"""

from .proof.hooks import register
from .results import results

__all__ = ["results"]

# The rooms that are loaded only when what they do is asked for.
register("plot", ".write.plot:plot")
register("display", ".write.jupyter:bundle")
register("latex", ".write.display:value_latex")
register("claims", ".papers:settled_by")
register("claim counts", ".papers:counts_settled_by")
register("in convention", ".theorem.in_convention:in_convention")


def __dir__() -> list[str]:
    return __all__
