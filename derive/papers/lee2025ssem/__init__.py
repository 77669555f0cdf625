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
    {
        "section_1": ("supcl-optimum",),
        "section_3": (),
        "figure_1": ("ssem",),
        "section_4_1": ("ssem", "supcl-optimum"),
        "section_4_2": ("ssem", "supcl-optimum", "cnce-optimum", "sup-cnce-optimum"),
        "section_5_1": ("ssem", "supcl-optimum", "variance-bound"),
        "section_5_2": ("ssem", "supcl-threshold"),
        "section_6": ("supcl-optimum",),
        "appendix_a1": ("variance-bound",),
        "appendix_a2_ssem": ("ssem",),
        "appendix_a2_existence": ("ssem",),
        "appendix_a3_jensen": (),
        "appendix_a3_lemma_a1": ("ssem",),
        "appendix_a3_lemma_a2": ("ssem",),
        "appendix_a3_theorem_a2": ("supcl-optimum",),
        "appendix_a3_bound_sup": (),
        "appendix_a3_bound_self": ("supcl-optimum",),
        "appendix_a3_on_ssem": ("ssem", "supcl-optimum"),
        "appendix_a4": ("supcl-optimum", "supcl-threshold"),
        "appendix_a5": ("cnce-optimum",),
        "appendix_b": ("ssem",),
        "appendix_c": (),
    },
)
