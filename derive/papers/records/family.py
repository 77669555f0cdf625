"""A family of sets of vectors, or of tables, on which a printed statement is tried.

The modules in a paper's folder register its own families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from inspect import formatannotation, signature
from typing import Any, TypeVar

from sympy import Expr

from ...frozen import FrozenValue
from ...language.parser import LETTERS_OF_SETS, Letters
from ...language.quantities import NoValue, Unknown, as_number
from ...vectors.embeddings import Embeddings

Point = Mapping[str, Any]


class Family(FrozenValue):
    """Sets at a point, and what letters stand for on them.

    Attributes
    ----------
    sizes
        Letters that the hypotheses must bound.
    make
        The sets at a point.
    named
        What letters and functions stand for on a set.
    """

    sizes: tuple[str, ...]
    make: Callable[[Point], list[Embeddings]]
    named: Callable[[Any], dict[str, Any]]
    letters: Letters = LETTERS_OF_SETS
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


def at_a_point(function: Callable[..., Any]) -> Callable[[Point, Mapping[str, Any]], Any]:
    """A function of letters, called at a point with what a record gives a check.

    Its parameters are the letters of the point, those after ``*`` what is given. An ``int`` is a
    whole number, an ``Expr`` stands as in the record, a ``bool`` is 0 or 1, all others are numbers.
    ``at`` is the whole point, and ``values`` all that is given.
    """
    parameters = signature(function).parameters.values()

    def called(point: Point, values: Mapping[str, Any]) -> Any:
        found: dict[str, Any] = {}
        for one in parameters:
            source = values if one.kind is one.KEYWORD_ONLY else point
            if one.name in ("at", "values"):
                found[one.name] = source
            elif one.name in source:
                kind = formatannotation(one.annotation).strip("'")
                found[one.name] = _argument(one.name, kind, source[one.name])
            elif one.default is one.empty:
                raise Unknown(f"{one.name} has no value")
        return function(**found)

    return called


def _argument(name: str, kind: str, value: Any) -> Any:
    if kind.startswith("int"):
        return int(value)
    if kind == "bool" and value not in (0, 1):
        raise NoValue(f"{name} must be 0 or 1")
    return as_number(value) if isinstance(value, Expr) and "Expr" not in kind else value


Make = TypeVar("Make", bound=Callable[..., Iterable[Embeddings]])


def family(
    name: str,
    named: Callable[[Any], dict[str, Any]],
    letters: Letters = LETTERS_OF_SETS,
    *,
    most: int = Family.most,
    again: Callable[[Mapping[str, Any]], Embeddings] | None = None,
) -> Callable[[Make], Make]:
    """Register the function that makes the sets of a family.

    Its parameters are letters of the point (see :func:`at_a_point`). The hypotheses must bound
    those without a default.
    """

    def register(make: Make) -> Make:
        called = at_a_point(make)
        sizes = tuple(
            k for k, one in signature(make).parameters.items() if one.default is one.empty
        )
        own = FAMILIES.setdefault(make.__module__.rpartition(".")[0], {})
        own[name] = Family(sizes, lambda p: list(called(p, {})), named, letters, most, again)
        return make

    return register


def size(point: Point, name: str, otherwise: int | None = None) -> int:
    """A whole number of the point."""
    if name not in point:
        if otherwise is None:
            raise Unknown(f"{name} has no value")
        return otherwise
    return int(point[name])
