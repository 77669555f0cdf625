"""Mutants of what decides zero and sign: decide, defined, coefficients, factors, number."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import Mutant

DEFINED = ("derive/test_defined.py",)
SIGNS = ("derive/test_normal.py",)
BOTH = (*DEFINED, *SIGNS)
DECIDE = ("derive/test_decide.py",)

C, D, F, N, P = (f"decide/{s}.py" for s in "coefficients defined factors number decide".split())

MUTANTS = [
    # --- decide ---
    Mutant(
        P,
        "if proves_largest(expressions, domain, strict) and _all_defined(expressions, domain):",
        "if proves_largest(expressions, domain, strict):",
        "a sign is proved of what has no value somewhere",
        DEFINED,
    ),
    Mutant(
        P,
        "if proves(expression, domain, strict) and _all_defined([expression], domain):",
        "if proves(expression, domain, strict):",
        "a proof of a sign without a refutation forgets that a value is needed",
        DEFINED,
    ),
    Mutant(
        P,
        "        reason = defined(expression, domain)\n",
        "        reason = Holds(Evidence(Grade.EXACT, VANISHES))\n",
        "what cancels is zero, with or without a value",
        DEFINED,
    ),
    Mutant(
        P,
        "if _vanish(expressions) and _all_defined(expressions, domain):",
        "if _vanish(expressions):",
        "several that cancel are zero, with or without values",
        DEFINED,
    ),
    Mutant(
        P,
        "return all(isinstance(defined(e, domain), Holds) for e in expressions)",
        "return any(isinstance(defined(e, domain), Holds) for e in expressions)",
        "one of several has a value",
        DEFINED,
    ),
    Mutant(
        P,
        "return all(e == 0 or field.vanishes(e) for e in expressions)",
        "return any(e == 0 or field.vanishes(e) for e in expressions)",
        "one of several vanishes",
        DECIDE,
    ),
    Mutant(
        P,
        '            return Refuted(_named(point), f"the residual is {value.n(6)!s}")',
        "            return Holds(Evidence(Grade.EXACT, VANISHES))",
        "a refutation is reported as holding",
        DECIDE,
    ),
    Mutant(
        P,
        "CLOSE = S(10) ** (10 - DIGITS)",
        "CLOSE = S(10) ** (20 - DIGITS)",
        "values that differ in the fortieth digit are called equal",
        SIGNS,
    ),
    Mutant(
        P,
        "(strict and largest == 0)",
        "(strict and largest <= CLOSE)",
        "a small positive value refutes",
        DECIDE,
    ),
    Mutant(
        P, "largest = max(values)", "largest = min(values)", "the least must be positive", SIGNS
    ),
    Mutant(
        P,
        "if largest < -CLOSE or",
        "if largest < -1 or",
        "a slightly negative value does not refute",
        SIGNS,
    ),
    # --- defined ---
    Mutant(
        D,
        'yield Condition(e, ">= 0" if weak else "> 0", e.base)',
        "return",
        "roots count as having a value",
        DEFINED,
    ),
    Mutant(
        D,
        "weak = e.exp.is_Rational and e.exp > 0",
        "weak = e.exp.is_Rational",
        "a root below a line may vanish",
        DEFINED,
    ),
    Mutant(
        D,
        'yield Condition(e, "> 0", e.args[0])',
        'yield Condition(e, ">= 0", e.args[0])',
        "the logarithm of zero has a value",
        DEFINED,
    ),
    Mutant(
        D,
        "            if e.exp < 0:\n",
        "            if e.exp < -1:\n",
        "what stands once below a line may vanish",
        DEFINED,
    ),
    Mutant(
        D,
        "        for a in _arguments(e):\n            yield from visit(a)\n",
        "",
        "only the outermost operation needs a value",
        DEFINED,
    ),
    Mutant(
        D,
        "        if value is not None and fails(condition.need, value):",
        "        if value is not None:",
        "a condition is refuted at a point where it holds",
        DEFINED,
    ),
    Mutant(
        D,
        "            return bool(value <= 0)",
        "            return bool(value < 0)",
        "zero does not refute that something is positive",
        DEFINED,
    ),
    Mutant(
        D,
        "return Range(low_open=False) if s.is_nonnegative else Range(-oo)",
        "return Range(low_open=False)",
        "a symbol without a range is taken to be >= 0",
        DEFINED,
    ),
    Mutant(
        D,
        "_ENTIRE = (exp, sin, cos, sinh, cosh, tanh, Max, Min, Abs)",
        "_ENTIRE = (Expr,)",
        "whatever is not known has a value",
        DEFINED,
    ),
    # --- coefficients ---
    Mutant(
        C,
        "        sign = signs[y]\n        assert sign is not None\n",
        "        sign = Fraction(1)\n",
        "roots and logarithms of known sign count as positive",
        DEFINED,
    ),
    Mutant(
        C,
        "    return None\n\n\ndef _power(",
        "    return Fraction(1)\n\n\ndef _power(",
        "logarithms of unknown sign count as positive",
        DEFINED,
    ),
    Mutant(
        C,
        "return Fraction(1, 1 if proves(atom.base, domain) else 2)",
        "return Fraction(1)",
        "a root is positive where its base vanishes",
        DEFINED,
    ),
    Mutant(
        C,
        "return Fraction(sign, 1 if strict else 2)",
        "return Fraction(sign)",
        "log(1 + x) is positive at x = 0",
        DEFINED,
    ),
    Mutant(
        C,
        "        if sign is None or (poly is not ratio.numer and abs(sign) < 1):\n",
        "        if sign is None:\n",
        "a divisor that may vanish keeps its sign",
        SIGNS,
    ),
    Mutant(
        C,
        "            return None\n        total *= sign if power % 2 else abs(sign)\n"
        "    return total\n\n\ndef _rules(",
        "            return None\n        total *= abs(sign)\n    return total\n\n\ndef _rules(",
        "odd powers lose their sign",
        SIGNS,
    ),
    Mutant(
        C,
        "            return None\n        total *= sign if power % 2 else abs(sign)\n"
        "    return total\n\n\ndef _poly_sign(",
        "            return None\n        total *= abs(sign)\n    return total\n\n\ndef _poly_sign(",
        "odd powers lose their sign in an exponent",
        SIGNS,
    ),
    Mutant(
        C,
        "            return None\n        total *= sign if power % 2 else abs(sign)\n"
        "    return total\n\n\ndef _rules(",
        "            return None\n        total *= sign\n    return total\n\n\ndef _rules(",
        "even powers keep their sign",
        SIGNS,
    ),
    Mutant(
        C,
        "    sure = any(\n        all(s in strict",
        "    sure = all(\n        any(s in strict",
        "any and all change places in what is strict",
        SIGNS,
    ),
    Mutant(
        C,
        "        all(s in strict for s, k",
        "        any(s in strict for s, k",
        "a product is strict when one of its factors is",
        SIGNS,
    ),
    Mutant(
        C,
        "    return Fraction(sign, 1 if sure else 2)",
        "    return Fraction(sign)",
        "weak passes for strict",
        SIGNS,
    ),
    Mutant(
        C,
        "sign == 1 if strict else sign >= 0",
        "sign > 0 if strict else sign >= 0",
        "a sign that may vanish is strict",
        SIGNS,
    ),
    Mutant(
        C,
        "    if all(c > 0 for c in coefficients):",
        "    if any(c > 0 for c in coefficients):",
        "one positive coefficient is enough",
        SIGNS,
    ),
    Mutant(
        C,
        "        if abs(sign) < 1:\n            strict.discard(fresh[y])\n",
        "",
        "exp(x) - 1 is positive at x = 0",
        SIGNS,
    ),
    Mutant(
        C,
        "rules[y] = (one + v, one) if sign > 0 else (one, one + v)",
        "rules[y] = (one + v, one)",
        "every exponential is above one",
        SIGNS,
    ),
    Mutant(
        C,
        "        if (_poly_sign(below, strict) or 0) <= 0:\n            return None\n",
        "",
        "an end of a range may divide by what is negative",
        ("derive/test_domain.py",),
    ),
    Mutant(
        C,
        "    if all(proved(first, case, False) for case in narrow.cases()):",
        "    if any(proved(first, case, False) for case in narrow.cases()):",
        "one case of the domain is enough",
        SIGNS,
    ),
    Mutant(
        C,
        "    return all(\n        any(proved(reading, case, sharp)",
        "    return any(\n        any(proved(reading, case, sharp)",
        "one case is enough for the largest of several",
        SIGNS,
    ),
    Mutant(
        C,
        "if rules is None or not _active(ratio) <= set(rules[1]):",
        "if rules is None:",
        "what has no known sign is put in all the same",
        DEFINED,
    ),
    Mutant(
        C,
        "return len(factors) > 1 and all(",
        "return len(factors) > 1 and any(",
        "a product vanishes nowhere if one factor does not",
        SIGNS,
    ),
    Mutant(
        C,
        "in (1, -1)\n\n    return all(strict",
        "not in (None, 0)\n\n    return all(strict",
        "what is >= 0 vanishes nowhere",
        SIGNS,
    ),
    # --- factors ---
    Mutant(
        F,
        "for one, other in ((rate, gap), (plain, -gap))",
        "for one, other in ((rate, gap), (plain, gap))",
        "P + Q sqrt(R) > 0 by the wrong comparison of squares",
        SIGNS,
    ),
    Mutant(
        F,
        "        proves(one, domain) and proves(other, domain)",
        "        proves(other, domain)",
        "the larger part of a surd need not be positive",
        SIGNS,
    ),
    Mutant(
        F,
        "    return bool(next((v > 0 for v in values if v is not None), False))",
        "    return True",
        "factors that vanish nowhere make a positive product",
        SIGNS,
    ),
    Mutant(
        F,
        "return -1 if min(parts) < 0 else max(parts)",
        "return max(parts)",
        "one positive term makes a sum positive",
        SIGNS,
    ),
    Mutant(
        F,
        "return min(_plainly(a, domain) for a in e.args)",
        "return max(_plainly(a, domain) for a in e.args)",
        "one positive factor makes a product positive",
        SIGNS,
    ),
    Mutant(
        F,
        "    return 0 if e.is_Pow and e.exp.is_even",
        "    return 1 if e.is_Pow and e.exp.is_even",
        "a square is positive",
        SIGNS,
    ),
    # --- number ---
    Mutant(
        N,
        "        if found > 0 or found < 0:\n            return 1 if found > 0 else -1",
        "        return 1 if found > 0 else -1",
        "a ball around zero is negative",
        SIGNS,
    ),
    Mutant(
        N,
        "DIGITS, maxn=4 * DIGITS, strict=True)",
        "DIGITS, maxn=4 * DIGITS)",
        "digits that have cancelled count",
        SIGNS,
    ),
]
