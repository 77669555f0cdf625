r"""Which of several candidate batches to train on, by their effective ranks.

P1 takes the largest rank, P2 the smallest, P3 the one nearest to a target ``R*``
(ochieng2025diversity, section 1.3 and Algorithm 1). The text sets ``R*`` "by running 10th/90th
percentiles", and elsewhere by a "median/percentile". Here it is the middle between the 10th and the
90th percentile of the ranks of *candidates* seen so far. Those of chosen batches would not do: they
lie near the target, and percentiles of them close in on where it happened to be at first.

So understood, P3 asks for a batch as diverse as random ones are on average, and what it changes is
their spread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from ..metrics import effective_rank

#: Numbers of a batch of vectors that are gathered at once.
CHUNK = 2**24
#: The quantiles of the ranks of candidates that a running target lies between.
BETWEEN = (0.1, 0.9)


class Policy(Protocol):
    """Picks one of several candidates by their effective ranks ``(k,)``; the first of equals."""

    def __call__(self, ranks: Tensor) -> int: ...


class Stability:
    """P1: the largest effective rank."""

    def __call__(self, ranks: Tensor) -> int:
        """Which of the candidates."""
        return int(_finite(ranks).argmax())


class UpdateMagnitude:
    """P2: the smallest effective rank."""

    def __call__(self, ranks: Tensor) -> int:
        """Which of the candidates."""
        return int(_finite(ranks).argmin())


class Balanced:
    """P3: the effective rank nearest to a target.

    Parameters
    ----------
    target
        R*, 1 or more. One beyond min(n, d) asks for the largest, as P1 does. None takes it from
        the candidates seen so far, those at hand included.
    memory
        How many ranks are remembered. While ranks of random batches rise, as they do early in a
        training, an old target is one below them.
    """

    def __init__(
        self,
        target: float | None = None,
        *,
        memory: int = 256,
    ) -> None:
        if target is not None and not target >= 1:
            raise ValueError(f"an effective rank is 1 or more: the target cannot be {target}")
        if memory < 1:
            raise ValueError(f"memory must be 1 or more, not {memory}")
        self.fixed = target
        self.seen: deque[float] = deque(maxlen=memory)

    @property
    def target(self) -> float:
        """R*; nan before there is one."""
        if self.fixed is not None:
            return self.fixed
        if not self.seen:
            return float("nan")
        seen = torch.tensor(list(self.seen), dtype=torch.float64)
        return float(seen.quantile(torch.tensor(BETWEEN, dtype=seen.dtype)).mean())

    def __call__(self, ranks: Tensor) -> int:
        """Which of the candidates."""
        ranks = _finite(ranks)
        if self.fixed is None:
            self.seen.extend(ranks.tolist())
        return int((ranks - self.target).abs().argmin())

    def state_dict(self) -> dict[str, Any]:
        """The ranks seen, for a checkpoint."""
        return {"seen": list(self.seen)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.seen.clear()
        self.seen.extend(state["seen"])


#: The paper's names.
NAMES: dict[str, type[Stability] | type[UpdateMagnitude] | type[Balanced]] = {
    "P1": Stability,
    "P2": UpdateMagnitude,
    "P3": Balanced,
}


def policy_of(policy: str | Policy) -> Policy:
    """The policy of a name, with its defaults; a policy as it is."""
    if not isinstance(policy, str):
        return policy
    if policy not in NAMES:
        raise ValueError(f"policy must be one of {', '.join(NAMES)}, not {policy!r}")
    return NAMES[policy]()


def ranks_of(vectors: Tensor, candidates: Tensor) -> Tensor:
    """Effective ranks of batches of rows.

    Parameters
    ----------
    vectors
        ``(size, d)``; rows of zeros do not count.
    candidates
        Indices of rows, ``(k, n)``.

    Returns
    -------
    Tensor
        ``(k,)``, float64 on the CPU. A batch of zeros has the rank nan.
    """
    each = max(1, CHUNK // (candidates.shape[1] * vectors.shape[1]))
    parts = [
        effective_rank(vectors[some.to(vectors.device)], check=False)
        for some in candidates.split(each)
    ]
    return torch.cat(parts).cpu().double()


def select(batches: Tensor | Sequence[Tensor], policy: str | Policy) -> int:
    """Which of some candidate batches a policy takes.

    Parameters
    ----------
    batches
        ``(k, n, d)``, or k batches ``(n_i, d)``.
    policy
        ``"P1"``, ``"P2"``, ``"P3"``, or a policy.

    Raises
    ------
    ValueError
        If there is none, or one of them has no effective rank.
    """
    if not len(batches):
        raise ValueError("at least one candidate batch is needed")
    return policy_of(policy)(torch.stack([effective_rank(z) for z in batches]).cpu().double())


def _finite(ranks: Tensor) -> Tensor:
    if ranks.ndim != 1 or not len(ranks):
        raise ValueError(f"ranks must be (k,) with k >= 1, not {tuple(ranks.shape)}")
    if not ranks.isfinite().all():
        at = int((~ranks.isfinite()).nonzero()[0])
        raise ValueError(f"candidate {at} has no effective rank")
    return ranks.detach().double().cpu()
