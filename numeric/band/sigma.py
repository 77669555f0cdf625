r"""The largest eigenvalues of all negatives-only moments of a batch, from one eigendecomposition.

The moment of an anchor is that of the batch less one or two rows, :math:`A - U U^\top` with
:math:`A = Z^\top Z`. In the eigenbasis of A, where rows have coordinates C, Sylvester's law of
inertia for the two ways to eliminate in

.. math:: \begin{pmatrix} \Lambda - \theta & C \\ C^\top & I \end{pmatrix}

says that the number of eigenvalues of :math:`\Lambda - C C^\top` above :math:`\theta` is that of
:math:`\Lambda` less the number of negative ones of the 2 x 2 matrix

.. math:: F(\theta) = I + \sum_k \frac{c_k c_k^\top}{\theta - \lambda_k}.

So a bracket is kept for each anchor: from below by Rayleigh quotients, none of which is more than
the top, from above by that count. It starts at the Rayleigh-Ritz value of the three leading
eigenvectors, at least :math:`\lambda_3`, and at :math:`\lambda_1`, so that what leaves the top
alone (rows orthogonal to it, a threefold top) is done at once. The eigenvalue of F that passes 0 at
the top has an eigenvector y, and :math:`x = (\theta - \Lambda)^{-1} C y` a quotient that converges
as fast as Rayleigh quotient iteration; the bracket is halved where it does not.

Next to a pole the entries of F are large and its determinant is not. The two rows are therefore
turned so that only the first meets the nearest pole; then the rest keeps its digits. No eigenvalue
is less than 1 (each negative has a quotient of 1 or more) and at most 2 above (Weyl), so that the
errors of the decomposition are as small beside each of them as beside that of the batch.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.linalg import vecdot

#: Relative width at which a bracket is narrow enough, and most rounds before an anchor is left to
#: a decomposition of its own.
WIDTH, ROUNDS = 2e-13, 90
#: What is added to the lower end to see whether it is the top, in times its size.
STEP = 1e-13
#: Relative width that is guaranteed at the end.
GUARANTEED = 1e-11


class Sigmas(NamedTuple):
    """Largest eigenvalues, put back into the moments that they belong to.

    Attributes
    ----------
    value
        One for each anchor: a Rayleigh quotient of the rows that were given, so never too large
        by more than rounding.
    upper
        What none exceeds, but for rounding in sums: by the count of eigenvalues, and the residual
        of the decomposition.
    spectrum
        Eigenvalues of the smaller Gram matrix of all rows, falling.
    dense
        How many anchors took a decomposition of their own.
    """

    value: Tensor
    upper: Tensor
    spectrum: Tensor
    dense: int


def largest_without(rows: Tensor, removed: Tensor) -> Sigmas:
    r"""The largest eigenvalue of :math:`\frac1N \sum_j z_j z_j^\top` without one or two rows.

    Parameters
    ----------
    rows
        ``(K, d)``, of unit length, float64.
    removed
        Which rows are left out for each anchor, ``(B, 1)`` or ``(B, 2)``, different ones.

    Returns
    -------
    Sigmas
        To 1e-11 of each, by its own test.
    """
    kept = rows.shape[0] - removed.shape[1]
    poles, vectors, residual = _decompose(rows)
    gram_side = vectors.shape[0] == rows.shape[0] and rows.shape[0] <= rows.shape[1]
    coordinates = vectors * poles.sqrt() if gram_side else rows @ vectors
    c = coordinates[removed]
    if c.shape[1] == 1:
        c = torch.cat([c, torch.zeros_like(c)], 1)
    upper, x = _tops(poles, c[:, 0], c[:, 1])
    # Back in the rows themselves: <z_j, x> of all of them, less what is left out.
    inner = x @ coordinates.T if not gram_side else (x * poles.sqrt()) @ vectors.T
    inner = inner.scatter(1, removed, 0.0)
    value = inner.square().sum(1) / x.square().sum(1)
    upper = torch.maximum(upper + residual, value)
    bad = (~(upper - value <= GUARANTEED * value)).nonzero()[:, 0]
    if len(bad):
        value, upper = value.clone(), upper.clone()
        value[bad] = upper[bad] = torch.stack([_dense(rows, removed[i]) for i in bad])
    return Sigmas(value / kept, upper / kept, poles, len(bad))


def _decompose(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Eigenvalues, falling, and eigenvectors of the smaller Gram matrix; the residual's norm."""
    gram = rows @ rows.T if rows.shape[0] <= rows.shape[1] else rows.T @ rows
    poles, vectors = torch.linalg.eigh(gram)
    residual = torch.linalg.matrix_norm(gram - (vectors * poles) @ vectors.T)
    return poles.flip(0).clamp_min(0), vectors.flip(1), residual


def _dense(rows: Tensor, removed: Tensor) -> Tensor:
    keep = torch.ones(len(rows), dtype=torch.bool, device=rows.device)
    keep[removed] = False
    rest = rows[keep]
    gram = rest @ rest.T if rest.shape[0] <= rest.shape[1] else rest.T @ rest
    return torch.linalg.eigvalsh(gram)[-1]


def _tops(poles: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Upper ends of the brackets of diag(poles) - a a' - b b', and vectors of the lower ends."""
    lead = min(3, len(poles))
    top = torch.stack([a[:, :lead], b[:, :lead]], -1)
    values, turned = torch.linalg.eigh(torch.diag(poles[:lead]) - top @ top.mT)
    best, high = values[:, -1].clone(), poles[:1].expand(len(a)).clone()
    low = best.clone()
    x = torch.zeros_like(a)
    x[:, :lead] = turned[..., -1]
    open_ = torch.arange(len(a), device=a.device)
    for turn in range(ROUNDS):
        open_ = open_[high[open_] - best[open_] > WIDTH * high[open_]]
        if not len(open_):
            break
        below, h, a_, b_ = low[open_], high[open_], a[open_], b[open_]
        # Just above the best quotient, to see whether it is the top; the middle where it is known
        # not to be, and now and then in any case.
        theta, middle = best[open_] + STEP * h, (below + h) / 2
        is_open = (theta > below) & (theta < h) & (turn % 4 != 3)
        theta = torch.where(is_open, theta, middle)
        above, vector = _count(poles, a_, b_, theta)
        quotient = _quotient(poles, a_, b_, vector)
        better = quotient > best[open_]
        x[open_[better]] = vector[better]
        best[open_[better]] = quotient[better]
        low[open_] = torch.where(above, theta, torch.maximum(below, best[open_]))
        high[open_] = torch.where(above, h, theta)
    return high, x


def _count(poles: Tensor, a: Tensor, b: Tensor, theta: Tensor) -> tuple[Tensor, Tensor]:
    """Whether an eigenvalue is above theta, and the vector that an eigenvector of F gives."""
    gap = theta[:, None] - poles
    tiny = torch.finfo(gap.dtype).eps * poles[0]
    gap = torch.where(gap.abs() < tiny, tiny.copysign(gap), gap)
    # Turned so that b does not meet the nearest pole.
    near = gap.abs().argmin(1, keepdim=True)
    p, q = a.gather(1, near), b.gather(1, near)
    length = torch.hypot(p, q)
    cos = torch.where(length > 0, p / length, torch.ones_like(p))
    sin = torch.where(length > 0, q / length, torch.zeros_like(p))
    a, b = cos * a + sin * b, (cos * b - sin * a).scatter(1, near, 0.0)
    first, second = a / gap, b / gap
    f11, f12, f22 = 1 + vecdot(first, a), vecdot(first, b), 1 + vecdot(second, b)
    # Between the first two poles the least eigenvalue of F falls through 0 at the top, between the
    # next two the larger one; below those there is always more.
    ahead = (gap < 0).sum(1)
    half, mid = (f11 - f22) / 2, (f11 + f22) / 2
    root = torch.hypot(half, f12)
    # They are mid + root and mid - root; the one in which nothing cancels gives the other.
    outer = mid + root.copysign(mid)
    inner = (f11 * f22 - f12.square()) / outer
    value = torch.where((ahead == 1) == (mid < 0), outer, inner)
    above = (ahead > 2) | ((ahead > 0) & (value > 0))
    # Its eigenvector, by the row of F - value that is larger.
    first_row = (f11 - value).abs() > (f22 - value).abs()
    y1 = torch.where(first_row, -f12, f22 - value)
    y2 = torch.where(first_row, f11 - value, -f12)
    x = y1[:, None] * first + y2[:, None] * second
    # With one row b is 0, and so is x where the other eigenvalue of F is at work.
    x = torch.where(x.any(1, keepdim=True), x, first)
    return above, x / torch.linalg.vector_norm(x, dim=1, keepdim=True)


def _quotient(poles: Tensor, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    return (poles * x).mul(x).sum(1) - vecdot(a, x).square() - vecdot(b, x).square()
