"""Conditions of the proof of Theorem A.2 under which Jensen's inequality is an equality."""

from __future__ import annotations

from ...vectors.embeddings import Embeddings, Index


def constant(u: Embeddings, pairs: list[tuple[Index, Index]], *groups: str) -> bool:
    """Whether u.(w - v) is one constant per group of w, over all pairs (u, v)."""
    for name in groups:
        found = {
            u.ip(a, w) - u.ip(a, b)
            for a, b in pairs
            for w in {
                "views": u.of_instance(*a[:2]),
                "rest": u.others_in_class(*a[:2]),
                "outside": u.outside_class(a[0]),
            }[name]
        }
        if len(found) > 1:
            return False
    return True


GROUPS = ("outside", "rest", "views")
