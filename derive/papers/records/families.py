"""The families that several papers use, and the sets that theirs are made of.

Among the sets are always the degenerate ones: all vectors equal, some equal, antipodal, centred,
and those on a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from ...language.evaluate import Scene
from ...language.matrices import total
from ...language.parser import Letters
from ...language.quantities import NoValue, Unknown
from ...losses.clip import INFONCE, SIGMOID
from ...vectors.embeddings import Embeddings, Index
from .. import towers
from .family import FAMILIES, Family, family, load
from .points import ONE, ZERO, axis

SEEDS = 2  #: random sets at every point


def unit_vector(*index: int) -> dict[Index, Fraction]:
    """A vector of a set, as a linear combination."""
    return {(index[0], index[1], index[2]): ONE}


def counted(k: int, most: int) -> int:
    """An index counted from 0, of one counted from 1."""
    if not 1 <= k <= most:
        raise NoValue("the index is out of range")
    return k - 1


# --- unit vectors ----------------------------------------------------------------------------
@cache
def ssem(m: int, n: int, p: int, delta_squared: Fraction) -> Embeddings:
    """The SSEM; one vector is one for every delta."""
    if m * n == 1:
        return Embeddings.hierarchical(1, 1, p, ONE, ONE, ONE)
    return Embeddings.ssem(m, n, p, delta_squared)


@cache
def sets_in(m: int, n: int, p: int, d: int) -> tuple[Embeddings, ...]:
    """Unit vectors in R^d: any, and the degenerate ones."""
    count = m * n * p
    first, back = axis(d), axis(d, 0, -1)
    by_class = [axis(d, 0, (-1) ** a[0]) for a in product(range(m), range(n), range(p))]
    kinds = {
        "all equal": [first] * count,
        "signs in turn": [axis(d, 0, (-1) ** k) for k in range(count)],
        "classes opposite": by_class,
    }
    if d >= 2:
        four = [first, back, axis(d, 1), axis(d, 1, -1)]
        flat = [ZERO] * (d - 2)
        fan = [first, *([Fraction(3, 5), Fraction(s, 5), *flat] for s in (4, -4))]
        kinds |= {
            "a cross": [four[k % 4] for k in range(count)],
            "a fan": [fan[k % 3] for k in range(count)],
            "two points": [first, first, *([axis(d, 1)] * count)][:count],
        }
    found = [Embeddings.random(m, n, p, d, seed) for seed in range(SEEDS)]
    found += [Embeddings.from_vectors(m, n, p, rows, note=note) for note, rows in kinds.items()]
    if m * n >= 2:
        places = [ZERO, Fraction(1, 2), ONE]
        places += [Fraction(m * n - 1, m * (n - 1))] if n >= 2 else []
        found += [e for q in places for e in [ssem(m, n, p, q)] if e.rank <= d]
    return tuple(found)


def first_alone(order: list[Index]) -> list[Index]:
    """Of some indices, of the first class only the first."""
    return [a for a in order if a[0] > 0 or a == order[0]]


#: Of sets with as many dimensions as they need.
RANKED = Letters(functions=frozenset({"rank"}))


# --- simplices -------------------------------------------------------------------------------
def _of_simplex(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def vector(k: int, mark: str = "") -> dict[Index, Fraction]:
        return unit_vector(counted(k, e.m), 0, 0)

    return {
        "U": lambda *_, mark="": list(e.everything),
        "u": vector,
        "w": vector,
        "v": vector,
        "rank": lambda scene, _: Fraction(e.rank),
    }


@family("one simplex", _of_simplex, RANKED)
def one_simplex(n: int = 0, N: int = 0) -> Iterator[Embeddings]:
    """The simplex of so many vectors."""
    yield Embeddings.simplex(n or N)


def _of_axis(e: Embeddings) -> dict[str, Callable[..., Any]]:
    return {
        "w": lambda k, mark="": unit_vector(k - 1, 0, 0),
        "e": lambda mark="": unit_vector(e.m - 1, 0, 0),
    }


@family("simplex and axis", _of_axis, Letters(vectors=frozenset("uvwe")))
def with_axis(N: int) -> Iterator[Embeddings]:
    """The simplex, and after it the unit vector."""
    apart = Fraction(-1, N - 1) if N > 1 else ZERO

    def inner(a: Index, b: Index) -> Fraction:
        if a == b:
            return ONE
        return ZERO if N in (a[0], b[0]) else apart

    yield Embeddings(N + 1, 1, 1, inner)


# --- towers ----------------------------------------------------------------------------------
TOWERS = Letters(functions=frozenset({"h", "rank"}))


@cache
def ccem(items: int, delta_squared: Any) -> towers.Towers:
    """The CCEM; of one item, whose simplex is one unit vector, too."""
    return towers.ccem(items, delta_squared)


@cache
def in_space(items: int, d: int) -> tuple[towers.Towers, ...]:
    """Two towers in R^d: any, and the degenerate ones."""
    first, back = [axis(d)] * items, [axis(d, 0, -1)] * items
    signs = [axis(d, 0, (-1) ** k) for k in range(items)]
    found = [towers.random(items, d, seed) for seed in range(SEEDS)]
    found.append(towers.of_vectors(first, first, "all equal"))
    found.append(towers.of_vectors(first, back, "antipodal"))
    found.append(towers.of_vectors(signs, signs, "signs in turn"))
    if items - 1 <= d:
        found.append(towers.ccem(items, ZERO))
    if items <= d:
        found += [towers.ccem(items, q) for q in (Fraction(1, 4), ONE, Fraction(4))]
    return tuple(found)


def of_towers(found: Embeddings, parameter: str = "") -> dict[str, Callable[..., Any]]:
    """What letters stand for on two towers; ``parameter`` is a mark that their sets may have."""
    e = found if isinstance(found, towers.Towers) else towers.like(found, found.note)

    def tower(view: int) -> Callable[..., Any]:
        return lambda k, mark="": unit_vector(counted(k, e.m), 0, view)

    def side(view: int) -> Callable[..., Any]:
        def every(*_: int, mark: str = "") -> list[Index]:
            if "(" in mark and mark != parameter:
                raise Unknown(f"these sets have no parameter {mark}")
            return [a for a in e.everything if a[2] == view]

        return every

    def both(scene: Scene) -> Any:
        """The loss of any two functions: a sum over all pairs."""
        near, far = (scene.named.get(k) for k in ("l_p", "l_n"))
        if near is None or far is None:
            raise Unknown("nothing says what l_p and l_n are")
        with_near = [near(scene, g) for g in e.positives()]
        return total([*with_near, *(far(scene, g) for g in e.negatives())])

    def least(scene: Scene, alignment: Any) -> Any:
        """The sum over the negatives on the CCEM whose positives have this mean."""
        if not isinstance(alignment, Fraction):
            raise Unknown("the mean of the positives is rational")
        if not -1 <= alignment <= 1:
            raise NoValue(f"no unit vectors have {alignment} as the mean of their positives")
        return sum(ccem(e.m, towers.position(alignment)).negatives(), ZERO)

    def sigmoid(scene: Scene) -> Any:
        numbers = {k: scene.numbers[k] for k in ("t", "b")}
        return towers.pairwise_value(SIGMOID, e, **numbers)

    return {
        "u": tower(0),
        "v": tower(1),
        "U": side(0),
        "V": side(1),
        "L": both,
        "h": least,
        "rank": lambda scene, *_: Fraction(e.rank),
        "L_InfoNCE": lambda scene: towers.softmax_value(INFONCE, e, t=scene.numbers["t"]),
        "L_sig": sigmoid,
    }


@family("towers", of_towers, TOWERS)
def in_spaces(N: int, d: int | None = None) -> list[towers.Towers]:
    """Towers in R^d, or in two spaces."""
    return [e for room in ([d] if d is not None else (1, 3)) for e in in_space(N, room)]


def families_of(package: str) -> dict[str, Family]:
    """The families of a paper whose files are in ``package``, and those of all papers."""
    load(package)
    return {**FAMILIES[__package__], **FAMILIES.get(package, {})}
