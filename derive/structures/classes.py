"""Classes of different sizes: groups of classes, all classes of a group being alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sympy import Expr, Symbol

from .configuration import Configuration, joined
from .hierarchy import Level, hierarchy, p

#: Sizes of two groups; they belong to this structure.
m1, m2 = (Symbol(f"m{k}", integer=True, positive=True) for k in (1, 2))
n1, n2 = (Symbol(f"n{k}", integer=True, positive=True) for k in (1, 2))
#: What they are, and what views are there.
MEANINGS = {
    **{s: f"classes in group {k}" for k, s in enumerate((m1, m2), 1)},
    **{s: f"instances in each class of group {k}" for k, s in enumerate((n1, n2), 1)},
    p: "views per instance",
}


def two_sizes() -> Configuration:
    """Two groups of classes: ``m1`` of ``n1`` instances and ``m2`` of ``n2``, with ``p`` views."""
    return replace(groups_of_classes([("1", m1, n1), ("2", m2, n2)], p), meanings=MEANINGS)


def classes_of_sizes(sizes: Iterable[int], views: Expr | int | None = 1) -> Configuration:
    """Classes with so many instances each, as ``[2, 2, 4]``; those of one size are a group.

    They are named by their sizes. Without ``views`` there is one vector for each sample.
    """
    groups = sorted(Counter(sizes).items())
    return groups_of_classes([(str(size), count, size) for size, count in groups], views)


def groups_of_classes(
    groups: Iterable[tuple[str, Expr | int, Expr | int]], views: Expr | int | None
) -> Configuration:
    """Groups ``(name, classes, instances per class)``, every instance with so many views.

    Where ``views`` is None an instance is one vector, and there is no level of views. Relations
    are ``same_instance``, ``same_class`` and ``cross_class`` of each group, and ``cross_class``
    between groups. Blocks are the contrasts of views, of the instances of a class and of the
    classes of a group, and one block for the means of the groups.
    """
    seen: list[Level] = [] if views is None else [(views, "same_instance", "views")]
    parts = {
        name: hierarchy(
            *seen,
            (instances, "same_class", "instances"),
            (classes, "cross_class", "classes"),
        )
        for name, classes, instances in groups
    }
    return joined(parts, "cross_class")
