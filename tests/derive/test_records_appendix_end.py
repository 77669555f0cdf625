"""An independent key to records of lee2025ssem: the end of Appendix A.3, A.4 and A.5.

The verdicts were first reached by hand; a record that is kinder than its entry is wrong.
"""

from __future__ import annotations

import pytest
from cltheory.derive.papers.lee2025ssem import LEDGER

APPENDIX_A3_ON_SSEM = {
    "(A.56)": "needs-condition",
    "Theorem A.2, proof: L_Sup on SSEM": "needs-condition",
    "Theorem A.2, proof: L_Self on SSEM": "needs-condition",
    "Theorem A.2, proof: L_Sup on SSEM, closed form": "needs-condition",
    "Theorem A.2, proof: L_Self on SSEM, closed form": "needs-condition",
    "Theorem A.2, proof: L on SSEM": "needs-condition",
    "Theorem A.2, proof: L on SSEM, closed forms": "needs-condition",
    "(A.57)": "needs-condition",
    "(A.57), next line": "needs-condition",
    "Theorem A.2, proof: range of delta-tilde": "needs-condition",
    "Theorem A.2, proof: delta-tilde increases": "needs-condition",
    "(A.58)": "needs-condition",
    "(A.58): the set": "not-mathematical",
    "Theorem A.2, proof: h": "needs-condition",
    "Theorem A.2, proof: denominator of (A.58)": "needs-condition",
    "Theorem A.2, proof: h increases": "needs-condition",
    "Theorem A.2, proof: value of h at mn/(mn-1)": "needs-condition",
    "Theorem A.2, proof: optimal delta-tilde": "needs-condition",
    "Theorem A.2, proof: optimal delta": "needs-condition",
    "Theorem A.2, proof: conclusion": "needs-condition",
    "Theorem A.2, proof: all minimisers": "not-mathematical",
}
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
APPENDIX_A5 = {
    "Proposition A.6: L_cNCE": "agrees",
    "Proposition A.6": "needs-condition",
    "Proposition A.6, proof: first line": "agrees",
    "(A.61)": "needs-condition",
    "(A.61): equality condition": "needs-condition",
    "(A.62)": "needs-condition",
    "(A.63)": "agrees",
    "(A.64)": "needs-condition",
    "(A.64): equality condition": "needs-condition",
    "Proposition A.6, proof: SSEM satisfies the equality conditions": "needs-condition",
    "Proposition A.6, proof: SSEM attains every spread": "needs-condition",
    "Proposition A.6, proof: all possible spreads": "agrees",
    "Proposition A.6, proof: least on the SSEM": "needs-condition",
    "Proposition A.6, proof: sums on SSEM": "needs-condition",
    "Proposition A.6, proof: L_cNCE on SSEM": "needs-condition",
    "Proposition A.6, proof: the loss decreases": "needs-condition",
    "Proposition A.6, proof: where the minimum is attained": "misprint",
    "Proposition A.6, proof: conclusion": "needs-condition",
}
KEY = {
    "appendix_a3_on_ssem": APPENDIX_A3_ON_SSEM,
    "appendix_a4": APPENDIX_A4,
    "appendix_a5": APPENDIX_A5,
}


@pytest.mark.parametrize("section", KEY)
def test_the_verdicts_are_those_of_the_key(section: str) -> None:
    found = {r.label: LEDGER[r.label].known_verdict().word for r in LEDGER.records(section)}
    assert found == KEY[section]
