"""One home for every symbol and its assumptions.

Symbols of equal name and different assumptions are different symbols in SymPy,
so nothing else in the project may create one of these. A symbol carries the
assumptions that hold wherever it is used; sharper restrictions (``m >= 2``)
belong to a :class:`~cltheory.derive.decide.domain.Domain`.
"""

from __future__ import annotations

from sympy import Symbol

m = Symbol("m", integer=True, positive=True)
n = Symbol("n", integer=True, positive=True)
p = Symbol("p", integer=True, positive=True)
M = Symbol("M", integer=True, positive=True)

alpha = Symbol("alpha", nonnegative=True)
beta = Symbol("beta", nonnegative=True)
tau = Symbol("tau", positive=True)
delta = Symbol("delta", nonnegative=True)
x = Symbol("x", nonnegative=True)
radius = Symbol("r", positive=True)

N = Symbol("N", integer=True, positive=True)
t = Symbol("t", positive=True)
b = Symbol("b", real=True)
c = Symbol("c", real=True)
K = Symbol("K", integer=True, positive=True)
w = Symbol("w", positive=True)

#: What each one is, for a reader who types its name.
MEANINGS = {
    m: "number of classes",
    n: "instances per class",
    p: "views per instance; vectors per item in a tower",
    M: "number of superclasses, each with m classes",
    alpha: "weight of the self-supervised term",
    beta: "weight of the term on classes, where there are superclasses",
    tau: "temperature, which divides",
    delta: "position on the segment, as its definition has it",
    x: "position on a Gram segment; delta^2 m n/(m n - 1) on the SSEM",
    radius: "common norm of the embeddings, 1 unless said otherwise",
    N: "items, each with an embedding per tower",
    t: "temperature of two-tower losses (in InfoNCE it divides, in the others it multiplies)",
    b: "bias of the sigmoid loss, subtracted from t times the inner product",
    c: "an inner product, the argument of a pairwise loss",
    K: "towers (modalities), all pairs of which are used",
    w: "weight of a negative pair, that of a positive being one",
}
