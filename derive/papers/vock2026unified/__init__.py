"""Vock, Duchesnay, Dufumier. A Unified Geometric Framework for Weighted Contrastive Learning. 2026.

The text at hand was extracted from HTML, with each formula twice: once as plain signs, once as its
LaTeX. The LaTeX is what is transcribed.
"""

from ..ledger import Ledger, Source

SOURCE = Source(
    "vock2026unified",
    "misc",
    "A Unified Geometric Framework for Weighted Contrastive Learning",
    (("Vock", "Raphaël"), ("Duchesnay", "Edouard"), ("Dufumier", "Benoit")),
    2026,
    (("eprint", "2605.13943"), ("archiveprefix", "arXiv"), ("primaryclass", "cs.LG")),
)


LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    (
        "section_1",
        "figure_1",
        "section_3_1",
        "section_3_2",
        "section_3_3",
        "section_3_4",
        "section_3_5",
        "section_3_6",
        "section_3_7",
        "section_3_8",
        "section_3_9",
        "section_4",
        "appendix_a",
        "appendix_b1",
        "appendix_b2",
        "appendix_c",
        "appendix_d_bound",
        "appendix_d_symmetry",
        "appendix_d_supcon",
        "appendix_e",
        "appendix_f",
        "appendix_g",
    ),
)
