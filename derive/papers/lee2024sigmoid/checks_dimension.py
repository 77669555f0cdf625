"""What the paper says of fewer dimensions than vectors: ranks, and what is least there."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath

from ...language.digits import DIGITS
from ...language.quantities import as_number, compare, mp, text
from ...losses.clip import SIGMOID
from ...vectors.embeddings import Embeddings, Index
from ..digits import stored_cells
from ..records.families import in_space
from ..records.run import Findings, Point, Values, named_check
from ..towers import Towers, aligned, lifted, pairwise_value
from .checks import delta_star

#: Losses have some 48 digits after the point.
CLOSE = mpmath.mpf(10) ** -35
#: How far from its limit an optimiser left the similarity of a stored cell.
LEFT = Fraction(1, 10**6)


@named_check("dimensions of the optimum")
def dimensions(at: Point, N: int, *, least: Any) -> Findings:
    """The optimal CCEM needs ``least`` dimensions."""
    found = delta_star(at)
    rank = N - 1 if found == 0 else 1 if mpmath.isinf(found) else N
    yield compare(Fraction(rank), least, "="), f"it needs {rank}"


@named_check("similarity at half the dimension")
def half_the_dimension(at: Point, N: int, *, values: Values) -> Findings:
    """Above the threshold, what was found to be least in R^ceil(N/2) has similarity ``s``."""
    if delta_star(at) != 0:
        return
    for cell_items, _, s, _ in stored_cells(__package__, "figure_2.json"):
        yield cell_items != N or abs(s - values["s"]) <= LEFT, f"{text(s)} was found"
    known = {k: as_number(at[k]) for k in ("t", "b")}
    tried = [(pairwise_value(SIGMOID, e, **known), k) for k, e in enumerate(_tried(N))]
    least = min(value for value, _ in tried)
    for value, k in tried:
        e = _tried(N)[k]
        says = f"its loss {text(value)} is the least that was found"
        yield value > least + CLOSE or compare((1 + e.alignment()) / 2, values["s"], "="), says, e


@cache
def _tried(items: int) -> tuple[Towers, ...]:
    """Sets in R^ceil(N/2): opposite vectors on each axis, for odd N with a triangle in a plane;
    with the towers apart, which needs an axis of its own; any and degenerate ones."""

    def inner(a: Index, b: Index) -> Fraction:
        if a == b:
            return Fraction(1)
        if items % 2 and max(a[0], b[0]) <= 2:
            return Fraction(-1, 2)
        first, second = (k[0] + items % 2 for k in (a, b))
        return Fraction(-1 if first // 2 == second // 2 else 0)

    d = -(-items // 2)
    doubled = Embeddings(items, 1, 1, lambda a, b: Fraction(1 if (a[0] - b[0]) % 2 == 0 else -1))
    apart = [lifted(doubled, Fraction(k, 4)) for k in (1, 2, 4)]
    found = [aligned(Embeddings(items, 1, 1, inner), "crossed"), *in_space(items, d), *apart]
    return tuple(e for e in found if e.rank <= d)


@named_check("alignment above the threshold")
def alignment(at: Point, N: int, d: int, t: Any, *, threshold: Any) -> Findings:
    """From the ``threshold`` on, no set in R^d beats all those with u_i = v_i."""
    if compare(t, threshold, "<"):
        return
    if d >= N - 1:  # the simplex fits
        found = delta_star(at)
        yield bool(found == 0), f"delta* = {text(found)}"
        return
    if d > 1:
        yield None, f"what is least in {d} dimensions is not known"
    with mpmath.workdps(DIGITS):
        losses = dict(on_the_line(N, mp(t)))
        best = min(losses, key=lambda k: losses[k])
        tight = min(loss for k, loss in losses.items() if k[2] + k[3] == 0)
        says = (
            f"in R^1 the minimum of the loss with u_i = v_i is {text(tight)}; {best[2]} pairs "
            f"(1, -1) and {best[3]} pairs (-1, 1) beside {best[0]} and {best[1]} aligned ones have "
            f"{text(losses[best])}"
        )
        yield bool(losses[best] >= tight - CLOSE), says


def on_the_line(items: int, t: Any) -> Iterator[tuple[tuple[int, int, int, int], Any]]:
    """The sigmoid loss at b = t of all sets in R^1, by how many items have (u, v) = (1, 1),
    (-1, -1), (1, -1), (-1, 1)."""

    def cost(exponent: Any) -> Any:
        return mpmath.log(1 + mpmath.exp(exponent))

    level, apart, away = cost(0), cost(2 * t), cost(-2 * t)
    for plus, minus, up in product(range(items + 1), repeat=3):
        down = items - plus - minus - up
        if down < 0:
            continue
        same = (plus + up) * (plus + down) + (minus + down) * (minus + up) - plus - minus
        near = (plus + minus) * level + (up + down) * apart
        far = same * level + (items * (items - 1) - same) * away
        yield (plus, minus, up, down), (near + far) / items
