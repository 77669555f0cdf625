"""The losses of two towers (``lee2024sigmoid``, equations (1), (2) and (5)).

Conventions of the paper: every loss is 1/N times a sum over items. The sigmoid loss sums over all
negatives (no second 1/N), its temperature t multiplies the inner product, and the bias b
is added to -t c for positives and subtracted from t c for negatives. InfoNCE is the sum
of its two directions, and its temperature divides.

Those of public code: SigLIP adds its bias to t c, and CLIP is the mean of its two directions.
"""

from __future__ import annotations

from sympy import Expr, Integer, S, Symbol, exp, log

from ..structures.towers import NEGATIVE, POSITIVE
from .pairwise import PairTerm, PairwiseLoss, c
from .softmax import SoftmaxLoss, SoftmaxTerm, tau

t = Symbol("t", positive=True)
b = Symbol("b", real=True)
w = Symbol("w", positive=True)

MEANINGS = {
    t: "temperature, which multiplies",
    b: "bias beside t times the inner product",
}
WEIGHT = {w: "weight of a negative pair, that of a positive being one"}


def pairwise(name: str, title: str, positive: Expr, negative: Expr, source: str) -> PairwiseLoss:
    """A loss of the form (5): l_p on positive pairs and l_n on negative ones."""
    used = positive.free_symbols | negative.free_symbols
    return PairwiseLoss(
        name,
        title,
        (PairTerm(POSITIVE, positive, S.One), PairTerm(NEGATIVE, negative, S.One)),
        source,
        {s: words for s, words in MEANINGS.items() if s in used},
    )


def softplus(z: Expr) -> Expr:
    """log(1 + exp(z)), which SymPy would ask long for a simpler form."""
    return log(1 + exp(z, evaluate=False), evaluate=False)


SIGMOID = pairwise(
    "sigmoid",
    "sigmoid loss (SigLIP)",
    softplus(b - t * c),
    softplus(t * c - b),
    "lee2024sigmoid (2)",
)

#: minus log sigmoid(z (t c + b)) with z = 1 for positives and -1 for negatives, over N.
SIGLIP = pairwise(
    "siglip",
    "SigLIP loss",
    softplus(-(t * c + b)),
    softplus(t * c + b),
    "Zhai et al. (2023), Algorithm 1",
)

INFONCE = SoftmaxLoss(
    "infonce",
    "InfoNCE loss, both directions",
    (SoftmaxTerm(Integer(2), positives=(POSITIVE,), denominator=(POSITIVE, NEGATIVE)),),
    t,
    "lee2024sigmoid (1)",
)

CLIP = SoftmaxLoss(
    "clip",
    "CLIP loss, the mean of both directions",
    (SoftmaxTerm(S.One, positives=(POSITIVE,), denominator=(POSITIVE, NEGATIVE)),),
    tau,
    "Radford et al. (2021), Figure 3",
)
