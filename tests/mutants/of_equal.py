"""Mutants of equality on a domain: equal, splitting, cases."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import mutants

EQUAL = ("derive/test_equal.py",)
PARTS = ("derive/test_domain.py",)
DEFINED = ("derive/test_defined.py",)
ATTACKS = ("derive/tex/test_attacks.py::test_what_has_no_value_somewhere",)
SIGNS = ("derive/test_normal.py",)
E, S, C = "decide/equal.py", "decide/splitting.py", "decide/cases.py"
W = "decide/wanting.py"

MUTANTS = [
    *mutants(
        E,
        ATTACKS,
        (
            "lacking += _resting_on_them(asked, where, domain)",
            "pass",
            "a sign is proved of what has a pole",
        ),
    ),
    *mutants(
        E,
        EQUAL,
        ("if removable:", "if True:", "removable singularities need not be allowed"),
        (
            "lacking = wanting(asked, where, domain)",
            "lacking: list[Condition] = []",
            "what cancels in a proof need not have a value",
        ),
        ("if count >= FEWEST:", "if count >= 0:", "no points at all support an equality"),
        ("Holds(Evidence(Grade.SAMPLED, how)", "Holds(Evidence(Grade.EXACT, how)", "points prove"),
        ("LOST -", "30 + LOST -", "values without balls that differ in the tenth digit are equal"),
        (
            "if any(e.is_number and digits(e) < 0 for e in inside):",
            "if False:",
            "imaginary parts may cancel",
        ),
        (
            "    if not all(proves_positive(argument(e), domain) for e in branching(one) | branching(other)):\n        return False\n",
            "",
            "logarithms are split over factors of any sign",
        ),
        (
            'return Undecided("a case is not proved")',
            "continue",
            "a case that is not proved is passed over",
        ),
        (
            "for sign in (1, -1):\n        outcome = positive(sign * quotient, inside)",
            "for sign in (1, -1):\n        outcome = positive(1 + (sign * quotient) ** 2, inside)",
            "two equations with any quotient have the same root",
        ),
    ),
    *mutants(
        W,
        EQUAL,
        (
            "return any(sign(argument.xreplace(point)) in (1, -1) for point in points)",
            "return True",
            "0/0 everywhere is a removable singularity",
        ),
    ),
    *mutants(
        W,
        DEFINED,
        (
            "_has_no_value(derived.xreplace(end)) or _is_met_at(c, end, domain)",
            "True",
            "nothing is asked at the ends of the domain",
        ),
        ("not _is_met(part, derived, domain)", "False", "everything that is printed has a value"),
    ),
    *mutants(
        S,
        EQUAL,
        (
            "        if not proves_positive(atom.base, domain):\n            continue\n",
            "",
            "the root of a negative product is that of its size",
        ),
        ("* base - plain**2) +", "* base + plain**2) +", "conjugates multiply to a sum of squares"),
    ),
    *mutants(
        C,
        PARTS,
        (
            '        if rest:\n            raise NotSplit("the cases do not cover the domain")\n',
            "",
            "cases need not cover the domain",
        ),
        (
            "if any(_cut(part, inner, closed)[0] for part in split):",
            "if False:",
            "two cases may apply at once",
        ),
        (
            "is_end = r.high == ends.high and not ends.high_open",
            "is_end = False",
            "a case that is met at an upper end alone is left out",
        ),
        (
            "is_end = r.low == ends.low and not ends.low_open",
            "is_end = False",
            "a case that is met at a lower end alone is left out",
        ),
        ("s * (argument - 1),", "s * argument,", "a logarithm is as its argument against zero"),
        (
            "return proves_positive(e, domain) and isinstance(defined(e, domain), Holds)",
            "return proves_positive(e, domain)",
            "a surd against one may have no value",
        ),
        ("forms[0]] = signs[0] * size", "forms[0]] = size", "logarithms below one are positive"),
        (
            "        if not is_proved_positive(-gap, region, strict=not strict):\n            return p\n",
            "",
            "a case that is not decided does not apply",
        ),
        ("region, strict=strict", "region, strict=False", "a strict condition holds at its bound"),
        ("sign = 1 if isinstance(m, Max) else -1", "sign = 1", "a minimum is a maximum"),
        ("if all(a is b or", "if any(a is b or", "the first of several is the largest"),
    ),
]
