"""What the results about a graph of similarity speak of, and the matrices that they take."""

from __future__ import annotations

from sympy import S, oo

from ...decide.domain import Range
from ...losses.setting import Setting
from ...theorem.listed import ListOf

NOT_NEGATIVE = Range(S.Zero, oo, low_open=False)
PI = ListOf(
    "pi",
    NOT_NEGATIVE,
    "weights of the graph: row i is where anchor i draws its positive from; zeros on the diagonal",
    rows=True,
)

DRAWN = (
    r"$\pi_{ij} \ge 0$ is the weight of the edge from i to j, with zeros on the diagonal and "
    r"a positive sum in each row"
)
SHARES = (
    r"$P_{ij} = \pi_{ij} / \sum_l \pi_{il}$ is the probability that anchor i draws the "
    r"positive j"
)

FIELD = Setting(
    (
        DRAWN,
        (
            "$W$ is a subgraph in which every vertex has one edge out, with a probability "
            "proportional to the product of its weights"
        ),
        SHARES,
    ),
    dimension="any: there are no embeddings",
)
SPECTRAL = Setting(
    (
        DRAWN,
        SHARES,
        "$Z_i$ is the embedding of i, and a row of Z",
        r"$\tau$ divides half the squared distance",
        "the sum, not the mean, over the n anchors; the anchor is not in the denominator; rows "
        "of pi are divided by their sum; one direction",
    ),
    r"-\sum_{i \ne j} P_{ij} \log\frac{e^{-\|Z_i - Z_j\|^2/(2\tau)}}"
    r"{\sum_{l \ne i} e^{-\|Z_i - Z_l\|^2/(2\tau)}}",
    dimension="any, unless stated otherwise",
)


PAIRS = Setting(
    (
        "objects of A, such as images, and of B, such as texts, and M pairs of the two",
        "$D_v$ is the number of pairs of v, its degree",
        (
            r"$\pi_{vu} = 1/D_v$ for u paired with v: every object draws a partner, uniformly; the "
            r"graph has no other edges"
        ),
        r"$L = I - \pi$ is its Laplacian, as the weights out of an object sum to 1",
        "$Z_v$ is the embedding of v",
        r"$\tau$ divides half the squared distance",
        "the sum, not the mean, over all objects of both modalities as anchors; candidates are all "
        "objects of the other modality, each once",
    ),
    r"-\sum_v \sum_u \pi_{vu} \log\frac{e^{-\|Z_v - Z_u\|^2/(2\tau)}}"
    r"{\sum_w e^{-\|Z_v - Z_w\|^2/(2\tau)}}",
    dimension="any",
)
