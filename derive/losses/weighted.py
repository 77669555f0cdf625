"""Weighted InfoNCE: every other point is a positive, with a weight of its own.

Conventions: the anchor is in no numerator and no denominator; the weights of an anchor are divided
by their sum; the mean is over anchors; one direction. Similarities are any symmetric numbers, minus
squared distances, or cosines over a temperature that divides. Weights of a scheme with a symmetry
are declared by relation instead (:mod:`.labels`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, S, exp, log

from .written import Plain, Tex, noted

Rows = Sequence[Sequence[Expr]]


@dataclass(frozen=True)
class Similarity:
    """What stands in the exponents, and what the weights are.

    Attributes
    ----------
    formulas, words
        Formulas as text and LaTeX, each followed by words.
    """

    formulas: tuple[tuple[str, str], ...]
    words: tuple[str, ...]

    def notes(self, style: Plain) -> tuple[str, ...]:
        """A note for each formula."""
        return tuple(noted(pair, style) for pair in zip(self.formulas, self.words, strict=True))


S_ANY = ("s_ij = s_ji", "s_{ij} = s_{ji}")
S_EUCLIDEAN = ("s_ij = -|z_i - z_j|^2", r"s_{ij} = -\|z_i - z_j\|^2")
S_COSINE = ("s_ij = cos(z_i, z_j)/tau", r"s_{ij} = \cos(z_i, z_j)/\tau")
W_ANY = ("w_ij >= 0", r"w_{ij} \ge 0")
W_EXP = ("w_ij = exp(-d_ij)", r"w_{ij} = e^{-d_{ij}}")
DIAGONAL = "what stands on the diagonal is not used"

ANY = Similarity((S_ANY, W_ANY), ("any similarities", f"weights, in no row all zero; {DIAGONAL}"))
EUCLIDEAN = Similarity(
    (S_EUCLIDEAN, W_EXP), ("of points with q coordinates", f"of dissimilarities; {DIAGONAL}")
)
COSINE = Similarity(
    (S_COSINE, W_EXP), ("of points with q coordinates", f"of dissimilarities; {DIAGONAL}")
)


@dataclass(frozen=True)
class WeightedInfoNCE:
    """The loss for a matrix of weights.

    Attributes
    ----------
    title
        Its name.
    similarity
        What is compared, and the weights.
    dimension
        The dimension that is spoken of.
    source
        Where it is from.
    """

    title: str
    similarity: Similarity
    dimension: str = "any: of the similarities only the symmetry is used"
    source: str = "vock2026unified Definition 3.1"

    @property
    def kind_of_loss(self) -> str:
        """What loss it is that no library has."""
        return "weights given by a matrix, which no library's loss here takes"

    def written(self, style: Plain) -> tuple[str, tuple[str, ...]]:
        """The formula, and what its letters mean."""
        if isinstance(style, Tex):
            share = r"\frac{w_{ij}}{\sum_{k \ne i} w_{ik}}"
            softmax = r"\log\frac{e^{s_{ij}}}{\sum_{k \ne i} e^{s_{ik}}}"
            right = rf"-\frac{{1}}{{n}} \sum_{{i \ne j}} {share} {softmax}"
        else:
            right = "-1/n sum_{i != j} w_ij/(sum_{k != i} w_ik) log(e^s_ij / sum_{k != i} e^s_ik)"
        return style.equation(right), self.similarity.notes(style)

    def value(self, weights: Rows, similarities: Rows) -> Expr:
        """The loss of a matrix of similarities; a pair without weight may have -oo."""
        total = S.Zero
        for i, (row, compared) in enumerate(zip(weights, similarities, strict=True)):
            others = [j for j in range(len(row)) if j != i]
            whole = sum((row[j] for j in others), S.Zero)
            partition = log(sum((exp(compared[j]) for j in others), S.Zero))
            total += sum(
                (row[j] / whole * (partition - compared[j]) for j in others if row[j] != 0), S.Zero
            )
        return total / len(weights)


def entropic_bound(weights: Rows) -> Expr:
    """The mean over rows of the entropy of the weights divided by their sum; 0 log 0 is 0.

    Logarithms of equal numbers are taken together.
    """
    logs: dict[Expr, Expr] = {}
    for i, row in enumerate(weights):
        kept = [w for j, w in enumerate(row) if j != i and w != 0]
        whole = sum(kept, S.Zero)
        logs[whole] = logs.get(whole, S.Zero) + 1
        for w in kept:
            logs[w] = logs.get(w, S.Zero) - w / whole
    return sum((factor * log(e) for e, factor in logs.items()), S.Zero) / len(weights)


WEIGHTED = WeightedInfoNCE("Weighted InfoNCE", ANY)
WEIGHTED_EUCLIDEAN = WeightedInfoNCE(
    "Weighted InfoNCE of squared distances", EUCLIDEAN, "q, a parameter"
)
WEIGHTED_COSINE = WeightedInfoNCE("Weighted InfoNCE of cosines", COSINE, "q, a parameter")
