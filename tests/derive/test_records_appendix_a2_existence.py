"""An independent key to records of lee2025ssem: Theorem A.1.

The verdicts were first reached by hand; a record that is kinder than its entry is wrong. The two
witnesses by hand are in test_ledger_main_text.
"""

from __future__ import annotations

from cltheory.derive.papers.lee2025ssem import LEDGER

THEOREM_A1 = {
    "Theorem A.1": "misprint",
    "Theorem A.1, proof: the simplex exists": "agrees",
    "(A.6)": "agrees",
    "Theorem A.1, proof: v_i": "agrees",
    "(A.7)": "agrees",
    "(A.8)": "agrees",
    "(A.9)": "agrees",
    "(A.10)": "agrees",
    "(A.11)": "agrees",
    "(A.12)": "agrees",
    "(A.13)": "needs-condition",
    "Theorem A.1, proof: h(delta)^2 n": "needs-condition",
    "Theorem A.1, proof: h(delta)^2 n, sixth line": "misprint",
    "Theorem A.1, proof: h(delta)^2 n, last line": "needs-condition",
    "(A.14)": "agrees",
    "(A.15)": "needs-condition",
    "Theorem A.1, proof: products across classes": "agrees",
    "(A.16)": "agrees",
    "Theorem A.1, proof: line after (A.16)": "misprint",
    "(A.17)": "needs-condition",
}


def test_the_verdicts_are_those_of_the_key() -> None:
    records = LEDGER.records("appendix_a2_existence")
    assert {r.label: LEDGER[r.label].known_verdict().word for r in records} == THEOREM_A1
