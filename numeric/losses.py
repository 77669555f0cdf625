r"""Evaluates a declared :class:`~cltheory.derive.losses.softmax.SoftmaxLoss` on embeddings.

Embeddings are a tensor ``U`` of shape ``(*batch, m, n, p, d)``: class, instance,
view, coordinate, with rows of unit length. Every problem of a batch has its own
parameters, so a grid of temperatures is one call.

Collecting the terms of a declaration leaves, for one problem,

.. math:: L(G) = \frac1N \sum_k c_k \sum_i \log\!\!\sum_{j \in D_k(i)} e^{G_{ij}/\tau}
                 - \langle W, G\rangle,  \qquad G = U U^\top,

with one log-sum-exp for each *different* set of relations in a denominator, and a
matrix ``W`` that is constant on relations. ``<W, G>`` telescopes into squared
lengths of sums of vectors, so it costs ``O(N d)``; a denominator over the own class
needs ``m`` blocks of ``n p`` by ``n p`` only. ``L`` is convex in ``G`` when
``c_k >= 0``, which is what :mod:`.certificate` rests on.

The gradient and the Hessian are written by hand: they share their intermediate
results, and cost a small multiple of the matrix products they consist of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from sympy import Expr, lambdify
from torch import Tensor

from ..derive.losses.softmax import SoftmaxLoss
from .problem import wide

#: A parameter: one number for all problems, or a tensor of the shape of the batch.
Parameter = float | Tensor
Parameters = Mapping[str, Parameter]

#: The relations of an ordered pair of embeddings, from near to far.
RELATIONS = ("self", "same_instance", "same_class", "cross_class")


def relation_counts(m: int, n: int, p: int) -> dict[str, int]:
    """Number of embeddings in each relation to a given one."""
    return dict(zip(RELATIONS, (1, p - 1, (n - 1) * p, (m - 1) * n * p), strict=True))


# ------------------------------------------------------------------ compiled declarations


def as_function(expr: Expr, names: tuple[str, ...]) -> Callable[..., Any]:
    """Compile a coefficient or a temperature to a torch function of its parameters."""
    functions = {"exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "tanh": torch.tanh}
    function: Callable[..., Any] = lambdify(names, expr, modules=[functions])
    return function


@dataclass(frozen=True)
class _Compiled:
    """The coefficients of a declaration as functions of its parameters."""

    names: tuple[str, ...]
    temperature: Callable[..., Any]
    coefficients: tuple[Callable[..., Any], ...]


@lru_cache(maxsize=64)
def _compile(loss: SoftmaxLoss) -> _Compiled:
    expressions = [loss.temperature, *(term.coefficient for term in loss.terms)]
    names = tuple(sorted({symbol.name for e in expressions for symbol in e.free_symbols}))
    temperature, *coefficients = (as_function(e, names) for e in expressions)
    return _Compiled(names, temperature, tuple(coefficients))


def parameter_names(loss: SoftmaxLoss) -> tuple[str, ...]:
    """Names of the parameters that a declared loss depends on, sorted."""
    return _compile(loss).names


# ------------------------------------------------------------------------- bound losses


@dataclass(frozen=True)
class _Denominator:
    """One log-sum-exp: its weight per problem and where its pairs are."""

    weight: Tensor  # (B,), sum of the coefficients of the terms that share it
    blocks: int  # the N embeddings as `blocks` groups that no pair leaves
    outside: Tensor | None  # (size, size), True where a pair of a block is not meant
    has_self: bool


@dataclass(frozen=True)
class BoundLoss:
    """A loss with sizes and parameters put in, for ``B`` problems; see :func:`bind`.

    Its methods take embeddings of shape ``(B, m, n, p, d)``.
    """

    m: int
    n: int
    p: int
    tau: Tensor
    denominators: tuple[_Denominator, ...]
    sums: tuple[Tensor, Tensor, Tensor, Tensor]  # (B,), weights of the squared sums in <W, G>

    @property
    def size(self) -> int:
        """Number N of embeddings."""
        return self.m * self.n * self.p

    @property
    def convex(self) -> Tensor:
        """For each problem, whether the loss is convex in the Gram matrix."""
        ok = self.tau > 0
        for denominator in self.denominators:
            ok = ok & (denominator.weight >= 0)
        return ok

    def select(self, index: Tensor) -> BoundLoss:
        """The same loss for some of the problems."""
        return BoundLoss(
            self.m,
            self.n,
            self.p,
            self.tau[index],
            tuple(
                _Denominator(d.weight[index], d.blocks, d.outside, d.has_self)
                for d in self.denominators
            ),
            tuple(weight[index] for weight in self.sums),  # type: ignore[arg-type]
        )

    def to(self, dtype: torch.dtype) -> BoundLoss:
        """The same loss in another precision; its parameters keep the values they have."""
        return BoundLoss(
            self.m,
            self.n,
            self.p,
            self.tau.to(dtype),
            tuple(
                _Denominator(d.weight.to(dtype), d.blocks, d.outside, d.has_self)
                for d in self.denominators
            ),
            tuple(weight.to(dtype) for weight in self.sums),  # type: ignore[arg-type]
        )

    def value(self, u: Tensor) -> Tensor:
        """Loss of each problem, ``(B,)``; differentiable by autograd."""
        total = -self._linear_value(u)
        for denominator in self.denominators:
            x = self._in_blocks(u, denominator)
            logits = (x @ x.mT) / wide(self.tau, 4)
            if denominator.outside is not None:
                logits = logits.masked_fill(denominator.outside, -torch.inf)
            mean = torch.logsumexp(logits, dim=-1).sum(dim=(1, 2)) / self.size
            total = total + denominator.weight * mean
        return total

    def point(self, u: Tensor) -> Point:
        """The loss at embeddings."""
        return Point(self, u)

    def value_and_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its gradient in the embeddings (in all of R^d, not projected)."""
        point = Point(self, u)
        return point.value, point.gradient

    def gram_gradient(self, u: Tensor) -> Tensor:
        """Symmetric gradient ``A`` of the loss in the Gram matrix, ``(B, N, N)``.

        ``dL = <A, dG>``, the sum running over all ordered pairs.
        """
        return self.value_and_gram_gradient(u)[1]

    def value_and_gram_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its gradient in the Gram matrix."""
        value = -self._linear_value(u)
        total = u.new_zeros(u.shape[0], self.size, self.size)
        self._add_linear(total, -1.0)
        for denominator in self.denominators:
            x = self._in_blocks(u, denominator)
            _, q, log_sum = _softmax_pairs(x, self.tau, denominator)
            q *= wide(denominator.weight / (2 * self.size * self.tau), 4)
            _diagonal_blocks(total, denominator.blocks).add_(q.permute(0, 2, 3, 1))
            value += denominator.weight * log_sum.sum(dim=(1, 2)) / self.size
        return value, total

    def _in_blocks(self, u: Tensor, denominator: _Denominator) -> Tensor:
        return u.reshape(u.shape[0], denominator.blocks, -1, u.shape[-1])

    # <W, G> = a0 sum |u|^2 + a1 sum |instance|^2 + a2 sum |class|^2 + a3 |everything|^2,
    # where a name stands for the sum of the vectors in it.

    def _linear_value(self, u: Tensor) -> Tensor:
        instances = u.sum(dim=3)
        classes = instances.sum(dim=2)
        sums = (u, instances, classes, classes.sum(dim=1))
        total = torch.zeros_like(self.tau)
        for weight, vectors in zip(self.sums, sums, strict=True):
            total = total + weight * vectors.square().flatten(1).sum(dim=1)
        return total

    def _linear_gradient(self, v: Tensor) -> Tensor:
        """``2 W v``: the gradient of ``<W, G>`` at v, and by linearity its derivative along v."""
        a0, a1, a2, a3 = (2 * weight for weight in self.sums)
        instances = v.sum(dim=3)
        classes = instances.sum(dim=2)
        far = wide(a2, 3) * classes + wide(a3, 3) * classes.sum(dim=1, keepdim=True)
        near = wide(a1, 4) * instances + far[:, :, None]
        return wide(a0, 5) * v + near[:, :, :, None]

    def _add_linear(self, matrices: Tensor, factor: float) -> None:
        """Add ``factor * W`` to ``(B, N, N)``, in place."""
        a0, a1, a2, a3 = (factor * weight for weight in self.sums)
        matrices += wide(a3, 3)
        for weight, blocks in ((a0, self.size), (a1, self.m * self.n), (a2, self.m)):
            _diagonal_blocks(matrices, blocks).add_(wide(weight, 4))


def _diagonal_blocks(matrices: Tensor, blocks: int) -> Tensor:
    """View of ``(B, N, N)`` as its diagonal blocks, ``(B, N / blocks, N / blocks, blocks)``."""
    k = matrices.shape[-1] // blocks
    return matrices.view(-1, blocks, k, blocks, k).diagonal(dim1=1, dim2=3)


class Point:
    """Value, gradient and Hessian of a bound loss at one set of embeddings.

    Parameters
    ----------
    loss, u
        The loss and the embeddings, ``(B, m, n, p, d)``.

    Attributes
    ----------
    value : Tensor
        ``(B,)``
    gradient : Tensor
        The shape of ``u``.
    unit, noise, resolution : Tensor
        ``(B,)``; what the search measures progress by, as said of
        :class:`~cltheory.numeric.problem.Point`. Entries of the gradient are of the order
        of 1/tau, and their rounding errors too, in units of the machine's epsilon.
    """

    def __init__(self, loss: BoundLoss, u: Tensor) -> None:
        self.loss = loss
        self.u = u
        self.value = -loss._linear_value(u)
        self.gradient = torch.zeros_like(u)
        # For each denominator its P and, scaled, P + P^T; -2 W joins the first one that is
        # a whole N by N matrix, and is left to sums of vectors where there is none.
        self._softmax: list[tuple[Tensor, Tensor]] = []
        self._sums_left = True
        for denominator in loss.denominators:
            x = loss._in_blocks(u, denominator)
            p, q, log_sum = _softmax_pairs(x, loss.tau, denominator)
            q *= wide(denominator.weight / (loss.size * loss.tau), 4)
            if denominator.blocks == 1 and self._sums_left:
                loss._add_linear(q[:, 0], -2.0)
                self._sums_left = False
            self.value += denominator.weight * log_sum.sum(dim=(1, 2)) / loss.size
            self.gradient += (q @ x).view_as(u)
            self._softmax.append((p, q))
        if self._sums_left:
            self.gradient -= loss._linear_gradient(u)

    @property
    def unit(self) -> Tensor:
        return torch.ones_like(self.value)

    @property
    def noise(self) -> Tensor:
        return 1 / self.loss.tau

    @property
    def resolution(self) -> Tensor:
        return self.value.abs().clamp(min=1)

    def hessian(self, v: Tensor) -> Tensor:
        """Derivative of the gradient along ``v``."""
        loss = self.loss
        total = -loss._linear_gradient(v) if self._sums_left else torch.zeros_like(v)
        for denominator, (p, q) in zip(loss.denominators, self._softmax, strict=True):
            x, y = loss._in_blocks(self.u, denominator), loss._in_blocks(v, denominator)
            # With P the softmax and C = dG: dP = P (C - rowsum(P C)) / tau.
            c = (y * wide(denominator.weight / (loss.size * loss.tau**2), 4)) @ x.mT
            dp = (c + c.mT).mul_(p)
            dp.addcmul_(p, dp.sum(dim=-1, keepdim=True), value=-1)
            total += ((dp + dp.mT) @ x).view_as(v)
            total += (q @ y).view_as(v)
        return total

    def select(self, index: Tensor) -> Point:
        """The same point for some of the problems."""
        part = object.__new__(Point)
        part.loss = self.loss.select(index)
        part.u, part.value, part.gradient = self.u[index], self.value[index], self.gradient[index]
        part._softmax = [(p[index], q[index]) for p, q in self._softmax]
        part._sums_left = self._sums_left
        return part

    def mix(self, take: Tensor, other: Point) -> Point:
        """The other point where ``take`` is True, this one elsewhere."""

        def choose(mine: Tensor, theirs: Tensor) -> Tensor:
            return torch.where(wide(take, mine.ndim), theirs, mine)

        mixed = object.__new__(Point)
        mixed.loss = self.loss
        mixed.u = choose(self.u, other.u)
        mixed.value = choose(self.value, other.value)
        mixed.gradient = choose(self.gradient, other.gradient)
        mixed._softmax = [
            (choose(p, p2), choose(q, q2))
            for (p, q), (p2, q2) in zip(self._softmax, other._softmax, strict=True)
        ]
        mixed._sums_left = self._sums_left
        return mixed


def _softmax_pairs(
    x: Tensor, tau: Tensor, denominator: _Denominator
) -> tuple[Tensor, Tensor, Tensor]:
    """Row-wise softmax P of the inner products in each block, P + P^T, and the log-sums."""
    logits = (x / wide(tau, 4)) @ x.mT
    if denominator.outside is not None:
        logits.masked_fill_(denominator.outside, -torch.inf)
    # Nothing is nearer to a unit vector than itself, which saves looking for the largest.
    own = logits.diagonal(dim1=-2, dim2=-1)
    top = own.clone() if denominator.has_self else logits.amax(dim=-1)
    p = logits.sub_(top[..., None]).exp_()
    z = p.sum(dim=-1)
    p /= z[..., None]
    return p, p + p.mT, top + z.log()


# ------------------------------------------------------------------------------- binding


def bind(
    loss: SoftmaxLoss,
    params: Parameters,
    *,
    m: int,
    n: int,
    p: int,
    batch: int = 1,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> BoundLoss:
    """Put sizes and parameters into a declared loss.

    Parameters
    ----------
    loss
        The declaration.
    params
        One entry for each name in :func:`parameter_names`: a number, or a tensor
        of ``batch`` numbers.
    m, n, p
        Classes, instances of a class, views of an instance.
    batch
        Number of problems.
    dtype, device
        Those of the embeddings it will be given.

    Raises
    ------
    ValueError
        If parameters are missing, unknown or of the wrong shape, the temperature is
        not positive, or a relation that the loss averages over has no pairs.
    """
    if min(m, n, p) < 1:
        raise ValueError(f"m, n and p must be at least 1, got m={m}, n={n}, p={p}")
    compiled = _compile(loss)
    if set(params) != set(compiled.names):
        raise ValueError(
            f"loss {loss.name!r} takes the parameters {', '.join(compiled.names)}; "
            f"got {', '.join(sorted(params)) or 'none'}"
        )
    values = [per_problem(name, params[name], batch, dtype, device) for name in compiled.names]

    def number(function: Callable[..., Any]) -> Tensor:
        return torch.as_tensor(function(*values), dtype=dtype, device=device).expand(batch).clone()

    tau = number(compiled.temperature)
    if not bool((tau > 0).all()):
        raise ValueError(f"the temperature must be positive, got {float(tau.min()):g}")

    counts = relation_counts(m, n, p)
    size = m * n * p
    per_pair = {relation: torch.zeros_like(tau) for relation in RELATIONS}
    weights: dict[frozenset[str], Tensor] = {}
    for term, coefficient in zip(loss.terms, compiled.coefficients, strict=True):
        c = number(coefficient)
        for role, named in (("positives", term.positives), ("denominator", term.denominator)):
            _check_relations(loss, role, named, counts, (m, n, p))
        pairs = size * sum(counts[relation] for relation in term.positives)
        for relation in term.positives:
            per_pair[relation] += c / (pairs * tau)
        key = frozenset(relation for relation in term.denominator if counts[relation])
        weights[key] = weights.get(key, 0) + c
    w = [per_pair[relation] for relation in RELATIONS]
    return BoundLoss(
        m,
        n,
        p,
        tau,
        tuple(_denominator(key, weights[key], m, n, p) for key in sorted(weights, key=sorted)),
        (w[0] - w[1], w[1] - w[2], w[2] - w[3], w[3]),
    )


def per_problem(
    name: str, value: Parameter, batch: int, dtype: torch.dtype, device: torch.device | str
) -> Tensor:
    """A parameter as one number for each problem; an error where that is not what it is."""
    tensor = torch.as_tensor(value, dtype=dtype, device=device).flatten()
    if tensor.numel() not in (1, batch):
        raise ValueError(f"parameter {name!r} has {tensor.numel()} values for {batch} problems")
    if not bool(tensor.isfinite().all()):
        raise ValueError(f"parameter {name!r} is not finite")
    return tensor.expand(batch)


def _check_relations(
    loss: SoftmaxLoss,
    role: str,
    named: Sequence[str],
    counts: Mapping[str, int],
    sizes: tuple[int, int, int],
) -> None:
    unknown = [relation for relation in named if relation not in counts]
    if unknown or len(set(named)) != len(named):
        raise ValueError(f"{role} of loss {loss.name!r} must be different names of {RELATIONS}")
    if not sum(counts[relation] for relation in named):
        m, n, p = sizes
        raise ValueError(
            f"loss {loss.name!r} has a term whose {role} ({', '.join(named)}) "
            f"has no pairs when m={m}, n={n}, p={p}"
        )


def _denominator(key: frozenset[str], weight: Tensor, m: int, n: int, p: int) -> _Denominator:
    """The smallest blocks that hold all pairs of a denominator."""
    if "cross_class" in key:
        blocks = 1
    elif "same_class" in key:
        blocks = m
    else:
        blocks = m * n
    outside = _outside(key, m * n * p // blocks, n, p, weight.device)
    return _Denominator(weight, blocks, outside, "self" in key)


@lru_cache(maxsize=16)
def _outside(key: frozenset[str], size: int, n: int, p: int, device: torch.device) -> Tensor | None:
    """True for the pairs of a block that are not in ``key``; None when all are."""
    index = torch.arange(size, device=device)
    nearness = torch.full((size, size), 3, device=device)
    for relation, group in ((2, n * p), (1, p), (0, 1)):
        label = index // group
        nearness[label[:, None] == label[None, :]] = relation
    meant = torch.tensor([relation in key for relation in RELATIONS], device=device)
    outside = ~meant[nearness]
    return outside if bool(outside.any()) else None


# ----------------------------------------------------------------------- for single calls


def bind_to(loss: SoftmaxLoss, u: Tensor, params: Parameters) -> tuple[BoundLoss, Tensor]:
    """Bind a loss to embeddings of any batch shape; also returns them as one flat batch."""
    m, n, p, d = sizes(u)
    flat = u.reshape(-1, m, n, p, d)
    batch = flat.shape[0]
    spread = {
        name: (
            torch.broadcast_to(value, u.shape[:-4]).reshape(-1)
            if isinstance(value, Tensor)
            else value
        )
        for name, value in params.items()
    }
    bound = bind(loss, spread, m=m, n=n, p=p, batch=batch, dtype=u.dtype, device=u.device)
    return bound, flat


def sizes(u: Tensor) -> tuple[int, int, int, int]:
    """``(m, n, p, d)`` of embeddings; an error where they have fewer than four dimensions."""
    if u.ndim < 4:
        raise ValueError(
            f"embeddings have the shape (..., class, instance, view, coordinate), "
            f"got {tuple(u.shape)}"
        )
    m, n, p, d = u.shape[-4:]
    return m, n, p, d


def evaluate(loss: SoftmaxLoss, u: Tensor, params: Parameters) -> Tensor:
    """Loss of embeddings ``(*batch, m, n, p, d)``, of shape ``batch``.

    Parameters are numbers, or tensors that broadcast to the shape of the batch.
    """
    bound, flat = bind_to(loss, u, params)
    return bound.value(flat).reshape(u.shape[:-4])


def value_and_gradient(loss: SoftmaxLoss, u: Tensor, params: Parameters) -> tuple[Tensor, Tensor]:
    """Loss and its gradient in the embeddings, by hand-written formulas."""
    bound, flat = bind_to(loss, u, params)
    value, gradient = bound.value_and_gradient(flat)
    return value.reshape(u.shape[:-4]), gradient.reshape(u.shape)


def gram_gradient(loss: SoftmaxLoss, u: Tensor, params: Parameters) -> Tensor:
    """Symmetric gradient in the Gram matrix, ``(*batch, N, N)``."""
    bound, flat = bind_to(loss, u, params)
    a = bound.gram_gradient(flat)
    return a.reshape(*u.shape[:-4], *a.shape[-2:])
