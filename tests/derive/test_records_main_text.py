"""An independent key: records of Sections 1, 5.2 and 6, figures and tables, Appendices A.1, A.2, B.

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
    "Section 5.2: a smaller tau": "agrees",
    "Section 5.2: alpha at tau = 0.5": "agrees",
    "Section 5.2: alpha at tau = 0.9": "misprint",
    "Section 5.2: limit of alpha_min": "agrees",
    "Section 5.2: alpha > 1/n": "needs-condition",
    "Section 5.2: limit of tau_max": "needs-condition",
    "Section 5.2: the maximum of tau": "misprint",
    "Section 5.2: alpha = 0.5": "needs-condition",
    "Section 5.2: tau = 0.1": "agrees",
    "Section 5.2: m >= exp(10)": "agrees",
    "Section 5.2: alpha >= 1/n is necessary": "needs-condition",
    "Section 5.2: tau <= 1/log(m) is necessary": "differs",
}
SECTION_6 = {
    "Figure 2: (12)": "misprint",
    "Figure 2: the red line": "agrees",
    "Section 6.1: sizes": "agrees",
    "Section 6.1: dimension": "agrees",
    "Section 6.1: Theorem 1 and Proposition 4": "not-mathematical",
    "Section 6.2: batch sizes": "agrees",
    "Section 6.2: dimension": "not-mathematical",
    "Section 6.2: batches": "not-mathematical",
    "Section 6.2: per-class batch size": "not-mathematical",
    "Section 6.2: a moderate amount": "not-mathematical",
    "Section 6.2: lowest accuracy": "not-mathematical",
    "Section 6.2: across all tasks": "not-mathematical",
    "Table 1: averages": "agrees",
    "Table 1: best results": "agrees",
    "Checklist: error bars": "not-mathematical",
}
FIGURE_1 = {
    "Figure 1: (a)": "agrees",
    "Figure 1: (b)": "agrees",
    "Figure 1: (c)": "agrees",
    "Figure 1: arcs": "agrees",
}
SECTION_1 = {
    "Section 1: only within SSEM": "needs-condition",
    "Section 1: data configurations": "not-mathematical",
}
APPENDIX_C = {
    "Table C.1: ImageNet100": "not-mathematical",
    "Table C.2: ImageNet-100": "not-mathematical",
    "Appendix C.2: learning rate": "not-mathematical",
    "Appendix C.4: linear probing": "not-mathematical",
    "Table C.3: a moderate amount": "not-mathematical",
    "Table C.4: averages": "agrees",
    "Table C.5: averages": "agrees",
    "Table C.5: outperforms": "not-mathematical",
    "Appendix C.4: across diverse tasks": "not-mathematical",
    "Table C.4: optimal performance": "not-mathematical",
    "Appendix C.3: the classifier that is kept": "not-mathematical",
}
APPENDIX_A1 = {
    "Definition A.1": "needs-condition",
    "Definition A.1: expectation": "needs-condition",
    "Definition A.1: between-class variance": "needs-condition",
    "Proposition A.1": "agrees",
    "Proposition A.1, proof: the unit sphere": "not-mathematical",
    "Proposition A.1, proof: lines": "agrees",
    "Proposition A.2": "needs-condition",
    "Proposition A.2: the maximum": "needs-condition",
    "Proposition A.2, proof: cross terms": "agrees",
    "Proposition A.2, proof: decomposition": "agrees",
    "Proposition A.2, proof: variance of the entire set": "misprint",
    "(A.1)": "misprint",
    "Proposition A.2, proof: conclusion": "needs-condition",
    "Proposition A.2, proof: equality": "agrees",
}
APPENDIX_A2 = {
    "Definition A.2": "needs-condition",
    "Definition A.2: mnp vectors": "misprint",
    "(A.2)": "agrees",
    "(A.3)": "agrees",
    "(A.4)": "agrees",
    "Proposition A.3": "needs-condition",
    "(A.5)": "agrees",
    "Proposition A.3, proof: cases": "needs-condition",
    "Proposition A.3, proof: difference": "needs-condition",
    "Proposition A.3, proof: conclusion": "not-mathematical",
    "Proposition A.4": "needs-condition",
    "Proposition A.4: between-class variance": "needs-condition",
    "Proposition A.4: sum": "needs-condition",
    "Proposition A.4, proof: class sums": "needs-condition",
    "Proposition A.4, proof: class sum times total sum": "needs-condition",
    "Proposition A.4, proof: total sum": "needs-condition",
    "Proposition A.4, proof: centroid": "needs-condition",
    "Proposition A.4, proof: between-class variance": "needs-condition",
    "Proposition A.4, proof: within-class variance": "needs-condition",
    "Proposition A.4, proof: sum": "needs-condition",
}
APPENDIX_B = {
    "Appendix B: dimension": "agrees",
    "Appendix B: existence": "needs-condition",
    "Appendix B: by Proposition 1": "not-mathematical",
    "Appendix B: variance": "agrees",
}
KEY = {
    "section_1": SECTION_1,
    "section_5_2": SECTION_5_2,
    "section_6": SECTION_6,
    "figure_1": FIGURE_1,
    "appendix_a1": APPENDIX_A1,
    "appendix_a2_ssem": APPENDIX_A2,
    "appendix_b": APPENDIX_B,
    "appendix_c": APPENDIX_C,
}


@pytest.mark.parametrize("section", KEY)
def test_the_verdicts_are_those_of_the_key(section: str) -> None:
    found = {r.label: LEDGER[r.label].known_verdict().word for r in LEDGER.records(section)}
    assert found == KEY[section]
