"""Weighted InfoNCE: every other point is a positive, with a weight of its own.

Conventions: the anchor is in no numerator and no denominator; the weights of an anchor are divided
by their sum; the mean is over anchors; one direction. Similarities are any symmetric numbers, minus
squared distances, or cosines over a temperature that divides. Weights of a scheme with a symmetry
are declared by relation instead (:mod:`.labels`).
"""

from __future__ import annotations

from dataclasses import dataclass

from .setting import Setting

#: What stands in the exponents, and what the weights are: a formula as text and LaTeX, and words.
Noted = tuple[tuple[str, str], str]
POINTS = "with points z_i of q coordinates"
S_ANY: Noted = (("s_ij = s_ji", "s_{ij} = s_{ji}"), "any similarities")
S_EUCLIDEAN: Noted = (("s_ij = -|z_i - z_j|^2", r"s_{ij} = -\|z_i - z_j\|^2"), POINTS)
S_COSINE: Noted = (("s_ij = cos(z_i, z_j)/tau", r"s_{ij} = \cos(z_i, z_j)/\tau"), POINTS)
DIAGONAL = "the diagonal is not used"
W_ANY: Noted = (("w_ij >= 0", r"w_{ij} \ge 0"), f"weights, in no row all zero; {DIAGONAL}")
W_EXP: Noted = (
    ("w_ij = exp(-d_ij)", r"w_{ij} = e^{-d_{ij}}"),
    f"with dissimilarities d_ij; {DIAGONAL}",
)
OF_LABELS: Noted = (
    ("w_ij = exp(-|y_i - y_j|^2)", r"w_{ij} = e^{-\|y_i - y_j\|^2}"),
    "with labels y_i",
)


@dataclass(frozen=True)
class WeightedInfoNCE(Setting):
    """The loss for a matrix of weights; ``notes`` say what is compared, and the weights."""

    loss: tuple[str, str] | None = (
        "-1/n sum_{i != j} w_ij/(sum_{k != i} w_ik) log(e^s_ij / sum_{k != i} e^s_ik)",
        r"-\frac{1}{n} \sum_{i \ne j} \frac{w_{ij}}{\sum_{k \ne i} w_{ik}} "
        r"\log\frac{e^{s_{ij}}}{\sum_{k \ne i} e^{s_{ik}}}",
    )
    dimension: str = "q, a parameter"

    @property
    def kind_of_loss(self) -> str:
        """What loss it is that no library has."""
        return "weights given by a matrix, which no library's loss here takes"


WEIGHTED = WeightedInfoNCE(
    (S_ANY, W_ANY), dimension="any: of the similarities only the symmetry is used"
)
WEIGHTED_EUCLIDEAN = WeightedInfoNCE((S_EUCLIDEAN, W_EXP))
WEIGHTED_COSINE = WeightedInfoNCE((S_COSINE, W_EXP))
