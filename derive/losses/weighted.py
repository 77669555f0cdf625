"""Weighted InfoNCE: every other point is a positive, with a weight of its own.

Conventions: the anchor is in no numerator and no denominator; the weights of an anchor are divided
by their sum; the mean is over anchors; one direction. Similarities are any symmetric numbers, minus
squared distances, or cosines over a temperature that divides. Weights of a scheme with a symmetry
are declared by relation instead (:mod:`.labels`).
"""

from __future__ import annotations

from .setting import Setting

#: What stands in the exponents, and what the weights are.
S_ANY = "$s_{ij} = s_{ji}$ any similarities"
S_EUCLIDEAN = r"$s_{ij} = -\|z_i - z_j\|^2$ with points z_i of q coordinates"
S_COSINE = r"$s_{ij} = \cos(z_i, z_j)/\tau$ with points z_i of q coordinates"
W_ANY = r"$w_{ij} \ge 0$ weights, in no row all zero; the diagonal is not used"
W_EXP = r"$w_{ij} = e^{-d_{ij}}$ with dissimilarities d_ij; the diagonal is not used"
OF_LABELS = r"$w_{ij} = e^{-\|y_i - y_j\|^2}$ with labels y_i"


class WeightedInfoNCE(Setting):
    """The loss for a matrix of weights; ``notes`` say what is compared, and the weights."""

    loss: str = (
        r"-\frac{1}{n} \sum_{i \ne j} \frac{w_{ij}}{\sum_{k \ne i} w_{ik}} "
        r"\log\frac{e^{s_{ij}}}{\sum_{k \ne i} e^{s_{ik}}}"
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
