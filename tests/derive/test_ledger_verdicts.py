"""The ledger of lee2025ssem as a whole: what must be there; and ledgers as such."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cltheory.derive.papers import PAPERS, UnknownPaper, ledger_of
from cltheory.derive.papers.ledger import Ledger
from cltheory.derive.papers.lee2025ssem import LEDGER
from cltheory.derive.papers.records.record import BadRecord
from cltheory.derive.results import results


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
    monkeypatch.setattr("cltheory.derive.papers.ledger.files", lambda _: tmp_path)
    assert Ledger("small", "A small paper", "", ["section_1"])["(1)"].label == "(1)"
    with pytest.raises(BadRecord, match="two claims labelled"):
        len(Ledger("small", "A small paper", "", ["section_1", "section_2"]))


def test_what_a_record_refers_to_is_there() -> None:
    for key in PAPERS:
        labels = {c.label for c in ledger_of(key)}
        for one in ledger_of(key).records():
            assert {*one.used_in, one.restates or one.label} <= labels
