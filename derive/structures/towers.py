"""Towers: K modalities of N items; the two-sided arrangement behind the CCEM for K = 2."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Symbol

from .scheme import Scheme, complete, crossed, nested

N = Symbol("N", integer=True, positive=True)
K = Symbol("K", integer=True, positive=True)
p = Symbol("p", integer=True, positive=True)

ITEMS = "items, each with an embedding per tower"
TOWERS = "towers (modalities), all pairs of which are used"
PER_ITEM = "vectors per item in a tower"

POSITIVE, NEGATIVE, WITHIN = "positive", "negative", "within_modality"
#: Other vectors of the same item, in the other modalities and in the same one.
SIBLING, TWIN = "positive_sibling", "twin"


def towers(modalities: Expr | int = 2, items: Expr = N) -> Scheme:
    """Items crossed with modalities.

    Relations: ``positive`` (same item, other modality), ``within_modality`` (other item,
    same modality), ``negative`` (other item, other modality). Eigenspaces: what the
    modalities share or differ in, constant over items or contrasting them.
    """
    whole = crossed(
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
    return replace(whole, meanings=_meanings((N, ITEMS), (modalities, TOWERS)))


def towers_of_views(modalities: Expr | int, views: Expr, items: Expr = N) -> Scheme:
    """As :func:`towers`, each item with several vectors in every modality: several positives.

    More relations: ``positive_sibling`` (another vector of the item, other modality) and
    ``twin`` (another vector of the item, same modality).
    """
    whole = crossed(
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
    return replace(whole, meanings=_meanings((N, ITEMS), (modalities, TOWERS), (views, PER_ITEM)))


def _meanings(*sizes: tuple[Expr | int, str]) -> dict[Symbol, str]:
    """What the sizes that are symbols are."""
    return {size: words for size, words in sizes if isinstance(size, Symbol)}
