"""What results are about that have no structure: InfoNCE at one anchor, logits, vectors, a bound.

InfoNCE at one anchor compares the positive with the negatives by inner products over a temperature.
Conventions: the positive is in the denominator, the anchor is not; the temperature divides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sympy import Expr, Symbol

from ..decide.domain import DomainError
from .written import Note, Plain, noted


@dataclass(frozen=True)
class Setting:
    """What is spoken of, declared once for all results that speak of it.

    Attributes
    ----------
    notes
        What there is, each from words and formulas.
    loss
        The loss, as text and as LaTeX; None where there is none.
    dimension
        The dimension that is spoken of.
    kind
        What loss it is that no library has.
    """

    notes: tuple[Note, ...]
    loss: tuple[str, str] | None = None
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
        formula = style("equation", self.loss[style.language]) if self.loss is not None else ""
        return formula, tuple(noted(note, style) for note in self.notes)


# --- InfoNCE at one anchor -----------------------------------------------------------------------
INFONCE = Setting(
    (
        (("z", "z"), "is the anchor, of length 1 as all vectors"),
        (("z+", "z^+"), "is its positive"),
        (("z_1, .., z_N", r"z_1, \dots, z_N"), "are its negatives"),
        (("tau", r"\tau"), "divides the inner products"),
        (
            ("M = sum of p_k z_k", r"M = \sum_k p_k z_k"),
            "is the mean of positive and negatives under their softmax p",
        ),
        (
            ("m = sum of q_j z_j", r"m = \sum_j q_j z_j"),
            "is that of the negatives alone, under their own softmax q",
        ),
        (
            "the gradient",
            ("(M - z+)/tau", r"(M - z^+)/\tau"),
            "is with respect to the anchor, taken as free",
        ),
    ),
    (
        "-log(exp(<z, z+>/tau) / (exp(<z, z+>/tau) + sum_j exp(<z, z_j>/tau)))",
        r"-\log\frac{e^{\langle z, z^+\rangle/\tau}}"
        r"{e^{\langle z, z^+\rangle/\tau} + \sum_j e^{\langle z, z_j\rangle/\tau}}",
    ),
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
        ("N logits", ("l_1, .., l_N", r"l_1, \dots, l_N")),
        (
            "their softmax",
            ("q_j = exp(l_j) / sum_k exp(l_k)", r"q_j = e^{l_j} / \sum_k e^{l_k}"),
        ),
        ("it is the gradient of log-sum-exp,", ("log(sum_k exp(l_k))", r"\log \sum_k e^{l_k}")),
    ),
    dimension="any: logits are numbers",
)
VECTORS = Setting(
    (
        ("n unit vectors", ("z_1, .., z_n", r"z_1, \dots, z_n"), "in d dimensions"),
        (
            "their second moment",
            ("S = 1/n sum_i z_i z_i'", r"S = \frac{1}{n} \sum_i z_i z_i^\top"),
        ),
        ("its effective rank", ("1/tr(S^2)", r"1/\mathrm{tr}(S^2)")),
    ),
)
CANDIDATE = Setting(
    (
        ("b unit vectors", ("z_1, .., z_b", r"z_1, \dots, z_b"), "in d dimensions"),
        (
            "their second moment",
            ("S = 1/b sum_i z_i z_i'", r"S = \frac{1}{b} \sum_i z_i z_i^\top"),
        ),
        ("a candidate", ("z", "z"), "that joins them"),
    ),
)
WHITENED = Setting(
    (
        (
            "a bound",
            ("A sigma + B", r"A\sigma + B"),
            "of which whitening changes",
            ("sigma", r"\sigma"),
            "alone, to",
            ("1/d", "1/d"),
        ),
    ),
)
MAXIMUM_ENTROPY = Setting(
    (
        (
            ("psi_i", r"\psi_i"),
            "are similarities of the query to n samples, the first is the positive",
        ),
        (("alpha", r"\alpha"), "are shares: not negative, and they add up to 1"),
        (
            (
                "H(alpha) = -sum_i alpha_i log alpha_i",
                r"H(\alpha) = -\sum_i \alpha_i \log \alpha_i",
            ),
            "is their entropy",
        ),
        (
            "P1 maximises H over shares with",
            ("psi_1 <= sum_i alpha_i psi_i", r"\psi_1 \le \sum_i \alpha_i \psi_i"),
        ),
        (
            "P2 maximises over all shares",
            (
                "-E(alpha) = sum_i alpha_i psi_i - psi_1 + tau H(alpha)",
                r"-E(\alpha) = \sum_i \alpha_i \psi_i - \psi_1 + \tau H(\alpha)",
            ),
        ),
    ),
    dimension="any: similarities are numbers",
)
