"""The values that sizes and parameters may take in the problems that are in use."""

from __future__ import annotations

from sympy import Rational, S

from ..decide.domain import POSITIVE, Domain, Range, at_least, between
from ..losses.clip import b, t
from ..losses.softmax import tau
from ..losses.supcl import alpha, beta
from ..structures.hierarchy import M, m, n, p
from ..structures.towers import N

# --- views in instances in classes -------------------------------------------------------------
SIZES = Domain({m: at_least(2), n: at_least(2), p: at_least(1)}, {m: 3, n: 2, p: 2})
TEMPERED = SIZES.with_range(tau, POSITIVE, Rational(1, 2))
COMBINED = TEMPERED.with_range(alpha, between(0, 1), Rational(1, 2))

#: Where other views of an instance are all the positives there are.
VIEWS = at_least(2, "an anchor has no positives without another view")
SEVERAL_VIEWS = COMBINED.with_range(p, VIEWS, 2)

#: One term per level: alpha on views, beta on instances, what is left on classes.
SUPERCLASSES = Domain(
    {
        M: at_least(2),
        **TEMPERED.ranges,
        alpha: between(0, 1),
        beta: between(0, 1 - alpha, why="the three weights add up to one"),
    },
    {M: 2, **TEMPERED.witness, alpha: Rational(1, 4), beta: Rational(1, 4)},
)

# --- instances with views, no classes ----------------------------------------------------------
INSTANCES = Domain({n: at_least(2), p: VIEWS, tau: POSITIVE}, {n: 3, p: 2, tau: Rational(1, 2)})

# --- two towers --------------------------------------------------------------------------------
ITEMS = Domain({N: at_least(2)}, {N: 4})
WARM = ITEMS.with_range(t, POSITIVE, 1)
BIASED = WARM.with_range(b, Range(-S.Infinity), Rational(1, 2))
#: For a temperature that divides.
PAIRED = ITEMS.with_range(tau, POSITIVE, Rational(1, 2))
