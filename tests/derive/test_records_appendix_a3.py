"""An independent key to records of lee2025ssem: Proposition A.5, and the proof of Theorem A.2.

The verdicts were first reached by hand; a record that is kinder than its entry is wrong.
"""

from __future__ import annotations

import pytest
from cltheory.derive.papers.lee2025ssem import LEDGER

THEOREM_A2 = {
    "Theorem A.2": "needs-condition",
    "Theorem A.2: display": "needs-condition",
    "Theorem A.2: the SSEM in Def. 2": "not-mathematical",
    "(A.31)": "needs-condition",
    "Theorem A.2: h": "needs-condition",
}
PROPOSITION_A5 = {
    "(A.18)": "needs-condition",
    "Proposition A.5: equality condition": "differs",
    "Proposition A.5, proof: the case a = 0": "agrees",
    "Proposition A.5, proof: positive elements suffice": "not-mathematical",
    "(A.19)": "agrees",
    "(A.19): equality condition": "differs",
    "Proposition A.5, proof: f is convex": "agrees",
    "Proposition A.5, proof: last display": "agrees",
    "Proposition A.5, proof: equality condition": "differs",
    "Proposition A.5, proof: reference to (A.19)": "not-mathematical",
}
KEY = {
    "appendix_a3_theorem_a2": THEOREM_A2,
    "appendix_a3_jensen": PROPOSITION_A5,
}


@pytest.mark.parametrize("section", KEY)
def test_the_verdicts_are_those_of_the_key(section: str) -> None:
    found = {r.label: LEDGER[r.label].known_verdict().word for r in LEDGER.records(section)}
    assert found == KEY[section]
