"""Sets that a statement about classes of unequal sizes is tried on: samples z, one class after the
other, whose inner products depend on their classes alone, and temperature tau.

Beside sizes, ``\\ell_c``, cosines have names: ``a_c`` inside class c, ``b_{cc'}`` between classes;
and so has the loss ``L`` of SupCon, of cosines over tau.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath

from ...vectors.embeddings import Embeddings, Index
from .families import Family, size
from .values import NoValue, mp

#: How much of a sample is that of its class, in turn; 1 is a class that is a point.
SHARES = (Fraction(3, 5), Fraction(1), Fraction(1, 4))
#: Directions of classes in the plane, in turn.
DIRECTIONS: tuple[tuple[int | Fraction, int | Fraction], ...] = (
    (1, 0),
    (Fraction(-3, 5), Fraction(4, 5)),
    (Fraction(5, 13), Fraction(-12, 13)),
)


def _blocks(sizes: tuple[int, ...], shares: tuple[Fraction, ...], note: str) -> Embeddings:
    def inner(a: Index, b: Index) -> Fraction:
        if a == b:
            return Fraction(1)
        one, other = (DIRECTIONS[k[0] % 3] for k in (a, b))
        both = sum((Fraction(s) * t for s, t in zip(one, other, strict=True)), Fraction(0))
        return shares[a[0]] * shares[b[0]] * both

    order = [(c, k, 0) for c, ell in enumerate(sizes) for k in range(ell)]
    return Embeddings(len(sizes), max(sizes), 1, inner, only=order, note=note)


def _made(point: Mapping[str, Any]) -> list[Embeddings]:
    """Sizes ell and p in turn, if there is a p; and classes that are points, and that are not."""
    count, ell = size(point, "C"), size(point, "ell")
    p = size(point, "p", ell)
    sizes = tuple((ell, p)[c % 2] for c in range(count))
    mixed = tuple(SHARES[c % 3] for c in range(count))
    spread = tuple(SHARES[0] for _ in range(count))
    points = tuple(Fraction(1) for _ in range(count))
    apart = tuple(Fraction(0) for _ in range(count))
    return [
        _blocks(sizes, mixed, "classes of all sorts"),
        _blocks(sizes, spread, "classes that are not points"),
        _blocks(sizes, points, "classes that are points"),
        _blocks(sizes, apart, "samples at right angles"),
    ]


def _collapsed(point: Mapping[str, Any]) -> list[Embeddings]:
    """C classes of ell samples, each a point, at the cosine beta."""
    count, ell = size(point, "C"), size(point, "ell")
    cosine = Fraction(str(point["beta"]))
    if count > 1 and not Fraction(-1, count - 1) <= cosine <= 1:
        return []
    return [Embeddings.hierarchical(count, ell, 1, Fraction(1), Fraction(1), cosine)]


def supcon(e: Embeddings, tau: Any) -> Any:
    """The SupCon loss: of each sample the mean over the others of its class."""
    terms = []
    for a in e.everything:
        own = [b for b in e.of_class(a[0]) if b != a]
        if not own:
            raise NoValue("a class of one sample has no positives")
        others = [mpmath.exp(mp(e.ip(a, b)) / mp(tau)) for b in e.everything if b != a]
        norm = mpmath.log(mpmath.fsum(others))
        terms += [(norm - mp(e.ip(a, b)) / mp(tau)) / len(own) for b in own]
    return mpmath.fsum(terms) / len(e.everything)


def _named(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def members(c: int) -> list[Index]:
        found = e.of_class(c - 1)
        if not found:
            raise NoValue("there is no such class")
        return found

    def ell(c: int, mark: str = "") -> Fraction:
        return Fraction(len(members(c)))

    def inside(c: int, mark: str = "") -> Fraction:
        some = members(c)
        if len(some) < 2:
            raise NoValue("a class of one sample has no pairs")
        return e.ip(some[0], some[1])

    def between(c: int, other: int, mark: str = "") -> Fraction:
        return e.ip(members(c)[0], members(other)[0])

    return {
        "n": lambda mark="": Fraction(len(e.everything)),
        "ell": ell,
        "a": inside,
        "b": between,
        "L": lambda scene: supcon(e, scene.numbers["tau"]),
    }


BLOCKS: dict[str, Family] = {
    f.name: f
    for f in (
        Family("blocks", "samples by classes of sizes ell and p", ("C", "ell"), _made, _named),
        Family(
            "collapsed classes",
            "C classes of ell samples, each a point, at the cosine beta",
            ("C", "ell", "beta"),
            _collapsed,
            _named,
        ),
    )
}
