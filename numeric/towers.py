r"""Evaluates the losses of two towers on embeddings.

Embeddings of the N items are two tensors ``U`` and ``V`` of shape ``(*batch, N, d)``, or
one of shape ``(*batch, 2, N, d)``; a loss sees them through the cross block
``C = U V^T`` alone. For one problem,

.. math:: L_{\text{pairwise}} = \frac1N \Big[\sum_i \ell_p(C_{ii})
              + \sum_{i \ne j} \ell_n(C_{ij})\Big], \qquad
          L_{\text{softmax}} = \frac{w}{2N} \sum_i \big[\operatorname{softplus}(r_i)
              + \operatorname{softplus}(r'_i)\big],

with :math:`r_i = \log\sum_{j \ne i} e^{(C_{ij} - C_{ii})/t}` and :math:`r'_i` the same
over columns: how far the negatives outweigh the positive. That form is InfoNCE, and
has as many digits where the loss is 1e-20 as where it is 1. All that is known to a loss
are the slopes ``M = dL/dC``, of which

.. math:: \nabla_U L = M V, \quad \nabla_V L = M^\top U, \quad
          A = \tfrac12 \begin{pmatrix} 0 & M \\ M^\top & 0 \end{pmatrix}

and its second derivatives along a change of C. Nothing larger than C is formed, but for
the certificate, which asks for A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from sympy import Expr, S
from torch import Tensor

from ..derive.losses.pairwise import PairwiseLoss
from ..derive.losses.softmax import SoftmaxLoss
from ..derive.structures.towers import NEGATIVE, POSITIVE
from ..derive.structures.towers import N as ITEMS
from .inner_products import InnerProductProblem, read_parameters, slopes_rise
from .losses import Parameters, as_function, per_problem
from .problem import wide
from .scalar import Scalar, compile_scalar

#: A declared loss that this module can evaluate.
TowerLoss = PairwiseLoss | SoftmaxLoss


class TowerProblem(InnerProductProblem):
    """A two-tower loss with N and parameters put in, for ``B`` problems; see :func:`bind_towers`.

    Embeddings are ``(B, 2, N, d)``, and the matrix that the loss sees is the cross block.
    """

    items: int

    @property
    def size(self) -> int:
        """Number of vectors, 2N."""
        return 2 * self.items

    def products(self, u: Tensor) -> Tensor:
        return u[:, 0] @ u[:, 1].mT

    def products_along(self, u: Tensor, v: Tensor) -> Tensor:
        return v[:, 0] @ u[:, 1].mT + u[:, 0] @ v[:, 1].mT

    def pull_back(self, slopes: Tensor, u: Tensor) -> Tensor:
        return torch.stack((slopes @ u[:, 1], slopes.mT @ u[:, 0]), dim=1)

    def joint(self, slopes: Tensor) -> Tensor:
        n = self.items
        whole = slopes.new_zeros(slopes.shape[0], 2 * n, 2 * n)
        whole[:, :n, n:] = slopes / 2
        whole[:, n:, :n] = slopes.mT / 2
        return whole

    def pulls(self, slopes: Tensor) -> Tensor:
        size = slopes.abs()
        return torch.cat((size.sum(dim=-1), size.sum(dim=-2)), dim=-1)


def _with_diagonal(matrix: Tensor, diagonal: Tensor) -> Tensor:
    """The matrix, which is written to, with another diagonal."""
    matrix.diagonal(dim1=-2, dim2=-1).copy_(diagonal)
    return matrix


# --- pairwise losses --------------------------------------------------------------------------


@dataclass(frozen=True)
class PairwiseProblem(TowerProblem):
    """Functions of single inner products: one on the diagonal of C, another off it."""

    items: int
    positive: Scalar
    negative: Scalar
    positive_parameters: tuple[Tensor, ...]  # (B,) each, like the next
    negative_parameters: tuple[Tensor, ...]
    batch: Tensor  # (B,), a tensor even where there are no parameters

    def _change(self, change: Callable[[Tensor], Tensor]) -> PairwiseProblem:
        return replace(
            self,
            positive_parameters=tuple(change(x) for x in self.positive_parameters),
            negative_parameters=tuple(change(x) for x in self.negative_parameters),
            batch=change(self.batch),
        )

    @property
    def convex(self) -> Tensor:
        """For each problem, whether the loss is convex, as far as a grid can tell."""
        return slopes_rise(self.positive, self.positive_parameters, self.batch) & slopes_rise(
            self.negative, self.negative_parameters, self.batch
        )

    def value_at(self, cross: Tensor) -> Tensor:
        wide_p = [wide(x, 2) for x in self.positive_parameters]
        wide_n = [wide(x, 3) for x in self.negative_parameters]
        own = cross.diagonal(dim1=-2, dim2=-1)
        same = torch.eye(self.items, dtype=torch.bool, device=cross.device)
        others = self.negative.value(cross, *wide_n).masked_fill(same, 0)
        total = self.positive.value(own, *wide_p).sum(dim=-1) + others.sum(dim=(-2, -1))
        return total / self.items

    def expand(
        self, cross: Tensor, second: bool = True
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        own = cross.diagonal(dim1=-2, dim2=-1)
        wide_p = [wide(x, 2) for x in self.positive_parameters]
        wide_n = [wide(x, 3) for x in self.negative_parameters]
        order = 2 if second else 1
        on = self.positive.expand(own, *wide_p, order=order)
        off = self.negative.expand(cross, *wide_n, order=order)
        value, slopes, *curvature = (
            _with_diagonal(o / self.items, d / self.items) for d, o in zip(on, off, strict=True)
        )
        return value.sum(dim=(-2, -1)), slopes, tuple(curvature)

    def turn(self, memory: tuple[Tensor, ...], change: Tensor) -> Tensor:
        return memory[0] * change

    def stiffness(self, slopes: Tensor, memory: tuple[Tensor, ...]) -> Tensor:
        return memory[0]


# --- softmax losses ---------------------------------------------------------------------------


@dataclass(frozen=True)
class SoftmaxProblem(TowerProblem):
    """InfoNCE in both directions: the positive against the negatives of its row and column."""

    items: int
    weight: Tensor  # (B,)
    temperature: Tensor  # (B,)

    def _change(self, change: Callable[[Tensor], Tensor]) -> SoftmaxProblem:
        return replace(self, weight=change(self.weight), temperature=change(self.temperature))

    @property
    def convex(self) -> Tensor:
        return self.weight >= 0

    def _logits(self, cross: Tensor) -> tuple[Tensor, Tensor]:
        """Excess of every pair over the positive of its row, and of its column; (B, N, N) each."""
        scaled = cross / wide(self.temperature, 3)
        own = scaled.diagonal(dim1=-2, dim2=-1)
        same = torch.eye(self.items, dtype=torch.bool, device=cross.device)
        return (
            (scaled - own[:, :, None]).masked_fill(same, -torch.inf),
            (scaled - own[:, None, :]).masked_fill(same, -torch.inf),
        )

    def value_at(self, cross: Tensor) -> Tensor:
        rows, columns = self._logits(cross)
        r = torch.cat((rows.logsumexp(dim=-1), columns.logsumexp(dim=-2)), dim=-1)
        return self.weight * torch.logaddexp(r, torch.zeros_like(r)).mean(dim=-1)

    def expand(
        self, cross: Tensor, second: bool = True
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        total = torch.zeros_like(self.weight)
        shares = []
        for logits, dim in zip(self._logits(cross), (-1, -2), strict=True):
            r = logits.logsumexp(dim=dim, keepdim=True)
            total = total + torch.logaddexp(r, torch.zeros_like(r)).sum(dim=(-2, -1))
            shares.append((logits - r).exp() * torch.sigmoid(r))  # zero on the diagonal
        rows, columns = shares
        factor = self.weight / (2 * self.items)
        return factor * total, self._slopes(rows, columns), (rows, columns)

    def _slopes(self, rows: Tensor, columns: Tensor) -> Tensor:
        """The negatives' shares, and on the diagonal minus their sums."""
        slopes = _with_diagonal(rows + columns, -(rows.sum(dim=-1) + columns.sum(dim=-2)))
        return slopes * wide(self.weight / (2 * self.items * self.temperature), 3)

    def turn(self, memory: tuple[Tensor, ...], change: Tensor) -> Tensor:
        rows, columns = memory
        own = change.diagonal(dim1=-2, dim2=-1)
        along_rows = rows * (change - own[:, :, None])
        along_columns = columns * (change - own[:, None, :])
        # With P a softmax and D the change of its logits: dP = P (D - <P, D>).
        along_rows = along_rows - rows * along_rows.sum(dim=-1, keepdim=True)
        along_columns = along_columns - columns * along_columns.sum(dim=-2, keepdim=True)
        return self._slopes(along_rows, along_columns) / wide(self.temperature, 3)

    def stiffness(self, slopes: Tensor, memory: tuple[Tensor, ...]) -> Tensor:
        return slopes / wide(self.temperature, 3)


# --- binding ----------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _compile_pairwise(loss: PairwiseLoss) -> tuple[Scalar, Scalar]:
    functions: dict[str, Expr] = {POSITIVE: S.Zero, NEGATIVE: S.Zero}
    for term in loss.terms:
        if term.relation not in functions:
            raise ValueError(
                f"loss {loss.name!r} has a term on {term.relation!r}; pairs of two towers are "
                f"{POSITIVE!r} or {NEGATIVE!r}"
            )
        functions[term.relation] += term.weight * term.function
    return compile_scalar(functions[POSITIVE]), compile_scalar(functions[NEGATIVE])


@lru_cache(maxsize=64)
def _compile_softmax(
    loss: SoftmaxLoss,
) -> tuple[tuple[str, ...], Callable[..., Any], Callable[..., Any]]:
    weight: Expr = S.Zero
    for term in loss.terms:
        if term.positives != (POSITIVE,) or set(term.denominator) != {POSITIVE, NEGATIVE}:
            raise ValueError(
                f"loss {loss.name!r} is not of the form evaluated here: one positive against "
                "itself and the negatives of its row and column"
            )
        weight += term.coefficient
    symbols = weight.free_symbols | loss.temperature.free_symbols
    names = tuple(sorted(symbol.name for symbol in symbols))
    return names, as_function(weight, names), as_function(loss.temperature, names)


def tower_parameter_names(loss: TowerLoss) -> tuple[str, ...]:
    """Names of the parameters that a declared two-tower loss depends on, sorted; N is not one."""
    if isinstance(loss, PairwiseLoss):
        found = {name for function in _compile_pairwise(loss) for name in function.names}
    else:
        found = set(_compile_softmax(loss)[0])
    return tuple(sorted(found - {ITEMS.name}))


def bind_towers(
    loss: TowerLoss,
    params: Parameters,
    *,
    N: int,
    batch: int = 1,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> TowerProblem:
    """Put N and parameters into a declared loss.

    Parameters
    ----------
    loss
        The declaration.
    params
        One entry for each name in :func:`tower_parameter_names`: a number, or a tensor of
        ``batch`` numbers.
    N
        Number of items, at least 2.
    batch
        Number of problems.
    dtype, device
        Those of the embeddings it will be given.

    Raises
    ------
    ValueError
        If N is less than 2, parameters are missing, unknown, not finite or of the wrong
        shape, the temperature of a softmax is not positive, or the declaration has parts
        that two towers have not.
    """
    if N < 2:
        raise ValueError(f"two towers need N >= 2 items, or there are no negatives; got N={N}")
    names = tower_parameter_names(loss)
    values = read_parameters(loss.name, names, params, batch, dtype, device)
    values[ITEMS.name] = per_problem(ITEMS.name, float(N), batch, dtype, device)
    if isinstance(loss, PairwiseLoss):
        positive, negative = _compile_pairwise(loss)
        return PairwiseProblem(
            N,
            positive,
            negative,
            tuple(values[name] for name in positive.names),
            tuple(values[name] for name in negative.names),
            values[ITEMS.name],
        )
    used, weight, temperature = _compile_softmax(loss)

    def number(function: Callable[..., Any]) -> Tensor:
        result = function(*(values[name] for name in used))
        return torch.as_tensor(result, dtype=dtype, device=device).expand(batch).clone()

    tau = number(temperature)
    if not bool((tau > 0).all()):
        raise ValueError(f"the temperature must be positive, got {float(tau.min()):g}")
    return SoftmaxProblem(N, number(weight), tau)


# --- for single calls -------------------------------------------------------------------------


def bind_towers_to(loss: TowerLoss, u: Tensor, params: Parameters) -> tuple[TowerProblem, Tensor]:
    """Bind a loss to ``(*batch, 2, N, d)``; also returns the embeddings as one flat batch."""
    if u.ndim < 3 or u.shape[-3] != 2:
        raise ValueError(
            f"embeddings have the shape (..., 2, item, coordinate), got {tuple(u.shape)}"
        )
    batch = u.shape[:-3]
    flat = u.reshape(-1, *u.shape[-3:])
    spread = {
        name: torch.broadcast_to(x, batch).reshape(-1) if isinstance(x, Tensor) else x
        for name, x in params.items()
    }
    bound = bind_towers(
        loss, spread, N=u.shape[-2], batch=len(flat), dtype=u.dtype, device=u.device
    )
    return bound, flat


def join(u: Tensor, v: Tensor) -> Tensor:
    """Two towers ``(*batch, N, d)`` as one tensor ``(*batch, 2, N, d)``."""
    if u.shape != v.shape or u.ndim < 2:
        raise ValueError(
            f"the towers must have one shape (..., item, coordinate), got {tuple(u.shape)} "
            f"and {tuple(v.shape)}"
        )
    return torch.stack((u, v), dim=-3)


def evaluate_towers(
    loss: TowerLoss, u: Tensor, v: Tensor, params: Mapping[str, float | Tensor]
) -> Tensor:
    """Loss of towers ``(*batch, N, d)``, of shape ``batch``; differentiable by autograd.

    Parameters are numbers, or tensors that broadcast to the shape of the batch.
    """
    bound, flat = bind_towers_to(loss, join(u, v), params)
    return bound.value(flat).reshape(u.shape[:-2])


def tower_gradients(
    loss: TowerLoss, u: Tensor, v: Tensor, params: Mapping[str, float | Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """Loss and its gradients in both towers, by hand-written formulas."""
    bound, flat = bind_towers_to(loss, join(u, v), params)
    value, gradient = bound.value_and_gradient(flat)
    du, dv = gradient.unbind(1)
    return value.reshape(u.shape[:-2]), du.reshape(u.shape), dv.reshape(v.shape)
