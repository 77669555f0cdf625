"""What results are about that have no structure: InfoNCE at one anchor, logits, vectors, a bound.

InfoNCE at one anchor compares the positive with the negatives by inner products over a temperature.
Conventions: the positive is in the denominator, the anchor is not; the temperature divides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Symbol

from ..decide.domain import DomainError
from ..frozen import FrozenValue
from .written import Plain, noted


class Setting(FrozenValue):
    """What is spoken of, declared once for all results that speak of it.

    Attributes
    ----------
    notes
        What there is, in words and formulas; these are in LaTeX, between dollars.
    loss
        The loss in LaTeX; empty where there is none.
    dimension
        The dimension that is spoken of.
    kind
        What loss it is that no library has.
    """

    notes: tuple[str, ...]
    loss: str = ""
    dimension: str = "any"
    kind: str = "the loss of one anchor, which no library's loss here is"

    @property
    def kind_of_loss(self) -> str:
        """What loss it is that no library has, if it is one."""
        return self.kind if self.loss else ""

    def in_dimension(self, id: str, point: Mapping[Symbol, Expr], dimension: int) -> str:
        """What the result ``id`` says in a dimension, as a sentence.

        Raises
        ------
        DomainError
            If it says nothing of it.
        """
        raise DomainError(f"{id} takes no --dim; its dimension: {self.dimension}")

    def written(self, style: Plain) -> tuple[str, tuple[str, ...]]:
        """The formula of the loss, if there is one, and what there is."""
        formula = style("equation", style.tex(self.loss)) if self.loss else ""
        return formula, tuple(noted(note, style) for note in self.notes)


# --- InfoNCE at one anchor -----------------------------------------------------------------------
INFONCE = Setting(
    (
        "$z$ is the anchor, of length 1 as all vectors",
        "$z^+$ is its positive",
        r"$z_1, \dots, z_N$ are its negatives",
        r"$\tau$ divides the inner products",
        r"$M = \sum_k p_k z_k$ is the mean of positive and negatives under their softmax p",
        r"$m = \sum_j q_j z_j$ is that of the negatives alone, under their own softmax q",
        r"the gradient $(M - z^+)/\tau$ is with respect to the anchor, taken as free",
    ),
    r"-\log\frac{e^{\langle z, z^+\rangle/\tau}}"
    r"{e^{\langle z, z^+\rangle/\tau} + \sum_j e^{\langle z, z_j\rangle/\tau}}",
)
INFONCE_OF_BATCH = replace(
    INFONCE,
    notes=(
        *INFONCE.notes,
        "in a batch of n vectors in pairs each is an anchor, its partner the positive, and the "
        "others are the negatives; means are over the n anchors",
    ),
)
INFONCE_OF_LAW = replace(
    INFONCE,
    notes=(
        *INFONCE.notes,
        "anchor, positive and negatives are random; means and variances are over all of them",
    ),
)

# --- without a loss ------------------------------------------------------------------------------
LOGITS = Setting(
    (
        r"N logits $l_1, \dots, l_N$",
        r"their softmax $q_j = e^{l_j} / \sum_k e^{l_k}$",
        r"it is the gradient of log-sum-exp, $\log \sum_k e^{l_k}$",
    ),
    dimension="any: logits are numbers",
)
VECTORS = Setting(
    (
        r"n unit vectors $z_1, \dots, z_n$ in d dimensions",
        r"their second moment $S = \frac{1}{n} \sum_i z_i z_i^\top$",
        r"its effective rank $1/\mathrm{tr}(S^2)$",
    ),
)
CANDIDATE = Setting(
    (
        r"b unit vectors $z_1, \dots, z_b$ in d dimensions",
        r"their second moment $S = \frac{1}{b} \sum_i z_i z_i^\top$",
        "a candidate $z$ that joins them",
    ),
)
WHITENED = Setting(
    (r"a bound $A\sigma + B$ of which whitening changes $\sigma$ alone, to $1/d$",),
)
MAXIMUM_ENTROPY = Setting(
    (
        r"$\psi_i$ are similarities of the query to n samples, the first is the positive",
        r"$\alpha$ are shares: not negative, and they add up to 1",
        r"$H(\alpha) = -\sum_i \alpha_i \log \alpha_i$ is their entropy",
        r"P1 maximises H over shares with $\psi_1 \le \sum_i \alpha_i \psi_i$",
        (
            r"P2 maximises over all shares $-E(\alpha) = \sum_i \alpha_i \psi_i - \psi_1 + \tau "
            r"H(\alpha)$"
        ),
    ),
    dimension="any: similarities are numbers",
)
