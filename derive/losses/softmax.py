"""Softmax (InfoNCE-type) losses as declarations.

A declaration is read by the symbolic side (which reduces it on a structure) and
by the torch side (which evaluates it on embeddings), so it names every
convention on which papers and libraries differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr

from .precondition import Precondition


@dataclass(frozen=True)
class SoftmaxTerm:
    r"""One softmax cross-entropy, averaged over anchors and their positives.

    .. math:: -\operatorname{mean}_{u}\operatorname{mean}_{v \in P(u)}
              \log\frac{e^{u \cdot v/\tau}}{\sum_{w \in D(u)} e^{u \cdot w/\tau}}

    Parameters
    ----------
    coefficient
        Weight of the term in the loss, an expression such as ``1 - alpha``.
    positives
        Relations whose pairs are positives; all pairs of an anchor weigh the same.
    denominator
        Relations summed in the denominator. ``"self"`` is the anchor with itself.
    """

    coefficient: Expr
    positives: tuple[str, ...]
    denominator: tuple[str, ...]


@dataclass(frozen=True)
class SoftmaxLoss:
    """A sum of softmax terms at one temperature (``u.v / tau``, mean over anchors)."""

    name: str
    title: str
    terms: tuple[SoftmaxTerm, ...]
    temperature: Expr
    source: str

    def preconditions(self) -> Iterator[Precondition]:
        """What must hold before anything is proved from the declaration."""
        yield Precondition(self.temperature, True, f"the temperature {self.temperature}")
