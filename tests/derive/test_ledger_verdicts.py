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


@pytest.mark.parametrize("paper", ["lee2025ssem", "lee2024sigmoid"])
def test_claims_come_in_the_order_of_the_pages(paper: str) -> None:
    labels = [c.label for c in ledger_of(paper)]
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
