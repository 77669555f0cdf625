"""Lee, Oh, Lee, Sohn. A Theoretical Framework for Preventing Class Collapse in
Supervised Contrastive Learning. AISTATS 2025."""

from ..ledger import Ledger, Source

SOURCE = Source(
    "lee2025ssem",
    "inproceedings",
    "A Theoretical Framework for Preventing Class Collapse in Supervised Contrastive Learning",
    (("Lee", "Chungpa"), ("Oh", "Jeongheon"), ("Lee", "Kibok"), ("Sohn", "Jy-yong")),
    2025,
    (
        (
            "booktitle",
            "Proceedings of the 28th International Conference on Artificial Intelligence "
            "and Statistics",
        ),
        ("series", "Proceedings of Machine Learning Research"),
        ("volume", "258"),
    ),
)

LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    (
        "section_1",
        "section_3",
        "figure_1",
        "section_4_1",
        "section_4_2",
        "section_5_1",
        "section_5_2",
        "section_6",
        "appendix_a1",
        "appendix_a2_ssem",
        "appendix_a2_existence",
        "appendix_a3_jensen",
        "appendix_a3_lemma_a1",
        "appendix_a3_lemma_a2",
        "appendix_a3_theorem_a2",
        "appendix_a3_bound_sup",
        "appendix_a3_bound_self",
        "appendix_a3_on_ssem",
        "appendix_a4",
        "appendix_a5",
        "appendix_b",
        "appendix_c",
    ),
)
