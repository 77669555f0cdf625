"""Mutants of equality on a domain: equal, splitting, cases."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import Mutant

EQUAL = ("derive/test_equal.py",)
PARTS = ("derive/test_domain.py",)
DEFINED = ("derive/test_defined.py",)
ATTACKS = ("derive/tex/test_attacks.py::test_what_has_no_value_somewhere",)
SIGNS = ("derive/test_normal.py",)
E, S, C = "decide/equal.py", "decide/splitting.py", "decide/cases.py"
W = "decide/wanting.py"

MUTANTS = [
    Mutant(
        E,
        "        lacking += _resting_on_them(asked, where, domain)",
        "        pass",
        "a sign is proved of what has a pole",
        ATTACKS,
    ),
    Mutant(
        E,
        "    if removable:\n",
        "    if True:\n",
        "removable singularities need not be allowed",
        EQUAL,
    ),
    Mutant(
        W,
        "    return any(sign(argument.xreplace(point)) in (1, -1) for point in points)",
        "    return True",
        "0/0 everywhere is a removable singularity",
        EQUAL,
    ),
    Mutant(
        W,
        "        _has_no_value(derived.xreplace(end)) or _is_met_at(c, end, domain)",
        "        True",
        "nothing is asked at the ends of the domain",
        DEFINED,
    ),
    Mutant(
        E,
        "    lacking = wanting(asked, where, domain)",
        "    lacking: list[Condition] = []",
        "what cancels in a proof need not have a value",
        EQUAL,
    ),
    Mutant(
        E,
        "    if count >= FEWEST:",
        "    if count >= 0:",
        "no points at all support an equality",
        EQUAL,
    ),
    Mutant(
        E,
        "return Holds(Evidence(Grade.SAMPLED, how))",
        "return Holds(Evidence(Grade.EXACT, how))",
        "points prove",
        EQUAL,
    ),
    Mutant(
        E,
        "CLOSE = S(10) ** (LOST - DIGITS)",
        "CLOSE = S(10) ** (30 + LOST - DIGITS)",
        "values without balls that differ in the tenth digit are equal",
        EQUAL,
    ),
    Mutant(
        E,
        "if any(e.is_number and digits(e) < 0 for e in inside):",
        "if False:",
        "imaginary parts may cancel",
        EQUAL,
    ),
    Mutant(
        E,
        "    if not all(proves_positive(under(e), domain) for e in branching(one) | branching(other)):\n"
        "        return False\n",
        "",
        "logarithms are split over factors of any sign",
        EQUAL,
    ),
    Mutant(
        E,
        '            return Undecided("a case is not proved")',
        "            continue",
        "a case that is not proved is passed over",
        EQUAL,
    ),
    Mutant(
        E,
        "    for sign in (1, -1):\n        outcome = positive(sign * quotient, inside)",
        "    for sign in (1, -1):\n        outcome = positive(1 + (sign * quotient) ** 2, inside)",
        "two equations with any quotient have the same root",
        EQUAL,
    ),
    Mutant(
        S,
        "        if not proves_positive(atom.base, domain):\n            continue\n",
        "",
        "the root of a negative product is that of its size",
        EQUAL,
    ),
    Mutant(
        S,
        "    return factors(rate**2 * base - plain**2) + [(f, -k) for f, k in factors(other)]",
        "    return factors(rate**2 * base + plain**2) + [(f, -k) for f, k in factors(other)]",
        "conjugates multiply to a sum of squares",
        EQUAL,
    ),
    Mutant(
        W,
        "        and not _is_met(part, derived, domain)",
        "        and False",
        "everything that is printed has a value",
        DEFINED,
    ),
    # --- cases ---
    Mutant(
        C,
        '        if rest:\n            raise NotSplit("the cases do not cover the domain")\n',
        "",
        "cases need not cover the domain",
        PARTS,
    ),
    Mutant(
        C,
        "                if any(_cut(part, inner, closed)[0] for part in split):",
        "                if False:",
        "two cases may apply at once",
        PARTS,
    ),
    Mutant(
        C,
        "is_end = r.high == ends.high and not ends.high_open",
        "is_end = False",
        "a case that is met at an upper end alone is left out",
        PARTS,
    ),
    Mutant(
        C,
        "is_end = r.low == ends.low and not ends.low_open",
        "is_end = False",
        "a case that is met at a lower end alone is left out",
        PARTS,
    ),
    Mutant(
        C,
        "            signs = [s for s in (1, -1) if surely_positive(s * (argument - 1), domain)]",
        "            signs = [s for s in (1, -1) if surely_positive(s * argument, domain)]",
        "a logarithm is as its argument against zero",
        PARTS,
    ),
    Mutant(
        C,
        "    return proves_positive(e, domain) and isinstance(defined(e, domain), Holds)",
        "    return proves_positive(e, domain)",
        "a surd against one may have no value",
        PARTS,
    ),
    Mutant(
        C,
        "            value = known[forms[0]] = signs[0] * size",
        "            value = known[forms[0]] = size",
        "logarithms below one are positive",
        PARTS,
    ),
    Mutant(
        C,
        "        if not is_proved_positive(-gap, region, strict=not strict):\n            return p\n",
        "",
        "a case that is not decided does not apply",
        PARTS,
    ),
    Mutant(
        C,
        "        if is_proved_positive(gap, region, strict=strict):\n            return value",
        "        if is_proved_positive(gap, region, strict=False):\n            return value",
        "a strict condition holds at its bound",
        PARTS,
    ),
    Mutant(
        C,
        "    sign = 1 if isinstance(m, Max) else -1",
        "    sign = 1",
        "a minimum is a maximum",
        PARTS,
    ),
    Mutant(
        C,
        "        if all(a is b or is_proved_positive",
        "        if any(a is b or is_proved_positive",
        "the first of several is the largest",
        PARTS,
    ),
]
