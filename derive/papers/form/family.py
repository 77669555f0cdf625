"""A family of sets of vectors, or of tables, on which a printed statement is tried.

The modules in a paper's folder register its own families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from inspect import signature
from typing import Any

from ...vectors.embeddings import Embeddings
from .reader import LETTERS, Letters
from .values import Unknown

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Family:
    """Sets at a point, and what letters stand for on them.

    Attributes
    ----------
    says
        What the sets are, in words.
    sizes
        Letters that the hypotheses must bound.
    make
        The sets at a point.
    named
        What letters and functions stand for on a set.
    """

    says: str
    sizes: tuple[str, ...]
    make: Callable[[Point], list[Embeddings]]
    named: Callable[[Any], dict[str, Any]]
    letters: Letters = LETTERS
    most: int = 60  #: points at which a statement is tried
    #: A set from the tables of a witness, where these are not entries and points alone.
    again: Callable[[Mapping[str, Any]], Embeddings] | None = None


#: Families by name, by the package that registers them.
FAMILIES: dict[str, dict[str, Family]] = {}


@cache
def load(package: str) -> None:
    """Import the modules of a paper, which register its families, checks and proofs."""
    found = [path.name for path in files(package).iterdir()] if package else []
    for name in sorted(n for n in found if n.endswith(".py") and n != "__init__.py"):
        import_module(f"{package}.{name.removesuffix('.py')}")


Make = Callable[..., Iterable[Embeddings]]


def family(
    name: str,
    says: str,
    named: Callable[[Any], dict[str, Any]],
    letters: Letters = LETTERS,
    *,
    most: int = Family.most,
    again: Callable[[Mapping[str, Any]], Embeddings] | None = None,
) -> Callable[[Make], Make]:
    """Register the function that makes the sets of a family.

    Its parameters are the letters of the point, whole numbers where they are annotated so. The
    hypotheses must bound those without a default.
    """

    def register(make: Make) -> Make:
        known = signature(make).parameters
        whole = {k for k, one in known.items() if str(one.annotation).startswith("int")}

        def at(point: Point) -> list[Embeddings]:
            given = {k: point[k] for k in known if k in point}
            return list(make(**{k: int(v) if k in whole else v for k, v in given.items()}))

        sizes = tuple(k for k, one in known.items() if one.default is one.empty)
        own = FAMILIES.setdefault(make.__module__.rpartition(".")[0], {})
        own[name] = Family(says, sizes, at, named, letters, most, again)
        return make

    return register


def size(point: Point, name: str, otherwise: int | None = None) -> int:
    """A whole number of the point."""
    if name not in point:
        if otherwise is None:
            raise Unknown(f"{name} has no value")
        return otherwise
    return int(point[name])
