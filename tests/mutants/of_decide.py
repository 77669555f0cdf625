"""Mutants of what decides zero and sign: decide, defined, coefficients, factors, number."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import mutants

DEFINED = ("derive/test_defined.py",)
SIGNS = ("derive/test_normal.py",)
BOTH = (*DEFINED, *SIGNS)
DECIDE = ("derive/test_decide.py",)

C, D, F, N, P = (f"decide/{s}.py" for s in "coefficients defined factors number decide".split())

MUTANTS = [
    *mutants(
        P,
        DEFINED,
        (
            "if proves_largest(expressions, domain, strict) and _all_defined(expressions, domain):",
            "if proves_largest(expressions, domain, strict):",
            "a sign is proved of what has no value somewhere",
        ),
        (
            "if proves(expression, domain, strict) and _all_defined([expression], domain):",
            "if proves(expression, domain, strict):",
            "a proof of a sign without a refutation forgets that a value is needed",
        ),
        (
            "reason = defined(expression, domain)",
            "reason = Holds(Evidence(Grade.EXACT, VANISHES))",
            "what cancels is zero, with or without a value",
        ),
        (
            "if _vanish(expressions) and _all_defined(expressions, domain):",
            "if _vanish(expressions):",
            "several that cancel are zero, with or without values",
        ),
        ("all(isinstance(defined(e,", "any(isinstance(defined(e,", "one of several has a value"),
    ),
    *mutants(
        P,
        DECIDE,
        ("return all(e == 0 or field", "return any(e == 0 or field", "one of several vanishes"),
        (
            'return Refuted.at(point, f"the residual is {value.n(6)!s}")',
            "return Holds(Evidence(Grade.EXACT, VANISHES))",
            "a refutation is reported as holding",
        ),
        ("and largest == 0)", "and largest <= CLOSE)", "a small positive value refutes"),
    ),
    *mutants(
        P,
        SIGNS,
        ("10 - DIGITS", "20 - DIGITS", "values that differ in the fortieth digit are called equal"),
        ("largest = max(values)", "largest = min(values)", "the least must be positive"),
        ("largest < -CLOSE or", "largest < -1 or", "a slightly negative value does not refute"),
    ),
    *mutants(
        D,
        DEFINED,
        (
            'yield Condition(e, ">= 0" if weak else "> 0", e.base)',
            "return",
            "roots count as having a value",
        ),
        ("e.exp.is_Rational and e.exp > 0", "e.exp.is_Rational", "a root below a line may vanish"),
        ('Condition(e, "> 0", e', 'Condition(e, ">= 0", e', "the logarithm of zero has a value"),
        ("if e.exp < 0:", "if e.exp < -1:", "what stands once below a line may vanish"),
        (
            "        for a in _arguments(e):\n            yield from visit(a)\n",
            "",
            "only the outermost operation needs a value",
        ),
        (
            "if value is not None and fails(condition.need, value):",
            "if value is not None:",
            "a condition is refuted at a point where it holds",
        ),
        ("bool(value <= 0)", "bool(value < 0)", "zero does not refute that something is positive"),
        (
            "return Range(low_open=False) if s.is_nonnegative else Range(-oo)",
            "return Range(low_open=False)",
            "a symbol without a range is taken to be >= 0",
        ),
        (
            "_ENTIRE = (exp, sin, cos, sinh, cosh, tanh, Max, Min, Abs)",
            "_ENTIRE = (Expr,)",
            "whatever is not known has a value",
        ),
    ),
    *mutants(
        C,
        DEFINED,
        (
            "sign = signs[y]\n        assert sign is not None",
            "sign = Fraction(1)",
            "roots and logarithms of known sign count as positive",
        ),
        (
            "return None\n\n\ndef _power(",
            "return Fraction(1)\n\n\ndef _power(",
            "logarithms of unknown sign count as positive",
        ),
        (
            "return Fraction(1, 1 if proves(atom.base, domain) else 2)",
            "return Fraction(1)",
            "a root is positive where its base vanishes",
        ),
        ("Fraction(sign, 1 if strict else 2)", "Fraction(sign)", "log(1 + x) is positive at x = 0"),
        (
            "if rules is None or not _active(ratio) <= set(rules[1]):",
            "if rules is None:",
            "what has no known sign is put in all the same",
        ),
    ),
    *mutants(
        C,
        SIGNS,
        (
            "if sign is None or (poly is not ratio.numer and abs(sign) < 1):",
            "if sign is None:",
            "a divisor that may vanish keeps its sign",
        ),
        (
            "return None\n        total *= sign if power % 2 else abs(sign)\n    return total\n\n\ndef _rules(",
            "return None\n        total *= abs(sign)\n    return total\n\n\ndef _rules(",
            "odd powers lose their sign",
        ),
        (
            "return None\n        total *= sign if power % 2 else abs(sign)\n    return total\n\n\ndef _poly_sign(",
            "return None\n        total *= abs(sign)\n    return total\n\n\ndef _poly_sign(",
            "odd powers lose their sign in an exponent",
        ),
        (
            "return None\n        total *= sign if power % 2 else abs(sign)\n    return total\n\n\ndef _rules(",
            "return None\n        total *= sign\n    return total\n\n\ndef _rules(",
            "even powers keep their sign",
        ),
        (
            "sure = any(\n        all(s in strict",
            "sure = all(\n        any(s in strict",
            "any and all change places in what is strict",
        ),
        ("all(s in strict", "any(s in strict", "a product is strict when one of its factors is"),
        ("Fraction(sign, 1 if sure else 2)", "Fraction(sign)", "weak passes for strict"),
        ("== 1 if strict else sign", "> 0 if strict else sign", "a sign that may vanish is strict"),
        ("if all(c > 0 for c in", "if any(c > 0 for c in", "one positive coefficient is enough"),
        (
            "        if abs(sign) < 1:\n            strict.discard(fresh[y])\n",
            "",
            "exp(x) - 1 is positive at x = 0",
        ),
        ("v, one) if sign > 0 else (one, one + v)", "v, one)", "every exponential is above one"),
        ("all(proved(first, case,", "any(proved(first, case,", "one case of the domain is enough"),
        (
            "return all(\n        any(proved(reading, case, sharp)",
            "return any(\n        any(proved(reading, case, sharp)",
            "one case is enough for the largest of several",
        ),
        ("> 1 and all(", "> 1 and any(", "a product vanishes nowhere if one factor does not"),
        (
            "in (1, -1)\n\n    return all(strict",
            "not in (None, 0)\n\n    return all(strict",
            "what is >= 0 vanishes nowhere",
        ),
    ),
    *mutants(
        C,
        ("derive/test_domain.py",),
        (
            "        if (_poly_sign(below, strict) or 0) <= 0:\n            return None\n",
            "",
            "an end of a range may divide by what is negative",
        ),
    ),
    *mutants(
        F,
        SIGNS,
        ("(plain, -gap))", "(plain, gap))", "P + Q sqrt(R) > 0 by the wrong comparison of squares"),
        (
            "proves(one, domain) and proves(other, domain)",
            "proves(other, domain)",
            "the larger part of a surd need not be positive",
        ),
        (
            "return bool(value > 0)",
            "return True",
            "factors that vanish nowhere make a positive product",
        ),
        (
            "return -1 if min(parts) < 0 else max(parts)",
            "return max(parts)",
            "one positive term makes a sum positive",
        ),
        ("min(_plainly(a,", "max(_plainly(a,", "one positive factor makes a product positive"),
        ("return 0 if e.is_Pow and e", "return 1 if e.is_Pow and e", "a square is positive"),
    ),
    *mutants(
        N,
        SIGNS,
        (
            "if found > 0 or found < 0:\n            return 1 if found > 0 else -1",
            "return 1 if found > 0 else -1",
            "a ball around zero is negative",
        ),
        ("maxn=4 * DIGITS, strict=True)", "maxn=4 * DIGITS)", "digits that have cancelled count"),
    ),
]
