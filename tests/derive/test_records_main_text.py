"""An independent key to records of lee2025ssem: Sections 5.2 and 6, figures, Appendices A.1, A.2, B.

The verdicts were first reached by hand; a record that is kinder than its entry is wrong.
"""

from __future__ import annotations

import pytest
from cltheory.derive.papers.lee2025ssem import LEDGER

SECTION_5_2 = {
    "Section 5.2: Remark 2 again": "needs-condition",
    "Section 5.2: collapse at delta = 0": "agrees",
    "Theorem 2": "needs-condition",
    "Theorem 2: dimension": "needs-condition",
    "(15)": "needs-condition",
    "Theorem 2: temperature": "needs-condition",
    "(16)": "needs-condition",
    "Section 5.2: alpha_min rises with tau": "agrees",
    "Section 5.2: the minimum of alpha": "misprint",
    "Section 5.2: alpha at tau = 0.5": "agrees",
    "Section 5.2: alpha at tau = 0.9": "misprint",
    "Section 5.2: limit of alpha_min": "agrees",
    "Section 5.2: alpha > 1/n": "needs-condition",
    "Section 5.2: limit of tau_max": "needs-condition",
    "Section 5.2: alpha = 0.5": "needs-condition",
    "Section 5.2: tau = 0.1": "agrees",
    "Section 5.2: m >= exp(10)": "agrees",
    "Section 5.2: alpha >= 1/n is necessary": "needs-condition",
    "Section 5.2: tau <= 1/log(m) is necessary": "differs",
}
KEY = {"section_5_2": SECTION_5_2}


@pytest.mark.parametrize("section", KEY)
def test_the_verdicts_are_those_of_the_key(section: str) -> None:
    found = {r.label: LEDGER[r.label].known_verdict().word for r in LEDGER.records(section)}
    assert found == KEY[section]
