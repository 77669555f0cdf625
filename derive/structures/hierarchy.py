"""The nested hierarchy: views in instances in classes (in superclasses, ...)."""

from __future__ import annotations

from functools import reduce

from sympy import Expr

from ..symbols import M, m, n, p
from .scheme import Scheme, complete, nested

#: (number per parent, relation of two different ones, contrasts between them)
Level = tuple[Expr | int, str, str]

VIEWS: Level = (p, "same_instance", "views")
INSTANCES: Level = (n, "same_class", "instances")
CLASSES: Level = (m, "cross_class", "classes")
#: The third and the fourth level where there is a fourth: m classes in each superclass.
SUBCLASSES: Level = (m, "same_superclass", "classes")
SUPERCLASSES: Level = (M, "cross_superclass", "superclasses")


def hierarchy(*levels: Level) -> Scheme:
    """Nest any number of levels, finest first; by default views, instances, classes.

    A further level is one more argument: ``(3, "cross_superclass", "superclasses")``.
    """
    schemes = [complete(*level) for level in (levels or (VIEWS, INSTANCES, CLASSES))]
    return reduce(nested, schemes)
