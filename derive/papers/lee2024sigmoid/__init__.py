"""Lee, Chang, Sohn. Analysis of Using Sigmoid Loss for Contrastive Learning. AISTATS 2024.

The text at hand was extracted from a PDF and mixes up indices in places (v_i for v_j). It is
transcribed as it stands; where a reading of the page makes a formula true, the record has it.
"""

from ..ledger import Ledger, Source

SOURCE = Source(
    "lee2024sigmoid",
    "inproceedings",
    "Analysis of Using Sigmoid Loss for Contrastive Learning",
    (("Lee", "Chungpa"), ("Chang", "Joonhwan"), ("Sohn", "Jy-yong")),
    2024,
    (
        (
            "booktitle",
            "Proceedings of the 27th International Conference on Artificial Intelligence "
            "and Statistics",
        ),
        ("series", "Proceedings of Machine Learning Research"),
        ("volume", "238"),
    ),
)

LEDGER = Ledger(SOURCE.key, SOURCE.title, __name__)
