"""How exactly the two sides of a statement are compared."""

from __future__ import annotations

import mpmath

DIGITS = 50
#: Two 50-digit values closer than this (relative to 1 + |value|) count as equal:
#: ten digits are left for rounding in sums of at most a few hundred terms.
CLOSE = mpmath.mpf(10) ** (10 - DIGITS)
