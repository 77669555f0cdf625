"""Samples with labels, one vector each: structure, domain and names that results share."""

from __future__ import annotations

from sympy import Rational, Symbol

from ...decide.domain import POSITIVE, Domain, at_least
from ...losses.softmax import tau
from ...structures.hierarchy import hierarchy, n

C = Symbol("C", integer=True, positive=True)

#: Said of what has no value.
ALONE = "a sample alone in its class has no positive"
ONE_CLASS = "with one class the loss is the same for all vectors with equal inner products"

#: C classes of n samples.
BALANCED = hierarchy((n, "same_class", "samples"), (C, "cross_class", "classes"))
MEANINGS = {C: "number of classes", n: "samples per class"}
SIZES = Domain(
    {C: at_least(2, ONE_CLASS), n: at_least(2, ALONE), tau: POSITIVE},
    {C: 3, n: 4, tau: Rational(1, 2)},
)
