"""Ledgers as data: what a record may say, how its verdict is reached, and what is refused.

Also ledgers as such: what they must have, and how they are looked up.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cltheory.derive.language.evaluate import Scene, judge
from cltheory.derive.language.parser import parse
from cltheory.derive.language.statement import TexError
from cltheory.derive.papers import PAPERS, UnknownPaper, ledger_of
from cltheory.derive.papers.ledger import Ledger
from cltheory.derive.papers.lee2025ssem import LEDGER
from cltheory.derive.papers.records.examine import examine, retried
from cltheory.derive.papers.records.hypotheses import BadClause, read_condition, read_under
from cltheory.derive.papers.records.mutate import holes, mutants
from cltheory.derive.papers.records.record import FIELDS, BadRecord, Record, read_section
from cltheory.derive.papers.records.stored import row_of
from cltheory.derive.papers.stamp import put_witness
from cltheory.derive.papers.verdict import WORDS
from cltheory.derive.results import results
from cltheory.derive.vectors.embeddings import Embeddings
from records import family_named, record, verdict

RECORDS = [r for key in PAPERS for r in ledger_of(key).records()]
DATA = Path(__file__).resolve().parent.parent / "data"
SSEM_RANGE = "delta in [0, sqrt((m*n-1)/(m*(n-1)))]"


# --- the grammar of hypotheses and conditions -----------------------------------------------------
UNDER = f"m in 1.., n in 1.., m*n >= 2, {SSEM_RANGE}, alpha in [0, 1], tau in (0, oo)"


@pytest.mark.parametrize(
    "nonsense",
    [
        "m >= 7 and a full moon",
        "a full moon",
        "m",
        "m >= 2 and moon(U)",
        "m >= 2; import os",
        "m >= __import__",
        "",
    ],
)
def test_a_condition_that_is_none_is_refused_in_one_line(nonsense: str) -> None:
    with pytest.raises(BadClause) as refusal:
        read_condition(nonsense, read_under(UNDER).ranges, on_sets=True)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "nonsense",
    [
        "m",
        "m in N",
        "m in 1.., m in 2..",
        "two of k",
        "m in [0, 1",
    ]
    + ["m in 1..,, n in 1..", "delta in [0, f(2)]", "m in 1.., m is even"],
)
def test_hypotheses_that_are_none_are_refused_in_one_line(nonsense: str) -> None:
    with pytest.raises(BadClause) as refusal:
        read_under(nonsense)
    assert "\n" not in str(refusal.value)


def test_corners_are_tried_without_being_asked_for() -> None:
    points = [p for p, wrong in read_under(UNDER).points() if not wrong]
    assert {int(p["m"]) for p in points} == {1, 2, 3}
    assert {int(p["n"]) for p in points} == {2, 3}
    assert {str(p["alpha"]) for p in points} >= {"0", "1", "1/2"}  # 1/n among them
    assert {str(p["tau"]) for p in points} >= {"1/50", "1"}
    assert max(p["tau"] for p in points) >= 50
    deltas = {str(p["delta"]) for p in points if (p["m"], p["n"]) == (2, 2)}
    assert deltas >= {"0", "1", "sqrt(6)/2"}
    assert all(p["m"] * p["n"] >= 2 for p in points)
    # At n = 1 the range of delta has no value, which is said and not passed over.
    wrong = [(p, why) for p, why in read_under(UNDER).points() if why]
    assert wrong and all(p["n"] == 1 and "no value" in why for p, why in wrong)


def test_open_ends_are_approached_and_closed_ends_taken() -> None:
    values = [p["alpha"] for p, _ in read_under("alpha in (0, 1]").points()]
    assert 0 not in values
    assert 1 in values
    assert 0 < min(values) <= Fraction(1, 50)
    ends = [p["delta"] for p, _ in read_under("delta in [0, oo]").points()]
    assert "oo" in map(str, ends)


def test_the_engine_gets_the_hypotheses_with_the_condition() -> None:
    hypotheses = read_under("m in 1.., n in 1.., delta in [0, 1], x in (delta, oo)")
    (domain,) = hypotheses.domains(
        read_condition("m >= 2 and n > 2 and delta < 1", hypotheses.ranges)
    )
    ranges = {s.name: r for s, r in domain.ranges.items()}
    assert ranges["m"].low == 2
    assert ranges["n"].low == 3
    assert ranges["delta"].high_open
    either = hypotheses.domains(read_condition("m >= 2 or n >= 2", hypotheses.ranges))
    assert len(either) == 2


# --- the language of vectors ----------------------------------------------------------------------
SQUARE = Embeddings.from_vectors(2, 2, 1, [[1, 0], [-1, 0], [0, 1], [0, -1]])


def scene(text: str, e: Embeddings = SQUARE) -> bool:
    numbers = {"m": Fraction(e.m), "n": Fraction(e.n), "p": Fraction(e.p), "tau": Fraction(1, 2)}
    found = parse(text)
    return judge(found.tree, Scene(numbers, e, family_named("sets").named(e)), found.bound).holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (r"\sum_{i \in [m]} \sum_{j \ne j' \in [n]} u_{i,j}^\top u_{i,j'} = -4", True),
        (r"\sum_{i=1}^{m} \sum_{u \in U_i} \sum_{v \in U_i} u^\top v = 0", True),
        (r"\|u_{1,1} - u_{2,1}\| = 2", False),
        (r"\text{Var}[\mathbf{U}_1] = 1 \quad \text{for all } i \in [m]", True),
        (r"\mathrm{Var}^{\mathrm{Btwn}}[U] = 0", True),
        (r"\frac{1}{mn} \sum_{u \in U} \log \exp(u^\top u / \tau) = \frac{1}{\tau}", True),
        (r"u^\top v \le 0 \quad \forall u \in U, v \in U \setminus \{u\}", True),
        (r"u^\top v < 0 \quad \forall u \in U, v \in U \setminus \{u\}", False),
        (r"u^\top v = -1 \iff u = -v", True),
        (r"\exists c: (u^\top v = c \quad \forall u \in U_1, v \in U_2)", True),
        (r"\exists c_1: (u^\top v = c_1 \quad \forall u, v \in U)", False),
        (r"\exists c: (\mathbb{E}[U_i] = c \quad \forall i \in [m])", True),
        (r"\exists a, c: (u^\top u = c \quad \forall u \in U) \wedge a = 1 + c", True),
        (r"(u^\top u = 1 \quad \forall u \in U) \wedge m = n", True),
        (r"(u^\top u = 1 \quad \forall u \in U) \land m > n", False),
        (r"m = n \wedge (u^\top u = 1 \quad \forall u \in U) \Rightarrow 1 = 2", False),
        (r"\frac{1}{m - n} = 1", False),  # no value
    ],
)
def test_statements_are_evaluated_as_they_are_read(text: str, holds: bool) -> None:
    text = text.replace(r"u^\top v = -1 \iff", r"u_{1,1}^\top u_{1,2} = -1 \iff").replace(
        "u = -v", "u_{1,1} = -u_{1,2}"
    )
    assert scene(text) is holds


@pytest.mark.parametrize(
    "text",
    [
        r"u^\top v",
        r"u = \begin{pmatrix} 1 \end{pmatrix}",
        r"\sum_{j \ne j'} u_j = 0",
        r"1 = 2 3 )",
        r"\|u\|_3 = 1",
        r"\exists c (u = c)",
        r"m = n \wedge",
    ],
)
def test_what_is_no_statement_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(TexError) as refusal:
        parse(text)
    assert "\n" not in str(refusal.value)


JENSEN = """
formal = '''\\sum_{i=1}^{N} l_p(u_i^\\top v_i) = N l_p(\\frac{1}{N} \\sum_{i=1}^{N} u_i^\\top v_i)
  \\iff (u_i^\\top v_i = u_1^\\top v_1 \\quad \\forall i \\in [N])'''
printed = "Jensen"
under = "N in 1.., l_p convex decreasing"
on = "towers"
origin = "authors"
sufficient = true
condition = "strict(l_p)"
"""


def test_a_condition_may_be_about_a_function() -> None:
    found = examine(record(JENSEN))
    assert found.verdict.word == "needs-condition"
    assert found.problems == ("it has no witness; cltheory found one",)
    assert found.found is not None
    assert found.found.at["l_p"] in ("-y", "max(0, 1/2 - y)")
    assert not retried(record(JENSEN).printed, found.found).holds
    wrong = replace(found.found, at={**found.found.at, "l_p": "y^7"})
    with pytest.raises(ValueError, match="is not one of the convex decreasing functions"):
        retried(record(JENSEN).printed, wrong)
    # Continuity does not help.
    other = examine(record(JENSEN.replace("strict", "continuous")))
    assert other.verdict.word == "differs"


@pytest.mark.parametrize(
    "text",
    [
        JENSEN.replace("strict(l_p)", "strict(l_q)"),
        JENSEN.replace("strict(l_p)", "smooth(l_p)"),
        JENSEN.replace("convex decreasing", "convex and round"),
        JENSEN + 'also = ["N = 4, l_p = y^7"]',
        JENSEN + 'also = ["N = many"]',
    ],
)
def test_a_function_or_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        record(text)


# --- records --------------------------------------------------------------------------------------
GOOD = "printed = '''m + 1 > m'''\nunder = \"m in 1..\"\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("printed = 1", "no printed"),
        (GOOD + 'colour = "red"', "unknown field 'colour'"),
        (GOOD + 'origin = "the printer"', "origin must be one of"),
        (GOOD + 'on = "zoo"', "unknown family 'zoo'"),
        ("printed = '''u = v'''\non = \"ssem\"\nunder = \"m in 1..\"", "needs a range"),
        (GOOD + 'condition = "m >= 7 and a full moon"', "a full moon"),
        (GOOD + "sufficient = true", "sufficient"),
        (GOOD + "reading = '''m > 0'''", "origin"),
        ("printed = '''m +'''\nunder = \"m in 1..\"", "ends too early"),
        ("printed = '''m > 0'''\nunder = \"m in 1.. and so on\"", "not"),
        (GOOD + "mathematical = false", "cannot have under"),
        (GOOD + 'at_odds = "itself"', "needs mathematical"),
        ('printed = "yes"\ncheck = "simplex fits"\nunder = "n in 1.."', "corrupted"),
        (GOOD + "[record.witness]\nsays = 'no'", "witness"),
    ],
)
def test_a_bad_record_is_refused_in_one_line_that_names_it(text: str, why: str) -> None:
    with pytest.raises(BadRecord, match=why) as refusal:
        record(text)
    assert "nobody2020, (1)" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("odd", [3, True, [3], {"a": 3}, {"text": 3}, "x((", "\\frac{"])
def test_fields_of_the_wrong_kind_are_refused_in_one_line(
    odd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands in a field: it is read, or the record is refused."""
    good = tomllib.loads(f"label = '(1)'\nweight = 'aside'\n{GOOD}")
    for name in FIELDS:
        data = {"record": [{**good, name: odd}]}
        monkeypatch.setattr(tomllib, "loads", lambda _, data=data: data)
        with suppress(BadRecord):
            read_section("nobody2020", "section_1", "")


@pytest.mark.parametrize("named", ["ccem.deltta", "cceem.delta"])
def test_a_quantity_that_there_is_not_leaves_the_record_undecided(named: str) -> None:
    wrong = f"printed = '''a = 1'''\nnames = {{ a = '{named}' }}\nunder = 'N in 2..'"
    found = examine(record(wrong))
    assert found.verdict.word == "undecided"
    assert "has no 'deltta'" in found.verdict.note or "called 'cceem'" in found.verdict.note


def test_a_bad_file_is_refused() -> None:
    with pytest.raises(BadRecord, match="not TOML"):
        read_section("nobody2020", "section_1", "[[record]\n")
    with pytest.raises(BadRecord, match="neither"):
        read_section("nobody2020", "section_1", "[record]\nlabel = 'x'\n[other]\n")
    with pytest.raises(BadRecord, match="weight must be one of"):
        read_section("nobody2020", "s", "[[record]]\nlabel='x'\nprinted='a'\nweight='huge'\n")
    twice = 2 * f'[[record]]\nlabel = "(1)"\nweight = "aside"\n{GOOD}'
    with pytest.raises(BadRecord, match="two records"):
        read_section("nobody2020", "section_1", twice)


# --- verdicts -------------------------------------------------------------------------------------
WITNESS = "[record.witness]\nat = {{ {} }}\nsays = '{}'\n"


def test_a_closed_form_that_holds_agrees_and_is_proved() -> None:
    found = examine(record("printed = '''(m-1)^2 = m^2 - 2m + 1'''\nunder = \"m in 1..\""))
    assert found.verdict.word == "agrees"
    assert str(found.verdict.evidence.grade) == "exact"
    assert not found.problems


ROOT = (
    "printed = '''\\sqrt{\\frac{mn-1}{m(n-1)}} > 1'''\nunder = \"m in 1.., n in 1.., m*n >= 2\"\n"
)
AT = WITNESS.format('m = "1", n = "2"', "1 > 1")


def test_a_condition_is_shown_to_be_sufficient_and_necessary() -> None:
    good = ROOT + 'origin = "authors"\ncondition = "m >= 2 and n >= 2"\n' + AT
    found = examine(record(good))
    assert found.verdict.word == "needs-condition"
    assert str(found.verdict.evidence.grade) == "exact"
    assert not found.problems
    assert record(good).corrected.endswith("[m >= 2 and n >= 2]")


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("n >= 2", "fails also where"),
        ("m >= 3 and n >= 2", "not necessary"),
        ("m >= 2 and n >= 2 and m*n >= 2", "nothing fails where only m\\*n >= 2"),
        ("m >= 9", "nothing was tried"),
    ],
)
def test_a_wrong_condition_is_refused(condition: str, why: str) -> None:
    found = examine(record(ROOT + f'origin = "authors"\ncondition = "{condition}"\n' + AT))
    assert any(re.search(why, p) for p in found.problems)


def test_sufficient_is_said_where_it_is_so_and_only_there() -> None:
    body = ROOT + 'origin = "authors"\nsufficient = true\ncondition = "HERE"\n' + AT
    assert not examine(record(body.replace("HERE", "m >= 3 and n >= 2"))).problems
    (problem,) = examine(record(body.replace("HERE", "m >= 2 and n >= 2"))).problems
    assert "fails at every point tried outside" in problem


FALSE = "printed = '''m^2 = 2m'''\nunder = \"m in 1..\"\norigin = \"authors\"\n"
AT_1 = WITNESS.format('m = "1"', "1 = 2")


def test_what_fails_differs_and_a_correction_must_agree() -> None:
    word, problems = verdict(FALSE + AT_1)
    assert word == "differs"
    assert problems == ("it differs and has no correction",)
    assert verdict(FALSE + "correction = '''m^2 = m m'''\n" + AT_1) == ("differs", ())
    word, (problem,) = verdict(FALSE + "correction = '''m^2 = 3m'''\n" + AT_1)
    assert word == "differs"
    assert problem.startswith("the correction is not confirmed: fails")


def test_a_reading_that_holds_makes_a_misprint_and_one_that_fails_does_not() -> None:
    assert verdict(FALSE + "reading = '''m^2 = m \\cdot m'''\n" + AT_1) == ("misprint", ())
    word, (problem,) = verdict(FALSE + "reading = '''m^2 = m + 1'''\n" + AT_1)
    assert word == "differs"
    assert problem.startswith("the reading is not confirmed: fails")


def test_an_equivalence_needs_both_sides_of_its_condition() -> None:
    never = "printed = '''m > 0 \\iff m \\in [1, 99]'''\nunder = \"m in 1..\"\n"
    assert "not both met and not met" in verdict(never)[1][0]
    both = "printed = '''m^2 > 1 \\iff m \\in [2, 99]'''\nunder = \"m in 1..\"\n"
    assert verdict(both) == ("agrees", ())
    # Its mutant with |U| = 0, of which no set can be found, does not count as tried.
    vain = "printed = '''|U| = 1 \\Rightarrow \\text{Var}[U] = 0'''\n"
    vain += 'under = "m in 1.., n in 1.."\non = "sets"\n'
    assert verdict(vain) == ("agrees", ())
    assert holes(record(vain)).survivors == ()
    idle = "printed = '''m < 0 \\Rightarrow m = 7'''\nunder = \"m in 1..\"\n"
    assert "never met" in verdict(idle)[1][0]


def test_a_bound_that_is_said_to_be_sharp_is_attained() -> None:
    text = "printed = '''{} \\le m'''\nunder = \"m in 1..\"\nsharp = true\n"
    assert verdict(text.format("1")) == ("agrees", ())
    assert "nowhere attained" in verdict(text.format("0"))[1][0]


def test_what_holds_together_binds_before_a_condition() -> None:
    text = "printed = '''m^2 - 3m + 2 = 0 \\iff m \\in [1, 9] \\land m < 3'''\n"
    both = text + 'under = "m in 1.."\n'
    assert verdict(both) == ("agrees", ())
    assert any("dropped condition" in what for what, _ in mutants(record(both).printed))
    assert verdict(both.replace("m < 3", "m < 4"))[0] == "differs"
    assert verdict(both.replace("\\land m < 3", ""))[0] == "differs"
    with pytest.raises(BadRecord):
        record(both.replace("m < 3", ""))


def test_what_a_record_defines_is_put_into_the_proof() -> None:
    text = "printed = '''h(m)^2 - q = -2m'''\nunder = \"m in 1..\"\n"
    text += "[record.where]\n'h(m)' = '''m - 1'''\nq = '''h(m) + m^2 - m + 2'''\n"
    found = examine(record(text))
    assert (found.verdict.word, str(found.verdict.evidence.grade)) == ("agrees", "exact")
    assert verdict(text.replace("m + 2", "m + 1"))[0] == "differs"


def test_a_bound_is_attained_on_all_of_what_a_record_says() -> None:
    text = "printed = '''u_1^\\top v_1 \\ge -1'''\nunder = \"N in 1..\"\non = \"towers\"\n"
    text += '[record.attained]\non = "ccem"\nunder = "N in 1.., delta in {}"\n'
    good = record(text.format("[oo, oo]"))
    assert examine(good).problems == ()
    (problem,) = examine(record(text.format("[1, oo]"))).problems
    assert "not attained at N = 2, delta = " in problem
    assert holes(good).weaker == ()  # u_1^T v_1 >= -2 is true, and refused
    assert holes(replace(good, attained=None)).weaker
    with pytest.raises(BadRecord, match="attained must be"):
        record(GOOD + "[record.attained]\nprinted = 'x'\n")


def test_what_a_record_calls_by_a_letter_is_whatever_the_letter_is() -> None:
    text = "printed = '''h(m)^2 \\ge 0'''\nunder = \"m in 1.., b in (-oo, oo)\"\n"
    text += "[record.where]\n'h(m)' = 'b'\n"
    assert verdict(text) == ("agrees", ())
    assert not any(" in h" in what for what, _ in mutants(record(text).printed))
    assert any(" in h" in what for what, _ in mutants(record(text[:-2] + "b + 1'\n").printed))


def test_roots_are_compared_by_their_squares() -> None:
    text = "printed = '''x = \\sqrt{\\frac{n-1}{m} (n - (n - \\frac{m x^2}{n-1}))}'''\n"
    text += 'under = "m in 1.., n in 2.., x in [0, oo)"\n'
    found = examine(record(text))
    assert (found.verdict.word, str(found.verdict.evidence.grade)) == ("agrees", "exact")
    negative = "printed = '''b = \\sqrt{b^2}'''\nunder = \"b in (-oo, oo)\"\n"
    assert verdict(negative)[0] == "differs"


def test_a_corrupted_wording_must_be_refused() -> None:
    assert verdict(GOOD + "corrupted = '''m + 1 < m'''") == ("agrees", ())
    assert "not refuted" in verdict(GOOD + "corrupted = '''m + 2 > m'''")[1][0]


def test_limits_of_what_was_derived() -> None:
    text = "printed = 'it converges'\nformal = 'a = \\frac{1}{n}'\n"
    text += 'under = "m in 2.., n in 2.."\n'
    names = 'names = { a = "supcl-threshold.alpha_min(tau -> 0)" }\n'
    found = examine(record(text + names))
    assert (found.verdict.word, found.problems) == ("agrees", ())
    assert str(found.verdict.evidence.grade) == "exact"
    assert verdict(text.replace("frac{1}{n}", "frac{1}{m}") + names)[0] == "differs"
    assert verdict(text + names.replace("->", "=>"))[0] == "undecided"


# --- witnesses ------------------------------------------------------------------------------------
WITNESSED = [r for r in RECORDS if r.witness is not None]


@pytest.mark.sample(120)
@pytest.mark.parametrize("one", WITNESSED, ids=lambda r: f"{r.paper} {r.label}")
def test_the_print_fails_at_its_witness(one: Record) -> None:
    assert one.witness is not None
    trial = retried(one.printed, one.witness)
    assert trial.holds is False
    assert trial.says == one.witness.says


def test_a_witness_with_a_digit_changed_is_refused() -> None:
    said = record(FALSE + "correction = '''m^2 = m m'''\n" + WITNESS.format('m = "1"', "1 = 3"))
    assert any("not '1 = 3'" in p for p in examine(said).problems)


def test_a_witness_whose_vectors_are_changed_is_refused() -> None:
    one = next(r for r in WITNESSED if r.label == "Section 3: sizes")
    assert one.witness is not None
    size = len(one.witness.gram)
    apart = tuple(tuple("1" if i == j else "0" for j in range(size)) for i in range(size))
    assert retried(one.printed, replace(one.witness, gram=apart)).holds is True
    torn = tuple(tuple("2" if (i, j) == (0, 1) else "1" for j in range(size)) for i in range(size))
    with pytest.raises(ValueError, match="symmetric"):
        retried(one.printed, replace(one.witness, gram=torn))


def test_a_witness_outside_the_hypotheses_is_refused() -> None:
    for at in ('m = "0"', 'm = "1/2"'):
        text = FALSE + "correction = '''m^2 = m m'''\n" + WITNESS.format(at, "1 = 2")
        assert any("cannot be tried" in p for p in examine(record(text)).problems)
    holds = FALSE + "correction = '''m^2 = m m'''\n" + WITNESS.format('m = "2"', "4 = 4")
    assert any("does not fail" in p for p in examine(record(holds)).problems)


def test_a_witness_is_written_into_its_record() -> None:
    head = '[[record]]\nlabel = "(1)"\nweight = "aside"\n'
    text = head + FALSE + "correction = '''m^2 = m m'''\n\n" + head.replace("(1)", "(2)") + GOOD
    first, _ = read_section("nobody2020", "s", text)
    found = examine(first).found
    assert found is not None
    again, other = read_section("nobody2020", "s", put_witness(text, "(1)", found))
    assert again.witness == found
    assert other.witness is None
    assert not examine(again).problems


# --- mutants --------------------------------------------------------------------------------------
def test_mutants_of_a_good_check_die_and_holes_are_listed() -> None:
    exact = holes(record("printed = '''(m-1)^2 = m^2 - 2m + 1'''\nunder = \"m in 1..\""))
    assert exact.killed > 10
    assert exact.survivors == ()
    # A square is not negative, whatever is squared.
    blind = holes(record("printed = '''(m - 3)^2 \\ge 0'''\nunder = \"m in 1..\""))
    assert any("off by one" in what for what in blind.survivors)
    loose = holes(record("printed = '''-5 < m'''\nunder = \"m in 1..\""))
    assert loose.weaker


# --- loose words ----------------------------------------------------------------------------------
#: m = 4 is where the printed word, taken so, fails first.
LOOSE = (
    "printed = 'm is small'\nformal = 'm \\le 3'\nunder = 'm in 1..9'\norigin = 'authors'\n"
    "correction = {{ text = 'm is a number', formal = 'm \\ge 1' }}\n"
    "under_reading = 'small: at most 3'\n" + WITNESS.format('m = "5"', "5 <= 3").rstrip()
)


def readings(*formal: str) -> str:
    rows = (f"[[record.fair_readings]]\ntext = 'by {f}'\nformal = '{f}'\n" for f in formal)
    return LOOSE.replace("{{", "{").replace("}}", "}") + "\n\n" + "\n".join(rows)


def test_one_reading_refutes_nothing() -> None:
    found = examine(record(readings()))
    assert found.verdict.word == "undecided"
    assert any("list every fair one" in p for p in found.problems)
    assert found.verdict.readings["small: at most 3"].startswith("fails at")


def test_what_fails_under_every_fair_reading_differs_and_under_one_depends_on_it() -> None:
    every = examine(record(readings("m \\le 4", "m < 6")))
    assert (every.verdict.word, every.problems) == ("differs", ())
    assert all(v.startswith("fails") for v in every.verdict.readings.values())
    some = examine(record(readings("m \\le 4", "m < 10")))
    assert (some.verdict.word, some.problems) == ("needs-condition", ())
    assert [v.split()[0] for v in some.verdict.readings.values()] == ["fails", "fails", "holds"]
    assert some.verdict.witness
    # The other way round, and where a reading cannot be run.
    turned = "printed = 'm'\nformal = 'm < 10'\nunder = 'm in 1..9'\norigin = 'authors'\n"
    turned += "under_reading = 'one'\n[[record.fair_readings]]\ntext = 'two'\nformal = 'm < 3'\n"
    assert verdict(turned) == ("needs-condition", ())
    unread = turned.replace("formal = 'm < 3'", "check = 'nowhere'\ngiven = { k = '1' }")
    word, problems = verdict(unread)
    assert word == "undecided"
    assert problems


def test_a_verdict_over_readings_lacks_neither_correction_nor_origin() -> None:
    text = readings("m \\le 4")
    lines = [x for x in text.split("\n") if not x.startswith("correction")]
    assert any("no correction" in p for p in examine(record("\n".join(lines))).problems)
    lines = [x for x in text.split("\n") if not x.startswith("origin")]
    assert any("origin" in p for p in examine(record("\n".join(lines))).problems)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (readings("m \\le 3"), "keep one"),
        (readings("m < 5", "m < 5"), "the same text"),
        (readings("m <"), "fair reading 1"),
        (readings("m < 5").replace("text = 'by m < 5'\n", ""), "each with a text"),
        (readings("m < 5").replace("under_reading = 'small: at most 3'\n", ""), "under_reading"),
        (GOOD.replace("under", "mathematical = false\nunder_reading = 'x'\n#")
         + "[[record.fair_readings]]\ntext = 'y'\nformal = 'm > 0'\n", "fair_readings"),
        (GOOD + "fair_readings = 'any'\n", "list of tables"),
    ],
)  # fmt: skip
def test_readings_that_are_none_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadRecord, match=why):
        record(text)


def test_the_readings_of_the_papers_are_stored_and_what_differs_fails_under_all() -> None:
    loose = [(r, r.stored()) for r in RECORDS if r.under_reading]
    assert len(loose) > 50
    for one, found in loose:
        assert found is not None
        assert list(found.readings) == [one.under_reading, *(w.text for w in one.fair_readings)]
        failing = [v for v in found.readings.values() if v.startswith("fails")]
        if found.word == "differs":
            assert len(failing) == len(found.readings) >= 2, one.label
        else:
            assert len(failing) < len(found.readings), one.label


# --- the records of the papers --------------------------------------------------------------------
@pytest.mark.parametrize("paper", PAPERS)
def test_stored_verdicts_are_those_of_the_records_as_they_stand(paper: str) -> None:
    # When it fails: python -m cltheory.derive.papers.stamp PAPER SECTION --write
    for one in (r for r in RECORDS if r.paper == paper):
        found = one.stored()
        assert found is not None, one.label
        assert found.word in WORDS and found.word != "undecided", one.label
        assert (found.word == "agrees") or one.origin or not one.mathematical, one.label
        assert found.evidence.how, one.label


@pytest.mark.parametrize("paper", PAPERS)
def test_the_verdicts_are_those_of_the_key(paper: str) -> None:
    ledger = ledger_of(paper)
    key = tomllib.loads((DATA / f"verdicts_{paper}.toml").read_text("utf-8"))
    found = {
        section: {r.label: ledger[r.label].known_verdict().word for r in ledger.records(section)}
        for section in ledger.sections
    }
    assert found == key


@pytest.mark.slow
@pytest.mark.net(8)
@pytest.mark.parametrize("one", RECORDS, ids=lambda r: f"{r.paper} {r.label}")
def test_the_verdict_is_reached_again(one: Record) -> None:
    found = examine(one)
    assert found.problems == ()
    kept = one.stored()
    assert kept is not None
    told: dict[str, Any] = row_of(one.fingerprint(), found.verdict)
    assert told == row_of(one.fingerprint(), kept)


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize(
    "one", [r for r in RECORDS if r.mathematical], ids=lambda r: f"{r.paper} {r.label}"
)
def test_no_mutant_survives(one: Record) -> None:
    # A few of each record; all of them: python -m cltheory.derive.papers.stamp PAPER --mutants
    assert holes(one, most=5).survivors == ()


def test_mutants_that_are_true_are_listed_with_a_reason() -> None:
    text = "printed = '(m - 3)^2 \\ge 0'\nunder = 'm in 1..'\n"
    survivors = holes(record(text)).survivors
    assert survivors
    reasons = "\n".join(f"{json.dumps(s)} = 'a square'" for s in survivors)
    listed = record(f"{text}[record.also_true]\n{reasons}\n")
    assert holes(listed).survivors == ()
    assert holes(listed).known == survivors
    assert listed.fingerprint() == record(text).fingerprint()
    few = holes(listed, most=4)
    assert few.killed + few.same + len(few.known) + len(few.weaker) == 4
    with pytest.raises(BadRecord, match="table of strings"):
        record(f"{text}also_true = 'all'\n")


# --- derivatives, limits, ends ------------------------------------------------------------------
def test_a_derivative_is_taken_and_proved() -> None:
    text = "printed = '''\\frac{\\partial^2}{\\partial t^2} \\exp(N t) = N^2 \\exp(N t) > 0'''\n"
    text += 'under = "N in 1.., t in (0, oo)"\n'
    found = examine(record(text))
    assert (found.verdict.word, str(found.verdict.evidence.grade)) == ("agrees", "exact")
    assert holes(record(text.replace("> 0", ""))).survivors == ()
    assert verdict(text.replace("N^2 ", "N "))[0] == "differs"
    with pytest.raises(BadRecord):
        record(text.replace("\\partial t^2}", "\\partial t}"))


G = "[record.where]\n'g(N, t)' = '''\\frac{N t^2 + 1}{t^2 + N}'''\n"


def test_values_are_put_in_and_limits_taken() -> None:
    under = 'under = "N in 2.."\n'
    good = "formal = ['''g(N, \\infty) = N''', '''g(N, t)|_{t \\to \\infty} = N''', "
    good += "'''\\frac{\\partial}{\\partial t} g(N, t) \\Big|_{t = 1} "
    good += "= \\frac{2(N - 1)}{N + 1}''']\n"
    found = examine(record(f"printed = 'words'\n{good}{under}{G}"))
    assert (found.verdict.word, str(found.verdict.evidence.grade)) == ("agrees", "exact")
    assert verdict(f"printed = '''g(N, \\infty) = 1'''\n{under}{G}")[0] == "differs"
    limit = "printed = '''\\lim_{N \\to \\infty} g(N, t) = 1 + t^2'''\nunder = 't in (0, oo)'\n"
    assert verdict(limit + G)[0] == "differs"
    assert verdict(limit.replace("1 + t^2", "t^2") + G) == ("agrees", ())


def test_what_a_section_defines_is_mutated_where_it_is_stated() -> None:
    text = "[where]\n'g(t)' = '''t^2 + 1'''\n[[record]]\nlabel = '(1)'\nweight = 'aside'\n"
    text += "uses = ['g(t)']\nprinted = '''g(t) - t^2 = 1'''\nunder = 't in (0, oo)'\n"
    (one,) = read_section("nobody2020", "section_1", text)
    assert (examine(one).verdict.word, holes(one).survivors) == ("agrees", ())
    (other,) = read_section("nobody2020", "section_1", text.replace("t^2 + 1", "t^2 + 2"))
    assert examine(other).verdict.word == "differs"
    assert one.fingerprint() != other.fingerprint()
    with pytest.raises(BadRecord, match="does not define"):
        read_section("nobody2020", "section_1", text.replace("['g(t)']", "['h(t)']"))


def test_the_ends_of_inequalities_are_tried() -> None:
    text = "printed = '''D = 0 \\iff t > \\frac{N-1}{N} \\log(N-3)'''\n"
    text += 'under = "N in 4.., t in (0, oo), b in [t, t]"\n'
    text += 'names = { D = "sigmoid-optimum.delta_star" }\n'
    found = examine(record(text))
    assert found.verdict.word == "differs"
    assert found.verdict.witness["point"] == {"N": "5", "t": "4*log(2)/5", "b": "4*log(2)/5"}
    assert verdict(text.replace("iff t >", "iff t \\ge")) == ("agrees", ())


def test_the_rate_of_a_derived_quantity() -> None:
    text = "printed = '''\\frac{\\partial D}{\\partial t} < 0'''\n"
    text += 'names = { D = "sigmoid-optimum.delta_star(b = t)" }\n'
    assert verdict(text + 'under = "N in 6..6, t in [2/5, 9/10]"') == ("agrees", ())
    assert verdict(text + 'under = "N in 6..6, t in [2/5, 2]"')[0] == "differs"
    wrong = text.replace("(b = t)", "(b = t, x -> 0)")
    assert "is not RESULT.QUANTITY" in verdict(wrong + 'under = "N in 6..6, t in [2/5, 1]"')[1][0]


def test_numbers_are_tried_besides() -> None:
    text = "printed = '''(t - \\frac{9}{4})^2 (N - 14)^2 + (N-14)^2 > 0'''\n"
    text += 'under = "N in 1.., t in (0, oo)"\n'
    assert verdict(text) == ("agrees", ())
    also = text.replace("+ (N-14)^2", "") + 'also = "N = 5, t = 9/4"\n'
    assert verdict(also)[0] == "differs"
    for wrong in ("N = 5/2", "t = moon", "x = 1"):
        with pytest.raises(BadRecord):
            record(text + f'also = "{wrong}"\n')


def test_claims_are_counted_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many lines as there are records in the data, of each paper and for each result."""
    from cltheory.derive.papers import PAPERS, ledger_of
    from cltheory.derive.results import results

    monkeypatch.setattr(Ledger, "_loaded", None)  # no record is read
    for ledger in map(ledger_of, PAPERS):
        data = [tomllib.loads(ledger._text(name)) for name in ledger.sections]
        found = Counter(r.get("settled") for one in data for r in one.get("record", ()))
        assert [ledger.count_settled(id) for id in results] == [found[id] for id in results]


def test_claims_that_a_default_settles_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    one = "[[record]]\nlabel = '{}'\nweight = 'aside'\nprinted = 'one'\nmathematical = false\n"
    text = "[defaults]\nused_in = ['(2)']\nsettled = 'ssem'\n\n" + one.format("(1)")
    text += one.format("(2)") + "settled = 'ccem'\n" + one.format("(3)")
    monkeypatch.setattr(Ledger, "_text", lambda *_: text)
    ledger = Ledger("small", "A small paper", "", ["section_1"])
    assert [ledger.count_settled(id) for id in ("ssem", "ccem", "supcon")] == [2, 1, 0]


@pytest.mark.parametrize("paper", ["lee2025ssem", "lee2024sigmoid"])
def test_claims_come_in_the_order_of_the_pages(paper: str) -> None:
    labels = [c.label for c in ledger_of(paper)]
    for family in ("({})", "(A.{})"):
        numbered = [family.format(k) for k in range(1, 65) if family.format(k) in labels]
        places = [labels.index(label) for label in numbered]
        assert places == sorted(places)


# --- the ledger ------------------------------------------------------------------------------
@pytest.mark.parametrize("result", list(results))
def test_a_result_loads_the_claims_it_settles(result: str) -> None:
    assert LEDGER.settled_by(result) == [c for c in LEDGER if c.record.settled == result]


def test_every_result_of_the_paper_settles_something() -> None:
    settled = {c.record.settled for c in LEDGER} - {""}
    assert settled >= {k for k in results if results[k].source.startswith("lee2025ssem")}


def test_asking_for_one_result_leaves_the_other_sections_alone() -> None:
    code = (
        "from cltheory.derive.papers import ledger_of, settled_by; settled_by('supcl-threshold');"
        "print(sorted(ledger_of('lee2025ssem')._read))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert found.strip() == "['appendix_a4', 'section_5_2']"


def test_an_unknown_paper_is_refused_in_one_line() -> None:
    with pytest.raises(UnknownPaper, match=r"accepted: .*lee2025ssem") as refusal:
        ledger_of("nobody2020")
    assert "\n" not in str(refusal.value)


def test_a_label_is_used_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = "[[record]]\nlabel = '(1)'\nweight = 'aside'\nprinted = 'one'\nmathematical = false\n"
    for name in ("section_1", "section_2"):
        (tmp_path / f"{name}.toml").write_text(one)
    monkeypatch.setattr(Ledger, "_text", lambda _, name: (tmp_path / f"{name}.toml").read_text())
    assert Ledger("small", "A small paper", "", ["section_1"])["(1)"].label == "(1)"
    with pytest.raises(BadRecord, match="two claims labelled"):
        len(Ledger("small", "A small paper", "", ["section_1", "section_2"]))


def test_what_a_record_refers_to_is_there() -> None:
    for key in PAPERS:
        labels = {c.label for c in ledger_of(key)}
        for one in ledger_of(key).records():
            assert {*one.used_in, one.restates or one.label} <= labels
