"""An independent key to records of lee2025ssem: Appendices A.4, A.5 and the end of A.3.

The verdicts were first reached by hand; a record that is kinder than its entry is wrong.
"""

from __future__ import annotations

import pytest
from cltheory.derive.papers.lee2025ssem import LEDGER

APPENDIX_A4 = {
    "Theorem A.3": "needs-condition",
    "Theorem A.3: dimension": "needs-condition",
    "Theorem A.3: threshold": "needs-condition",
    "Theorem A.3: temperature": "needs-condition",
    "Theorem A.3: temperature, end": "needs-condition",
    "Theorem A.3, proof: positive delta": "needs-condition",
    "Theorem A.3, proof: condition": "misprint",
    "Theorem A.3, proof: h": "needs-condition",
    "(A.59)": "needs-condition",
    "Theorem A.3, proof: display after (A.59)": "needs-condition",
    "Theorem A.3, proof: both forms of the threshold": "needs-condition",
    "(A.60)": "needs-condition",
    "Theorem A.3, proof: display after (A.60)": "needs-condition",
    "Theorem A.3, proof: weight of other classes": "needs-condition",
    "Theorem A.3, proof: ratio": "agrees",
    "Theorem A.3, proof: equivalent conditions": "needs-condition",
    "Theorem A.3, proof: equivalent conditions, logarithms": "needs-condition",
    "Theorem A.3, proof: equivalent conditions, temperature": "needs-condition",
    "Theorem A.3, proof: upper end": "misprint",
    "Theorem A.3, proof: least alpha": "needs-condition",
    "Theorem A.3, proof: infimum": "agrees",
}
KEY = {"appendix_a4": APPENDIX_A4}


@pytest.mark.parametrize("section", KEY)
def test_the_verdicts_are_those_of_the_key(section: str) -> None:
    found = {r.label: LEDGER[r.label].known_verdict().word for r in LEDGER.records(section)}
    assert found == KEY[section]
