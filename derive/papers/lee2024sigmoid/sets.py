"""The sets that statements of the paper are tried on, beside towers of all sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
from sympy import Expr

from ...language.evaluate import Scene
from ...language.quantities import Unknown, as_number, mp
from ...losses.clip import SIGMOID
from ...structures.towers import NEGATIVE, POSITIVE
from ...vectors.embeddings import Embeddings, Index
from .. import towers
from ..records.families import TOWERS, ccem, counted, of_towers, sets_in, unit_vector
from ..records.family import family


@family("ccem", partial(of_towers, parameter="(delta)"), TOWERS)
def one_ccem(N: int, delta: Expr) -> Iterator[Embeddings]:
    """The CCEM at a point; at delta = oo, too."""
    yield ccem(N, as_number(delta**2) if delta.is_finite else float("inf"))


def _of_anchor(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def v(sign: str, k: int = 0, mark: str = "") -> dict[Index, Fraction]:
        if sign == "-" and k == 0 and e.n > 3:
            raise Unknown("there are several negatives, and nothing says which")
        return unit_vector(0, counted(1 if sign == "+" else 1 + (k or 1), e.n - 1) + 1, 0)

    def inner() -> tuple[Any, list[Any]]:
        return e.ip((0, 0, 0), (0, 1, 0)), [e.ip((0, 0, 0), (0, k, 0)) for k in range(2, e.n)]

    def softmax(scene: Scene) -> Any:
        near, far = inner()
        return mpmath.log(mpmath.fsum(mpmath.exp(mp(g)) for g in (near, *far))) - mp(near)

    def one(scene: Scene) -> Any:
        if e.n != 3:
            raise Unknown("NCE has one negative")
        return softmax(scene)

    def sigmoid(scene: Scene) -> Any:
        """The terms of the declared loss, without temperature and bias."""
        near, far = inner()
        values = {POSITIVE: [near], NEGATIVE: far}
        return towers.summed(SIGMOID, values, t=Fraction(1), b=Fraction(0))

    return {
        "u": lambda mark="": unit_vector(0, 0, 0),
        "v": v,
        "V": lambda mark="": e.everything[1:],
        "L_NCE": one,
        "L_InfoNCE": softmax,
        "L_sig": sigmoid,
    }


@family("anchor", _of_anchor)
def anchor(N: int) -> list[Embeddings]:
    """Unit vectors in two spaces, of which the first is the anchor."""
    return [e for d in (1, 3) for e in sets_in(1, N + 2, 1, d)]
