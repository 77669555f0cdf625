"""Mutants of domains: their ends, their cases and their points."""

from __future__ import annotations

from mutant import mutants

DOMAIN = ("derive/test_domain.py",)
D = "decide/domain.py"

MUTANTS = [
    *mutants(
        D,
        DOMAIN,
        (
            "return row if r.high_open else [*row, (symbol, r.high, None, False)]",
            "return row",
            "a closed end is taken as open",
        ),
        ("+ u, u, r.low_open)", "+ u, u, True)", "the closed end of a half line is taken as open"),
        (
            "(symbol, (r.low + r.high * u) / (1 + u), u, r.low_open)",
            "(symbol, (r.low + r.high * u) / (1 + u), u, True)",
            "the closed lower end of an interval is taken as open",
        ),
        ("u, False), (symbol, -u, u, False)]", "u, False)]", "the real line is reduced to b >= 0"),
        (
            "return [(symbol, u, u, False), (symbol, -u, u, False)]",
            "return [(symbol, u, u, True), (symbol, -u, u, True)]",
            "the real line has no zero",
        ),
        ("u, u, r.high_open", "u, u, True", "the closed upper end of a half line is taken as open"),
        ("- u, u, r.high_open", "+ u, u, r.high_open", "a half line to the left goes to the right"),
        ("< 0 or (r.low_open and below == 0))", "< 0)", "an open lower end is admissible"),
        (
            "(above > 0 or (r.high_open and above == 0 and value is not oo))",
            "(above > 0)",
            "an open upper end is admissible",
        ),
        (
            "if self.contains(point):\n                yield point\n\n    def generic_points",
            "yield point\n\n    def generic_points",
            "points outside the domain refute",
        ),
        (
            "not value.is_Rational and value.is_number and value.is_extended_real is not True",
            "False",
            "nan is compared with the ends",
        ),
        (
            'object.__setattr__(self, "ranges", in_order(self.ranges))',
            "pass",
            "a range may refer to a later symbol",
        ),
        (
            "if (s.is_integer and not r.integer) or not _keeps_sign(s, at_ends, r.high_open):",
            "if False:",
            "a positive symbol may have negative values",
        ),
        ("if not self.witness[s].is_finite:", "if False:", "infinity is a witness"),
        (
            "        return known\n",
            "        return -known\n",
            "balls tell the wrong side of an end",
        ),
        ("return -1 if end is oo else 1", "return 1", "every number is larger than infinity"),
    ),
    *mutants(
        D,
        ("derive/test_normal.py",),
        (
            "for choice in product(*(_images(s, r) for s, r in self.ranges.items())):",
            "for choice in zip(*(_images(s, r) for s, r in self.ranges.items()), strict=False):",
            "cases of several symbols are not combined",
        ),
    ),
]
