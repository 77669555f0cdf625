r"""Sums over all pairs of points, from which the losses of `contrastive.py` are put together.

:func:`log_sums` are the logarithms of denominators, :func:`tower_mean` and :func:`queue_mean` are
what two towers, and keys with a queue, need of them, :func:`softplus_sum` is the sum of a loss of
pairs. What attracts is sums over classes, which need no pairs.

Few pairs are one matrix and plain operations, which can be compiled and differentiated twice. Many
pairs are tiles or blocks of rows: memory is O(n d) and some tiles.
A second derivative (``create_graph=True``) forms the matrix after all.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, logsigmoid

from .tiles import (
    BLOCK,
    BLOCK_CUDA,
    LN2,
    LOG2E,
    SAFE,
    Layout,
    Similar,
    Unseen,
    differentiated,
    log_sums_by_matrix,
    log_sums_by_tiles,
)
from .uncompiled import uncompiled

#: Pairs up to which they are one matrix; on a CUDA device launches cost more than memory.
MATRIX, MATRIX_CUDA = 2**17, 2**24
#: Pairs in a block of rows: 4 MB in float32.
ROWS = 2**20


def is_small(x: Tensor, y: Tensor) -> bool:
    """Whether the pairs are few enough for a matrix."""
    most = MATRIX if x.device.type == "cpu" else MATRIX_CUDA
    return x.shape[0] * y.shape[0] <= most


def log_sums(x: Tensor, y: Tensor, unseen: Unseen) -> Tensor:
    """log sum_j exp(x_i . y_j) over the points that an anchor sees, ``(n,)``; -inf without any.

    Parameters
    ----------
    x
        Anchors ``(n, d)``.
    y
        Points ``(N, d)``; where it is ``x`` itself, every pair is formed once.
    unseen
        What is left out.
    """
    if is_small(x, y):
        return _log_sums_matrix(x, y, unseen)
    if x is not y:
        return _by_rows(x, y, unseen)
    return _by_tiles(x, Layout(x.shape[0], unseen=unseen))


def log_sums_of(
    similar: Similar, layout: Layout, safe: bool, x: Tensor, *learned: Tensor
) -> Tensor:
    """Of any similarities: see `log_sums_by_tiles`."""
    if is_small(x, x):
        return log_sums_by_matrix(similar, layout, x, *learned)
    return log_sums_by_tiles(similar, layout, safe, x, *learned)


def tower_mean(u: Tensor, v: Tensor) -> Tensor:
    """The mean of log sum_j exp(u_i . v_j) - u_i . v_i and the same of v against u."""
    if is_small(u, v):
        s, own = u @ v.T, torch.arange(u.shape[0], device=u.device)
        return (cross_entropy(s, own) + cross_entropy(s.T, own)) / 2
    longest = [float(k.detach().square().sum(1).max()) for k in (u, v)]
    even = (longest[1] / max(longest[0], 1e-30)) ** 0.25 or 1.0  # both as long: products stay
    layout = Layout.of_views(2 * u.shape[0], 2, u.device)
    found = _by_tiles(torch.cat((u * even, v / even)), layout)
    return found.mean() - torch.linalg.vecdot(u, v).mean()


def queue_mean(x: Tensor, y: Tensor, queue: Tensor) -> Tensor:
    """The mean of log(exp(x_i . y_i) + sum_k exp(x_i . q_k)) - x_i . y_i, q_k in the queue."""
    own = torch.linalg.vecdot(x, y)
    if is_small(x, queue):  # in one softmax: half the kernels
        s = torch.cat((own[:, None], x @ queue.T), 1)
        return cross_entropy(s, own.new_zeros(own.shape, dtype=torch.long))
    return -logsigmoid(own - log_sums(x, queue, Unseen())).mean()


def _by_tiles(x: Tensor, layout: Layout) -> Tensor:
    """Points against themselves."""
    longest = float(x.detach().square().sum(1).max()) * LOG2E
    safe = longest <= SAFE[x.dtype]
    return log_sums_by_tiles(inner_products, layout, safe, x * LOG2E**0.5) * LN2


def inner_products(a: Tensor, b: Tensor) -> Tensor:
    """Of two blocks of points."""
    return a @ b.T


def half_distances(a: Tensor, b: Tensor) -> Tensor:
    """Minus half of the squared distances of two blocks of points."""
    left, right = (k.square().sum(1) / 2 for k in (a, b))
    return (a @ b.T).sub_(left[:, None]).sub_(right)


def _log_sums_matrix(x: Tensor, y: Tensor, unseen: Unseen) -> Tensor:
    return unseen.hide(x @ y.T, slice(0, x.shape[0])).logsumexp(1)


@uncompiled
def _by_rows(x: Tensor, y: Tensor, unseen: Unseen) -> Tensor:
    found: Tensor = _Rows.apply(x, y, unseen)
    return found


class _Rows(torch.autograd.Function):
    """Anchors against other points: the gradient by anchors is known with the value."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, unseen: Unseen) -> Tensor:
        found = x.new_empty(x.shape[0])
        means = torch.empty_like(x) if ctx.needs_input_grad[0] else None
        for rows in blocks(len(x), len(y)):
            s = unseen.hide(x[rows] @ y.T, rows)
            top = s.amax(1, keepdim=True).clamp_min_(torch.finfo(s.dtype).min)
            total = s.sub_(top).exp_().sum(1, keepdim=True)
            found[rows] = total.log().add_(top)[:, 0]
            if means is not None:
                means[rows] = (s @ y).div_(total.clamp_min(torch.finfo(s.dtype).tiny))
        ctx.save_for_backward(x, y, found, means)
        ctx.unseen = unseen
        return found

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        x, y, found, means = ctx.saved_tensors
        if torch.is_grad_enabled():
            return *differentiated(_log_sums_matrix(x, y, ctx.unseen), g, x, y), None
        dx = None if means is None else g[:, None] * means
        dy = None
        if ctx.needs_input_grad[1]:
            dy, level = torch.zeros_like(y), found.clamp_min(torch.finfo(g.dtype).min)[:, None]
            for rows in blocks(len(x), len(y)):
                s = ctx.unseen.hide(x[rows] @ y.T, rows).sub_(level[rows]).exp_()
                dy.addmm_(s.T, x[rows] * g[rows, None])
        return dx, dy, None


def blocks(n: int, columns: int) -> Iterator[slice]:
    """Some of n rows at a time, so many that their pairs with columns stay below :data:`ROWS`."""
    size = max(1, ROWS // columns)
    return (slice(i, min(i + size, n)) for i in range(0, n, size))


def softplus_sum(
    x: Tensor,
    y: Tensor,
    bias: Tensor,
    weight: float | Tensor,
    offset: int = 0,
    among: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    r"""sum_i w_i sum_j log(1 + exp(s_ij)) with s_ij = x_i . y_j + b_i.

    Parameters
    ----------
    x, y
        Anchors ``(n, d)`` and points ``(N, d)``.
    bias
        ``()`` or ``(n,)``.
    weight
        A number, or ``(n,)`` without a gradient.
    offset
        Point ``offset + i`` is the partner of anchor i: with it s_ij changes its sign.
    among
        Numbers of anchors and of points. With these an anchor sees the points of its own number
        only, and has no partner.
    """
    if is_small(x, y):
        return _softplus_matrix(x, y, bias, weight, offset, among)
    if among is not None:  # points of a number beside each other: tiles of others are left out
        (ids, order), (all_ids, all_order) = (k.sort(stable=True) for k in among)
        y = y[all_order]
        x, bias = x[order], bias[order] if bias.ndim else bias
        weight = weight[order] if isinstance(weight, Tensor) else weight
        among = ids, all_ids
    return _softplus_by_tiles(x, y, bias, weight, offset, among)


def _softplus_matrix(
    x: Tensor,
    y: Tensor,
    bias: Tensor,
    weight: float | Tensor,
    offset: int,
    among: tuple[Tensor, Tensor] | None,
) -> Tensor:
    s = torch.addmm(bias[:, None] if bias.ndim else bias, x, y.T)
    if among is None:
        signs = torch.full_like(s, -1.0, requires_grad=False)
        signs.diagonal(offset).fill_(1.0)
        found = logsigmoid(s * signs)
    else:
        found = torch.where(among[0][:, None] == among[1], logsigmoid(-s), 0.0)
    return -(weight @ found.sum(1)) if isinstance(weight, Tensor) else found.sum() * -weight


@uncompiled
def _softplus_by_tiles(*inputs: Any) -> Tensor:
    found: Tensor = _Softplus.apply(*inputs)
    return found


class _Softplus(torch.autograd.Function):
    """The gradient is found with the value: every tile is formed once."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        y: Tensor,
        bias: Tensor,
        weight: float | Tensor,
        offset: int,
        among: tuple[Tensor, Tensor] | None,
    ) -> Tensor:
        w = torch.as_tensor(weight, dtype=x.dtype, device=x.device)
        b, w = (k.expand(x.shape[0])[:, None] for k in (bias, w))
        value, needed = x.new_zeros(()), any(ctx.needs_input_grad)
        dx, dy, db = (torch.zeros_like(k) for k in (x, y, b))
        for rows, columns in _tiles(x, y, among):
            s = torch.addmm(b[rows], x[rows], y[columns].T)
            partners = s.diagonal(offset + rows.start - columns.start)
            if among is None:
                partners.neg_()
            else:
                s.masked_fill_(among[0][rows, None] != among[1][columns], -inf)
            value -= torch.mul(logsigmoid(-s), w[rows]).sum()
            if not needed:
                continue
            h = s.sigmoid_().mul_(w[rows])
            if among is None:
                partners.neg_()
            dx[rows].addmm_(h, y[columns])
            dy[columns].addmm_(h.T, x[rows])
            db[rows] += h.sum(1, keepdim=True)
        ctx.save_for_backward(
            x, y, bias, dx, dy, db[:, 0].sum_to_size(bias.shape) if needed else db
        )
        ctx.options = weight, offset, among
        return value

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        *inputs, dx, dy, db = ctx.saved_tensors
        if torch.is_grad_enabled():
            again = _softplus_matrix(*inputs, *ctx.options)
            return *differentiated(again, g, *inputs), None, None, None
        return g * dx, g * dy, g * db, None, None, None


def _tiles(
    x: Tensor, y: Tensor, among: tuple[Tensor, Tensor] | None
) -> Iterator[tuple[slice, slice]]:
    """Blocks of anchors and of points; those that share a number, where numbers are sorted."""
    size = BLOCK if x.device.type == "cpu" else BLOCK_CUDA
    for i in range(0, x.shape[0], size):
        rows, start, stop = slice(i, min(i + size, x.shape[0])), 0, y.shape[0]
        if among is not None:
            start = int(torch.searchsorted(among[1], among[0][rows.start]))
            stop = int(torch.searchsorted(among[1], among[0][rows.stop - 1], right=True))
        for j in range(start, stop, size):
            yield rows, slice(j, min(j + size, stop))
