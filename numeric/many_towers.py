r"""Pairwise losses of K towers of N items with p vectors each: evaluated and minimised.

Embeddings are ``(B, K, N, p, d)``: tower, item, vector of the item. A declared
:class:`~cltheory.derive.losses.pairwise.PairwiseLoss` names relations of
:func:`~cltheory.derive.structures.towers.towers_of_views`, and is the mean over the
S = K N p anchors of what their partners add up to,

.. math:: L(G) = \frac1S \sum_i \sum_r \sum_{j \in r(i)} w_r f_r(G_{ij}), \qquad G = U U^\top.

For two towers and p = 1 that is the loss of :mod:`.towers`, where every pair is met from
both of its sides and the mean is over 2N anchors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from sympy import Expr, S
from torch import Tensor

from ..derive.losses.pairwise import PairwiseLoss
from ..derive.structures.hierarchy import p as VIEWS
from ..derive.structures.towers import K as TOWERS
from ..derive.structures.towers import N as ITEMS
from .certificate import Certificate, certify_bound
from .device import resolve_device
from .embeddings import random_embeddings
from .inner_products import InnerProductProblem, read_parameters, slopes_rise
from .losses import Parameters, per_problem
from .many_tower_embeddings import SCHEME, check_sizes, relation_masks
from .optimise import Optimum, batch_size, drawn, search
from .problem import wide
from .scalar import Scalar, compile_scalar


@dataclass(frozen=True)
class _Part:
    """A function of the inner products of some pairs."""

    pairs: Tensor  # where they are in the Gram matrix, flattened
    function: Scalar
    parameters: tuple[Tensor, ...]  # (B,) each


@dataclass(frozen=True)
class ManyTowersProblem(InnerProductProblem):
    """A pairwise loss of K towers with sizes and parameters put in; see :func:`bind_many_towers`.

    Embeddings are ``(B, K, N, p, d)`` or ``(B, K N p, d)``, and the matrix that the loss sees
    is their Gram matrix.
    """

    sizes: tuple[int, int, int]
    parts: tuple[_Part, ...]
    batch: Tensor  # (B,), a tensor even where there are no parameters

    @property
    def size(self) -> int:
        """Number of vectors, K N p."""
        towers, items, views = self.sizes
        return towers * items * views

    @property
    def convex(self) -> Tensor:
        """For each problem, whether the loss is convex, as far as a grid can tell."""
        ok = torch.ones_like(self.batch, dtype=torch.bool)
        for part in self.parts:
            ok = ok & slopes_rise(part.function, part.parameters, self.batch)
        return ok

    def _change(self, change: Callable[[Tensor], Tensor]) -> ManyTowersProblem:
        parts = tuple(
            replace(part, parameters=tuple(change(x) for x in part.parameters))
            for part in self.parts
        )
        return replace(self, parts=parts, batch=change(self.batch))

    def products(self, u: Tensor) -> Tensor:
        rows = u.flatten(1, -2)
        return rows @ rows.mT

    def products_along(self, u: Tensor, v: Tensor) -> Tensor:
        half = v.flatten(1, -2) @ u.flatten(1, -2).mT
        return half + half.mT

    def pull_back(self, slopes: Tensor, u: Tensor) -> Tensor:
        return (2 * slopes @ u.flatten(1, -2)).view_as(u)

    def joint(self, slopes: Tensor) -> Tensor:
        return (slopes + slopes.mT) / 2

    def pulls(self, slopes: Tensor) -> Tensor:
        return 2 * slopes.abs().sum(dim=-1)

    def value_at(self, products: Tensor) -> Tensor:
        entries = products.flatten(1)
        total = torch.zeros_like(self.batch)
        for part in self.parts:
            parameters = (wide(x, 2) for x in part.parameters)
            total = total + part.function.value(entries[:, part.pairs], *parameters).sum(dim=-1)
        return total / self.size

    def expand(
        self, products: Tensor, second: bool = True
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        entries = products.flatten(1)
        order = 2 if second else 1
        total = torch.zeros_like(self.batch)
        found = [torch.zeros_like(entries) for _ in range(order)]
        for part in self.parts:
            parameters = (wide(x, 2) for x in part.parameters)
            value, *rest = part.function.expand(entries[:, part.pairs], *parameters, order=order)
            total = total + value.sum(dim=-1)
            for whole, some in zip(found, rest, strict=True):
                whole[:, part.pairs] = some / self.size
        slopes, *memory = (x.view_as(products) for x in found)
        return total / self.size, slopes, tuple(memory)

    def turn(self, memory: tuple[Tensor, ...], change: Tensor) -> Tensor:
        return memory[0] * change

    def stiffness(self, slopes: Tensor, memory: tuple[Tensor, ...]) -> Tensor:
        return memory[0]


@lru_cache(maxsize=64)
def _compile(loss: PairwiseLoss) -> tuple[tuple[tuple[str, ...], Scalar], ...]:
    """Functions of a loss, each with the relations that it acts on."""
    functions: dict[str, Expr] = {}
    known = [r.name for r in SCHEME.relations[1:]]
    for term in loss.terms:
        if term.relation not in known:
            raise ValueError(
                f"loss {loss.name!r} has a term on {term.relation!r}; pairs of towers are "
                f"{', '.join(known)}"
            )
        functions[term.relation] = (
            functions.get(term.relation, S.Zero) + term.weight * term.function
        )
    merged: dict[Expr, tuple[str, ...]] = {}
    for relation, function in functions.items():
        merged[function] = (*merged.get(function, ()), relation)
    return tuple((relations, compile_scalar(f)) for f, relations in merged.items())


def many_towers_parameter_names(loss: PairwiseLoss) -> tuple[str, ...]:
    """Names of the parameters that a declared loss depends on, sorted; K, N and p are not."""
    found = {name for _, function in _compile(loss) for name in function.names}
    return tuple(sorted(found - {s.name for s in (TOWERS, ITEMS, VIEWS)}))


def bind_many_towers(
    loss: PairwiseLoss,
    params: Parameters,
    *,
    K: int,
    N: int,
    p: int = 1,
    batch: int = 1,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> ManyTowersProblem:
    """Put K, N, p and parameters into a declared loss.

    Parameters
    ----------
    loss
        The declaration.
    params
        One entry for each name in :func:`many_towers_parameter_names`: a number, or a tensor
        of ``batch`` numbers.
    K, N, p
        Towers and items, at least 2, and vectors of each item in every tower, at least 1.
    batch
        Number of problems.
    dtype, device
        Those of the embeddings it will be given.

    Raises
    ------
    ValueError
        If a size is too small, parameters are missing, unknown, not finite or of the wrong
        shape, or the declaration has relations that towers have not.
    """
    check_sizes(K, N, p)
    values = read_parameters(
        loss.name, many_towers_parameter_names(loss), params, batch, dtype, device
    )
    for symbol, size in zip((TOWERS, ITEMS, VIEWS), (K, N, p), strict=True):
        values[symbol.name] = per_problem(symbol.name, float(size), batch, dtype, device)
    masks = relation_masks(K, N, p)
    parts = []
    for relations, function in _compile(loss):
        pairs = torch.stack([masks[r] for r in relations]).any(dim=0).flatten().nonzero().flatten()
        if len(pairs):
            parameters = tuple(values[name] for name in function.names)
            parts.append(_Part(pairs.to(device), function, parameters))
    return ManyTowersProblem((K, N, p), tuple(parts), values[ITEMS.name])


def certify_many_towers(loss: PairwiseLoss, u: Tensor, params: Parameters) -> Certificate:
    """:func:`~cltheory.numeric.certificate.certify` for towers ``(B, K, N, p, d)``."""
    u = u.to(torch.float64)
    batch, towers, items, views = u.shape[:-1]
    bound = bind_many_towers(loss, params, K=towers, N=items, p=views, batch=batch, device=u.device)
    return certify_bound(bound, u)


def minimise_many_towers(
    loss: PairwiseLoss,
    params: Parameters,
    *,
    K: int,
    N: int,
    p: int = 1,
    d: int,
    seeds: int | Sequence[int] = 0,
    start: Tensor | None = None,
    tolerance: float | None = None,
    max_iterations: int = 1000,
    certificate: bool = True,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
) -> Optimum:
    """Minimise a declared loss over K towers of unit embeddings, ``(B, K, N, p, d)``.

    As :func:`~cltheory.numeric.tower_optimise.minimise_towers`, which two towers with p = 1
    are faster in.
    """
    where = resolve_device(device)
    check_sizes(K, N, p)
    if d < 1:
        raise ValueError(f"d must be at least 1, got {d}")
    if start is not None and start.shape[-4:] != (K, N, p, d):
        raise ValueError(f"start has the shape {tuple(start.shape)}, not (B, {K}, {N}, {p}, {d})")
    batch = batch_size(params, seeds, start, 4)
    bound = bind_many_towers(loss, params, K=K, N=N, p=p, batch=batch, dtype=dtype, device=where)
    used_seeds, chosen = drawn(seeds, batch) if start is None else (None, [])
    if start is None:
        start = random_embeddings(chosen, m=K, n=N, p=p, d=d, dtype=dtype, device=where)
    return search(
        bound,
        start.reshape(-1, K, N, p, d),
        batch=batch,
        seeds=used_seeds,
        tolerance=tolerance,
        max_iterations=max_iterations,
        certificate=certificate,
        dtype=dtype,
        device=where,
        chunk=None,
        progress=False,
    )
