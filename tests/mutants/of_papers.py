"""Mutants of the check of equations in papers."""

from __future__ import annotations

from mutant import mutants

CLAIMED, ATTACKS = "derive/tex/test_claimed.py", "derive/tex/test_attacks.py"
ONLY = (f"{CLAIMED}::test_the_quantity_in_an_equation_must_be_the_only_solution",)
WIDER = (f"{CLAIMED}::test_a_wider_claim_is_refused",)
COMPARE, CLAUSES = ("derive/tex/test_compare.py",), ("derive/tex/test_clauses.py",)
READER, OWN = ("derive/tex/test_reader.py",), ("derive/tex/test_own_latex.py",)
SUBJECT = ("derive/tex/test_subject.py",)
SCOPE = ("derive/tex/test_scope.py",)
JUDGE, FORMULA, TEXT = "tex/judge/", "tex/formula/", "tex/text/"

MUTANTS = [
    *mutants(
        f"{JUDGE}bounded.py",
        ("derive/tex/test_own_latex.py::test_another_bound_is_refused",),
        ("if groups[0].strict:", "if False:", "a bound that may be met is strict"),
        ("check_order([g.sides[0]", "len([g.sides[0]", "what stands beyond a bound is true"),
        ("any(len(g.sides) > 1 for", "not all(g for", "what equals a further bound is true"),
        ('if set(relations) - {"=", "<", "<="}:', "if False:", "a bound is turned round"),
        ("groups[0].sides if e != own", "groups[0].sides[:1] if e != own", "one form is enough"),
        ("needs = needs_of(statement, meant)", "needs = []", "what cancels has a value"),
        ("(f for f in found if not f.ok)", "(f for f in ())", "one side of two is enough"),
        ('raise TexError(f"it is', 'continue; str(f"it is', "a bound that is not named is true"),
    ),
    *mutants(
        f"{JUDGE}bounded.py",
        OWN,
        ("if stated is not None and stated.is_false:", "if False:", "a false bound is proved"),
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
        ("or up_to or not unsaid", "or up_to", "an end that is not said is the derived one"),
        ("(end != other or closed)", "end != other", "what is excluded at an end is not"),
        (" and not (end == 1 and is_open)", "", "one is the end that everything has"),
        ("narrower or up_to or", "narrower or", "a number starts where the result does"),
        ('"nonnegative": ">="', '"nonnegative": ">"', "zero is positive"),
        ("compared < 0 or (compared == 0 and not is_open)", "compared < 0", "an end belongs"),
        ("            self._around(right, left)\n", "", "zero is excluded by nonzero only"),
        ('kind not in ("integer", "natural",', 'kind in ("",', "a real number is an integer"),
        ('kind == "natural" or kind == "positive integer"', "False", "1 is in every range"),
    ),
    *mutants(
        f"{JUDGE}claimed.py",
        OWN,
        ('strict = "=" not in relation', "strict = False", "what is not less is less"),
        ("(i in canonical_name(named) for", "(named for", "indices are those of the name"),
        ('says.relation == "any" and not apart', "False", "two indices are never equal"),
        ('if says.relation == "=" or not', "if not", "equal indices are different"),
    ),
    *mutants(
        f"{JUDGE}claimed.py",
        SUBJECT,
        ("in self.meant.gone and says.point is oo", "in self.meant.gone", "all limits are one"),
    ),
    *mutants(
        f"{JUDGE}claimed.py",
        COMPARE,
        ("isinstance(defined(other, domain), Holds)", "True", "what has no value is finite"),
        ("is_proved_positive(other, domain, strict=False)", "True", "a square root is real"),
    ),
    *mutants(
        f"{JUDGE}compare.py",
        (f"{CLAIMED}::test_a_row_that_only_bounds_is_a_condition_on_the_others",),
        ("ranges) - bounded)", "ranges))", "what is bounded is a condition"),
        ("used <= parameters", "used & parameters", "a row with a parameter is a condition"),
        (
            "row.relations), text), *row.clauses]",
            "row.relations), text)]",
            "a row has no condition",
        ),
        ("[Clause(Chain(sides, row.relations), text), *", "[*", "a row is no condition"),
    ),
    *mutants(
        f"{JUDGE}compare.py",
        (f"{CLAIMED}::test_a_condition_with_an_equation_in_it",),
        ("(f for f in found if not f.ok)", "(f for f in ())", "the last of a chain is enough"),
    ),
    *mutants(
        f"{JUDGE}compare.py",
        COMPARE,
        ("check_order(ends[: low + 1]", "str(ends[: low + 1]", "what stands before is true"),
    ),
    *mutants(
        f"{JUDGE}compare.py",
        OWN,
        ("        if directive.negated:\n", "        if False:\n", "a bound is its own negation"),
    ),
    *mutants(
        f"{JUDGE}finding.py",
        (f"{ATTACKS}::test_what_is_not_proved_is_not_called_equal",),
        ("grade > Grade.SAMPLED", "grade >= Grade.SAMPLED", "what agrees at points is proved"),
    ),
    *mutants(
        f"{JUDGE}printed.py",
        (f"{ATTACKS}::test_cases_that_do_not_fit",),
        (
            "count[c.need, c.argument] > shown.get((c.need, c.argument), 0)",
            "(c.need, c.argument) not in shown",
            "what one case shows no other one loses",
        ),
        (
            "return lost + (wanting(bounds, meant.derived[0], inside) if bounds else [])",
            "return lost",
            "the bound of a case has a value",
        ),
    ),
    *mutants(
        f"{JUDGE}printed.py",
        COMPARE,
        ("if c.argument not in itself:", "if False:", "every name has a value"),
    ),
    *mutants(
        f"{JUDGE}stated.py",
        OWN,
        ("meant.domain, needs_of(statement, meant))\n", "meant.domain, [])\n", "it has a value"),
        ("    needs = needs_of(statement, meant)\n", "    needs = []\n", "an end has a value"),
        (
            "if (low_open, high_open) != (bool(derived.left_open), bool(derived.right_open)):",
            "if low_open != bool(derived.left_open):",
            "the high end is as it may be",
        ),
        ("((low, derived.start), (high, derived.end))", "((high, derived.end),)", "one end: high"),
        ("((low, derived.start), (high, derived.end))", "((low, derived.start),)", "one end: low"),
    ),
    *mutants(
        f"{JUDGE}subject.py",
        SUBJECT,
        ("if set(tending) != meant.gone or not", "if not", "of two limits one was derived"),
        ("if len(tending) > 1:", "if False:", "of two limits the outer one was derived"),
    ),
    *mutants(
        f"{JUDGE}subject.py",
        (ATTACKS,),
        (
            'other.without or any(c.relation == "=" for c in indices):',
            "other.without:",
            "classes whose indices are equal differ",
        ),
        (
            "if [v.name for v in vectors] != [v.name for v in pattern]:",
            "if False:",
            "all vectors have one name",
        ),
        ("if forth.setdefault(a, b) != b or back", "if back", "one vector is two"),
        ("if pair <= ranging and not apart:", "if False:", "two indices are different"),
        ("and outcome.evidence.grade is Grade.EXACT", "", "what agrees at points has the limit"),
    ),
    *mutants(
        f"{JUDGE}subject.py",
        COMPARE,
        ("if s not in parameters:", "if False:", "a value at another place is the same"),
    ),
    *mutants(
        f"{JUDGE}subject.py",
        OWN,
        ("elif s in meant.point and s not in tending:", "elif False:", "one value is all of them"),
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
        ("            if all(\n", "            if any(\n", "a value above zero is in a range"),
        ("Range() if is_size else Range(-oo))", "Range())", "no value is negative"),
    ),
    *mutants(
        f"{JUDGE}equations.py",
        (f"{ATTACKS}::test_what_has_no_value_somewhere",),
        ("[*needs, *conditions(right)]", "conditions(right)", "what cancels has a value"),
    ),
    *mutants(
        f"{JUDGE}conditions.py",
        ONLY,
        (
            "(k * product, domain) for k in (1, -1))",
            "(k * S.One, domain) for k in (1, -1))",
            "a factor never vanishes",
        ),
    ),
    *mutants(
        f"{JUDGE}conditions.py",
        (ATTACKS,),
        ("-quotient if mirrored else", "quotient if mirrored else", "a condition is turned round"),
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
        ("(side in printed) != (side", "(side in printed) > (side", "one end is enough"),
        (
            "one, other = failed[0] if failed else outcomes[0]",
            "one, other = outcomes[0]",
            "the first end is enough",
        ),
        ("        if side in found:\n", "        if False:\n", "of two bounds the last counts"),
        ("if len(meant_bounds) != len(bounds):", "if False:", "of two thresholds one counts"),
    ),
    *mutants(
        f"{FORMULA}clauses.py",
        CLAUSES,
        ("if limit and new and not", "if False and", "as is for"),
        ("from_one = 0 not in ends or", "from_one = True or", "indices begin where they may"),
        ('different = {"<", "!="}', 'different = {"<", "!=", "<="}', "indices in order differ"),
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
        ('raise TexError(f"a power of', 'len(f"a power of', "the power of a maximum is lost"),
        ("if last.power is not None:", "if False:", "the power of an interval is not there"),
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
    *mutants(
        f"{TEXT}macros.py",
        SCOPE,
        ("if macro.final:", "if False:", "what a name is let to is what that is now"),
        ('piece[0].kind == "char" else 0', "False else 0", "brackets in an argument end it"),
    ),
    *mutants(
        f"{TEXT}commands.py",
        SCOPE,
        ("is not None or name.lower()", "is not None or str()", "an own command defines nothing"),
    ),
    *mutants(
        f"{TEXT}defining.py",
        SCOPE,
        ('runs.add("expands what stands after it")', "pass", "a macro expands nothing after it"),
        ('runs.add("inputs a file")', "pass", "a macro inputs no file"),
    ),
    *mutants(
        f"{TEXT}defining.py",
        ("derive/tex/test_doubts.py",),
        (" or name in self._switches:", ":", "a declared conditional is a test with branches"),
    ),
    *mutants(
        f"{TEXT}rows.py",
        ("derive/tex/test_document.py::test_rows_that_go_on_are_read_with_the_marked_one",),
        (' and head.lstrip()[:1] != "+"', "", "a row that begins with a sign is one of its own"),
        ("if not depth and part", "if part", "a relation in an index is that of a row"),
        ('return part.lastgroup == "end"', "return False", "a condition is a row of its own"),
    ),
    *mutants(
        f"{TEXT}displays.py",
        ("derive/tex/test_document.py",),
        (
            'self.fail(frame.directive, "another directive follows',
            'len("another directive follows',
            "a directive that another follows is not missed",
        ),
    ),
]
