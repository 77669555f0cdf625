"""Ochieng. Diversity Is All You Need for Contrastive Learning. NeurIPS 2025.

The text at hand was extracted from the PDF, with formulas as LaTeX.
"""

from ..ledger import Ledger, Source

SOURCE = Source(
    "ochieng2025diversity",
    "inproceedings",
    "Diversity Is All You Need for Contrastive Learning: Spectral Bounds on Gradient Magnitudes",
    (("Ochieng", "Peter"),),
    2025,
    (("booktitle", "39th Conference on Neural Information Processing Systems (NeurIPS)"),),
)

LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    (
        "section_1",
        "section_1_1",
        "section_1_2",
        "section_1_3",
        "section_1_4",
        "section_2_1",
        "section_2_2",
        "section_2_3",
        "section_2_4",
        "section_2_5",
        "section_2_6",
        "section_3",
        "appendix_a1",
        "appendix_a2",
        "appendix_a3",
        "appendix_a4",
        "appendix_a5",
        "appendix_a6",
        "appendix_a7",
        "appendix_a8",
        "appendix_a9",
        "appendix_a11",
        "appendix_a14",
        "appendix_b",
        "appendix_b1",
        "appendix_b2",
        "appendix_b3",
        "appendix_c",
    ),
)
