"""Towers: K modalities of N items; the two-sided arrangement behind the CCEM for K = 2."""

from __future__ import annotations

from sympy import Expr, Integer

from ..symbols import N
from .scheme import Scheme, complete, crossed

POSITIVE, NEGATIVE, WITHIN = "positive", "negative", "within_modality"


def towers(modalities: Expr | int = 2) -> Scheme:
    """Items crossed with modalities.

    Relations: ``positive`` (same item, other modality), ``within_modality`` (other item,
    same modality), ``negative`` (other item, other modality). Eigenspaces: what the
    modalities share or differ in, constant over items or contrasting them.
    """
    return crossed(
        complete(modalities if isinstance(modalities, Expr) else Integer(modalities), "other", "d"),
        complete(N, "other", "c"),
        {("self", "other"): WITHIN, ("other", "self"): POSITIVE, ("other", "other"): NEGATIVE},
        {
            ("d", "c"): "differing_contrasts",
            ("d", "mean"): "differing_means",
            ("mean", "c"): "shared_contrasts",
            ("mean", "mean"): "shared_mean",
        },
    )
