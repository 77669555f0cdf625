"""Mutants of numbers: balls, digits, roots, and what puts them back."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import mutants

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
    *mutants(
        B,
        BALLS,
        ("return arb(0).union((-limit).exp())", "return arb(0)", "a tiny exponential is zero"),
        ("if not (x > 0 or x < 0):", "if not (x >= 0 or x < 0):", "zero is inverted"),
        (
            "if x > 0:\n            return x.log()",
            "if x.mid() > 0:\n            return x.mid().log()",
            "the radius is ignored in a logarithm",
        ),
        ("is_zero() and power.is_positive:", "is_zero():", "one over the root of zero is zero"),
        ("is_zero() and power", "contains(0) and power", "the root of a ball around zero is zero"),
        (
            "return reduce(lambda a, b: a.union(b), possible)",
            "return possible[-1]",
            "cases that are not decided do not apply",
        ),
        (
            "        if not (gap > 0 or gap < 0 or gap.is_zero()):\n            return None\n",
            "",
            "a ball around zero is zero in a comparison",
        ),
        (
            "return decisive if decisive in parts else None if None in parts else not decisive",
            "return decisive if decisive in parts else not decisive",
            "of several conditions those that are not decided do not count",
        ),
        ("None if found is None else not", "not", "what is not decided is not the case"),
        ("known[c] = self(low).union(self(high))", "known[c] = self(low)", "a box is its left end"),
        (
            'if depth == DEPTH:\n                return Undecided(f"no sign was found on [{a}, {b}]")',
            "if depth == DEPTH:\n                continue",
            "the smallest boxes are passed over",
        ),
        ("(middle, b, depth + 1), (a, middle, depth", "(a, middle, depth", "boxes cover one half"),
        ("len(falls) % 2 == 0 and all(", "all(", "an odd number of negative factors is >= 0"),
        ("all(map(self.non_negative,", "any(map(self.non_negative,", "one term of a sum is enough"),
        ("exp.is_Rational and e.exp > 0:", "exp.is_Rational:", "one over what may vanish is >= 0"),
        ("non_negative(e.args[0] - 1", "non_negative(e.args[0]", "a logarithm is as its argument"),
        ("c) and e.diff(self.c, 2) == 0", "c)", "the ends of a box tell of every polynomial"),
    ),
    *mutants(
        D,
        DIGITS,
        ("bits == ALGEBRA_BITS and is_zero(e):", "bits == ALGEBRA_BITS:", "what is small is zero"),
        ("None and (ball > 0 or ball < 0 or ball.is_zero())", "None", "a ball around zero is zero"),
        (
            "accuracy = ball.rel_accuracy_bits()",
            "accuracy = bits",
            "the precision that was asked for is the one that there is",
        ),
        (
            "accuracy = ball.rel_accuracy_bits()",
            "accuracy = -(abs(ball).upper() - abs(ball).lower()).log().mid() * 1.5\n            accuracy = int(accuracy.floor().unique_fmpz())",
            "absolute for relative precision",
        ),
        ("-exponent) + ten() / 20", "-exponent)", "digits are cut off, not rounded"),
        (
            "n = _halfway(e, scaled, exponent, ball > 0)",
            "n = scaled.mid().floor().unique_fmpz()",
            "a rounding that is not certain is taken",
        ),
        ("n if is_zero(e - middle) else None", "n", "what is near halfway is halfway"),
        ("n - 1 if positive else 1 - 2 * n, 2)", "n - 1, 2)", "negative numbers are never halfway"),
        ("(int(n) if ball > 0 else -int(n)), exponent", "int(n), exponent", "digits have no sign"),
    ),
    *mutants(
        R,
        ROOTS,
        ("None and at_low >=", "None and at_low >", "a root at the lower end is looked for inside"),
        ("and at_high <= 0:", "and at_high < 0:", "a root at the upper end is looked for inside"),
        ("< 0 else (low, S", "> 0 else (low, S", "the half of a bracket that has no root is kept"),
        (
            "if simple is not None and is_zero(h.xreplace({x: simple})):",
            "if simple is not None:",
            "a root is the simple number beside it",
        ),
        ("= _sign(end - start)", "= 1", "a bracket that is counted from above rises from below"),
        ("not None and (value > 0 or value < 0):", "not None:", "a ball around zero has a sign"),
        ("if missing <= 0:", "if missing <= bits // 2:", "half of the bits will do"),
        (
            "found = self._point(self.a, bits + GUARD_BITS).union(\n                    self._point(self.b, bits + GUARD_BITS)\n                )",
            "found = self._point(self.a, bits + GUARD_BITS)",
            "one end of a bracket is the root",
        ),
        (
            "hit = (left <= self.a or self._cut(left) < 0) and (\n                right >= self.b or self._cut(right) > 0\n            )",
            "self.a, self.b = max(self.a, left), min(self.b, right)\n            hit = True",
            "guesses narrow a bracket without a sign",
        ),
        ("at_start >=", "at_start >", "where a slope stays at zero the last point is the first"),
        ("at_end > 0:", "at_end < 0:", "a root is on a piece where the function stays negative"),
        ("= -h.xreplace({x:", "= h.xreplace({x:", "counted from the far end nothing is mirrored"),
        (
            "        if not isinstance(positive(ratio, domain), Holds):\n            return None\n",
            "",
            "a closed form of what has no zero",
        ),
        ("Max(self.low, Min(self.high, root))", "root", "a closed form is not clamped"),
    ),
    *mutants(
        "theorem/floats.py",
        FLOATS,
        (
            "seen = [f(self.lift(to)).side() == sign for to, sign in zip(sides, signs, strict=True)]",
            "seen = [f(self.lift(to)).side() == f(self.lift(to)).side() for to in sides]",
            "roots in float64 are not put back",
        ),
        ("<= TOLERANCE * np.abs(self.h", "<= 1e300 * np.abs(self.h", "whatever comes out is exact"),
    ),
    *mutants(
        P,
        BACK,
        ("            if not right:", "            if False:", "roots are not put back"),
        (
            "return True if before == -1 else None",
            "return True",
            "a sign that is not found before a root will do",
        ),
        ("if before == 1 or after == -1", "if before == 1", "what follows a root is not looked at"),
        ("return near and sign(", "return sign(", "a root at an end may be anywhere"),
        (
            "return near and sign(lambda: number(end), 2 * start) != (-1 if settled == ends[0] else 1)",
            "return near",
            "an end is a root whatever the sign there",
        ),
        ("mpf(10) ** -digits", "mpf(10) ** (-digits // 2)", "half of the digits are put back"),
        ("if found == -expected:", "if False:", "thresholds are not put back"),
        ("if not checked:", "if False:", "a threshold whose condition has no sign is right"),
        ('side == ">") else', 'side == "<") else', "the condition is negative on the other side"),
        (
            "inside = [(at, above) for at, above in beside if low <= at <= high]",
            "inside = beside",
            "thresholds are tried where the parameter cannot be",
        ),
        ("= bool(low > exact)", "= bool(low < exact)", "a value above the range is below it"),
        (
            "if isinstance(approaches(expression, symbol, where, goal, domain, tiny=tiny), Refuted):",
            "if False:",
            "a limit need not be approached",
        ),
        (
            "if len(far) == 1 and far[0] not in quantity.at_oo and not is_infinite:",
            "if False:",
            "values at oo are not put back",
        ),
        ("None and (found.a > 0 or found.b < 0):", "None:", "an interval around zero is negative"),
    ),
    *mutants(
        INTERVALS,
        BACK,
        ("-1 if found.b < 0 else None", "-1", "a case that is not decided does not apply"),
        (
            "        if base.a < 0 or (base.a <= 0 and not value.a > 0):\n            raise NoInterval(str(power))\n",
            "",
            "the root of an interval around zero",
        ),
    ),
]
