"""Lower bounds on sums over pairs of points on a sphere, by Delsarte's linear programme.

A polynomial below the function whose Gegenbauer coefficients are >= 0 gives a bound for any points.
It is the Hermite interpolant at Levenshtein's nodes, which depend on the numbers of points and
dimensions, or at the inner products of a sharp configuration, which then is the optimum. Nodes are
rounded to rationals: the bound is as good near them, and what makes it one is proved in balls at
each evaluation.
"""

from __future__ import annotations

from math import comb
from typing import Any

from sympy import Expr, Lambda, Rational, S, Symbol, diff

from ..decide.ball import (
    NotEnclosed,
    NoValue,
    TooWide,
    enclosure,
    non_negative,
    precision,
)
from ..decide.evidence import Evidence, Grade, Holds
from ..decide.gegenbauer import divided_differences, from_newton
from ..proof.statement import Lemma
from ..structures.sharp import sharp
from .value import Computed

#: Nodes inside (-1, 1) at most; for more points it is a bound, and not the best one of this kind.
NODES = 8
#: Nodes are multiples of 2**-ROUNDED, and bits are lost to differences of neighbouring ones.
ROUNDED, LOST = 40, 600
#: The inner product of a pair.
u = Symbol("u", real=True)

DELSARTE = Lemma(
    "linear programme",
    statement=r"Let $h = \sum_k h_k P_k$ with Gegenbauer polynomials of $d$ dimensions, $P_k(1) = "
    r"1$, $h_k \ge 0$ for $k \ge 1$, and $h \le f$ on $[-1, 1)$. For unit vectors $x_1, \dots, x_N "
    r"\in \mathbb{R}^d$ the mean of $f(x_i \cdot x_j)$ over $i \ne j$ is at least $(N h_0 - "
    r"h(1))/(N - 1)$.",
    proof=r"By the addition formula $\sum_{i, j} P_k(x_i \cdot x_j) \ge 0$ (Schoenberg 1942). So "
    r"$\sum_{i \ne j} f \ge \sum_{i, j} h - N h(1) \ge N^2 h_0 - N h(1)$.",
)
HERMITE = Lemma(
    "sharp configurations",
    statement=r"Let $h$ interpolate $f$ at nodes in $[-1, 1)$, with the slope at all nodes but "
    r"$-1$, by $n$ conditions, and $f^{(n)} \ge 0$. Then $h \le f$ on $[-1, 1]$. If the nodes are "
    r"the inner products of points that form a design of strength $n - 1$, and all $h_k \ge 0$, "
    r"these points have the least sum of $f$ over pairs.",
    proof=r"$f(u) - h(u) = f^{(n)}(\xi)/n! \prod (u - x_i)^{k_i}$, and all factors are $\ge 0$. "
    r"For the points $\sum_{i, j} P_k(x_i \cdot x_j) = 0$ for $1 \le k \le n - 1$ and $f = h$ at "
    r"all inner products, so both inequalities of the linear programme are equalities (Cohn and "
    r"Kumar 2007, who prove that $h_k \ge 0$ if all derivatives of $f$ are).",
)
POLYGON = Lemma(
    "regular polygon",
    statement=r"The corners of a regular polygon of $N$ corners form a design of strength $N - 1$.",
    proof=r"In two dimensions $P_k(\cos x) = \cos kx$. For $0 < k < N$ the sum over $j$ of "
    r"$(\cos(2\pi jk/N), \sin(2\pi jk/N))$ stays as it is under the rotation by $2\pi k/N$, which "
    r"is no whole number of turns; so it vanishes.",
)


class PairBound(Computed):
    """The bound on the mean of a function of the inner product over pairs of N points.

    A number when its symbols are, with an enclosure; the function is a Lambda of :data:`u`.
    """

    no_limit = "the bound on pairs is computed for finite numbers"
    #: What makes the number a bound is proved with it, not in the derivation.
    evidence = Evidence(Grade.INTERVAL, "ball arithmetic on [-1, 1], at each evaluation")

    def __new__(cls, f: Lambda, size: Expr, d: Expr) -> Expr:
        return Expr.__new__(cls, f, size, d)

    def enclosure(self, bits: int) -> Any:
        """A ball around the bound, with all that makes it one proved.

        Raises
        ------
        NotEnclosed
            If symbols are left, or the function is not proved to be above the interpolant, or a
            coefficient not to be negative.
        """
        if self.free_symbols:
            raise NoValue("a bound on pairs is found for numerical values")
        f, size, d = self.args[0].expr, int(self.args[1]), int(self.args[2])
        points, twice = nodes(size, d)
        order = len(points) + sum(twice)
        if not isinstance(non_negative(diff(f, u, order), u, S.NegativeOne, S.One), Holds):
            raise NotEnclosed(f"derivative {order} of the function is not proved to be >= 0")
        work = 2 * bits + LOST
        with precision(work):
            at = [enclosure(x, work) for x in points]
            values, slopes = (
                [enclosure(e.xreplace({u: x}), work) for x in points] for e in (f, diff(f, u))
            )
            h = from_newton(*divided_differences(values, slopes, at, twice), d)
            if any(a < 0 for a in h[1:]):
                raise NoValue("a coefficient of the interpolant is negative")
            if not all(a >= 0 for a in h[1:]):
                raise TooWide("the sign of a coefficient is not known")
            return (size * h[0] - sum(h[1:], h[0])) / (size - 1)

    def _sympystr(self, printer: Any) -> str:
        f, size, d = map(printer._print, (self.args[0].expr, *self.args[1:]))
        return f"least_mean({f}; {size} points; {d} dimensions)"

    def _latex(self, printer: Any) -> str:
        f, size, d = map(printer._print, (self.args[0].expr, *self.args[1:]))
        return rf"\operatorname{{LP}}_{{{size},\,{d}}}\left({f}\right)"


def nodes(size: int, d: int) -> tuple[list[Expr], list[bool]]:
    """Where the interpolant meets the function, and whether its slope does too."""
    known = sharp(size, d)
    if known is not None:
        return list(known.products), known.twice
    inside, has_end = levenshtein(size, d)
    scale = 2**ROUNDED
    found = [Rational(round(x * scale), scale) for x in inside]
    return [S.NegativeOne] * has_end + found, [False] * has_end + [True] * len(found)


def levenshtein(size: int, d: int) -> tuple[list[float], bool]:
    """Levenshtein's nodes without -1, and whether that is one.

    The quadrature with these nodes and 1 is exact to the degree for which so many points may be a
    design, and 1 has the weight 1/size.
    """
    import numpy as np

    def least(degree: int) -> int:  # points of a design, by Delsarte, Goethals and Seidel
        k, odd = divmod(degree, 2)
        below = comb(d + k - 2, d - 1) if k else 0
        return 2 * comb(d + k - 1, d - 1) if odd else comb(d + k - 1, d - 1) + below

    count, has_end = next(
        ((k, odd) for k in range(1, NODES + 1) for odd in (0, 1) if size <= least(2 * k + odd)),
        (NODES, 1),
    )
    a, b = (d - 1) / 2, (d - 3) / 2 + has_end  # the weight (1 - u)^a (1 + u)^b of the inner nodes
    k = np.arange(1, count)
    wide = 2 * k + a + b
    diagonal = np.array([(b - a) / (a + b + 2), *((b**2 - a**2) / wide / (wide + 2))])
    square = 4 * k * (k + a) * (k + b) / (wide**2 * (wide + 1))
    square[1:] *= ((k + a + b) / (wide - 1))[1:]  # for k = 1 the two are the same
    beside = np.diag(np.sqrt(square), 1)

    def at(shift: float) -> list[float]:
        matrix = np.diag(diagonal) + beside + beside.T
        matrix[-1, -1] += shift
        return [float(x) for x in np.linalg.eigvalsh(matrix)]

    def weight(inner: list[float]) -> float:
        ends = [-1.0] * has_end + inner
        p = from_newton([0.0] * len(ends) + [1.0], ends, d)
        for x in ends:
            p = [c / (1 - x) for c in p]
        return float(p[0])

    low, high = -2.0, 0.0
    if weight(at(high)) < 1 / size:
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if weight(at(middle)) > 1 / size else (low, middle)
    return at(high), bool(has_end)
