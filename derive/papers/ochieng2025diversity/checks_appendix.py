"""What the appendices say that no formula says: gradients, a Hessian, laws, algorithms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ...language.matrices import Matrix
from ...language.quantities import compare, mp, text
from ..records.points import top_eigenvalue
from ..records.predicates import TABLES
from ..records.run import Findings, Point, Values, named_check
from ..records.tables import Tables
from .sets import batches_in

ONE, SMALL = Fraction(1), Fraction(1, 10**6)


@named_check("largest eigenvalue of the Hessian of log-sum-exp")
def of_hessian(N: int, *, bound: Any) -> Findings:
    """diag(q) - q q^T has eigenvalues from 0 to ``bound``, for q of every kind."""
    weights = [[ONE] * N, [ONE, *([SMALL] * (N - 1))], [ONE, ONE, *([SMALL] * N)][:N]]
    weights.append([Fraction(1 + j) for j in range(N)])
    for some in weights:
        q = [w / sum(some, Fraction(0)) for w in some]
        hessian = [[a * (i == j) - a * b for j, b in enumerate(q)] for i, a in enumerate(q)]
        found = top_eigenvalue(Matrix.from_rows(hessian))
        if compare(found, bound, ">") or not Matrix.from_rows(hessian).is_psd():
            told = ", ".join(map(str, q))
            yield False, f"at q = ({told}) the largest eigenvalue is {text(found)}"


@named_check("shared component")
def shared_component(at: Point, *, values: Values, variance: Any) -> Findings:
    """With z_j proportional to sqrt(alpha) u + sqrt(1 - alpha) xi_j, and xi_j normal in R^d with
    this ``variance``, the mean of z_j^T z_k is alpha, to a tenth of it and a thousandth."""
    alpha, d = float(at["alpha"]), int(values["d"])
    found = _along(alpha, d, float(variance)) ** 2
    yield abs(found - alpha) <= alpha / 10 + 0.001, f"the mean correlation is {found:.4g}"


def _along(alpha: float, d: int, variance: float) -> float:
    """E <z_j, u>: over the coordinate of xi along u, which is normal, and the squared length of
    the rest, by the rule of trapezes."""
    g = np.linspace(-9, 9, 400)[:, None]
    freedom = d - 1
    width = 9 * (2 * freedom) ** 0.5
    rest = np.linspace(max(1e-9, freedom - width), freedom + width, 400)[None, :]
    heights = np.exp(
        -(g**2) / 2 + (freedom / 2 - 1) * np.log(rest / freedom) - (rest - freedom) / 2
    )
    x = alpha**0.5 + ((1 - alpha) * variance) ** 0.5 * g
    cosines = x / np.sqrt(x**2 + (1 - alpha) * variance * rest)
    return float((heights * cosines).sum() / heights.sum())


# --- batches --------------------------------------------------------------------------------------
def _pool(n: int, d: int) -> list[Tables]:
    return [e for e in batches_in(n, d) if TABLES["unit(Z)"](e)]


def _effective_rank(rows: Any) -> Any:
    return Fraction(len(rows) ** 2) / sum(_exactly(x, y) ** 2 for x in rows for y in rows)


@named_check("balanced picker")
def balanced_picker(n: int, d: int, *, first: Any) -> Findings:
    """Lines 1 to 17 return the batch of a pool whose effective rank, clipped to [1, min(n, d)], is
    nearest to a target, the ``first`` of these; for targets of every kind."""
    pool = [e.points["z"] for e in _pool(n, d)]
    ranks = [_effective_rank(z) for z in pool]
    for target in [Fraction(1, 2), ONE, Fraction(3, 2), Fraction(min(n, d)), Fraction(100)]:
        best, chosen = None, None
        for k, r in enumerate(ranks):
            clipped = max(ONE, min(r, Fraction(min(n, d))))
            if best is None or abs(clipped - target) < best:
                best, chosen = abs(clipped - target), k
        gaps = [abs(r - target) for r in ranks]
        nearest = [k for k, gap in enumerate(gaps) if gap == min(gaps)]
        says = f"for the target {target} it returns batch {chosen}"
        yield chosen == nearest[int(first) - 1], says


@named_check("a target below one")
def below_one(n: int, d: int, *, target: Any) -> Findings:
    """For a target of at most ``target`` the batch that is picked has the least effective rank."""
    ranks = [_effective_rank(e.points["z"]) for e in _pool(n, d)]
    chosen = min(ranks, key=lambda r: abs(mp(r) - mp(target)))
    says = f"the least, {text(chosen)}, of {text(min(ranks))} to {text(max(ranks))}"
    yield chosen != min(ranks), says


@named_check("greedy builder")
def greedy_builder(n: int, d: int, *, stop: Any) -> Findings:
    """Lines 1 to 10 return n samples, for pools and windows of every kind; the loop stops in the
    window (``stop`` 1), or only when there are n (0)."""
    top_rank = Fraction(min(n, d))
    windows = [(ONE, ONE), (ONE, top_rank), (Fraction(21, 20), Fraction(23, 20))]
    for e in _pool(2 * n, d):
        for low, high in windows:
            found = _built(e.points["z"], n, (low, min(high, top_rank)), int(stop))
            if len(found) != n:
                told = f"window [{text(low)}, {text(high)}]: {len(found)} samples of {n}"
                yield False, told, None


def _built(pool: Any, n: int, window: tuple[Any, Any], stop: int) -> list[Any]:
    batch, left = list(pool[:2]), list(pool[2:])
    while len(batch) < n:
        if stop and window[0] <= _effective_rank(batch) <= window[1]:
            break
        scores = [sum(_exactly(z, one) ** 2 for one in batch) for z in left]
        batch.append(left.pop(scores.index(min(scores))))
    return batch


def _exactly(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


@named_check("one sample in d dimensions")
def one_sample(d: int, *, power: Any) -> Findings:
    """Of one sample the deviation from the second moment, and that of its trace, over the square of
    the sub-Gaussian proxy times d^``power``, neither grows nor vanishes with d."""
    laws = {
        "signs over sqrt(d)": lambda k: (1 - mpmath.mpf(1) / k, mpmath.mpf(8) / (3 * k)),
        "the same times 0 or sqrt(2)": lambda k: (mpmath.mpf(1), mpmath.mpf(9) / (2 * k)),
    }
    for what, law in laws.items():
        ratios = []
        for k in (10 * d, 1000 * d):
            deviation, proxy = law(k)
            ratios.append(deviation / (proxy * mpmath.mpf(k) ** mp(power)))
        if not ratios[0] / 2 < ratios[1] < 2 * ratios[0]:
            told = " and ".join(mpmath.nstr(v, 4) for v in ratios)
            yield False, f"{what}: the ratios for d = {10 * d}, {1000 * d} are {told}"
