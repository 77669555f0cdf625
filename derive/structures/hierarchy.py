"""The nested hierarchy: views in instances in classes (in superclasses, ...)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from sympy import Expr, Symbol

from .scheme import Scheme, complete, nested

m = Symbol("m", integer=True, positive=True)
n = Symbol("n", integer=True, positive=True)
p = Symbol("p", integer=True, positive=True)
#: Superclasses, where there are some: with m classes in each.
M = Symbol("M", integer=True, positive=True)

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
    chosen = levels or (VIEWS, INSTANCES, CLASSES)
    whole = reduce(nested, [complete(*level) for level in chosen])
    return replace(whole, meanings=_meanings(chosen))


def _meanings(levels: Sequence[Level]) -> dict[Symbol, str]:
    """What the sizes that are symbols are: "instances per class", "number of classes"."""
    found = {}
    for k, (size, _, things) in enumerate(levels):
        above = levels[k + 1][2] if k + 1 < len(levels) else ""
        one = above[:-2] if above.endswith("sses") else above.removesuffix("s")
        if isinstance(size, Symbol):
            found[size] = f"{things} per {one}" if one else f"number of {things}"
    return found
