"""Mutants of limits: the scale of growth, signs, what is followed, values far out."""

from __future__ import annotations

from mutant import mutants

TESTS = ("derive/test_limits.py",)

G, S, D, F, T, A, L = (
    f"decide/limits/{s}.py" for s in "growth signs foregone follow toward faraway limit".split()
)

MUTANTS = [
    *mutants(
        G,
        TESTS,
        ("= self.sign(coefficient) * oo", "= oo", "the sign of a leading coefficient is dropped"),
        ("args[0]) in (oo, -oo)", "args[0]) is oo", "exponentials that fall are not of the scale"),
        (
            "return one | other if self.sign_of_constant(ratio) else other",
            "return one | other",
            "exponentials of different classes compete as one",
        ),
        (
            "return one | other if self.sign_of_constant(ratio) else other",
            "return one",
            "of two competing exponentials the first wins",
        ),
        (
            "if self.x in other and not any(self.x in symbols_of(a) for a in _logs(one)):",
            "if self.x in other:",
            "every exponential outgrows every power",
        ),
        (
            "exponent = w.args[0] if self.limit(w.args[0]) is -oo else -w.args[0]",
            "exponent = w.args[0]",
            "what is expanded in need not be small",
        ),
        (
            "return -1 if one < other else 1",
            "return 1 if one < other else -1",
            "the trailing term is taken for the leading one",
        ),
        ("S.Zero if vanishes(c) else neat(c)", "neat(c)", "a zero that is not seen at once leads"),
        ("kept[:-1]), kept[-1][0])", "kept[:-1]), bound)", "terms that are cut off are forgotten"),
        ("reversed(starts),", "starts,", "the rest of a product is that of the wrong factor"),
        (
            "        parts.append(Series((), start * (self.count + 1)))\n",
            "",
            "the rest of a power series is forgotten",
        ),
        ("= _split_log(c) + k * self.exponent", "= _split_log(c)", "a logarithm does not grow"),
        ("sign < 0 and not power.is_Integer:", "False:", "the root of what is negative far out"),
        ("if self.growth.sign(c) <= 0:", "if False:", "the logarithm of what is negative far out"),
    ),
    *mutants(
        S,
        TESTS,
        ("self(c.args[0] - 1)", "self(c.args[0])", "a logarithm has the sign of its argument"),
        ("if sign < 0 and c.exp.q > 1:", "if False:", "the root of a negative constant has a sign"),
        ("sign if c.exp.p % 2 else abs(sign)", "sign", "even powers of a constant keep its sign"),
        (
            "if is_proved_positive(sign * plain, domain):",
            "if is_proved_positive(sign * plain, domain, strict=False):",
            "a coefficient that may vanish leads",
        ),
        ("    if not found:  #", "    if False:  #", "`zero` is taken as not zero"),
        (
            "domain = domain.with_range(s, Range(low_open=False), 1)",
            "domain = domain.with_positive([s])",
            "symbols that are >= 0 are positive",
        ),
    ),
    *mutants(
        D,
        TESTS,
        ("lhs - condition.rhs, x,", "rhs - condition.lhs, x,", "the cases that do not apply"),
        ("all(_holds(", "any(_holds(", "one comparison of several decides"),
        ("(sign > 0) is isinstance(e, Max) and sign", "(sign > 0) and sign", "minima are maxima"),
    ),
    *mutants(
        F,
        TESTS,
        ("elif unbounded:", "elif False:", "a root that grows counts as a constant"),
        ("x if limits[unbounded[0]] is oo else -self.x", "x", "what falls without bound rises"),
        ("if is_no_number(found):", "if False:", "what is followed need not be continuous"),
        (
            "return low if found > 0 else high",
            "return high if found > 0 else low",
            "a root goes to the wrong end",
        ),
        ("Expr) or left >", "Expr) or left <", "the sign left of a tie is taken for its opposite"),
        (
            "return right if isinstance(right, Expr) or right < 0 else tie",
            "return tie",
            "the root is at the first tie",
        ),
    ),
    *mutants(
        T,
        TESTS,
        ("return point - 1 / x", "return point + 1 / x", "an upper end is approached from outside"),
        ("return x if point is oo else -x", "return x", "-oo is oo"),
        ("(r.high if point is oo else r.low) is not point", "False", "what is bounded goes to oo"),
        ("if r.integer or symbol in", "if symbol in", "an integer comes as close as one likes"),
        ("if oo in (low, -high):", "if False:", "a range that runs away leaves values"),
        (
            "inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0",
            "inside = False",
            "an end that comes from inside is admissible",
        ),
        (
            "inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0",
            "inside = True",
            "an end that comes from outside is not admissible",
        ),
        ("-1, symbol, point,", "1, symbol, point,", "upper and lower ends come from the same side"),
    ),
    *mutants(
        A,
        TESTS,
        (
            "if any(d is not None and d <= tiny for d in farthest.values()):",
            "if farthest:",
            "whatever has a value far out has arrived",
        ),
        ("if c >= b:", "if False:", "a distance that grows does not refute"),
        ("if c > SLACK * to_come:", "if False:", "a distance that stays does not refute"),
        ("TINY = mpmath.mpf(10) ** -25", "TINY = mpmath.mpf(10) ** -8", "near is there"),
        ("SLACK = 10", "SLACK = 10**30", "anything may still come"),
        (
            "        if (found > 0) is not (value is oo):\n"
            '            raise NoValue("it has the other sign")\n',
            "",
            "oo is -oo",
        ),
        (
            "    if low <= 0 or high > low * (1 + mpmath.mpf(2) ** -20):\n"
            '        raise TooWide("the distance is not known")\n',
            "",
            "the middle of a wide enclosure is a value",
        ),
    ),
    *mutants(
        L,
        TESTS,
        ("not isinstance(seen, Supported)", "False", "a limit leaves without a comparison far out"),
        ("if len(far) > 1:", "if len(far) > 2:", "of several symbols at oo one counts"),
        ("if len(limits) != 1:", "if not limits:", "an indeterminate value is one of its limits"),
        (
            "if isinstance(outcome, Holds) and outcome.evidence.grade is not Grade.EXACT:",
            "if False:",
            "an equality at points proves a limit",
        ),
        (
            'outcome: Outcome = PROVED if own == value else Refuted({}, f"it is {own}")',
            "outcome: Outcome = PROVED",
            "every infinite limit is right",
        ),
        (
            "if isinstance(seen, Refuted):\n        raise NoLimit(",
            "if False:\n        raise NoLimit(",
            "the comparison far out is disabled",
        ),
    ),
]
