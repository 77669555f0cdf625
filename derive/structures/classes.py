"""Classes of different sizes: groups of classes, all classes of a group being alike."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr

from .configuration import Configuration, joined
from .hierarchy import hierarchy


def groups_of_classes(
    groups: Iterable[tuple[str, Expr | int, Expr | int]], views: Expr | int
) -> Configuration:
    """Groups ``(name, classes, instances per class)``, every instance with so many views.

    Relations are ``same_instance``, ``same_class`` and ``cross_class`` of each group, and
    ``cross_class`` between groups. Blocks are the contrasts of views, of the instances of a class
    and of the classes of a group, and one block for the means of the groups.
    """
    parts = {
        name: hierarchy(
            (views, "same_instance", "views"),
            (instances, "same_class", "instances"),
            (classes, "cross_class", "classes"),
        )
        for name, classes, instances in groups
    }
    return joined(parts, "cross_class")
