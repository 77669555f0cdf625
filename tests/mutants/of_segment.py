"""Mutants of the way from a loss to a proof: statements, reduction, segments, thresholds."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import mutants

FACTS = (
    "derive/test_segments.py",
    "derive/test_engine.py",
    "derive/test_statements.py::test_steps_that_fail_raise",
    "derive/test_statements.py::test_a_name_stands_for_what_is_given",
    "derive/test_statements.py::test_a_limit_is_taken_from_where_it_says",
    "derive/test_statements.py::test_a_condition_is_positive_up_to_its_only_root",
)
EDGES = (
    "derive/test_thresholds.py",
    "derive/test_statements.py::test_a_condition_that_never_vanishes_has_no_threshold",
    "derive/test_statements.py::test_a_threshold_lies_where_the_parameter_can_be",
    "derive/test_statements.py::test_a_threshold_says_what_its_criterion_says",
)

E, OS, SF, SG, R, ED, RED = (
    f"optimum/{s}.py"
    for s in "threshold on_segment segment_facts segment reduce edge reduction".split()
)
ST, DE, LI = (f"proof/{s}.py" for s in "statement derivation limiting".split())
CV = "decide/convexity.py"

MUTANTS = [
    *mutants(
        ST,
        FACTS,
        ("if not relations or not all(type(r", "if not all(type(r", "nothing is stated, and holds"),
        ("self.domain, strict=strict))", "self.domain, strict=False))", "weak passes for strict"),
        ("positive(sign * gap, self.domain,", "positive(gap, self.domain,", "less is more"),
        ("[all_zero(equal, self", "[all_zero(equal[:1], self", "the first equation stands for all"),
        ("return side.xreplace(dict(self.names))", "return side", "names are ignored"),
        ("o for o in found if not", "o for o in found[1:] if not", "the first failure is dropped"),
        ("not isinstance(o, Holds)", 'type(o).__name__ == "Refuted"', "what is not decided holds"),
        (
            "return failed or Holds(weakest(o.evidence for o in found if isinstance(o, Holds)))",
            "return failed or found[0]",
            "the first evidence stands for all",
        ),
        (
            "return every([*(decided(p) for p in premise.premises), premise.decide(), *in_words])",
            "return premise.decide()",
            "what is given is not decided",
        ),
        (
            "return every([*(decided(p) for p in premise.premises), premise.decide(), *in_words])",
            "return every([decided(p) for p in premise.premises] or [premise.decide()])",
            "what follows from something is not decided",
        ),
    ),
    *mutants(
        SF,
        FACTS,
        (
            'if assignments(self.shown) != {Symbol(f"lambda_{e}"): S.Zero for e in self.spaces}:',
            "if not self.spaces:",
            "what is shown as active may be anything",
        ),
        ("[*zeros, *straight, unit], self", "[*zeros, *straight], self", "x may run at any pace"),
        (
            "            high.xreplace({x_: length}),\n",
            "",
            "a segment may go on beyond the positive matrices",
        ),
        ("            low.xreplace({x_: S.Zero}),\n", "", "a segment may start anywhere"),
        ("            *(along[e] for e in s.active),\n", "", "active eigenvalues need not vanish"),
        (
            "            + [positive(e, self.domain) for e in moving]\n",
            "",
            "a segment may have a negative length",
        ),
        (
            "return all_zero([*read.residuals(), *same], self.domain)",
            "return all_zero(read.residuals(), self.domain)",
            "relations may change places in a spectrum",
        ),
        (
            'return Refuted(note="an eigenvalue has a constant")',
            "pass",
            "a constant may be added to an eigenvalue",
        ),
        (
            '(("rank_start", S.Zero), ("rank_inside", x), ("rank_end", length))',
            '(("rank_start", length), ("rank_inside", x), ("rank_end", S.Zero))',
            "the ranks at the two ends change places",
        ),
        (
            "if isinstance(positive(value, inside), Holds):",
            "if isinstance(positive(value, inside, strict=False), Holds):",
            "an eigenvalue zero counts in a rank",
        ),
        ("length - point, True))", "length - point, False))", "an optimum lies beyond the far end"),
        (
            "((point, False), (length - point, True))",
            "((length - point, True),)",
            "the slope is read before the segment starts",
        ),
        ("if level != 0 or kinds not in", "if kinds not in", "a slope is compared with any number"),
        (
            "                zero(self.over * condition - slope, self.domain),\n",
            "",
            "the slope shown need not be that of the loss",
        ),
        ("                at_point,\n", "", "the slope is taken at another point"),
        ("strict=self.strict)", "strict=False)", "weak for strict: some optimum is every optimum"),
        (
            "for e in self.spaces\n        )\n\n\nclass AtEnd",
            "for e in self.spaces[:1]\n        )\n\n\nclass AtEnd",
            "the first active eigenspace stands for all",
        ),
        (
            "free = (theta[s.high], theta[s.low])",
            "free = (*theta.values(),)",
            "an eigenvalue is compared with all others, and not with the free ones",
        ),
        (
            "                positive(self.over, self.domain),\n",
            "",
            "a slope may be divided by what is negative",
        ),
        (
            "((S.Zero, 1), (self.segment.length, -1))",
            "((S.Zero, -1), (self.segment.length, 1))",
            "a loss that falls is least at its start",
        ),
        ("- r.count * shown[", "- shown[", "the derivative of all pairs is that of one"),
        ("[*read.residuals(), *same], self", "same, self", "any table of eigenvalues will do"),
        ('"x_star", Lt', '"x_star", Le', "an optimum lies beyond a point where the loss is level"),
        (
            '(Eq, "x_star", Ge),\n            (Eq, "x_last", Le),',
            '(Eq, "x_star", Le),\n            (Eq, "x_last", Ge),',
            "the loss falls away from its optimum",
        ),
    ),
    *mutants(
        DE,
        FACTS,
        (
            "if not isinstance(outcome, Holds):",
            'if type(outcome).__name__ == "Refuted":',
            "what is not decided is a step",
        ),
        (
            "return weakest(s.evidence for s in self.steps)",
            "return self.steps[-1].evidence",
            "the last link is the weakest",
        ),
    ),
    *mutants(
        LI,
        FACTS,
        ("if type(shown) is not Eq or not", "if not", "a bound on a limit is the limit"),
        (
            "return is_limit(self.names[of], symbol, point, shown.args[1], self.domain)",
            "return is_limit(self.names[of], symbol, point, limit(self.names[of], symbol, point, self.domain), self.domain)",
            "the limit that is shown is not looked at",
        ),
    ),
    *mutants(
        CV,
        FACTS,
        ("v[i] - v[j]) ** 2 for i", "v[i] + v[j]) ** 2 for i", "the sum of squares is another one"),
    ),
    *mutants(
        SG,
        FACTS,
        ("t_of_x = -x / pace", "t_of_x = x / pace", "the coordinate rises along a segment"),
        (
            "rest = (scheme.size - dims[low] * t) / dims[high]",
            "rest = scheme.size - dims[low] * t",
            "eigenvalues share the trace without multiplicities",
        ),
        (
            "/ (scheme.size * r.count)",
            "/ scheme.size",
            "all pairs of a relation share one inner product",
        ),
        ("if len(free) != 2 or", "if len(free) < 2 or", "what is left may be more than a segment"),
    ),
    *mutants(
        OS,
        FACTS,
        ("0, segment.length),", "0, segment.length / 2),", "half of a segment stands for all"),
        (
            "not weak or isinstance(active.decide(), Holds)",
            "True",
            "a weak certificate is called strict",
        ),
        (
            '{Lt: (gt, "x_star"), Ge: (eq, "x_star"), Le: (eq, "x_last")}[kind]',
            '{Lt: (gt, "x_star"), Ge: (eq, "x_last"), Le: (eq, "x_star")}[kind]',
            "the two ends change places in a criterion",
        ),
    ),
    *mutants(
        ED,
        FACTS,
        (
            "            Relations(Tuple(gt(rate, S.Zero), gt(weight, S.Zero)), inside),\n",
            "",
            "what a slope is multiplied by may be negative",
        ),
    ),
    *mutants(
        RED,
        FACTS,
        ("preconditions,", "Relations(eq(S.One, S.One), domain),", "a loss need not be convex"),
    ),
    *mutants(
        R,
        FACTS,
        ("domain, strict=condition.strict)", "domain, strict=False)", "a temperature may be zero"),
        (
            "if isinstance(outcome, Holds):\n            continue",
            "if not isinstance(outcome, Refuted):\n            continue",
            "preconditions that are not decided hold",
        ),
        ("relation] += term", "relation] = term", "of repeated pair terms the last counts"),
        ("+= term.weight *", "+=", "weights of pair terms are ignored in the gradient"),
        ("domain, premises=(self.shape,))", "domain)", "functions of pairs need not be convex"),
        ('kind == "positives" or not term', "not term", "there may be no positives"),
        ("if name not in names:", "if False:", "relations need not be known"),
        ("if twice:", "if False:", "a relation may be named twice"),
        (
            "if isinstance(outcome, Holds):\n            continue",
            "continue",
            "preconditions are not checked",
        ),
        (
            "found[pool] = found.get(pool, S.Zero) + coefficient",
            "found[pool] = coefficient",
            "of terms with one denominator the last counts",
        ),
        ("found[r] += term", "found[r] = term", "a relation is a positive of one term only"),
        ("/ positives", "/ len(term.positives)", "the mean is over relations, not over pairs"),
        (
            "for pool, weight in self.denominators.items():\n            over =",
            "for pool, weight in ():\n            over =",
            "weights of logarithms may be negative",
        ),
        ("= found.get(e, S.Zero) + weight", "= weight", "equal inner products are counted once"),
    ),
    *mutants(
        E,
        EDGES,
        (
            "if kinds[0] is not (kinds[1] if rises else MIRROR[kinds[1]]):",
            "if ORDER[kinds[0]][0] != ORDER[kinds[1] if rises else MIRROR[kinds[1]]][0]:",
            "strict and weak thresholds are the same",
        ),
        (
            "    if not rises:\n        relation = MIRROR[relation]\n",
            "",
            "a threshold is on the same side of what falls",
        ),
        ("kinds) or relation.args[1] != 0:", "kinds):", "a condition is compared with any number"),
        (
            "        if refuted is not None:\n            return refuted\n",
            "",
            "points at which a threshold was tried are ignored",
        ),
        (
            "        if not isinstance(reached, Holds):\n            return reached\n",
            "",
            "a value need not be one that the parameter may take",
        ),
        ("= (*above, *below)", "= tuple(above)", "a value may be above the range of its parameter"),
        ("= (*above, *below)", "= tuple(below)", "a value may be below the range of its parameter"),
        ("free, line", "rate, domain", "what is monotone for admissible parameters is so for all"),
        ("self.domain), zero(split, self.domain)])", "self.domain)])", "a value is not put back"),
        ("sign *= fixed[0] ** power", "pass", "factors are left out with their signs"),
        (
            "sign *= fixed[0] ** power\n        else:",
            "sign *= fixed[0] ** power\n        elif parameter in expression.free_symbols:",
            "an essential factor of unknown sign is dropped",
        ),
        ("sign = 1 if content > 0 else -1", "sign = 1", "the sign of a number in front is dropped"),
        (
            "if max(_by_powers(poly, y), default=0) == 1 and not is_proved_positive(level, domain):",
            "if False:",
            "an exponential reaches every level",
        ),
        (
            "falls = is_proved_positive(-field.exponents[y], domain)",
            "falls = not is_proved_positive(-field.exponents[y], domain)",
            "the logarithm of the wrong one of level and 1/level is shown",
        ),
        (
            "equation += target if falls else -target",
            "equation += target",
            "exp(E) = level has the root of exp(-E) = level",
        ),
        ("= (sign * c2, -sign * c0)", "= (sign * c2,)", "a quadratic may have two positive roots"),
        (
            "            c0, c1, c2 = sign * c0, sign * c1, sign * c2\n",
            "",
            "of a quadratic the negative root is taken",
        ),
        (
            'side: Literal["<", ">"] = "<" if rises else ">"',
            'side: Literal["<", ">"] = ">" if rises else "<"',
            "a condition is negative on the other side",
        ),
        ('"every" if value == sign else "no"', '"no" if value == sign else "every"', "every is no"),
        ('"no" if strict else "every"', '"every" if strict else "no"', "what vanishes is positive"),
        ("if is_proved_positive(-bend", "if is_proved_positive(bend", "convex passes for concave"),
    ),
    *mutants(
        E,
        FACTS,
        ("if parameter in root.free_symbols", "if False", "the parameter is part of its own bound"),
        (
            "if (type(solved), type(relation)) != (Le, Ge) or relation.args[1] != 0:",
            "if relation.args[1] != 0:",
            "a condition is positive on either side of its root",
        ),
        (
            "if type(self.start.relation) is not Gt or not only_one:",
            "if type(self.start.relation) is not Gt:",
            "a condition with several roots is positive up to one of them",
        ),
        (
            "for gap in (h.xreplace({unknown: parameter}) + condition, self.start.condition - first)",
            "for gap in (h.xreplace({unknown: parameter}) + condition,)",
            "the condition need not be positive at the start",
        ),
    ),
]
