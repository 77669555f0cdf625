"""Mutants of limits: the scale of growth, signs, what is followed, values far out."""

from __future__ import annotations

from mutant import Mutant

GROWTH = ("derive/test_growth.py",)
KNOWN = (*GROWTH, "derive/test_limits.py::test_known_limits")
JOINT = (
    *GROWTH,
    "derive/test_limits.py::test_symbols_at_infinity_together_must_not_depend_on_the_order",
)
FAR = (
    *GROWTH,
    "derive/test_limits.py::test_the_comparison_far_out_tells_right_from_wrong",
)

G, S, D, F, T, A, L = (
    f"decide/limits/{s}.py" for s in "growth signs foregone follow toward faraway limit".split()
)

MUTANTS = [
    # --- growth ---
    Mutant(
        G,
        "self._limits[e] = self.sign(coefficient) * oo",
        "self._limits[e] = oo",
        "the sign of a leading coefficient is dropped",
        KNOWN,
    ),
    Mutant(
        G,
        "isinstance(e, exp) and self.limit(e.args[0]) in (oo, -oo):",
        "isinstance(e, exp) and self.limit(e.args[0]) is oo:",
        "exponentials that fall are not of the scale",
        KNOWN,
    ),
    Mutant(
        G,
        "return one | other if self.sign_of_constant(ratio) else other",
        "return one | other",
        "exponentials of different classes compete as one",
        KNOWN,
    ),
    Mutant(
        G,
        "return one | other if self.sign_of_constant(ratio) else other",
        "return one",
        "of two competing exponentials the first wins",
        KNOWN,
    ),
    Mutant(
        G,
        "if self.x in other and not any(self.x in a.free_symbols for a in _logs(one)):",
        "if self.x in other:",
        "every exponential outgrows every power",
        KNOWN,
    ),
    Mutant(
        G,
        "exponent = w.args[0] if self.limit(w.args[0]) is -oo else -w.args[0]",
        "exponent = w.args[0]",
        "what is expanded in need not be small",
        KNOWN,
    ),
    Mutant(
        G,
        "return -1 if one < other else 1",
        "return 1 if one < other else -1",
        "the trailing term is taken for the leading one",
        KNOWN,
    ),
    Mutant(
        G,
        "c = S.Zero if vanishes(c) else neat(c)",
        "c = neat(c)",
        "a zero that is not seen at once leads",
        KNOWN,
    ),
    Mutant(
        G,
        "return Series(tuple(kept[:-1]), kept[-1][0])",
        "return Series(tuple(kept[:-1]), bound)",
        "terms that are cut off are forgotten",
        KNOWN,
    ),
    Mutant(
        G,
        "zip((one, other), reversed(starts), strict=True)",
        "zip((one, other), starts, strict=True)",
        "the rest of a product is that of the wrong factor",
        KNOWN,
    ),
    Mutant(
        G,
        "        parts.append(Series((), start * (self.count + 1)))\n",
        "",
        "the rest of a power series is forgotten",
        KNOWN,
    ),
    Mutant(
        G,
        "if sign < 0 and not power.is_Integer:",
        "if False:",
        "the root of what is negative far out",
        GROWTH,
    ),
    Mutant(
        G,
        "if self.growth.sign(c) <= 0:",
        "if False:",
        "the logarithm of what is negative far out",
        GROWTH,
    ),
    Mutant(
        G,
        "first = _split_log(c) + k * self.exponent",
        "first = _split_log(c)",
        "a logarithm does not grow",
        KNOWN,
    ),
    # --- signs ---
    Mutant(
        S,
        "return self(c.args[0] - 1)",
        "return self(c.args[0])",
        "a logarithm has the sign of its argument",
        GROWTH,
    ),
    Mutant(
        S,
        "if sign < 0 and c.exp.q > 1:",
        "if False:",
        "the root of a negative constant has a sign",
        GROWTH,
    ),
    Mutant(
        S,
        "return sign if c.exp.p % 2 else abs(sign)",
        "return sign",
        "even powers of a constant keep its sign",
        GROWTH,
    ),
    Mutant(
        S,
        "if is_proved_positive(sign * plain, domain):",
        "if is_proved_positive(sign * plain, domain, strict=False):",
        "a coefficient that may vanish leads",
        GROWTH,
    ),
    Mutant(
        S,
        "if value == 0 or value._prec < DIGITS:",
        "if False:",
        "`zero` is taken as not zero",
        GROWTH,
    ),
    Mutant(
        S,
        "domain = domain.with_range(s, Range(low_open=False), 1)",
        "domain = domain.with_positive([s])",
        "symbols that are >= 0 are positive",
        GROWTH,
    ),
    Mutant(
        S,
        "        low = max((a for a in part.args if a.is_Rational), default=-oo)",
        "        high = min((a for a in part.args if a.is_Rational), default=oo)",
        "a maximum is below its arguments",
        GROWTH,
    ),
    Mutant(
        S,
        "range_ = Range(low, high, low_open=False, high_open=high is oo)",
        "range_ = Range(low, high)",
        "a root is never at an end of its bracket",
        GROWTH,
    ),
    # --- follow ---
    Mutant(
        D,
        "sign = _sign(condition.lhs - condition.rhs, x, domain)",
        "sign = _sign(condition.rhs - condition.lhs, x, domain)",
        "the cases that do not apply",
        GROWTH,
    ),
    Mutant(
        D,
        "best = a if (sign > 0) is isinstance(e, Max) and sign else best",
        "best = a if (sign > 0) and sign else best",
        "minima are maxima",
        GROWTH,
    ),
    Mutant(
        F,
        "elif unbounded:",
        "elif False:",
        "a root that grows counts as a constant",
        GROWTH,
    ),
    Mutant(
        F,
        "self.x if limits[unbounded[0]] is oo else -self.x",
        "self.x",
        "what falls without bound rises",
        GROWTH,
    ),
    Mutant(
        F,
        "if is_no_number(found):",
        "if False:",
        "what is followed need not be continuous",
        GROWTH,
    ),
    Mutant(
        F,
        "return low if found > 0 else high",
        "return high if found > 0 else low",
        "a root goes to the wrong end",
        GROWTH,
    ),
    Mutant(
        F,
        "if isinstance(left, Expr) or left > 0:",
        "if isinstance(left, Expr) or left < 0:",
        "the sign left of a tie is taken for its opposite",
        GROWTH,
    ),
    Mutant(
        F,
        "return right if isinstance(right, Expr) or right < 0 else tie",
        "return tie",
        "the root is at the first tie",
        GROWTH,
    ),
    # --- toward ---
    Mutant(
        T,
        "        return point - 1 / x\n",
        "        return point + 1 / x\n",
        "an upper end is approached from outside",
        KNOWN,
    ),
    Mutant(
        T,
        "return x if point is oo else -x",
        "return x",
        "-oo is oo",
        KNOWN,
    ),
    Mutant(
        T,
        "if (r.high if point is oo else r.low) is not point:",
        "if False:",
        "what is bounded goes to oo",
        GROWTH,
    ),
    Mutant(
        T,
        "if r.integer or symbol in point.free_symbols:",
        "if symbol in point.free_symbols:",
        "an integer comes as close as one likes",
        GROWTH,
    ),
    Mutant(
        T,
        "if oo in (low, -high):",
        "if False:",
        "a range that runs away leaves values",
        GROWTH,
    ),
    Mutant(
        T,
        "inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0",
        "inside = False",
        "an end that comes from inside is admissible",
        GROWTH,
    ),
    Mutant(
        T,
        "inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0",
        "inside = True",
        "an end that comes from outside is not admissible",
        GROWTH,
    ),
    Mutant(
        T,
        "end_of(r.high, r.high_open, -1, symbol, point, domain)",
        "end_of(r.high, r.high_open, 1, symbol, point, domain)",
        "upper and lower ends come from the same side",
        GROWTH,
    ),
    # --- faraway ---
    Mutant(
        A,
        "    if c >= b:\n",
        "    if False:\n",
        "a distance that grows does not refute",
        FAR,
    ),
    Mutant(
        A,
        "    if c > SLACK * to_come:\n",
        "    if False:\n",
        "a distance that stays does not refute",
        FAR,
    ),
    Mutant(
        A,
        "TINY = mpmath.mpf(10) ** -25",
        "TINY = mpmath.mpf(10) ** -8",
        "near is there",
        FAR,
    ),
    Mutant(
        A,
        "SLACK = 10\n",
        "SLACK = 10**30\n",
        "anything may still come",
        FAR,
    ),
    Mutant(
        A,
        "        if (found > 0) is not (value is oo):\n"
        '            raise NoValue("it has the other sign")\n',
        "",
        "oo is -oo",
        FAR,
    ),
    Mutant(
        A,
        "    if low <= 0 or high > low * (1 + mpmath.mpf(2) ** -20):\n"
        '        raise TooWide("the distance is not known")\n',
        "",
        "the middle of a wide enclosure is a value",
        FAR,
    ),
    # --- limits ---
    Mutant(
        L,
        "    if not isinstance(seen, Supported):\n        raise NoLimit(",
        "    if False:\n        raise NoLimit(",
        "a limit leaves without a comparison far out",
        GROWTH,
    ),
    Mutant(
        L,
        "    if isinstance(seen, Refuted):\n        raise NoLimit(",
        "    if False:\n        raise NoLimit(",
        "the comparison far out is disabled",
        (*GROWTH, "derive/test_limits.py::test_a_limit_that_values_do_not_approach_does_not_leave"),
    ),
    Mutant(
        L,
        "if one[1] != other[1] and not isinstance(zero(one[1] - other[1], here), Holds):",
        "if False:",
        "the order of limits does not matter",
        JOINT,
    ),
    Mutant(
        L,
        "for powers in product((1, 2), repeat=len(far)):",
        "for powers in product((1,), repeat=len(far)):",
        "several symbols go to oo along one ray only",
        GROWTH,
    ),
    Mutant(
        L,
        "if len(limits) != 1:",
        "if not limits:",
        "an indeterminate value is one of its limits",
        GROWTH,
    ),
    Mutant(
        L,
        "    if isinstance(outcome, Holds) and outcome.evidence.grade is not Grade.EXACT:\n",
        "    if False:\n",
        "an equality at points proves a limit",
        GROWTH,
    ),
    Mutant(
        L,
        'outcome: Outcome = PROVED if own == value else Refuted({}, f"it is {own}")',
        "outcome: Outcome = PROVED",
        "every infinite limit is right",
        GROWTH,
    ),
]
