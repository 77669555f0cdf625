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

CCEM, OPTIMUM, THRESHOLD = "ccem", "sigmoid-optimum", "sigmoid-threshold"
INFONCE, PAIRWISE = "infonce-optimum", "pairwise-threshold"

LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    {
        "section_1": (CCEM, OPTIMUM, THRESHOLD, INFONCE),
        "section_3": (CCEM, OPTIMUM, INFONCE),
        "section_4_1": (CCEM, OPTIMUM),
        "section_4_2": (CCEM, OPTIMUM, INFONCE, PAIRWISE),
        "section_4_proof": (CCEM, PAIRWISE),
        "section_5_1": (OPTIMUM, THRESHOLD, INFONCE),
        "section_5_2": (CCEM, OPTIMUM, THRESHOLD),
        "section_6": (OPTIMUM, THRESHOLD),
        "appendix_a": (),
        "appendix_b1": (CCEM,),
        "appendix_b2": (INFONCE,),
        "appendix_b3": (INFONCE,),
        "appendix_b4": (OPTIMUM, THRESHOLD),
    },
)
