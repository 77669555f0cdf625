"""Mutants of numbers: balls, digits, roots, and what puts them back."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import Mutant

BALLS = ("derive/test_ball.py",)
FLOATS = ("derive/test_functions.py",)
ROOTS = (
    "derive/test_roots.py",
    *(
        f"derive/test_digits.py::{name}"
        for name in (
            "test_roots",
            "test_roots_that_are_simple_numbers_are_exact",
            "test_clamped_ends_are_decided_exactly",
            "test_a_root_at_a_jump_is_the_kink_and_a_root_beside_it_is_not",
            "test_brackets_without_a_sign_are_refused",
        )
    ),
)
DIGITS = (
    "derive/test_roots.py",
    *(
        f"derive/test_digits.py::{name}"
        for name in (
            "test_signs",
            "test_numbers",
            "test_the_float_is_right_to_a_few_digits_more",
            "test_values_that_are_no_numbers",
        )
    ),
)
BACK = (
    "derive/test_roots.py",
    *(
        f"derive/test_putback.py::{name}"
        for name in (
            "test_a_root_is_handed_out_and_a_number_beside_it_is_not",
            "test_a_root_at_an_end_is_put_back_too",
            "test_the_roots_inside_a_quantity_are_put_back",
            "test_roots_at_jumps_flat_parts_and_open_ends",
            "test_a_threshold_changes_the_sign_of_its_condition",
            "test_a_wrong_threshold_is_stopped",
            "test_a_threshold_whose_condition_has_no_sign_is_refused",
            "test_a_threshold_at_zero_and_at_the_border_of_its_parameter",
            "test_a_threshold_at_infinity_is_the_sign_far_out",
            "test_a_limit_is_approached",
            "test_a_value_at_infinity_is_a_limit",
            "test_intervals_hold_the_value",
        )
    ),
)

B, D, R = (f"decide/{s}.py" for s in "ball digits root".split())
P = "theorem/putback.py"
INTERVALS = "theorem/intervals.py"

MUTANTS = [
    # --- ball ---
    Mutant(
        B,
        "            return arb(0).union((-limit).exp())",
        "            return arb(0)",
        "a tiny exponential is zero",
        BALLS,
    ),
    Mutant(
        B,
        "        if x > 0:\n            return x.log()",
        "        if x.mid() > 0:\n            return x.mid().log()",
        "the radius is ignored in a logarithm",
        BALLS,
    ),
    Mutant(
        B,
        "if base.is_zero() and power.is_positive:",
        "if base.is_zero():",
        "one over the root of zero is zero",
        BALLS,
    ),
    Mutant(
        B,
        "if base.is_zero() and power.is_positive:",
        "if base.contains(0) and power.is_positive:",
        "the root of a ball around zero is zero",
        BALLS,
    ),
    Mutant(
        B,
        "                return reduce(lambda a, b: a.union(b), possible)",
        "                return possible[-1]",
        "cases that are not decided do not apply",
        BALLS,
    ),
    Mutant(
        B,
        "        if not (gap > 0 or gap < 0 or gap.is_zero()):\n            return None\n",
        "",
        "a ball around zero is zero in a comparison",
        BALLS,
    ),
    Mutant(
        B,
        "return decisive if decisive in parts else None if None in parts else not decisive",
        "return decisive if decisive in parts else not decisive",
        "of several conditions those that are not decided do not count",
        BALLS,
    ),
    Mutant(
        B,
        "            return None if found is None else not found",
        "            return not found",
        "what is not decided is not the case",
        BALLS,
    ),
    Mutant(
        B,
        "self.known[c] = self(low).union(self(high))",
        "self.known[c] = self(low)",
        "a box is its left end",
        BALLS,
    ),
    Mutant(
        B,
        '            if depth == DEPTH:\n                return Undecided(f"no sign was found on [{a}, {b}]")\n',
        "            if depth == DEPTH:\n                continue\n",
        "the smallest boxes are passed over",
        BALLS,
    ),
    Mutant(
        B,
        "todo += [(middle, b, depth + 1), (a, middle, depth + 1)]",
        "todo += [(a, middle, depth + 1)]",
        "boxes cover one half",
        BALLS,
    ),
    Mutant(
        B,
        "return len(falls) % 2 == 0 and all(",
        "return all(",
        "an odd number of negative factors is >= 0",
        BALLS,
    ),
    Mutant(
        B,
        "            return all(map(self.non_negative, e.args))",
        "            return any(map(self.non_negative, e.args))",
        "one term of a sum is enough",
        BALLS,
    ),
    Mutant(
        B,
        "        if e.is_Pow and e.exp.is_Rational and e.exp > 0:",
        "        if e.is_Pow and e.exp.is_Rational:",
        "one over what may vanish is >= 0",
        BALLS,
    ),
    Mutant(
        B,
        "return isinstance(e, log) and self.non_negative(e.args[0] - 1)",
        "return isinstance(e, log) and self.non_negative(e.args[0])",
        "a logarithm is as its argument",
        BALLS,
    ),
    Mutant(
        B,
        "e.is_polynomial(self.c) and e.diff(self.c, 2) == 0",
        "e.is_polynomial(self.c)",
        "the ends of a box tell of every polynomial",
        BALLS,
    ),
    # --- digits ---
    Mutant(
        D,
        "if bits == ALGEBRA_BITS and is_zero(e):",
        "if bits == ALGEBRA_BITS:",
        "what is small is zero",
        DIGITS,
    ),
    Mutant(
        D,
        "        if ball is not None and (ball > 0 or ball < 0 or ball.is_zero()):",
        "        if ball is not None:",
        "a ball around zero is zero",
        DIGITS,
    ),
    Mutant(
        D,
        "            accuracy = ball.rel_accuracy_bits()\n",
        "            accuracy = bits\n",
        "the precision that was asked for is the one that there is",
        DIGITS,
    ),
    Mutant(
        D,
        "            accuracy = ball.rel_accuracy_bits()\n",
        "            accuracy = -(abs(ball).upper() - abs(ball).lower()).log().mid() * 1.5\n            accuracy = int(accuracy.floor().unique_fmpz())\n",
        "absolute for relative precision",
        DIGITS,
    ),
    Mutant(
        D,
        "scaled = size * _power_of_ten(-exponent) + _ten() / 20",
        "scaled = size * _power_of_ten(-exponent)",
        "digits are cut off, not rounded",
        DIGITS,
    ),
    Mutant(
        D,
        "                n = _halfway(e, scaled, exponent, ball > 0)",
        "                n = scaled.mid().floor().unique_fmpz()",
        "a rounding that is not certain is taken",
        DIGITS,
    ),
    Mutant(
        D,
        "    return n if is_zero(e - middle) else None",
        "    return n",
        "what is near halfway is halfway",
        DIGITS,
    ),
    Mutant(
        D,
        "Rational(2 * n - 1 if positive else 1 - 2 * n, 2)",
        "Rational(2 * n - 1, 2)",
        "negative numbers are never halfway",
        DIGITS,
    ),
    Mutant(
        D,
        "return (int(n) if ball > 0 else -int(n)), exponent",
        "return int(n), exponent",
        "digits have no sign",
        DIGITS,
    ),
    # --- root ---
    Mutant(
        R,
        "    if at_low is not None and at_low >= 0:\n        return low",
        "    if at_low is not None and at_low > 0:\n        return low",
        "a root at the lower end is looked for inside",
        ROOTS,
    ),
    Mutant(
        R,
        "        if at_high is not None and at_high <= 0:\n            return high",
        "        if at_high is not None and at_high < 0:\n            return high",
        "a root at the upper end is looked for inside",
        ROOTS,
    ),
    Mutant(
        R,
        "low, high = (S.Zero, high) if at_zero < 0 else (low, S.Zero)",
        "low, high = (S.Zero, high) if at_zero > 0 else (low, S.Zero)",
        "the half of a bracket that has no root is kept",
        ROOTS,
    ),
    Mutant(
        R,
        "if simple is not None and is_zero(h.xreplace({x: simple})):",
        "if simple is not None:",
        "a root is the simple number beside it",
        ROOTS,
    ),
    Mutant(
        R,
        "self.side = _sign(end - start)",
        "self.side = 1",
        "a bracket that is counted from above rises from below",
        ROOTS,
    ),
    Mutant(
        R,
        "            if value is not None and (value > 0 or value < 0):",
        "            if value is not None:",
        "a ball around zero has a sign",
        ROOTS,
    ),
    Mutant(
        R,
        "                if missing <= 0:",
        "                if missing <= bits // 2:",
        "half of the bits will do",
        ROOTS,
    ),
    Mutant(
        R,
        "                found = self._point(self.a, bits + GUARD_BITS).union(\n"
        "                    self._point(self.b, bits + GUARD_BITS)\n                )",
        "                found = self._point(self.a, bits + GUARD_BITS)",
        "one end of a bracket is the root",
        ROOTS,
    ),
    Mutant(
        R,
        "            hit = (left <= self.a or self._cut(left) < 0) and (\n"
        "                right >= self.b or self._cut(right) > 0\n            )",
        "            self.a, self.b = max(self.a, left), min(self.b, right)\n            hit = True",
        "guesses narrow a bracket without a sign",
        ROOTS,
    ),
    Mutant(
        R,
        "            if at_start is not None and at_start >= 0:\n                return start",
        "            if at_start is not None and at_start > 0:\n                return start",
        "where a slope stays at zero the last point is the first",
        ROOTS,
    ),
    Mutant(
        R,
        "            if at_end is None or at_end > 0:",
        "            if at_end is None or at_end < 0:",
        "a root is on a piece where the function stays negative",
        ROOTS,
    ),
    Mutant(
        R,
        "back = -h.xreplace({x: low + high - BACK})",
        "back = h.xreplace({x: low + high - BACK})",
        "counted from the far end nothing is mirrored",
        ROOTS,
    ),
    Mutant(
        R,
        "        if not isinstance(positive(ratio, domain), Holds):\n            return None\n",
        "",
        "a closed form of what has no zero",
        ROOTS,
    ),
    Mutant(
        R,
        "return Max(self.low, Min(self.high, root))",
        "return root",
        "a closed form is not clamped",
        ROOTS,
    ),
    # --- floats ---
    Mutant(
        "theorem/floats.py",
        "seen = [f(self.of(to)).side() == sign for to, sign in zip(sides, signs, strict=True)]",
        "seen = [f(self.of(to)).side() == f(self.of(to)).side() for to in sides]",
        "roots in float64 are not put back",
        FLOATS,
    ),
    Mutant(
        "theorem/floats.py",
        "right = (self.e <= TOLERANCE * np.abs(self.h))",
        "right = (self.e <= 1e300 * np.abs(self.h))",
        "whatever comes out is exact",
        FLOATS,
    ),
    # --- putback ---
    Mutant(
        P,
        "            if not right:\n",
        "            if False:\n",
        "roots are not put back",
        BACK,
    ),
    Mutant(
        P,
        "return True if before == -1 else None",
        "return True",
        "a sign that is not found before a root will do",
        BACK,
    ),
    Mutant(
        P,
        "if before == 1 or after == -1:",
        "if before == 1:",
        "what follows a root is not looked at",
        BACK,
    ),
    Mutant(
        P,
        "        return near and sign(",
        "        return sign(",
        "a root at an end may be anywhere",
        BACK,
    ),
    Mutant(
        P,
        "return near and sign(lambda: number(end), 2 * start) != (-1 if settled == ends[0] else 1)",
        "return near",
        "an end is a root whatever the sign there",
        BACK,
    ),
    Mutant(
        P,
        "        step = abs(value) * mpmath.mpf(10) ** -digits",
        "        step = abs(value) * mpmath.mpf(10) ** (-digits // 2)",
        "half of the digits are put back",
        BACK,
    ),
    Mutant(
        P,
        "        if found == -expected:\n            raise Inconsistent(",
        "        if False:\n            raise Inconsistent(",
        "thresholds are not put back",
        BACK,
    ),
    Mutant(
        P,
        "    if not checked:\n        raise NotPutBack(",
        "    if False:\n        raise NotPutBack(",
        "a threshold whose condition has no sign is right",
        BACK,
    ),
    Mutant(
        P,
        'expected = -1 if above == (threshold.side == ">") else 1',
        'expected = -1 if above == (threshold.side == "<") else 1',
        "the condition is negative on the other side",
        BACK,
    ),
    Mutant(
        P,
        "inside = [(at, above) for at, above in beside if low <= at <= high]",
        "inside = beside",
        "thresholds are tried where the parameter cannot be",
        BACK,
    ),
    Mutant(
        P,
        "    above = bool(low > exact)\n",
        "    above = bool(low < exact)\n",
        "a value above the range is below it",
        BACK,
    ),
    Mutant(
        P,
        "return bool(rise > LEAST_RISE and rise > slowest * (second - first) > 0)",
        "return bool(third > 0)",
        "what is positive goes to oo",
        BACK,
    ),
    Mutant(
        P,
        "if gaps[-1] > close and gaps[-1] > slowest * gaps[-2]:",
        "if gaps[-1] > slowest * gaps[-2] > gaps[-2]:",
        "a limit need not be approached",
        BACK,
    ),
    Mutant(
        P,
        "    if len(far) == 1 and far[0] not in quantity.at_oo:",
        "    if False:",
        "values at oo are not put back",
        BACK,
    ),
    Mutant(
        INTERVALS,
        "return 1 if found.a > 0 else -1 if found.b < 0 else None",
        "return 1 if found.a > 0 else -1",
        "a case that is not decided does not apply",
        BACK,
    ),
    Mutant(
        P,
        "            if found is not None and (found.a > 0 or found.b < 0):",
        "            if found is not None:",
        "an interval around zero is negative",
        BACK,
    ),
    Mutant(
        INTERVALS,
        "        if base.a < 0 or (base.a <= 0 and not value.a > 0):\n            raise NoInterval(str(power))\n",
        "",
        "the root of an interval around zero",
        BACK,
    ),
]
