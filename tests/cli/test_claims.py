"""``cltheory claims``: the table, its JSON, and exit 1 while a claim is undecided."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from cltheory.derive.decide.evidence import Evidence, Grade
from cltheory.derive.papers import ledger_of
from cltheory.derive.papers.ledger import Claim, Ledger
from cltheory.derive.papers.records.record import read_section
from cltheory.derive.papers.verdict import WORDS, Verdict

#: Its verdict is not computed here, but given.
RECORD = read_section(
    "small",
    "section_1",
    '[[record]]\nlabel = "(1)"\nweight = "aside"\nprinted = "one"\nmathematical = false\n',
)[0]
EXACT = Evidence(Grade.EXACT, "by hand")


def told(label: str, printed: str, check: Any) -> Claim:
    """A claim whose verdict is given."""
    wording = replace(RECORD.printed, text=printed)
    return Claim(replace(RECORD, label=label, printed=wording), check)


def ledger_with(*claims: Claim) -> Ledger:
    found = Ledger("small", "A small paper", "", ["section_1"])
    found._read["section_1"] = list(claims)
    return found


def small(*words: str) -> Ledger:
    """A ledger with one claim for each verdict given."""
    claims = []
    for k, word in enumerate(words, 1):
        verdict = Verdict(word, EXACT, f"note {k}")  # type: ignore[arg-type]
        said = rf"[red]\frac{{1}}{{{k}}}"
        claims.append(told(f"({k})", said, lambda _, v=verdict: v))
    return ledger_with(*claims)


def give(monkeypatch: pytest.MonkeyPatch, ledger: Ledger) -> None:
    monkeypatch.setattr("cltheory.derive.papers.ledger_of", lambda _: ledger)


def test_the_paper_as_json(cltheory: Any) -> None:
    code, out, err = cltheory("claims", "lee2025ssem", "--stored", "--format", "json")
    assert (code, err) == (0, "")
    rows = json.loads(out)
    assert [row["label"] for row in rows] == [c.label for c in ledger_of("lee2025ssem")]
    keys = {"paper", "label", "statement", "verdict", "evidence", "note", "correction"}
    keys |= {"weight", "origin"}
    assert all(set(row) >= keys for row in rows)
    assert all(isinstance(row[k], str) for row in rows for k in keys)
    assert {row["verdict"] for row in rows} <= set(WORDS) - {"undecided"}
    assert all(row["statement"] and row["evidence"] for row in rows)


def test_readings_are_shown(cltheory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = Verdict(
        "needs-condition", EXACT, "a note", readings={"so": "fails at m = 2", "or": "holds"}
    )
    give(monkeypatch, ledger_with(told("(1)", "one", lambda _: verdict)))
    _, out, _ = cltheory("claims", "small")
    assert "under reading: so (fails at m = 2); under reading: or (holds); a note" in out
    _, out, _ = cltheory("claims", "small", "--format", "json")
    (row,) = json.loads(out)
    assert row["readings"] == {"so": "fails at m = 2", "or": "holds"}
    assert row["under_reading"] == ""


def test_a_table(cltheory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, small("agrees", "differs", "needs-condition", "agrees"))
    code, out, err = cltheory("claims", "small")
    assert (code, err) == (0, "")
    assert "A small paper" in out
    assert "Of 4 statements in A small paper, 2 agree, 1 needs a condition and 1 differs." in out
    assert "\n  differs           (2)  [exact]\n      note 2\n" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("style", ["text", "json"])
def test_an_undecided_claim_is_exit_1(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    give(monkeypatch, small("agrees", "undecided"))
    assert cltheory("claims", "small", "--format", style).code == 1


@pytest.mark.parametrize(
    "section, prefix",
    [
        ("4.1", "section_4_1"),
        ("4", "section_4_"),
        ("Appendix A.3", "appendix_a3_"),
        ("A.1", "appendix_a1"),
        ("a", "appendix_a"),
        ("figure 1", "figure_1"),
    ],
)
def test_a_section_and_its_summary_first(cltheory: Any, section: str, prefix: str) -> None:
    found = ledger_of("lee2025ssem")
    names = [name for name in found.sections if name.startswith(prefix)]
    wanted = [r.label for name in names for r in found.records(name)]
    assert [c.label for c in found.of_section(section)] == wanted
    out = cltheory("claims", "lee2025ssem", "--stored", "--section", section).out
    assert out.startswith(f"Of {len(wanted)} statements in ")


def test_a_number_is_not_the_beginning_of_another(refused: Any) -> None:
    found = ledger_of("ochieng2025diversity")
    assert {c.record.section for c in found.of_section("A.1")} == {"appendix_a1"}
    assert {c.record.section for c in found.of_section("1")} >= {"section_1", "section_1_4"}
    says = refused("claims", "lee2025ssem", "--section", "9.9")
    assert (
        "no section '9.9'" in says
        and "it has 1, 3, figure 1, 4.1, " in says
        and " A.2, A.3, A.4" in says
    )


def test_an_interrupt_is_told_in_words(cltheory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: Any) -> Verdict:
        raise KeyboardInterrupt

    give(monkeypatch, ledger_with(told("(1)", "one", stop)))
    code, out, err = cltheory("claims", "small")
    assert (code, out) == (130, "")
    assert err.strip() == "cltheory: interrupted"
