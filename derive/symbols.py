"""One home for every symbol and its assumptions.

Symbols of equal name and different assumptions are different symbols in SymPy,
so nothing else in the project may create one of these. A symbol carries the
assumptions that hold wherever it is used; sharper restrictions (``m >= 2``)
belong to a :class:`~cltheory.derive.engine.domain.Domain`.
"""

from __future__ import annotations

from sympy import Symbol

m = Symbol("m", integer=True, positive=True)  #: number of classes
n = Symbol("n", integer=True, positive=True)  #: instances per class
p = Symbol("p", integer=True, positive=True)  #: views per instance; vectors per item in a tower

alpha = Symbol("alpha", nonnegative=True)  #: weight of the self-supervised term, in [0, 1]
tau = Symbol("tau", positive=True)  #: temperature
delta = Symbol("delta", nonnegative=True)  #: position on the SSEM, as in Definition 2
x = Symbol("x", nonnegative=True)  #: position on a Gram segment; delta**2*m*n/(m*n - 1) on SSEM
radius = Symbol("r", positive=True)  #: common norm of the embeddings, 1 unless said otherwise

N = Symbol("N", integer=True, positive=True)  #: items, each with an embedding per tower
t = Symbol("t", positive=True)  #: temperature of two-tower losses (in InfoNCE it divides)
b = Symbol("b", real=True)  #: bias of the sigmoid loss
c = Symbol("c", real=True)  #: an inner product, the argument of a pairwise loss
K = Symbol("K", integer=True, positive=True)  #: towers (modalities), all pairs of which are used
w = Symbol("w", positive=True)  #: weight of a negative pair, that of a positive being one
