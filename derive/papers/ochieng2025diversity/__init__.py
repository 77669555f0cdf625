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

LEDGER = Ledger(SOURCE.key, SOURCE.title, __name__)
