"""A family of sets of vectors, or of tables, on which a printed statement is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...vectors.embeddings import Embeddings
from .reader import LETTERS, Letters
from .values import Unknown


@dataclass(frozen=True)
class Family:
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

    name: str
    says: str
    sizes: tuple[str, ...]
    make: Callable[[Mapping[str, Any]], list[Embeddings]]
    named: Callable[[Embeddings], dict[str, Any]]
    letters: Letters = LETTERS
    most: int = 60  #: points at which a statement is tried
    #: A set from the tables of a witness, where these are not entries and points alone.
    again: Callable[[Mapping[str, Any]], Embeddings] | None = None


def of_sizes(
    make: Callable[..., Iterable[Embeddings]], *names: str
) -> Callable[[Mapping[str, Any]], list[Embeddings]]:
    """Sets that are made of whole numbers of the point."""
    return lambda point: list(make(*(size(point, name) for name in names)))


def size(point: Mapping[str, Any], name: str, otherwise: int | None = None) -> int:
    """A whole number of the point."""
    if name not in point:
        if otherwise is None:
            raise Unknown(f"{name} has no value")
        return otherwise
    return int(point[name])
