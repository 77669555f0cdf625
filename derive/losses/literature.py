"""Pairwise losses that are in use, by name, as text in the inner product ``x``.

Each is a function of positive and one of negative pairs, as in lee2024sigmoid (5); scales
and margins of the source are kept where it fixes them, and ``t`` and ``b`` where it does not.
"""

from __future__ import annotations

from ..frozen import FrozenValue


class Named(FrozenValue):
    """A loss of the literature: its two functions, and where it is from."""

    lp: str
    ln: str
    source: str


LITERATURE = {
    "sigmoid": Named(
        "softplus(-t*x + b)", "softplus(t*x - b)", "SigLIP (Zhai et al., 2023), lee2024sigmoid (2)"
    ),
    "softplus-margin": Named(
        "softplus(-t*(x - 1/4))",
        "softplus(t*(x + 1/4))",
        "logistic loss with a margin of 1/4 on both sides",
    ),
    "exponential": Named("exp(-t*x)", "exp(t*x)", "exponential loss, as in AdaBoost"),
    "hinge": Named("max(0, 1 - x)", "max(0, 1 + x)", "hinge loss of a support vector machine"),
    "squared-hinge": Named("max(0, 1 - x)^2", "max(0, 1 + x)^2", "squared hinge loss"),
    "cosine-embedding": Named(
        "1 - x", "max(0, x - 1/2)", "PyTorch's CosineEmbeddingLoss with margin 1/2"
    ),
    "linear": Named("-x", "x", "the limit of InfoNCE and of the sigmoid loss at high temperature"),
    "focal": Named(
        "sigmoid(-2*x)^2 * softplus(-2*x)",
        "sigmoid(2*x)^2 * softplus(2*x)",
        "logistic loss with focal weight (Lin et al., 2017), gamma = 2, logits 2 x",
    ),
    "sharp-focal": Named(
        "sigmoid(-8*x)^2 * softplus(-8*x)",
        "sigmoid(8*x)^2 * softplus(8*x)",
        "the same with logits 8 x",
    ),
    "spectral": Named("-2*x", "x^2", "spectral contrastive loss (HaoChen et al., 2021)"),
    "distance-margin": Named(
        "2 - 2*x",
        "max(0, 1 - sqrt(2 - 2*x))^2",
        "contrastive loss on distances (Hadsell et al., 2006), margin 1",
    ),
}
