"""The ledger of lee2025ssem as a whole: what must be there; and ledgers as such."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from cltheory.derive.decide.evidence import Evidence, Grade
from cltheory.derive.papers import PAPERS, UnknownPaper, ledger_of, settled_by
from cltheory.derive.papers.ledger import Claim, Ledger
from cltheory.derive.papers.lee2025ssem import LEDGER
from cltheory.derive.papers.verdict import Verdict
from cltheory.derive.results import results

#: Every numbered statement of the paper.
NUMBERED = [
    *(f"({k})" for k in range(1, 17)),
    *(f"(A.{k})" for k in range(1, 65)),
    *(f"Definition {k}" for k in ("1", "2", "3", "A.1", "A.2")),
    *(f"Proposition {k}" for k in ("1", "2", "3", "4", "A.1", "A.2", "A.3", "A.4", "A.6")),
    *("Lemma A.1", "Lemma A.2", "Remark 1", "Remark 2"),
    *(f"Theorem {k}" for k in ("1", "2", "A.1", "A.2", "A.3")),
]
#: Its numbers in words, and its figures.
NUMERIC = [
    "Section 5.2: alpha at tau = 0.5",
    "Section 5.2: alpha at tau = 0.9",
    "Section 5.2: alpha = 0.5",
    "Section 5.2: tau = 0.1",
    "Section 5.2: tau <= 1/log(m) is necessary",
    "Section 6.1: sizes",
    "Section 6.2: batch sizes",
    "Appendix B: dimension",
    "Appendix B: variance",
    *(f"Figure 1: ({k})" for k in "abc"),
]


@pytest.mark.parametrize("label", NUMBERED + NUMERIC)
def test_the_statement_has_a_claim(label: str) -> None:
    assert LEDGER[label].label == label


def test_proposition_a5_is_claimed_in_parts() -> None:
    # Its inequality is (A.18); the equality condition is printed with it.
    assert LEDGER["Proposition A.5: equality condition"].statement
    assert LEDGER["(A.18)"].statement


def test_claims_come_in_the_order_of_the_pages() -> None:
    labels = [c.label for c in LEDGER]
    for family in ("({})", "(A.{})"):
        numbered = [family.format(k) for k in range(1, 65) if family.format(k) in labels]
        places = [labels.index(label) for label in numbered]
        assert places == sorted(places)


DUMP = """
import json
from cltheory.derive.papers import ledger_of
claims = list(ledger_of("lee2025ssem"))[::8]
print(json.dumps([[c.label, str(c.verdict())] for c in claims]))
"""


@pytest.mark.slow
def test_verdicts_do_not_depend_on_the_hash_seed() -> None:
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", DUMP],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for seed in ("1", "2")
    ]
    assert len(found[0]) > 30
    assert found[0] == found[1]


#: Statements that the paper makes twice, in the text and in an appendix.
RESTATED = [
    ("Definition 2", "Definition A.2"),
    ("Theorem 1", "Theorem A.2"),
    ("Proposition 2", "Proposition A.3"),
    ("Proposition 4", "Proposition A.4"),
    ("Remark 1", "Proposition A.6"),
    ("Remark 1", "Proposition A.6, proof: conclusion"),
    ("Theorem 2", "Theorem A.3"),
    ("(16)", "Theorem A.3: temperature"),
    ("(9)", "(A.3)"),
    ("(10)", "(A.4)"),
    ("(A.31)", "Theorem A.2, proof: optimal delta"),
    ("Lemma A.1: delta*(c)", "(A.25)"),
    ("Lemma A.2: delta*(c)", "(A.30)"),
]


@pytest.mark.parametrize("pair", RESTATED, ids=" = ".join)
def test_what_is_stated_twice_has_one_verdict(pair: tuple[str, str]) -> None:
    first, second = (LEDGER[label].known_verdict() for label in pair)
    assert first.word == second.word


def test_the_two_theorems_without_a_dimension_have_one_condition() -> None:
    first, second = (LEDGER[f"Theorem {k}: dimension"].verdict() for k in ("2", "A.3"))
    assert first.word == second.word


# --- the ledger ------------------------------------------------------------------------------
@pytest.mark.parametrize("result", list(results))
def test_a_result_loads_the_claims_it_settles(result: str) -> None:
    assert LEDGER.settled_by(result) == [c for c in LEDGER if c.result == result]


def test_claims_of_all_papers_are_found() -> None:
    # Asking once more must give the same: loading a ledger changes nothing.
    found = settled_by("supcl-threshold")
    assert found == settled_by("supcl-threshold")
    assert found[0].paper == "lee2025ssem"
    assert all(ledger_of(key).key == key for key in PAPERS)


def test_every_result_of_the_paper_settles_something() -> None:
    settled = {c.result for c in LEDGER} - {None}
    assert settled >= {k for k in results if results[k].source.startswith("lee2025ssem")}


def test_the_index_of_sections_promises_nothing_too_much() -> None:
    for name, settles in LEDGER.sections.items():
        found = {c.result for c in LEDGER if c.record.section == name} - {None}
        assert found == set(settles), name


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
    with pytest.raises(UnknownPaper, match=r"there are .*lee2025ssem") as refusal:
        ledger_of("nobody2020")
    assert "\n" not in str(refusal.value)


#: Its verdict is not computed here, but given.
RECORD = LEDGER["(1)"].record


def claim(label: str, result: str | None = None) -> Claim:
    verdict = Verdict("agrees", Evidence(Grade.EXACT, "nothing"))
    return Claim("small", label, "one", lambda: verdict, RECORD, result)


def test_a_label_is_used_once() -> None:
    small = Ledger("small", "A small paper")
    small.add("section_1", claim("(1)"))
    with pytest.raises(ValueError, match="two claims labelled"):
        small.add("section_2", claim("(1)"))
    assert [c.label for c in small] == ["(1)"]
    assert len(small) == 1
    assert small["(1)"].verdict().word == "agrees"
    with pytest.raises(KeyError):
        small["(2)"]


def test_a_section_settles_only_what_it_is_listed_for() -> None:
    small = Ledger("small", "A small paper", "package", {"section_1": ["ssem"]})
    small.add("section_1", claim("(1)", "ssem"))
    with pytest.raises(ValueError, match="not listed"):
        small.add("section_1", claim("(2)", "supcl-threshold"))
