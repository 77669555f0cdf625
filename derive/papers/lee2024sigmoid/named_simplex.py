"""Where a simplex exists, and where it is optimal."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath

from ...language.quantities import compare, text
from ...losses.clip import INFONCE
from ...vectors.embeddings import Embeddings
from ..form.families import in_space
from ..form.run import Answer, named_check
from ..towers import Towers, aligned, softmax_value

Given = Mapping[str, Any]
#: Losses have some 48 digits after the point, and near t = 0 they agree in the first forty.
CLOSE = mpmath.mpf(10) ** -46


def equal_angles(items: int, apart: Fraction) -> Embeddings | None:
    """That many unit vectors with this inner product, if there are such."""
    try:
        return Embeddings.hierarchical(items, 1, 1, Fraction(1), Fraction(1), apart)
    except ValueError:
        return None


@named_check("equal angles")
def angles(N: int, *, apart: Any, least: Any) -> Answer:
    """N unit vectors with inner product ``apart`` are a simplex, and need ``least`` dimensions."""
    found = equal_angles(N, apart)
    if found is None:
        return Answer(False, f"no vectors have the inner product {text(apart)}")
    centred = N == 1 or found.sum_ip(found.everything, found.everything) == 0
    good = centred and compare(Fraction(found.rank), least, "=")
    return Answer(good, f"their rank is {found.rank}", found)


@named_check("simplex fits in R^d")
def fits(N: int, d: int, *, least: Any) -> Answer:
    """There is a simplex of N vectors in R^d exactly for d >= ``least``."""
    simplex = Embeddings.simplex(N)
    said = compare(Fraction(d), least, ">=")
    says = f"said to {'exist' if said else 'be missing'}, and its rank is {simplex.rank}"
    return Answer(said == (simplex.rank <= d), says, simplex)


@named_check("optima of InfoNCE")
def optima(N: int, t: Any, d: int, *, negative: Any, positive: Any) -> Answer:
    """The set with these inner products, and it alone of all sets in R^d, has the least loss."""
    base = equal_angles(N, negative)
    if positive != 1 or base is None:
        return Answer(False, "there are no such vectors")
    if base.rank > d:
        return Answer(False, f"they need {base.rank} dimensions", base)
    simplex = aligned(base)
    least = softmax_value(INFONCE, simplex, t=t)
    for e in in_space(N, d):
        assert isinstance(e, Towers)
        found = softmax_value(INFONCE, e, t=t)
        if found < least - CLOSE or (found <= least + CLOSE and not e.same_gram(simplex)):
            says = f"its loss is {text(found)}, that of the simplex {text(least)}"
            return Answer(False, says, e)
    return Answer(True)
