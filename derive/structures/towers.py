"""Towers: K modalities of N items; the two-sided arrangement behind the CCEM for K = 2."""

from __future__ import annotations

from sympy import Expr, Integer

from ..symbols import N
from .scheme import Scheme, complete, crossed, nested

POSITIVE, NEGATIVE, WITHIN = "positive", "negative", "within_modality"
#: Other vectors of the same item, in the other modalities and in the same one.
SIBLING, TWIN = "positive_sibling", "twin"


def towers(modalities: Expr | int = 2, items: Expr = N) -> Scheme:
    """Items crossed with modalities.

    Relations: ``positive`` (same item, other modality), ``within_modality`` (other item,
    same modality), ``negative`` (other item, other modality). Eigenspaces: what the
    modalities share or differ in, constant over items or contrasting them.
    """
    return crossed(
        complete(modalities if isinstance(modalities, Expr) else Integer(modalities), "other", "d"),
        complete(items, "other", "c"),
        {("self", "other"): WITHIN, ("other", "self"): POSITIVE, ("other", "other"): NEGATIVE},
        {
            ("d", "c"): "differing_contrasts",
            ("d", "mean"): "differing_means",
            ("mean", "c"): "shared_contrasts",
            ("mean", "mean"): "shared_mean",
        },
    )


def towers_of_views(modalities: Expr | int, views: Expr, items: Expr = N) -> Scheme:
    """As :func:`towers`, each item with several vectors in every modality: several positives.

    More relations: ``positive_sibling`` (another vector of the item, other modality) and
    ``twin`` (another vector of the item, same modality).
    """
    return crossed(
        complete(modalities, "other", "d"),
        nested(complete(views, "twin", "t"), complete(items, "other", "c")),
        {
            ("self", "twin"): TWIN,
            ("self", "other"): WITHIN,
            ("other", "self"): POSITIVE,
            ("other", "twin"): SIBLING,
            ("other", "other"): NEGATIVE,
        },
        {
            ("d", "t"): "differing_twins",
            ("d", "c"): "differing_contrasts",
            ("d", "mean"): "differing_means",
            ("mean", "t"): "shared_twins",
            ("mean", "c"): "shared_contrasts",
            ("mean", "mean"): "shared_mean",
        },
    )
