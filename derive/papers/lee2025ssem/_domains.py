"""Where the statements are meant."""

from __future__ import annotations

from fractions import Fraction

from sympy import Rational, S

from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...losses.softmax import tau
from ...losses.supcl import alpha
from ...optimum.segment import delta, x
from ...structures.hierarchy import m, n, p

SHAPE = Domain({m: at_least(2), n: at_least(2), p: at_least(1)}, {m: 2, n: 2, p: 1})
HALF = Fraction(1, 2)
THIRD = Fraction(1, 3)
TEMPERED = SHAPE.with_range(tau, Range(), HALF)
SHAPE_DELTA = SHAPE.with_range(delta, Range(low_open=False), 1)
POSITIVE_DELTA = SHAPE.with_range(delta, Range(), 1)
MIXED = TEMPERED.with_range(alpha, between(1 / n, 1, "()"), Rational(3, 4))
LOSS = SHAPE.with_range(alpha, between(0, 1), S.Half).with_range(tau, POSITIVE, 1)
ON_SSEM = LOSS.with_range(delta, between(0, 1), S.Half)
ON_SEGMENT = LOSS.with_range(x, between(0, n / (n - 1)), 1)
