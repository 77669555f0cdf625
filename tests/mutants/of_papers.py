"""Mutants of the check of equations in papers."""

from __future__ import annotations

from mutant import mutants

CLAIMED, ATTACKS = "derive/tex/test_claimed.py", "derive/tex/test_attacks.py"
ONLY = (f"{CLAIMED}::test_the_quantity_in_an_equation_must_be_the_only_solution",)
WIDER = (f"{CLAIMED}::test_a_wider_claim_is_refused",)
COMPARE, CLAUSES = ("derive/tex/test_compare.py",), ("derive/tex/test_clauses.py",)
READER = ("derive/tex/test_reader.py",)
JUDGE, FORMULA = "tex/judge/", "tex/formula/"

MUTANTS = [
    *mutants(
        f"{JUDGE}bounded.py",
        ("derive/tex/test_own_latex.py::test_another_bound_is_refused",),
        ("if groups[0].strict:", "if False:", "a bound that may be met is strict"),
        ("check_order([g.sides[0]", "len([g.sides[0]", "what stands beyond a bound is true"),
    ),
    *mutants(
        f"{JUDGE}claimed.py",
        WIDER,
        ("if (found or 0) not in holds:", "if False:", "a condition on numbers holds"),
        (
            "if s in self.meant.point and s not in self.meant.gone:",
            "if False:",
            "what the directive gives a value may have any",
        ),
    ),
    *mutants(
        f"{JUDGE}claimed.py",
        (f"{CLAIMED}::test_what_cannot_be_held_against_the_domain",),
        ("in TURNED or not _is_larger", "in TURNED and not _is_larger", "a second claim is true"),
    ),
    *mutants(
        f"{JUDGE}claimed.py",
        (f"{ATTACKS}::test_cases_that_do_not_fit",),
        ('== ">", "=" not in relation', '== ">", True', "a closed end is open"),
    ),
    *mutants(
        f"{JUDGE}equations.py",
        ONLY,
        (
            "outcome = outcome if slack is None else slack",
            "pass",
            "an equation that holds has no other solution",
        ),
        (
            "if not wanting([needed], derived, meant.domain):",
            "if True:",
            "an equation says something everywhere",
        ),
        ("is_size and powers <= {0, degree}", "is_size", "a quadratic equation has one solution"),
    ),
    *mutants(
        f"{JUDGE}conditions.py",
        COMPARE,
        (
            "COMPLEMENT[bound[1]] if directive",
            "bound[1] if directive",
            "a directive is not negated",
        ),
        ("and is_open != meant_open", "and False", "an open end is a closed one"),
        ("-quotient if mirrored else", "quotient if mirrored else", "a condition is turned round"),
    ),
    *mutants(
        f"{FORMULA}clauses.py",
        CLAUSES,
        ('signs == ["notin"]', 'signs == ["in"]', "what is excluded is what there is"),
    ),
    *mutants(
        f"{FORMULA}grammar.py",
        READER,
        ("if len(bars) != 2 or", "if len(bars) < 2 or", "of three bars two are a pair"),
        ("if bare and names and same:", "if False:", "two conditions are one on a list"),
        (
            'if unit.kind == "frac" and unit.power is not None:',
            "if False:",
            "the power of a fraction is that of its numerator, or of both",
        ),
    ),
    *mutants(
        f"{FORMULA}guards.py",
        READER,
        (
            "of_numbers and not exponent.is_Integer and base",
            "False and base",
            "a negative number has a root",
        ),
    ),
]
